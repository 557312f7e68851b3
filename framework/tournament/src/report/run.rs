//! The program, date, machine and command that wrote a report. The results do not depend on them.

use serde::Serialize;
use std::env::consts::{ARCH, OS};
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};
use sysinfo::{CpuRefreshKind, RefreshKind, System};

#[derive(Clone, Debug, Serialize)]
pub struct ReportRun {
    pub program: String,
    pub date: String,
    pub machine: String,
    pub threads: usize,
    pub command: String,
}

impl ReportRun {
    pub fn new(command: String, threads: usize) -> Self {
        let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() / 86_400);
        let (year, month, day) = date(days);
        let kind = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
        let system = System::new_with_specifics(kind).ok();
        let processor = system.as_ref().and_then(|system| system.cpus().first());
        let brand = processor.map(|processor| processor.brand().trim().to_owned());
        let parts = [System::host_name().ok(), brand, Some(format!("{OS} {ARCH}"))];
        let machine: Vec<_> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        Self {
            program: format!("runner {}", env!("CARGO_PKG_VERSION")),
            date: format!("{year}-{month:02}-{day:02}"),
            machine: machine.join(", "),
            threads,
            command,
        }
    }
}

impl fmt::Display for ReportRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, date, machine, threads, command } = self;
        write!(
            f,
            "Written by {program} on {date} (UTC); {machine}; threads: {threads}; command: {command}"
        )
    }
}

/// Returns the year, month and day that is this many days after 1970-01-01.
fn date(days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    // Here the day of the year, later of the month, counted from 0.
    let (mut year, mut day) = (1970, days);
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // By `date -u -d @$((86400 * days))`.
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_786, (2026, 11, 29)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date(days), expected);
        }
    }
}

//! The memory that may be used.
//!
//! `sysinfo` reads the free memory on Linux, macOS and Windows, and on Linux the limits of
//! the control group (a container, a batch job), which may be far below it.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Taken to be free, in bytes, where the system does not say.
const UNKNOWN: u64 = 4 << 30;

/// Returns how many bytes may be used: 7/8 of the free memory.
pub fn spare() -> u64 {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::everything());
    let system = System::new_with_specifics(memory).ok();
    let limit = system.as_ref().and_then(System::cgroup_limits).map(|limits| limits.free_memory);
    share(system.map_or(0, |system| system.available_memory()), limit)
}

/// Returns 7/8 of the free memory, or of the rest of a limit if that is less.
fn share(free: u64, limit: Option<u64>) -> u64 {
    let known = if free == 0 { UNKNOWN } else { free };
    let usable = limit.map_or(known, |limit| known.min(limit));
    usable - usable / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_eighth_of_the_smaller_limit_is_left() {
        assert_eq!(share(8 << 30, None), 7 << 30);
        assert_eq!(share(8 << 30, Some(800)), 700);
        assert_eq!(share(800, Some(8 << 30)), 700);
        assert_eq!(share(0, None), UNKNOWN - UNKNOWN / 8);
    }

    /// The kernel's own figure bounds the result.
    #[cfg(target_os = "linux")]
    #[test]
    fn spare_memory_is_below_the_total() {
        let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap();
        let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap();
        let kib: u64 = total.trim().trim_end_matches(" kB").parse().unwrap();
        let spare = spare();
        assert!(spare > 1 << 20 && spare <= kib * 1024 / 8 * 7, "{spare} of {kib} KiB");
    }
}

//! How much memory the machine has to spare.

/// Where that cannot be found out, this many bytes are taken to be free.
const UNKNOWN: u64 = 4 << 30;

/// Most of what is free: some is left to what else runs.
pub fn spare() -> u64 {
    let free = free().unwrap_or(UNKNOWN);
    free - free / 8
}

/// What the system says, or a limit that this program has been given, if that is
/// less.
#[cfg(target_os = "linux")]
fn free() -> Option<u64> {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let of_system = available(&std::fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = "/sys/fs/cgroup";
    let most = number(&format!("{group}/memory.max"));
    let taken = number(&format!("{group}/memory.current"));
    let of_group = most.zip(taken).map(|(most, taken)| most.saturating_sub(taken));
    Some(of_group.map_or(of_system, |of_group| of_system.min(of_group)))
}

#[cfg(not(target_os = "linux"))]
fn free() -> Option<u64> {
    None
}

/// The line that says how much new programs can have without swapping.
#[cfg(target_os = "linux")]
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_s_words_are_understood() {
        let told = "MemTotal:       24690000 kB\nMemAvailable:   23000000 kB\nBuffers: 1 kB\n";
        assert_eq!(super::available(told), Some(23_000_000 * 1024));
        assert_eq!(super::available("MemTotal: 1 kB\n"), None);
        assert_eq!(super::available("MemAvailable: many kB\n"), None);
    }

    #[test]
    fn something_is_to_spare() {
        assert!(super::spare() > 1 << 20);
    }
}

//! Memory prefetching.

/// Starts to fetch the cache line at an address, so that a later read does not wait for
/// it. Every address is allowed: nothing is read.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, whatever the address is.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a prefetch reads nothing, whatever the address is.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// Starts to fetch a cache line into the second-level cache. It is for lines that are read after a
/// few hundred others, on processors that [prefer](prefers_second_level) this.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch_to_second_level<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, whatever the address is.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    prefetch(address);
}

/// Returns true if many lines arrive sooner when they are prefetched to the second-level cache. On
/// AMD's processors, prefetches to the first-level cache wait for a place in its list of
/// outstanding reads.
pub fn prefers_second_level() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let vendor = core::arch::x86_64::__cpuid(0);
        [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).concat() == b"AuthenticAMD"
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

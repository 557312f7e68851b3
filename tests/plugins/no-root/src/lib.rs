//! An ordinary shared library: it exports a function, and nothing that says "plugin".

/// Half of a number.
// SAFETY: no other library of the tests exports this name.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn test_no_root_half(number: u64) -> u64 {
    number / 2
}

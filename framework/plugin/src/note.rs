//! The note of a plugin library: the ABI version and the processor features of its build. The
//! loader reads it from the file before any of the library's code runs.

use std::ptr;

/// The version of the ABI, independent of the project's version. Plugins of another version are
/// refused.
pub const ABI_VERSION: u32 = 4;

/// The symbol of a library's note is this prefix and the crate's name. Every crate has its own
/// symbols, so that several plugins can be linked into one program.
pub const NOTE_PREFIX: &str = "runner_plugin_note_";
/// The symbol of a library's root is this prefix and the crate's name.
pub const ROOT_PREFIX: &str = "runner_plugin_root_";

/// The first bytes of every note.
const MAGIC: [u8; 16] = *b"runner-plugin-01";

/// The properties of a library's build, as they lie in its file.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    magic: [u8; 16],
    /// The [`ABI_VERSION`] of the library's build.
    pub version: u32,
    /// The processor features that the library's code may use: bit i is `FEATURES[i]`.
    pub features: u64,
}

/// The size of a note in bytes.
pub const NOTE_SIZE: usize = size_of::<Note>();

/// Defines the processor features that a note names, for the architectures that `cfg` selects.
/// `is_detected` is the macro of the standard library that asks this processor for a feature.
macro_rules! features {
    ($cfg:meta, $is_detected:ident: $($name:tt)*) => {
        /// The processor features that a build may use beyond the baseline, in the order
        /// of their bits. New ones are appended.
        #[cfg($cfg)]
        pub const FEATURES: &[&str] = &[$($name),*];

        /// The features that this crate is built with. A library is built with the same ones,
        /// because one build compiles both.
        #[cfg($cfg)]
        const FEATURES_OF_THIS_BUILD: u64 = bits(&[$(cfg!(target_feature = $name)),*]);

        #[cfg($cfg)]
        fn features_of_this_processor() -> u64 {
            bits(&[$(std::arch::$is_detected!($name)),*])
        }
    };
}

features! { target_arch = "x86_64", is_x86_feature_detected:
    "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "avx" "avx2" "bmi1" "bmi2" "fma" "lzcnt" "f16c"
    "movbe" "adx" "aes" "pclmulqdq" "sha" "rdrand" "rdseed" "vaes" "vpclmulqdq" "gfni"
    "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512ifma" "avx512vbmi"
    "avx512vbmi2" "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512bf16" "avx512fp16"
}

features! { target_arch = "aarch64", is_aarch64_feature_detected:
    "neon" "aes" "sha2" "sha3" "crc" "lse" "lse2" "rdm" "fp16" "fhm" "dotprod" "rcpc" "rcpc2"
    "jsconv" "fcma" "frintts" "flagm" "i8mm" "bf16" "sve" "sve2" "sb" "ssbs" "dit" "dpb" "dpb2"
    "bti" "paca" "pacg" "rand" "mte" "sm4"
}

// Builds for all other architectures use the baseline, because `.cargo/config.toml` does not tune
// them: there are no features, and the macro `none` is not called.
features! { not(any(target_arch = "x86_64", target_arch = "aarch64")), none: }

/// Returns a number in which bit i is `set[i]`.
const fn bits(set: &[bool]) -> u64 {
    let mut bits = 0;
    let mut i = 0;
    while i < set.len() {
        bits |= (set[i] as u64) << i;
        i += 1;
    }
    bits
}

impl Note {
    /// The note of a library of this build.
    pub const OF_THIS_BUILD: Self =
        Self { magic: MAGIC, version: ABI_VERSION, features: FEATURES_OF_THIS_BUILD };

    /// Reads a note from the bytes of a file. Returns `None` if they do not begin like a note.
    pub fn read(bytes: &[u8; NOTE_SIZE]) -> Option<Self> {
        // SAFETY: `bytes` is as long as a note, and any bytes are valid for its integers.
        let note: Self = unsafe { ptr::read_unaligned(bytes.as_ptr().cast()) };
        (note.magic == MAGIC).then_some(note)
    }

    /// Returns the features that the library may use and this processor lacks. A newer library may
    /// have bits that [`FEATURES`] does not list yet.
    pub fn missing_features(&self) -> Vec<&'static str> {
        let missing = self.features & !features_of_this_processor();
        (0..u64::BITS as usize)
            .filter(|bit| missing >> bit & 1 == 1)
            .map(|bit| FEATURES.get(bit).copied().unwrap_or("a feature unknown to this runner"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    /// If a build were tuned for another architecture, its note would name no features, and no
    /// processor would refuse it.
    #[test]
    fn builds_are_tuned_only_where_the_note_lists_the_features() {
        let section = r#"[target.'cfg(any(target_arch = "x86_64", target_arch = "aarch64"))']"#;
        let config = include_str!("../../../.cargo/config.toml");
        let tuned = config.lines().position(|line| line.contains("target-cpu=native"));
        let line_before = config.lines().take(tuned.expect("it tunes")).last();
        assert_eq!(line_before, Some(section));
    }
}

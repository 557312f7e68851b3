//! The note of a plugin library: the ABI version, the layout and the processor features
//! that it was built with. The loader reads it from the file, before any of the library's
//! code runs.

use crate::abi;

/// The symbol of a library's note: this prefix and the crate's name.
pub const NOTE_PREFIX: &str = "runner_plugin_note_";
/// The symbol of a library's root: this prefix and the crate's name. Names differ so that
/// several plugins can be linked into one program.
pub const ROOT_PREFIX: &str = "runner_plugin_root_";

const MAGIC: [u8; 16] = *b"runner-plugin-01";

/// The properties of a library's build.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    magic: [u8; 16],
    /// The ABI's major version.
    pub abi_major: u32,
    /// The ABI's minor version.
    pub abi_minor: u32,
    /// [`abi::CORE_LAYOUT`] of the library's build.
    pub core_layout: u64,
    /// A bit for each of [`FEATURES`] that the library's code may use.
    pub features: u64,
}

/// The size of a note in bytes.
pub const NOTE_SIZE: usize = size_of::<Note>();

macro_rules! features {
    ($($name:tt)*) => {
        /// The processor features that a build may use beyond the baseline, in the order
        /// of their bits. New ones are appended.
        pub const FEATURES: &[&str] = &[$($name),*];

        /// Returns the features that the calling crate is built with.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! __features_of_this_build {
            () => {{
                let mut bits = 0u64;
                let mut bit = 1u64;
                $(
                    if cfg!(target_feature = $name) {
                        bits |= bit;
                    }
                    bit = bit.wrapping_shl(1);
                )*
                let _ = bit;
                bits
            }};
        }

        /// Returns the features that this processor has.
        #[cfg(target_arch = "x86_64")]
        fn features_of_this_processor() -> u64 {
            let mut bits = 0;
            let mut bit = 1u64;
            $(
                if std::arch::is_x86_feature_detected!($name) {
                    bits |= bit;
                }
                bit = bit.wrapping_shl(1);
            )*
            let _ = bit;
            bits
        }
    };
}

features! {
    "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "avx" "avx2" "bmi1" "bmi2" "fma" "lzcnt" "f16c"
    "movbe" "adx" "aes" "pclmulqdq" "sha" "rdrand" "rdseed" "vaes" "vpclmulqdq" "gfni"
    "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512ifma" "avx512vbmi"
    "avx512vbmi2" "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512bf16" "avx512fp16"
}

/// On other architectures builds use the baseline only.
#[cfg(not(target_arch = "x86_64"))]
fn features_of_this_processor() -> u64 {
    u64::MAX
}

impl Note {
    /// Creates the note of a build with these features, which the export macro passes.
    pub const fn new(features: u64) -> Self {
        Self {
            magic: MAGIC,
            abi_major: abi::ABI_MAJOR,
            abi_minor: abi::ABI_MINOR,
            core_layout: abi::CORE_LAYOUT,
            features,
        }
    }

    /// Reads a note from the bytes of a file.
    pub fn read(bytes: &[u8; NOTE_SIZE]) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk::<16>()?;
        let (abi_major, rest) = rest.split_first_chunk::<4>()?;
        let (abi_minor, rest) = rest.split_first_chunk::<4>()?;
        let (core_layout, rest) = rest.split_first_chunk::<8>()?;
        let (features, _) = rest.split_first_chunk::<8>()?;
        (*magic == MAGIC).then(|| Self {
            magic: MAGIC,
            abi_major: u32::from_ne_bytes(*abi_major),
            abi_minor: u32::from_ne_bytes(*abi_minor),
            core_layout: u64::from_ne_bytes(*core_layout),
            features: u64::from_ne_bytes(*features),
        })
    }

    /// Returns the features that the library may use and this processor lacks.
    pub fn missing_features(&self) -> Vec<&'static str> {
        let missing = self.features & !features_of_this_processor();
        (0..64)
            .filter(|bit| missing >> bit & 1 == 1)
            .map(|bit| FEATURES.get(bit).copied().unwrap_or("a feature unknown to this runner"))
            .collect()
    }
}

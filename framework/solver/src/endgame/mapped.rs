//! Files in the address space.

use memmap2::Mmap;
use runner_files::FileError;
use runner_files::container::ReadAt;
use std::io;
use std::path::Path;

/// The bytes of a file, which all processes that open it share.
#[derive(Debug)]
pub struct Mapped(Mmap);

impl Mapped {
    #[allow(unsafe_code)]
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = runner_files::open(path)?;
        // SAFETY: the bytes must not change while they are mapped. Tables are written beside their
        // name and renamed, so that a file that has the name keeps its bytes.
        let map = unsafe { Mmap::map(&file) };
        Ok(Self(map.map_err(FileError::at("read", path))?))
    }

    /// Says that single values far from one another are read from now on.
    pub fn expect_probes(&self) {
        // A system may ignore the advice, and Windows takes none.
        #[cfg(unix)]
        let _ = self.0.advise(memmap2::Advice::Random);
    }
}

impl AsRef<[u8]> for Mapped {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl ReadAt for Mapped {
    fn length(&self) -> io::Result<u64> {
        self.as_ref().length()
    }

    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<()> {
        self.as_ref().read_at(place, out)
    }
}

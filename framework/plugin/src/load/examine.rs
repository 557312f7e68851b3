//! Reads a library's symbols and note from its bytes, without running its code.
//!
//! The system's loader trusts the file: a truncated library ends the process with a bus
//! error. So its extents are checked first.

use super::Cause;
use crate::note::{NOTE_PREFIX, NOTE_SIZE, Note, ROOT_PREFIX};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::read::{ExportTarget, NameOrOrdinal};
use object::{Architecture, Endianness, Object, ObjectSegment, ReadCache, ReadRef, elf};
use std::fs::File;
use std::path::Path;

/// The exports of a plugin library.
pub(super) struct Symbols {
    /// The name of its root.
    pub root: String,
    /// Its note.
    pub note: Note,
}

pub(super) fn examine(path: &Path) -> Result<Symbols, Cause> {
    // Checked before it is opened: opening a pipe waits for a writer.
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(Cause::NotALibrary("it is not a file".into()));
    }
    if metadata.len() == 0 {
        return Err(Cause::NotALibrary("it is empty".into()));
    }
    // The cache reads only the parts that are used; libraries are large.
    let data = &ReadCache::new(File::open(path)?);
    let magic = data.read_bytes_at(0, 4.min(metadata.len())).unwrap_or_default();
    let is_elf = magic == elf::ELFMAG;
    if is_elf {
        check_extents(data, metadata.len())?;
    }
    let library = object::File::parse(data).map_err(|error| {
        if is_elf {
            Cause::Truncated(error.to_string())
        } else {
            Cause::NotALibrary("it does not begin like one".into())
        }
    })?;
    if library.architecture() != this_architecture() {
        return Err(Cause::OtherMachine(format!("{:?}", library.architecture()).to_lowercase()));
    }
    let exports: Vec<_> = (library.exports())
        .and_then(Iterator::collect)
        .map_err(|error| Cause::Truncated(error.to_string()))?;
    let find = |prefix: &str| {
        exports.iter().find_map(|export| {
            let NameOrOrdinal::Name(name) = export.name() else { return None };
            let ExportTarget::Address { address } = export.target() else { return None };
            let name = std::str::from_utf8(name).ok()?;
            // Mach-O prefixes every name with an underscore.
            let name = name.strip_prefix('_').filter(|n| n.starts_with(prefix)).unwrap_or(name);
            name.starts_with(prefix).then(|| (name.to_owned(), address))
        })
    };
    let (root, _) = find(ROOT_PREFIX).ok_or(Cause::NoRoot)?;
    let (_, address) = find(NOTE_PREFIX).ok_or(Cause::NoRoot)?;
    let note = (library.segments())
        .find_map(|segment| segment.data_range(address, NOTE_SIZE as u64).ok().flatten())
        .and_then(|bytes| Note::read(bytes.try_into().ok()?))
        .ok_or(Cause::BadNote)?;
    Ok(Symbols { root, note })
}

/// Checks that all parts that an ELF file lists lie within the file.
fn check_extents<'a, R: ReadRef<'a>>(data: R, len: u64) -> Result<(), Cause> {
    let cut = |what: &str, end: u64| {
        Cause::Truncated(format!("its {what} would end at byte {end}, and it has {len} bytes"))
    };
    let bad = |error: object::Error| Cause::Truncated(error.to_string());
    let header = elf::FileHeader64::<Endianness>::parse(data)
        .map_err(|_| Cause::Truncated("its header is incomplete or of 32 bits".into()))?;
    let endian = header.endian().map_err(bad)?;
    // The tables of segments and sections themselves, then their entries.
    let segments = (header.e_phoff(endian), header.e_phentsize(endian), header.e_phnum(endian));
    let sections = (header.e_shoff(endian), header.e_shentsize(endian), header.e_shnum(endian));
    for (what, (at, size, n)) in [("list of segments", segments), ("list of sections", sections)] {
        match at.checked_add(u64::from(size) * u64::from(n)) {
            Some(end) if end <= len => {}
            end => return Err(cut(what, end.unwrap_or(u64::MAX))),
        }
    }
    for segment in header.program_headers(endian, data).map_err(bad)? {
        let (offset, size) = segment.file_range(endian);
        match offset.checked_add(size) {
            Some(end) if end <= len => {}
            end => return Err(cut("segments", end.unwrap_or(u64::MAX))),
        }
    }
    for section in header.section_headers(endian, data).map_err(bad)? {
        if let Some((offset, size)) = section.file_range(endian) {
            match offset.checked_add(size) {
                Some(end) if end <= len => {}
                end => return Err(cut("sections", end.unwrap_or(u64::MAX))),
            }
        }
    }
    Ok(())
}

fn this_architecture() -> Architecture {
    match std::env::consts::ARCH {
        "x86_64" => Architecture::X86_64,
        "aarch64" => Architecture::Aarch64,
        "riscv64" => Architecture::Riscv64,
        _ => Architecture::Unknown,
    }
}

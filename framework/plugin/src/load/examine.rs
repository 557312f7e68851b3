//! Reads the name of a library's root and its note from the bytes of the file, without running its
//! code.
//!
//! The system's loader does not check the size of the file: a truncated library would end the
//! process with a bus error. So the extents of an ELF file are checked here.

use super::unreadable;
use crate::note::{NOTE_PREFIX, NOTE_SIZE, Note, ROOT_PREFIX};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::read::{ExportTarget, NameOrOrdinal};
use object::{Endianness, Object, ObjectSegment, ReadCache, ReadRef, elf};
use std::env::consts::ARCH;
use std::fmt::Display;
use std::fs::File;
use std::path::Path;

const NO_PLUGIN: &str = "is a shared library but no runner plugin: it has no `export_plugin!` (see \
                         `runner plugins new`)";

fn not_a_library(why: &str) -> String {
    format!("is not a shared library ({why}); a plugin is built with `cargo build --release`")
}

fn truncated(why: impl Display) -> String {
    format!("is truncated: {why}; copy or build it again")
}

pub(super) struct Examined {
    /// The symbol of its root.
    pub root: String,
    pub note: Note,
}

/// Examines a library. An error says why the file is refused.
pub(super) fn examine(path: &Path) -> Result<Examined, String> {
    // Checked before the file is opened, because opening a pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(not_a_library("it is not a file"));
    }
    if metadata.len() == 0 {
        return Err(not_a_library("it is empty"));
    }
    // The cache reads only the parts that are used; libraries are large.
    let data = &ReadCache::new(File::open(path).map_err(unreadable)?);
    let magic_len = metadata.len().min(elf::ELFMAG.len() as u64);
    let is_elf = data.read_bytes_at(0, magic_len).unwrap_or_default() == elf::ELFMAG;
    if is_elf {
        check_extents(data, metadata.len())?;
    }
    let library = object::File::parse(data).map_err(|error| {
        if is_elf { truncated(error) } else { not_a_library("it does not begin like one") }
    })?;
    let built_for = format!("{:?}", library.architecture()).to_lowercase();
    if built_for != ARCH {
        return Err(format!("is built for {built_for}, this machine is {ARCH}; build it here"));
    }
    let exports: Vec<_> = (library.exports()).and_then(Iterator::collect).map_err(truncated)?;
    // The name of the crate, and the address of its note.
    let found = exports.iter().find_map(|export| {
        let NameOrOrdinal::Name(name) = export.name() else { return None };
        let ExportTarget::Address { address } = export.target() else { return None };
        let name = std::str::from_utf8(name).ok()?;
        // Mach-O prefixes every name with an underscore.
        let crate_name = name.strip_prefix('_').unwrap_or(name).strip_prefix(NOTE_PREFIX)?;
        Some((crate_name, address))
    });
    let (crate_name, note_address) = found.ok_or(NO_PLUGIN)?;
    let note = (library.segments())
        .find_map(|segment| segment.data_range(note_address, NOTE_SIZE as u64).ok().flatten())
        .and_then(|bytes| Note::read(bytes.try_into().ok()?))
        .ok_or("has a plugin note that cannot be read; build it again")?;
    Ok(Examined { root: format!("{ROOT_PREFIX}{crate_name}"), note })
}

/// Checks that all segments and sections of an ELF file lie within its `len` bytes. The lists of
/// them are checked by `object`, which fails to read one that does not.
fn check_extents<'a, R: ReadRef<'a>>(data: R, len: u64) -> Result<(), String> {
    let header = elf::FileHeader64::<Endianness>::parse(data)
        .map_err(|_| truncated("its header is incomplete or of 32 bits"))?;
    let endian = header.endian().map_err(truncated)?;
    let segments = header.program_headers(endian, data).map_err(truncated)?.iter();
    let sections = header.section_headers(endian, data).map_err(truncated)?.iter();
    let ranges = (segments.map(|segment| segment.file_range(endian)))
        .chain(sections.filter_map(|section| section.file_range(endian)));
    let end = ranges.map(|(offset, size)| offset.saturating_add(size)).max().unwrap_or(0);
    if end > len {
        return Err(truncated(format!(
            "its parts would end at byte {end}, and it has {len} bytes"
        )));
    }
    Ok(())
}

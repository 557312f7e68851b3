//! The table as a file: one line that says whose it is, the entries, and a
//! checksum of both. A file that is not whole, or is of another game or size, is
//! refused before anything is taken over.

use crate::__Type__;
use runner_core::{Fault, Plugin};
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// Raise it whenever what is written changes.
const FORMAT: u32 = 1;

pub fn save(table: &__Type__, path: &Path) -> Result<(), Fault> {
    let mut bytes = header(table).into_bytes();
    for entry in &table.entries {
        bytes.extend(entry.load(Relaxed).to_le_bytes());
    }
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    fs::write(path, bytes).map_err(|error| fault(path, error))
}

pub fn load(table: &__Type__, path: &Path) -> Result<(), Fault> {
    let bytes = fs::read(path).map_err(|error| fault(path, error))?;
    if !bytes.starts_with(magic().as_bytes()) {
        return Err(fault(path, format!("is no model of {}", magic().trim_end())));
    }
    let damaged = || fault(path, "is damaged; learn again, or copy it again");
    let (content, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    if checksum(content) != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let line = content.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)? + 1;
    let (found, entries) = content.split_at(line);
    let wanted = header(table);
    if found != wanted.as_bytes() {
        let found = String::from_utf8_lossy(found);
        return Err(fault(path, format!("is `{}`, not `{}`", found.trim(), wanted.trim())));
    }
    let (entries, rest) = entries.as_chunks::<4>();
    if entries.len() != table.entries.len() || !rest.is_empty() {
        return Err(damaged());
    }
    for (entry, &bytes) in table.entries.iter().zip(entries) {
        entry.store(u32::from_le_bytes(bytes), Relaxed);
    }
    Ok(())
}

/// How every model of this format begins.
fn magic() -> String {
    format!("{} {FORMAT} ", __Type__::NAME)
}

fn header(table: &__Type__) -> String {
    format!("{}size={} game={}\n", magic(), table.config.size, table.game)
}

/// FNV-1a, word by word: every change of a single byte changes it.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x0100_0000_01b3);
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let sum = words.fold(0xcbf2_9ce4_8422_2325, step);
    rest.iter().fold(sum, |sum, &byte| step(sum, byte.into()))
}

fn fault(path: &Path, what: impl Display) -> Fault {
    Fault::new(format!("{}: {what}", path.display()))
}

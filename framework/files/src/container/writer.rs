//! Writing containers.

use super::format::{BLOCK, FORMAT, Header, MAGIC, MAX_HEADER, Section};
use crc32fast::Hasher;
use std::io::{self, Error, Write};

/// Writes the bytes of all sections, one section after the other.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    sections: std::vec::IntoIter<Section>,
    section: Section,
    written: u64,
    block: Hasher,
    checksums: Vec<u8>,
}

/// Writes a container. `fill` writes the bytes of all sections: exactly as many as the
/// header says, or the result is an error.
pub fn write<W: Write>(
    out: W,
    header: &Header,
    fill: impl FnOnce(&mut Writer<W>) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = Writer::begin(out, header)?;
    fill(&mut writer)?;
    writer.end()
}

impl<W: Write> Writer<W> {
    fn begin(mut out: W, header: &Header) -> io::Result<Self> {
        let text = ron::to_string(header).map_err(Error::other)?;
        if text.len() > MAX_HEADER {
            return Err(Error::other("the header of the file is too long"));
        }
        let mut start = MAGIC.to_vec();
        start.extend(FORMAT.to_le_bytes());
        start.extend((text.len() as u32).to_le_bytes());
        start.extend(text.as_bytes());
        start.extend(crc32fast::hash(&start).to_le_bytes());
        out.write_all(&start)?;
        Ok(Self {
            out,
            sections: header.sections.clone().into_iter(),
            section: Section { name: String::new(), bytes: 0 },
            written: 0,
            block: Hasher::new(),
            checksums: Vec::new(),
        })
    }

    /// Returns the number of bytes that complete the current block, or 0 behind the last section.
    fn room(&mut self) -> usize {
        while self.written == self.section.bytes {
            let Some(next) = self.sections.next() else { return 0 };
            (self.section, self.written) = (next, 0);
        }
        let left = self.section.bytes - self.written;
        left.min(BLOCK as u64 - self.written % BLOCK as u64) as usize
    }

    fn end(mut self) -> io::Result<()> {
        if self.room() > 0 {
            let Section { name, bytes } = self.section;
            let what = format!("section `{name}` got {} of its {bytes} bytes", self.written);
            return Err(Error::other(what));
        }
        let checksum = crc32fast::hash(&self.checksums);
        self.out.write_all(&self.checksums)?;
        self.out.write_all(&checksum.to_le_bytes())
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room();
        if room == 0 && !bytes.is_empty() {
            return Err(Error::other("more bytes than the sections have"));
        }
        let written = self.out.write(&bytes[..bytes.len().min(room)])?;
        self.block.update(&bytes[..written]);
        self.written += written as u64;
        if written == room && written > 0 {
            let block = std::mem::take(&mut self.block);
            self.checksums.extend(block.finalize().to_le_bytes());
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

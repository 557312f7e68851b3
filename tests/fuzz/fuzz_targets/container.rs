//! No input makes the reader of containers panic, or allocate more than the file's size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner_files::Container;

/// Returns a file whose header is the input up to its first zero byte, with the right
/// checksum. Mutated inputs rarely have one, so the code behind it would not be reached.
fn sealed(data: &[u8]) -> Vec<u8> {
    let length = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    let (header, rest) = data.split_at(length);
    let mut file = b"\x93RUNBOX\n\x01\0\0\0".to_vec();
    file.extend((header.len() as u32).to_le_bytes());
    file.extend(header);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file.extend(rest);
    file
}

fuzz_target!(|data: &[u8]| {
    for bytes in [data, &sealed(data)] {
        let Ok(container) = Container::new(bytes, "fuzz") else { continue };
        let _ = container.verify();
        for section in &container.header().sections {
            if let Ok(read) = container.read_section(&section.name) {
                assert!(read.len() <= bytes.len());
            }
        }
    }
});

//! No bytes make the reader of record files panic or ask for memory that the
//! file does not have; what it reads has as many moves as it says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner_records::RecordReader;

/// Bytes that were changed rarely have a right checksum, and what lies behind it
/// would never be reached. So each input is read a second time, as the first
/// body of a file whose checksums are right.
fn sealed(data: &[u8]) -> Vec<u8> {
    let metadata = br#"(game:"g",game_version:"1",agent:"a",seed:1,program:"1",actions:["a"])"#;
    let mut file = b"\x93RUNREC\n\x01\0\0\0".to_vec();
    file.extend((metadata.len() as u32).to_le_bytes());
    file.extend(metadata);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    let block = [&(data.len() as u32).to_le_bytes(), data].concat();
    file.extend(&block);
    file.extend(crc32fast::hash(&block).to_le_bytes());
    file
}

fuzz_target!(|data: &[u8]| {
    for bytes in [data, &sealed(data)] {
        let Ok(reader) = RecordReader::new(bytes, "fuzz") else { continue };
        for game in reader.flatten() {
            assert!(game.moves() <= bytes.len() as u64);
        }
    }
});

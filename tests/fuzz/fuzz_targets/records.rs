//! The reader of record files does not panic and allocates no more than the size of the file,
//! whatever its bytes; a game that it reads has as many moves as it states.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner_records::RecordReader;

/// Returns a file with valid checksums whose first body is the input: mutated bytes rarely have
/// a valid checksum, so the code behind the check would not be reached.
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

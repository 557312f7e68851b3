//! No bytes make the reader of exact worths panic or ask for memory that the file
//! does not have; what it reads can be looked up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner_solver::PackedWorths;
use runner_files::container::{self, Header};
use runner_files::Container;
use std::io::Write;

/// A whole container whose sections hold these bytes: changed bytes rarely have
/// right checksums, and what lies behind these would never be reached.
fn sealed(data: &[u8]) -> Vec<u8> {
    let half = data.first().map_or(0, |&byte| usize::from(byte) * data.len() / 256);
    let (afterstates, worths) = data.split_at(half);
    let header = Header { kind: "exact worths".into(), game: "g".into(), ..Header::default() }
        .section("afterstates", afterstates.len() as u64)
        .section("worths", worths.len() as u64)
        .with("canonical", true);
    let mut file = Vec::new();
    container::write(&mut file, &header, |out| out.write_all(data)).expect("memory is written");
    file
}

fuzz_target!(|data: &[u8]| {
    for bytes in [data, &sealed(data)] {
        let Ok(container) = Container::new(bytes, "fuzz") else { continue };
        let Ok(worths) = PackedWorths::read(&container, "g") else { continue };
        assert!(worths.len() <= bytes.len());
        for bits in (0..64).chain([u128::MAX, 1 << 64]) {
            assert!(worths.find(bits).is_none_or(f32::is_finite));
        }
    }
});

//! The reader of afterstate values neither panics nor allocates more than the size of
//! the file, whatever the bytes, and every value that it has read can be looked up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner_files::Container;
use runner_files::container::{self, Header};
use runner_solver::PackedValues;
use std::io::Write;

/// Returns a valid container whose sections hold these bytes. Random bytes rarely have
/// valid checksums, so without this the code behind the checksums would not be reached.
fn sealed(data: &[u8]) -> Vec<u8> {
    let half = data.first().map_or(0, |&byte| usize::from(byte) * data.len() / 256);
    let (afterstates, values) = data.split_at(half);
    let header = Header { kind: "exact values".into(), game: "g".into(), ..Header::default() }
        .section("afterstates", afterstates.len() as u64)
        .section("values", values.len() as u64)
        .with("canonical", true);
    let mut file = Vec::new();
    container::write(&mut file, &header, |out| out.write_all(data)).expect("memory is written");
    file
}

fuzz_target!(|data: &[u8]| {
    for bytes in [data, &sealed(data)] {
        let Ok(container) = Container::new(bytes, "fuzz") else { continue };
        let Ok(values) = PackedValues::read(&container, "g") else { continue };
        assert!(values.len() <= bytes.len());
        for bits in (0..64).chain([u128::MAX, 1 << 64]) {
            assert!(values.find(bits).is_none_or(f32::is_finite));
        }
    }
});

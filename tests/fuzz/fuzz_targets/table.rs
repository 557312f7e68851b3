//! The reader of endgame tables neither panics nor reads outside of its file, whatever the bytes,
//! and every value that it finds is finite.
#![no_main]

use game_2048::{Config, Game2048};
use libfuzzer_sys::fuzz_target;
use runner_core::Afterstate;
use runner_solver::endgame::EndgameTable;
use runner_files::Container;
use runner_files::container::{self, Header};
use std::io::Write;
use std::sync::LazyLock;

static GAME: LazyLock<Game2048> =
    LazyLock::new(|| Game2048::new(Config { rows: 3, cols: 3, ..Config::default() }).unwrap());

/// Returns a valid container whose sections hold these bytes. Random bytes rarely have
/// valid checksums, so without this the code behind the checksums would not be reached.
fn sealed(data: &[u8]) -> Vec<u8> {
    let cut = |at: usize| data.get(at).map_or(0, |&byte| usize::from(byte)).min(data.len());
    let mut ends = [12 * (cut(0) / 12), cut(1), cut(2), data.len()];
    ends.sort_unstable();
    let mut header = Header { kind: "endgame table".into(), game: "g".into(), ..Header::default() };
    let mut begin = 0;
    for (name, end) in ["layers", "begin", "lows", "values"].into_iter().zip(ends) {
        header = header.section(name, (end - begin) as u64);
        begin = end;
    }
    let pattern = "(name: \"a\", large: \"##./#*./...\", goal: 16, start_sum: 8)";
    let header = header.with("pattern", pattern);
    let mut file = Vec::new();
    container::write(&mut file, &header, |out| out.write_all(data)).expect("memory is written");
    file
}

fuzz_target!(|data: &[u8]| {
    for bytes in [data, &sealed(data)] {
        let Ok(container) = Container::new(bytes, "fuzz") else { continue };
        let Ok(table) = EndgameTable::read(container, "g", &*GAME) else { continue };
        for ranks in 0..1 << 10 {
            // Large tiles in the corner, small ones in five of the free cells.
            let small = (0..5).map(|k| (ranks >> (2 * k) & 3) << [8, 20, 32, 36, 40][k as usize]);
            let board = 0x0000_0000_0006_0098 | small.fold(0, |board, tile| board | tile);
            let answer = table.probe(Afterstate::from_bits(board));
            assert!(answer.is_none_or(|answer| answer.value.is_finite()));
        }
    }
});

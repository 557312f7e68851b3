//! Files of TDL2048+, built and evaluated here independently of the library.

use super::support::*;
use runner_core::ForeignModel;
use std::fs;

/// A table of that program: the content of the first cell is the lowest digit of an
/// entry's index.
#[derive(Clone)]
struct Table {
    name: &'static str,
    values: Vec<f32>,
    /// Sums of errors, and of absolute errors.
    sums: Option<(Vec<f32>, Vec<f32>)>,
}

fn table(name: &'static str, random: &mut Random) -> Table {
    let number = |_| random.below(2_000_000) as f32 / 64.0 - 10_000.0;
    Table { name, values: (0..1 << (4 * name.len())).map(number).collect(), sums: None }
}

/// Returns the bytes of a table name: a number if it is hexadecimal, or text.
fn name(name: &str) -> [u8; 8] {
    let mut bytes = [b' '; 8];
    match u32::from_str_radix(name, 16) {
        Ok(number) => {
            bytes = [0; 8];
            bytes[..4].copy_from_slice(&number.to_le_bytes());
            bytes[4] = name.len() as u8;
        }
        Err(_) => bytes[..name.len()].copy_from_slice(name.as_bytes()),
    }
    bytes
}

/// Returns a block of numbers of 4 bytes.
fn block(values: &[&[f32]]) -> Vec<u8> {
    let count = values.iter().map(|values| values.len() as u64).sum::<u64>();
    let mut bytes = [&4u16.to_le_bytes()[..], &count.to_le_bytes()].concat();
    values.iter().copied().flatten().for_each(|value| bytes.extend(value.to_le_bytes()));
    bytes
}

fn record(table: &Table) -> Vec<u8> {
    let mut bytes = vec![4];
    bytes.extend(name(table.name));
    bytes.extend(block(&[&table.values]));
    if let Some((sums, sizes)) = &table.sums {
        bytes.extend(block(&[sums, sizes]));
    }
    bytes.extend([0, 0]);
    bytes
}

fn file(tables: &[Table]) -> Vec<u8> {
    let mut bytes = vec![0];
    bytes.extend((tables.len() as u32).to_le_bytes());
    tables.iter().for_each(|table| bytes.extend(record(table)));
    bytes
}

/// Returns that program's value of a board: the sum over tables and over the eight
/// symmetries.
fn board_value(tables: &[Table], board: u64) -> f64 {
    let turned = |board: &[u64; 16]| std::array::from_fn(|i| board[4 * (3 - i % 4) + i / 4]);
    let mirrored = |board: &[u64; 16]| std::array::from_fn(|i| board[4 * (i / 4) + 3 - i % 4]);
    let mut board: [u64; 16] = std::array::from_fn(|cell| board >> (4 * cell) & 15);
    let mut sum = 0.0;
    for _ in 0..2 {
        for _ in 0..4 {
            for table in tables {
                let digits = table.name.chars().rev().map(|c| c.to_digit(16).unwrap() as usize);
                let entry = digits.fold(0, |entry, cell| entry << 4 | board[cell] as usize);
                sum += f64::from(table.values[entry]);
            }
            board = turned(&board);
        }
        board = mirrored(&board);
    }
    sum
}

fn boards() -> Vec<Afterstate> {
    let mut random = Random::stream(Seed(5), 0);
    (0..300).map(|_| Afterstate::from_bits(random.word().into())).collect()
}

#[test]
fn tables_are_read_as_tdl2048_reads_them() {
    let setting = setting(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.w");
    let mut random = Random::stream(Seed(3), 0);
    // Cells in ascending and in other orders; one to five cells.
    for names in [&["012"][..], &["410"], &["fb73", "45689", "6"], &["7", "10", "abc", "012"]] {
        let tables: Vec<_> = names.iter().map(|name| table(name, &mut random)).collect();
        fs::write(&path, file(&tables)).unwrap();
        // The network comes from the file.
        let player = setting.player(&path).unwrap();
        let boards = boards();
        for (board, value) in boards.iter().zip(values(&player, &boards)) {
            let expected = board_value(&tables, board.lo);
            assert!((f64::from(value) - expected).abs() < 1.0, "{value} instead of {expected}");
        }
    }
}

#[test]
fn a_file_that_is_read_and_written_has_the_same_bytes() {
    let setting = setting(4, 4);
    let touched = |k: usize| k % 3 == 1;
    let sum = |k: usize| if touched(k) { (k % 7) as f32 - 3.0 } else { f32::MIN_POSITIVE };
    let size = |k: usize| if touched(k) { (k % 7) as f32 + 3.0 } else { f32::MIN_POSITIVE };
    let tables = ["012", "459"].map(|name| Table {
        sums: Some(((0..4096).map(sum).collect(), (0..4096).map(size).collect())),
        ..table(name, &mut Random::stream(Seed(4), 0))
    });
    let bytes = file(&tables);
    // The learning state rounds once: E / A to 17 bits, A to seven.
    let learner = setting.learner("012 459");
    learner.load_bytes(&bytes, "a.w").unwrap();
    let once = saved(&learner, "w");
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
    };
    // The first table begins at byte 24, its sums ten bytes after its values.
    let sums_at = 24 + 4 * 4096 + 10;
    let part = |bytes: &[u8], at: usize| floats(&bytes[at..at + 4 * 4096]);
    let (sums, sizes) = (part(&once, sums_at), part(&once, sums_at + 4 * 4096));
    for k in 0..4096 {
        assert!((sizes[k] / size(k) - 1.0).abs() <= 1.0 / 64.0, "{k}: {}", sizes[k]);
        let (found, meant) = (sums[k] / sizes[k], sum(k) / size(k));
        assert!((found - meant).abs() < 1e-4, "{k}: {found}, {meant}");
    }
    assert_eq!(part(&once, 24), tables[0].values);
    learner.load_bytes(&once, "a.w").unwrap();
    assert!(saved(&learner, "w") == once, "the same bytes");
    // TD has no sums.
    let td: TdNtuple = setting.read("network: \"012 459\"").unwrap();
    td.load_bytes(&bytes, "a.w").unwrap();
    assert!(saved(&td, "w") == file(&tables.map(|table| Table { sums: None, ..table })));
}

#[test]
fn sums_of_errors_survive_another_order_of_tuples() {
    let setting = setting(4, 4);
    let learner = setting.learner("012 459");
    setting.train(&learner, 1);
    let other = setting.learner("459 012");
    other.load_bytes(&saved(&learner, "w"), "a.w").unwrap();
    let back = setting.learner("012 459");
    back.load_bytes(&saved(&other, "w"), "b.w").unwrap();
    assert!(
        saved(&back, "w") == saved(&learner, "w"),
        "weights and sums, to another order and back"
    );
    assert_eq!(back.progress().moves, 0, "the file does not say moves");
}

#[test]
fn all_encodings_of_names_are_read() {
    let setting = setting(4, 4);
    let values: Vec<f32> = (0..256).map(|k| k as f32 * 8.0 - 1000.0).collect();
    let zeros = || Some((vec![0.0; 256], vec![0.0; 256]));
    let table = Table { name: "14", values, sums: zeros() };
    let learner = setting.learner("14");
    learner.load_bytes(&file(std::slice::from_ref(&table)), "a.w").unwrap();
    let expected = saved(&learner, "player");
    let head = [0, 1, 0, 0, 0];
    let same = |bytes: &[u8]| {
        let learner = setting.trained("14", 1);
        learner.load_bytes(bytes, "a.w").unwrap();
        let of = |model: &[u8]| {
            Container::new(model, "m").unwrap().read_section("touched weights").unwrap()
        };
        assert!(of(&saved(&learner, "player")) == of(&expected));
    };
    let record = record(&table);
    same(&[&head[..], &record].concat());
    same(&[b"w", &head[..], &record].concat());
    let with = |at: usize, bytes: &[u8]| {
        let mut record = record.clone();
        record[at..at + bytes.len()].copy_from_slice(bytes);
        [&head[..], &record].concat()
    };
    same(&with(0, &[9]));
    same(&with(1, b"14      "));
    // An unknown block after the known one.
    let end = record.len() - 2;
    let unknown = [&record[..end], &block(&[&[1.0; 3]]), &[0, 0]].concat();
    same(&[&head[..], &unknown].concat());
}

#[test]
fn invalid_files_are_refused_with_the_place() {
    let setting = setting(4, 4);
    let learner = setting.trained("01 45", 1);
    let before = setting.values(&learner);
    let mut random = Random::stream(Seed(6), 0);
    let one = |name| table(name, &mut Random::stream(Seed(7), 0));
    let load = |bytes: &[u8]| learner.load_bytes(bytes, "bad.w");
    let sums = || Some((vec![1.0; 256], vec![2.0; 256]));
    let good = [Table { sums: sums(), ..table("01", &mut random) }, table("45", &mut random)];
    let bytes = file(&good);

    // Truncated files, and longer ones.
    for at in 0..bytes.len() {
        refused(load(&bytes[..at]), &["bad.w"]);
    }
    refused(load(&bytes[..2000]), &["ends at byte 2000", "table 1 of 2 (`01`)", "3106"]);
    refused(load(&[&bytes[..], &[7]].concat()), &["end at byte", "1 bytes follow"]);

    // Sizes that exceed the file or that are inconsistent.
    let with = |at: usize, new: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    };
    refused(load(&with(1, &[0xff; 4])), &["4294967295 tables"]);
    refused(
        load(&with(16, &[0xff; 8])),
        &["table 1", "byte 5", "18446744073709551615 entries", "256"],
    );
    refused(load(&with(14, &[3])), &["table 1", "byte 14", "numbers of 3 bytes"]);
    let block = 24 + 4 * 256;
    refused(load(&with(block + 2, &[0xff; 8])), &["a block of 18446744073709551615", "2 x 256"]);
    refused(load(&with(0, &[1])), &["unknown file type"]);

    // Names.
    refused(load(&with(6, b"num@lt  ")), &["`num@lt`", "does not name cells"]);
    refused(
        load(&with(6, &[0x12, 0, 0, 0x10, 8, 0, 0, 0])),
        &["`10000012`", "one of several stages"],
    );
    refused(load(&with(6, &[0x11, 0, 0, 0, 2, 0, 0, 0])), &["`11`", "cell 1 twice"]);
    let twice = [&good[0], &good[1], &one("10")].map(Table::clone);
    refused(load(&file(&twice)), &["table 3", "second", "`10`"]);

    // Other networks.
    refused(load(&file(&[one("01")])), &["bad.w does not fit", "`01`", "`01 45`"]);

    // Invalid numbers.
    let spoilt = |change: &dyn Fn(&mut Table)| {
        let mut tables = good.clone();
        change(&mut tables[0]);
        file(&tables)
    };
    let nan = spoilt(&|table| table.values[17] = f32::NAN);
    refused(load(&nan), &["entry 17 of the table `01` is NaN"]);
    let size = spoilt(&|table| table.sums.as_mut().unwrap().1[4] = -1.0);
    refused(load(&size), &["entry 4", "-1", "sum of absolute errors"]);
    assert_eq!(setting.values(&learner), before, "nothing changed");
    load(&bytes).unwrap();
    assert_ne!(setting.values(&learner), before);
}

#[test]
fn other_games_and_boards_are_refused() {
    let tables = [table("01", &mut Random::stream(Seed(8), 0))];
    let bytes = file(&tables);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.w");
    fs::write(&path, &bytes).unwrap();
    let narrow = setting(3, 4);
    refused(narrow.learner("01").load_bytes(&bytes, "a.w"), &["a.w", "4 x 4", "rows: 3", "3 x 4"]);
    refused(narrow.learner("01").save(&path, "w"), &["format `w`", "4 x 4", "3 x 4"]);
    let error = narrow.player(&path).err().unwrap();
    assert!(error.message.contains("a.w does not fit"), "{error}");
    let threes: Fixture<Threes> = Fixture::of(Default::default());
    let other_tiles = &["a.w", "threes(", "other tiles"];
    refused(threes.learner("01").load_bytes(&bytes, "a.w"), other_tiles);
    let setting = setting(4, 4);
    refused(setting.learner("01!").load_bytes(&bytes, "a.w"), &["`01!`", "no extra fields"]);
    refused(setting.learner("01!").save(&path, "w"), &["`01!`"]);
    refused(setting.learner("01 empty").save(&path, "w"), &["no tables of features", "`empty`"]);
    // Parameters such as the probability of a 4 do not matter.
    let four = runner_core::Probability::new(0.5).unwrap();
    let odds = Fixture::<Game2048>::of(game_2048::Config { four, ..Default::default() });
    odds.learner("01").load_bytes(&bytes, "a.w").unwrap();
}

#[test]
fn a_file_is_described_and_verified() {
    let mut random = Random::stream(Seed(5), 0);
    let mut tables = [table("012", &mut random), table("45", &mut random)];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.w");
    let foreign = |bytes: &[u8], whole: bool| {
        fs::write(&path, bytes).unwrap();
        TcNtuple::foreign(&path, whole)
    };
    let fact = |model: &ForeignModel, name: &str| {
        model.facts.iter().find(|(fact, _)| fact == name).unwrap().1.clone()
    };
    let described = foreign(&file(&tables), true).unwrap().unwrap();
    assert_eq!((described.game.as_str(), fact(&described, "network").as_str()), ("2048", "012 45"));
    assert_eq!(fact(&described, "weights"), "4352");
    assert_eq!(fact(&described, "holds"), "weights only");
    assert_eq!(described.spec, "tc-ntuple(network: \"012 45\")");
    let sections = [("table 012".to_owned(), 4 * 4096), ("table 45".to_owned(), 4 * 256)];
    assert_eq!(described.sections, sections);
    let sums = (vec![-2.0; 256], vec![3.0; 256]);
    tables[1].sums = Some(sums.clone());
    let described = foreign(&file(&tables), true).unwrap().unwrap();
    assert_eq!(fact(&described, "holds"), "weights and sums of errors in 1 of 2 tables");
    assert_eq!(described.sections[1], ("table 45".to_owned(), 12 * 256));
    // Invalid numbers are found when all are read.
    tables[0].values[77] = f32::NAN;
    tables[1].sums.as_mut().unwrap().1[9] = -1.0;
    foreign(&file(&tables), false).unwrap().unwrap();
    let found = foreign(&file(&tables), true);
    refused(found, &["a.w is damaged", "entry 77 of the table `012` is NaN"]);
    tables[0].values[77] = 0.0;
    refused(foreign(&file(&tables), true), &["entry 9 of the table `45` is -1"]);
    let whole = file(&tables);
    refused(foreign(&whole[..whole.len() - 3], false), &["a.w is damaged", "truncated"]);
    // Files of other formats are not described.
    for other in [&b""[..], b"a shopping list", b"w"] {
        assert_eq!(foreign(other, true), Ok(None));
    }
    let missing = folder.path().join("none.w");
    refused(TcNtuple::foreign(&missing, false), &["none.w"]);
}

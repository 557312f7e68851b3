//! Solutions against plain recursion, against published figures and against play.

use super::build::{TableBuildError, solve};
use super::pattern::{Pattern, PatternError};
use super::subgame::{LARGE, SubGame};
use super::table::{EndgameTable, TableError, save};
use super::work::{Work, WorkError, remove_finished};
use game_2048::{Config, Game2048};
use runner_core::{Afterstate, Control, Game, Outcomes, Random, Seed, State, Successors};
use runner_stats::wilson;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

fn game(rows: usize, cols: usize) -> Game2048 {
    Game2048::new(Config { rows, cols, ..Config::default() }).unwrap()
}

fn pattern(picture: &str, goal: u64) -> Pattern {
    Pattern { name: "test".to_owned(), large: picture.to_owned(), goal, start_sum: 8 }
}

fn go_on(_: super::BuildProgress) -> Control {
    Control::Continue
}

/// A pattern, solved, with its folder.
struct Solved<'a> {
    rules: &'a Game2048,
    pattern: Pattern,
    game: SubGame,
    work: Work,
    layers: u32,
    folder: tempfile::TempDir,
}

impl<'a> Solved<'a> {
    fn new(rules: &'a Game2048, pattern: Pattern) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let game = SubGame::new(&pattern, "2048", rules).unwrap();
        let file = folder.path().join("a.table");
        let work = Work::open(&file, &pattern.text()).unwrap();
        let layers = solve(&game, &work, &go_on).unwrap();
        Self { rules, pattern, game, work, layers, folder }
    }

    /// Calls a function with the board and the value of each position.
    fn for_each(&self, mut call: impl FnMut(u64, f32)) {
        for sum in 0..self.layers {
            let positions = self.work.positions(sum).unwrap();
            let values = self.work.values_of(sum, &positions).unwrap();
            let mut walk = self.game.walk(sum);
            positions.for_each(0..positions.buckets(), |place, number| {
                call(walk.board(number), values[place]);
            });
        }
    }

    fn table(&self) -> EndgameTable {
        let path = self.folder.path().join("a.table");
        save(&path, "2048", &self.pattern, &self.work, self.layers).unwrap();
        EndgameTable::open(&path, "2048", self.rules).unwrap()
    }
}

/// The tile in each cell, as displayed.
type Tiles<'a> = &'a dyn Fn(usize) -> u64;

/// Plain recursion over boards of the whole game. The large tiles are different tiles above the
/// goal.
struct Plain<'a> {
    game: &'a Game2048,
    /// Whether a board after a move has the goal, and whether it has failed.
    goal: &'a dyn Fn(Tiles<'_>) -> bool,
    greatest: u64,
    large: Vec<(usize, u64)>,
    known: HashMap<u128, f64>,
}

impl Plain<'_> {
    fn cell(&self, bits: u128, cell: usize) -> u64 {
        let board = self.game.description().geometry.as_ref().unwrap();
        board.values[usize::from(board.rank(bits, cell))]
    }

    fn after(&mut self, after: Afterstate) -> f64 {
        if let Some(&value) = self.known.get(&after.bits()) {
            return value;
        }
        let mut outcomes = Outcomes::with_capacity(32);
        self.game.outcomes(after, &mut outcomes);
        let states: Vec<_> = outcomes.iter().map(|o| (o.probability, o.state)).collect();
        let value = states.into_iter().map(|(p, state)| p * self.before(state)).sum();
        self.known.insert(after.bits(), value);
        value
    }

    fn before(&mut self, state: State) -> f64 {
        let mut moves = Successors::new();
        self.game.successors(state, &mut moves);
        let moves: Vec<_> = moves.iter().map(|s| s.afterstate).collect();
        moves.into_iter().map(|after| self.moved(after)).fold(0.0, f64::max)
    }

    fn moved(&mut self, after: Afterstate) -> f64 {
        let cells = self.game.description().geometry.as_ref().unwrap().cells();
        let bits = after.bits();
        if self.large.iter().any(|&(cell, tile)| self.cell(bits, cell) != tile) {
            return 0.0;
        }
        if (self.goal)(&|cell| self.cell(bits, cell)) {
            return 1.0;
        }
        let is_large = |cell| self.large.iter().any(|&(large, _)| large == cell);
        let fails = (0..cells).any(|cell| !is_large(cell) && self.cell(bits, cell) > self.greatest);
        if fails { 0.0 } else { self.after(after) }
    }
}

/// Returns the board of a sub-game with tiles of play for the large ones, from 32768 down.
fn with_tiles(game: &Game2048, board: u64) -> (u128, Vec<(usize, u64)>) {
    let geometry = game.description().geometry.as_ref().unwrap();
    let (mut bits, mut large) = (0, Vec::new());
    for cell in 0..geometry.cells() {
        let mut rank = (board >> (4 * geometry.slot(cell)) & 15) as u8;
        if rank == LARGE {
            rank -= large.len() as u8;
            large.push((cell, geometry.values[usize::from(rank)]));
        }
        bits = geometry.with_rank(bits, cell, rank);
    }
    (bits, large)
}

#[test]
fn every_position_has_the_value_of_plain_recursion() {
    for (rows, cols, picture, goal, greatest) in [
        (2, 4, "####/...*", 16, 16),
        (3, 3, "##./#*./...", 16, 16),
        (3, 3, "###/.../...", 32, 16),
        (3, 4, "####/##../...*", 32, 32),
        (4, 2, "##/#./../..", 16, 8),
    ] {
        let rules = game(rows, cols);
        let solved = Solved::new(&rules, pattern(picture, goal));
        let signs: Vec<char> = picture.chars().filter(|&sign| sign != '/').collect();
        // The goal counts in every free cell of a picture without a `*`.
        let wanted = if signs.contains(&'*') { '*' } else { '.' };
        let counts: Vec<usize> = (0..signs.len()).filter(|&cell| signs[cell] == wanted).collect();
        let is_goal = |tile: Tiles<'_>| counts.iter().any(|&cell| tile(cell) == goal);
        let (large, known) = (Vec::new(), HashMap::new());
        let mut plain = Plain { game: &rules, goal: &is_goal, greatest, large, known };
        let mut positions = 0;
        solved.for_each(|board, value| {
            let (bits, large) = with_tiles(&rules, board);
            plain.large = large;
            let expected = plain.after(Afterstate::from_bits(bits));
            let error = (f64::from(value) - expected).abs();
            assert!(error < 1e-6, "{board:x}: {value}, not {expected}");
            positions += 1;
        });
        assert!(positions > 50, "{picture}: {positions}");
    }
}

/// The figures of the guide (`endgame.md`).
#[test]
fn probabilities_are_lower_bounds_of_play_that_goes_on_above_the_goal() {
    let rules = game(2, 4);
    let solved = Solved::new(&rules, pattern("###*/....", 16));
    let is_goal = |tile: Tiles<'_>| tile(3) == 16;
    let (large, known) = (Vec::new(), HashMap::new());
    let mut free = Plain { game: &rules, goal: &is_goal, greatest: u64::MAX, large, known };
    let mut found = None;
    solved.for_each(|board, value| {
        let (bits, large) = with_tiles(&rules, board);
        let after = Afterstate::from_bits(bits);
        free.large = large;
        let (value, above) = (f64::from(value), free.after(after));
        assert!(above > value - 1e-6, "{board:x}: {value} and {above}");
        if rules.write_afterstate(after) == "32768,16384,8192,8/16,16,4,0" {
            found = Some((value, above));
        }
    });
    let (value, above) = found.unwrap();
    assert!(value == 0.0 && (above - 0.91).abs() < 1e-6, "{value} and {above}");
}

/// The figures of macroxue's program for a full upper half and `2 2 2 4 / 0 0 2 2` below. There a
/// goal is reached one move earlier: two tiles of half its size lie side by side, one of them in
/// the cell of the goal, and a tile of the goal's size that is made otherwise is a failure.
#[test]
fn published_probabilities_of_eight_free_cells() {
    let rules = game(4, 4);
    for (goal, published) in [(64, 0.976849), (128, 0.782384), (256, 0.124619)] {
        let half = goal / 2;
        let is_goal = |tile: Tiles<'_>| {
            let fits = (8..16).all(|cell| tile(cell) <= half);
            fits && tile(11) == half && (tile(10) == half || tile(15) == half)
        };
        let (bits, large) = with_tiles(&rules, 0x1100_2111_ffff_ffff);
        let mut plain =
            Plain { game: &rules, goal: &is_goal, greatest: half, large, known: HashMap::new() };
        let value = plain.before(State::from_bits(bits));
        assert!((value - published).abs() < 1e-6, "{goal}: {value}, not {published}");
        // A tile that is made at once, without two halves side by side before, counts here too.
        let snake = Pattern::named(&format!("snake8-{goal}")).unwrap();
        let solved = Solved::new(&rules, snake);
        let mut moves = Successors::new();
        solved.rules.successors(State::from_bits(bits), &mut moves);
        let table = solved.table();
        let best = moves.iter().filter_map(|next| table.probe(next.afterstate)).map(|a| a.value);
        let best = f64::from(best.fold(0.0, f32::max));
        assert!(best > published && best < published + 0.01, "{goal}: {best}, {published}");
    }
}

#[test]
fn play_by_a_table_makes_the_goal_as_often_as_it_says() {
    const GAMES: u64 = 100_000;
    let rules = game(4, 4);
    // No symmetry keeps the large tiles in their cells.
    let stairs = pattern("####/###*/#.../....", 64);
    let solved = Solved::new(&rules, stairs);
    let table = solved.table();
    let (bits, large) = with_tiles(&rules, 0x0000_011f_0fff_ffff);
    let start = Afterstate::from_bits(bits);
    let geometry = rules.description().geometry.clone().unwrap();
    let mut moves = Successors::new();
    let mut made = 0;
    for number in 0..GAMES {
        let mut random = Random::stream(Seed(1), number);
        let mut after = start;
        made += loop {
            let state = rules.spawn(after, random.word());
            rules.successors(state, &mut moves);
            let stays = |next: &Afterstate| {
                let tile = |cell| geometry.values[usize::from(geometry.rank(next.bits(), cell))];
                large.iter().all(|&(cell, large)| tile(cell) == large)
            };
            for next in moves.iter().filter(|_| number < 5000) {
                let after = next.afterstate;
                let made = stays(&after) && geometry.rank(after.bits(), 7) == 6;
                assert_eq!(solved.game.makes_goal(state, next.action), made, "{after:?}");
            }
            let next: Vec<_> = moves.iter().map(|next| next.afterstate).filter(stays).collect();
            if next.iter().any(|next| geometry.rank(next.bits(), 7) == 6) {
                break 1;
            }
            let values = next.iter().filter_map(|&next| Some((table.probe(next)?.value, next)));
            match values.max_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((_, best)) => after = best,
                None => break 0,
            }
        };
    }
    let probability = f64::from(table.probe(start).unwrap().value);
    let [low, high] = wilson(made, GAMES);
    assert!((low..=high).contains(&probability), "{probability}: {made} of {GAMES}");
}

#[test]
fn a_stopped_build_continues_at_its_layer() {
    let rules = game(3, 3);
    let pattern = pattern("##./#*./...", 16);
    let game = SubGame::new(&pattern, "2048", &rules).unwrap();
    let whole = Solved::new(&rules, pattern.clone());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.table");
    let mut stops = 0;
    let layers = loop {
        let work = Work::open(&file, &pattern.text()).unwrap();
        // Each attempt is stopped a few layers behind the one before.
        let left = AtomicU32::new(3 * (stops + 1));
        let report = |_: super::BuildProgress| match left.fetch_sub(1, Relaxed) {
            1 => Control::Stop,
            _ => Control::Continue,
        };
        match solve(&game, &work, &report) {
            Ok(layers) => break layers,
            Err(TableBuildError::Stopped) => stops += 1,
            Err(other) => panic!("{other}"),
        }
        drop(work);
        if stops == 2 {
            let torn = folder.path().join("a.table.building/00002.positions");
            let bytes = std::fs::read(&torn).unwrap();
            std::fs::write(&torn, &bytes[..bytes.len() / 2]).unwrap();
        }
        assert!(stops < 1000);
    };
    assert!(stops > 5, "{stops}");
    assert_eq!(layers, whole.layers);
    let work = Work::open(&file, &pattern.text()).unwrap();
    for sum in 0..layers {
        let positions = work.positions(sum).unwrap();
        let values = [&work, &whole.work].map(|work| work.values_of(sum, &positions).unwrap());
        assert_eq!(values[0], values[1]);
    }
}

#[test]
fn a_torn_number_of_layers_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let work = Work::open(&folder.path().join("a.table"), "one").unwrap();
    work.set_listed(1234).unwrap();
    assert_eq!(work.listed(), Some(1234));
    let path = work.folder().join("listed");
    let bytes = std::fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert_eq!(work.listed(), None, "{length} bytes");
    }
}

#[test]
fn what_a_build_left_beside_its_saved_table_is_removed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("a.table");
    let left = |foreign: bool| {
        let work = Work::open(&table, "one").unwrap();
        work.keep_inputs("{}").unwrap();
        work.keep_values(3, &[0.5]).unwrap();
        work.set_listed(4).unwrap();
        if foreign {
            std::fs::write(work.folder().join("notes.txt"), "").unwrap();
        }
        work.folder().to_owned()
    };
    let save = |seconds: u64| {
        let file = std::fs::File::create(&table).unwrap();
        let now = std::time::SystemTime::now();
        file.set_modified(now - std::time::Duration::from_secs(seconds)).unwrap();
    };
    let building = left(false);
    remove_finished(&table).unwrap();
    assert!(building.exists(), "there is no table");
    save(60);
    remove_finished(&table).unwrap();
    assert!(building.exists(), "the table is that of an earlier build");
    save(0);
    remove_finished(&table).unwrap();
    assert!(!building.exists());
    left(true);
    save(0);
    remove_finished(&table).unwrap();
    assert!(building.exists(), "a file of the user is there");
}

#[test]
fn large_tiles_that_merge_are_no_pattern() {
    let rules = game(3, 3);
    let solved = Solved::new(&rules, pattern("##./#*./...", 16));
    let table = solved.table();
    let probe = |text: &str| {
        let state = rules.parse(text).unwrap();
        table.probe(Afterstate::from_bits(state.bits()))
    };
    assert!(probe("64,32,0/128,2,0/0,0,0").is_some());
    // Turned by a right angle, with a tile beyond four bits.
    assert!(probe("0,128,64/0,2,131072/0,0,0").is_some());
    assert_eq!(probe("64,64,0/128,2,0/0,0,0"), None);
    assert_eq!(probe("64,32,0/64,2,0/0,0,0"), None);
    assert_eq!(probe("64,32,0/8,2,0/0,0,0"), None);
}

#[test]
fn the_best_of_several_orientations_answers() {
    let rules = game(3, 3);
    let solved = Solved::new(&rules, pattern("###/..*/...", 16));
    let table = solved.table();
    let value = |text: &str| {
        let state = rules.parse(text).unwrap();
        table.probe(Afterstate::from_bits(state.bits())).expect(text).value
    };
    for (text, mirrored) in [
        ("64,32,128/0,0,8/0,0,8", "128,32,64/8,0,0/8,0,0"),
        ("64,32,128/2,0,8/0,0,4", "128,32,64/8,0,2/4,0,0"),
        ("64,32,128/8,4,2/4,2,0", "128,32,64/2,4,8/0,2,4"),
    ] {
        assert_eq!(value(text), value(mirrored));
        assert!(value(text) > 0.0);
    }
}

#[test]
fn wrong_patterns_are_refused() {
    let wrong = |picture: &str, goal: u64, rows: usize, cols: usize| {
        let sub_game = SubGame::new(&pattern(picture, goal), "2048", &game(rows, cols));
        sub_game.map(|_| ()).unwrap_err().to_string()
    };
    for (picture, goal, expected) in [
        ("####/####", 16, "no free cell"),
        ("###/#...", 16, "not a picture of 2 rows of 4 cells"),
        ("###x/#...", 16, "`x` in `###x/#...` is none of"),
        ("###./#...", 17, "17 is no tile"),
        ("###./#...", 4, "4 enters by chance"),
    ] {
        let error = wrong(picture, goal, 2, 4);
        assert!(error.contains(expected), "{picture}: {error}");
    }
    let loose = "###./..../..../....";
    assert!(wrong(loose, 16, 4, 4).contains("13 free cells, more than 12"));
    assert!(wrong(loose, 16, 5, 5).contains("a board of up to 4 x 4 cells"));
    let loose = wrong(".../.#./...", 16, 3, 3);
    assert!(loose.contains("its large tiles move whatever is played"), "{loose}");
    let unknown = Pattern::named("L5-512").unwrap_err();
    assert!(matches!(unknown, PatternError::Unknown(..)), "{unknown}");
    assert!(matches!(Pattern::named("L3").unwrap_err(), PatternError::NoGoal(_)));
    // A goal that two free cells cannot make.
    let rules = game(2, 4);
    let far = pattern("####/##..", 64);
    let sub_game = SubGame::new(&far, "2048", &rules).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let work = Work::open(&folder.path().join("a.table"), "a").unwrap();
    let solved = solve(&sub_game, &work, &go_on);
    assert!(matches!(solved, Err(TableBuildError::NoGoal)));
}

#[test]
fn folders_and_files_of_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.table");
    let work = Work::open(&file, "one").unwrap();
    assert!(matches!(Work::open(&file, "one"), Err(WorkError::Lock(_))));
    drop(work);
    assert!(matches!(Work::open(&file, "other"), Err(WorkError::Other(_))));
    let mine = folder.path().join("mine.table");
    std::fs::create_dir(folder.path().join("mine.table.building")).unwrap();
    std::fs::write(folder.path().join("mine.table.building/letter"), "kept").unwrap();
    assert!(matches!(Work::open(&mine, "one"), Err(WorkError::Foreign(_))));
    let rules = game(3, 3);
    let solved = Solved::new(&rules, pattern("##./#*./...", 16));
    solved.table();
    let path = solved.folder.path().join("a.table");
    let open = |path: &Path, spec| EndgameTable::open(path, spec, &rules).map(|_| ());
    let refused = |result: Result<(), TableError>| result.unwrap_err().to_string();
    assert!(refused(open(&path, "2048(rows: 4)")).contains("was built for the game 2048"));
    let bytes = std::fs::read(&path).unwrap();
    for damage in [1, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[damage] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let _ = refused(open(&path, "2048"));
        std::fs::write(&path, &bytes[..damage]).unwrap();
        let _ = refused(open(&path, "2048"));
    }
}

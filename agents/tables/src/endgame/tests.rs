//! The value over a small table.

use crate::Endgame;
use game_2048::{Config, Game2048};
use runner_core::{
    Afterstate, BuildContext, BuildError, Control, Game, Host, Spec, Value, ValuePlugin, ValueScale,
};
use runner_laws::doubles::Scattered;
use runner_solver::endgame::{EndgameTable, Pattern, SubGame, Work, save, solve};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const GAME: &str = "2048(rows: 3, cols: 3)";

fn game() -> Game2048 {
    Game2048::new(Config { rows: 3, cols: 3, ..Config::default() }).unwrap()
}

/// A host with the game, a value of points, and one of ratings.
struct Small;

impl Host for Small {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(task);
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        let scale = match spec.name() {
            "points" => ValueScale::Points,
            "rating" => ValueScale::Rating { min: -100.0, max: 5000.0 },
            _ => return Err(BuildError::new(format!("there is no value `{spec}`"))),
        };
        Ok(Arc::new(Scattered(scale)))
    }

    fn game(&self, _: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        Ok(Arc::new(game()))
    }
}

fn value(spec: &str) -> Result<Endgame, BuildError> {
    let host: Arc<dyn Host> = Arc::new(Small);
    let rules = game();
    let context = BuildContext { game: rules.description(), game_spec: GAME, host: &host };
    let spec: Spec = spec.parse().unwrap();
    Endgame::new(spec.read().unwrap(), &context)
}

/// Builds a table of the pattern with three large tiles in a corner. Returns its file.
fn table(folder: &Path) -> PathBuf {
    let text = "(name: \"corner\", large: \"##./#*./...\", goal: 16, start_sum: 8)";
    let pattern = Pattern::read(text).unwrap();
    let rules = game();
    let sub_game = SubGame::new(&pattern, GAME, &rules).unwrap();
    let file = folder.join("corner.table");
    let work = Work::open(&file, &pattern.text()).unwrap();
    let layers = solve(&sub_game, &work, &|_| Control::Continue).unwrap();
    save(&file, GAME, &pattern, &work, layers).unwrap();
    work.finish().unwrap();
    file
}

fn position(text: &str) -> Afterstate {
    Afterstate::from_bits(game().parse(text).unwrap().bits())
}

fn estimates(value: &impl Value, positions: &[Afterstate]) -> Vec<f32> {
    let mut values = vec![f32::NAN; positions.len()];
    value.evaluate(positions, &mut values);
    values
}

/// Positions of the pattern, each with its position after the goal and the points on the way.
const KNOWN: [(&str, &str, f32); 4] = [
    ("64,32,0/128,8,0/8,2,0", "64,32,0/128,16,0/0,2,0", 16.0),
    // The tiles for the goal are not there yet.
    ("64,32,0/128,4,0/2,0,0", "64,32,0/128,16,0/0,0,0", 44.0),
    // Too large for four bits, and turned: the goal counts in the middle.
    ("0,131072,64/0,4,128/0,4,8", "0,131072,64/0,16,128/0,0,0", 24.0),
    ("128,64,2/256,4,2/8,2,0", "128,64,0/256,16,0/0,2,0", 28.0),
];

const UNKNOWN: [&str; 3] =
    ["64,64,0/128,8,0/8,2,0", "64,32,0/128,16,0/8,2,0", "2,32,0/128,8,0/8,2,0"];

#[test]
fn estimates_weigh_what_follows_the_goal_with_its_probability() {
    let folder = tempfile::tempdir().unwrap();
    let file = table(folder.path());
    let probe = EndgameTable::open(&file, GAME, &game()).unwrap();
    for (wrapped, worst, weight) in [("points", 0.0, 1.0), ("rating", -100.0, 0.0)] {
        let exact = value(&format!("endgame(tables: {file:?}, value: {wrapped})")).unwrap();
        let plain = Scattered(exact.scale());
        for (text, after, points) in KNOWN {
            let afterstate = position(text);
            let answer = probe.probe(afterstate).expect(text);
            assert_eq!(probe.after_goal(afterstate, answer), (position(after), points));
            let [found, made] =
                [estimates(&exact, &[afterstate]), estimates(&plain, &[position(after)])];
            let expected = worst + answer.value * (made[0] + weight * points - worst);
            assert!((found[0] - expected).abs() < 0.01, "{text}: {found:?}, {expected}");
            let facts = exact.facts(afterstate);
            let rounded = (f64::from(answer.value) * 1e6).round() / 1e6;
            let fact = ("probability of 16".to_owned(), rounded.into());
            assert!(facts.contains(&fact), "{facts:?}");
        }
        for text in UNKNOWN {
            let afterstate = position(text);
            assert_eq!(estimates(&exact, &[afterstate]), estimates(&plain, &[afterstate]));
            assert!(exact.facts(afterstate).is_empty());
        }
    }
}

#[test]
fn batches_of_any_size_have_the_estimates_of_their_positions() {
    let folder = tempfile::tempdir().unwrap();
    let file = table(folder.path());
    let exact = value(&format!("endgame(tables: {file:?}, value: points)")).unwrap();
    let texts = KNOWN.iter().map(|known| known.0).chain(UNKNOWN);
    let all: Vec<_> = texts.map(position).collect();
    let single: Vec<f32> = all.iter().map(|&one| estimates(&exact, &[one])[0]).collect();
    for count in [0, 1, 7, 255, 256, 257, 1000] {
        let positions: Vec<_> = all.iter().copied().cycle().take(count).collect();
        let expected: Vec<_> = single.iter().copied().cycle().take(count).collect();
        assert_eq!(estimates(&exact, &positions), expected);
    }
}

#[test]
fn wrong_parameters_are_refused_by_name() {
    for (spec, parameter, part) in [
        ("endgame", "value", "a value is needed"),
        ("endgame(value: points)", "tables", "a table is needed"),
        ("endgame(value: points, tables: \"L9-512\")", "tables", "endgame build L9-512"),
        ("endgame(value: points, tables: \"./a.table\")", "tables", "a.table"),
        ("endgame(value: four, tables: \"L3-512\")", "value", "no value `four`"),
    ] {
        let error = value(spec).err().expect(spec);
        assert_eq!(error.parameter.as_deref(), Some(parameter), "{error}");
        assert!(error.message.contains(part), "{error}");
    }
}

//! The search, held against the plainest recursion there is.

use agent_expectimax::depth::Depth;
use agent_expectimax::search::{Cuts, MAX_PLIES};
use agent_expectimax::{Expectimax, Manner};
use game_1024::Game1024;
use game_2048::Game2048;
use game_2584::Game2584;
use game_threes::Threes;
use runner_core::lines::LineValues;
use runner_core::rows::ROWS;
use runner_core::{
    Afterstate, Game, Host, Outcomes, Random, SingleThread, State, Successors, Turn, Value,
    ValueScale,
};
use runner_laws::workload::positions_of_games as positions;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A value without a pattern, so that no mistake evens out.
#[derive(Clone, Copy)]
struct Scattered(ValueScale);

impl Value for Scattered {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            let mixed =
                (afterstate.lo ^ afterstate.hi.rotate_left(7)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *value = (mixed >> 48) as f32 / 16.0;
        }
    }

    fn scale(&self) -> ValueScale {
        self.0
    }
}

const RATING: ValueScale = ValueScale::Rating { min: -5.0, max: 5000.0 };

/// The worth of an afterstate, so many plies deep.
fn slow<G: Game>(game: &G, value: &Scattered, from: Afterstate, plies: u8, full: u8) -> f64 {
    if plies == 0 {
        let mut worth = [0.0];
        value.evaluate(&[from], &mut worth);
        return f64::from(worth[0]);
    }
    let (rewards, end) = match value.0 {
        ValueScale::Points => (1.0, 0.0),
        ValueScale::Rating { min: least, .. } => (0.0, f64::from(least)),
    };
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(from, &mut outcomes);
    let mut all: Vec<(f64, State)> = outcomes.iter().map(|o| (o.probability, o.state)).collect();
    if full == 0 {
        let most = all.iter().map(|&(p, _)| p).fold(0.0, f64::max);
        all.retain(|&(p, _)| p >= most / 2.0);
    }
    let total: f64 = all.iter().map(|&(p, _)| p).sum();
    let mean = all.iter().map(|&(p, state)| {
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        let given = rewards * f64::from(game.chance_reward(Some(from), state));
        let best = successors.iter().map(|s| {
            let rest = slow(game, value, s.afterstate, plies - 1, full.saturating_sub(1));
            rewards * f64::from(s.reward) + rest
        });
        let best = best.reduce(f64::max).unwrap_or(end);
        p / total * (given + best)
    });
    mean.sum()
}

/// What a player thinks of the actions in a position.
fn worths<G: Game, V: Value>(game: &G, player: &mut Expectimax<V>, state: State) -> Vec<f32> {
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let turn = Turn { state, successors: &successors, random: 0 };
    player.search(game, &turn).worths.into_iter().map(|(_, worth)| worth).collect()
}

fn player(scale: ValueScale, manner: Manner) -> Expectimax<Scattered> {
    Expectimax::over(Scattered(scale), manner, Arc::new(SingleThread))
}

/// Whether two lists of worths are the same but for rounding.
fn close(one: &[f32], other: &[f32]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-5 * a.abs().max(1.0))
}

fn agrees_with_the_slow_one<G: Game>(game: &G, deepest: u8, count: u64) {
    for (k, &state) in positions(game, count).iter().enumerate() {
        let plies = 1 + k as u8 % deepest;
        let scale = if k % 3 == 0 { RATING } else { ValueScale::Points };
        let full_plies = [MAX_PLIES, 1, 0, 2][k / 3 % 4];
        let manner =
            Manner { cuts: Cuts { full_plies, ..Cuts::default() }, ..Manner::plies(plies) };
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        let rewards = scale.reward_weight();
        let expected: Vec<f32> = successors
            .iter()
            .map(|s| {
                let rest = slow(game, &Scattered(scale), s.afterstate, plies - 1, full_plies);
                (f64::from(rewards * s.reward) + rest) as f32
            })
            .collect();
        let found = worths(game, &mut player(scale, manner), state);
        assert!(close(&expected, &found), "{}: {expected:?} {found:?}", game.write(state));
    }
}

#[test]
fn worths_are_those_of_the_plain_recursion() {
    let game = Game2048::new(Default::default()).unwrap();
    agrees_with_the_slow_one(&game, 3, 300);
    let small = "2048(rows: 2, cols: 3)".parse::<runner_core::Spec>().unwrap();
    let game = Game2048::new(small.read().unwrap()).unwrap();
    agrees_with_the_slow_one(&game, 4, 300);
    let game = Threes::new(Default::default()).unwrap();
    agrees_with_the_slow_one(&game, 2, 200);
}

#[test]
fn the_table_and_threads_change_no_worth() {
    let game = Game2048::new(Default::default()).unwrap();
    let manners = |plies: u8| {
        let without = Manner { table: None, ..Manner::plies(plies) };
        let others = [
            Manner { table: Some(1 << 12), ..Manner::plies(plies) },
            Manner::plies(plies),
            Manner { threads: 3, ..Manner::plies(plies) },
        ];
        (without, others)
    };
    for plies in 1..=3 {
        let (without, others) = manners(plies);
        let mut without = player(ValueScale::Points, without);
        // One player for all positions, so that tables are full of the others.
        let mut others = others.map(|manner| player(ValueScale::Points, manner));
        for state in positions(&game, 300) {
            let expected = worths(&game, &mut without, state);
            for other in &mut others {
                assert!(close(&expected, &worths(&game, other, state)), "{}", game.write(state));
            }
        }
    }
}

#[test]
fn pruning_changes_neither_the_best_worth_nor_the_choice() {
    let game = Game2048::new(Default::default()).unwrap();
    // Bounds that are just so, and that leave room.
    for most in [4096.0, 5000.0, 1e6] {
        let scale = ValueScale::Rating { min: -5.0, max: most };
        let mut cut = 0;
        for (k, state) in positions(&game, 200).into_iter().enumerate() {
            let cuts =
                Cuts { full_plies: [MAX_PLIES, 1][k % 2], min_probability: [0.0, 0.03][k / 2 % 2] };
            let table = [None, Some(1 << 16)][k / 4 % 2];
            let manner = Manner { cuts, table, ..Manner::plies(2 + (k / 8 % 2) as u8) };
            let mut successors = Successors::new();
            game.successors(state, &mut successors);
            if successors.is_empty() {
                continue;
            }
            let turn = Turn { state, successors: &successors, random: 0 };
            let plain = player(scale, manner.clone()).search(&game, &turn);
            let pruned = player(scale, Manner { prune: true, ..manner }).search(&game, &turn);
            assert_eq!(plain.best_action(), pruned.best_action(), "{}", game.write(state));
            let of_best = |found: &agent_expectimax::Found| {
                found.worths.iter().map(|&(_, worth)| worth).fold(f32::NEG_INFINITY, f32::max)
            };
            assert_eq!(of_best(&plain), of_best(&pruned));
            for (plain, pruned) in plain.worths.iter().zip(&pruned.worths) {
                assert!(plain.1 <= pruned.1 + 0.01, "{plain:?} {pruned:?}");
            }
            cut += pruned.work.cut;
        }
        assert!(cut > 0, "nothing is cut below {most}");
    }
}

/// A value that notes what it is asked.
#[derive(Clone, Default)]
struct Noting(Arc<Mutex<Vec<Vec<Afterstate>>>>);

impl Value for Noting {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        self.0.lock().unwrap().push(afterstates.to_vec());
        Scattered(RATING).evaluate(afterstates, values);
    }

    fn scale(&self) -> ValueScale {
        RATING
    }
}

#[test]
fn what_looks_best_is_looked_into_first() {
    let game = Game2048::new(Default::default()).unwrap();
    let (mut all, mut next) = (Successors::new(), Successors::new());
    let mut outcomes = Outcomes::with_capacity(30);
    for state in positions(&game, 50) {
        let noting = Noting::default();
        let manner = Manner { prune: true, ..Manner::plies(2) };
        let mut player = Expectimax::over(noting.clone(), manner, Arc::new(SingleThread));
        game.successors(state, &mut all);
        if all.is_empty() {
            continue;
        }
        player.search(&game, &Turn { state, successors: &all, random: 0 });
        let asked = noting.0.lock().unwrap();
        let mut looks = vec![0.0; all.len()];
        Scattered(RATING).evaluate(&asked[0], &mut looks);
        let best = (0..all.len()).max_by(|&a, &b| looks[a].total_cmp(&looks[b])).unwrap();
        let mut behind = Vec::new();
        game.outcomes(all[best].afterstate, &mut outcomes);
        for outcome in outcomes.iter() {
            game.successors(outcome.state, &mut next);
            behind.extend(next.iter().map(|s| s.afterstate));
        }
        assert!(asked[1].iter().all(|position| behind.contains(position)), "{}", game.write(state));
    }
}

/// What the table keeps of a position that was left before its end is a bound: to take it
/// for the worth would show in another position, where more is wanted.
#[test]
fn what_the_table_knows_of_the_pruned_is_taken_for_no_more() {
    let small = "2048(rows: 2, cols: 3)".parse::<runner_core::Spec>().unwrap();
    let game = Game2048::new(small.read().unwrap()).unwrap();
    for most in [4096.0, 5000.0] {
        let scale = ValueScale::Rating { min: -5.0, max: most };
        let mut plain = player(scale, Manner { table: None, ..Manner::plies(5) });
        let mut pruned = player(scale, Manner { prune: true, ..Manner::plies(5) });
        let (mut cut, mut hits) = (0, 0);
        for state in positions(&game, 200) {
            let mut successors = Successors::new();
            game.successors(state, &mut successors);
            let turn = Turn { state, successors: &successors, random: 0 };
            let [plain, pruned] = [&mut plain, &mut pruned].map(|p| p.search(&game, &turn));
            let best = |found: &agent_expectimax::Found| {
                let worths = found.worths.iter().copied();
                worths.max_by(|one, other| one.1.total_cmp(&other.1))
            };
            assert_eq!(best(&plain), best(&pruned), "{}", game.write(state));
            (cut, hits) = (cut + pruned.work.cut, hits + pruned.work.hits);
        }
        assert!(cut > 0 && hits > 0, "{cut} {hits}");
    }
}

/// A value that is a sum over lines, of which no two are alike, and that may tell so.
struct Lines {
    worths: LineValues,
    told: bool,
}

impl Lines {
    fn new(rows: usize, cols: usize, told: bool) -> Self {
        let table = |seed: u64| -> Arc<[f32; ROWS]> {
            let mut random = Random::from_word(seed);
            let table: Vec<f32> = (0..ROWS).map(|_| random.below(1000) as f32 / 7.0).collect();
            Arc::new(table.try_into().unwrap())
        };
        Self { worths: LineValues::new(rows, cols, table(1), table(2), 100.0), told }
    }
}

impl Value for Lines {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            let beyond = afterstate.hi.count_ones() as f32;
            *value = self.worths.of(afterstate.lo) + beyond;
        }
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: -5.0, max: 2000.0 }
    }

    fn line_values(&self) -> Option<&LineValues> {
        self.told.then_some(&self.worths)
    }
}

/// Whether a value that tells its lines leads to the same worths as one that does not.
fn lines_change_nothing<G: Game>(game: &G, positions: &[State]) {
    let board = game.description().geometry.as_ref().unwrap();
    for (k, &state) in positions.iter().enumerate() {
        let full_plies = [MAX_PLIES, 1, 0][k % 3];
        let min_probability = [0.0, 0.02][k / 3 % 2];
        let cuts = Cuts { full_plies, min_probability };
        // What is cut by its probability depends on the way to it, and so does what the
        // table keeps of it.
        let table = (min_probability == 0.0).then_some(1 << 16);
        let prune = k % 5 == 4;
        let manner = Manner { cuts, table, prune, ..Manner::plies([2, 3, 3, 4][k / 6 % 4]) };
        let found = [false, true].map(|told| {
            let value = Lines::new(board.rows, board.cols, told);
            let mut player = Expectimax::over(value, manner.clone(), Arc::new(SingleThread));
            let mut successors = Successors::new();
            game.successors(state, &mut successors);
            let found = player.search(game, &Turn { state, successors: &successors, random: 0 });
            found.worths.into_iter().map(|(_, worth)| worth).collect::<Vec<_>>()
        });
        // What is pruned is known by its bound, except for the best.
        let best = |worths: &Vec<f32>| vec![worths.iter().copied().fold(f32::MIN, f32::max)];
        let found = if prune { found.each_ref().map(best) } else { found };
        assert!(close(&found[0], &found[1]), "{}: {found:?}", game.write(state));
    }
}

#[test]
fn a_value_that_tells_its_lines_is_worth_the_same() {
    for spec in ["2048", "2048(rows: 2, cols: 3)", "2048(rows: 4, cols: 3)"] {
        let spec: runner_core::Spec = spec.parse().unwrap();
        let game = Game2048::new(spec.read().unwrap()).unwrap();
        lines_change_nothing(&game, &positions(&game, 48));
    }
    let game = Game2584::new(Default::default()).unwrap();
    lines_change_nothing(&game, &positions(&game, 48));
    // No sliding tiles, or more that can enter.
    let game = Threes::new(Default::default()).unwrap();
    lines_change_nothing(&game, &positions(&game, 12));
    let game = Game1024::new(Default::default()).unwrap();
    lines_change_nothing(&game, &positions(&game, 48));
    // Tiles of which two make one that the tables do not know, and such tiles themselves.
    let game = Game2048::new(Default::default()).unwrap();
    let texts = [
        "32768,32768,2,4/0,0,0,0/2,0,0,4/0,0,0,8",
        "32768,0,32768,4/2,0,0,2/2,0,0,4/4,0,0,8",
        "32768,8,0,4/32768,0,0,2/2,0,0,4/4,0,0,8",
        "65536,8,0,4/32768,0,0,2/2,0,0,4/4,0,0,8",
    ];
    lines_change_nothing(&game, &texts.map(|text| game.parse(text).unwrap()));
}

#[test]
fn the_lines_of_one_game_are_not_taken_for_those_of_another() {
    let games = ["2048", "2048(four: 0.5)", "2048(rows: 4, cols: 3)"].map(|spec| {
        let spec: runner_core::Spec = spec.parse().unwrap();
        Game2048::new(spec.read().unwrap()).unwrap()
    });
    // One player plays all of them.
    let mut players = [false, true].map(|told| {
        let value = Lines::new(4, 4, told);
        Expectimax::over(value, Manner::plies(2), Arc::new(SingleThread))
    });
    for game in &games {
        for state in positions(game, 20) {
            let [plain, told] = players.each_mut().map(|player| worths(game, player, state));
            assert!(close(&plain, &told), "{}: {plain:?} {told:?}", game.write(state));
        }
    }
}

/// Ten thousand positions, four plies: `cargo test --release -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn table_and_pruning_change_no_worth_of_ten_thousand_positions() {
    let game = Game2048::new(Default::default()).unwrap();
    let positions = positions(&game, 10_000);
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    for plies in 1..=4 {
        let plain = Manner { table: None, ..Manner::plies(plies) };
        let mut without = player(ValueScale::Points, plain.clone());
        let mut with = player(ValueScale::Points, Manner::plies(plies));
        for &state in &positions[..if plies == 4 { 1000 } else { 10_000 }] {
            let expected = worths(&game, &mut without, state);
            assert!(close(&expected, &worths(&game, &mut with, state)), "{}", game.write(state));
        }
        // A value that is fast enough for all of them at any depth, and has bounds.
        let lines = |manner| Expectimax::over(Lines::new(4, 4, true), manner, host.clone());
        let mut without = lines(plain.clone());
        let mut with = lines(Manner::plies(plies));
        let prune = |manner| Manner { prune: true, ..manner };
        let mut pruned = [plain, Manner::plies(plies)].map(|manner| lines(prune(manner)));
        let best = |worths: &[f32]| worths.iter().copied().fold(f32::MIN, f32::max);
        for &state in &positions {
            let expected = worths(&game, &mut without, state);
            assert!(close(&expected, &worths(&game, &mut with, state)), "{}", game.write(state));
            for pruned in &mut pruned {
                let found = worths(&game, pruned, state);
                assert!(close(&[best(&expected)], &[best(&found)]), "{}", game.write(state));
            }
        }
    }
}

/// A value that all images of a board share: how much of it is empty, and the sum of
/// its cells' squares.
#[derive(Clone)]
struct Symmetric;

impl Value for Symmetric {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            let ranks = (0..16).map(|cell| (afterstate.lo >> (4 * cell) & 15) as f32);
            *value = ranks.map(|rank| if rank == 0.0 { 100.0 } else { rank * rank }).sum();
        }
    }
}

#[test]
fn images_of_a_position_are_known_by_it() {
    let game = Game2048::new(Default::default()).unwrap();
    let think = |canonical, state| {
        let manner = Manner { canonical, ..Manner::plies(3) };
        let mut player = Expectimax::over(Symmetric, manner, Arc::new(SingleThread));
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        player.search(&game, &Turn { state, successors: &successors, random: 0 })
    };
    let state = game.parse("0,0,0,0/0,2,2,0/0,2,2,0/0,0,0,0").unwrap();
    let (plain, canonical) = (think(false, state), think(true, state));
    assert!(canonical.work.leaves * 3 < plain.work.leaves, "{canonical:?} {plain:?}");
    let of = |found: &agent_expectimax::Found| -> Vec<f32> {
        found.worths.iter().map(|&(_, worth)| worth).collect()
    };
    assert!(close(&of(&plain), &of(&canonical)));
}

#[test]
fn unlikely_positions_are_looked_into_less() {
    let game = Game2048::new(Default::default()).unwrap();
    let state = game.parse("2,4,8,16/0,2,0,0/0,0,0,0/0,0,0,0").unwrap();
    let leaves = |min_probability| {
        let cuts = Cuts { min_probability, ..Cuts::default() };
        let mut player = player(ValueScale::Points, Manner { cuts, ..Manner::plies(3) });
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        player.search(&game, &Turn { state, successors: &successors, random: 0 }).work.leaves
    };
    let (all, some, few) = (leaves(0.0), leaves(0.02), leaves(0.5));
    assert!(few * 10 < some && some * 2 < all, "{few} {some} {all}");
}

/// Two threads, to think about one move.
struct Two;

impl Host for Two {
    fn threads(&self) -> usize {
        2
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| (0..n).for_each(|k| drop(scope.spawn(move || task(k)))));
    }

    fn value(&self, spec: &runner_core::Spec) -> Result<Arc<dyn Value>, runner_core::BuildError> {
        SingleThread.value(spec)
    }
}

#[test]
fn two_threads_find_what_one_finds() {
    let game = Game2048::new(Default::default()).unwrap();
    for (k, state) in positions(&game, 60).into_iter().enumerate() {
        let cuts = Cuts { full_plies: [MAX_PLIES, 1, 0][k % 3], ..Cuts::default() };
        let manner = Manner { cuts, ..Manner::plies(3) };
        let one = worths(&game, &mut player(ValueScale::Points, manner.clone()), state);
        let manner = Manner { threads: 2, ..manner };
        let mut two = Expectimax::over(Scattered(ValueScale::Points), manner, Arc::new(Two));
        assert!(close(&one, &worths(&game, &mut two, state)));
    }
}

#[test]
fn within_a_time_it_looks_as_deep_as_it_can_and_finds_the_same() {
    let game = Game2048::new(Default::default()).unwrap();
    for threads in [1, 2] {
        let time = Duration::from_millis(20);
        let manner = Manner {
            time: Some(time),
            depth: Depth::always(MAX_PLIES),
            threads,
            ..Manner::plies(1)
        };
        let mut timed = Expectimax::over(Scattered(ValueScale::Points), manner, Arc::new(Two));
        for state in positions(&game, 10) {
            let mut successors = Successors::new();
            game.successors(state, &mut successors);
            let began = Instant::now();
            let found = timed.search(&game, &Turn { state, successors: &successors, random: 0 });
            // Generous: what else runs on the machine is not to fail it.
            assert!(began.elapsed() < 50 * time, "{:?}", began.elapsed());
            assert!(found.plies >= 1);
            if found.plies <= 3 {
                let plain = player(ValueScale::Points, Manner::plies(found.plies));
                let expected = worths(&game, &mut { plain }, state);
                let worths: Vec<f32> = found.worths.iter().map(|&(_, worth)| worth).collect();
                assert!(close(&expected, &worths), "{} plies", found.plies);
            }
        }
    }
}

/// A value that takes its time, and counts how often it is asked.
#[derive(Clone, Default)]
struct Slow(Arc<AtomicU64>);

impl Slow {
    const TAKES: Duration = Duration::from_millis(5);
}

impl Value for Slow {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        std::thread::sleep(Self::TAKES);
        self.0.fetch_add(1, Relaxed);
        values.fill(1.0);
    }
}

/// However long a sleep really takes, it is no shorter: so this depends on no machine.
#[test]
fn a_slow_value_is_not_asked_again_once_the_time_is_over() {
    let game = Game2048::new(Default::default()).unwrap();
    let state = game.parse("0,0,0,0/0,2,2,0/0,2,2,0/0,0,0,0").unwrap();
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let slow = Slow::default();
    let depth = Depth::always(MAX_PLIES);
    let time = Slow::TAKES * 5 / 2;
    let manner = Manner { time: Some(time), depth, ..Manner::plies(1) };
    let mut player = Expectimax::over(slow.clone(), manner, Arc::new(SingleThread));
    let found = player.search(&game, &Turn { state, successors: &successors, random: 0 });
    assert_eq!((found.plies, found.worths.len()), (1, 4));
    // The third time can begin within the time, and the fourth cannot.
    assert!(slow.0.load(Relaxed) <= 3, "{:?}", slow.0);
}

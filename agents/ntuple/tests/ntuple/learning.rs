//! The learners against their sources: a slow learner, written from these alone, replays the
//! games of a training move by move and must arrive at the same weights.

use super::reference;
use super::reference::learner::{self, Scheme, Trajectory};
use super::support::*;
use std::cell::RefCell;

struct Replay {
    random: Random,
    state: State,
    /// Reward since the last step.
    reward: f64,
    trajectory: Trajectory,
    moved: usize,
}

#[derive(Debug, Default)]
struct Comparison {
    games: u64,
    moves: u64,
    /// Positions that read a weight more than once.
    with_duplicates: u64,
    /// Largest difference between two weights.
    worst: f64,
    largest: f64,
}

/// Replays logged games with the slow learner. Every choice must have the highest action value
/// within `tolerance` times the largest absolute value.
fn replay<G: Game>(
    game: &G,
    events: &[Event],
    learner: &mut learner::Learner,
    tolerance: f64,
) -> Comparison {
    let mut found = Comparison::default();
    let mut replays: Vec<Replay> = Vec::new();
    let mut successors = Successors::new();
    for (now, &event) in events.iter().enumerate() {
        match event {
            Event::Started(word, state) => {
                let mut random = Random::training_stream(SEED, found.games);
                assert_eq!((word, state), (random.word(), game.start(word)));
                found.games += 1;
                let trajectory = Trajectory::default();
                replays.push(Replay { random, state, reward: 0.0, trajectory, moved: now });
            }
            Event::Moved(afterstate, word, next) => {
                // The random word identifies the game.
                let ours = |replay: &&mut Replay| replay.random.clone().word() == word;
                let replay = replays.iter_mut().find(ours).expect("a game draws from its stream");
                replay.random.word();
                assert_eq!(next, game.spawn(afterstate, word));
                game.successors(replay.state, &mut successors);
                let value = |s: &Successor| learner.action_value(game, replay.state, s);
                let taken = successors.iter().filter(|s| s.afterstate == afterstate);
                let chosen = taken.max_by(|a, b| value(a).total_cmp(&value(b)));
                let chosen = chosen.expect("the move is legal");
                let best = successors.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
                let largest = successors.iter().map(value).fold(1.0, |m, v| f64::max(m, v.abs()));
                assert!(
                    value(chosen) >= best - tolerance * largest,
                    "{:?}, {:?}: {} of {best} in {}",
                    learner.learns,
                    learner.scheme,
                    value(chosen),
                    game.write(replay.state)
                );
                let mut keys = learner.keys(replay.state, chosen);
                let reward = f64::from(chosen.reward);
                let chance_reward = f64::from(game.chance_reward(Some(afterstate), next));
                // The action's reward comes before its afterstate, but after its state.
                let (before, after) = match learner.learns {
                    ValueFunction::Afterstates => (reward, 0.0),
                    ValueFunction::States | ValueFunction::Actions => (0.0, reward),
                };
                learner.moved(&mut replay.trajectory, replay.reward + before, keys.clone());
                replay.reward = after + chance_reward;
                (replay.state, replay.moved) = (next, now);
                found.moves += 1;
                keys.sort_unstable();
                let duplicates = keys.windows(2).any(|pair| pair[0] == pair[1]);
                found.with_duplicates += u64::from(duplicates);
            }
            Event::Ended(state) => {
                // Of two games in the same state, the one that moved first ends first.
                let there = replays.iter().enumerate().filter(|(_, replay)| replay.state == state);
                let (k, _) =
                    there.min_by_key(|(_, replay)| replay.moved).expect("a game ends once");
                let mut replay = replays.swap_remove(k);
                game.successors(state, &mut successors);
                assert!(successors.is_empty());
                learner.ended(&mut replay.trajectory, replay.reward);
            }
        }
    }
    assert!(replays.is_empty(), "every game is finished");
    found
}

/// A training that is compared with the slow learner.
struct Case<G> {
    game: G,
    network: Network,
    games: u64,
    learns: ValueFunction,
    inheritance: Inheritance,
}

impl<G: Game> Case<G> {
    /// A training of a number of games that learns afterstates.
    fn new(game: G, network: &str, games: u64) -> Self {
        let network = Network::read(network, &board_of(&game)).unwrap();
        let (learns, inheritance) = (ValueFunction::Afterstates, Inheritance::None);
        Self { game, network, games, learns, inheritance }
    }

    fn with_stages(mut self, stages: &str, inheritance: Inheritance) -> Self {
        let stages = Stages::read(stages, &board_of(&self.game)).unwrap();
        self.network = self.network.with_stages(Some(stages));
        Self { inheritance, ..self }
    }

    /// Trains, replays the games with the slow learner, and compares all weights. `tolerance` is
    /// that of choices.
    fn compare<R: Rule>(
        self,
        rules: (impl FnOnce(usize) -> R, learner::Rule),
        schemes: (UpdateScheme, Scheme),
        tolerance: f64,
    ) -> Comparison {
        let Self { network, games, learns, inheritance, .. } = self;
        let game = LoggedGame::new(self.game);
        let mut trained = BareLearner::with_network(learns, &game, network, rules.0);
        trained.inheritance = inheritance;
        let done = trained.train(&game, schemes.0, episodes(games));
        let mut learner = learner::Learner {
            learns,
            network: trained.network.clone(),
            board: trained.board.clone(),
            rule: rules.1,
            scheme: schemes.1,
            initial: 0.0,
            inheritance,
            records: RefCell::default(),
        };
        let mut found = replay(&game.game, &game.events(), &mut learner, tolerance);
        assert_eq!((found.games, found.moves), (done.episodes, done.moves));
        let mut expected = vec![0.0; trained.lookup.weights()];
        for (key, record) in learner.records.borrow().iter() {
            let place = reference::weight_index(&trained.network, &trained.board, key) as usize;
            expected[trained.lookup.index_of(place)] = record.weight;
            found.largest = found.largest.max(record.weight.abs());
        }
        for (record, expected) in trained.records.iter().zip(expected) {
            found.worst = found.worst.max((f64::from(record.weight.get()) - expected).abs());
        }
        found
    }
}

impl Comparison {
    #[track_caller]
    fn is_within(&self, tolerance: f64, scheme: Scheme) {
        assert!(self.worst <= tolerance * self.largest, "{scheme:?}: {self:?}");
    }
}

fn schemes() -> Vec<(UpdateScheme, Scheme)> {
    let mut all = Vec::new();
    for (lambda, horizon) in [(0.0, 0), (0.5, 3), (0.5, 1), (0.75, 8)] {
        let (exact, h) = (f64::from(lambda), horizon);
        let forward = UpdateScheme::Forward { lambda, horizon };
        all.push((forward, Scheme::Forward { lambda: exact, h }));
        let delayed = UpdateScheme::Delayed { lambda, horizon };
        all.push((delayed, Scheme::Delayed { lambda: exact, h }));
    }
    for n in [1, 2, 3, 7] {
        all.push((UpdateScheme::NStep { steps: n }, Scheme::NStep { n }));
    }
    all.push((UpdateScheme::MeanReturn, Scheme::MeanReturn));
    for lambda in [0.0, 0.5, 0.875] {
        let exact = f64::from(lambda);
        all.push((UpdateScheme::Backward { lambda }, Scheme::Backward { lambda: exact }));
    }
    all
}

/// Games that are compared on the boards of 2 x 2, 2 x 3 and 3 x 3 cells of 2048, and of Threes.
const GAMES: [u64; 4] = [30, 20, 10, 20];

/// Compares with every update scheme, on several boards, for every value function. `games` are
/// the games on each board, `doubt` is the tolerance of choices, `tolerance` that of weights,
/// relative to the largest.
fn compare_all<R: Rule>(
    rule: impl Fn(usize) -> R + Copy,
    slow: learner::Rule,
    games: [u64; 4],
    doubt: f64,
    tolerance: f64,
) {
    for learns in [ValueFunction::Afterstates, ValueFunction::States, ValueFunction::Actions] {
        for (scheme, slow_scheme) in schemes() {
            let (rules, schemes) = ((rule, slow), (scheme, slow_scheme));
            let (mut moves, mut with_duplicates) = (0, 0);
            let mut add = |found: Comparison| {
                found.is_within(tolerance, slow_scheme);
                moves += found.moves;
                with_duplicates += found.with_duplicates;
            };
            for (rows, cols, network, games) in [
                (2, 2, "0123 01 0! pairs", games[0]),
                (2, 3, "0134 012 25! distinct", games[1]),
                (3, 3, "0134 012 neighbours", games[2]),
            ] {
                let case = Case::new(game_2048(rows, cols), network, games);
                add(Case { learns, ..case }.compare(rules, schemes, doubt));
            }
            let case = Case::new(threes(2, 3), "0134+next 012", games[3]);
            add(Case { learns, ..case }.compare(rules, schemes, doubt));
            // Both cases of a rule occur: positions that read a weight once, and more than once.
            // Equal images of a board still differ in the action.
            let least = if learns == ValueFunction::Actions { 0 } else { moves / 10 };
            let both = with_duplicates > least && with_duplicates < moves * 9 / 10;
            assert!(both, "{learns:?}: {with_duplicates} of {moves}");
        }
    }
}

// The learners compute in 32-bit floats, the reference in 64-bit ones. The tolerance of 1e-5 of
// the largest weight is ten times the observed difference.

#[test]
fn td_updates_weights_as_published() {
    let rule = |lookups| Td::new(Schedule::Constant(0.25), lookups);
    compare_all(rule, learner::Rule::Td { alpha: 0.25 }, GAMES, 1e-5, 1e-5);
}

#[test]
fn tc_updates_weights_nearly_as_published() {
    // The sums A have 6 bits of mantissa. Observed differences: 1.3% of the largest weight,
    // 3.2% if states are learned.
    let rule = |lookups| Tc::new(Schedule::Constant(0.5), 0.0, lookups);
    compare_all(rule, learner::Rule::Tc { beta: 0.5 }, GAMES, 0.06, 0.06);
}

/// Errors of 1, 1, 2, 4 and so on with any signs: E / A and A have so few bits that nothing is
/// rounded.
#[test]
fn tc_updates_weights_as_published_where_its_sums_are_exact() {
    let game = game_2048(4, 4);
    let position = game.parse("2,4,8,16/32,64,128,256/512,1024,2048,4096/0,8192,16384,2").unwrap();
    let position = Afterstate::from_bits(position.bits());
    let rule = |lookups| Tc::new(Schedule::Constant(0.5), 0.0, lookups);
    for signs in 0..1 << 12 {
        // Two updates of eight weights and one of a single weight.
        let trained = BareLearner::new(&game, "0123 0145 0!", rule);
        let (mut v, mut e, mut a) = (0.0, 0.0f64, 0.0f64);
        for k in 0..12i32 {
            let size = f64::from(1u32 << (k - 1).max(0));
            let error = if signs >> k & 1 == 1 { -size } else { size };
            trained.update(position, error as f32);
            v += 0.5 * if a == 0.0 { 1.0 } else { e.abs() / a } * error;
            (e, a) = (e + error, a + size);
            let found = f64::from(trained.value(position));
            assert!((found - v).abs() <= 1e-5 * a, "{signs:#b}, {k}: {found} and {v}");
        }
    }
}

/// Compares learners with stages, with every update scheme.
fn compare_stages<R: Rule>(
    inheritance: Inheritance,
    rule: impl Fn(usize) -> R + Copy,
    slow: learner::Rule,
    tolerance: f64,
) {
    for (scheme, slow_scheme) in schemes() {
        let (rules, schemes) = ((rule, slow), (scheme, slow_scheme));
        for (rows, network, stages, games) in [
            (2, "0134 012 25! neighbours", "16 32 32+8 64", 10),
            (3, "0134 012 pairs", "1@16 16@16 32@32", 5),
            (3, "0134 012 large:128 empty", "16 32 32+16", 5),
        ] {
            let case = Case::new(game_2048(rows, 3), network, games);
            let case = case.with_stages(stages, inheritance);
            case.compare(rules, schemes, tolerance).is_within(tolerance, slow_scheme);
        }
        let threes = Case::new(threes(2, 3), "0134+next 012 pairs", 10);
        let threes = threes.with_stages("6 12 12+6", inheritance);
        threes.compare(rules, schemes, tolerance).is_within(tolerance, slow_scheme);
    }
}

#[test]
fn stages_learn_as_published() {
    for inheritance in [Inheritance::None, Inheritance::Weights, Inheritance::WeightsAndMemory] {
        let td = |lookups| Td::new(Schedule::Constant(0.25), lookups);
        compare_stages(inheritance, td, learner::Rule::Td { alpha: 0.25 }, 1e-5);
        let tc = |lookups| Tc::new(Schedule::Constant(0.5), 0.0, lookups);
        compare_stages(inheritance, tc, learner::Rule::Tc { beta: 0.5 }, 0.1);
    }
}

#[test]
fn autostep_updates_weights_as_published() {
    // The step sizes depend on the sign of an error of any size. Where larger steps correct an
    // error completely, the next one is rounding noise, and the learners drift apart. Small
    // steps delay that, so a few games can be compared.
    let (mu, tau, initial) = (0.125, 0.015_625, 0.01);
    let rule = |lookups: usize| Autostep::new(mu, tau, initial * lookups as f32, lookups);
    let [mu, tau, initial] = [mu, tau, initial].map(f64::from);
    let slow = learner::Rule::Autostep { mu, tau, initial };
    compare_all(rule, slow, [3, 2, 1, 2], 1e-5, 1e-5);
}

#[test]
fn td_with_step_size_1_and_the_first_autostep_update_reach_their_target() {
    // The images of the first position share no weight, those of the second are all equal.
    let game = game_2048(2, 2);
    let afterstate = |text: &str| Afterstate::from_bits(game.parse(text).unwrap().bits());
    for position in ["2,4/8,0", "2,2/2,2"].map(afterstate) {
        let td = |lookups| Td::new(Schedule::Constant(1.0), lookups);
        let autostep = |lookups| Autostep::new(0.1, 0.0001, 1.0, lookups);
        let alike = position == afterstate("2,2/2,2");
        let value = |value: f32| (value * 1000.0).round() / 1000.0;
        let trained = BareLearner::new(&game, "0123", td);
        trained.update(position, 100.0);
        // Each of the eight equal images updates the shared weight, and each reads it.
        assert_eq!(value(trained.value(position)), if alike { 800.0 } else { 100.0 });
        let trained = BareLearner::new(&game, "0123", autostep);
        trained.update(position, 100.0);
        assert_eq!(value(trained.value(position)), 100.0);
    }
}

#[test]
fn new_weights_hardly_lower_the_step_sizes_of_others() {
    // One cell keeps its content, the others get new ones before each update.
    let game = game_2048(2, 2);
    let autostep = |lookups| Autostep::new(0.1, 0.0001, 1.0, lookups);
    let trained = BareLearner::new(&game, "0! 1! 2! 3!", autostep);
    let afterstate = |text: &str| Afterstate::from_bits(game.parse(text).unwrap().bits());
    for position in ["2,4/8,16", "2,8/16,4", "2,16/32,8", "2,32/64,128"].map(afterstate) {
        let before = trained.value(position);
        trained.update(position, 100.0);
        // All four step sizes are 1/4. That of the constant cell grows a little, because its
        // errors agree; then all are scaled to a sum of 1.
        let change = trained.value(position) - before;
        assert!((change - 100.0).abs() < 1e-3, "{change}");
    }
    // The constant cell's weight got little more than a quarter of each 100.
    let kept = trained.value(afterstate("2,0/0,0"));
    assert!((100.0..115.0).contains(&kept), "{kept}");
}

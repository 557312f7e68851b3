//! The learners against the papers: games are trained, and a slow learner that was
//! written from the papers alone goes through the same games, move by move.

#[allow(dead_code)] // Other tests use what this one does not.
mod pupil;
#[allow(dead_code)]
mod reference;

use agent_ntuple::credit::{self, Backward, Delayed, Forward, MeanReturn, NStep};
use agent_ntuple::learned::Learns;
use agent_ntuple::rule::{Accumulate, Autostep, Rule, Tc, TcWide, Td};
use agent_ntuple::schedule::Schedule;
use game_2048::Game2048;
use game_threes::Threes;
use pupil::{Event, Pupil, SEED, Watched, episodes};
use reference::learner::{self, Course, Credit, Learner};
use runner_core::{Afterstate, Game, Random, State, Successor, Successors};
use std::collections::HashMap;

/// A game as the slow learner sees it.
struct Play {
    random: Random,
    state: State,
    /// What was earned since the last visit.
    given: f64,
    course: Course,
    /// When it moved last.
    moved: usize,
}

/// What came of it all.
#[derive(Debug, Default)]
struct Found {
    games: u64,
    moves: u64,
    /// Positions of which two images found the same weight.
    twins: u64,
    /// The largest difference of two weights, and the largest weight.
    worst: f64,
    largest: f64,
}

/// Lets the slow learner go through the games that were watched. Every choice must
/// have been one of the best in its eyes, but for `doubt` times the largest worth.
fn relive<G: Game>(game: &G, events: &[Event], learner: &mut Learner, doubt: f64) -> Found {
    let mut found = Found::default();
    let mut plays: Vec<Play> = Vec::new();
    let mut successors = Successors::new();
    for (now, &event) in events.iter().enumerate() {
        match event {
            Event::Started(word, state) => {
                let mut random = Random::stream(SEED, found.games);
                assert_eq!((word, state), (random.word(), game.start(word)));
                found.games += 1;
                let course = Course::default();
                plays.push(Play { random, state, given: 0.0, course, moved: now });
            }
            Event::Went(afterstate, word, next) => {
                // The random word tells which game it is.
                let ours = |play: &&mut Play| play.random.clone().word() == word;
                let play = plays.iter_mut().find(ours).expect("a game draws from its stream");
                play.random.word();
                assert_eq!(next, game.spawn(afterstate, word));
                game.successors(play.state, &mut successors);
                let worth = |s: &Successor| learner.worth(game, play.state, s);
                let taken = successors.iter().filter(|s| s.afterstate == afterstate);
                let chosen = taken.max_by(|a, b| worth(a).total_cmp(&worth(b)));
                let chosen = chosen.expect("it is a legal move");
                let best = successors.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
                let largest = successors.iter().map(worth).fold(1.0, |m, w| f64::max(m, w.abs()));
                assert!(
                    worth(chosen) >= best - doubt * largest,
                    "{:?}, {:?}: {} of {best} in {}",
                    learner.learns,
                    learner.credit,
                    worth(chosen),
                    game.write(play.state)
                );
                let mut keys = learner.keys(play.state, chosen);
                let earned = f64::from(chosen.reward);
                let given = f64::from(game.chance_reward(Some(afterstate), next));
                // An afterstate is reached with its action's reward, a state before it.
                let (before, after) = match learner.learns {
                    Learns::Afterstates => (earned, 0.0),
                    Learns::States | Learns::Actions => (0.0, earned),
                };
                learner.went(&mut play.course, play.given + before, keys.clone());
                play.given = after + given;
                (play.state, play.moved) = (next, now);
                found.moves += 1;
                keys.sort_unstable();
                found.twins += u64::from(keys.windows(2).any(|pair| pair[0] == pair[1]));
            }
            Event::Ended(state) => {
                // Of two games that stand alike, the one ends first that moved first.
                let there = plays.iter().enumerate().filter(|(_, play)| play.state == state);
                let (k, _) = there.min_by_key(|(_, play)| play.moved).expect("a game ends once");
                let mut play = plays.swap_remove(k);
                game.successors(state, &mut successors);
                assert!(successors.is_empty());
                learner.over(&mut play.course, play.given);
            }
        }
    }
    assert!(plays.is_empty(), "games are played to their end");
    found
}

/// Trains some games, lets the slow learner relive them, and compares all weights.
fn compare<G: Game, R: Rule>(
    learns: Learns,
    game: G,
    network: &str,
    games: u64,
    rules: (impl FnOnce(usize) -> R, learner::Rule),
    credits: (&dyn credit::Credit<R>, Credit),
    doubt: f64,
) -> Found {
    let game = Watched::new(game);
    let mut pupil = Pupil::of(learns, &game, network, rules.0);
    let done = pupil.train(&game, credits.0, episodes(games));
    let mut learner = Learner {
        learns,
        network: pupil.network.clone(),
        board: pupil.board.clone(),
        rule: rules.1,
        credit: credits.1,
        initial: 0.0,
        records: HashMap::new(),
    };
    let mut found = relive(&game.game, &game.events(), &mut learner, doubt);
    assert_eq!((found.games, found.moves), (done.episodes, done.moves));
    let mut expected = vec![0.0; pupil.lookup.weights()];
    for (key, record) in &learner.records {
        let place = reference::place(&pupil.network, &pupil.board, key) as usize;
        expected[place] = record.weight;
        found.largest = found.largest.max(record.weight.abs());
    }
    for (weight, expected) in pupil.weights.iter().zip(expected) {
        found.worst = found.worst.max((f64::from(weight.get()) - expected).abs());
    }
    found
}

/// All ways of learning from a game, each with its slow twin.
fn credits<R: Rule>() -> Vec<(Box<dyn credit::Credit<R>>, Credit)> {
    let mut all: Vec<(Box<dyn credit::Credit<R>>, Credit)> = Vec::new();
    for (lambda, h) in [(0.0, 0), (0.5, 3), (0.5, 1), (0.75, 8)] {
        let exact = f64::from(lambda);
        let forward = Forward { lambda, horizon: h };
        all.push((Box::new(forward), Credit::Forward { lambda: exact, h }));
        let delayed = Delayed { lambda, horizon: h };
        all.push((Box::new(delayed), Credit::Delayed { lambda: exact, h }));
    }
    for n in [1, 2, 3, 7] {
        all.push((Box::new(NStep { steps: n }), Credit::NStep { n }));
    }
    all.push((Box::new(MeanReturn), Credit::MeanReturn));
    all.push((Box::new(Backward), Credit::Backward));
    all
}

fn game_2048(rows: usize, cols: usize) -> Game2048 {
    Game2048::new(game_2048::Config { rows, cols, ..Default::default() }).unwrap()
}

fn threes() -> Threes {
    Threes::new(game_threes::Config { rows: 2, cols: 3, ..Default::default() }).unwrap()
}

/// Compares for every way of learning from a game, on several boards, with whatever
/// can be learned.
fn compare_all<R: Rule>(
    rule: impl Fn(usize) -> R + Copy,
    slow: learner::Rule,
    doubt: f64,
    tolerance: f64,
) {
    for learns in [Learns::Afterstates, Learns::States, Learns::Actions] {
        compare_learning(learns, rule, slow, doubt, tolerance);
    }
}

fn compare_learning<R: Rule>(
    learns: Learns,
    rule: impl Fn(usize) -> R + Copy,
    slow: learner::Rule,
    doubt: f64,
    tolerance: f64,
) {
    for (credit, slow_credit) in credits::<R>() {
        let rules = (rule, slow);
        let credits = (&*credit, slow_credit);
        let (mut moves, mut twins) = (0, 0);
        for found in [
            compare(learns, game_2048(2, 2), "0123 01 0!", 30, rules, credits, doubt),
            compare(learns, game_2048(2, 3), "0134 012 25!", 20, rules, credits, doubt),
            compare(learns, game_2048(3, 3), "0134 012", 10, rules, credits, doubt),
            compare(learns, threes(), "0134+next 012", 20, rules, credits, doubt),
        ] {
            assert!(
                found.worst <= tolerance * found.largest,
                "{learns:?}, {slow_credit:?}: {found:?}"
            );
            (moves, twins) = (moves + found.moves, twins + found.twins);
        }
        // Where two images of a board look alike, an action is another one on each.
        let least = if learns == Learns::Actions { 0 } else { moves / 10 };
        assert!(twins > least && twins < moves * 9 / 10, "{learns:?}: {twins} of {moves}");
    }
}

// Floats of 32 bits have their own rounding: a hundred-thousandth of the largest
// weight is ten times of what they were seen to differ.

#[test]
fn td_moves_weights_as_the_papers_say() {
    let rule = |lookups| Td::new(Schedule::Constant(0.25), lookups);
    compare_all(rule, learner::Rule::Td { alpha: 0.25 }, 1e-5, 1e-5);
}

#[test]
fn tc_moves_weights_as_the_papers_say() {
    for (accumulate, decayed) in [(Accumulate::Error, false), (Accumulate::DecayedError, true)] {
        let rule = |lookups| TcWide::new(Schedule::Constant(0.5), accumulate, lookups);
        compare_all(rule, learner::Rule::Tc { beta: 0.5, decayed }, 1e-5, 1e-5);
    }
}

#[test]
fn compact_tc_moves_weights_nearly_as_the_papers_say() {
    // Its sums of errors have 6 bits of mantissa; weights were seen to differ by 1.3%
    // of the largest, where states are learned by 3.2%.
    for (accumulate, decayed) in [(Accumulate::Error, false), (Accumulate::DecayedError, true)] {
        let rule = |lookups| Tc::new(Schedule::Constant(0.5), accumulate, None, lookups);
        compare_all(rule, learner::Rule::Tc { beta: 0.5, decayed }, 0.06, 0.06);
    }
}

#[test]
fn autostep_moves_weights_as_published() {
    // A step size that ends at the target leaves an error that is nothing but rounding,
    // and Autostep asks for an error's sign whatever its size. Where states are learned,
    // that does not happen with steps as large as these.
    for (learns, initial) in
        [(Learns::Afterstates, 0.031_25), (Learns::States, 0.25), (Learns::Actions, 0.031_25)]
    {
        let (mu, tau) = (0.125, 0.015_625);
        let rule = |lookups: usize| Autostep::new(mu, tau, initial * lookups as f32, lookups);
        let [mu, tau, initial] = [mu, tau, initial].map(f64::from);
        let slow = learner::Rule::Autostep { mu, tau, initial };
        compare_learning(learns, rule, slow, 1e-5, 1e-5);
    }
}

#[test]
fn td_with_a_whole_step_and_autostep_at_first_reach_their_target() {
    // No two images of this position have a weight in common.
    let game = Watched::new(game_2048(2, 2));
    let afterstate = |text: &str| Afterstate::from_bits(game.parse(text).unwrap().bits());
    for position in ["2,4/8,0", "2,2/2,2"].map(afterstate) {
        let td = |lookups| Td::new(Schedule::Constant(1.0), lookups);
        let autostep = |lookups| Autostep::new(0.1, 0.0001, 1.0, lookups);
        let alike = position == afterstate("2,2/2,2");
        let value = |value: f32| (value * 1000.0).round() / 1000.0;
        let pupil = Pupil::new(&game, "0123", td);
        pupil.correct(position, 100.0);
        // Eight images that share a weight each move it, and each reads it.
        assert_eq!(value(pupil.value(position)), if alike { 800.0 } else { 100.0 });
        let pupil = Pupil::new(&game, "0123", autostep);
        pupil.correct(position, 100.0);
        assert_eq!(value(pupil.value(position)), 100.0);
    }
}

#[test]
fn what_is_new_leaves_the_step_sizes_of_what_it_meets_alone() {
    // One cell keeps its content, the others have new ones at each correction.
    let game = Watched::new(game_2048(2, 2));
    let autostep = |lookups| Autostep::new(0.1, 0.0001, 1.0, lookups);
    let pupil = Pupil::new(&game, "0! 1! 2! 3!", autostep);
    let afterstate = |text: &str| Afterstate::from_bits(game.parse(text).unwrap().bits());
    for position in ["2,4/8,16", "2,8/16,4", "2,16/32,8", "2,32/64,128"].map(afterstate) {
        let before = pupil.value(position);
        pupil.correct(position, 100.0);
        // All four step sizes are a quarter; that of the cell that is the same each time
        // grows a little, for its errors agree, and then all shrink to a sum of 1.
        let change = pupil.value(position) - before;
        assert!((change - 100.0).abs() < 1e-3, "{change}");
    }
    // Of each 100, a quarter and hardly more.
    let kept = pupil.value(afterstate("2,0/0,0"));
    assert!((100.0..115.0).contains(&kept), "{kept}");
}

#[test]
fn errors_count_as_long_as_they_count_a_tenth() {
    // The least h with lambda^(h+1) below 0.1.
    for (lambda, h) in [(0.0, 0), (0.05, 0), (0.25, 1), (0.5, 3), (0.75, 8), (0.9, 21)] {
        assert_eq!(credit::default_horizon(lambda), h, "{lambda}");
    }
}

//! The laws hold for a correct game, and each rejects mutants of it. The name of a test is
//! the defect that the law must find.

// The test game belongs to the tests of the core.
#[path = "../../core/tests/line/mod.rs"]
mod line;

use line::{LEFT, Line, bits, push_left, ranks, state};
use runner_core::rows::{Entry, RowTables};
use runner_core::{
    Action, Afterstate, Description, Fault, Game, Outcome, Outcomes, Playout, Random, State,
    Successor, Successors, TextError, catch, playouts,
};
use runner_laws::{CheckSummary, Effort, Law};
use std::sync::atomic::{AtomicU64, Ordering};

/// Less than the default; sufficient for the few dozen positions of the test game.
fn effort() -> Effort {
    Effort { games: 60, positions: 300, words: 300_000, texts: 3_000, ..Effort::default() }
}

#[test]
fn laws_hold_for_a_correct_game() {
    runner_laws::assert_holds(&Line::new());
}

#[test]
fn summary_counts_what_was_tried() {
    let summary = runner_laws::check(&Line::new(), &effort()).unwrap();
    let CheckSummary { games, ended, positions, terminal, afterstates, words, texts, symmetries } =
        summary;
    // A line of three cells always ends, because only merges remove tiles.
    assert_eq!((games, ended, symmetries), (60, 60, 2));
    assert!(positions > 30 && positions <= 300 && terminal > 0 && terminal < positions);
    assert!(afterstates > 10 && words > 290_000 && texts > 2_000, "{summary}");
    assert!(summary.to_string().contains(&format!("{positions} positions ({terminal} terminal)")));
}

type Of<F> = Option<Box<F>>;

/// Defines the test game with replaceable methods.
macro_rules! mutant {
    ($($method:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)+) => {
        struct Mutant {
            line: Line,
            has_chance_rewards: bool,
            /// True if the mutant has the row tables of the test game. Mutants of chance have
            /// none, so that they break only the law under test.
            tables: bool,
            successor: Of<dyn Fn(&Line, State, Action) -> Option<Successor> + Send + Sync>,
            playouts: Of<dyn Fn(&Line, &[State], u64, &mut [Playout]) + Send + Sync>,
            $($method: Of<dyn Fn(&Line $(, $type)*) $(-> $result)? + Send + Sync>,)+
        }

        impl Mutant {
            fn new() -> Self {
                let (line, successor, playouts) = (Line::new(), None, None);
                let (has_chance_rewards, tables) = (true, true);
                Self { line, has_chance_rewards, tables, successor, playouts, $($method: None,)+ }
            }

            fn described(change: impl FnOnce(&mut Description)) -> Self {
                let mut mutant = Self::new();
                change(&mut mutant.line.description);
                mutant
            }
        }

        impl Game for Mutant {
            $(fn $method(&self $(, $argument: $type)*) $(-> $result)? {
                match &self.$method {
                    Some(changed) => changed(&self.line $(, $argument)*),
                    None => self.line.$method($($argument),*),
                }
            })+

            fn description(&self) -> &Description {
                self.line.description()
            }
            fn successor(&self, state: State, action: Action) -> Option<Successor> {
                if let Some(changed) = &self.successor {
                    return changed(&self.line, state, action);
                }
                let mut list = Successors::new();
                self.successors(state, &mut list);
                list.of(action).copied()
            }
            fn write_afterstate(&self, afterstate: Afterstate) -> String {
                self.line.write_afterstate(afterstate)
            }
            fn has_chance_rewards(&self) -> bool {
                self.has_chance_rewards
            }
            fn playouts(&self, starts: &[State], random: u64, results: &mut [Playout]) {
                match &self.playouts {
                    Some(changed) => changed(&self.line, starts, random, results),
                    None => playouts::play(self, starts, random, results),
                }
            }
            fn tables(&self) -> Option<&RowTables> {
                self.tables.then_some(&self.line.tables)
            }
        }
    };
}

mutant! {
    start(random: u64) -> State;
    successors(state: State, out: &mut Successors);
    outcomes(afterstate: Afterstate, out: &mut Outcomes);
    spawn(afterstate: Afterstate, random: u64) -> State;
    write(state: State) -> String;
    parse(text: &str) -> Result<State, TextError>;
    starts() -> Option<Vec<Outcome>>;
    chance_reward(from: Option<Afterstate>, to: State) -> f32;
    max_tile(state: State) -> Option<u64>;
    layer(state: State) -> Option<u64>;
    transform(state: State, symmetry: usize) -> State;
}

/// Checks that the mutant breaks this law and that the report contains a key word.
#[track_caller]
fn assert_breaks(mutant: Mutant, law: Law, key_word: &str) {
    let violation = runner_laws::check(&mutant, &effort()).expect_err("the mutant was accepted");
    assert_eq!(violation.law, law, "{violation}");
    let report = violation.to_string();
    assert!(report.contains(key_word), "`{key_word}` is not in: {report}");
    assert!(report.contains(&law.to_string()), "{report}");
}

/// Defines tests, each named for the defect of a mutant that a law must find.
macro_rules! mutants {
    ($($(#[$doc:meta])* $name:ident breaks $law:ident ($key_word:expr): $mutant:block)+) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            assert_breaks($mutant, Law::$law, $key_word);
        }
    )+};
}

/// Returns a mutant with changed outcomes.
fn with_outcomes(change: impl Fn(&mut Vec<Outcome>) + Send + Sync + 'static) -> Mutant {
    let outcomes = move |line: &Line, afterstate, out: &mut Outcomes| {
        line.outcomes(afterstate, out);
        let mut list = out.to_vec();
        change(&mut list);
        out.clear();
        out.extend_from_slice(&list);
    };
    Mutant { outcomes: Some(Box::new(outcomes)), tables: false, ..Mutant::new() }
}

/// Returns a mutant with changed successors.
fn with_successors(change: impl Fn(State, &mut Vec<Successor>) + Send + Sync + 'static) -> Mutant {
    let successors = move |line: &Line, state, out: &mut Successors| {
        line.successors(state, out);
        let mut list = out.to_vec();
        change(state, &mut list);
        out.clear();
        list.iter().for_each(|s| out.push(s.action, s.afterstate, s.reward));
    };
    Mutant { successors: Some(Box::new(successors)), tables: false, ..Mutant::new() }
}

fn with_spawn(spawn: impl Fn(&Line, Afterstate, u64) -> State + Send + Sync + 'static) -> Mutant {
    // The start of the test game is a spawn too; it stays correct.
    let start = |line: &Line, random| line.spawn(Afterstate::default(), random);
    let (spawn, start) = (Some(Box::new(spawn) as _), Some(Box::new(start) as _));
    Mutant { spawn, start, tables: false, ..Mutant::new() }
}

// Law 1.

mutants! {
    probabilities_that_do_not_sum_to_1 breaks Outcomes ("sum to 1.000001"): {
        // A millionth is far above rounding errors and far below what draws can detect.
        with_outcomes(|list| list[0].probability += 1e-6)
    }
    a_probability_that_is_nan breaks Outcomes ("NaN"): {
        with_outcomes(|list| list[0].probability = f64::NAN)
    }
    a_start_probability_that_is_nan breaks Outcomes ("NaN"): {
        let starts = |line: &Line| {
            let mut starts = line.starts()?;
            starts[0].probability = f64::NAN;
            Some(starts)
        };
        Mutant { starts: Some(Box::new(starts)), ..Mutant::new() }
    }
    an_outcome_of_probability_0 breaks Outcomes ("is 0, not a positive"): {
        with_outcomes(|list| {
            list[0].probability += list[1].probability;
            list[1].probability = 0.0;
        })
    }
    an_outcome_listed_twice breaks Outcomes ("listed twice"): {
        with_outcomes(|list| {
            list[0].probability /= 2.0;
            let half = list[0];
            list[1] = Outcome { probability: list[1].probability + half.probability, ..half };
        })
    }
    no_outcomes breaks Outcomes ("there are no outcomes"): { with_outcomes(Vec::clear) }
    the_reserved_state_as_an_outcome breaks Outcomes ("the reserved one"): {
        with_outcomes(|list| list[0].state = State::RESERVED)
    }
    more_outcomes_than_declared breaks Outcomes ("more outcomes than the 3"): {
        Mutant::described(|description| description.max_outcomes = 3)
    }
    outcomes_appended_to_the_buffer breaks Outcomes ("must clear the buffer"): {
        let outcomes = |line: &Line, afterstate, out: &mut Outcomes| {
            let mut fresh = Outcomes::with_capacity(6);
            line.outcomes(afterstate, &mut fresh);
            out.extend_from_slice(&fresh);
        };
        Mutant { outcomes: Some(Box::new(outcomes)), tables: false, ..Mutant::new() }
    }
    starts_that_do_not_sum_to_1 breaks Outcomes ("starts: the probabilities sum to 0.75"): {
        let starts = |line: &Line| Some(line.starts()?[1..].to_vec());
        Mutant { starts: Some(Box::new(starts)), ..Mutant::new() }
    }
}

// Law 2.

mutants! {
    a_spawn_that_prefers_a_cell breaks Spawn ("lower half of the outcomes were drawn"): {
        // With probability 1/16 the first empty cell is filled, so of two cells the first gets
        // 53%. That is significant only in the sum over all afterstates.
        with_spawn(|line, afterstate, random| {
            let first = random >> 8 & 15 == 0;
            line.spawn(afterstate, if first { random & u64::from(u32::MAX) } else { random })
        })
    }
    /// A 4 with probability 0.26 instead of 0.25 is significant only in the sum over all
    /// afterstates.
    a_spawn_with_slightly_too_many_rare_tiles breaks Spawn ("outcomes rarer than the average were drawn"): {
        let line = Line::new();
        let entries = |four| {
            [Entry { rank: 1, probability: 1.0 - four }, Entry { rank: 2, probability: four }].to_vec()
        };
        let (across, down) = line.tables.tables();
        let biased = RowTables::new(1, 3, across.clone(), down.clone(), entries(0.26));
        with_spawn(move |_, afterstate, random| biased.spawn(afterstate, random))
    }
    a_spawn_outside_the_outcomes breaks Spawn ("not among the outcomes"): {
        // An 8 instead of a 4 for the largest random word: an off-by-one threshold, which
        // random words would not find.
        with_spawn(|line, afterstate, random| match random {
            u64::MAX => {
                let mut next = ranks(afterstate.lo);
                let empty = next.iter().position(|&rank| rank == 0).expect("an empty cell");
                next[empty] = 3;
                state(next)
            }
            _ => line.spawn(afterstate, random),
        })
    }
    a_spawn_that_is_not_deterministic breaks Spawn (", then"): {
        let calls = AtomicU64::new(0);
        with_spawn(move |line, afterstate, random| {
            line.spawn(afterstate, random ^ calls.fetch_add(1, Ordering::Relaxed) << 63)
        })
    }
    a_spawn_that_panics breaks Spawn ("panicked: no such cell"): {
        with_spawn(|_, _, _| panic!("no such cell"))
    }
    a_start_that_is_not_listed breaks Spawn ("`start` with the word"): {
        let start = |_: &Line, _| state([1, 1, 0]);
        Mutant { start: Some(Box::new(start)), ..Mutant::new() }
    }
    a_start_with_other_probabilities_than_listed breaks Spawn ("starts: "): {
        let starts = |line: &Line| {
            let mut starts = line.starts()?;
            starts[0].probability -= 0.02;
            starts[2].probability += 0.02;
            Some(starts)
        };
        Mutant { starts: Some(Box::new(starts)), ..Mutant::new() }
    }
}

// Law 3.

mutants! {
    an_action_listed_twice breaks Successors ("twice"): {
        with_successors(|_, list| list.extend(list.first().copied()))
    }
    actions_out_of_order breaks Successors ("out of the order"): {
        with_successors(|_, list| list.reverse())
    }
    a_reward_that_is_nan breaks Successors ("is NaN"): {
        with_successors(|_, list| list.iter_mut().for_each(|s| s.reward = f32::NAN))
    }
    a_negative_reward_that_is_not_announced breaks Successors ("rewards_never_negative is true"): {
        with_successors(|_, list| list.iter_mut().for_each(|s| s.reward = -1.0))
    }
    an_action_that_the_description_lacks breaks Successors ("lists action 9"): {
        with_successors(|_, list| {
            list.iter_mut().filter(|s| s.action == LEFT).for_each(|s| s.action = Action(9));
        })
    }
    an_action_that_moves_nothing breaks Successors ("lists `left`, which changes no cell"): {
        with_successors(|state, list| {
            let still = Afterstate::new(state.lo, 0);
            if !ranks(state.lo).contains(&0) || list.iter().any(|s| s.action == LEFT) {
                return;
            }
            list.push(Successor { action: LEFT, afterstate: still, reward: 0.0 });
        })
    }
    successors_appended_to_the_buffer breaks Successors ("must clear the buffer"): {
        let successors = |line: &Line, state, out: &mut Successors| {
            let mut fresh = Successors::new();
            line.successors(state, &mut fresh);
            fresh.iter().for_each(|s| out.push(s.action, s.afterstate, s.reward));
        };
        Mutant { successors: Some(Box::new(successors)), ..Mutant::new() }
    }
    a_single_successor_that_disagrees_with_the_list breaks Successors ("`successor` gives"): {
        let successor = |line: &Line, state, action| {
            let mut list = Successors::new();
            line.successors(state, &mut list);
            list.of(action).map(|s| Successor { reward: s.reward + 1.0, ..*s })
        };
        Mutant { successor: Some(Box::new(successor)), ..Mutant::new() }
    }
    two_actions_with_one_name breaks Consistency ("two actions are called `up`"): {
        Mutant::described(|description| description.actions[2] = "up".into())
    }
}

#[test]
fn panic_in_the_rules_is_reported_with_its_position() {
    let successors = |line: &Line, state: State, out: &mut Successors| {
        assert!(ranks(state.lo).contains(&0), "the row is full");
        line.successors(state, out);
    };
    let mutant = Mutant { successors: Some(Box::new(successors)), ..Mutant::new() };
    let violation = runner_laws::check(&mutant, &effort()).unwrap_err();
    assert_eq!(violation.law, Law::Successors);
    assert!(violation.explanation.contains("the row is full"), "{violation}");
    let position = violation.position.expect("a position");
    assert!(!position.contains('0') && position.matches(',').count() == 2, "{position}");
}

/// Two merges in one push: a defect that only a second implementation shows.
#[test]
fn a_disagreement_with_the_reference() {
    let line = Line::new();
    let positions = [state([2, 1, 1]), state([1, 1, 0])];
    runner_laws::agree_with(&line, &Line::new(), positions);

    let greedy = with_successors(|state, list| {
        for successor in list.iter_mut().filter(|s| s.action == LEFT) {
            let (once, first) = push_left(ranks(state.lo));
            let (again, second) = push_left(once);
            successor.afterstate = Afterstate::new(bits(again), 0);
            successor.reward = first + second;
        }
    });
    let Err(Fault(report)) = catch(|| runner_laws::agree_with(&greedy, &line, positions)) else {
        panic!("4,2,2 pushed left is 4,4, not 8");
    };
    assert!(report.contains("law 3 (successors) at `") && report.contains("of the reference"));

    let unfair = with_outcomes(|list| {
        list[0].probability -= 1e-6;
        list[1].probability += 1e-6;
    });
    let report = catch(|| runner_laws::agree_with(&unfair, &line, positions)).unwrap_err();
    assert!(report.0.contains("law 1 (outcomes)"), "{report}");
}

// Law 4.

mutants! {
    playouts_that_move_after_the_end breaks Terminal ("no action is legal"): {
        let playouts = |line: &Line, starts: &[State], random, results: &mut [Playout]| {
            playouts::play(line, starts, random, results);
            results.iter_mut().for_each(|result| result.moves = result.moves.max(1));
        };
        Mutant { playouts: Some(Box::new(playouts)), ..Mutant::new() }
    }
    playouts_that_do_not_play breaks Terminal ("although an action is legal"): {
        let playouts = |_: &Line, _: &[State], _, results: &mut [Playout]| {
            results.fill(Playout::default());
        };
        Mutant { playouts: Some(Box::new(playouts)), ..Mutant::new() }
    }
}

// Law 5.

mutants! {
    a_symmetry_with_the_wrong_actions breaks Symmetry ("symmetry 1 gives"): {
        Mutant::described(|description| {
            let board = description.geometry.as_mut().unwrap();
            board.symmetries[1].actions = [0, 1, 2, 3].map(Action).to_vec();
        })
    }
    a_symmetry_that_moves_the_wrong_cells breaks Symmetry ("symmetry 1"): {
        Mutant::described(|description| {
            let board = description.geometry.as_mut().unwrap();
            board.symmetries[1].cells = vec![1, 0, 2];
        })
    }
    symmetries_that_are_not_a_group breaks Symmetry ("symmetry 1 followed by 1 is not among"): {
        Mutant::described(|description| {
            let board = description.geometry.as_mut().unwrap();
            board.symmetries[1].cells = vec![1, 2, 0];
        })
    }
    symmetries_without_the_identity breaks Consistency ("symmetry 0 must be the identity"): {
        Mutant::described(|description| {
            description.geometry.as_mut().unwrap().symmetries.reverse();
        })
    }
    a_symmetry_that_is_not_a_permutation breaks Consistency ("not a permutation"): {
        Mutant::described(|description| {
            description.geometry.as_mut().unwrap().symmetries[1].cells = vec![2, 2, 0];
        })
    }
    a_transformation_that_does_not_compose breaks Symmetry ("symmetry 1"): {
        // Full rows are not mirrored.
        let transform = |line: &Line, state: State, symmetry| {
            let full = !ranks(state.lo).contains(&0);
            line.transform(state, if full { 0 } else { symmetry })
        };
        Mutant { transform: Some(Box::new(transform)), ..Mutant::new() }
    }
}

// Law 6.

mutants! {
    a_text_that_reads_back_as_another_position breaks Text ("reads back as"): {
        // Everything above 8 is written as 8.
        let write = |_: &Line, state: State| {
            let value = |rank: u8| if rank == 0 { 0 } else { 1 << rank.min(3) };
            ranks(state.lo).map(|rank| value(rank).to_string()).join(",")
        };
        Mutant { write: Some(Box::new(write)), ..Mutant::new() }
    }
    a_text_that_is_rejected breaks Text ("its own text is rejected: tiles up to 8"): {
        let parse = |line: &Line, text: &str| match text.find("16") {
            Some(at) => Err(TextError::new(at, "tiles up to 8 are expected")),
            None => line.parse(text),
        };
        Mutant { parse: Some(Box::new(parse)), ..Mutant::new() }
    }
    a_text_of_two_lines breaks Text ("more than one line"): {
        let write = |line: &Line, state| line.write(state) + "\n";
        let parse = |line: &Line, text: &str| line.parse(text.trim_end());
        let (write, parse) = (Some(Box::new(write) as _), Some(Box::new(parse) as _));
        Mutant { write, parse, ..Mutant::new() }
    }
    a_parser_that_panics breaks Text ("`parse` panicked"): {
        let parse = |line: &Line, text: &str| {
            text.split(',').for_each(|word| assert!(word.parse::<u64>().is_ok()));
            line.parse(text)
        };
        Mutant { parse: Some(Box::new(parse)), ..Mutant::new() }
    }
    an_error_beyond_the_text breaks Text ("not a character boundary"): {
        let parse = |line: &Line, text: &str| {
            line.parse(text).map_err(|error| TextError { at: error.at + text.len() + 1, ..error })
        };
        Mutant { parse: Some(Box::new(parse)), ..Mutant::new() }
    }
    a_text_that_is_read_as_a_position_without_text breaks Text ("reads back as"): {
        // A fourth tile is stored in bits that the rules ignore.
        let parse = |line: &Line, text: &str| match text.rsplit_once(',') {
            Some((three, four)) if three.matches(',').count() == 2 => {
                let state = line.parse(three)?;
                Ok(State::new(state.lo, four.len() as u64))
            }
            _ => line.parse(text),
        };
        Mutant { parse: Some(Box::new(parse)), ..Mutant::new() }
    }
}

// Law 7.

mutants! {
    a_tile_that_is_not_described breaks Consistency ("the max tile Some(3)"): {
        let greatest = |_: &Line, _| Some(3);
        Mutant { max_tile: Some(Box::new(greatest)), ..Mutant::new() }
    }
    a_layer_that_does_not_rise breaks Consistency ("does not rise"): {
        let layer = |line: &Line, state| line.max_tile(state);
        Mutant { layer: Some(Box::new(layer)), tables: false, ..Mutant::new() }
    }
    chance_rewards_that_are_not_announced breaks Consistency ("has_chance_rewards is false"): {
        Mutant { has_chance_rewards: false, ..Mutant::new() }
    }
    start_rewards_that_are_not_announced breaks Consistency ("of the start"): {
        let given = |_: &Line, from: Option<Afterstate>, _| if from.is_none() { 2f32 } else { 0.0 };
        let chance_reward = Some(Box::new(given) as _);
        Mutant { chance_reward, has_chance_rewards: false, ..Mutant::new() }
    }
}

#[test]
fn chance_rewards_that_are_not_finite() {
    for reward in [f32::INFINITY, f32::NAN] {
        let given = move |_: &Line, _, _| reward;
        let mutant = Mutant { chance_reward: Some(Box::new(given)), ..Mutant::new() };
        assert_breaks(mutant, Law::Consistency, &format!("is {reward}"));
    }
}

mutants! {
    a_start_reward_that_is_nan breaks Consistency ("of the start is NaN"): {
        let given = |line: &Line, from: Option<Afterstate>, to| match from {
            None => f32::NAN,
            Some(_) => line.chance_reward(from, to),
        };
        Mutant { chance_reward: Some(Box::new(given)), ..Mutant::new() }
    }
    a_negative_chance_reward_that_is_not_announced breaks Consistency ("rewards_never_negative"): {
        let given = |_: &Line, from: Option<Afterstate>, _| from.map_or(0.0, |_| -1.0);
        Mutant { chance_reward: Some(Box::new(given)), ..Mutant::new() }
    }
    row_tables_of_another_game breaks Consistency ("the row tables list"): {
        let mutant = with_successors(|_, list| list.iter_mut().for_each(|s| s.reward *= 2.0));
        Mutant { tables: true, ..mutant }
    }
    row_tables_with_other_probabilities breaks Consistency ("differ in the outcomes"): {
        let mutant = with_outcomes(|_| ());
        let mut line = Line::new();
        let (across, down) = line.tables.tables();
        let entries = [Entry { rank: 1, probability: 1.0 }].to_vec();
        line.tables = RowTables::new(1, 3, across.clone(), down.clone(), entries);
        // Draws stay correct; only the tables are wrong.
        let fair = Line::new();
        let spawn = move |_: &Line, afterstate, random| fair.spawn(afterstate, random);
        let fair = Line::new();
        let start = move |_: &Line, random| fair.start(random);
        let (spawn, start) = (Some(Box::new(spawn) as _), Some(Box::new(start) as _));
        Mutant { line, spawn, start, tables: true, ..mutant }
    }
    row_tables_with_another_layer breaks Consistency ("the layer is the sum of the cells"): {
        let twice = |line: &Line, state| line.layer(state).map(|sum| 2 * sum);
        Mutant { layer: Some(Box::new(twice)), tables: true, ..Mutant::new() }
    }
    row_tables_that_draw_differently breaks Consistency ("the row tables spawn"): {
        // The same distribution, with the halves of the random word exchanged.
        let mutant =
            with_spawn(|line, afterstate, random| line.spawn(afterstate, random.rotate_left(32)));
        Mutant { tables: true, ..mutant }
    }
    playouts_with_another_score breaks Consistency ("mean score"): {
        // Chance rewards are not counted.
        let playouts = |line: &Line, starts: &[State], random, results: &mut [Playout]| {
            let silent = Mutant {
                line: line.clone(),
                has_chance_rewards: false,
                chance_reward: Some(Box::new(|_, _, _| 0.0)),
                ..Mutant::new()
            };
            playouts::play(&silent, starts, random, results);
        };
        Mutant { playouts: Some(Box::new(playouts)), ..Mutant::new() }
    }
}

#[test]
fn uniform_playouts_with_other_draws_are_allowed() {
    let playouts = |line: &Line, starts: &[State], random, results: &mut [Playout]| {
        let random = Random::from_word(random).word();
        playouts::play(line, starts, random, results);
    };
    let mutant = Mutant { playouts: Some(Box::new(playouts)), ..Mutant::new() };
    runner_laws::check(&mutant, &effort()).unwrap();
}

mutants! {
    tiles_that_are_not_sorted breaks Consistency ("not in ascending order"): {
        Mutant::described(|description| description.tiles.swap(0, 1))
    }
}

// Games of other kinds.

struct Ring(Description);

impl Game for Ring {
    fn description(&self) -> &Description {
        &self.0
    }
    fn start(&self, _: u64) -> State {
        State::default()
    }
    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        out.push(Action(0), Afterstate::new(state.lo + 1, 0), 1.0);
    }
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        out.push(1.0, State::new(afterstate.lo % 12, 0));
    }
    fn spawn(&self, afterstate: Afterstate, _: u64) -> State {
        State::new(afterstate.lo % 12, 0)
    }
    fn write(&self, state: State) -> String {
        state.lo.to_string()
    }
    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        afterstate.lo.to_string()
    }
    fn parse(&self, text: &str) -> Result<State, TextError> {
        let hour = text.parse().ok().filter(|hour| *hour < 12);
        Ok(State::new(hour.ok_or_else(|| TextError::new(0, "0 to 11 is expected"))?, 0))
    }
}

#[test]
fn endless_game_is_checked_up_to_the_move_limit() {
    let actions = vec!["on".into()];
    let described = Description { actions, max_outcomes: 1, ..Description::default() };
    let summary = runner_laws::check(&Ring(described), &effort()).unwrap();
    assert_eq!((summary.positions, summary.ended, summary.terminal), (12, 0, 0));
}

#[test]
#[should_panic(expected = "the game breaks law 3 (successors) at `")]
fn assert_holds_panics_with_the_report() {
    runner_laws::assert_holds(&with_successors(|_, list| list.reverse()));
}

// Law 8.

/// Returns a mutant in which no tile enters the last empty cell, without the layers that would
/// show it.
fn without_last_tile() -> Mutant {
    let is_last =
        |after: Afterstate| ranks(after.lo).iter().filter(|&&rank| rank == 0).count() == 1;
    let outcomes = move |line: &Line, after: Afterstate, out: &mut Outcomes| {
        line.outcomes(after, out);
        if is_last(after) {
            out.clear();
            out.push(1.0, State::from_bits(after.bits()));
        }
    };
    let spawn = move |line: &Line, after: Afterstate, random| {
        if is_last(after) { State::from_bits(after.bits()) } else { line.spawn(after, random) }
    };
    let (outcomes, layer) =
        (Some(Box::new(outcomes) as _), Some(Box::new(|_: &Line, _| None) as _));
    Mutant { outcomes, layer, ..with_spawn(spawn) }
}

mutants! {
    no_tile_enters_the_last_empty_cell breaks Crowded ("has 2 tiles instead of 3"): {
        without_last_tile()
    }
    playouts_that_stop_at_a_full_board breaks Crowded ("where an action is legal"): {
        let playouts = |line: &Line, starts: &[State], random, results: &mut [Playout]| {
            playouts::play(line, starts, random, results);
            for (start, result) in starts.iter().zip(results) {
                if ranks(start.lo).iter().all(|&rank| rank > 0) {
                    *result = Playout { last: *start, ..Playout::default() };
                }
            }
        };
        Mutant { playouts: Some(Box::new(playouts)), ..Mutant::new() }
    }
}

// The spot check.

#[test]
fn spot_check_finds_rules_whose_results_mean_nothing() {
    assert_eq!(runner_laws::spot_check(&Line::new()), Ok(()));
    let law = |mutant: Mutant| runner_laws::spot_check(&mutant).unwrap_err().law;
    assert_eq!(law(with_outcomes(|list| list[0].probability -= 0.1)), Law::Outcomes);
    let first = with_spawn(|line, afterstate, _| line.spawn(afterstate, 0));
    assert_eq!(law(first), Law::Spawn);
    let out_of_range = |_: State, list: &mut Vec<Successor>| {
        list.iter_mut().for_each(|s| s.action = Action(7));
    };
    assert_eq!(law(with_successors(out_of_range)), Law::Successors);
}

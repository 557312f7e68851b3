//! The laws hold for a correct game, and each is broken by a mutant of it, and
//! said to be: one that could not find its mutant would be no law.

mod line;

use line::{LEFT, Line, bits, push_left, ranks, state};
use runner_core::rows::{Entry, RowTables};
use runner_core::{
    Action, Afterstate, Description, Fault, Game, Outcome, Outcomes, Playouts, Random, State,
    Successor, Successors, TextError, catch,
};
use runner_laws::{Effort, Law, Summary};
use std::sync::atomic::{AtomicU64, Ordering};

/// Little, but enough for the few dozen positions that a line has.
fn effort() -> Effort {
    Effort { games: 60, positions: 300, words: 300_000, texts: 3_000, ..Effort::default() }
}

#[test]
fn the_laws_hold_for_a_correct_game() {
    runner_laws::assert_holds(&Line::new());
}

#[test]
fn the_summary_says_what_was_tried() {
    let summary = runner_laws::check(&Line::new(), &effort()).unwrap();
    let Summary { games, ended, positions, terminal, afterstates, words, texts, symmetries } =
        summary;
    // A line of three cells always ends: chance adds a tile, only merges remove one.
    assert_eq!((games, ended, symmetries), (60, 60, 2));
    assert!(positions > 30 && positions <= 300 && terminal > 0 && terminal < positions);
    assert!(afterstates > 10 && words > 290_000 && texts > 2_000, "{summary}");
    assert!(summary.to_string().contains(&format!("{positions} positions ({terminal} terminal)")));
}

#[test]
fn the_same_effort_tries_the_same() {
    let line = Line::new();
    assert_eq!(runner_laws::check(&line, &effort()), runner_laws::check(&line, &effort()));
    assert_eq!(runner_laws::positions(&line, &effort()), runner_laws::positions(&line, &effort()));
    let other = Effort { seed: runner_core::Seed(5), ..effort() };
    assert_ne!(runner_laws::positions(&line, &effort()), runner_laws::positions(&line, &other));
}

#[test]
fn positions_are_distinct_and_some_are_terminal() {
    let line = Line::new();
    let positions = runner_laws::positions(&line, &effort());
    let distinct: std::collections::HashSet<_> = positions.iter().collect();
    assert_eq!(distinct.len(), positions.len());
    let mut list = Successors::new();
    assert!(positions.iter().any(|&state| {
        line.successors(state, &mut list);
        list.is_empty()
    }));
}

/// A line with one method changed.
type Of<F> = Option<Box<F>>;

// Every type below is one method of `Game`; names for them would say less.
#[allow(clippy::type_complexity)]
struct Mutant {
    line: Line,
    start: Of<dyn Fn(&Line, u64) -> State + Send + Sync>,
    successors: Of<dyn Fn(&Line, State, &mut Successors) + Send + Sync>,
    successor: Of<dyn Fn(&Line, State, Action) -> Option<Successor> + Send + Sync>,
    outcomes: Of<dyn Fn(&Line, Afterstate, &mut Outcomes) + Send + Sync>,
    spawn: Of<dyn Fn(&Line, Afterstate, u64) -> State + Send + Sync>,
    write: Of<dyn Fn(&Line, State) -> String + Send + Sync>,
    parse: Of<dyn Fn(&Line, &str) -> Result<State, TextError> + Send + Sync>,
    starts: Of<dyn Fn(&Line) -> Option<Vec<Outcome>> + Send + Sync>,
    chance_reward: Of<dyn Fn(&Line, Option<Afterstate>, State) -> f32 + Send + Sync>,
    has_chance_rewards: bool,
    max_tile: Of<dyn Fn(&Line, State) -> Option<u64> + Send + Sync>,
    layer: Of<dyn Fn(&Line, State) -> Option<u64> + Send + Sync>,
    transform: Of<dyn Fn(&Line, State, usize) -> State + Send + Sync>,
    playouts: Of<dyn Fn(&Line, State, u64, u64) -> Playouts + Send + Sync>,
    /// Whether the line's tables are offered. A mutant of chance has none, so
    /// that the law under test is the only one that it breaks.
    tables: bool,
}

impl Mutant {
    fn new() -> Self {
        Self {
            line: Line::new(),
            start: None,
            successors: None,
            successor: None,
            outcomes: None,
            spawn: None,
            write: None,
            parse: None,
            starts: None,
            chance_reward: None,
            has_chance_rewards: true,
            max_tile: None,
            layer: None,
            transform: None,
            playouts: None,
            tables: true,
        }
    }

    fn described(change: impl FnOnce(&mut Description)) -> Self {
        let mut mutant = Self::new();
        change(&mut mutant.line.description);
        mutant
    }
}

/// The changed method, or the line's own.
macro_rules! either {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match &$self.$method {
            Some(changed) => changed(&$self.line $(, $argument)*),
            None => $self.line.$method($($argument),*),
        }
    };
}

impl Game for Mutant {
    fn description(&self) -> &Description {
        self.line.description()
    }
    fn start(&self, random: u64) -> State {
        either!(self.start(random))
    }
    fn successors(&self, state: State, out: &mut Successors) {
        either!(self.successors(state, out))
    }
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        match &self.successor {
            Some(changed) => changed(&self.line, state, action),
            None => {
                let mut list = Successors::new();
                self.successors(state, &mut list);
                list.of(action).copied()
            }
        }
    }
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        either!(self.outcomes(afterstate, out))
    }
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        either!(self.spawn(afterstate, random))
    }
    fn write(&self, state: State) -> String {
        either!(self.write(state))
    }
    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.line.write_afterstate(afterstate)
    }
    fn parse(&self, text: &str) -> Result<State, TextError> {
        either!(self.parse(text))
    }
    fn starts(&self) -> Option<Vec<Outcome>> {
        either!(self.starts())
    }
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        either!(self.chance_reward(from, to))
    }
    fn has_chance_rewards(&self) -> bool {
        self.has_chance_rewards
    }
    fn max_tile(&self, state: State) -> Option<u64> {
        either!(self.max_tile(state))
    }
    fn layer(&self, state: State) -> Option<u64> {
        either!(self.layer(state))
    }
    fn transform(&self, state: State, symmetry: usize) -> State {
        either!(self.transform(state, symmetry))
    }
    fn playouts(&self, state: State, games: u64, random: u64) -> Playouts {
        match &self.playouts {
            Some(changed) => changed(&self.line, state, games, random),
            None => runner_core::playouts::play(self, state, games, random),
        }
    }
    fn row_tables(&self) -> Option<&RowTables> {
        self.tables.then_some(&self.line.tables)
    }
}

/// Demands that the mutant breaks this law, and that the report says so in words
/// that contain `saying`.
#[track_caller]
fn caught(mutant: Mutant, law: Law, saying: &str) {
    let violation = runner_laws::check(&mutant, &effort()).expect_err("the mutant was not caught");
    assert_eq!(violation.law, law, "{violation}");
    let report = violation.to_string();
    assert!(report.contains(saying), "`{saying}` is not in: {report}");
    assert!(report.contains(&format!("law {} ({})", law.number(), law.name())), "{report}");
}

/// The outcomes of a line, changed.
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

/// The successors of a line, changed.
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
    // The start of a line is a spawn too; here it keeps to the rules.
    let start = |line: &Line, random| line.spawn(Afterstate::default(), random);
    let (spawn, start) = (Some(Box::new(spawn) as _), Some(Box::new(start) as _));
    Mutant { spawn, start, tables: false, ..Mutant::new() }
}

// Law 1.

#[test]
fn probabilities_that_do_not_sum_to_1() {
    // A millionth off: far above rounding, far below what draws could show.
    caught(with_outcomes(|list| list[0].probability += 1e-6), Law::Outcomes, "sum to 1.000001");
}

#[test]
fn an_outcome_of_probability_0() {
    let mutant = with_outcomes(|list| {
        list[0].probability += list[1].probability;
        list[1].probability = 0.0;
    });
    caught(mutant, Law::Outcomes, "the probability 0, which must be above 0");
}

#[test]
fn an_outcome_listed_twice() {
    let mutant = with_outcomes(|list| {
        list[0].probability /= 2.0;
        let half = list[0];
        list[1] = Outcome { probability: list[1].probability + half.probability, ..half };
    });
    caught(mutant, Law::Outcomes, "among the outcomes twice");
}

#[test]
fn no_outcomes() {
    caught(with_outcomes(Vec::clear), Law::Outcomes, "there are no outcomes");
}

#[test]
fn the_reserved_state_as_an_outcome() {
    let mutant = with_outcomes(|list| list[0].state = State::RESERVED);
    caught(mutant, Law::Outcomes, "the reserved one");
}

#[test]
fn more_outcomes_than_declared() {
    let mutant = Mutant::described(|description| description.max_outcomes = 3);
    caught(mutant, Law::Outcomes, "more outcomes than the 3");
}

#[test]
fn outcomes_added_to_what_is_in_the_buffer() {
    let outcomes = |line: &Line, afterstate, out: &mut Outcomes| {
        let mut fresh = Outcomes::with_capacity(6);
        line.outcomes(afterstate, &mut fresh);
        out.extend_from_slice(&fresh);
    };
    let mutant = Mutant { outcomes: Some(Box::new(outcomes)), tables: false, ..Mutant::new() };
    caught(mutant, Law::Outcomes, "it must clear the buffer");
}

#[test]
fn starts_that_do_not_sum_to_1() {
    let starts = |line: &Line| Some(line.starts()?[1..].to_vec());
    let mutant = Mutant { starts: Some(Box::new(starts)), ..Mutant::new() };
    caught(mutant, Law::Outcomes, "starts: the probabilities sum to 0.75");
}

// Law 2.

#[test]
fn a_spawn_that_prefers_a_cell() {
    // One time in sixteen it is the first empty cell that is filled: of two, 53
    // times in 100. The draws of one afterstate do not show it, their sum does.
    let mutant = with_spawn(|line, afterstate, random| {
        let first = random >> 8 & 15 == 0;
        line.spawn(afterstate, if first { random & u64::from(u32::MAX) } else { random })
    });
    caught(mutant, Law::Spawn, "the lower half of the outcomes came");
}

/// A 4 with probability 0.26 instead of 0.25 is too little for the few draws of
/// any one afterstate; the sum over all shows it.
#[test]
fn a_spawn_with_slightly_too_many_rare_tiles() {
    let line = Line::new();
    let entries = |four| {
        [Entry { rank: 1, probability: 1.0 - four }, Entry { rank: 2, probability: four }].to_vec()
    };
    let (across, down) = line.tables.tables();
    let biased = RowTables::new(1, 3, across.clone(), down.clone(), entries(0.26));
    let mutant = with_spawn(move |_, afterstate, random| biased.spawn(afterstate, random));
    caught(mutant, Law::Spawn, "outcomes rarer than the average came");
}

#[test]
fn a_spawn_outside_of_the_outcomes() {
    // An 8 instead of the 4 that the very last word stands for: the threshold is
    // off by one, which no number of random words would find.
    let mutant = with_spawn(|line, afterstate, random| match random {
        u64::MAX => {
            let mut next = ranks(afterstate.lo);
            let empty = next.iter().position(|&rank| rank == 0).expect("an empty cell");
            next[empty] = 3;
            state(next)
        }
        _ => line.spawn(afterstate, random),
    });
    caught(mutant, Law::Spawn, "not among the outcomes");
}

#[test]
fn a_spawn_that_remembers() {
    let calls = AtomicU64::new(0);
    let mutant = with_spawn(move |line, afterstate, random| {
        line.spawn(afterstate, random ^ calls.fetch_add(1, Ordering::Relaxed) << 63)
    });
    caught(mutant, Law::Spawn, "and then");
}

#[test]
fn a_spawn_that_panics() {
    let mutant = with_spawn(|_, _, _| panic!("no such cell"));
    caught(mutant, Law::Spawn, "panicked: no such cell");
}

#[test]
fn a_start_that_is_not_listed() {
    let start = |_: &Line, _| state([1, 1, 0]);
    let mutant = Mutant { start: Some(Box::new(start)), ..Mutant::new() };
    caught(mutant, Law::Spawn, "`start` with the word");
}

#[test]
fn a_start_with_other_odds_than_the_listed() {
    let starts = |line: &Line| {
        let mut starts = line.starts()?;
        starts[0].probability -= 0.02;
        starts[2].probability += 0.02;
        Some(starts)
    };
    let mutant = Mutant { starts: Some(Box::new(starts)), ..Mutant::new() };
    caught(mutant, Law::Spawn, "of the starts");
}

// Law 3.

#[test]
fn an_action_listed_twice() {
    let mutant = with_successors(|_, list| list.extend(list.first().copied()));
    caught(mutant, Law::Successors, "twice");
}

#[test]
fn actions_out_of_order() {
    caught(with_successors(|_, list| list.reverse()), Law::Successors, "out of the order");
}

#[test]
fn a_reward_that_is_no_number() {
    let mutant = with_successors(|_, list| list.iter_mut().for_each(|s| s.reward = f32::NAN));
    caught(mutant, Law::Successors, "is NaN");
}

#[test]
fn an_action_that_the_description_lacks() {
    let mutant = with_successors(|_, list| {
        list.iter_mut().filter(|s| s.action == LEFT).for_each(|s| s.action = Action(9));
    });
    caught(mutant, Law::Successors, "lists action 9, and the description has 4");
}

#[test]
fn an_action_that_moves_nothing() {
    let mutant = with_successors(|state, list| {
        let still = Afterstate::new(state.lo, 0);
        if !ranks(state.lo).contains(&0) || list.iter().any(|s| s.action == LEFT) {
            return;
        }
        list.push(Successor { action: LEFT, afterstate: still, reward: 0.0 });
    });
    caught(mutant, Law::Successors, "lists `left`, which changes no cell");
}

#[test]
fn successors_added_to_what_is_in_the_buffer() {
    let successors = |line: &Line, state, out: &mut Successors| {
        let mut fresh = Successors::new();
        line.successors(state, &mut fresh);
        fresh.iter().for_each(|s| out.push(s.action, s.afterstate, s.reward));
    };
    let mutant = Mutant { successors: Some(Box::new(successors)), ..Mutant::new() };
    caught(mutant, Law::Successors, "it must clear the buffer");
}

#[test]
fn a_single_successor_that_disagrees_with_the_list() {
    let successor = |line: &Line, state, action| {
        let mut list = Successors::new();
        line.successors(state, &mut list);
        list.of(action).map(|s| Successor { reward: s.reward + 1.0, ..*s })
    };
    let mutant = Mutant { successor: Some(Box::new(successor)), ..Mutant::new() };
    caught(mutant, Law::Successors, "`successor` says");
}

#[test]
fn two_actions_of_one_name() {
    let mutant = Mutant::described(|description| description.actions[2] = "up".into());
    caught(mutant, Law::Successors, "two actions are called `up`");
}

#[test]
fn a_panic_in_the_rules_is_told_with_its_position() {
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

/// The mistake that only a second implementation shows: two merges in one push.
#[test]
fn a_reference_that_disagrees() {
    let line = Line::new();
    let positions = runner_laws::positions(&line, &effort());
    runner_laws::agree_with(&line, &Line::new(), positions.iter().copied());

    let greedy = with_successors(|state, list| {
        for successor in list.iter_mut().filter(|s| s.action == LEFT) {
            let (once, first) = push_left(ranks(state.lo));
            let (again, second) = push_left(once);
            successor.afterstate = Afterstate::new(bits(again), 0);
            successor.reward = first + second;
        }
    });
    let Err(Fault(report)) =
        catch(|| runner_laws::agree_with(&greedy, &line, positions.iter().copied()))
    else {
        panic!("4,2,2 pushed left is 4,4, not 8");
    };
    assert!(report.contains("law 3 (successors) at `") && report.contains("the reference's"));

    let unfair = with_outcomes(|list| {
        list[0].probability -= 1e-6;
        list[1].probability += 1e-6;
    });
    let report = catch(|| runner_laws::agree_with(&unfair, &line, positions)).unwrap_err();
    assert!(report.0.contains("law 1 (outcomes)"), "{report}");
}

// Law 4.

#[test]
fn playouts_that_move_when_the_game_is_over() {
    let playouts = |line: &Line, state, games, random| {
        let played = runner_core::playouts::play(line, state, games, random);
        Playouts { moves: played.moves.max(1), ..played }
    };
    let mutant = Mutant { playouts: Some(Box::new(playouts)), ..Mutant::new() };
    caught(mutant, Law::Terminal, "nothing is legal");
}

#[test]
fn playouts_that_do_not_play() {
    let playouts = |_: &Line, _, games, _| Playouts { games, ..Playouts::default() };
    let mutant = Mutant { playouts: Some(Box::new(playouts)), ..Mutant::new() };
    caught(mutant, Law::Terminal, "though something is legal");
}

// Law 5.

#[test]
fn a_symmetry_with_the_wrong_actions() {
    let mutant = Mutant::described(|description| {
        let board = description.geometry.as_mut().unwrap();
        board.symmetries[1].actions = [0, 1, 2, 3].map(Action).to_vec();
    });
    caught(mutant, Law::Symmetry, "symmetry 1 shows");
}

#[test]
fn a_symmetry_that_moves_the_wrong_cells() {
    let mutant = Mutant::described(|description| {
        let board = description.geometry.as_mut().unwrap();
        board.symmetries[1].cells = vec![1, 0, 2];
    });
    caught(mutant, Law::Symmetry, "symmetry 1 shows");
}

#[test]
fn symmetries_that_are_no_group() {
    let mutant = Mutant::described(|description| {
        let board = description.geometry.as_mut().unwrap();
        board.symmetries[1].cells = vec![1, 2, 0];
    });
    caught(mutant, Law::Symmetry, "symmetry 1 and then 1 is not among the symmetries");
}

#[test]
fn symmetries_without_the_identity() {
    let mutant = Mutant::described(|description| {
        description.geometry.as_mut().unwrap().symmetries.reverse();
    });
    caught(mutant, Law::Symmetry, "symmetry 0 must be the identity");
}

#[test]
fn a_symmetry_that_is_no_permutation() {
    let mutant = Mutant::described(|description| {
        description.geometry.as_mut().unwrap().symmetries[1].cells = vec![2, 2, 0];
    });
    caught(mutant, Law::Symmetry, "no permutation");
}

#[test]
fn a_transformation_that_does_not_compose() {
    // It forgets to mirror full rows.
    let transform = |line: &Line, state: State, symmetry| {
        let full = !ranks(state.lo).contains(&0);
        line.transform(state, if full { 0 } else { symmetry })
    };
    let mutant = Mutant { transform: Some(Box::new(transform)), ..Mutant::new() };
    caught(mutant, Law::Symmetry, "symmetry 1");
}

// Law 6.

#[test]
fn a_text_that_reads_back_as_another_position() {
    // Everything above 8 is written as 8.
    let write = |_: &Line, state: State| {
        let value = |rank: u8| if rank == 0 { 0 } else { 1 << rank.min(3) };
        ranks(state.lo).map(|rank| value(rank).to_string()).join(",")
    };
    let mutant = Mutant { write: Some(Box::new(write)), ..Mutant::new() };
    caught(mutant, Law::Text, "is written for");
}

#[test]
fn a_text_that_is_refused() {
    let parse = |line: &Line, text: &str| match text.find("16") {
        Some(at) => Err(TextError::new(at, "tiles up to 8 are expected")),
        None => line.parse(text),
    };
    let mutant = Mutant { parse: Some(Box::new(parse)), ..Mutant::new() };
    caught(mutant, Law::Text, "its own text is refused: tiles up to 8");
}

#[test]
fn a_text_of_two_lines() {
    let write = |line: &Line, state| line.write(state) + "\n";
    let parse = |line: &Line, text: &str| line.parse(text.trim_end());
    let (write, parse) = (Some(Box::new(write) as _), Some(Box::new(parse) as _));
    caught(Mutant { write, parse, ..Mutant::new() }, Law::Text, "more than one line");
}

#[test]
fn a_reader_that_panics() {
    let parse = |line: &Line, text: &str| {
        text.split(',').for_each(|word| assert!(word.parse::<u64>().is_ok()));
        line.parse(text)
    };
    let mutant = Mutant { parse: Some(Box::new(parse)), ..Mutant::new() };
    caught(mutant, Law::Text, "`parse` panicked");
}

#[test]
fn an_error_beyond_the_text() {
    let parse = |line: &Line, text: &str| {
        line.parse(text).map_err(|error| TextError { at: error.at + text.len() + 1, ..error })
    };
    let mutant = Mutant { parse: Some(Box::new(parse)), ..Mutant::new() };
    caught(mutant, Law::Text, "which is no place in it");
}

#[test]
fn a_text_that_is_read_to_a_position_of_no_text() {
    // A fourth tile is kept where nothing looks for it.
    let parse = |line: &Line, text: &str| match text.rsplit_once(',') {
        Some((three, four)) if three.matches(',').count() == 2 => {
            let state = line.parse(three)?;
            Ok(State::new(state.lo, four.len() as u64))
        }
        _ => line.parse(text),
    };
    let mutant = Mutant { parse: Some(Box::new(parse)), ..Mutant::new() };
    caught(mutant, Law::Text, "is written for");
}

// Law 7.

#[test]
fn a_tile_that_is_not_described() {
    let greatest = |_: &Line, _| Some(3);
    let mutant = Mutant { max_tile: Some(Box::new(greatest)), ..Mutant::new() };
    caught(mutant, Law::Accounts, "the greatest tile Some(3)");
}

#[test]
fn a_layer_that_does_not_rise() {
    let layer = |line: &Line, state| line.max_tile(state);
    let mutant = Mutant { layer: Some(Box::new(layer)), tables: false, ..Mutant::new() };
    caught(mutant, Law::Accounts, "does not rise");
}

#[test]
fn points_from_chance_that_are_not_announced() {
    let mutant = Mutant { has_chance_rewards: false, ..Mutant::new() };
    caught(mutant, Law::Accounts, "has_chance_rewards is false");
}

#[test]
fn points_for_the_start_that_are_not_announced() {
    let given = |_: &Line, from: Option<Afterstate>, _| if from.is_none() { 2f32 } else { 0.0 };
    let chance_reward = Some(Box::new(given) as _);
    let mutant = Mutant { chance_reward, has_chance_rewards: false, ..Mutant::new() };
    caught(mutant, Law::Accounts, "for the start");
}

#[test]
fn points_from_chance_that_are_infinite() {
    let given = |_: &Line, _, _| f32::INFINITY;
    let mutant = Mutant { chance_reward: Some(Box::new(given)), ..Mutant::new() };
    caught(mutant, Law::Accounts, "chance gives inf");
}

#[test]
fn row_tables_of_another_game() {
    let mutant = with_successors(|_, list| list.iter_mut().for_each(|s| s.reward *= 2.0));
    caught(Mutant { tables: true, ..mutant }, Law::Accounts, "the row tables list");
}

#[test]
fn row_tables_with_other_odds() {
    let mutant = with_outcomes(|_| ());
    let mut line = Line::new();
    let (across, down) = line.tables.tables();
    let entries = [Entry { rank: 1, probability: 1.0 }].to_vec();
    line.tables = RowTables::new(1, 3, across.clone(), down.clone(), entries);
    // The draw is the true one's: only the tables are wrong.
    let fair = Line::new();
    let spawn = move |_: &Line, afterstate, random| fair.spawn(afterstate, random);
    let fair = Line::new();
    let start = move |_: &Line, random| fair.start(random);
    let (spawn, start) = (Some(Box::new(spawn) as _), Some(Box::new(start) as _));
    let mutant = Mutant { line, spawn, start, tables: true, ..mutant };
    caught(mutant, Law::Accounts, "the row tables have other outcomes");
}

#[test]
fn row_tables_that_call_the_sum_the_layer_and_it_is_not() {
    let twice = |line: &Line, state| line.layer(state).map(|sum| 2 * sum);
    let mutant = Mutant { layer: Some(Box::new(twice)), tables: true, ..Mutant::new() };
    caught(mutant, Law::Accounts, "the sum of the cells, the layer, and it is");
}

#[test]
fn row_tables_that_draw_differently() {
    // As fair as the tables' draw, with the words' halves exchanged.
    let mutant =
        with_spawn(|line, afterstate, random| line.spawn(afterstate, random.rotate_left(32)));
    caught(Mutant { tables: true, ..mutant }, Law::Accounts, "the row tables spawn");
}

#[test]
fn playouts_with_another_score() {
    // The points from chance are forgotten.
    let playouts = |line: &Line, state, games, random| {
        let silent = Mutant {
            line: line.clone(),
            has_chance_rewards: false,
            chance_reward: Some(Box::new(|_, _, _| 0.0)),
            ..Mutant::new()
        };
        runner_core::playouts::play(&silent, state, games, random)
    };
    let mutant = Mutant { playouts: Some(Box::new(playouts)), ..Mutant::new() };
    caught(mutant, Law::Accounts, "mean score");
}

/// Playouts that draw in another way, but uniformly too, are within the law.
#[test]
fn playouts_of_another_kind_are_allowed() {
    let playouts = |line: &Line, state, games, random| {
        let random = Random::from_word(random).word();
        runner_core::playouts::play(line, state, games, random)
    };
    let mutant = Mutant { playouts: Some(Box::new(playouts)), ..Mutant::new() };
    runner_laws::check(&mutant, &effort()).unwrap();
}

#[test]
fn tiles_that_do_not_ascend() {
    let mutant = Mutant::described(|description| description.tiles.swap(0, 1));
    caught(mutant, Law::Accounts, "do not ascend");
}

// Games of other kinds.

/// A walk on a ring: it never ends, has no board and no tiles.
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
fn a_game_without_end_is_tried_as_far_as_the_limit() {
    let actions = vec!["on".into()];
    let described =
        Description { actions, max_outcomes: 1, tiles: Vec::new(), goal: None, geometry: None };
    let summary = runner_laws::check(&Ring(described), &effort()).unwrap();
    assert_eq!((summary.positions, summary.ended, summary.terminal), (12, 0, 0));
}

/// `hold` is for tests: it panics, and with the whole report.
#[test]
#[should_panic(expected = "the game breaks law 3 (successors) at `")]
fn hold_panics_with_the_report() {
    runner_laws::assert_holds(&with_successors(|_, list| list.reverse()));
}

/// Positions of the caller's own are tried as well.
#[test]
fn a_fault_far_from_ordinary_play_is_found_where_the_caller_points() {
    let rare = state([9, 9, 9]);
    let mutant = || {
        with_successors(move |state, list| {
            if state == rare {
                list.reverse();
            }
        })
    };
    // Reading a spoilt text could reach it as well; no text is tried here.
    let effort = Effort { texts: 0, ..effort() };
    runner_laws::check(&mutant(), &effort).unwrap();
    let violation = runner_laws::check_at(&mutant(), &effort, &[rare]).unwrap_err();
    assert_eq!(violation.position.as_deref(), Some("512,512,512"));
}

//! One game from start to end, playouts, random streams, and the choices of the greedy policy.

use crate::line::{AnyMove, LEFT, Line, RIGHT, episode, long, state};
use runner_core::{
    Action, Afterstate, Agent, Episode, Fault, Game, GreedyPolicy, Playout, Random, Seed, Start,
    State, Successors, Turn, Value, catch, forward_game, play, play_interleaved, playouts,
};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A plain implementation of a game from a start to its end.
fn plain_game(
    line: &Line,
    start: Start,
    random: &mut Random,
    choose: impl Fn(State, &Successors, &mut Random) -> Action,
) -> Episode {
    let Start { mut state, mut score } = start;
    let mut moves = 0;
    loop {
        let mut list = Successors::new();
        line.successors(state, &mut list);
        if list.is_empty() {
            return Episode { score, moves, last: state, finished: true };
        }
        let chosen = *list.of(choose(state, &list, random)).unwrap();
        let next = line.spawn(chosen.afterstate, random.word());
        score += f64::from(chosen.reward);
        score += f64::from(line.chance_reward(Some(chosen.afterstate), next));
        moves += 1;
        state = next;
    }
}

#[test]
fn the_score_is_the_sum_of_the_rewards_and_of_what_chance_gives() {
    let line = Line::new();
    for index in 0..50 {
        let mut random = Random::stream(Seed(1), index);
        let state = line.start(random.word());
        let start = Start { state, score: f64::from(line.chance_reward(None, state)) };
        let expected = plain_game(&line, start, &mut random, |state, successors, random| {
            AnyMove.act(&line, &Turn { state, successors, random: random.word() }).unwrap()
        });
        assert_eq!(episode(&mut AnyMove, index), expected);
        // Chance gives the value of every tile that enters: at least 2 for the
        // start and for every move.
        assert!(expected.score >= 2.0 * (expected.moves + 1) as f64);
    }
}

/// Sets the flag `stop` in its third turn.
#[derive(Clone)]
struct Impatient<'a> {
    stop: &'a AtomicBool,
    turns: u32,
}

impl Agent for Impatient<'_> {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        self.turns += 1;
        if self.turns == 3 {
            self.stop.store(true, Ordering::Relaxed);
        }
        AnyMove.act(game, turn)
    }
}

#[test]
fn stop_flag_ends_a_game_after_the_current_move() {
    let stop = AtomicBool::new(false);
    let mut random = Random::stream(Seed(1), long());
    let mut impatient = Impatient { stop: &stop, turns: 0 };
    let stopped = play(&Line::new(), &mut impatient, &mut random, &stop);
    assert_eq!((stopped.moves, stopped.finished), (3, false));
    // The flag is set: no move is made, and the points of the start position are the score.
    let unplayed = play(&Line::new(), &mut AnyMove, &mut random, &stop);
    assert_eq!((unplayed.moves, unplayed.finished), (0, false));
    assert!(unplayed.score >= 2.0);
}

/// Resigns at once, and stores the positions that `begin` and `end` receive.
#[derive(Clone, Default)]
struct Resigns {
    began: Option<State>,
    ended: Option<State>,
}

impl Agent for Resigns {
    fn begin<G: Game>(&mut self, _: &G, start: State) {
        self.began = Some(start);
    }
    fn act<G: Game>(&mut self, _: &G, _: &Turn<'_>) -> Option<Action> {
        None
    }
    fn end<G: Game>(&mut self, _: &G, last: State) {
        self.ended = Some(last);
    }
}

#[test]
fn an_agent_that_stops_ends_the_game_unfinished() {
    let mut agent = Resigns::default();
    let resigned = episode(&mut agent, long());
    assert_eq!((resigned.moves, resigned.finished), (0, false));
    assert_eq!((agent.began, agent.ended), (Some(resigned.last), Some(resigned.last)));
}

/// Always chooses one action, legal or not.
#[derive(Clone)]
struct Stubborn(Action);

impl Agent for Stubborn {
    fn act<G: Game>(&mut self, _: &G, _: &Turn<'_>) -> Option<Action> {
        Some(self.0)
    }
}

#[test]
fn an_illegal_action_is_a_fault_that_names_the_action_and_the_position() {
    let line = Line::new();
    let mut random = Random::stream(Seed(1), long());
    let start = line.write(line.start(random.clone().word()));
    let never = AtomicBool::new(false);
    let Err(Fault(message)) = catch(|| play(&line, &mut Stubborn(Action(0)), &mut random, &never))
    else {
        panic!("`up` was played on a single row");
    };
    assert_eq!(message, format!("the agent chose `up`, which is not legal in {start}"));
    let unnamed = catch(|| episode(&mut Stubborn(Action(77)), long())).unwrap_err();
    assert!(unnamed.0.contains("`action 77`"), "{unnamed}");
}

#[test]
fn a_panic_is_caught_with_its_message() {
    let caught = catch(|| -> () { panic!("no {}", "luck") }).unwrap_err();
    assert_eq!(caught, Fault::new("panicked: no luck"));
    assert_eq!(
        catch(|| Fault::new("as it is").raise()).map(|_: ()| ()),
        Err(Fault::new("as it is"))
    );
    assert_eq!(catch(|| 5), Ok(5));
}

// Playouts.

/// From `0,2,0` left and right are legal, from `0,0,2` only left is.
#[test]
fn playouts_choose_uniformly_among_the_legal_actions() {
    let counted = Counted { line: Line::new(), chosen: Default::default() };
    let games = 40_000;
    let played = playouts::totals(&counted, state([0, 1, 0]), games, 1);
    assert_eq!((played.games, played.moves), (games, games));
    let [up, right, down, left] = counted.chosen.map(|n| n.into_inner());
    assert_eq!((up, down, right + left), (0, 0, games));
    // Half, within five standard deviations of a fair coin's 40,000 throws (100).
    assert!(right.abs_diff(games / 2) < 500, "{right} to the right of {games}");

    let counted = Counted { line: Line::new(), chosen: Default::default() };
    playouts::totals(&counted, state([0, 0, 1]), 1000, 1);
    assert_eq!(counted.chosen.map(|n| n.into_inner()), [0, 0, 0, 1000]);
}

/// A line on which the first move ends the game. It counts the chosen actions, which it
/// infers from the afterstates that `spawn` receives.
struct Counted {
    line: Line,
    chosen: [std::sync::atomic::AtomicU64; 4],
}

impl Game for Counted {
    forward_game!(|this| this.line; description, start, outcomes, write, write_afterstate, parse);

    fn successors(&self, state: State, out: &mut Successors) {
        self.line.successors(state, out);
        if state == OVER {
            out.clear();
        }
    }

    fn spawn(&self, afterstate: Afterstate, _: u64) -> State {
        let first = afterstate.lo & 15 != 0;
        let action = if first { LEFT } else { RIGHT };
        self.chosen[action.index()].fetch_add(1, Ordering::Relaxed);
        OVER
    }
}

const OVER: State = State::new(0, 1);

/// The mean of playouts is the mean of games that the uniform agent plays.
#[test]
fn playouts_score_what_games_score() {
    let line = Line::new();
    let start = state([0, 1, 0]);
    let games = 20_000u64;
    let played = playouts::general_totals(&line, start, games, 3);
    let (mut sum, mut squares, mut moves) = (0.0, 0.0, 0);
    for index in 0..games {
        let mut random = Random::stream(Seed(2), index);
        let start = Start { state: start, score: 0.0 };
        let uniform = plain_game(&line, start, &mut random, |_, list, random| {
            list[random.below(list.len() as u32) as usize].action
        });
        sum += uniform.score;
        squares += uniform.score * uniform.score;
        moves += uniform.moves;
    }
    let n = games as f64;
    let deviation = (squares / n - (sum / n).powi(2)).sqrt();
    // Five standard errors of the difference of two means.
    let allowed = 5.0 * deviation * (2.0 / n).sqrt();
    assert!((played.score / n - sum / n).abs() < allowed, "{} and {}", played.score / n, sum / n);
    assert!((played.moves as f64 / moves as f64 - 1.0).abs() < 0.05);
}

/// A line whose every position is the same, so that no game ends.
struct Endless(Line);

impl Game for Endless {
    forward_game!(|this| this.0; description, start, outcomes, write, write_afterstate, parse);

    fn successors(&self, _: State, out: &mut Successors) {
        self.0.successors(state([0, 1, 0]), out);
    }

    fn spawn(&self, _: Afterstate, _: u64) -> State {
        state([0, 1, 0])
    }
}

#[test]
fn an_endless_playout_is_a_fault_that_names_the_position() {
    let endless = Endless(Line::new());
    let start = state([0, 1, 0]);
    let mut results = [Playout::default()];
    let Fault(message) = catch(|| endless.playouts(&[start], 1, &mut results)).unwrap_err();
    assert!(message.contains(&endless.write(start)) && message.contains("10,000,000"), "{message}");
}

// Streams.

/// The first words of ten thousand streams of each of two consecutive seeds differ, so all
/// games of a run, and of runs with different seeds, are different.
#[test]
fn streams_are_distinct() {
    let firsts: HashSet<[u64; 2]> = [Seed(1), Seed(2)]
        .into_iter()
        .flat_map(|seed| (0..10_000).map(move |index| Random::stream(seed, index)))
        .map(|mut random| [random.word(), random.word()])
        .collect();
    assert_eq!(firsts.len(), 20_000);
}

/// Published results must be reproducible with a later version. The expected words were computed
/// independently of this code, by the definitions of SplitMix64 and xoshiro256++.
#[test]
fn streams_stay_what_they_are() {
    assert_eq!(Random::stream(Seed(0), 0).word(), 0x5317_5d61_490b_23df);
    assert_eq!(Random::stream(Seed(2048), 7).word(), 0xe7e1_6354_3a85_55c7);
}

#[test]
fn a_number_below_a_bound_is_uniform() {
    let mut random = Random::from_word(5);
    let mut counts = [0u32; 6];
    (0..60_000).for_each(|_| counts[random.below(6) as usize] += 1);
    // 10,000 each, give or take five standard deviations (91).
    assert!(counts.iter().all(|n| n.abs_diff(10_000) < 457), "{counts:?}");
}

// The greedy policy.

/// A value that is this weight times the rank in the first cell.
struct FirstCell(f32);

impl Value for FirstCell {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        assert_eq!(afterstates.len(), values.len());
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.0 * (afterstate.lo & 15) as f32;
        }
    }
}

#[test]
fn the_greedy_policy_adds_reward_and_value() {
    let line = Line::new();
    let state = state([1, 1, 0]);
    let chooses = |weight: f32| {
        let mut list = Successors::new();
        line.successors(state, &mut list);
        let turn = Turn { state, successors: &list, random: 0 };
        GreedyPolicy(Arc::new(FirstCell(weight))).act(&line, &turn)
    };
    // Both ways earn 4 from 2,2,0. Left puts the 4 into the first cell, right
    // leaves the cell empty.
    assert_eq!(chooses(1.0), Some(LEFT));
    assert_eq!(chooses(-1.0), Some(RIGHT));
    // With the weight 0 both are equal, and right is the first of them.
    assert_eq!(chooses(0.0), Some(RIGHT));
}

/// The value of an action is its number.
struct LastAction;

impl Value for LastAction {
    fn evaluate(&self, _: &[Afterstate], _: &mut [f32]) {
        unreachable!("it estimates actions");
    }

    fn estimates_actions(&self) -> bool {
        true
    }

    fn action_values(&self, _: &dyn Game, _: State, successors: &Successors, values: &mut [f32]) {
        for (value, successor) in values.iter_mut().zip(successors.iter()) {
            *value = f32::from(successor.action.0);
        }
    }
}

#[test]
fn action_values_decide_single_and_interleaved_games() {
    let line = Line::new();
    let (mut games, mut ended) = (0..20, Vec::new());
    let next = || games.next().map(|k| (k, Random::stream(Seed(3), k)));
    let player = GreedyPolicy(Arc::new(LastAction));
    let never = AtomicBool::new(false);
    play_interleaved(&line, &player, 4, next, |k, episode| ended.push((k, episode)), &never);
    assert_eq!(ended.len(), 20);
    for (k, episode) in ended {
        let mut random = Random::stream(Seed(3), k);
        assert_eq!(episode, play(&line, &mut GreedyPolicy(&LastAction), &mut random, &never));
        assert!(episode.finished && episode.moves > 0);
    }
    let mut successors = Successors::new();
    line.successors(state([1, 1, 0]), &mut successors);
    let turn = Turn { state: state([1, 1, 0]), successors: &successors, random: 0 };
    let last = successors.iter().map(|s| s.action).max();
    assert_eq!(GreedyPolicy(LastAction).act(&line, &turn), last);
}

//! One move of a game in training: choose, update, apply the chance outcome.

use super::game::TrainingGame;
use crate::rule::Rule;
use crate::starts::{Entrances, Origin, Restarts};
use crate::update::{Step, TrainingContext, UpdateScheme};
use agent_ntuple_network::{Estimates, ValueFunction, WeightIndex, position};
use runner_core::{Action, Exploration, Fault, Game, MAX_ACTIONS, Start, Successor};

/// Number of steps within which prefetched memory is still in the second-level cache: a step
/// that is updated within this distance is prefetched when it is made, without a second
/// access to the trajectory.
const CACHED_STEPS: usize = 8;

pub struct Moves<'a, G, R: Rule> {
    game: &'a G,
    scheme: &'a dyn UpdateScheme<R>,
    /// The behaviour policy; `None` is greedy.
    explore: Option<Exploration>,
    chance_rewards: bool,
    /// True if games keep their positions.
    waypoints: bool,
    /// True if games that did not begin as the rules say end when they change their stage.
    cut: bool,
    /// See [`UpdateScheme::next_update`].
    next_update: Option<usize>,
}

impl<'a, G: Game, R: Rule> Moves<'a, G, R> {
    /// Creates the moves of a game whose steps update weights by a scheme.
    pub fn new(
        game: &'a G,
        scheme: &'a dyn UpdateScheme<R>,
        restarts: Restarts,
        explore: Exploration,
    ) -> Self {
        Self {
            explore: Some(explore).filter(|&explore| explore != Exploration::Greedy),
            game,
            scheme,
            chance_rewards: game.has_chance_rewards(),
            waypoints: restarts.need_positions(),
            cut: restarts.cut_games(),
            next_update: scheme.next_update(),
        }
    }

    /// Makes a move in a game that has legal actions.
    #[inline(always)]
    pub fn make(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: &Entrances<'_>,
    ) {
        if self.waypoints {
            let (state, score) = (game.state, game.score);
            game.waypoints.add(|| Start { state, score });
        }
        game.moves += 1;
        if context.learns != ValueFunction::Afterstates {
            self.make_in_state(game, context, entrances);
            return;
        }
        let n = context.lookup.per_position();
        let (mut best, mut value, mut best_value) = (0, 0.0, f32::NEG_INFINITY);
        for (k, successor) in game.successors.iter().enumerate() {
            let estimate = context.value(&game.indices[k * n..][..n]);
            if successor.reward + estimate > best_value {
                (best, value, best_value) = (k, estimate, successor.reward + estimate);
            }
        }
        if best_value == f32::NEG_INFINITY {
            diverged();
        }
        if let Some(explore) = self.explore {
            (best, value) = explored(explore, game, context);
        }
        let chosen = game.successors[best];
        let reward = game.reward + chosen.reward;
        if let Some(tables) = context.endings
            && let Some(answer) = tables.probe(chosen.afterstate)
        {
            let (afterstate, reward) = tables.after_goal(chosen.afterstate, answer);
            game.score += f64::from(chosen.reward);
            game.reward += chosen.reward;
            let after = Successor { afterstate, reward, ..chosen };
            self.skip_ending(game, context, entrances, answer.1.value, after);
            return;
        }
        self.scheme.moved(context, &mut game.trajectory, reward, value);
        let indices = &game.indices[best * n..][..n];
        game.trajectory.push(indices);
        match self.next_update {
            Some(back) if back < CACHED_STEPS => context.prefetch_memory(indices),
            Some(back) if back < game.trajectory.kept() => {
                context.prefetch_memory(game.trajectory.indices(back));
            }
            Some(_) => {}
            None => {
                let step = Step { position: chosen.afterstate, reward, action: Action(0) };
                game.trajectory.path.push(step);
            }
        }
        let position = indices.first().map_or(0, |index| index.index());
        self.go_on(game, context, entrances, chosen, position);
    }

    /// Continues a game after a step: draws its chance outcome, and notes a stage that it enters, by the
    /// index of a weight of the step.
    #[inline(always)]
    fn go_on(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: &Entrances<'_>,
        step: Successor,
        index: usize,
    ) {
        self.apply_chance(game, context, step);
        if !game.entered.contains(&index) {
            self.enter_stage(game, context, entrances, index);
        }
    }

    /// Plays an ending as one random event, with the probability that a table has for it: the game
    /// continues `after` the goal, or ends. The steps before it get the expectation as their target.
    #[cold]
    fn skip_ending(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: &Entrances<'_>,
        probability: f32,
        after: Successor,
    ) {
        let step = Step { position: after.afterstate, reward: 0.0, action: Action(0) };
        let indices: &mut [WeightIndex] = &mut game.indices[..context.lookup.per_position()];
        context.find(&step, indices);
        let expected = probability * (after.reward + context.value(indices));
        self.scheme.ended(context, &mut game.trajectory, game.reward + expected);
        game.trajectory.clear();
        if game.random.unit() >= f64::from(probability) {
            game.reward = 0.0;
            game.successors.clear();
            return;
        }
        game.trajectory.push(indices);
        if self.next_update.is_none() {
            game.trajectory.path.push(step);
        }
        let position = indices.first().map_or(0, |index| index.index());
        self.go_on(game, context, entrances, after, position);
    }

    /// Makes a move in a game of which states or actions are learned: a step's value is that of
    /// the state before the action, and the action's reward belongs to the next step.
    #[cold]
    fn make_in_state(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: &Entrances<'_>,
    ) {
        let mut values = [0.0; MAX_ACTIONS];
        let values = &mut values[..game.successors.len()];
        let TrainingContext { tables, lookup, promotion, .. } = *context;
        let estimates = Estimates { weights: tables.weights, lookup, promotion };
        match context.learns {
            ValueFunction::Actions => estimates.of_actions(game.state, &game.successors, values),
            _ => estimates.of_outcomes(self.game, &game.successors, values),
        }
        let (mut best, mut best_value) = (0, f32::NEG_INFINITY);
        for (k, &value) in values.iter().enumerate() {
            if value > best_value {
                (best, best_value) = (k, value);
            }
        }
        if best_value == f32::NEG_INFINITY {
            diverged();
        }
        let chosen = game.successors[best];
        let action = context.learns.table(chosen.action);
        let step = Step { position: position(game.state), reward: game.reward, action };
        let indices: &mut [WeightIndex] = &mut game.indices[..context.lookup.per_position()];
        context.find(&step, indices);
        let value = context.value(indices);
        self.scheme.moved(context, &mut game.trajectory, step.reward, value);
        game.trajectory.push(indices);
        if self.next_update.is_none() {
            game.trajectory.path.push(step);
        }
        let position = indices.first().map_or(0, |index| index.index());
        self.apply_chance(game, context, chosen);
        game.reward += chosen.reward;
        if !game.entered.contains(&position) {
            self.enter_stage(game, context, entrances, position);
        }
    }

    /// Draws the chance outcome of an action, and lists the next legal actions.
    #[inline(always)]
    fn apply_chance(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        chosen: Successor,
    ) {
        game.score += f64::from(chosen.reward);
        game.state = self.game.spawn(chosen.afterstate, game.random.word());
        game.reward = 0.0;
        if self.chance_rewards {
            game.reward = self.game.chance_reward(Some(chosen.afterstate), game.state);
            game.score += f64::from(game.reward);
        }
        game.find_actions(self.game, context);
    }

    /// Notes that a game has entered a stage, by the index of a weight of that stage.
    #[cold]
    fn enter_stage(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: &Entrances<'_>,
        index: usize,
    ) {
        let stage = index / context.lookup.per_stage();
        game.enter(stage, self.cut, context);
        // A game that has just ended is no start.
        if stage > 0 && !game.successors.is_empty() {
            entrances.add(stage, Start { state: game.state, score: game.score });
        }
        if self.cut && game.origin != Origin::Rules && !game.successors.is_empty() {
            // The rest of the game is worth what the last position is worth.
            let rest = context.known_value(game.trajectory.indices(0));
            game.cut(rest);
        }
    }

    pub fn end(&self, game: &mut TrainingGame, context: &TrainingContext<'_, R>) {
        self.scheme.ended(context, &mut game.trajectory, game.reward);
    }
}

#[cold]
fn explored<R: Rule>(
    explore: Exploration,
    game: &mut TrainingGame,
    context: &TrainingContext<'_, R>,
) -> (usize, f32) {
    let n = context.lookup.per_position();
    let estimate = |k: usize| context.known_value(&game.indices[k * n..][..n]);
    let mut values = [0.0; MAX_ACTIONS];
    let values = &mut values[..game.successors.len()];
    for (k, (value, successor)) in values.iter_mut().zip(game.successors.iter()).enumerate() {
        *value = successor.reward + estimate(k);
    }
    let chosen = explore.choose(values, &mut game.random);
    (chosen, context.known_value(&game.indices[chosen * n..][..n]))
}

/// Ends a training in which no action has a value above negative infinity: all are NaN.
#[cold]
fn diverged() -> ! {
    Fault::new(
        "the training has diverged: the values of all actions are not finite; use a smaller step \
         size",
    )
    .raise()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learners::td::Td;
    use crate::schedule::Schedule;
    use crate::starts::{Carousel, NewGame};
    use crate::update::Forward;
    use agent_endgame::Tables as EndingTables;
    use agent_ntuple_network::memory::Region;
    use agent_ntuple_network::{Lookup, Network, Stages, Tables, Weight};
    use runner_core::{BuildContext, BuildError, Control, Host, Random, Seed, Spec};
    use runner_endgame::{Objective, Pattern, SubGame, Work, solve};
    use std::sync::Arc;

    /// Plays a game of 2 x 3 cells from its start to its first 8 or beyond, and ends it. Returns
    /// its moves, if it had more legal actions, and if its end changed weights.
    fn play_to_8(carousel: Carousel, origin: Origin) -> (u64, bool, bool) {
        let config = game_2048::Config { rows: 2, cols: 3, ..Default::default() };
        let game = game_2048::Game2048::new(config).unwrap();
        let board = game.description().geometry.clone().unwrap();
        let stages = Stages::read("8", &board).unwrap();
        let network = Network::read("013 0124", &board).unwrap().with_stages(Some(stages));
        let lookup = Lookup::new(&network, &board).unwrap();
        let weights = Region::<Weight>::new(lookup.weights()).unwrap();
        let memory = vec![(); lookup.weights()];
        weights.iter().enumerate().for_each(|(k, weight)| weight.set((k % 7 + 1) as f32));
        let tables = Tables::new(&weights, &memory);
        let context = TrainingContext {
            rule: Td::new(Schedule::Constant(0.5), lookup.per_position()),
            tables,
            lookup: &lookup,
            promotion: None,
            learns: ValueFunction::Afterstates,
            discount: 1.0,
            endings: None,
        };
        let scheme: &dyn UpdateScheme<Td> = &Forward { lambda: 0.0, horizon: 0 };
        let moves = Moves::new(&game, scheme, Restarts::Carousel(carousel), Exploration::Greedy);
        let entrances = Entrances::new(Vec::new(), 2, 10, None);
        let mut playing = TrainingGame::new(lookup.per_position(), scheme.kept_steps());
        let mut random = Random::stream(Seed(3), 1);
        let start = Start { state: game.start(random.word()), score: 0.0 };
        playing.begin(NewGame { start, random, origin }, carousel.cut, &game, &context);
        while entrances.counts() == [0] {
            assert!(!playing.successors.is_empty());
            moves.make(&mut playing, &context, &entrances);
        }
        let continues = !playing.successors.is_empty();
        let bits = || weights.iter().map(|weight| weight.get().to_bits()).collect::<Vec<_>>();
        let before = bits();
        moves.end(&mut playing, &context);
        (playing.moves, continues, bits() != before)
    }

    /// A host that knows a game.
    struct With(game_2048::Config);

    impl Host for With {
        fn threads(&self) -> usize {
            1
        }

        fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
            (0..n).for_each(task);
        }

        fn game(&self, _: &Spec) -> Result<Arc<dyn Game>, BuildError> {
            Ok(Arc::new(game_2048::Game2048::new(self.0.clone()).unwrap()))
        }
    }

    /// Builds a table for three large tiles in a corner of 3 x 3 cells, and opens it.
    fn table(config: &game_2048::Config, game: &impl Game) -> EndingTables {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("corner.table");
        let text = "(name: \"corner\", large: Cells([\"##./#*./...\"]), goal: 16, start_sum: 8)";
        let (pattern, spec) = (Pattern::read(text).unwrap(), "2048(rows: 3, cols: 3)");
        let sub_game = SubGame::new(&pattern, spec, game).unwrap();
        let mut work = Work::open(&file, &pattern.text(), u64::MAX).unwrap();
        let layers = solve(&sub_game, Objective::Goal, &mut work, &|_| Control::Continue).unwrap();
        let (sub_game, pattern) = ((&sub_game, spec), (&pattern, Objective::Goal));
        runner_endgame::save(&file, sub_game, pattern, (&work, layers), 0.0).unwrap();
        work.finish().unwrap();
        let host: Arc<dyn Host> = Arc::new(With(config.clone()));
        let context = BuildContext { game: game.description(), game_spec: spec, host: &host };
        EndingTables::open("endings", file.to_str().unwrap(), &context).unwrap()
    }

    #[test]
    fn endings_of_tables_are_skipped_and_are_the_targets_before_them() {
        let config = game_2048::Config { rows: 3, cols: 3, ..Default::default() };
        let game = game_2048::Game2048::new(config.clone()).unwrap();
        let tables = table(&config, &game);
        let board = game.description().geometry.clone().unwrap();
        let network = Network::read("0134 1245 012", &board).unwrap();
        let lookup = Lookup::new(&network, &board).unwrap();
        let weights = Region::<Weight>::new(lookup.weights()).unwrap();
        weights.iter().enumerate().for_each(|(k, weight)| weight.set((k % 7 + 1) as f32));
        let memory = vec![(); lookup.weights()];
        let context = TrainingContext {
            rule: Td::new(Schedule::Constant(1.0), lookup.per_position()),
            tables: Tables::new(&weights, &memory),
            lookup: &lookup,
            promotion: None,
            learns: ValueFunction::Afterstates,
            discount: 1.0,
            endings: Some(&tables),
        };
        let value = |afterstate| {
            let mut indices = vec![WeightIndex::default(); lookup.per_position()];
            lookup.indices(afterstate, &mut indices);
            context.known_value(&indices)
        };
        let scheme: &dyn UpdateScheme<Td> = &Forward { lambda: 0.0, horizon: 0 };
        let moves = Moves::new(&game, scheme, Restarts::None, Exploration::Greedy);
        let entrances = Entrances::new(Vec::new(), 1, 0, None);
        let mut playing = TrainingGame::new(lookup.per_position(), scheme.kept_steps());
        let (mut targets, mut expected, mut successes) = (0, 0.0, 0);
        for number in 0..20_000 {
            let start = game.parse("64,32,0/128,2,0/0,2,0").unwrap();
            let start = Start { state: start, score: 0.0 };
            let random = Random::stream(Seed(3), number);
            let new = NewGame { start, random, origin: Origin::Given };
            // The table knows every move of these starts that keeps the corner.
            playing.begin(new, false, &game, &context);
            while let Some(before) = (!playing.successors.is_empty()).then_some(playing.score) {
                let of = |next: &Successor| next.reward + value(next.afterstate);
                let next = playing.successors.iter().rev().max_by(|a, b| of(a).total_cmp(&of(b)));
                let next = *next.unwrap();
                let Some(answer) = tables.probe(next.afterstate) else {
                    moves.make(&mut playing, &context, &entrances);
                    continue;
                };
                let (after, points) = tables.after_goal(next.afterstate, answer);
                let probability = answer.1.value;
                let target = next.reward + probability * (points + value(after));
                let last = (playing.trajectory.length() > 0)
                    .then(|| playing.trajectory.indices(0).to_vec())
                    .filter(|last| (1..last.len()).all(|k| !last[..k].contains(&last[k])));
                moves.make(&mut playing, &context, &entrances);
                if let Some(last) = last {
                    let found = context.known_value(&last);
                    assert!((found - target).abs() < 0.01, "{found}, expected {target}");
                    targets += 1;
                }
                let success = !playing.successors.is_empty();
                let earned = next.reward + if success { points } else { 0.0 };
                assert_eq!(playing.score - before, f64::from(earned));
                expected += f64::from(probability);
                successes += u32::from(success);
            }
            moves.end(&mut playing, &context);
        }
        assert!(targets > 100, "{targets}");
        let off = (f64::from(successes) - expected) / expected.sqrt();
        assert!(off.abs() < 4.0, "{successes} of {expected}");
    }

    #[test]
    fn a_cut_game_ends_at_the_next_stage_without_an_error() {
        let cut = Carousel { keep: 10, cut: true, ..Carousel::default() };
        let (length, continues, changed) = play_to_8(cut, Origin::Stage(1));
        assert_eq!((continues, changed), (false, false));
        assert_eq!(play_to_8(cut, Origin::Given), (length, false, false));
        // Without a cut, and from the start of the game, it continues, and ending it changes
        // weights.
        assert_eq!(play_to_8(cut, Origin::Rules), (length, true, true));
        assert_eq!(play_to_8(Carousel::default(), Origin::Stage(1)), (length, true, true));
    }
}

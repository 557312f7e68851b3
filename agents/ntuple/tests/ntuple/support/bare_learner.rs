//! A learner assembled from its parts, so that tests can inspect all of them; and a game that
//! logs what happens in it.

use agent_ntuple::averaging::Average;
use agent_ntuple::rule::Rule;
use agent_ntuple::starts::Restarts;
use agent_ntuple::trainer::{self, TrainingOptions, TrainingState};
use agent_ntuple::update::{TrainingContext, UpdateScheme};
use agent_ntuple_network::memory::{Entries, Region};
use agent_ntuple_network::{
    Inheritance, Lookup, Memory, Network, Promotion, Record, ValueFunction, WeightIndex, sum,
};
use runner_core::geometry::Geometry;
use runner_core::{
    Afterstate, Control, Fault, Game, Host, Seed, SingleThread, State, TrainingBudget,
    TrainingProgress, TrainingSession, forward_game,
};
use std::sync::Mutex;

/// A network, its rule, and its training state.
pub struct BareLearner<R: Rule> {
    pub board: Geometry,
    pub learns: ValueFunction,
    pub network: Network,
    pub lookup: Lookup,
    pub records: Region<Record<R::Memory>>,
    pub inheritance: Inheritance,
    pub restarts: Restarts,
    /// The mean of the weights over the last half of a training, if they are averaged.
    pub average: Option<Average>,
    pub rule: R,
    pub state: TrainingState,
}

impl<R: Rule> BareLearner<R> {
    /// Creates a learner of afterstates. `rule` gets the number of lookups of a position.
    pub fn new<G: Game>(game: &G, network: &str, rule: impl FnOnce(usize) -> R) -> Self {
        Self::of(ValueFunction::Afterstates, game, network, rule)
    }

    pub fn of<G: Game>(
        learns: ValueFunction,
        game: &G,
        network: &str,
        rule: impl FnOnce(usize) -> R,
    ) -> Self {
        let board = game.description().geometry.clone().unwrap();
        let network = Network::read(network, &board).unwrap();
        Self::with_network(learns, game, network, rule)
    }

    /// Creates a learner of a network. Its stages inherit weights.
    pub fn with_network<G: Game>(
        learns: ValueFunction,
        game: &G,
        mut network: Network,
        rule: impl FnOnce(usize) -> R,
    ) -> Self {
        let board = game.description().geometry.clone().unwrap();
        if learns == ValueFunction::Actions {
            network = network.with_actions(game.description().actions.len());
        }
        let lookup = Lookup::new(&network, &board).unwrap();
        Self {
            records: Region::new(lookup.weights()).unwrap(),
            rule: rule(lookup.per_position()),
            inheritance: Inheritance::Weights,
            restarts: Restarts::None,
            average: None,
            state: TrainingState::default(),
            learns,
            board,
            network,
            lookup,
        }
    }

    pub fn train_in<G: Game>(
        &mut self,
        session: &TrainingSession<'_>,
        game: &G,
        scheme: UpdateScheme,
    ) -> Result<TrainingProgress, Fault> {
        let &mut Self { rule, learns, inheritance, restarts, .. } = self;
        let Self { records, lookup, state, average, .. } = self;
        let records = Entries::new(records);
        let promotion = Promotion::new(inheritance, lookup);
        let context =
            TrainingContext { rule, records, lookup, promotion, learns, to_second_level: false };
        let options = TrainingOptions { restarts, average: average.as_ref(), phase: None };
        trainer::train(game, context, scheme, options, session, state)
    }

    pub fn update(&self, position: Afterstate, error: f32) {
        self.rule.update(Entries::new(&self.records), &self.indices(position), error, 1.0);
    }

    fn indices(&self, position: Afterstate) -> Vec<WeightIndex> {
        let mut indices = vec![WeightIndex::default(); self.lookup.per_position()];
        self.lookup.indices(position, &mut indices);
        indices
    }

    /// Trains on one thread, for a budget that is part of a plan.
    pub fn train_part<G: Game>(
        &mut self,
        game: &G,
        scheme: UpdateScheme,
        budget: TrainingBudget,
        plan: TrainingBudget,
    ) -> TrainingProgress {
        let session = TrainingSession { plan, ..session(budget) };
        self.train_in(&session, game, scheme).unwrap()
    }

    pub fn train<G: Game>(
        &mut self,
        game: &G,
        scheme: UpdateScheme,
        budget: TrainingBudget,
    ) -> TrainingProgress {
        self.train_part(game, scheme, budget, TrainingBudget::default())
    }

    pub fn value(&self, position: Afterstate) -> f32 {
        sum(Entries::new(&self.records), &self.indices(position))
    }

    pub fn bits(&self) -> (Vec<u32>, Vec<u32>) {
        let weights = self.records.iter().map(|record| record.weight.get().to_bits()).collect();
        let words = |record: &Record<R::Memory>| -> Vec<u32> {
            (0..R::Memory::WORDS).map(|word| record.memory.word(word)).collect()
        };
        (weights, self.records.iter().flat_map(words).collect())
    }
}

pub const SEED: Seed = Seed(17);

pub fn session(budget: TrainingBudget) -> TrainingSession<'static> {
    TrainingSession { budget, seed: SEED, ..training(&SingleThread) }
}

/// Returns a session that is not stopped by its report.
pub fn training(host: &dyn Host) -> TrainingSession<'_> {
    TrainingSession { seed: SEED, ..TrainingSession::new(host, &|_| Control::Continue) }
}

pub fn moves(moves: u64) -> TrainingBudget {
    TrainingBudget { moves: Some(moves), ..TrainingBudget::default() }
}

pub fn episodes(episodes: u64) -> TrainingBudget {
    TrainingBudget { episodes: Some(episodes), ..TrainingBudget::default() }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// A game began with this random word.
    Started(u64, State),
    /// An action led to an afterstate, and the chance outcome of this random word to a state.
    Moved(Afterstate, u64, State),
    Ended(State),
}

pub struct LoggedGame<G> {
    pub game: G,
    events: Mutex<Vec<Event>>,
}

impl<G: Game> LoggedGame<G> {
    pub fn new(game: G) -> Self {
        Self { game, events: Mutex::default() }
    }

    pub fn events(&self) -> Vec<Event> {
        std::mem::take(&mut self.events.lock().unwrap())
    }

    fn log(&self, event: Event) {
        self.events.lock().unwrap().push(event);
    }
}

impl<G: Game> Game for LoggedGame<G> {
    forward_game!(|this| this.game;
        description, successors, outcomes, write, write_afterstate, parse, chance_reward,
        has_chance_rewards
    );

    fn start(&self, random: u64) -> State {
        let state = self.game.start(random);
        self.log(Event::Started(random, state));
        state
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let state = self.game.spawn(afterstate, random);
        self.log(Event::Moved(afterstate, random, state));
        state
    }

    /// The trainer asks for the max tile once per finished game.
    fn max_tile(&self, state: State) -> Option<u64> {
        self.log(Event::Ended(state));
        self.game.max_tile(state)
    }
}

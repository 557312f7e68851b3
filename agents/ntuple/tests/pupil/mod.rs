//! A network in training, put together from its parts, so that tests see all of
//! them; and a game that tells what became of it.

use agent_ntuple::credit::{Credit, Work};
use agent_ntuple::learned::Learns;
use agent_ntuple::memory::{Cells, Region};
use agent_ntuple::network::{Lookup, Network, Place};
use agent_ntuple::rule::{Memory, Rule, Table, Weight, sum};
use agent_ntuple::trainer::{Life, Training};
use runner_core::board::Geometry;
use runner_core::{
    Afterstate, BuildError, Control, Description, Fault, Game, Host, Outcomes, Seed, SingleThread,
    Spec, State, Successors, TextError, TrainingBudget, TrainingProgress, TrainingSession, Value,
};
use std::sync::{Arc, Mutex};

/// A network, its rule, and what it has lived through.
pub struct Pupil<R: Rule> {
    pub board: Geometry,
    pub learns: Learns,
    pub network: Network,
    pub lookup: Lookup,
    pub weights: Region<Weight>,
    pub memory: Region<R::Memory>,
    pub rule: R,
    pub life: Life,
}

impl<R: Rule> Pupil<R> {
    /// One that knows nothing yet. `rule` is told how many weights a position has.
    pub fn new<G: Game>(game: &G, network: &str, rule: impl FnOnce(usize) -> R) -> Self {
        Self::of(Learns::Afterstates, game, network, rule)
    }

    /// The same that learns something else.
    pub fn of<G: Game>(
        learns: Learns,
        game: &G,
        network: &str,
        rule: impl FnOnce(usize) -> R,
    ) -> Self {
        let board = game.description().geometry.clone().unwrap();
        let mut network = Network::read(network, &board).unwrap();
        if learns == Learns::Actions {
            network = network.with_actions(game.description().actions.len());
        }
        let lookup = Lookup::new(&network, &board).unwrap();
        Self {
            weights: Region::new(lookup.weights()).unwrap(),
            memory: Region::new(lookup.weights()).unwrap(),
            rule: rule(lookup.per_position()),
            life: Life::default(),
            learns,
            board,
            network,
            lookup,
        }
    }

    /// Trains with everything that a session says.
    pub fn attend<G: Game>(
        &mut self,
        game: &G,
        credit: &dyn Credit<R>,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        let Self { weights, memory, lookup, rule, life, learns, .. } = self;
        let table = table::<R>(weights, memory, lookup);
        let work = Work { rule: *rule, table, lookup, learns: *learns };
        Training::run(game, work, credit, session, life)
    }

    /// Corrects the estimate of a position, which was wrong by this error.
    pub fn correct(&self, position: Afterstate, error: f32) {
        let table = table::<R>(&self.weights, &self.memory, &self.lookup);
        self.rule.update(table, &self.places(position), error, 1.0);
    }

    fn places(&self, position: Afterstate) -> Vec<Place> {
        let mut places = vec![Place::default(); self.lookup.per_position()];
        self.lookup.places(position, &mut places);
        places
    }

    /// Trains on one thread, by a plan of its own.
    pub fn train_by<G: Game>(
        &mut self,
        game: &G,
        credit: &dyn Credit<R>,
        budget: TrainingBudget,
        plan: TrainingBudget,
    ) -> TrainingProgress {
        let report = |_: &TrainingProgress| Control::Continue;
        let session = TrainingSession {
            budget,
            plan,
            seed: SEED,
            ..TrainingSession::new(&SingleThread, &report)
        };
        self.attend(game, credit, &session).unwrap()
    }

    /// Trains on one thread.
    pub fn train<G: Game>(
        &mut self,
        game: &G,
        credit: &dyn Credit<R>,
        budget: TrainingBudget,
    ) -> TrainingProgress {
        self.train_by(game, credit, budget, TrainingBudget::default())
    }

    /// What it thinks that a position is worth.
    pub fn value(&self, position: Afterstate) -> f32 {
        let table = table::<R>(&self.weights, &self.memory, &self.lookup);
        sum(table.weights, &self.places(position))
    }

    /// The bits of all weights, and of all that is remembered of them.
    pub fn bits(&self) -> (Vec<u32>, Vec<u32>) {
        let weights = self.weights.iter().map(|weight| weight.get().to_bits()).collect();
        let words = |memory: &R::Memory| -> Vec<u32> {
            (0..R::Memory::WORDS).map(|word| memory.word(word)).collect()
        };
        (weights, self.memory.iter().flat_map(words).collect())
    }
}

fn table<'a, R: Rule>(
    weights: &'a [Weight],
    memory: &'a [R::Memory],
    lookup: &Lookup,
) -> Table<'a, R::Memory> {
    // SAFETY: only places of this lookup are asked for.
    unsafe { Table { weights: Cells::new(weights, lookup), memory: Cells::new(memory, lookup) } }
}

/// The seed of all trainings here.
pub const SEED: Seed = Seed(17);

/// A budget of moves.
pub fn moves(moves: u64) -> TrainingBudget {
    TrainingBudget { moves: Some(moves), ..TrainingBudget::default() }
}

/// A budget of games.
pub fn episodes(episodes: u64) -> TrainingBudget {
    TrainingBudget { episodes: Some(episodes), ..TrainingBudget::default() }
}

/// Some threads.
pub struct Threads(pub usize);

impl Host for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            (0..n).for_each(|k| drop(scope.spawn(move || task(k))));
        });
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        SingleThread.value(spec)
    }
}

/// What happens in games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// One began, with this random word.
    Started(u64, State),
    /// A player went to an afterstate, and chance, with this random word, on.
    Went(Afterstate, u64, State),
    /// One is over.
    Ended(State),
}

/// A game that notes what happens in it.
pub struct Watched<G> {
    pub game: G,
    events: Mutex<Vec<Event>>,
}

impl<G: Game> Watched<G> {
    pub fn new(game: G) -> Self {
        Self { game, events: Mutex::default() }
    }

    /// What has happened since this was asked the last time.
    pub fn events(&self) -> Vec<Event> {
        std::mem::take(&mut self.events.lock().unwrap())
    }

    fn note(&self, event: Event) {
        self.events.lock().unwrap().push(event);
    }
}

impl<G: Game> Game for Watched<G> {
    fn description(&self) -> &Description {
        self.game.description()
    }

    fn start(&self, random: u64) -> State {
        let state = self.game.start(random);
        self.note(Event::Started(random, state));
        state
    }

    fn successors(&self, state: State, out: &mut Successors) {
        self.game.successors(state, out);
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.game.outcomes(afterstate, out);
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let state = self.game.spawn(afterstate, random);
        self.note(Event::Went(afterstate, random, state));
        state
    }

    fn write(&self, state: State) -> String {
        self.game.write(state)
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.game.write_afterstate(afterstate)
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        self.game.parse(text)
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        self.game.chance_reward(from, to)
    }

    fn has_chance_rewards(&self) -> bool {
        self.game.has_chance_rewards()
    }

    /// Asked for when a game is over, for the statistics.
    fn max_tile(&self, state: State) -> Option<u64> {
        self.note(Event::Ended(state));
        self.game.max_tile(state)
    }
}

//! Plugins that do in safe code all that the compiler allows with the objects that they borrow:
//! they exchange them, keep copies, and send them to other threads.

use runner_core::{
    Action, Afterstate, Agent, AgentPlugin, BuildContext, BuildError, Control, Description, Fault,
    Game, GameContext, GamePlugin, Host, Learner, LearnerPlugin, ModelFormat, Outcomes, Playout,
    Plugin, State, Successors, TextError, TrainingProgress, TrainingSession, Turn, Value,
    ValuePlugin,
};
use std::mem;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

/// The hosts that games, agents and learners were built with.
pub static KEPT: Mutex<Vec<Arc<dyn Host>>> = Mutex::new(Vec::new());

/// Keeps a host, and calls it on another thread.
fn keep(host: &Arc<dyn Host>) {
    KEPT.lock().unwrap().push(host.clone());
    let host = host.clone();
    assert_eq!(thread::spawn(move || host.threads()).join().unwrap(), 1);
}

/// A walk from 0 to 5, on which chance stays or adds 1.
pub struct GraspingGame {
    description: Description,
    /// The list that the previous call took from its caller. The next caller gets it instead of its
    /// own one.
    list: Mutex<Successors>,
}

const END: u64 = 5;

impl Game for GraspingGame {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, _: u64) -> State {
        State::default()
    }

    fn successors(&self, state: State, out: &mut Successors) {
        let mut list = self.list.lock().unwrap();
        mem::swap(&mut *list, out);
        let mut taken = mem::replace(out, Successors::new());
        taken.clear();
        if state.lo < END {
            taken.push(Action(0), Afterstate::new(state.lo, 0), 1.0);
        }
        *out = taken;
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        // The lists cannot be exchanged, because they are unsized; their items can be copied.
        let mut own = Outcomes::with_capacity(5);
        own.push(0.25, State::new(afterstate.lo + 1, 0));
        own.push(0.75, State::new(afterstate.lo, 0));
        out.clear();
        out.extend_from_slice(&own);
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        State::new(afterstate.lo + u64::from(random.is_multiple_of(4)), 0)
    }

    fn write(&self, state: State) -> String {
        state.lo.to_string()
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        afterstate.lo.to_string()
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        let lo = text.parse().map_err(|_| TextError::new(0, "a number is expected"))?;
        Ok(State::new(lo, 0))
    }

    fn canonical_states(&self, mut states: &mut [State]) {
        let mut own = vec![State::new(7, 0); states.len()];
        own.swap_with_slice(states);
        mem::take(&mut states).copy_from_slice(&own);
    }

    fn playouts(&self, starts: &[State], _: u64, results: &mut [Playout]) {
        let mut own = vec![Playout::default(); results.len()];
        own.swap_with_slice(results);
        for (result, &last) in results.iter_mut().zip(starts) {
            *result = Playout { last, ..Playout::default() };
        }
    }
}

impl Plugin for GraspingGame {
    const NAME: &'static str = "grasping";
    const ABOUT: &'static str = "a game that exchanges lists";
    const VERSION: &'static str = "1.0.0";
    type Config = ();
}

impl GamePlugin for GraspingGame {
    fn new((): (), context: &GameContext<'_>) -> Result<Self, BuildError> {
        keep(context.host);
        let actions = vec!["on".to_owned()];
        let description = Description { actions, max_outcomes: 2, ..Description::default() };
        Ok(Self { description, list: Mutex::new(Successors::new()) })
    }
}

/// Asks its game on other threads, and on those of its host.
#[derive(Clone)]
pub struct GraspingAgent {
    host: Arc<dyn Host>,
}

impl Agent for GraspingAgent {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        let decide = || {
            let mut list = Successors::new();
            game.successors(turn.state, &mut list);
            assert_eq!(list[..], turn.successors[..]);
            self.host.for_each(2, &|_| {
                game.spawn(list[0].afterstate, turn.random);
            });
            list[0].action
        };
        thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(decide));
            threads.map(|thread| thread.join().expect("it decides")).first().copied()
        })
    }
}

impl Plugin for GraspingAgent {
    const NAME: &'static str = "grasping-agent";
    const ABOUT: &'static str = "an agent that sends its game to other threads";
    const VERSION: &'static str = "1.0.0";
    type Config = ();
}

impl AgentPlugin for GraspingAgent {
    fn new((): (), context: &BuildContext<'_>) -> Result<Self, BuildError> {
        keep(context.host);
        Ok(Self { host: context.host.clone() })
    }
}

/// Counts moves, on other threads than that of the session.
#[derive(Default)]
pub struct GraspingLearner(Mutex<TrainingProgress>);

impl Value for GraspingLearner {
    fn evaluate(&self, afterstates: &[Afterstate], mut values: &mut [f32]) {
        let mut own = vec![1.0; afterstates.len()];
        own.swap_with_slice(values);
        assert_eq!(mem::take(&mut values).len(), own.len());
    }
}

impl Learner for GraspingLearner {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        let step = || {
            session.host.for_each(2, &|i| assert_eq!(game.start(i as u64), State::default()));
            let mut progress = self.0.lock().unwrap();
            progress.moves += session.starts.len() as u64;
            (session.report)(&progress) == Control::Continue
        };
        thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(step));
            assert!(threads.into_iter().all(|thread| thread.join().expect("it steps")));
        });
        Ok(self.progress())
    }

    fn progress(&self) -> TrainingProgress {
        self.0.lock().unwrap().clone()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        vec![ModelFormat::new("none", "nothing")]
    }

    fn save(&self, _: &Path, _: &str) -> Result<(), Fault> {
        Ok(())
    }

    fn load(&self, _: &[&Path]) -> Result<(), Fault> {
        Ok(())
    }
}

impl Plugin for GraspingLearner {
    const NAME: &'static str = "grasping-learner";
    const ABOUT: &'static str = "a learner that sends its session to other threads";
    const VERSION: &'static str = "1.0.0";
    type Config = ();
}

impl ValuePlugin for GraspingLearner {
    fn new((): (), context: &BuildContext<'_>) -> Result<Self, BuildError> {
        keep(context.host);
        Ok(Self::default())
    }
}

impl LearnerPlugin for GraspingLearner {}

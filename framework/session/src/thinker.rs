//! A player that thinks on its own thread, so that the screen stays responsive: [`Thinker`].

use super::timeline::Move;
use runner_core::{Agent, Analysis, Game, Random, State, Successors, Turn, catch};
use runner_play::failure::Failure;
use runner_play::player::NamedPlayer;
use runner_play::registry::LoadedGame;
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub const THREAD: &str = "thinker";

/// A position to think about.
#[derive(Clone, Debug)]
pub struct Task {
    pub state: State,
    pub score: f64,
    /// The stream of the game, before the words that this decision draws.
    pub random: Random,
    pub goal: Goal,
}

/// The goal of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Only an analysis of the position.
    Analysis,
    /// An analysis, then moves for this time. The first move is the choice of the analysis.
    Moves(Duration),
}

/// The result of a task.
#[derive(Clone, Debug)]
pub struct Thought {
    pub task: Task,
    pub analysis: Analysis,
    /// Time of the analysis.
    pub elapsed: Duration,
    /// The moves that were made.
    pub moves: Vec<Move>,
    /// Moves per second of the player.
    pub speed: f64,
    /// The stream of the game after `moves`.
    pub random: Random,
    /// True if the thread makes further moves from here, without another task.
    pub continues: bool,
}

/// Number of thoughts that may wait to be received: the thread is at most this far ahead.
const WAITING: usize = 1;

/// A player on its own thread, which does one task at a time. After a task with moves, the thread
/// continues from the position after these without a new task, so that it does not wait for the
/// screen. [`stop`](Self::stop) ends this.
pub struct Thinker {
    pub player: NamedPlayer,
    tasks: Sender<Task>,
    thoughts: Receiver<Result<Thought, String>>,
    /// True until the last thought of a task is received.
    busy: bool,
    /// When the task began, or its last thought was received.
    began: Instant,
    /// False if the thread is not to continue after its task.
    may_continue: Arc<AtomicBool>,
}

impl Thinker {
    pub fn start(game: LoadedGame, player: NamedPlayer) -> Result<Self, Failure> {
        let (tasks, incoming) = channel::<Task>();
        let (outgoing, thoughts) = sync_channel(WAITING);
        let may_continue = Arc::new(AtomicBool::new(false));
        let (flag, named) = (may_continue.clone(), player.clone());
        start_thread(THREAD, move || {
            let mut worker = Worker { game, named, last: None, successors: Successors::new() };
            let mut next_task = None;
            while let Some(task) = next_task.take().or_else(|| incoming.recv().ok()) {
                let mut thought = catch(|| worker.think(task)).map_err(|fault| fault.0);
                match &mut thought {
                    Ok(thought) => {
                        next_task = worker.continuation(thought).filter(|_| flag.load(Relaxed));
                        thought.continues = next_task.is_some();
                    }
                    // After a fault, the player begins a new game.
                    Err(_) => worker.last = None,
                }
                if outgoing.send(thought).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { player, tasks, thoughts, busy: false, began: Instant::now(), may_continue })
    }

    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// Returns the time that the player has been thinking; `None` if it is not.
    pub fn time(&self) -> Option<Duration> {
        self.busy.then(|| self.began.elapsed())
    }

    /// Begins a task.
    ///
    /// # Panics
    ///
    /// If another one is under way.
    pub fn begin(&mut self, task: Task) {
        assert!(!self.busy, "one task at a time");
        self.may_continue.store(task.goal != Goal::Analysis, Relaxed);
        self.began = Instant::now();
        self.busy = self.tasks.send(task).is_ok();
    }

    /// Makes the thread stop after the moves under way, instead of continuing.
    pub fn stop(&self) {
        self.may_continue.store(false, Relaxed);
    }

    /// Receives the next thought, or the fault of the player; `None` if there is none yet.
    pub fn receive(&mut self) -> Option<Result<Thought, String>> {
        match self.thoughts.try_recv() {
            Ok(thought) => {
                self.began = Instant::now();
                self.busy = thought.as_ref().is_ok_and(|thought| thought.continues);
                Some(thought)
            }
            Err(TryRecvError::Empty) => None,
            // Plugins cannot cause this, because the thread catches their faults.
            Err(TryRecvError::Disconnected) => {
                take(&mut self.busy).then(|| Err("the thread of the player has ended".into()))
            }
        }
    }
}

/// Starts a thread with a name.
pub fn start_thread(
    name: &str,
    task: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, Failure> {
    let started = thread::Builder::new().name(name.into()).spawn(task);
    started.map_err(|error| Failure::failed(format!("cannot start a thread: {error}")))
}

/// The state of the thread.
struct Worker {
    game: LoadedGame,
    named: NamedPlayer,
    /// The last position of the player's game. At any other position, it begins a new game.
    last: Option<State>,
    successors: Successors,
}

impl Worker {
    fn think(&mut self, task: Task) -> Thought {
        let rules = self.game.rules.clone();
        let (state, goal) = (task.state, task.goal);
        let mut random = task.random.clone();
        let mut thought = Thought {
            analysis: Analysis::default(),
            elapsed: Duration::ZERO,
            moves: Vec::new(),
            speed: 0.0,
            random: task.random.clone(),
            continues: false,
            task,
        };
        let call = self.game.calls.enter(&self.named.label, "analyse");
        if self.last != Some(state) {
            self.named.player.begin(&*rules, state);
        }
        self.last = Some(state);
        rules.successors(state, &mut self.successors);
        if self.successors.is_empty() {
            return thought;
        }
        let began = Instant::now();
        let turn = Turn { state, successors: &self.successors, random: random.word() };
        thought.analysis = self.named.player.analyse(&*rules, &turn);
        thought.elapsed = began.elapsed();
        thought.speed = 1.0 / thought.elapsed.as_secs_f64().max(1e-9);
        drop(call);
        if let Goal::Moves(time) = goal {
            self.play(&mut thought, random, began + time);
        }
        thought
    }

    /// Adds moves to a thought until `end`. The first move is the choice of the analysis, whose
    /// word is already drawn from `random`.
    fn play(&mut self, thought: &mut Thought, mut random: Random, end: Instant) {
        let rules = self.game.rules.clone();
        let call = self.game.calls.enter(&self.named.label, "act");
        let began = Instant::now();
        let mut score = thought.task.score;
        let mut choice = thought.analysis.choice;
        while let Some(chosen) = choice.and_then(|action| self.successors.of(action)).copied() {
            let next = rules.spawn(chosen.afterstate, random.word());
            let made = Move::new(&*rules, score, chosen, next);
            score = made.score;
            thought.moves.push(made);
            // The word of the next turn is not drawn yet: a task may continue from here.
            thought.random = random.clone();
            self.last = Some(next);
            rules.successors(next, &mut self.successors);
            if self.successors.is_empty() || Instant::now() >= end {
                break;
            }
            let turn = Turn { state: next, successors: &self.successors, random: random.word() };
            choice = self.named.player.act(&*rules, &turn);
            call.progress();
        }
        if thought.moves.len() > 1 {
            // The first choice was made before `began`.
            let moves = (thought.moves.len() - 1) as f64;
            thought.speed = moves / began.elapsed().as_secs_f64().max(1e-9);
        }
    }

    /// Returns the task of further moves; `None` if a thought has no move, or the game is over.
    fn continuation(&self, thought: &Thought) -> Option<Task> {
        let made = thought.moves.last().filter(|_| !self.successors.is_empty())?;
        let (random, goal) = (thought.random.clone(), thought.task.goal);
        Some(Task { state: made.next, score: made.score, random, goal })
    }
}

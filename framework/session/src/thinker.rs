//! The player on its own thread: the screen stays responsive while it thinks.

use super::timeline::Move;
use runner_core::{Agent, Analysis, Game, Random, State, Successors, Turn, catch};
use runner_play::failure::Failure;
use runner_play::player::NamedPlayer;
use runner_play::registry::LoadedGame;
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
    /// The stream of the game, before the words of this decision.
    pub random: Random,
    /// Time for which moves are made; `None` analyses the position only.
    pub play: Option<Duration>,
}

/// The result of a task.
#[derive(Clone, Debug)]
pub struct Thought {
    pub task: Task,
    /// Analysis of the position; the first move is its choice.
    pub analysis: Analysis,
    /// Time of the analysis.
    pub elapsed: Duration,
    /// The moves that were made.
    pub moves: Vec<Move>,
    /// Moves per second of the player.
    pub speed: f64,
    /// The stream of the game after them.
    pub random: Random,
    /// True if the player makes further moves, without another task.
    pub continues: bool,
}

/// Number of thoughts that may wait. The player is at most this far ahead of the screen.
const WAITING: usize = 1;

/// A player on its own thread. It does one task at a time. A task with moves is followed by one
/// from the position after them, so the player does not wait for the screen. `stop` ends this.
pub struct Thinker {
    pub player: NamedPlayer,
    tasks: Sender<Task>,
    thoughts: Receiver<Result<Thought, String>>,
    busy: bool,
    /// When the task began.
    began: Instant,
    /// False if a task is not followed by another one.
    continues: Arc<AtomicBool>,
}

impl Thinker {
    pub fn start(game: LoadedGame, player: NamedPlayer) -> Result<Self, Failure> {
        let (tasks, incoming) = channel::<Task>();
        let (outgoing, thoughts) = sync_channel(WAITING);
        let continues = Arc::new(AtomicBool::new(false));
        let (wanted, named) = (continues.clone(), player.clone());
        start_thread(THREAD, move || {
            let mut mind = Mind { game, named, last: None, successors: Successors::new() };
            let mut next = None;
            while let Some(task) = next.take().or_else(|| incoming.recv().ok()) {
                let mut thought = catch(|| mind.think(task)).map_err(|fault| fault.0);
                match &mut thought {
                    Ok(thought) => {
                        next = mind.next(thought).filter(|_| wanted.load(Relaxed));
                        thought.continues = next.is_some();
                    }
                    // The player's memory of the game may be damaged.
                    Err(_) => mind.last = None,
                }
                if outgoing.send(thought).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { player, tasks, thoughts, busy: false, began: Instant::now(), continues })
    }

    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// Returns the time since the task under way began; `None` without one.
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
        self.continues.store(task.play.is_some(), Relaxed);
        self.began = Instant::now();
        self.busy = self.tasks.send(task).is_ok();
    }

    /// Ends a run of moves with the task under way.
    pub fn stop(&self) {
        self.continues.store(false, Relaxed);
    }

    /// Returns the result of the task, or its fault, if it is done.
    pub fn result(&mut self) -> Option<Result<Thought, String>> {
        match self.thoughts.try_recv() {
            Ok(thought) => {
                self.began = Instant::now();
                self.busy = thought.as_ref().is_ok_and(|thought| thought.continues);
                Some(thought)
            }
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.busy.then(|| Err("the thread of the player has ended".into()))
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

/// The player and the last position that it has seen.
struct Mind {
    game: LoadedGame,
    named: NamedPlayer,
    /// The last position; a task with another one is another game for the player.
    last: Option<State>,
    successors: Successors,
}

impl Mind {
    fn think(&mut self, task: Task) -> Thought {
        let rules = self.game.rules.clone();
        let mut thought = Thought {
            analysis: Analysis::default(),
            elapsed: Duration::ZERO,
            moves: Vec::new(),
            speed: 0.0,
            random: task.random.clone(),
            continues: false,
            task,
        };
        let Task { state, ref random, play, .. } = thought.task;
        let mut random = random.clone();
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
        if let Some(time) = play {
            self.play(&mut thought, random, began + time);
        }
        thought
    }

    /// Makes moves until this time: first the choice of the analysis, whose word has been drawn from
    /// `random`.
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
            // The first one was an analysis.
            let moves = (thought.moves.len() - 1) as f64;
            thought.speed = moves / began.elapsed().as_secs_f64().max(1e-9);
        }
    }

    /// Returns the task after a thought: further moves, unless there were none or the game is over.
    fn next(&self, thought: &Thought) -> Option<Task> {
        let made = thought.moves.last().filter(|_| !self.successors.is_empty())?;
        let (random, play) = (thought.random.clone(), thought.task.play);
        Some(Task { state: made.next, score: made.score, random, play })
    }
}

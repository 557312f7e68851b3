//! A game that browsers watch. A [`Room`] is its handle. The session runs on another thread, the
//! [`RoomThread`], which ends [`GRACE`] after the last viewer has left.

use super::frame::{About, Frame, Verdict};
use super::refusal::Refusal;
use super::review::Review;
use runner_core::{Action, Fault, Game, Seed, State, catch};
use runner_play::chances::Chances;
use runner_play::failure::{Failure, attributed};
use runner_play::player::NamedPlayer;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::watched::WatchedGame;
use runner_session::command::Command;
use runner_session::session::{Mover, SPEEDS, Session, Setup};
use runner_session::thinker::start_thread;
use serde::Serialize;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// Shortest time between two frames: less than 1/60 s, which shows 60 moves per second one by one.
const FRAME_INTERVAL: Duration = Duration::from_millis(15);
/// Shortest time between two updates of a review.
const REVIEW_INTERVAL: Duration = Duration::from_millis(250);
/// Time without a viewer after which a game ends. Until then a page can be reloaded.
pub const GRACE: Duration = Duration::from_secs(10);
/// Interval at which a game without viewers looks for one.
const UNWATCHED_INTERVAL: Duration = Duration::from_millis(50);
/// Number of requests that may wait.
const MAX_REQUESTS: usize = 64;

/// An order of a viewer to a game.
pub enum GameOrder {
    /// A command of the session. An action of the person takes over if the player is moving.
    Command(Command),
    /// Begin a new game at a position.
    Begin(State),
    /// Begin a new game at the shown position with one cell changed.
    Edit {
        /// The cell, counted row by row.
        cell: usize,
        rank: u8,
    },
    Player(Box<NamedPlayer>),
    /// Judge all moves.
    Review,
    /// Return the game as a record file.
    Record,
}

/// The answer to an order: the bytes of the file for [`GameOrder::Record`], [`DONE`] for the
/// others, or the reason why the order is refused.
type Answer = Result<Vec<u8>, Failure>;

const DONE: Vec<u8> = Vec::new();

struct Request {
    order: GameOrder,
    answer: oneshot::Sender<Answer>,
}

/// What viewers see of a game, as JSON; empty as long as there is nothing to send.
#[derive(Clone, Default)]
pub struct View {
    pub about: Arc<str>,
    pub frame: Arc<str>,
    /// `null` when a review that was shown is hidden.
    pub review: Arc<str>,
    /// The fault that ended the game.
    pub ended: Option<Arc<str>>,
}

/// The handle of a game that browsers watch.
pub struct Room {
    pub game: LoadedGame,
    requests: SyncSender<Request>,
    view: watch::Sender<View>,
    thread: JoinHandle<()>,
}

impl Room {
    /// Opens a game. It is played only while it has viewers.
    pub fn open(setup: Setup, registry: &Arc<Registry>) -> Result<Self, Failure> {
        let (game, seed, registry) = (setup.game.clone(), setup.seed, registry.clone());
        let mut suspects = vec![game.label.clone()];
        suspects.extend(setup.player.iter().map(|player| player.label.clone()));
        let session = Session::new(setup)?;
        let (requests, incoming) = sync_channel(MAX_REQUESTS);
        let view = watch::Sender::new(View::default());
        let mut room_thread = RoomThread {
            session,
            registry,
            chances: Chances::default(),
            seed,
            view: view.clone(),
            verdict: None,
            is_recorded: false,
            review: None,
            reviewed_game: None,
            edited_game: None,
            suspects,
        };
        room_thread.update_about();
        let thread = start_thread("room", move || room_thread.run(&incoming))?;
        Ok(Self { game, requests, view, thread })
    }

    pub fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    pub fn viewers(&self) -> usize {
        self.view.receiver_count()
    }

    /// Returns the view and its changes. A receiver counts as a viewer until it is dropped.
    pub fn watch(&self) -> watch::Receiver<View> {
        self.view.subscribe()
    }

    /// Gives an order, and waits until the game has followed it. Returns the bytes of the file for
    /// [`GameOrder::Record`], and nothing for the others.
    pub async fn order(&self, order: GameOrder) -> Result<Vec<u8>, Refusal> {
        let (answer, reply) = oneshot::channel();
        // A request that cannot be queued is dropped with its `answer`, and `reply` fails at once.
        let _ = self.requests.try_send(Request { order, answer });
        match reply.await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(Refusal::busy("the game has ended, or waits for too many orders")),
        }
    }
}

/// The verdict on the last move that a person made, and the place of this move.
struct LastVerdict {
    /// Number of the session's game.
    game: u64,
    /// Number of moves up to and with the judged one.
    at: usize,
    verdict: Verdict,
}

impl LastVerdict {
    /// Returns the verdict if its move is the one before the cursor.
    fn shown_in(&self, session: &Session) -> Option<&Verdict> {
        let timeline = session.timeline();
        let last = timeline.last_move()?;
        let is_shown = self.game == session.number()
            && self.at == timeline.at()
            && last.by_person
            && last.action == self.verdict.action;
        is_shown.then_some(&self.verdict)
    }
}

/// The state of a room on its thread. Games are numbered by [`Session::number`].
struct RoomThread {
    session: Session,
    registry: Arc<Registry>,
    /// The chances of the player in this game.
    chances: Chances,
    seed: Seed,
    view: watch::Sender<View>,
    verdict: Option<LastVerdict>,
    /// True if [`View::about`] describes a recorded game.
    is_recorded: bool,
    /// The review that is running.
    review: Option<Review>,
    /// The game whose review is shown.
    reviewed_game: Option<u64>,
    /// The last game that began at a position of a person.
    edited_game: Option<u64>,
    /// The game and the player: a fault may be that of a player that cannot be copied.
    suspects: Vec<String>,
}

impl RoomThread {
    fn run(mut self, requests: &Receiver<Request>) {
        if let Err(fault) = catch(|| self.play(requests)).flatten() {
            let suspects: Vec<_> = self.suspects.iter().map(String::as_str).collect();
            let message = attributed(&fault.0, &suspects);
            self.view.send_modify(|view| view.ended = Some(message.into()));
        }
        self.review = None;
        // The room counts as open until its player has stopped thinking.
        while self.session.rest() {
            thread::sleep(UNWATCHED_INTERVAL);
        }
    }

    /// Plays and answers requests until there has been no viewer for [`GRACE`].
    fn play(&mut self, requests: &Receiver<Request>) -> Result<(), Fault> {
        let mut last_viewer = Instant::now();
        let mut next_frame = Instant::now();
        let mut next_review = Instant::now() + REVIEW_INTERVAL;
        // True if the session differs from the last frame.
        let mut changed = true;
        loop {
            let now = Instant::now();
            // Longest wait for a request.
            let mut patience = UNWATCHED_INTERVAL;
            if self.view.receiver_count() > 0 {
                last_viewer = now;
                changed |= self.session.tick(now)?;
                if changed && now >= next_frame {
                    self.show()?;
                    changed = false;
                    next_frame = now + FRAME_INTERVAL;
                }
                if self.review.is_some() && now >= next_review {
                    self.show_review()?;
                    next_review = now + REVIEW_INTERVAL;
                }
                patience = self.session.patience(now);
                if changed {
                    patience = patience.min(next_frame.saturating_duration_since(now));
                }
            } else if now.duration_since(last_viewer) >= GRACE {
                return Ok(());
            } else {
                // A new viewer gets a frame at once.
                changed = true;
            }
            match requests.recv_timeout(patience) {
                Ok(Request { order, answer }) => {
                    let result = self.obey(order, Instant::now())?;
                    // The client may have disconnected.
                    let _ = answer.send(result);
                    changed = true;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// Follows an order. A refused order is an answer; a fault ends the game.
    fn obey(&mut self, order: GameOrder, now: Instant) -> Result<Answer, Fault> {
        if let Err(failure) = self.check(&order) {
            return Ok(Err(failure));
        }
        match order {
            GameOrder::Command(Command::Act { action }) => self.act(action, now)?,
            GameOrder::Command(command) => drop(self.session.obey(command, now)?),
            GameOrder::Begin(state) => self.begin_at(state, now)?,
            GameOrder::Edit { cell, rank } => return self.edit(cell, rank, now),
            GameOrder::Player(player) => {
                self.suspects = vec![self.session.game().label.clone(), player.label.clone()];
                if let Err(failure) = self.session.set_player(*player) {
                    return Ok(Err(failure));
                }
                self.verdict = None;
                self.update_about();
                self.hide_review();
            }
            GameOrder::Review => {
                // Otherwise the next game may begin and hide the review.
                self.session.obey(Command::Cancel, now)?;
                return Ok(self.begin_review());
            }
            GameOrder::Record => return Ok(self.record()),
        }
        Ok(Ok(DONE))
    }

    /// Refuses an action or a speed that does not exist. [`Self::edit`] checks cells.
    fn check(&self, order: &GameOrder) -> Result<(), Failure> {
        let (field, number, count) = match *order {
            GameOrder::Command(Command::Act { action }) => {
                let actions = &self.session.game().rules.description().actions;
                ("action", action.into(), actions.len())
            }
            GameOrder::Command(Command::Speed { place }) => ("place", place, SPEEDS.len()),
            _ => return Ok(()),
        };
        if number < count {
            return Ok(());
        }
        Err(Failure::usage(format!("`{field}` is {number}; 0 to {} are allowed", count - 1)))
    }

    /// Makes a move of the person. Its verdict comes from the opinion before the move.
    fn act(&mut self, action: u8, now: Instant) -> Result<(), Fault> {
        if self.session.mover() == Mover::Player {
            self.session.obey(Command::TakeOver, now)?;
        }
        let timeline = self.session.timeline();
        let before = timeline.at();
        let replaces_moves = timeline.next_move().is_some();
        let verdict = match self.session.opinion() {
            Some(opinion) if self.session.has_opinion() => {
                Verdict::of(&opinion.analysis, timeline.score(), Action(action))
            }
            _ => None,
        };
        self.session.obey(Command::Act { action }, now)?;
        let at = self.session.timeline().at();
        let was_legal = at > before;
        if was_legal {
            let game = self.session.number();
            self.verdict = verdict.map(|verdict| LastVerdict { game, at, verdict });
            if replaces_moves {
                self.hide_review();
            }
        }
        Ok(())
    }

    fn begin_at(&mut self, state: State, now: Instant) -> Result<(), Fault> {
        self.session.begin_at(state, now)?;
        self.edited_game = Some(self.session.number());
        Ok(())
    }

    /// Begins a game with one cell changed, if the rules accept the position.
    fn edit(&mut self, cell: usize, rank: u8, now: Instant) -> Result<Answer, Fault> {
        let rules = WatchedGame::of(self.session.game());
        let Some(board) = &rules.description().geometry else {
            return Ok(Err(Failure::usage("this game has no board")));
        };
        if cell >= board.cells() || usize::from(rank) >= board.values.len() {
            let (last_cell, last_rank) = (board.cells() - 1, board.values.len() - 1);
            let message = format!("cells are 0 to {last_cell}, ranks 0 to {last_rank}");
            return Ok(Err(Failure::usage(message)));
        }
        let bits = self.session.timeline().state().bits();
        let edited = State::from_bits(board.with_rank(bits, cell, rank));
        // The rules check a position only when they read its text.
        match catch(|| rules.parse(&rules.write(edited)))? {
            Ok(state) => self.begin_at(state, now)?,
            Err(error) => return Ok(Err(Failure::usage(error))),
        }
        Ok(Ok(DONE))
    }

    fn begin_review(&mut self) -> Answer {
        let timeline = self.session.timeline();
        match self.session.player() {
            Some(player) if timeline.moves() > 0 => {
                self.reviewed_game = Some(self.session.number());
                self.review =
                    Some(Review::start(self.session.game(), player, timeline, self.seed)?);
                Ok(DONE)
            }
            _ => Err(Failure::usage("there are no moves to judge")),
        }
    }

    fn record(&self) -> Answer {
        let failed = |error| Failure::failed(format!("cannot write the record: {error}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        let file = folder.path().join("game.rec");
        self.session.save_as(&file)?;
        Ok(runner_files::read(&file)?)
    }

    /// Renews [`View::about`] and the chances, which depend on the player.
    fn update_about(&mut self) {
        self.is_recorded = self.session.recorded_agent().is_some();
        self.chances = match self.session.player() {
            Some(named) => self.registry.chances(&self.session.game().spec, &named.spec),
            None => Chances::default(),
        };
        let about = json(&About::of(&self.session, &self.registry));
        self.view.send_modify(|view| view.about = about);
    }

    /// Sends a frame. First hides the review of an earlier game, and renews [`View::about`] if a
    /// recorded game was continued or replaced.
    fn show(&mut self) -> Result<(), Fault> {
        if self.reviewed_game.is_some_and(|number| number != self.session.number()) {
            self.hide_review();
        }
        if self.is_recorded && self.session.recorded_agent().is_none() {
            self.update_about();
        }
        let verdict = self.verdict.as_ref().and_then(|last| last.shown_in(&self.session));
        let is_from_start = self.edited_game != Some(self.session.number());
        let frame =
            catch(|| json(&Frame::of(&self.session, verdict, is_from_start, &self.chances)))?;
        self.view.send_modify(|view| view.frame = frame);
        Ok(())
    }

    /// Ends and hides the review after the moves or the player have changed.
    fn hide_review(&mut self) {
        self.review = None;
        self.reviewed_game = None;
        self.view.send_if_modified(|view| {
            let is_shown = !view.review.is_empty();
            if is_shown {
                view.review = "null".into();
            }
            is_shown
        });
    }

    fn show_review(&mut self) -> Result<(), Fault> {
        let Some(review) = &mut self.review else { return Ok(()) };
        review.update();
        let shown = catch(|| json(&review.shown()))?;
        if review.is_done() {
            self.review = None;
        }
        self.view.send_modify(|view| view.review = shown);
        Ok(())
    }
}

fn json(value: &impl Serialize) -> Arc<str> {
    serde_json::to_string(value).expect("the keys of its maps are texts").into()
}

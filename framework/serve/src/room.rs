//! A game that browsers watch: a session on its own thread, which ends after some time without
//! viewers.

use super::frame::{About, Frame, Verdict};
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

/// Shortest time between two frames: 60 moves per second are seen one by one.
const FRAME: Duration = Duration::from_millis(15);
/// Shortest time between two states of a review.
const REVIEW: Duration = Duration::from_millis(250);
/// Time without a viewer after which a game ends: a page may be loaded again.
pub const GRACE: Duration = Duration::from_secs(10);
/// Longest wait for a request while there are no viewers.
const UNWATCHED: Duration = Duration::from_millis(50);
/// Number of requests that may wait.
const REQUESTS: usize = 64;

/// An order to a game.
pub enum GameOrder {
    /// A command. A person who makes a move takes over if the player moves.
    Command(Command),
    /// Begin at a position.
    Begin(State),
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

/// The answer to an order: the bytes of a file, or nothing.
type Answer = Result<Vec<u8>, Failure>;

struct Request {
    order: GameOrder,
    answer: oneshot::Sender<Answer>,
}

/// The view of a game, as JSON.
#[derive(Clone, Default)]
pub struct View {
    pub about: Arc<str>,
    pub frame: Arc<str>,
    /// The state of a review; empty before the first one, and `null` after it is hidden.
    pub review: Arc<str>,
    /// The reason why the game has ended.
    pub ended: Option<Arc<str>>,
}

/// A game that browsers watch.
pub struct Room {
    pub game: LoadedGame,
    requests: SyncSender<Request>,
    view: watch::Sender<View>,
    thread: JoinHandle<()>,
}

impl Room {
    /// Opens a game. It waits for its first viewer.
    pub fn open(setup: Setup, registry: &Arc<Registry>) -> Result<Self, Failure> {
        let (game, seed, registry) = (setup.game.clone(), setup.seed, registry.clone());
        let session = Session::new(setup)?;
        let (requests, incoming) = sync_channel(REQUESTS);
        let view = watch::Sender::new(View::default());
        let mut host = Host {
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
            suspects: vec![game.label.clone()],
        };
        host.describe();
        let thread = start_thread("room", move || host.run(&incoming))?;
        Ok(Self { game, requests, view, thread })
    }

    pub fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    pub fn viewers(&self) -> usize {
        self.view.receiver_count()
    }

    /// Returns the view and its changes. The game counts a viewer until it is dropped.
    pub fn watch(&self) -> watch::Receiver<View> {
        self.view.subscribe()
    }

    /// Gives an order; `None` if the game has ended or too many orders wait.
    pub async fn order(&self, order: GameOrder) -> Option<Answer> {
        let (answer, reply) = oneshot::channel();
        self.requests.try_send(Request { order, answer }).ok()?;
        reply.await.ok()
    }
}

/// The verdict on a move of a person.
struct Judged {
    game: u64,
    /// Number of moves after the move.
    at: usize,
    verdict: Verdict,
}

impl Judged {
    /// Returns the verdict if its move is the one before the cursor.
    fn shown_in(&self, session: &Session) -> Option<&Verdict> {
        let timeline = session.timeline();
        let is_shown = self.game == session.number()
            && self.at == timeline.at()
            && timeline
                .last_move()
                .is_some_and(|last| last.by_person && last.action == self.verdict.action);
        is_shown.then_some(&self.verdict)
    }
}

/// The thread of a room.
struct Host {
    session: Session,
    registry: Arc<Registry>,
    /// The chances of the player in this game.
    chances: Chances,
    seed: Seed,
    view: watch::Sender<View>,
    /// The verdict on a person's last move.
    verdict: Option<Judged>,
    /// True if the shown description is that of a recorded game.
    is_recorded: bool,
    review: Option<Review>,
    /// Number of the game of the last review.
    reviewed_game: Option<u64>,
    /// Number of the last game that began at a position of a person.
    edited_game: Option<u64>,
    /// Plugins that may have caused a fault.
    suspects: Vec<String>,
}

impl Host {
    fn run(mut self, requests: &Receiver<Request>) {
        if let Err(fault) = catch(|| self.play(requests)).flatten() {
            let suspects: Vec<_> = self.suspects.iter().map(String::as_str).collect();
            let message = attributed(&fault.0, &suspects);
            self.view.send_modify(|view| view.ended = Some(message.into()));
        }
        self.review = None;
        // The room counts until its player has finished thinking.
        while self.session.rest() {
            thread::sleep(UNWATCHED);
        }
    }

    fn play(&mut self, requests: &Receiver<Request>) -> Result<(), Fault> {
        let mut last_viewer = Instant::now();
        let mut next_frame = Instant::now();
        let mut next_review = Instant::now() + REVIEW;
        let mut changed = true;
        loop {
            let now = Instant::now();
            let mut patience = UNWATCHED;
            if self.view.receiver_count() > 0 {
                last_viewer = now;
                changed |= self.session.tick(now)?;
                if changed && now >= next_frame {
                    self.show()?;
                    changed = false;
                    next_frame = now + FRAME;
                }
                if self.review.is_some() && now >= next_review {
                    self.show_review()?;
                    next_review = now + REVIEW;
                }
                patience = self.session.patience(now);
                if changed {
                    patience = patience.min(next_frame.saturating_duration_since(now));
                }
            } else if now.duration_since(last_viewer) >= GRACE {
                return Ok(());
            } else {
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
                self.describe();
                self.hide_review();
            }
            GameOrder::Review => {
                // The game that is judged stays.
                self.session.obey(Command::Cancel, now)?;
                return Ok(self.begin_review());
            }
            GameOrder::Record => return Ok(self.record()),
        }
        Ok(Ok(Vec::new()))
    }

    /// Refuses numbers out of range.
    fn check(&self, order: &GameOrder) -> Result<(), Failure> {
        let (what, number, count) = match *order {
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
        Err(Failure::usage(format!("`{what}` is {number}; 0 to {} are allowed", count - 1)))
    }

    fn act(&mut self, action: u8, now: Instant) -> Result<(), Fault> {
        if self.session.mover() == Mover::Player {
            self.session.obey(Command::TakeOver, now)?;
        }
        let timeline = self.session.timeline();
        let (before, replaces) = (timeline.at(), timeline.next_move().is_some());
        let verdict = match self.session.opinion() {
            Some(opinion) if self.session.has_opinion() => {
                Verdict::of(&opinion.analysis, timeline.score(), Action(action))
            }
            _ => None,
        };
        self.session.obey(Command::Act { action }, now)?;
        let at = self.session.timeline().at();
        if at > before {
            let game = self.session.number();
            self.verdict = verdict.map(|verdict| Judged { game, at, verdict });
            if replaces {
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

    /// Changes a cell, if the rules accept the position.
    fn edit(&mut self, cell: usize, rank: u8, now: Instant) -> Result<Answer, Fault> {
        let rules = WatchedGame::of(self.session.game());
        let Some(board) = &rules.description().geometry else {
            return Ok(Err(Failure::usage("this game has no board")));
        };
        if cell >= board.cells() || usize::from(rank) >= board.values.len() {
            let (cells, ranks) = (board.cells() - 1, board.values.len() - 1);
            let message = format!("cells are 0 to {cells}, ranks 0 to {ranks}");
            return Ok(Err(Failure::usage(message)));
        }
        let bits = self.session.timeline().state().bits();
        let edited = State::from_bits(board.with_rank(bits, cell, rank));
        // The text of a position is checked when it is read.
        match catch(|| rules.parse(&rules.write(edited)))? {
            Ok(state) => self.begin_at(state, now)?,
            Err(error) => return Ok(Err(Failure::usage(error))),
        }
        Ok(Ok(Vec::new()))
    }

    fn begin_review(&mut self) -> Answer {
        let timeline = self.session.timeline();
        let Some(player) = self.session.player().filter(|_| timeline.moves() > 0) else {
            return Err(Failure::usage("there are no moves to judge"));
        };
        self.reviewed_game = Some(self.session.number());
        self.review = Some(Review::start(self.session.game(), player, timeline, self.seed)?);
        Ok(Vec::new())
    }

    fn record(&self) -> Answer {
        let failed = |error| Failure::failed(format!("cannot write the record: {error}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        let file = folder.path().join("game.rec");
        self.session.save_as(&file)?;
        Ok(runner_files::read(&file)?)
    }

    fn describe(&mut self) {
        self.is_recorded = self.session.recorded_agent().is_some();
        let player = self.session.player();
        let chances =
            player.map(|named| self.registry.chances(&self.session.game().spec, &named.spec));
        self.chances = chances.unwrap_or_default();
        let about = json(&About::of(&self.session, &self.registry));
        self.view.send_modify(|view| view.about = about);
    }

    fn show(&mut self) -> Result<(), Fault> {
        if self.reviewed_game.is_some_and(|number| number != self.session.number()) {
            self.hide_review();
        }
        if self.is_recorded && self.session.recorded_agent().is_none() {
            self.describe();
        }
        let verdict = self.verdict.as_ref().and_then(|judged| judged.shown_in(&self.session));
        let is_from_start = self.edited_game != Some(self.session.number());
        let frame =
            catch(|| json(&Frame::of(&self.session, verdict, is_from_start, &self.chances)))?;
        self.view.send_modify(|view| view.frame = frame);
        Ok(())
    }

    /// Ends the review, and hides it: it is not of these moves and this player.
    fn hide_review(&mut self) {
        (self.review, self.reviewed_game) = (None, None);
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

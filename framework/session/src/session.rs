//! A session without its screen: the game, who plays it, the speed, and the player's opinion. The
//! screen calls [`Session::tick`] at intervals, and [`Session::obey`] for each command.

use super::command::{Arrow, Command};
use super::thinker::{Goal, Task, Thinker, Thought};
use super::timeline::{Move, Timeline};
use runner_core::{Action, Analysis, Fault, Game, Random, Seed, State, Successors, catch};
use runner_play::calls::{Calls, Overdue};
use runner_play::failure::Failure;
use runner_play::luck::{Events, Luck, Summary};
use runner_play::player::NamedPlayer;
use runner_play::position::metadata;
use runner_play::registry::LoadedGame;
use runner_play::watched::WatchedGame;
use runner_records::{Encoder, RecordWriter, Starts};
use runner_spec::quantity::{counted, grouped};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The speeds in moves per second. The last one is full speed: as fast as possible.
pub const SPEEDS: [f64; 10] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 100.0, 200.0, f64::INFINITY];

/// At full speed, time for which the player makes moves before they are shown.
const SLICE: Duration = Duration::from_millis(50);

/// A player that thinks for this time is shown to be thinking.
const LONG: Duration = Duration::from_secs(2);

/// At full speed, number of moves of a recorded game in each tick.
const RECORDED_SLICE: usize = 20;

/// Time from the end of a player's game to its next one.
const PAUSE: Duration = Duration::from_secs(4);

/// Time in each tick in which luck is measured.
const LUCK_TIME: Duration = Duration::from_millis(5);

/// Who makes the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    Player,
    /// The person at the keyboard.
    Person,
}

/// What happens to the game until the next command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Playback {
    /// Moves are shown or made, the next one at this time. At the end of the game, and before the
    /// move of a person, nothing happens.
    Playing(Instant),
    Paused,
    /// The player has failed. It is asked again after the next command.
    Failed,
    /// The player has played the game to its end. The next game begins at this time.
    Ended(Instant),
}

/// The player's analysis of a position.
#[derive(Clone, Debug)]
pub struct Opinion {
    pub state: State,
    pub analysis: Analysis,
    pub elapsed: Duration,
}

/// The start of a session.
pub struct Setup {
    pub game: LoadedGame,
    pub player: Option<NamedPlayer>,
    pub seed: Seed,
    /// The first game.
    pub timeline: Timeline,
    /// The stream of the first game.
    pub random: Random,
    /// Spec of the agent that played the first game, if it is a recorded one.
    pub recorded_agent: Option<String>,
    /// Index in [`SPEEDS`].
    pub speed: usize,
    /// File to save a game in; if `None`, each game is saved in a new file.
    pub records: Option<PathBuf>,
    /// True if a person plays, to whom the player's opinion is shown on request.
    pub person_plays: bool,
}

impl Setup {
    /// Returns the setup of a session without a player, at the lowest speed.
    pub fn new(game: LoadedGame, seed: Seed, timeline: Timeline, random: Random) -> Self {
        Self {
            game,
            player: None,
            seed,
            timeline,
            random,
            recorded_agent: None,
            speed: 0,
            records: None,
            person_plays: false,
        }
    }
}

enum SessionPlayer {
    None,
    /// A description of the player while it is loaded.
    Loading(String),
    Ready(Box<Thinker>),
}

/// Where the first moves of the current game come from.
enum Origin {
    Session,
    /// A record, whose agent has this spec.
    Record(String),
    /// A record that a person has continued.
    Continued(String),
}

pub struct Session {
    game: LoadedGame,
    seed: Seed,
    timeline: Timeline,
    /// The stream of the current game.
    random: Random,
    origin: Origin,
    player: SessionPlayer,
    /// Index in [`SPEEDS`].
    speed: usize,
    records: Option<PathBuf>,
    person_plays: bool,
    number: u64,
    /// The legal actions at the cursor.
    legal: Successors,
    mover: Mover,
    playback: Playback,
    opinion: Option<Opinion>,
    /// Moves per second of the player.
    measured: Option<f64>,
    /// The digits of the number of a move that is being typed.
    typed: Option<String>,
    /// [`thinking`](Self::thinking) at the last tick.
    shown_thinking: Option<Duration>,
    message: String,
    /// The position for which the person has asked for the opinion.
    hinted: Option<State>,
    /// The luck of the moves, if the player has a value that measures it.
    luck_events: Option<Events>,
}

/// Returns what measures luck by the value of a player, if it has one.
fn luck_events(game: &LoadedGame, player: &NamedPlayer) -> Option<Events> {
    let luck = Luck::of_player(game, player)?;
    catch(|| Events::new(luck, &WatchedGame::of(game))).ok()
}

impl Session {
    pub fn new(setup: Setup) -> Result<Self, Failure> {
        let Setup { game, seed, timeline, random, speed, records, person_plays, .. } = setup;
        let luck_events = setup.player.as_ref().and_then(|player| luck_events(&game, player));
        let is_watched = setup.player.is_some() || setup.recorded_agent.is_some();
        let mover = if is_watched && !person_plays { Mover::Player } else { Mover::Person };
        let player = match setup.player {
            Some(named) => SessionPlayer::Ready(Box::new(Thinker::start(game.clone(), named)?)),
            None => SessionPlayer::None,
        };
        let origin = setup.recorded_agent.map_or(Origin::Session, Origin::Record);
        let mut session = Self {
            game,
            seed,
            timeline,
            random,
            origin,
            player,
            speed,
            records,
            person_plays,
            number: 0,
            legal: Successors::new(),
            mover,
            playback: Playback::Playing(Instant::now()),
            opinion: None,
            measured: None,
            typed: None,
            shown_thinking: None,
            message: String::new(),
            hinted: None,
            luck_events,
        };
        catch(|| session.update_position())?;
        Ok(session)
    }

    pub fn game(&self) -> &LoadedGame {
        &self.game
    }

    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    pub fn player(&self) -> Option<&NamedPlayer> {
        self.thinker().map(|thinker| &thinker.player)
    }

    fn thinker(&self) -> Option<&Thinker> {
        match &self.player {
            SessionPlayer::Ready(thinker) => Some(thinker),
            SessionPlayer::None | SessionPlayer::Loading(_) => None,
        }
    }

    /// Returns the spec of the agent of a recorded game that no person has continued.
    pub fn recorded_agent(&self) -> Option<&str> {
        match &self.origin {
            Origin::Record(agent) => Some(agent),
            Origin::Session | Origin::Continued(_) => None,
        }
    }

    pub fn mover(&self) -> Mover {
        self.mover
    }

    pub fn legal(&self) -> &Successors {
        &self.legal
    }

    pub fn is_paused(&self) -> bool {
        matches!(self.playback, Playback::Paused | Playback::Failed)
    }

    /// Returns true if the position at the cursor is the end of a game.
    pub fn is_over(&self) -> bool {
        self.legal.is_empty()
    }

    pub fn speed(&self) -> f64 {
        SPEEDS[self.speed]
    }

    /// Returns how long the player has been thinking, in whole seconds, if that is long.
    pub fn thinking(&self) -> Option<Duration> {
        let time = self.thinker()?.time()?;
        (time >= LONG).then(|| Duration::from_secs(time.as_secs()))
    }

    pub fn measured(&self) -> Option<f64> {
        self.measured
    }

    /// Returns the last opinion. At full speed, it may be that of an earlier position.
    pub fn opinion(&self) -> Option<&Opinion> {
        self.opinion.as_ref()
    }

    /// Returns the opinion that is shown. While moves are made, it may be that of an earlier
    /// position; otherwise it is that of the position at the cursor.
    pub fn shown_opinion(&self) -> Option<&Opinion> {
        let is_hidden = self.hides_opinion() && self.hinted != Some(self.timeline().state());
        let is_shown = !is_hidden && (self.has_opinion() || self.is_moving());
        self.opinion.as_ref().filter(|_| is_shown)
    }

    /// Returns true if a person plays and sees the opinion only on request.
    pub fn hides_opinion(&self) -> bool {
        self.person_plays && self.mover == Mover::Person
    }

    /// Returns the luck of the game up to the cursor, if it is known.
    pub fn luck(&self) -> Option<Summary> {
        self.luck_events.as_ref()?.summary(self.timeline().at())
    }

    /// Continues to measure the luck up to the cursor. Returns true once that becomes known.
    fn measure_luck(&mut self) -> bool {
        let Self { luck_events: Some(events), game, timeline, .. } = self else { return false };
        if events.summary(timeline.at()).is_some() {
            return false;
        }
        let made = timeline.all_moves().take(timeline.at());
        let moves = made.map(|(_, made)| (made.afterstate, made.next));
        let until = Some(Instant::now() + LUCK_TIME);
        if catch(|| events.measure(&WatchedGame::of(game), timeline.start(), moves, until)).is_err()
        {
            // The game continues without luck.
            self.luck_events = None;
        }
        self.luck().is_some()
    }

    fn forget_later_luck(&mut self) {
        self.luck_events.iter_mut().for_each(|events| events.truncate(self.timeline.at()));
    }

    /// Returns true if the opinion is that of the position at the cursor.
    pub fn has_opinion(&self) -> bool {
        self.opinion.as_ref().is_some_and(|opinion| opinion.state == self.timeline().state())
    }

    /// Returns the number of the game, counted from 0 in the session.
    pub fn number(&self) -> u64 {
        self.number
    }

    fn overdue(&self) -> Option<Overdue> {
        let player = self.player()?;
        // An overdue call of this label may be that of another session, or of a review.
        if self.thinking()? < Calls::LIMIT {
            return None;
        }
        self.game.calls.overdue(Calls::LIMIT).filter(|call| call.whose == player.label)
    }

    pub fn message(&self) -> String {
        if let Some(call) = self.overdue() {
            return call.to_string();
        }
        if let Some(digits) = &self.typed {
            format!("go to move: {digits}_ (enter, or esc)")
        } else if !self.message.is_empty() {
            self.message.clone()
        } else if let Playback::Ended(_) = self.playback {
            format!("game over: the next one begins in {} seconds, esc stays", PAUSE.as_secs())
        } else if self.is_over() {
            "game over: r begins a new game, b goes back".into()
        } else if let SessionPlayer::Loading(description) = &self.player {
            description.clone()
        } else {
            String::new()
        }
    }

    /// Returns the time after which [`tick`](Self::tick) is to be called again.
    pub fn patience(&self, now: Instant) -> Duration {
        const IDLE: Duration = Duration::from_millis(200);
        const BUSY: Duration = Duration::from_millis(10);
        const SHORTEST: Duration = Duration::from_millis(1);
        let is_measuring = self.luck_events.is_some() && self.luck().is_none();
        if is_measuring || self.is_thinking() {
            return BUSY;
        }
        match self.playback {
            Playback::Playing(due) if self.is_moving() => {
                due.saturating_duration_since(now).clamp(SHORTEST, IDLE)
            }
            _ => IDLE,
        }
    }

    /// Returns true if a move will be shown or made without a command.
    fn is_moving(&self) -> bool {
        let has_next = self.timeline.next_move().is_some();
        let plays = self.mover == Mover::Player && self.thinker().is_some() && !self.is_over();
        matches!(self.playback, Playback::Playing(_)) && (has_next || plays)
    }

    /// Does what is due. Returns true if the screen has changed.
    pub fn tick(&mut self, now: Instant) -> Result<bool, Fault> {
        let mut changed = self.take_thought(now)?;
        if let Playback::Ended(next) = self.playback
            && now >= next
        {
            catch(|| self.begin_another(now))?;
            changed = true;
        }
        if let Playback::Playing(due) = self.playback
            && self.is_moving()
            && now >= due
        {
            changed |= catch(|| self.advance(due, now))?;
        }
        changed |= self.measure_luck();
        self.give_task();
        let thinking = self.thinking();
        changed |= thinking != self.shown_thinking;
        self.shown_thinking = thinking;
        Ok(changed)
    }

    fn take_thought(&mut self, now: Instant) -> Result<bool, Fault> {
        let SessionPlayer::Ready(thinker) = &mut self.player else { return Ok(false) };
        match thinker.receive() {
            None => return Ok(false),
            Some(Err(fault)) => {
                self.playback = Playback::Failed;
                self.message = format!("the player failed: {fault}");
            }
            Some(Ok(thought)) => catch(|| self.accept(thought, now))?,
        }
        Ok(true)
    }

    /// Uses a thought of the player, unless a command has moved the cursor since it began.
    fn accept(&mut self, thought: Thought, now: Instant) {
        self.measured = Some(thought.speed);
        if thought.task.state != self.timeline().state() {
            self.stop_thinker();
            return;
        }
        let Thought { task, analysis, elapsed, moves, random, .. } = thought;
        self.opinion = Some(Opinion { state: task.state, analysis, elapsed });
        if !moves.is_empty() && !self.is_paused() && self.mover == Mover::Player {
            self.forget_later_luck();
            for made in moves {
                self.timeline.make(made);
            }
            self.random = random;
            self.update_position();
            self.continue_at(now, now);
        } else {
            self.stop_thinker();
        }
    }

    /// Stops the moves that the thinker makes without a task: they do not belong to the game.
    fn stop_thinker(&self) {
        if let Some(thinker) = self.thinker() {
            thinker.stop();
        }
    }

    /// Gives the thinker the position at the cursor, if it has nothing to do.
    fn give_task(&mut self) {
        let task = self.next_task();
        if task.as_ref().is_none_or(|task| task.goal == Goal::Analysis) {
            self.stop_thinker();
        }
        if let (SessionPlayer::Ready(thinker), Some(task)) = (&mut self.player, task)
            && !thinker.is_busy()
        {
            thinker.begin(task);
        }
    }

    /// Returns the task of making moves at full speed, or of an analysis that is missing.
    fn next_task(&self) -> Option<Task> {
        if self.is_over() || self.playback == Playback::Failed {
            return None;
        }
        let timeline = &self.timeline;
        let plays_on = self.is_moving()
            && self.mover == Mover::Player
            && timeline.next_move().is_none()
            && self.speed().is_infinite();
        let goal = if plays_on { Goal::Moves(SLICE) } else { Goal::Analysis };
        if goal == Goal::Analysis && self.has_opinion() {
            return None;
        }
        let random = self.random.clone();
        Some(Task { state: timeline.state(), score: timeline.score(), random, goal })
    }

    /// Shows the next move of the game, or makes the player's choice, which was due at `due`.
    /// Returns false if nothing has changed. At full speed, the thinker makes the player's moves.
    fn advance(&mut self, due: Instant, now: Instant) -> bool {
        let speed = self.speed();
        if self.timeline.next_move().is_some() {
            let step = if speed.is_infinite() { RECORDED_SLICE } else { 1 };
            self.timeline.seek(self.timeline.at() + step);
        } else if speed.is_infinite() || !self.make_choice() {
            return false;
        }
        let interval = Duration::try_from_secs_f64(1.0 / speed).unwrap_or_default();
        self.update_position();
        self.continue_at((due + interval).max(now), now);
        true
    }

    /// Plans the next move for `due`, or the next game if the player has just ended this one.
    /// After a recorded game no other begins.
    fn continue_at(&mut self, due: Instant, now: Instant) {
        let is_of_player = self.recorded_agent().is_none() && self.thinker().is_some();
        self.playback = if self.is_over() && is_of_player {
            Playback::Ended(now + PAUSE)
        } else {
            Playback::Playing(due)
        };
    }

    /// Makes the move that the player chooses. Returns false if none is known, or there is none.
    fn make_choice(&mut self) -> bool {
        let Some(opinion) = self.opinion.as_ref().filter(|_| self.has_opinion()) else {
            return false;
        };
        let Some(action) = opinion.analysis.choice else {
            self.playback = Playback::Paused;
            self.message = "the player stops here".into();
            return false;
        };
        // The analysis has drawn one word from its copy of the stream.
        self.random.word();
        self.make(action, Mover::Player)
    }

    /// Makes a move at the cursor; returns false if it is not legal.
    fn make(&mut self, action: Action, mover: Mover) -> bool {
        let Some(chosen) = self.legal.of(action).copied() else { return false };
        self.forget_later_luck();
        let rules = WatchedGame::of(&self.game);
        let next = rules.spawn(chosen.afterstate, self.random.word());
        let made = Move::new(&rules, self.timeline.score(), chosen, next);
        self.timeline.make(Move { by_person: mover == Mover::Person, ..made });
        true
    }

    /// Finds the legal actions after the cursor has moved. The last message no longer applies.
    fn update_position(&mut self) {
        WatchedGame::of(&self.game).successors(self.timeline.state(), &mut self.legal);
        self.message.clear();
    }

    /// Obeys a command; returns false if it ends the session.
    pub fn obey(&mut self, command: Command, now: Instant) -> Result<bool, Fault> {
        if self.typed.is_some() && self.type_number(command) {
            return Ok(true);
        }
        if command == Command::Quit {
            return Ok(false);
        }
        catch(|| self.change(command, now))?;
        Ok(true)
    }

    fn change(&mut self, command: Command, now: Instant) {
        self.message.clear();
        // Every command ends the wait for the next game. `Cancel` does nothing else.
        self.playback = match self.playback {
            Playback::Ended(_) => Playback::Playing(now),
            Playback::Failed => Playback::Paused,
            playback => playback,
        };
        match command {
            Command::Pause if self.is_paused() => self.playback = Playback::Playing(now),
            Command::Pause => self.playback = Playback::Paused,
            Command::Forward => self.forward(),
            Command::Back => self.seek(self.timeline().at().saturating_sub(1)),
            Command::First => self.seek(0),
            Command::Last => self.seek(usize::MAX),
            // The next move keeps its time, so that a repeated key makes no moves.
            Command::Faster => self.speed = (self.speed + 1).min(SPEEDS.len() - 1),
            Command::Slower => self.set_speed(self.speed.saturating_sub(1), now),
            Command::Speed { place } => self.set_speed(place.min(SPEEDS.len() - 1), now),
            Command::TakeOver => self.take_over(now),
            Command::Hint => self.hinted = Some(self.timeline().state()),
            Command::Act { action } => self.person_moves(action),
            Command::Seek { at } => self.seek(at),
            Command::Arrow(arrow) => self.person_moves_towards(arrow),
            Command::Digit(0) => {}
            Command::Digit(digit) => self.person_moves(digit - 1),
            Command::GoTo => self.typed = Some(String::new()),
            Command::New => self.begin_another(now),
            Command::Save => self.save(),
            Command::Enter | Command::Cancel | Command::Quit => {}
        }
    }

    /// Sets the index of the speed. The next move is due at once.
    fn set_speed(&mut self, index: usize, now: Instant) {
        self.speed = index;
        if let Playback::Playing(due) = &mut self.playback {
            *due = now;
        }
    }

    /// Takes a command while a number is typed. Returns false if it is to be obeyed as usual.
    fn type_number(&mut self, command: Command) -> bool {
        let Some(digits) = &mut self.typed else { return false };
        match command {
            Command::Digit(digit) if digits.len() < 9 => digits.push(char::from(b'0' + digit)),
            Command::Digit(_) => {}
            Command::Back => drop(digits.pop()),
            Command::Enter => {
                let at = digits.parse();
                self.typed = None;
                if let Ok(at) = at {
                    self.seek(at);
                    if at > self.timeline().moves() {
                        let moves = counted(self.timeline().moves() as u64, "move");
                        self.message = format!("the game has {moves}: this is its last position");
                    }
                }
            }
            _ => {
                self.typed = None;
                return command == Command::Cancel;
            }
        }
        true
    }

    /// Moves the cursor, and pauses there.
    fn seek(&mut self, at: usize) {
        self.playback = Playback::Paused;
        self.timeline.seek(at);
        self.update_position();
    }

    fn forward(&mut self) {
        if self.timeline().next_move().is_some() {
            return self.seek(self.timeline().at() + 1);
        }
        self.playback = Playback::Paused;
        if self.mover == Mover::Player && self.make_choice() {
            self.update_position();
        }
    }

    /// Changes the mover. If a person takes over at an earlier position of the game, the game
    /// pauses there, so that its next moves are not shown again.
    fn take_over(&mut self, now: Instant) {
        self.mover = match self.mover {
            Mover::Player => Mover::Person,
            Mover::Person if matches!(self.player, SessionPlayer::None) => {
                self.message = "there is no player to hand back to: begin with one".into();
                Mover::Person
            }
            Mover::Person => Mover::Player,
        };
        let is_earlier = self.mover == Mover::Person && self.timeline().next_move().is_some();
        self.playback = if is_earlier { Playback::Paused } else { Playback::Playing(now) };
    }

    fn person_moves_towards(&mut self, arrow: Arrow) {
        let actions = &self.game.rules.description().actions;
        let found = actions.iter().position(|name| name.eq_ignore_ascii_case(arrow.name()));
        if let Some(action) = found {
            return self.person_moves(action as u8);
        }
        let numbered = actions.iter().zip(1..).map(|(name, number)| format!("{number} {name}"));
        let all = numbered.collect::<Vec<_>>().join(", ");
        self.message = format!("the actions of this game: {all}");
    }

    fn person_moves(&mut self, action: u8) {
        if self.mover != Mover::Person {
            self.message = "t takes over from the player".into();
            return;
        }
        if self.make(Action(action), Mover::Person) {
            if let Origin::Record(agent) = &self.origin {
                self.origin = Origin::Continued(agent.clone());
            }
            self.update_position();
        } else if !self.is_over() {
            self.message = "this move is not legal".into();
        }
    }

    fn begin_another(&mut self, now: Instant) {
        self.random = Random::stream(self.seed, self.number + 1);
        let start = WatchedGame::of(&self.game).start(self.random.word());
        self.begin(start, now);
    }

    fn begin(&mut self, start: State, now: Instant) {
        self.number += 1;
        self.luck_events.iter_mut().for_each(Events::restart);
        self.timeline = Timeline::new(&WatchedGame::of(&self.game), start);
        self.origin = Origin::Session;
        self.opinion = None;
        self.playback = Playback::Playing(now);
        if let SessionPlayer::None = self.player {
            self.mover = Mover::Person;
        }
        self.update_position();
    }

    /// Begins a game at a position, paused. Its chance outcomes continue the stream of the game
    /// before.
    pub fn begin_at(&mut self, start: State, now: Instant) -> Result<(), Fault> {
        catch(|| {
            self.begin(start, now);
            self.playback = Playback::Paused;
        })
    }

    /// Notes that a player is being loaded, which [`set_player`](Self::set_player) will set. The
    /// message says what is loaded.
    pub fn wait_for_player(&mut self, loading: String) {
        self.player = SessionPlayer::Loading(loading);
        if !self.person_plays {
            self.mover = Mover::Player;
        }
    }

    /// Replaces the player. The thread of the former one ends when its task is done.
    pub fn set_player(&mut self, player: NamedPlayer) -> Result<(), Failure> {
        let thinker = Thinker::start(self.game.clone(), player)?;
        self.luck_events = luck_events(&self.game, &thinker.player);
        self.player = SessionPlayer::Ready(Box::new(thinker));
        self.opinion = None;
        self.measured = None;
        if self.playback == Playback::Failed {
            self.playback = Playback::Paused;
        }
        self.message.clear();
        Ok(())
    }

    pub fn is_thinking(&self) -> bool {
        self.thinker().is_some_and(Thinker::is_busy)
    }

    /// Stops the player. The caller repeats this until it returns false: no task is under way.
    pub fn rest(&mut self) -> bool {
        self.stop_thinker();
        let SessionPlayer::Ready(thinker) = &mut self.player else { return false };
        // The thought is not needed, but receiving it ends the task.
        drop(thinker.receive());
        thinker.is_busy()
    }

    fn save(&mut self) {
        let moves = counted(self.timeline().moves() as u64, "move");
        let file = self.records.clone().unwrap_or_else(free_name);
        self.message = match self.save_as(&file) {
            Ok(()) => format!("{moves} saved in {}", file.display()),
            Err(failure) => failure.to_string(),
        };
    }

    /// Saves the game as the only one of a file, which must not exist.
    pub fn save_as(&self, file: &Path) -> Result<(), Failure> {
        if file.exists() {
            return Err(Failure::failed(format!(
                "{} exists already and is kept; start with another file, or with none to save each \
                 game in a new file",
                file.display()
            )));
        }
        let (rules, timeline) = (&*self.game.rules, &self.timeline);
        let last = timeline.state_at(timeline.moves());
        let mut successors = Successors::new();
        catch(|| rules.successors(last, &mut successors))?;
        let (transcript, score) = (timeline.transcript(), timeline.last_score());
        let finished = successors.is_empty();
        let block =
            catch(|| Encoder::new(rules).encode(self.number, &transcript, score, finished))?
                .map_err(Failure::failed)?;
        let starts = match catch(|| rules.starts())? {
            Some(starts) if starts.iter().all(|start| start.state != timeline.start()) => {
                Starts::Edited
            }
            _ => Starts::OfRules,
        };
        let metadata = metadata(&self.game, self.agent(), self.seed, starts);
        let mut writer = RecordWriter::create(file, &metadata)?;
        writer.write(&block)?;
        Ok(writer.finish()?)
    }

    /// Returns who played the game, as a record names them.
    fn agent(&self) -> String {
        let players = match self.player() {
            Some(player) if self.timeline.has_moves_of_person() => {
                format!("{} and a person", player.spec)
            }
            Some(player) => player.spec.to_string(),
            None => "a person".into(),
        };
        match &self.origin {
            Origin::Session => players,
            Origin::Record(agent) => agent.clone(),
            Origin::Continued(agent) => format!("{agent} and {players}"),
        }
    }

    /// Returns the number of the move at the cursor: `12 of 30`, or `30` at the end of the game.
    pub fn place(&self) -> String {
        let at = grouped(self.timeline.at() as u64);
        match self.timeline.next_move() {
            None => at,
            Some(_) => format!("{at} of {}", grouped(self.timeline.moves() as u64)),
        }
    }
}

/// Returns the first of `game-1.rec`, `game-2.rec` and so on that does not exist in the working
/// folder.
fn free_name() -> PathBuf {
    let mut names = (1_u64..).map(|number| PathBuf::from(format!("game-{number}.rec")));
    names.find(|path| !path.exists()).expect("numbers do not end")
}

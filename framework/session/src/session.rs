//! A session without its screen: the game, who plays it, the speed, and the player's analysis of
//! the position.

use super::command::{Arrow, Command};
use super::saved;
use super::thinker::{Task, Thinker, Thought};
use super::timeline::{Move, Timeline};
use runner_core::{Action, Analysis, Fault, Game, Random, Seed, State, Successors, catch};
use runner_play::calls::{Calls, Overdue};
use runner_play::failure::Failure;
use runner_play::luck::{Events, Luck, Summary};
use runner_play::player::NamedPlayer;
use runner_play::registry::LoadedGame;
use runner_play::watched::WatchedGame;
use runner_spec::quantity::{counted, grouped};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The speeds in moves per second; the last one is as fast as possible.
pub const SPEEDS: [f64; 10] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 100.0, 200.0, f64::INFINITY];

/// Time of the moves that are made between two looks at the screen at full speed.
const SLICE: Duration = Duration::from_millis(50);

/// Time of a thought from which on it is shown that the player thinks.
const LONG: Duration = Duration::from_secs(2);

/// Moves of a recorded game that are shown between two looks at the screen at full speed.
const RECORDED_SLICE: usize = 20;

/// Time from the end of a player's game to its next one.
const PAUSE: Duration = Duration::from_secs(4);

/// Time in which luck is measured between two looks at the screen.
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
    /// Moves are shown or made, the next one at this time, unless the game is over or a person
    /// plays.
    Moving {
        due: Instant,
    },
    Paused,
    /// The player has failed. It is asked again after the next command.
    Failed,
    /// The player has ended the game. The next one begins at this time.
    Ended {
        next: Instant,
    },
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
    /// Place in [`SPEEDS`].
    pub speed: usize,
    /// File to save games in; `None` takes the next free name.
    pub records: Option<PathBuf>,
    /// True if a person plays, to whom the player's opinion is shown on request.
    pub by_person: bool,
}

impl Setup {
    /// Returns the start of a session without a player, at the lowest speed.
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
            by_person: false,
        }
    }
}

pub struct Session {
    setup: Setup,
    thinker: Option<Thinker>,
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
    /// Description of the player while it is loaded.
    loading: Option<String>,
    /// Spec of the agent that played the first moves of the current game, if it was a recorded one.
    recorded: Option<String>,
    /// The luck of the moves, if the player has a value that measures it.
    luck: Option<Events>,
}

/// Returns what measures the luck of a player's games, if it has a value that does.
fn events(game: &LoadedGame, player: &NamedPlayer) -> Option<Events> {
    let luck = Luck::of_player(game, player)?;
    catch(|| Events::new(luck, &WatchedGame::of(game))).ok()
}

impl Session {
    pub fn new(setup: Setup) -> Result<Self, Failure> {
        let start = |named: &NamedPlayer| Thinker::start(setup.game.clone(), named.clone());
        let thinker = setup.player.as_ref().map(start).transpose()?;
        let recorded = setup.recorded_agent.clone();
        let is_recorded = recorded.is_some();
        let luck = setup.player.as_ref().and_then(|player| events(&setup.game, player));
        let mut session = Self {
            luck,
            mover: if setup.by_person || thinker.is_none() && !is_recorded {
                Mover::Person
            } else {
                Mover::Player
            },
            setup,
            thinker,
            number: 0,
            legal: Successors::new(),
            playback: Playback::Moving { due: Instant::now() },
            opinion: None,
            measured: None,
            typed: None,
            shown_thinking: None,
            message: String::new(),
            hinted: None,
            loading: None,
            recorded,
        };
        catch(|| session.moved())?;
        Ok(session)
    }

    pub fn game(&self) -> &LoadedGame {
        &self.setup.game
    }

    pub fn timeline(&self) -> &Timeline {
        &self.setup.timeline
    }

    pub fn player(&self) -> Option<&NamedPlayer> {
        self.setup.player.as_ref()
    }

    /// The spec of the agent that played the game, if it is a recorded one.
    pub fn recorded_agent(&self) -> Option<&str> {
        self.setup.recorded_agent.as_deref()
    }

    pub fn mover(&self) -> Mover {
        self.mover
    }

    /// Returns the legal actions at the cursor.
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
        SPEEDS[self.setup.speed]
    }

    /// Returns how long the player has been thinking, in whole seconds, if that is long.
    pub fn thinking(&self) -> Option<Duration> {
        let time = self.thinker.as_ref().and_then(Thinker::time)?;
        (time >= LONG).then(|| Duration::from_secs(time.as_secs()))
    }

    /// Returns the speed of the player in moves per second, if it was measured.
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
        let is_hidden = self.is_by_person() && self.hinted != Some(self.timeline().state());
        self.opinion.as_ref().filter(|_| !is_hidden && (self.has_opinion() || self.is_moving()))
    }

    /// Returns true if a person plays, who sees the opinion on request.
    pub fn is_by_person(&self) -> bool {
        self.setup.by_person && self.mover == Mover::Person
    }

    /// Returns the luck of the game up to the cursor, if it is known.
    pub fn luck(&self) -> Option<Summary> {
        self.luck.as_ref()?.summary(self.timeline().at())
    }

    /// Measures the luck of the game up to the cursor. Returns true if all of it is measured now.
    fn measure_luck(&mut self) -> bool {
        let Some(events) = &mut self.luck else { return false };
        let Setup { game, timeline, .. } = &self.setup;
        if events.summary(timeline.at()).is_some() {
            return false;
        }
        let moves = timeline.all_moves().take(timeline.at());
        let moves = moves.map(|(_, made)| (made.afterstate, made.next));
        let until = Some(Instant::now() + LUCK_TIME);
        if catch(|| events.measure(&WatchedGame::of(game), timeline.start(), moves, until)).is_err()
        {
            // The game continues without luck.
            self.luck = None;
        }
        self.luck().is_some()
    }

    fn forget_luck_after(&mut self, moves: usize) {
        self.luck.iter_mut().for_each(|events| events.truncate(moves));
    }

    /// Returns true if the opinion is that of the position at the cursor.
    pub fn has_opinion(&self) -> bool {
        self.opinion.as_ref().is_some_and(|opinion| opinion.state == self.timeline().state())
    }

    /// Returns the number of the game, which grows with each game that begins.
    pub fn number(&self) -> u64 {
        self.number
    }

    fn overdue(&self) -> Option<Overdue> {
        let (game, player) = (self.game(), self.player()?);
        self.thinking().filter(|&time| time >= Calls::LIMIT)?;
        game.calls.overdue(Calls::LIMIT).filter(|call| call.whose == player.label)
    }

    pub fn message(&self) -> String {
        if let Some(call) = self.overdue() {
            return call.to_string();
        }
        match (&self.typed, &self.message) {
            (Some(digits), _) => format!("go to move: {digits}_ (enter, or esc)"),
            (None, message) if !message.is_empty() => message.clone(),
            (None, _) if matches!(self.playback, Playback::Ended { .. }) => {
                format!("game over: the next one begins in {} seconds, esc stays", PAUSE.as_secs())
            }
            (None, _) if self.is_over() => "game over: r begins a new game, b goes back".into(),
            (None, _) => self.loading.clone().unwrap_or_default(),
        }
    }

    /// Returns the time until something may have to be done.
    pub fn patience(&self, now: Instant) -> Duration {
        const IDLE: Duration = Duration::from_millis(200);
        const BUSY: Duration = Duration::from_millis(10);
        let is_measuring = self.luck.is_some() && self.luck().is_none();
        let is_busy = is_measuring || self.thinker.as_ref().is_some_and(Thinker::is_busy);
        match self.playback {
            _ if is_busy => BUSY,
            Playback::Moving { due } if self.is_moving() => {
                due.saturating_duration_since(now).clamp(BUSY / 10, IDLE)
            }
            _ => IDLE,
        }
    }

    fn is_moving(&self) -> bool {
        let recorded = self.timeline().next_move().is_some();
        let thinks = self.mover == Mover::Player && self.thinker.is_some() && !self.is_over();
        matches!(self.playback, Playback::Moving { .. }) && (recorded || thinks)
    }

    /// Does what is due. Returns true if the screen has changed.
    pub fn tick(&mut self, now: Instant) -> Result<bool, Fault> {
        let mut changed = self.take_thought(now)?;
        if let Playback::Ended { next } = self.playback
            && now >= next
        {
            catch(|| self.begin_another(now))?;
            changed = true;
        }
        if let Playback::Moving { due } = self.playback
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
        let Some(result) = self.thinker.as_mut().and_then(Thinker::result) else {
            return Ok(false);
        };
        match result {
            Err(fault) => {
                self.playback = Playback::Failed;
                self.message = format!("the player failed: {fault}");
            }
            Ok(thought) => catch(|| self.accept(thought, now))?,
        }
        Ok(true)
    }

    fn accept(&mut self, thought: Thought, now: Instant) {
        self.measured = Some(thought.speed);
        if thought.task.state != self.timeline().state() {
            self.stop_thinker();
            return;
        }
        let Thought { task, analysis, elapsed, moves, random, .. } = thought;
        self.opinion = Some(Opinion { state: task.state, analysis, elapsed });
        if !moves.is_empty() && !self.is_paused() && self.mover == Mover::Player {
            self.forget_luck_after(self.timeline().at());
            moves.into_iter().for_each(|made| self.setup.timeline.make(made));
            self.setup.random = random;
            self.moved();
            self.continue_at(now, now);
        } else {
            self.stop_thinker();
        }
    }

    /// Ends a run of moves: those that the thinker makes now are not those of the game.
    fn stop_thinker(&self) {
        if let Some(thinker) = &self.thinker {
            thinker.stop();
        }
    }

    /// Gives the thinker the position at the cursor, if it has nothing to do.
    fn give_task(&mut self) {
        let task = self.next_task();
        if task.as_ref().is_none_or(|task| task.play.is_none()) {
            self.stop_thinker();
        }
        if let (Some(thinker), Some(task)) = (&mut self.thinker, task)
            && !thinker.is_busy()
        {
            thinker.begin(task);
        }
    }

    fn next_task(&self) -> Option<Task> {
        let timeline = self.timeline();
        let at_end = timeline.next_move().is_none();
        let play =
            self.is_moving() && at_end && self.mover == Mover::Player && self.speed().is_infinite();
        let has_failed = self.playback == Playback::Failed;
        let wanted = !self.is_over() && !has_failed && (play || !self.has_opinion());
        wanted.then(|| Task {
            state: timeline.state(),
            score: timeline.score(),
            random: self.setup.random.clone(),
            play: play.then_some(SLICE),
        })
    }

    /// Makes the move that was due: the next one of the game, or the player's choice.
    fn advance(&mut self, due: Instant, now: Instant) -> bool {
        let timeline = &mut self.setup.timeline;
        if timeline.next_move().is_some() {
            let step = if SPEEDS[self.setup.speed].is_infinite() { RECORDED_SLICE } else { 1 };
            timeline.seek(timeline.at() + step);
        } else if self.speed().is_infinite() || !self.make_choice() {
            return false;
        }
        let interval = Duration::try_from_secs_f64(1.0 / self.speed()).unwrap_or_default();
        self.moved();
        self.continue_at((due + interval).max(now), now);
        true
    }

    /// Plans the next move, or the next game if the player has just ended this one. A recorded game
    /// stays.
    fn continue_at(&mut self, due: Instant, now: Instant) {
        let is_shown_again = self.setup.recorded_agent.is_some() || self.thinker.is_none();
        self.playback = if self.is_over() && !is_shown_again {
            Playback::Ended { next: now + PAUSE }
        } else {
            Playback::Moving { due }
        };
    }

    fn make_choice(&mut self) -> bool {
        let state = self.timeline().state();
        let opinion = self.opinion.as_ref().filter(|opinion| opinion.state == state);
        let Some(choice) = opinion.map(|opinion| opinion.analysis.choice) else { return false };
        match choice {
            Some(action) => {
                // The decision uses one word of the stream.
                self.setup.random.word();
                self.make(action, false)
            }
            None => {
                self.playback = Playback::Paused;
                self.message = "the player stops here".into();
                false
            }
        }
    }

    fn make(&mut self, action: Action, by_person: bool) -> bool {
        let Some(chosen) = self.legal.of(action).copied() else { return false };
        self.forget_luck_after(self.timeline().at());
        let Setup { game, timeline, random, .. } = &mut self.setup;
        let rules = WatchedGame::of(game);
        let next = rules.spawn(chosen.afterstate, random.word());
        timeline.make(Move { by_person, ..Move::new(&rules, timeline.score(), chosen, next) });
        true
    }

    fn moved(&mut self) {
        let Setup { game, timeline, .. } = &self.setup;
        WatchedGame::of(game).successors(timeline.state(), &mut self.legal);
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
        self.playback = match self.playback {
            Playback::Ended { .. } => Playback::Moving { due: now },
            Playback::Failed => Playback::Paused,
            playback => playback,
        };
        match command {
            Command::Pause if self.is_paused() => self.playback = Playback::Moving { due: now },
            Command::Pause => self.playback = Playback::Paused,
            Command::Forward => self.forward(),
            Command::Back => self.seek(self.timeline().at().saturating_sub(1)),
            Command::First => self.seek(0),
            Command::Last => self.seek(usize::MAX),
            Command::Faster => self.setup.speed = (self.setup.speed + 1).min(SPEEDS.len() - 1),
            Command::Slower => self.set_speed(self.setup.speed.saturating_sub(1), now),
            Command::Speed { place } => self.set_speed(place.min(SPEEDS.len() - 1), now),
            Command::TakeOver => self.take_over(now),
            Command::Hint => self.hinted = Some(self.timeline().state()),
            Command::Act { action } => self.person_moves(action),
            Command::Seek { at } => self.seek(at),
            Command::Arrow(arrow) => self.by_name(arrow),
            Command::Digit(0) => {}
            Command::Digit(digit) => self.person_moves(digit - 1),
            Command::GoTo => self.typed = Some(String::new()),
            Command::New => self.begin_another(now),
            Command::Save => self.save(),
            Command::Enter | Command::Cancel | Command::Quit => {}
        }
    }

    /// The next move is due at once.
    fn set_speed(&mut self, place: usize, now: Instant) {
        self.setup.speed = place;
        if let Playback::Moving { due } = &mut self.playback {
            *due = now;
        }
    }

    /// Takes a key of a number that is being typed; returns false for other keys.
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
        self.setup.timeline.seek(at);
        self.moved();
    }

    fn forward(&mut self) {
        if self.timeline().next_move().is_some() {
            return self.seek(self.timeline().at() + 1);
        }
        self.playback = Playback::Paused;
        if self.mover == Mover::Player && self.make_choice() {
            self.moved();
        }
    }

    /// A person who takes over on an earlier position finds it paused: otherwise the moves that
    /// follow it would be shown again.
    fn take_over(&mut self, now: Instant) {
        self.mover = match self.mover {
            Mover::Player => Mover::Person,
            Mover::Person if self.thinker.is_some() || self.loading.is_some() => Mover::Player,
            Mover::Person => {
                self.message = "there is no player to hand back to: begin with one".into();
                Mover::Person
            }
        };
        let is_earlier = self.mover == Mover::Person && self.timeline().next_move().is_some();
        self.playback = if is_earlier { Playback::Paused } else { Playback::Moving { due: now } };
    }

    fn by_name(&mut self, arrow: Arrow) {
        let actions = &self.setup.game.rules.description().actions;
        let has_name = |(name, _): &(&String, u8)| name.eq_ignore_ascii_case(arrow.name());
        let found = actions.iter().zip(0..).find(has_name);
        if let Some((_, action)) = found {
            return self.person_moves(action);
        }
        let names = actions.iter().zip(1..).map(|(name, number)| format!("{number} {name}"));
        let names = names.collect::<Vec<_>>().join(", ");
        self.message = format!("the actions of this game: {names}");
    }

    fn person_moves(&mut self, action: u8) {
        if self.mover != Mover::Person {
            self.message = "t takes over from the player".into();
            return;
        }
        if self.make(Action(action), true) {
            self.setup.recorded_agent = None;
            self.moved();
        } else if !self.is_over() {
            self.message = "this move is not legal".into();
        }
    }

    fn begin_another(&mut self, now: Instant) {
        let Setup { game, seed, random, .. } = &mut self.setup;
        *random = Random::stream(*seed, self.number + 1);
        let start = WatchedGame::of(game).start(random.word());
        self.begin(start, now);
    }

    fn begin(&mut self, start: State, now: Instant) {
        self.number += 1;
        self.luck.iter_mut().for_each(Events::restart);
        let Setup { game, timeline, .. } = &mut self.setup;
        *timeline = Timeline::new(&WatchedGame::of(game), start);
        self.setup.recorded_agent = None;
        self.opinion = None;
        self.recorded = None;
        self.playback = Playback::Moving { due: now };
        if self.thinker.is_none() && self.loading.is_none() {
            self.mover = Mover::Person;
        }
        self.moved();
    }

    /// Begins a game at a position, without a move. It stays paused.
    pub fn begin_at(&mut self, start: State, now: Instant) -> Result<(), Fault> {
        catch(|| {
            self.begin(start, now);
            self.playback = Playback::Paused;
        })
    }

    /// Waits for the player, which [`set_player`](Self::set_player) sets. The text names what is
    /// loaded.
    pub fn wait_for_player(&mut self, loading: String) {
        self.loading = Some(loading);
        if !self.setup.by_person {
            self.mover = Mover::Player;
        }
    }

    /// Replaces the player. The one before ends its thread when its task is done.
    pub fn set_player(&mut self, player: NamedPlayer) -> Result<(), Failure> {
        self.thinker = Some(Thinker::start(self.setup.game.clone(), player.clone())?);
        self.luck = events(&self.setup.game, &player);
        self.setup.player = Some(player);
        self.loading = None;
        (self.opinion, self.measured) = (None, None);
        if self.playback == Playback::Failed {
            self.playback = Playback::Paused;
        }
        self.message.clear();
        Ok(())
    }

    pub fn is_thinking(&self) -> bool {
        self.thinker.as_ref().is_some_and(Thinker::is_busy)
    }

    /// Gives the player no more tasks. Returns true while it is still at the last one.
    pub fn rest(&mut self) -> bool {
        self.stop_thinker();
        let Some(thinker) = &mut self.thinker else { return false };
        // The result is not needed.
        drop(thinker.result());
        thinker.is_busy()
    }

    fn save(&mut self) {
        let moves = counted(self.timeline().moves() as u64, "move");
        let file = self.setup.records.clone().unwrap_or_else(saved::free_name);
        self.message = match self.save_as(&file) {
            Ok(()) => format!("{moves} saved in {}", file.display()),
            Err(failure) => failure.to_string(),
        };
    }

    /// Saves the game as the only one of a file, which must not exist.
    pub fn save_as(&self, file: &Path) -> Result<(), Failure> {
        let player = self.setup.player.as_ref().map(|named| named.spec.to_string());
        let agent = match (player, self.timeline().has_moves_of_person()) {
            (Some(player), false) => player,
            (Some(player), true) => format!("{player} and a person"),
            (None, _) => "a person".into(),
        };
        let agent = match &self.recorded {
            // Nobody has continued the game.
            Some(recorded) if self.setup.recorded_agent.is_some() => recorded.clone(),
            Some(recorded) => format!("{recorded} and {agent}"),
            None => agent,
        };
        let Setup { game, timeline, seed, .. } = &self.setup;
        saved::save(game, timeline, &agent, *seed, self.number, file)
    }

    pub fn place(&self) -> String {
        let timeline = self.timeline();
        match timeline.next_move() {
            None => grouped(timeline.at() as u64),
            Some(_) => {
                format!("{} of {}", grouped(timeline.at() as u64), grouped(timeline.moves() as u64))
            }
        }
    }
}

//! The register of the calls of plugins that have not returned yet: [`Calls`]. Only this file
//! decides which call takes too long: [`Calls::overdue`].
//!
//! A call makes progress if it checks its [`Pulse`]. Each look at the register asks for an answer;
//! a call that has answered by the next look counts as begun just then.

use crossbeam_utils::atomic::AtomicCell;
use runner_core::{Pulse, Stop as _, locked};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Time between two looks at the calls.
const TICK: Duration = Duration::from_millis(50);
/// If the time between two looks is longer, the process was suspended, and no call could return.
const SUSPENDED: Duration = Duration::from_secs(2);

/// The calls under way. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Calls(Arc<Mutex<Register>>);

#[derive(Debug, Default)]
struct Register {
    /// In the order in which they began.
    calls: Vec<Call>,
    next: u64,
    /// When the command has to end.
    deadline: Option<Instant>,
}

#[derive(Debug)]
struct Call {
    number: u64,
    thread: ThreadId,
    /// The label of the plugin that is called.
    whose: String,
    name: &'static str,
    /// The label of the game whose rules the call may call in turn; see [`Signs::rule`].
    game: String,
    endless: Endless,
    /// When the call began, or was last seen to make progress.
    began: Instant,
    /// The longest time between two answers so far.
    longest: Duration,
    /// Time that the call may take by its own parameters.
    own_time: Duration,
    signs: Arc<Signs>,
}

/// What other threads see of a loop that plays games. Only the thread of the loop writes to it,
/// apart from the requests of the pulse.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Signs {
    /// Asks a game to end, and shows whether its moves end.
    pub pulse: Pulse,
    /// The name of the rule under way. A reference to the `&str` is stored without a lock.
    pub(crate) rule: AtomicCell<Option<&'static &'static str>>,
}

/// When an overdue call is taken to be endless. The program then ends itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endless {
    /// Never: the call may only be slow, or its caller gives it up.
    Never,
    /// When the deadline of the command has passed.
    AfterDeadline,
    /// Always: the call is a rule, or nothing slower than a rule runs between two answers.
    Always,
}

/// A call that takes too long. Displayed, it is a message.
#[derive(Clone, Debug)]
pub struct Overdue {
    /// Kind, name and file of the plugin, or the name of a test.
    pub whose: String,
    pub name: &'static str,
    /// True if the program has to end, because the call will not return.
    pub is_endless: bool,
}

impl fmt::Display for Overdue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { whose, name, is_endless } = self;
        let state = if *is_endless { "does not return" } else { "has not returned yet" };
        write!(f, "{whose}: `{name}` {state}")
    }
}

impl Calls {
    /// Time without progress after which most commands name a call.
    pub const LIMIT: Duration = Duration::from_secs(10);
    /// Additional time of a constructor, which may read a large model.
    const CONSTRUCTOR: Duration = Duration::from_secs(20);

    pub fn make<T>(&self, whose: &str, name: &'static str, call: impl FnOnce() -> T) -> T {
        let _entered = self.enter(whose, name);
        call()
    }

    /// Begins a call, which ends when the result is dropped. `whose` is the label of the plugin.
    pub fn enter(&self, whose: &str, name: &'static str) -> Entered<'_> {
        self.enter_as(whose, name, Endless::Never)
    }

    pub fn enter_as(&self, whose: &str, name: &'static str, endless: Endless) -> Entered<'_> {
        self.begin(whose, name, "", endless, Arc::default())
    }

    pub(crate) fn enter_constructor(&self, whose: &str) -> Entered<'_> {
        let entered = self.enter_as(whose, "constructor", Endless::AfterDeadline);
        entered.with_own_time(Self::CONSTRUCTOR)
    }

    /// Begins the moves of a player in a loop that writes to `signs`. `game` is the game's label.
    pub fn enter_moves(
        &self,
        whose: &str,
        name: &'static str,
        game: &str,
        signs: Arc<Signs>,
    ) -> Entered<'_> {
        // A rule that panicked has left its name.
        signs.rule.store(None);
        self.begin(whose, name, game, Endless::Never, signs)
    }

    fn begin(
        &self,
        whose: &str,
        name: &'static str,
        game: &str,
        endless: Endless,
        signs: Arc<Signs>,
    ) -> Entered<'_> {
        signs.pulse.ask();
        let mut register = locked(&self.0);
        let number = register.next;
        register.next += 1;
        register.calls.push(Call {
            number,
            thread: thread::current().id(),
            whose: whose.to_owned(),
            name,
            game: game.to_owned(),
            endless,
            began: Instant::now(),
            longest: Duration::ZERO,
            own_time: Duration::ZERO,
            signs: signs.clone(),
        });
        Entered { calls: self, number, signs }
    }

    /// Sets the time of [`Endless::AfterDeadline`]: when the command has to end.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        locked(&self.0).deadline = deadline;
    }

    /// Returns a call without progress for longer than the sum of `limit`, its own time limits and
    /// its longest time so far. If several calls of a thread are nested, it is the innermost, for
    /// which the others wait.
    pub fn overdue(&self, limit: Duration) -> Option<Overdue> {
        let now = Instant::now();
        let mut register = locked(&self.0);
        register.look(now);
        let Register { calls, deadline, .. } = &*register;
        let overdue = calls.iter().rfind(|call| call.is_overdue(now, limit))?;
        // The innermost call of a thread began last. A call that began just now is a short one.
        let innermost = calls
            .iter()
            .rfind(|call| call.thread == overdue.thread && now - call.began > limit / 2);
        let call = innermost.unwrap_or(overdue);
        Some(call.named(match call.endless {
            Endless::Never => false,
            Endless::AfterDeadline => deadline.is_some_and(|deadline| now > deadline + limit),
            Endless::Always => true,
        }))
    }

    /// Returns an overdue call if all calls under way are overdue.
    pub fn stuck(&self) -> Option<Overdue> {
        let now = Instant::now();
        let mut register = locked(&self.0);
        register.look(now);
        let calls = &register.calls;
        if !calls.iter().all(|call| call.is_overdue(now, Self::LIMIT)) {
            return None;
        }
        calls.last().map(|call| call.named(false))
    }

    /// Writes a line for each call under way of this thread, or of all threads if this one has
    /// none. The handler of a signal may call it: it allocates nothing and waits for no lock.
    pub fn describe(&self, write: &mut dyn FnMut(&str)) {
        let Ok(register) = self.0.try_lock() else { return };
        let thread = thread::current().id();
        let has_own = register.calls.iter().any(|call| call.thread == thread);
        for call in register.calls.iter().filter(|call| !has_own || call.thread == thread) {
            let (whose, name) = call.names();
            for piece in [whose, ": `", name, "`\n"] {
                write(piece);
            }
        }
    }

    /// Starts a thread that passes the result of [`overdue`](Self::overdue) to `each`, several
    /// times a second. The thread ends when the last clone of the calls is dropped.
    pub fn watch(&self, limit: Duration, mut each: impl FnMut(Option<&Overdue>) + Send + 'static) {
        let calls = Arc::downgrade(&self.0);
        thread::spawn(move || {
            while let Some(calls) = calls.upgrade().map(Calls) {
                each(calls.overdue(limit).as_ref());
                let looked = Instant::now();
                thread::sleep(TICK.min(limit));
                if looked.elapsed() > SUSPENDED {
                    locked(&calls.0).calls.iter_mut().for_each(|call| call.began = Instant::now());
                }
            }
        });
    }
}

impl Register {
    /// Notes which calls have answered since the last look, and asks these again.
    fn look(&mut self, now: Instant) {
        for call in self.calls.iter_mut().filter(|call| call.signs.pulse.has_answered()) {
            call.longest = call.longest.max(now - call.began);
            call.began = now;
            call.signs.pulse.ask();
        }
    }
}

impl Call {
    /// A call may take `limit` longer than its parameters allow, or than it took before.
    fn is_overdue(&self, now: Instant, limit: Duration) -> bool {
        now - self.began > limit + self.own_time + self.longest
    }

    /// Returns the plugin and the function that the call waits for: a rule if one is under way.
    fn names(&self) -> (&str, &'static str) {
        match self.signs.rule.load() {
            Some(rule) => (&self.game, rule),
            None => (&self.whose, self.name),
        }
    }

    fn named(&self, is_endless: bool) -> Overdue {
        let (whose, name) = self.names();
        Overdue { whose: whose.to_owned(), name, is_endless }
    }
}

/// A call under way, which ends when this is dropped.
#[must_use]
pub struct Entered<'a> {
    calls: &'a Calls,
    number: u64,
    signs: Arc<Signs>,
}

impl Entered<'_> {
    /// Notes progress: the time of the call counts from now. It costs a load in most cases.
    #[inline]
    pub fn progress(&self) {
        // Each check of the flag answers a request.
        self.signs.pulse.is_requested();
    }

    /// Sets the time that the call may take by its own parameters.
    pub fn with_own_time(self, own_time: Duration) -> Self {
        let mut register = locked(&self.calls.0);
        let call = register.calls.iter_mut().rfind(|call| call.number == self.number);
        call.expect("the call is registered until this is dropped").own_time = own_time;
        drop(register);
        self
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        locked(&self.calls.0).calls.retain(|call| call.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watched::Watch;

    const LIMIT: Duration = Duration::from_millis(40);

    fn named(calls: &Calls) -> Option<String> {
        calls.overdue(LIMIT).map(|call| call.to_string())
    }

    #[test]
    fn the_innermost_call_without_progress_is_named() {
        let calls = Calls::default();
        let outer = calls.enter("agent `a`", "act");
        let inner = calls.enter("game `g`", "spawn");
        assert_eq!(named(&calls), None);
        thread::sleep(2 * LIMIT);
        let just_now = calls.enter("game `g`", "start");
        assert_eq!(named(&calls).unwrap(), "game `g`: `spawn` has not returned yet");
        drop((inner, just_now));
        assert_eq!(named(&calls).unwrap(), "agent `a`: `act` has not returned yet");
        outer.progress();
        assert_eq!(named(&calls), None);
    }

    #[test]
    fn calls_of_a_thread_are_described_or_those_of_all_if_it_has_none() {
        let calls = Calls::default();
        let described = || {
            let mut text = String::new();
            calls.describe(&mut |piece| text += piece);
            text
        };
        thread::scope(|scope| {
            let other = scope.spawn(|| std::mem::forget(calls.enter("agent `a`", "act")));
            other.join().unwrap();
            assert_eq!(described(), "agent `a`: `act`\n");
            let _own = calls.enter("game `g`", "spawn");
            assert_eq!(described(), "game `g`: `spawn`\n");
        });
    }

    #[test]
    fn rules_and_trainings_after_the_deadline_are_endless() {
        let calls = Calls::default();
        let late = calls.enter_as("value `v`", "train", Endless::AfterDeadline);
        thread::sleep(2 * LIMIT);
        assert_eq!(named(&calls).unwrap(), "value `v`: `train` has not returned yet");
        calls.set_deadline(Some(Instant::now() - 2 * LIMIT));
        assert_eq!(named(&calls).unwrap(), "value `v`: `train` does not return");
        drop(late);
        let rule = calls.enter_as("game `g`", "spawn", Endless::Always);
        thread::sleep(2 * LIMIT);
        assert_eq!(named(&calls).unwrap(), "game `g`: `spawn` does not return");
        drop(rule);
        assert_eq!(named(&calls), None);
    }

    #[test]
    fn a_call_may_take_its_own_time_and_longer_than_before() {
        let calls = Calls::default();
        let slow = calls.enter("agent `a`", "act").with_own_time(100 * LIMIT);
        thread::sleep(2 * LIMIT);
        assert_eq!(named(&calls), None);
        let slow = slow.with_own_time(Duration::ZERO);
        assert!(named(&calls).is_some());
        slow.progress();
        assert_eq!(named(&calls), None);
        // It took twice the limit before, so three times are not too long.
        thread::sleep(2 * LIMIT);
        assert_eq!(named(&calls), None);
    }

    #[test]
    fn the_rule_that_a_move_waits_for_is_named_and_nothing_is_stuck_beside_other_calls() {
        let calls = Calls::default();
        let signs = Arc::<Signs>::default();
        let moves = calls.enter_moves("agent `a`", "act", "game `g`", signs.clone());
        (&*signs).watch(&"spawn", || {
            thread::sleep(2 * LIMIT);
            assert_eq!(named(&calls).unwrap(), "game `g`: `spawn` has not returned yet");
        });
        assert_eq!(named(&calls).unwrap(), "agent `a`: `act` has not returned yet");
        assert!(calls.stuck().is_none(), "the call is not overdue by the usual limit");
        drop(moves);
        assert!(calls.stuck().is_none());
    }
}

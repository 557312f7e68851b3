//! The register of calls: which plugin has been called since when. [`Calls::overdue`] is the only
//! judge of calls that take too long.

use crossbeam_utils::atomic::AtomicCell;
use runner_core::{Pulse, Stop as _, locked};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Time between two looks at the calls.
const TICK: Duration = Duration::from_millis(50);
/// Time between two looks from which on the process was suspended. No call could return meanwhile.
const SUSPENDED: Duration = Duration::from_secs(2);

/// The calls under way. Clones share them.
#[derive(Clone, Default)]
pub struct Calls(Arc<Mutex<UnderWay>>);

#[derive(Default)]
struct UnderWay {
    /// The calls in the order in which they began.
    calls: Vec<Call>,
    next: u64,
    /// When the command has to end.
    deadline: Option<Instant>,
}

struct Call {
    number: u64,
    thread: ThreadId,
    whose: String,
    name: &'static str,
    /// The game whose rules the caller notes with [`Signs::in_rule`].
    game: String,
    endless: Endless,
    /// When the call began, or was last seen to make progress.
    began: Instant,
    /// The longest time between two signs of progress.
    longest: Duration,
    /// Time that the call may take by its own parameters.
    own_time: Duration,
    signs: Arc<Signs>,
}

/// The visible state of the loop of a game. Only the thread that runs it writes to it, except for
/// requests.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Signs {
    /// Asks a game to end, and shows whether its moves end.
    pub pulse: Pulse,
    /// The rule that the loop has called; a pointer, which is stored without a lock.
    rule: AtomicCell<Option<&'static &'static str>>,
}

impl Signs {
    /// Calls a rule of the game. It costs two stores.
    #[inline]
    pub fn in_rule<T>(&self, name: &'static &'static str, call: impl FnOnce() -> T) -> T {
        self.rule.store(Some(name));
        let result = call();
        self.rule.store(None);
        result
    }
}

/// Which overdue calls are endless, so that the program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endless {
    /// None: the call may be slow, or its caller gives it up itself.
    Never,
    /// Those that are overdue when the command should have ended.
    AfterDeadline,
    /// All: the call is one of the rules, or calls nothing else between two signs of progress.
    Always,
}

/// A call that takes too long. Displayed, it is a message.
#[derive(Clone, Debug)]
pub struct Overdue {
    /// Kind, name and file of the plugin, or the name of a test.
    pub whose: String,
    pub name: &'static str,
    /// True if the call is not only slow: the program cannot do anything but end.
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
    /// Time without progress after which a call is named in most places.
    pub const LIMIT: Duration = Duration::from_secs(10);
    /// Time that a constructor may take in addition: it may read a large model.
    const CONSTRUCTOR: Duration = Duration::from_secs(20);

    pub fn make<T>(&self, whose: &str, name: &'static str, call: impl FnOnce() -> T) -> T {
        let _entered = self.enter(whose, name);
        call()
    }

    /// Begins a call, which ends when the result is dropped, also by a panic.
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

    /// Begins the moves of a player, for whom `signs` show the progress. `game` names the rules.
    pub fn enter_moves(
        &self,
        whose: &str,
        name: &'static str,
        game: &str,
        signs: Arc<Signs>,
    ) -> Entered<'_> {
        // The rule of the moves before may have panicked.
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
        let mut under_way = self.lock();
        let number = under_way.next;
        under_way.next += 1;
        under_way.calls.push(Call {
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

    /// Sets when the command has to end: constructors and trainings that are overdue then are
    /// endless.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        self.lock().deadline = deadline;
    }

    /// Returns a call that takes longer than this time without progress, not counting its own time
    /// limits and the slowest call before. Of several calls of its thread it is the one that the
    /// others wait for.
    pub fn overdue(&self, limit: Duration) -> Option<Overdue> {
        let now = Instant::now();
        let mut under_way = self.lock();
        under_way.look(now);
        let UnderWay { calls, deadline, .. } = &*under_way;
        let overdue = calls.iter().rfind(|call| call.is_overdue(now, limit))?;
        // The innermost call of a thread began last. A call that began just now is a short one.
        let is_inner = |call: &&Call| call.thread == overdue.thread && now - call.began > limit / 2;
        let call = calls.iter().rfind(is_inner).unwrap_or(overdue);
        Some(call.named(match call.endless {
            Endless::Never => false,
            Endless::AfterDeadline => deadline.is_some_and(|deadline| now > deadline + limit),
            Endless::Always => true,
        }))
    }

    /// Returns an overdue call if there is nothing but overdue calls under way.
    pub fn stuck(&self) -> Option<Overdue> {
        let now = Instant::now();
        let mut under_way = self.lock();
        under_way.look(now);
        let calls = &under_way.calls;
        if !calls.iter().all(|call| call.is_overdue(now, Self::LIMIT)) {
            return None;
        }
        calls.last().map(|call| call.named(false))
    }

    /// Passes the calls under way of this thread, or of all threads if it has none, in pieces of
    /// text. The handler of a signal may call it: it allocates nothing and waits for no lock.
    pub fn describe(&self, write: &mut dyn FnMut(&str)) {
        let Ok(under_way) = self.0.try_lock() else { return };
        let thread = thread::current().id();
        let has_own = under_way.calls.iter().any(|call| call.thread == thread);
        for call in under_way.calls.iter().filter(|call| !has_own || call.thread == thread) {
            let (whose, name) = call.names();
            for piece in [whose, ": `", name, "`\n"] {
                write(piece);
            }
        }
    }

    /// Starts a thread that passes a call without progress for this time to `each`, several times
    /// a second, and `None` if there is none. It ends with the last clone of the calls.
    pub fn watch(&self, limit: Duration, mut each: impl FnMut(Option<&Overdue>) + Send + 'static) {
        let calls = Arc::downgrade(&self.0);
        thread::spawn(move || {
            while let Some(calls) = calls.upgrade().map(Calls) {
                each(calls.overdue(limit).as_ref());
                let looked = Instant::now();
                thread::sleep(TICK.min(limit));
                if looked.elapsed() > SUSPENDED {
                    calls.lock().calls.iter_mut().for_each(|call| call.began = Instant::now());
                }
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        locked(&self.0)
    }
}

impl UnderWay {
    /// Notes the progress of all calls, and asks for the next sign of it.
    fn look(&mut self, now: Instant) {
        for call in self.calls.iter_mut().filter(|call| call.signs.pulse.has_answered()) {
            call.longest = call.longest.max(now - call.began);
            call.began = now;
            call.signs.pulse.ask();
        }
    }
}

impl Call {
    /// A call may take as long as its parameters allow, and longer than it took before.
    fn is_overdue(&self, now: Instant, limit: Duration) -> bool {
        now - self.began > limit + self.own_time + self.longest
    }

    /// Returns the label of the plugin that is called, and the name of the call.
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

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").finish_non_exhaustive()
    }
}

/// A call under way.
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
        // A check of the flag answers the request.
        self.signs.pulse.is_requested();
    }

    /// Sets the time that the call may take by its own parameters.
    pub fn with_own_time(self, own_time: Duration) -> Self {
        let mut under_way = self.calls.lock();
        let own = under_way.calls.iter_mut().rfind(|call| call.number == self.number);
        own.expect("the call ends with this").own_time = own_time;
        drop(under_way);
        self
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.calls.lock().calls.retain(|call| call.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        signs.in_rule(&"spawn", || {
            thread::sleep(2 * LIMIT);
            assert_eq!(named(&calls).unwrap(), "game `g`: `spawn` has not returned yet");
        });
        assert_eq!(named(&calls).unwrap(), "agent `a`: `act` has not returned yet");
        assert!(calls.stuck().is_none(), "the call is not overdue by the usual limit");
        drop(moves);
        assert!(calls.stuck().is_none());
    }
}

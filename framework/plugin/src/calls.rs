//! Calls of plugins that another thread watches, to name the one that does not return.

use runner_core::locked;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
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
    /// Number of the next call.
    next: u64,
}

/// Looks for the call of the rules that a longer call waits for.
type Search = Box<dyn FnOnce() + Send>;

struct Call {
    number: u64,
    whose: String,
    name: &'static str,
    is_rule: bool,
    /// When the call began, or was last seen to make progress.
    began: Instant,
    has_progress: Arc<AtomicBool>,
    /// When the call has to end.
    deadline: Option<Instant>,
    search: Option<Search>,
}

/// A call that takes too long. Displayed, it is a message.
#[derive(Clone, Debug)]
pub struct Overdue {
    /// Kind, name and file of the plugin, or the name of a test.
    pub whose: String,
    /// Name of the function.
    pub name: &'static str,
    /// True if the call is not only slow: it is one of the rules, or its time is over.
    pub is_endless: bool,
}

impl fmt::Display for Overdue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { whose, name, is_endless } = self;
        match is_endless {
            true => write!(f, "{whose}: `{name}` does not return"),
            false => write!(f, "{whose}: `{name}` has not returned yet"),
        }
    }
}

impl Calls {
    /// Time without progress after which a call is named in most places.
    pub const LIMIT: Duration = Duration::from_secs(10);

    /// Makes a call.
    pub fn make<T>(&self, whose: &str, name: &'static str, call: impl FnOnce() -> T) -> T {
        let _entered = self.enter(whose, name);
        call()
    }

    /// Makes a call of the rules, which takes a moment.
    pub fn make_rule<T>(&self, whose: &str, name: &'static str, call: impl FnOnce() -> T) -> T {
        let entered = self.enter(whose, name);
        entered.change(|call| call.is_rule = true);
        call()
    }

    /// Begins a call, which ends when the result is dropped, also by a panic.
    pub fn enter(&self, whose: &str, name: &'static str) -> Entered<'_> {
        let has_progress = Arc::<AtomicBool>::default();
        let mut under_way = self.lock();
        let number = under_way.next;
        under_way.next += 1;
        under_way.calls.push(Call {
            number,
            whose: whose.to_owned(),
            name,
            is_rule: false,
            began: Instant::now(),
            has_progress: has_progress.clone(),
            deadline: None,
            search: None,
        });
        Entered { calls: self, number, has_progress }
    }

    /// Returns a call that takes longer than this time without progress. A call that waits for
    /// another one is not named.
    pub fn overdue(&self, limit: Duration) -> Option<Overdue> {
        let now = Instant::now();
        let mut under_way = self.lock();
        let calls = &mut under_way.calls;
        let mut searches = Vec::new();
        let mut is_one_overdue = false;
        for call in calls.iter_mut() {
            if call.has_progress.swap(false, Relaxed) {
                call.began = now;
            }
            if now - call.began > limit {
                is_one_overdue = true;
                searches.extend(call.search.take());
            }
        }
        searches.into_iter().for_each(|search| drop(thread::spawn(search)));
        // An inner call began later than its outer one. A call that began just now is one of many.
        let waited_for = calls.iter().rev().find(|call| now - call.began > limit / 2);
        waited_for.filter(|_| is_one_overdue).map(|call| {
            let is_late = call.deadline.is_some_and(|deadline| now > deadline + limit);
            let (whose, name) = (call.whose.clone(), call.name);
            Overdue { whose, name, is_endless: call.is_rule || is_late }
        })
    }

    /// Starts a thread that passes a call without progress for this time to `each`, several times a
    /// second, and `None` if there is none. It ends with the last clone of the calls.
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
    has_progress: Arc<AtomicBool>,
}

impl Entered<'_> {
    /// Notes progress: the time of the call counts from now. It costs a load in most cases.
    #[inline]
    pub fn progress(&self) {
        if !self.has_progress.load(Relaxed) {
            self.has_progress.store(true, Relaxed);
        }
    }

    /// Runs `search` on another thread while the call is overdue. The search makes watched calls of
    /// the rules, of which one may be what this call waits for.
    pub fn with_search(self, search: impl FnOnce() + Send + 'static) -> Self {
        self.change(|call| call.search = Some(Box::new(search)));
        self
    }

    /// Sets the time at which the call has to end.
    pub fn with_deadline(self, deadline: Option<Instant>) -> Self {
        self.change(|call| call.deadline = deadline);
        self
    }

    fn change(&self, change: impl FnOnce(&mut Call)) {
        let mut under_way = self.calls.lock();
        let own = under_way.calls.iter_mut().rfind(|call| call.number == self.number);
        change(own.expect("the call ends with this"));
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
    fn rules_and_calls_after_their_deadline_are_endless() {
        let calls = Calls::default();
        let late = calls.enter("value `v`", "train").with_deadline(Some(Instant::now()));
        thread::sleep(2 * LIMIT);
        assert_eq!(named(&calls).unwrap(), "value `v`: `train` does not return");
        drop(late);
        let found = calls.make_rule("game `g`", "spawn", || {
            thread::sleep(2 * LIMIT);
            named(&calls)
        });
        assert_eq!(found.unwrap(), "game `g`: `spawn` does not return");
        assert_eq!(named(&calls), None);
    }

    #[test]
    fn a_search_names_the_rule_that_a_call_waits_for() {
        let calls = Calls::default();
        let inner = calls.clone();
        let search = move || inner.make_rule("game `g`", "outcomes", || thread::sleep(100 * LIMIT));
        let _outer = calls.enter("value `v`", "train").with_search(search);
        let (sender, found) = std::sync::mpsc::channel();
        calls.watch(LIMIT, move |call| {
            // The receiver has ended when the rule was named.
            let _ =
                call.is_some_and(|call| call.is_endless && sender.send(call.to_string()).is_ok());
        });
        assert_eq!(found.recv().unwrap(), "game `g`: `outcomes` does not return");
    }
}

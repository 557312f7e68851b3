//! A game, an agent, a value and a learner that work until they reach the place that their spec
//! names: `faulty(at: spawn)`. There they panic or break the contract of their trait.
//!
//! Whether a game of the run gets there is decided by the random bits of its
//! start, so some games of a run fail and others do not.
#![deny(unsafe_code)]

mod agent;
mod game;
mod learner;
mod value;

pub use agent::FaultyAgent;
pub use game::FaultyGame;
pub use learner::FaultyLearner;
pub use value::FaultyValue;

/// Sleeps for ever, so that tests of endless calls leave the processor to others.
fn never_return() -> ! {
    loop {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}

/// Set in the environment of a program, the plugin fails to say what is in it.
pub const FAIL_TO_LIST: &str = "TEST_FAULTY_FAILS_TO_LIST";

runner_plugin::export_plugin! {
    games: [FaultyGame],
    values: [FaultyValue],
    learners: [FaultyLearner],
    agents: [FaultyAgent],
}

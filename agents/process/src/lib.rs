//! `process`: an agent that is a program in any language.
//!
//! ```text
//! process(command: ["python3", "my_agent.py"], time: "1s")
//! ```
//!
//! The program reads questions as lines of JSON from its standard input and answers each with
//! one line on its standard output; see the crate `runner-protocol` and the guide. Each
//! thread that plays starts the program without a shell, as the leader of a process group. If the
//! program ends, exceeds a time limit, breaks the protocol or writes too much, its process group is
//! killed and the game ends with a [`Fault`](runner_core::Fault); the next game starts the program
//! again.
//!
//! On systems without process groups the agent is refused.
#![forbid(unsafe_code)]

#[cfg(unix)]
mod agent;
#[cfg(unix)]
mod answer;
mod config;
#[cfg(unix)]
mod dialog;
#[cfg(any(test, not(unix)))]
mod elsewhere;

pub use config::Config;
#[cfg(unix)]
pub use dialog::Process;
#[cfg(not(unix))]
pub use elsewhere::Process;

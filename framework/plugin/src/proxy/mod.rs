//! Objects that crossed the boundary, as types that implement the traits of
//! `runner-core`: generic code runs on them as on anything else. A fault of the other side
//! is raised again here.

mod agent;
mod game;
mod lend_game;
mod lend_host;
mod remote_host;
mod session;
mod shared_host;
mod tables;
mod value;

pub use agent::DynAgent;
pub use game::DynGame;
pub use remote_host::RemoteHost;
pub use shared_host::{Player, PluginHost, SharedHost};
pub use tables::TableGame;
pub use value::DynValue;

//! Objects that crossed the boundary, as types that implement the traits of `runner-core`: generic
//! code runs on them as on anything else. A fault of the other side is raised again here.

mod agent;
mod game;
#[macro_use]
mod host;
mod lent;
mod session;
mod tables;
mod value;

pub use agent::DynAgent;
pub use game::DynGame;
pub use host::{HostTable, PluginHost, RemoteHost, SharedHost};
pub use tables::TableGame;
pub use value::DynValue;

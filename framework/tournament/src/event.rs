//! The events of a tournament under way.

use super::queue::Queue;

pub enum Event<'a> {
    /// Games are under way.
    Progress(&'a Queue<'a>),
    /// Something that the user should know.
    Note(String),
}

/// Receives the events.
pub type Watch<'a> = &'a mut dyn FnMut(Event<'_>);

//! The stream of one viewer: server-sent events, one for each change.

use super::room::{Room, View};
use axum::response::sse::Event;
use futures_util::stream::{Stream, unfold};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, watch};

/// A viewer of a game.
struct Viewer {
    changes: watch::Receiver<View>,
    /// The last view that the viewer was sent; `None` at first.
    seen: Option<View>,
    waiting: VecDeque<Event>,
    has_ended: bool,
    /// Its place among all viewers.
    _place: OwnedSemaphorePermit,
}

/// Returns the events of a viewer. A viewer that reads slowly misses frames.
pub fn events(
    room: &Room,
    place: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
    let changes = room.watch();
    let waiting = VecDeque::new();
    let viewer = Viewer { changes, seen: None, waiting, has_ended: false, _place: place };
    unfold(viewer, |mut viewer| async {
        loop {
            if let Some(event) = viewer.waiting.pop_front() {
                return Some((Ok(event), viewer));
            }
            let is_first = viewer.seen.is_none();
            if viewer.has_ended || (!is_first && viewer.changes.changed().await.is_err()) {
                return None;
            }
            viewer.look();
        }
    })
}

impl Viewer {
    fn look(&mut self) {
        let now = self.changes.borrow_and_update().clone();
        let before = self.seen.replace(now.clone()).unwrap_or_default();
        let parts = [
            ("about", &now.about, &before.about),
            ("frame", &now.frame, &before.frame),
            ("review", &now.review, &before.review),
        ];
        for (name, text, known) in parts {
            if !Arc::ptr_eq(text, known) && !text.is_empty() {
                self.waiting.push_back(Event::default().event(name).data(&**text));
            }
        }
        if let Some(reason) = now.ended {
            let reason = reason.replace(['\n', '\r'], " ");
            self.waiting.push_back(Event::default().event("ended").data(reason));
            self.has_ended = true;
        }
    }
}

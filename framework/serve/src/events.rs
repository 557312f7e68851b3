//! The server-sent events of one viewer: one for each part of the view that has changed.

use super::room::{Room, View};
use axum::response::sse::Event;
use futures_util::stream::{Stream, unfold};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, watch};

struct Viewer {
    changes: watch::Receiver<View>,
    /// The last view that was put into `queue`; `None` at first.
    sent: Option<View>,
    queue: VecDeque<Event>,
    /// True if the event of the game's end is in `queue` or has been sent.
    has_ended: bool,
    /// One of the permits of all viewers.
    _permit: OwnedSemaphorePermit,
}

/// Returns the events of a viewer. A viewer that reads slowly misses frames.
pub fn events(
    room: &Room,
    permit: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
    let (changes, queue) = (room.watch(), VecDeque::new());
    let viewer = Viewer { changes, sent: None, queue, has_ended: false, _permit: permit };
    unfold(viewer, |mut viewer| async {
        loop {
            if let Some(event) = viewer.queue.pop_front() {
                return Some((Ok(event), viewer));
            }
            // The first view is sent at once.
            let waits = viewer.sent.is_some();
            if viewer.has_ended || (waits && viewer.changes.changed().await.is_err()) {
                return None;
            }
            viewer.queue_changes();
        }
    })
}

impl Viewer {
    fn queue_changes(&mut self) {
        let now = self.changes.borrow_and_update().clone();
        let before = self.sent.replace(now.clone()).unwrap_or_default();
        let parts = [
            ("about", &now.about, &before.about),
            ("frame", &now.frame, &before.frame),
            ("review", &now.review, &before.review),
        ];
        for (name, text, old_text) in parts {
            // The room replaces the `Arc` of a part when it changes it.
            if !Arc::ptr_eq(text, old_text) && !text.is_empty() {
                self.queue.push_back(Event::default().event(name).data(&**text));
            }
        }
        if let Some(reason) = now.ended {
            // The data of an event must be one line.
            let reason = reason.replace(['\n', '\r'], " ");
            self.queue.push_back(Event::default().event("ended").data(reason));
            self.has_ended = true;
        }
    }
}

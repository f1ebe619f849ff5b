//! The channel for events from the threads to the main loop.

use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::workbench::event::Event;

/// An event and its time of arrival, from which answer times are measured.
pub type Timed = (Instant, Event);

/// Sends events from any thread.
#[derive(Clone)]
pub struct Events(UnboundedSender<Timed>);

impl Events {
    pub fn new() -> (Events, UnboundedReceiver<Timed>) {
        let (send, incoming) = unbounded_channel();
        (Events(send), incoming)
    }

    /// # Errors
    /// Returns the event if the receiver is gone.
    pub fn send(&self, event: Event) -> Result<(), Box<Timed>> {
        self.0.send((Instant::now(), event)).map_err(|refused| Box::new(refused.0))
    }
}

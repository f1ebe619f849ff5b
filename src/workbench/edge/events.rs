//! The way of all events from the threads to the loop.

use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::workbench::event::Event;

/// An event, and when it came: what a key asks for is answered so long after that.
pub type Timed = (Instant, Event);

/// Takes events on any thread.
#[derive(Clone)]
pub struct Events(UnboundedSender<Timed>);

impl Events {
    pub fn new() -> (Events, UnboundedReceiver<Timed>) {
        let (send, incoming) = unbounded_channel();
        (Events(send), incoming)
    }

    /// # Errors
    /// Gives the event back if nobody takes any more.
    pub fn send(&self, event: Event) -> Result<(), Box<Timed>> {
        self.0.send((Instant::now(), event)).map_err(|refused| Box::new(refused.0))
    }
}

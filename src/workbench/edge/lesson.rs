//! What is kept of lessons that are done. Written on a thread of its own.

use std::time::SystemTime;

use crate::workbench::edge::aside::aside;
use crate::workbench::edge::events::Events;
use crate::workbench::event::Event;
use crate::workbench::learn::{place, progress};

/// Every goal of a lesson is reached: progress says so from now on.
pub fn done(key: String, events: Events) {
    aside("lesson", move || {
        let kept = place::progress_file().map(|file| progress::record(&file, &key, SystemTime::now()));
        if let Some(Err(error)) = kept {
            drop(events.send(Event::Notice(format!("that the lesson is done is not kept: {error}"))));
        }
    });
}

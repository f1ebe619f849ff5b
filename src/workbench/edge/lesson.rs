//! Records completed lessons, on a separate thread.

use std::time::SystemTime;

use crate::workbench::edge::aside::aside;
use crate::workbench::edge::events::Events;
use crate::workbench::event::Event;
use crate::workbench::learn::{place, progress};

/// Records that every goal of a lesson is reached.
pub fn done(key: String, events: Events) {
    aside("lesson", move || {
        let kept = place::progress_file().map(|file| progress::record(&file, &key, SystemTime::now()));
        if let Some(Err(error)) = kept {
            drop(events.send(Event::Notice(format!("the lesson's completion is not recorded: {error}"))));
        }
    });
}

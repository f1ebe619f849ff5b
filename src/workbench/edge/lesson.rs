//! Records completed lessons, on a separate thread.

use std::time::SystemTime;

use crate::workbench::edge::background::spawn_detached;
use crate::workbench::edge::events::Events;
use crate::workbench::event::Event;
use crate::workbench::learn::{progress, workspace};

/// Records that every goal of a lesson is reached.
pub fn done(key: String, events: Events) {
    spawn_detached("lesson", move || {
        let kept = workspace::progress_file().map(|file| progress::record(&file, &key, SystemTime::now()));
        if let Some(Err(error)) = kept {
            drop(events.send(Event::Notice(format!("the lesson's completion is not recorded: {error}"))));
        }
    });
}

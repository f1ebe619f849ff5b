//! Room for the steps of a recording that is yet to come. A text is recorded anew at each keystroke, and memory that was never written to
//! costs more than writing to it: so a trace leaves its room to the next one, and the first ones find room that was made ready before.

use std::sync::{Mutex, PoisonError};

use super::Steps;
use crate::lang::limits;

static SPARE: Mutex<Option<Steps>> = Mutex::new(None);

/// The spare room, or none.
pub(super) fn spare_room() -> Steps {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

/// Keeps room that is needed no more, unless there is as much.
pub(super) fn keep_room(steps: Steps) {
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    if spare.as_ref().map_or(0, Steps::room) < steps.room() {
        *spare = Some(steps);
    }
}

/// Makes room for the longest run, ready to be written to, unless there is spare room. It takes some ten milliseconds.
pub fn make_room() {
    let is_there = SPARE.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    if !is_there {
        keep_room(Steps::ready(limits::STEPS as usize));
    }
}

/// The same by a thread of its own, so that nothing waits for it. Without a thread the next recording finds no room, and takes longer.
pub fn make_room_aside() {
    drop(std::thread::Builder::new().name("room".into()).spawn(make_room));
}

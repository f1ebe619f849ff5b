//! Room for the steps and calls of a recording that is yet to come. A text is recorded anew at each keystroke, and memory that was never written to
//! costs more than writing to it: so a trace leaves its room to the next one, and the first ones find room that was made ready before.

use std::sync::{Mutex, PoisonError};

use super::{Call, Steps};
use crate::lang::limits;

/// Calls that there is room for before any is made: of a run that does little else than to call, one step in eight is a call.
const CALLS: usize = limits::STEPS as usize / 8;

/// Memory that recordings are written to, one after the other.
#[derive(Debug, Default)]
pub struct Room {
    pub steps: Steps,
    /// It is empty where it is spare.
    pub calls: Vec<Call>,
}

static SPARE: Mutex<Option<Room>> = Mutex::new(None);

/// The spare room, or none.
pub(super) fn spare_room() -> Room {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

/// Keeps room that is needed no more, unless there is as much.
pub(super) fn keep_room(mut room: Room) {
    room.calls.clear();
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    if spare.as_ref().map_or(0, |spare| spare.steps.room()) < room.steps.room() {
        *spare = Some(room);
    }
}

/// Makes room for the longest run, ready to be written to, unless there is spare room. It takes some ten milliseconds.
pub fn make_room() {
    let is_there = SPARE.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    if !is_there {
        let none = Call { function: 0, parent: 0, start: 0, end: 0, size: 0, children: 0, previous: 0, nth: 0 };
        let mut calls = Vec::new();
        // Writing the calls makes the system give their memory. Without it they grow as they are made.
        if calls.try_reserve_exact(CALLS).is_ok() {
            calls.resize(CALLS, none);
        }
        let calls = std::hint::black_box(calls);
        keep_room(Room { steps: Steps::ready(limits::STEPS as usize), calls });
    }
}

/// The same by a thread of its own, so that nothing waits for it. Without a thread the next recording finds no room, and takes longer.
pub fn make_room_aside() {
    drop(std::thread::Builder::new().name("room".into()).spawn(make_room));
}

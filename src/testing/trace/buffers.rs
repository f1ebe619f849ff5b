//! Reusable buffers for the steps and calls of a recording. A text is recorded again at each keystroke, and first
//! writes to fresh memory cost more than the writes themselves. A dropped trace therefore leaves its buffers to the
//! next one, and the first buffers are prepared in advance.

use std::sync::mpsc::{self, SyncSender};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::steps::{Call, Steps};
use crate::lang::index::{Position, RoutineId};
use crate::lang::limits;

/// The initial room for calls. In a run that does little else than call, one step in eight is a call.
const CALLS: usize = limits::STEPS as usize / 8;

/// The buffers of a recording, passed from one to the next.
#[derive(Debug, Default)]
pub struct TraceBuffers {
    pub steps: Steps,
    /// Empty while the room is spare.
    pub calls: Vec<Call>,
}

static SPARE: Mutex<Option<TraceBuffers>> = Mutex::new(None);

/// Takes the spare room, or returns an empty one.
pub(super) fn take_spare_buffers() -> TraceBuffers {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

/// Keeps room for reuse, unless the spare room is at least as large.
pub(super) fn recycle_buffers(mut room: TraceBuffers) {
    room.calls.clear();
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    if spare.as_ref().map_or(0, |spare| spare.steps.room()) < room.steps.room() {
        *spare = Some(room);
    }
}

/// Prepares room for the longest run, unless spare room exists. Takes some ten milliseconds.
pub fn preallocate_buffers() {
    let is_there = SPARE.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    if !is_there {
        let none = Call {
            function: RoutineId::default(),
            parent: None,
            start: Position::default(),
            end: None,
            size: 0,
            children: 0,
            previous: None,
            nth: 0,
        };
        let mut calls = Vec::new();
        // Writing the calls makes the system commit their memory. If the reservation fails, the list grows as needed.
        if calls.try_reserve_exact(CALLS).is_ok() {
            calls.resize(CALLS, none);
        }
        let calls = std::hint::black_box(calls);
        recycle_buffers(TraceBuffers { steps: Steps::ready(limits::STEPS as usize), calls });
    }
}

/// Likewise without waiting, on one background thread for all calls. If a request is pending, it serves this call, too.
/// If the thread cannot start, the next recording merely takes longer.
pub fn preallocate_buffers_in_background() {
    static REQUESTS: OnceLock<SyncSender<()>> = OnceLock::new();
    let requests = REQUESTS.get_or_init(|| {
        let (requests, pending) = mpsc::sync_channel(1);
        let work = move || pending.iter().for_each(|()| preallocate_buffers());
        drop(std::thread::Builder::new().name("room".into()).spawn(work));
        requests
    });
    let _ = requests.try_send(());
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn many_requests_share_one_background_thread() {
        (0..100).for_each(|_| super::preallocate_buffers_in_background());
        let threads = std::fs::read_dir("/proc/self/task").expect("the threads").flatten();
        let names = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
        assert!(names.filter(|name| name.trim() == "room").count() <= 1);
    }
}

//! Runs work on a separate thread, or on the current one if no thread can be started.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long the exit waits for files that are being written.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the work in the background. If no thread can be started, the work is done before this returns.
pub fn spawn_detached(name: &str, work: impl FnOnce() + Send + 'static) {
    let work = Arc::new(Mutex::new(Some(work)));
    let theirs = work.clone();
    if thread::Builder::new().name(name.into()).spawn(move || run(&theirs)).is_err() {
        run(&work);
    }
}

/// Runs file operations with a time limit, because a file system may never respond.
pub fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Option<R> {
    let (send, receive) = std::sync::mpsc::sync_channel(1);
    spawn_detached("end", move || _ = send.send(work()));
    receive.recv_timeout(PATIENCE).ok()
}

fn run(work: &Mutex<Option<impl FnOnce()>>) {
    let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(work) = work {
        work();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn work_runs_once_on_a_named_thread() {
        let (done, counted) = channel();
        spawn_detached("test", move || done.send(thread::current().name() == Some("test")).expect("awaited"));
        assert_eq!(counted.recv_timeout(Duration::from_secs(10)), Ok(true));
        assert!(counted.recv().is_err(), "it is done a second time");
    }
}

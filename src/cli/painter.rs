//! A line of progress on a terminal, written by a thread of its own: a terminal that is stopped (ctrl-s) or that nobody reads holds up no work.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::output::print_over;

/// Lines that wait to be written; further ones are left out.
const WAITING: usize = 2;
/// How long the last line is waited for.
const PATIENCE: Duration = Duration::from_millis(200);

/// A line in place of the one under way, and whom to tell when it has been written.
struct Line {
    text: String,
    written: Option<SyncSender<()>>,
}

/// The thread, once it is needed; `None` where none can be had.
fn painter() -> Option<&'static SyncSender<Line>> {
    static PAINTER: OnceLock<Option<SyncSender<Line>>> = OnceLock::new();
    let start = || {
        let (send, lines) = sync_channel(WAITING);
        std::thread::Builder::new().name("progress".into()).spawn(move || write(&lines)).ok()?;
        Some(send)
    };
    PAINTER.get_or_init(start).as_ref()
}

fn write(lines: &Receiver<Line>) {
    while let Ok(Line { text, written }) = lines.recv() {
        print_over(0, &text);
        // Who asked may have lost patience.
        let _ = written.map(|written| written.try_send(()));
    }
}

/// Writes a line in place of the one under way, unless others still wait to be written.
pub fn paint(text: &str) {
    if let Some(painter) = painter() {
        let _ = painter.try_send(Line { text: text.to_string(), written: None });
    }
}

/// Takes the line away, and returns when that has been done or has taken too long.
pub fn clear() {
    let Some(painter) = painter() else { return };
    let (written, done) = sync_channel(1);
    let until = Instant::now() + PATIENCE;
    let mut line = Line { text: String::new(), written: Some(written) };
    while let Err(std::sync::mpsc::TrySendError::Full(full)) = painter.try_send(line) {
        if Instant::now() >= until {
            return;
        }
        line = full;
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = done.recv_timeout(until.saturating_duration_since(Instant::now()));
}

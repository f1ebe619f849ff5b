//! Writes the progress line from a thread of its own, so that a stopped terminal (ctrl-s) does not block the
//! work.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::output::print_over;

/// Number of lines that may wait to be written; further ones are dropped.
const WAITING: usize = 2;
/// How long to wait for the last line to be written.
const PATIENCE: Duration = Duration::from_millis(200);

/// A line that replaces the current one; `written` is notified when it has been written.
struct ProgressLine {
    text: String,
    written: Option<SyncSender<()>>,
}

/// Starts the thread on first use; `None` if it cannot be started.
fn progress_line() -> Option<&'static SyncSender<ProgressLine>> {
    static PAINTER: OnceLock<Option<SyncSender<ProgressLine>>> = OnceLock::new();
    let start = || {
        let (send, lines) = sync_channel(WAITING);
        std::thread::Builder::new().name("progress".into()).spawn(move || write(&lines)).ok()?;
        Some(send)
    };
    PAINTER.get_or_init(start).as_ref()
}

fn write(lines: &Receiver<ProgressLine>) {
    while let Ok(ProgressLine { text, written }) = lines.recv() {
        print_over(0, &text);
        // The receiver may have timed out.
        let _ = written.map(|written| written.try_send(()));
    }
}

/// Replaces the current line, unless other lines are still waiting.
pub fn paint(text: &str) {
    if let Some(progress_line) = progress_line() {
        let _ = progress_line.try_send(ProgressLine { text: text.to_string(), written: None });
    }
}

/// Erases the line; returns when that is done or has timed out.
pub fn clear() {
    let Some(progress_line) = progress_line() else { return };
    let (written, done) = sync_channel(1);
    let until = Instant::now() + PATIENCE;
    let mut line = ProgressLine { text: String::new(), written: Some(written) };
    while let Err(std::sync::mpsc::TrySendError::Full(full)) = progress_line.try_send(line) {
        if Instant::now() >= until {
            return;
        }
        line = full;
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = done.recv_timeout(until.saturating_duration_since(Instant::now()));
}

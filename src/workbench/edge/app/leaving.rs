//! Every way out of the loop, and the way to the shell and back: unsaved text is on the disk and the terminal is given back before.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::App;
use crate::workbench::edge::aside::aside;
use crate::workbench::edge::keeper::Order;
use crate::workbench::edge::signals::{self, HANGUP};
use crate::workbench::edge::terminal;
use crate::workbench::state::Tone;

/// The time that the end waits for files that are being written.
const PATIENCE: Duration = Duration::from_secs(2);

impl App {
    /// Leaves as a person has asked for: whatever is not saved is meant to go.
    pub(super) fn quit(&mut self) {
        for keeper in self.keepers.drain(..) {
            keeper.finish(PATIENCE);
        }
        let journal = self.journal.clone();
        let _ = in_time(move || journal.finish());
        terminal::give_back();
    }

    /// Stops until the shell continues the program. Unsaved text goes to the disk before, the keys included that have come and
    /// are not yet taken; the terminal is the shell's meanwhile.
    pub(super) fn suspend(&mut self) {
        while let Ok(event) = self.incoming.try_recv() {
            self.take(event);
        }
        if self.exit.is_some() {
            return;
        }
        let kept = self.flush();
        terminal::give_back();
        signals::stop();
        if self.screen.resume().is_err() {
            self.exit = Some(self.leave(HANGUP));
        }
        if let Err(error) = kept {
            self.state.say(Tone::Bad, format!("unsaved text could not be kept: {error}"));
        }
        // Others may have worked on the file meanwhile.
        if let Some(keeper) = self.keepers.last() {
            keeper.order(Order::Look);
        }
    }

    /// Writes unsaved text to the disk at once.
    pub(super) fn flush(&self) -> io::Result<Option<PathBuf>> {
        self.remember();
        let journal = self.journal.clone();
        in_time(move || journal.flush()).unwrap_or_else(|| Err(io::Error::other("the disk does not answer")))
    }

    /// Out, abruptly: unsaved text goes to the disk, the terminal is given back.
    pub(super) fn leave(&mut self, code: u8) -> u8 {
        let kept = self.flush();
        terminal::give_back();
        terminal::announce(&kept);
        code
    }
}

/// Does something with files, which a file system that does not answer may hold up for ever.
fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Option<R> {
    let (send, receive) = std::sync::mpsc::sync_channel(1);
    aside("end", move || _ = send.send(work()));
    receive.recv_timeout(PATIENCE).ok()
}

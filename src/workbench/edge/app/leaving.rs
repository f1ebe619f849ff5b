//! Leaving and suspending the program. In every case unsaved text is written to disk and the terminal is
//! restored first.

use super::App;
use crate::workbench::edge::background::{PATIENCE, in_time};
use crate::workbench::edge::journal::folder::decline_entry;
use crate::workbench::edge::keeper::FileTask;
use crate::workbench::edge::signals::{self, HANGUP};
use crate::workbench::edge::terminal;
use crate::workbench::state::Tone;

impl App {
    /// Quits at the user's request. Unsaved text is discarded.
    pub(super) fn quit(&mut self) {
        for keeper in self.outside.file_workers.drain(..) {
            keeper.finish(PATIENCE);
        }
        let (journal, declined) = (self.outside.journal.clone(), std::mem::take(&mut self.outside.declined));
        let _ = in_time(move || {
            // The threads that do this may not have come to it.
            declined.iter().for_each(|entry| _ = decline_entry(entry));
            journal.finish();
        });
        terminal::restore();
    }

    /// Stops until the shell continues the program. All pending keys are handled, unsaved text is written to
    /// disk, and the terminal is restored before.
    pub(super) fn suspend(&mut self) {
        while let Ok(event) = self.incoming.try_recv() {
            self.take(event);
        }
        if self.outside.exit.is_some() {
            return;
        }
        let kept = self.outside.flush(&self.state);
        terminal::restore();
        signals::stop();
        if self.outside.screen.resume().is_err() {
            self.outside.exit = Some(self.leave(HANGUP));
        }
        if let Err(error) = kept {
            self.state.say(Tone::Bad, format!("unsaved text could not be kept: {error}"));
        }
        // Another program may have changed the files meanwhile.
        for worker in &self.outside.file_workers {
            worker.order(FileTask::Look);
        }
    }

    /// Leaves abruptly, after writing unsaved text to disk and restoring the terminal.
    pub(super) fn leave(&mut self, code: u8) -> u8 {
        self.outside.leave(&self.state, code)
    }
}

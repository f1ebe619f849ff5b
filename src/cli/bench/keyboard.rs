//! A workbench without a terminal, for benchmarks that press keys.

use std::time::{Duration, Instant};

use crate::cli::args::Common;
use crate::cli::exit::Failure;
use crate::cli::session::settings;
use crate::workbench::Options;
use crate::workbench::event::Event;
use crate::workbench::key::Key;
use crate::workbench::modal::KeySet;
use crate::workbench::offscreen::Offscreen;
use crate::workbench::theme::{Depth, Theme};

/// Columns and rows of the screen.
const SIZE: (u16, u16) = (160, 50);

/// Time limit for the first content of a panel, and for the results on a text.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Time between two polls of the engine.
const LOOK: Duration = Duration::from_micros(100);

pub struct TestWorkbench {
    pub off: Offscreen,
    // Deletes the folder that the workbench writes to.
    _folder: tempfile::TempDir,
}

impl TestWorkbench {
    /// Opens a workbench with the user's configuration.
    pub fn open(common: Common, text: &str) -> Result<TestWorkbench, Failure> {
        let mut config = settings(&common);
        // The benchmark types a text.
        config.editor.0.key_set = KeySet::Standard;
        let options = Options { config, ..Options::default() };
        let failed = |error: std::io::Error| {
            Failure::call(
                format!("the workbench does not start: {error}"),
                "check that there is space for temporary files",
            )
        };
        let folder = tempfile::Builder::new().prefix("myriad-bench-").tempdir().map_err(failed)?;
        let theme = Theme::new(Depth::True);
        let mut off = Offscreen::start(options, theme, SIZE, folder.path().into(), false).map_err(failed)?;
        off.open("bench.myr", text, None).map_err(failed)?;
        off.settle(PATIENCE);
        Ok(TestWorkbench { off, _folder: folder })
    }

    /// Presses a key and draws; returns the time in milliseconds.
    pub fn press(&mut self, key: Key) -> f64 {
        let started = Instant::now();
        self.off.handle_event(Event::Key(key));
        let _ = self.off.picture();
        started.elapsed().as_secs_f64() * 1e3
    }

    /// Like [`Self::press`], with the key's name.
    pub fn named(&mut self, name: &str) -> f64 {
        Key::parse(name).map_or(0.0, |key| self.press(key))
    }

    /// Waits for the results on the newest text and draws them; returns the milliseconds since `since`, or
    /// `None` on timeout.
    pub fn answered(&mut self, since: Instant) -> Option<f64> {
        while since.elapsed() < PATIENCE {
            self.off.listen();
            if !self.off.state().pending() {
                let _ = self.off.picture();
                return Some(since.elapsed().as_secs_f64() * 1e3);
            }
            std::thread::sleep(LOOK);
        }
        None
    }
}

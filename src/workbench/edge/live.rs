//! A terminal that shows pictures which were made elsewhere, and says which keys somebody presses.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, bail};
use crossterm::tty::IsTty;

use crate::workbench::edge::input;
use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::offscreen::Picture;
use crate::workbench::edge::signals::{self, Asked, HANGUP};
use crate::workbench::edge::terminal::{self, Screen};
use crate::workbench::event::Event;
use crate::workbench::key::Key;
use crate::workbench::panels::layout::within_most;

/// What somebody at the terminal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    Key(Key),
    /// The program is to end, with this code.
    End(u8),
    /// Nothing within the time.
    Nothing,
}

/// The terminal, taken over until it is dropped.
pub struct Live {
    screen: Screen,
    heard: Receiver<Said>,
}

/// What the threads say.
enum Said {
    Heard(Heard),
    /// The program is to stop, and goes on later.
    Stop,
}

impl Live {
    /// Takes the terminal over. `folder` is where a journal would be, if there were something to lose.
    ///
    /// # Errors
    /// If there is none.
    pub fn enter(folder: PathBuf) -> anyhow::Result<Live> {
        if !std::io::stdout().is_tty() {
            bail!("playing needs a terminal");
        }
        let journal = Journal::start(vec![folder], |_| ()).context("cannot start a thread")?;
        let (send, heard) = channel();
        terminal::install_panic_hook(journal.clone(), |_| ());
        let ends = send.clone();
        signals::serve(journal, move |asked| {
            let _ = ends.send(match asked {
                Asked::End(code) => Said::Heard(Heard::End(code)),
                Asked::Stop => Said::Stop,
            });
        })?;
        let screen = Screen::enter(|| ()).context("cannot take over the terminal")?;
        let gone = send.clone();
        terminal::watch_hangup(move || {
            let _ = gone.send(Said::Heard(Heard::End(HANGUP)));
        });
        input::read(move |event| {
            let keys: Vec<Key> = match event {
                Event::Key(key) => vec![key],
                Event::Burst { text, .. } => text.chars().next().map(Key::typing).into_iter().collect(),
                _ => Vec::new(),
            };
            keys.into_iter().all(|key| send.send(Said::Heard(Heard::Key(key))).is_ok())
        })?;
        Ok(Live { screen, heard })
    }

    /// As much of the terminal as is drawn on.
    ///
    /// # Errors
    /// If it is gone.
    pub fn size(&self) -> std::io::Result<(u16, u16)> {
        let size = self.screen.terminal.size()?;
        Ok(within_most((size.width, size.height)))
    }

    /// Whether it has taken what was drawn.
    pub fn is_ready(&self) -> bool {
        self.screen.is_ready()
    }

    /// Shows a picture.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub fn show(&mut self, picture: &Picture) -> std::io::Result<()> {
        self.screen.draw(|frame| {
            // Of another size than the terminal has just taken it is no picture; the next one is.
            if frame.area() == *picture.cells.area() {
                frame.buffer_mut().clone_from(&picture.cells);
                if let Some(cursor) = picture.cursor {
                    frame.set_cursor_position(cursor);
                }
            }
        })
    }

    /// Waits for somebody, so long at most.
    pub fn hear(&mut self, time: Duration) -> Heard {
        match self.heard.recv_timeout(time) {
            Ok(Said::Heard(heard)) => heard,
            Ok(Said::Stop) => {
                terminal::give_back();
                signals::stop();
                if self.screen.resume().is_ok() { Heard::Nothing } else { Heard::End(HANGUP) }
            }
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::End(HANGUP),
        }
    }
}

//! A terminal that shows prepared pictures and reports the keys pressed.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, bail};
use crossterm::tty::IsTty;

use crate::workbench::edge::input;
use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::offscreen::Picture;
use crate::workbench::edge::signals::{self, HANGUP, SignalRequest};
use crate::workbench::edge::terminal::{self, Screen};
use crate::workbench::event::Event;
use crate::workbench::key::Key;
use crate::workbench::panels::layout::clamp_size;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveInput {
    Key(Key),
    /// The program must end, with this exit code.
    End(u8),
    /// The time limit expired.
    Nothing,
}

/// The terminal, in use until this is dropped.
pub struct Live {
    screen: Screen,
    heard: Receiver<ThreadMessage>,
}

enum ThreadMessage {
    LiveInput(LiveInput),
    /// The program must stop, and continues later.
    Stop,
}

impl Live {
    /// Takes over the terminal. `folder` is the place for a journal, though no text is at risk here.
    ///
    /// # Errors
    /// If standard output is not a terminal, or a thread cannot be started.
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
                SignalRequest::End(code) => ThreadMessage::LiveInput(LiveInput::End(code)),
                SignalRequest::Stop => ThreadMessage::Stop,
            });
        })?;
        let screen = Screen::enter(|| ()).context("cannot take over the terminal")?;
        let gone = send.clone();
        terminal::watch_hangup(move || {
            let _ = gone.send(ThreadMessage::LiveInput(LiveInput::End(HANGUP)));
        });
        input::read(move |event| {
            let keys: Vec<Key> = match event {
                Event::Key(key) => vec![key],
                Event::Burst { text, .. } => text.chars().next().map(Key::typing).into_iter().collect(),
                _ => Vec::new(),
            };
            keys.into_iter().all(|key| send.send(ThreadMessage::LiveInput(LiveInput::Key(key))).is_ok())
        })?;
        Ok(Live { screen, heard })
    }

    /// Returns the size of the part of the terminal that is drawn on.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub fn size(&self) -> std::io::Result<(u16, u16)> {
        let size = self.screen.terminal.size()?;
        Ok(clamp_size((size.width, size.height)))
    }

    /// Returns whether the terminal has received everything drawn.
    pub fn is_ready(&self) -> bool {
        self.screen.is_ready()
    }

    /// Shows a picture.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub fn show(&mut self, picture: &Picture) -> std::io::Result<()> {
        self.screen.draw(|frame| {
            // Skip a picture whose size differs from the terminal's new size; the next one will match.
            if frame.area() == *picture.cells.area() {
                frame.buffer_mut().clone_from(&picture.cells);
                if let Some(cursor) = picture.cursor {
                    frame.set_cursor_position(cursor);
                }
            }
        })
    }

    /// Waits for input, up to a time limit.
    pub fn wait_for_input(&mut self, time: Duration) -> LiveInput {
        match self.heard.recv_timeout(time) {
            Ok(ThreadMessage::LiveInput(heard)) => heard,
            Ok(ThreadMessage::Stop) => {
                terminal::restore();
                signals::stop();
                if self.screen.resume().is_ok() { LiveInput::Nothing } else { LiveInput::End(HANGUP) }
            }
            Err(RecvTimeoutError::Timeout) => LiveInput::Nothing,
            Err(RecvTimeoutError::Disconnected) => LiveInput::End(HANGUP),
        }
    }
}

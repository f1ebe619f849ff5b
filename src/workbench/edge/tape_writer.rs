//! Writes a session to a tape while it goes on, on a separate thread. Each command is appended as soon as it is whole,
//! so that a killed session leaves a tape of everything before.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::host::files;
use crate::report::visible::visible;
use crate::workbench::edge::background::in_time;
use crate::workbench::event::{Event, UserInput};
use crate::workbench::state::State;
use crate::workbench::tape::session::{Beginning, SessionTape, TOGETHER};

/// The tape that a session shall be written to.
#[derive(Clone, Debug)]
pub struct NewTape {
    pub path: PathBuf,
    /// Lines of the configuration that the session needs.
    pub config: Vec<String>,
}

impl NewTape {
    /// Creates the file.
    ///
    /// # Errors
    /// If a file with this name exists or cannot be created.
    pub fn create(&self) -> anyhow::Result<File> {
        let name = visible(&self.path.display().to_string());
        OpenOptions::new().append(true).create_new(true).open(&self.path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                anyhow::anyhow!("{name} exists already and is not overwritten: name another file for the tape")
            }
            _ => anyhow::anyhow!("cannot create {name}: {}", files::message(&error)),
        })
    }
}

/// A tape that is being written. Dropping it writes its last lines.
pub struct TapeWriter {
    /// `None` once the tape ends.
    messages: Option<Sender<Message>>,
    /// Returns why the tape ends before its session, if it does.
    thread: Option<JoinHandle<Option<String>>>,
}

enum Message {
    Input(Instant, UserInput),
    Forget,
    /// The last key did nothing because something was missing; `true` if it followed the prefix key.
    Refused(bool),
}

impl TapeWriter {
    /// Writes the beginning of the session. `tell` is called at most once: if a later write fails, or if the tape reaches
    /// a limit.
    ///
    /// # Errors
    /// If the file cannot be written or no thread can be started.
    pub fn start(
        mut file: File,
        state: &State,
        config: &[String],
        tell: impl FnOnce(String) + Send + 'static,
    ) -> io::Result<TapeWriter> {
        let document = &state.document;
        let name = document.file.path.as_deref().and_then(|path| path.file_name()?.to_str());
        let (tape, lines) = SessionTape::begin(&Beginning {
            size: state.screen.size,
            name,
            text: document.buffer.text(),
            cursor: document.buffer.place_in_characters(document.buffer.head()),
            presenter: state.status.echo.is_some(),
            config,
        });
        file.write_all(lines.as_bytes())?;
        let (messages, to_write) = channel();
        let length = lines.len() as u64;
        let work = move || {
            let why = write(file, length, tape, &to_write).err()?;
            tell(why.clone());
            Some(why)
        };
        let thread = std::thread::Builder::new().name("tape".into()).spawn(work)?;
        Ok(TapeWriter { messages: Some(messages), thread: Some(thread) })
    }

    /// Records an event if it is the user's.
    pub fn record(&self, at: Instant, event: &Event) {
        if let Some(input) = UserInput::of(event) {
            self.send(Message::Input(at, input));
        }
    }

    /// Leaves the last key out of the tape, because it ends the session.
    pub fn forget(&self) {
        self.send(Message::Forget);
    }

    /// Leaves the last key out of the tape, because it did nothing: what it needs may be there when the tape is played. After
    /// the prefix key (`prefixed`), a key that leaves it takes its place.
    pub fn refuse(&self, prefixed: bool) {
        self.send(Message::Refused(prefixed));
    }

    /// Writes the last lines. Returns why the tape ends before its session, if it does.
    pub fn finish(mut self) -> Option<String> {
        self.end()
    }

    fn end(&mut self) -> Option<String> {
        self.messages = None;
        let thread = self.thread.take()?;
        let ended = in_time(move || thread.join());
        ended.and_then(Result::ok).unwrap_or_else(|| Some("the disk does not answer".to_string()))
    }

    fn send(&self, message: Message) {
        if let Some(messages) = &self.messages {
            // After a failure nobody receives.
            let _ = messages.send(message);
        }
    }
}

impl Drop for TapeWriter {
    fn drop(&mut self) {
        self.end();
    }
}

/// Appends to the tape until the session ends. `length` is the number of bytes in the file.
///
/// # Errors
/// Returns why nothing more is written.
fn write(
    mut file: File,
    mut length: u64,
    mut tape: SessionTape,
    messages: &Receiver<Message>,
) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        let message = match tape.waits() {
            true => messages.recv_timeout(TOGETHER),
            false => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let lines = match &message {
            Ok(Message::Input(at, input)) => tape.record(at.saturating_duration_since(begun), input),
            Ok(Message::Forget) => {
                tape.forget();
                continue;
            }
            Ok(Message::Refused(prefixed)) => tape.refuse(*prefixed),
            Err(_) => tape.flush(),
        };
        if let Err(error) = file.write_all(lines.as_bytes()) {
            // Remove a part of a line.
            let _ = file.set_len(length);
            return Err(format!("it cannot be written: {}", files::message(&error)));
        }
        length += lines.len() as u64;
        if tape.is_full() {
            return Err("it cannot be longer".to_string());
        }
        if matches!(message, Err(RecvTimeoutError::Disconnected)) {
            let _ = file.sync_all();
            return Ok(());
        }
    }
}

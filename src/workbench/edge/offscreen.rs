//! The workbench without a terminal: the same state, engine and drawing. The caller sends events and takes
//! pictures.
//!
//! Nothing is written outside its folder. It has no journal and only an internal clipboard; saves go into the
//! folder or fail.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::host::files;
use crate::workbench::edge::events::{Events, Timed};
use crate::workbench::edge::measurements::without_measurements;
use crate::workbench::edge::options::Options;
use crate::workbench::edge::services::Services;
use crate::workbench::edge::world::{EngineSession, FileTask, World, compile, handle};
use crate::workbench::edge::{disk, engine};
use crate::workbench::event::{Event, FileContents, Opened};
use crate::workbench::highlight::Highlighter;
use crate::workbench::open::OpenPlace;
use crate::workbench::paint::draw;
use crate::workbench::panels::layout::clamp_size;
use crate::workbench::state::{FileInfo, State, Tone, WorkbenchDocument};
use crate::workbench::theme::Theme;

/// The interval at which messages of the engine are polled.
const LOOK: Duration = Duration::from_millis(2);

/// The current screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub cells: Buffer,
    /// The place of the terminal's cursor, if any.
    pub cursor: Option<Position>,
}

impl Picture {
    /// Returns the characters of a line, without trailing blanks.
    pub fn line(&self, y: u16) -> String {
        let area = self.cells.area();
        let mut line = String::new();
        let mut x = area.left();
        while x < area.right() {
            let symbol = self.cells[(x, y)].symbol();
            line.push_str(symbol);
            x += unicode_width::UnicodeWidthStr::width(symbol).max(1) as u16;
        }
        line.trim_end().to_string()
    }

    /// Returns whether any line contains this text.
    pub fn has(&self, text: &str) -> bool {
        let area = self.cells.area();
        (area.top()..area.bottom()).any(|y| self.line(y).contains(text))
    }

    pub fn text(&self) -> String {
        let area = self.cells.area();
        (area.top()..area.bottom()).map(|y| self.line(y) + "\n").collect()
    }
}

/// A timer: the echo of a key fades after a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    pub after: Duration,
    pub number: u64,
}

/// A workbench that is visible only through its pictures.
pub struct Offscreen {
    state: State,
    outside: Outside,
    incoming: UnboundedReceiver<Timed>,
    highlighter: Highlighter,
    theme: Theme,
    /// Whether measurements are removed.
    held: bool,
    /// The newest base whose entries are being explained.
    explaining: Option<u64>,
}

/// The world of tapes: one folder, and no clipboard but the workbench's own. Completed lessons are not recorded.
struct Outside {
    services: Services,
    /// The only folder that is written to.
    folder: PathBuf,
    later: Vec<Timer>,
    ended: bool,
    /// Whether the tape has the texts that keys paste.
    taped_clipboard: bool,
}

impl Offscreen {
    /// Starts with an empty text.
    ///
    /// # Errors
    /// If no threads can be started.
    pub fn start(
        options: Options,
        theme: Theme,
        (width, height): (u16, u16),
        folder: PathBuf,
        held: bool,
    ) -> std::io::Result<Offscreen> {
        let mut state = State::new("", FileInfo::default());
        options.set(&mut state);
        let (events, incoming) = Events::new();
        let services = Services::start(options, events)?;
        let outside = Outside { services, folder, later: Vec::new(), ended: false, taped_clipboard: false };
        let highlighter = Highlighter::default();
        let mut here = Offscreen { state, outside, incoming, highlighter, theme, held, explaining: None };
        here.handle_event(Event::Resize(width, height));
        here.compile();
        Ok(here)
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns whether the workbench has been quit.
    pub fn ended(&self) -> bool {
        self.outside.ended
    }

    /// Makes keys paste nothing, because the tape has the texts that are pasted.
    pub fn use_taped_clipboard(&mut self) {
        self.outside.taped_clipboard = true;
    }

    /// Opens a program in a new file in the folder, with the cursor at a place. The previous text is discarded.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open(&mut self, name: &str, text: &str, place: Option<OpenPlace>) -> std::io::Result<()> {
        let path = self.outside.folder.join(name);
        files::write(&path, text.as_bytes())?;
        // Mark the current text as saved, as nothing is lost with it.
        self.state.document.file.on_disk = Some(self.state.document.buffer.text().clone());
        let number = self.state.prompts.request();
        let FileContents::Text { text, bom } = disk::read(&path) else {
            return Err(std::io::Error::other("what was written cannot be read"));
        };
        // Use a relative name: the folder's own name differs each time.
        let file =
            FileInfo { path: Some(name.into()), bom, on_disk: Some(text.clone()), ..FileInfo::default() };
        self.handle_event(Event::Opened(Box::new(Opened { number, file, text, place, note: None })));
        // A tape shows one file at a time.
        self.state.files.others.clear();
        Ok(())
    }

    pub fn handle_event(&mut self, event: Event) {
        let event = match engine::timed(event) {
            Event::Engine { update, .. } if self.held => {
                Event::Engine { update: Box::new(without_measurements(*update)), since: Duration::ZERO }
            }
            event => event,
        };
        if handle(&mut self.state, &mut self.outside, event) {
            self.compile();
        }
    }

    /// Shows a message in the status bar, or removes it.
    pub fn say(&mut self, what: Option<&str>) {
        match what {
            Some(what) => self.state.say(Tone::Plain, what),
            None => self.state.status.message = None,
        }
    }

    /// Handles all pending messages of threads. Returns false if nothing was pending.
    pub fn listen(&mut self) -> bool {
        let mut some = false;
        while let Ok((_, event)) = self.incoming.try_recv() {
            some = true;
            match &event {
                Event::Test { .. }
                | Event::Listed { .. }
                | Event::Previewed { .. }
                | Event::AlreadyOpen { .. }
                | Event::Opened(_)
                | Event::OpenedFolder { .. }
                | Event::OpenFailed { .. } => {
                    self.outside.services.awaited = self.outside.services.awaited.saturating_sub(1);
                }
                Event::Details { revision, .. } if self.explaining.is_some_and(|last| last <= *revision) => {
                    self.explaining = None;
                }
                Event::Engine { update, .. } => {
                    if let crate::session::Update::Base { revision, result, .. } = &**update
                        && !result.entries.is_empty()
                    {
                        self.explaining = Some(*revision);
                    }
                }
                _ => {}
            }
            self.handle_event(event);
        }
        some
    }

    /// Waits until all consequences of past events have arrived. Returns false if the time limit expires
    /// first. Races are not awaited.
    pub fn settle(&mut self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        loop {
            let (rests, some) = self.look();
            if rests {
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            if !some {
                std::thread::sleep(LOOK);
            }
        }
    }

    /// Handles pending messages. Returns whether all consequences of past events have arrived.
    pub fn rests(&mut self) -> bool {
        self.look().0
    }

    /// Returns whether messages may be on their way. Handles none.
    pub fn awaits(&self) -> bool {
        !(self.outside.services.engine.rests() || self.state.engine.stopped) || !self.incoming.is_empty()
    }

    /// Handles pending messages. Returns whether everything has arrived, and whether there were messages.
    fn look(&mut self) -> (bool, bool) {
        // Check this first: the messages of an idle engine have already arrived.
        let rests = self.outside.services.engine.rests() || self.state.engine.stopped;
        let some = self.listen();
        (rests && !some && self.outside.services.awaited == 0 && self.explaining.is_none(), some)
    }

    /// Returns the timers that have been started.
    pub fn take_timers(&mut self) -> Vec<Timer> {
        std::mem::take(&mut self.outside.later)
    }

    /// Draws the current screen.
    pub fn picture(&mut self) -> Picture {
        let (width, height) = self.state.screen.size;
        let mut cells = Buffer::empty(Rect::new(0, 0, width, height));
        let cursor = draw(&self.state, &self.theme, &mut self.highlighter, &mut cells);
        Picture { cells, cursor }
    }

    /// Resizes the screen, in columns and rows.
    pub fn resize(&mut self, size: (u16, u16)) {
        if clamp_size(size) != self.state.screen.size {
            self.handle_event(Event::Resize(size.0, size.1));
        }
    }

    fn compile(&mut self) {
        compile(&self.state.document, &mut self.outside, Instant::now());
    }
}

impl World for Outside {
    fn session(&mut self) -> &mut dyn EngineSession {
        &mut self.services
    }

    /// Writes a text to a file in the folder, or fails. The folder has no other user.
    fn file(&mut self, _: u64, path: &Path, task: FileTask) -> Option<Event> {
        let (FileTask::Save(job) | FileTask::SaveKeepingTheirs { job, .. }) = task else { return None };
        let inside = path.components().count() == 1 && path.file_name().is_some();
        Some(match inside {
            false => Event::SaveFailed("a demo writes nothing outside of its own folder".to_string()),
            true => match files::write(&self.folder.join(path), &disk::encode(&job.text, job.bom)) {
                Ok(()) => Event::Saved { path: job.path, text: job.text, note: None },
                Err(error) => Event::SaveFailed(format!("not saved: {error}")),
            },
        })
    }

    fn find_unsaved(&mut self, _: &WorkbenchDocument) -> Option<Event> {
        Some(Event::Unsaved { texts: Vec::new(), more: 0, held: false, asked: true })
    }

    fn paste(&mut self, own: String) -> Option<Event> {
        (!self.taped_clipboard).then_some(Event::Paste(own))
    }

    fn fade(&mut self, number: u64, after: Duration) {
        self.later.push(Timer { after, number });
    }

    fn quit(&mut self) {
        self.ended = true;
    }
}

impl Drop for Offscreen {
    fn drop(&mut self) {
        self.outside.services.engine.finish();
    }
}

//! The workbench without a terminal: the same state, engine and drawing. The caller sends events and takes
//! pictures.
//!
//! Nothing is written outside its folder. It has no journal and only an internal clipboard; saves go into the
//! folder or fail.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::engine::choose::Preference;
use crate::host::files;
use crate::paper::race::Settings;
use crate::session::{Edit, Request};
use crate::workbench::edge::engine::{self, Engine};
use crate::workbench::edge::events::{Events, Timed};
use crate::workbench::edge::held::held;
use crate::workbench::edge::options::Options;
use crate::workbench::edge::{disk, open, race};
use crate::workbench::event::{Disk, Effect, Event, Opened};
use crate::workbench::example::{self, NoTest};
use crate::workbench::highlight::Highlighter;
use crate::workbench::open::Target;
use crate::workbench::paint::draw;
use crate::workbench::panels::layout::clamp_size;
use crate::workbench::race::News;
use crate::workbench::state::{FileInfo, Opening, State, Tone};
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

    /// Returns all lines.
    pub fn text(&self) -> String {
        let area = self.cells.area();
        (area.top()..area.bottom()).map(|y| self.line(y) + "\n").collect()
    }
}

/// A timer: the echo of a key fades after a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    pub after: Duration,
    pub number: u64,
}

/// A workbench that is visible only through its pictures.
pub struct Offscreen {
    state: State,
    engine: Engine,
    races: race::Runner,
    events: Events,
    incoming: UnboundedReceiver<Timed>,
    highlighter: Highlighter,
    options: Options,
    theme: Theme,
    /// The only folder that is written to.
    folder: PathBuf,
    /// Whether measurements are removed.
    held: bool,
    /// The number of pending answers of threads.
    awaited: usize,
    /// The newest base whose entries are being explained.
    explaining: Option<u64>,
    later: Vec<Later>,
    ended: bool,
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
        let engine = Engine::start(&options, events.clone())?;
        let mut here = Offscreen {
            state,
            engine,
            races: race::Runner::default(),
            events,
            incoming,
            highlighter: Highlighter::default(),
            options,
            theme,
            folder,
            held,
            awaited: 0,
            explaining: None,
            later: Vec::new(),
            ended: false,
        };
        here.handle_event(Event::Resize(width, height));
        here.compile();
        Ok(here)
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns whether the workbench has been quit.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Opens a program in a new file in the folder. The previous text is discarded.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open(&mut self, name: &str, text: &str) -> std::io::Result<()> {
        let path = self.folder.join(name);
        files::write(&path, text.as_bytes())?;
        // Mark the current text as saved, as nothing is lost with it.
        self.state.document.file.on_disk = Some(self.state.document.buffer.text().clone());
        self.state.prompts.open_requests += 1;
        let number = self.state.prompts.open_requests;
        let (revision, target) = (self.state.document.revision, Target::Path(path.display().to_string()));
        self.state.prompts.open_request = Some(Opening { number, revision, target });
        let Disk::Text { text, bom } = disk::read(&path) else {
            return Err(std::io::Error::other("what was written cannot be read"));
        };
        // Use a relative name: the folder's own name differs each time.
        let file =
            FileInfo { path: Some(name.into()), bom, on_disk: Some(text.clone()), ..FileInfo::default() };
        self.handle_event(Event::Opened(Box::new(Opened { number, file, text, place: None, note: None })));
        Ok(())
    }

    /// Handles an event.
    pub fn handle_event(&mut self, event: Event) {
        let event = match engine::timed(event) {
            Event::Engine { update, .. } if self.held => {
                Event::Engine { update: Box::new(held(*update)), since: Duration::ZERO }
            }
            event => event,
        };
        let mut compile = false;
        for effect in self.state.apply(event) {
            match effect {
                Effect::Compile => compile = true,
                effect => self.carry_out(effect),
            }
        }
        if compile {
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

    /// Handles all pending messages of threads. Returns false if there are none.
    pub fn listen(&mut self) -> bool {
        let mut some = false;
        while let Ok((_, event)) = self.incoming.try_recv() {
            some = true;
            match &event {
                Event::Test { .. }
                | Event::Listed { .. }
                | Event::Opened(_)
                | Event::OpenedFolder { .. }
                | Event::OpenFailed { .. } => self.awaited = self.awaited.saturating_sub(1),
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
            // Check this first: the messages of an idle engine have already arrived.
            let rests = self.engine.rests() || self.state.engine.stopped;
            let some = self.listen();
            if rests && !some && self.awaited == 0 && self.explaining.is_none() {
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

    /// Returns the timers that have been started.
    pub fn take_timers(&mut self) -> Vec<Later> {
        std::mem::take(&mut self.later)
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

    fn compile(&self) {
        let (revision, text) = (self.state.document.revision, self.state.document.buffer.text().clone());
        self.engine.send(Request::Edit(Edit { revision, text, at: Instant::now() }));
    }

    /// Starts a thread that produces an event.
    fn find(&mut self, work: impl FnOnce() -> Event + Send + 'static) {
        let events = self.events.clone();
        let begun = std::thread::Builder::new().name("find".into()).spawn(move || drop(events.send(work())));
        self.awaited += usize::from(begun.is_ok());
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Compile => self.compile(),
            Effect::Use(choice) => self.engine.send(Request::Use(choice)),
            Effect::Look(looked) => self.engine.send(Request::Look(looked)),
            Effect::Run(wish) => self.engine.send(Request::Run(wish)),
            Effect::RestartEngine => match Engine::start(&self.options, self.events.clone()) {
                Ok(engine) => {
                    self.engine = engine;
                    self.compile();
                }
                Err(error) => self.state.say(Tone::Bad, format!("the engine does not start: {error}")),
            },
            Effect::Race(number) => self.race(number),
            Effect::StopRace => self.races.stop(),
            Effect::WriteTest { revision, function } => {
                let shown = self.state.shown().cloned();
                self.find(move || {
                    let none = Err(NoTest::NoValue);
                    let test = shown.map_or(none, |shown| example::generate_test(&shown.compiled, function));
                    Event::Test { revision, test }
                });
            }
            Effect::List(folder) => self.find(move || open::list(folder)),
            Effect::Open { number, target } => self.find(move || open::open(number, target)),
            Effect::Save { path, .. } => self.save(&path),
            Effect::SaveKeepingTheirs { path, .. } => self.save(&path),
            Effect::Copy(text) => self.state.document.clipboard = text,
            Effect::Paste => self.handle_event(Event::Paste(self.state.document.clipboard.clone())),
            Effect::Fade { number, after } => self.later.push(Later { after, number }),
            Effect::Suspend => self.state.say(Tone::Plain, "a demo cannot suspend to the shell"),
            Effect::FindUnsaved => {
                self.handle_event(Event::Unsaved { texts: Vec::new(), more: 0, held: false, asked: true });
            }
            Effect::Quit => self.ended = true,
            // Lessons completed in a demo are not recorded.
            Effect::LessonDone(_) => {}
            // The folder has no other user, and no terminal can lose its contents.
            Effect::Saved | Effect::Opened | Effect::PutAside | Effect::DropUnsaved(_) | Effect::Redraw => {}
        }
    }

    fn race(&mut self, number: u64) {
        let text = self.state.document.buffer.text().clone();
        let software = self.options.engine == Preference::Gpu;
        let settings = Settings { software, exact: self.options.exact, ..Default::default() };
        let started = self.races.start(number, text, settings, self.options.watts, self.events.clone());
        if let Err(error) = started {
            let news = News::Refused(format!("The race does not start: {error}."));
            self.handle_event(Event::Race { number, news });
        }
    }

    /// Writes the text to a file in the folder, or fails.
    fn save(&mut self, path: &Path) {
        let text = self.state.document.buffer.text().clone();
        let inside = path.components().count() == 1 && path.file_name().is_some();
        let event = match inside {
            false => Event::SaveFailed("a demo writes nothing outside of its own folder".to_string()),
            true => {
                match files::write(&self.folder.join(path), &disk::encode(&text, self.state.document.file.bom))
                {
                    Ok(()) => Event::Saved { path: path.to_path_buf(), text: Arc::clone(&text), note: None },
                    Err(error) => Event::SaveFailed(format!("not saved: {error}")),
                }
            }
        };
        self.handle_event(event);
    }
}

impl Drop for Offscreen {
    fn drop(&mut self) {
        self.engine.finish();
    }
}

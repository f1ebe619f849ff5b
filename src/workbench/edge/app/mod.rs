//! The main loop.

mod files;
mod leaving;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use crossterm::clipboard::CopyToClipboard;
use crossterm::tty::IsTty;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::engine::choose::Preference;
use crate::host::start;
use crate::paper::race::Settings;
use crate::session::{Edit, Request};
use crate::workbench::edge::aside::aside;
use crate::workbench::edge::clipboard::Clipboard;
use crate::workbench::edge::engine::{self, Engine};
use crate::workbench::edge::events::{Events, Timed};
use crate::workbench::edge::journal::{self, Journal};
use crate::workbench::edge::keeper::{FileTask, FileWorker};
use crate::workbench::edge::open::{self, Start};
use crate::workbench::edge::options::Options;
use crate::workbench::edge::signals::{self, Change, Changes, HANGUP, SignalRequest};
use crate::workbench::edge::terminal::{self, Screen};
use crate::workbench::edge::{input, lesson, race};
use crate::workbench::event::{Effect, Event};
use crate::workbench::example::{self, NoTest};
use crate::workbench::highlight::Highlighter;
use crate::workbench::key::Key;
use crate::workbench::paint::draw;
use crate::workbench::race::News;
use crate::workbench::state::{State, Tone};
use crate::workbench::theme::{Depth, Theme};

/// The minimum time between frames, unless a key requests one.
const FRAME: Duration = Duration::from_millis(16);
/// The maximum number of bytes that terminals accept to copy.
const OSC52_LIMIT: usize = 74_000;
/// The number of file descriptors opened at the start, for signals, the journal, file watching and the
/// terminal.
const DESCRIPTORS: usize = 24;
/// The maximum number of events handled between frames.
const BATCH: usize = 512;

/// Opens the workbench on a file, or on an unnamed text with a list of programs. Returns an error only if it
/// cannot start: without a terminal, or with a file that is not a program.
pub fn run(start: &Start, options: Options) -> anyhow::Result<ExitCode> {
    if !std::io::stdout().is_tty() {
        bail!("the workbench needs a terminal; `myriad check`, `test` and `mutate` work without one");
    }
    let mut state = start.state()?;
    options.set(&mut state);
    start::require_descriptors(DESCRIPTORS).context("the workbench cannot start")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let code = runtime.block_on(async move {
        let mut app = App::start(state, options)?;
        let code = app.run().await;
        if code.is_err() {
            app.leave(0);
        }
        app.engine.finish();
        code
    });
    // Remaining background work ends with the process.
    runtime.shutdown_background();
    code.map(ExitCode::from)
}

struct App {
    state: State,
    screen: Screen,
    theme: Theme,
    highlighter: Highlighter,
    clipboard: Clipboard,
    engine: Engine,
    races: race::Runner,
    options: Options,
    journal: Arc<Journal>,
    /// The threads that access files; the last one belongs to the file on screen.
    file_workers: Vec<FileWorker>,
    /// Notified when the terminal has received everything drawn.
    ready: Arc<Notify>,
    /// Requests caused by signals.
    asked: UnboundedReceiver<SignalRequest>,
    events: Events,
    incoming: UnboundedReceiver<Timed>,
    /// For tests: the key that causes a panic.
    trap: Option<Key>,
    exit: Option<u8>,
}

impl App {
    fn start(mut state: State, options: Options) -> anyhow::Result<App> {
        let (events, incoming) = Events::new();
        let engine = Engine::start(&options, events.clone()).context("cannot start the engine thread")?;
        let troubles = events.clone();
        let tell = move |why| drop(troubles.send(Event::JournalFailed(why)));
        let journal =
            Journal::start(journal::folder::places(), tell).context("cannot start the journal's thread")?;
        let notices = events.clone();
        terminal::install_panic_hook(journal.clone(), move |text| {
            let thread = std::thread::current();
            let engine = thread.name().is_some_and(|name| name.contains("engine"));
            let _ = notices.send(if engine { Event::EngineStopped(text) } else { Event::Notice(text) });
        });
        let (ask, asked) = unbounded_channel();
        signals::serve(journal.clone(), move |what| _ = ask.send(what)).context("cannot listen to signals")?;
        let ready = Arc::new(Notify::new());
        let drawn = ready.clone();
        let screen = Screen::enter(move || drawn.notify_one()).context("cannot take over the terminal")?;
        let size = screen.terminal.size()?;
        let effects = state.apply(Event::Resize(size.width, size.height));
        let keys = events.clone();
        input::read(move |event| keys.send(event).is_ok())
            .context("cannot start the thread that reads keys")?;
        let theme = Theme::new(Depth::detect(|name| std::env::var(name).ok()));
        let mut app = App {
            state,
            screen,
            theme,
            highlighter: Highlighter::default(),
            clipboard: Clipboard::start(),
            engine,
            races: race::Runner::default(),
            options,
            journal,
            file_workers: Vec::new(),
            ready,
            asked,
            events,
            incoming,
            trap: trap(),
            exit: None,
        };
        for effect in effects {
            app.carry_out(effect);
        }
        Ok(app)
    }

    async fn run(&mut self) -> anyhow::Result<u8> {
        let (gone, mut hung_up) = tokio::sync::mpsc::channel::<()>(1);
        terminal::watch_hangup(move || {
            let _ = gone.blocking_send(());
        });
        let mut changes = Changes::listen()?;
        self.watch_current_file();
        self.find_unsaved(false);
        self.compile(Instant::now());
        let mut dirty = true;
        let mut urgent = true;
        let mut last_frame = Instant::now() - FRAME;
        loop {
            let ready = self.screen.is_ready();
            if dirty && ready && (urgent || last_frame.elapsed() >= FRAME) {
                last_frame = Instant::now();
                (dirty, urgent) = (false, false);
                if self.draw().is_err() {
                    return Ok(self.leave(HANGUP));
                }
            }
            let frame = tokio::time::Instant::from_std(last_frame + FRAME);
            tokio::select! {
                biased;
                Some(asked) = self.asked.recv() => match asked {
                    SignalRequest::End(code) => return Ok(self.leave(code)),
                    SignalRequest::Stop => {
                        self.suspend();
                        (dirty, urgent) = (true, true);
                    }
                },
                change = changes.next() => {
                    // A closing terminal continues its stopped jobs so that they can end. A new size is read
                    // when drawing.
                    if matches!(change, Change::Continue) && self.screen.resume().is_err() {
                        return Ok(self.leave(HANGUP));
                    }
                    (dirty, urgent) = (true, true);
                },
                _ = hung_up.recv() => return Ok(self.leave(HANGUP)),
                event = self.incoming.recv() => {
                    let Some(event) = event else { return Ok(0) };
                    urgent |= self.take(event);
                    dirty = true;
                }
                () = self.ready.notified() => {}
                () = tokio::time::sleep_until(frame), if dirty && ready => {}
            }
            if let Some(code) = self.exit {
                self.quit();
                return Ok(code);
            }
        }
    }

    /// Handles an event and all that have arrived since. Returns whether a user waits for the result.
    fn take(&mut self, first: Timed) -> bool {
        let mut urgent = false;
        let mut edited = None;
        for (at, event) in batch(first, &mut self.incoming) {
            if self.exit.is_some() {
                break;
            }
            urgent |=
                matches!(event, Event::Key(_) | Event::Mouse { .. } | Event::Paste(_) | Event::Resize(..));
            if let (Event::Key(key), Some(trap)) = (&event, self.trap)
                && cfg!(debug_assertions)
                && *key == trap
            {
                panic!("asked to by MYRIAD_TEST_PANIC");
            }
            for effect in self.state.apply(engine::timed(event)) {
                if effect == Effect::Compile {
                    // Among edits that are compiled together, the first has waited longest.
                    edited = edited.or(Some(at));
                } else {
                    self.carry_out(effect);
                }
            }
        }
        if let Some(at) = edited {
            self.compile(at);
        }
        self.remember();
        urgent
    }

    /// Sends the text to the engine, as an edit made at a given time.
    fn compile(&self, at: Instant) {
        let (revision, text) = (self.state.document.revision, self.state.document.buffer.text().clone());
        self.engine.send(Request::Edit(Edit { revision, text, at }));
    }

    /// Updates the journal with text that is unsaved.
    fn remember(&self) {
        let unsaved = self.state.dirty().then(|| self.state.document.buffer.text());
        self.journal.remember(self.state.document.file.path.as_deref(), unsaved);
    }

    fn draw(&mut self) -> std::io::Result<()> {
        let size = self.screen.terminal.size()?;
        if (size.width, size.height) != self.state.screen.size {
            for effect in self.state.apply(Event::Resize(size.width, size.height)) {
                self.carry_out(effect);
            }
        }
        let (state, theme, highlighter) = (&self.state, &self.theme, &mut self.highlighter);
        self.screen.draw(|frame| {
            // If the size has just changed, an event follows and causes another frame.
            let area = frame.area();
            if (area.width, area.height) == state.screen.size
                && let Some(cursor) = draw(state, theme, highlighter, frame.buffer_mut())
            {
                frame.set_cursor_position(cursor);
            }
        })
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Compile => {}
            Effect::RestartEngine => match Engine::start(&self.options, self.events.clone()) {
                Ok(engine) => {
                    self.engine = engine;
                    self.compile(Instant::now());
                }
                Err(error) => self.state.say(Tone::Bad, format!("the engine does not start: {error}")),
            },
            Effect::Use(choice) => self.engine.send(Request::Use(choice)),
            Effect::Race(number) => {
                let text = self.state.document.buffer.text().clone();
                let software = self.options.engine == Preference::Gpu;
                let settings = Settings { software, exact: self.options.exact, ..Default::default() };
                let watts = self.options.watts;
                if let Err(error) = self.races.start(number, text, settings, watts, self.events.clone()) {
                    let news = News::Refused(format!("The race does not start: {error}."));
                    self.state.apply(Event::Race { number, news });
                }
            }
            Effect::StopRace => self.races.stop(),
            Effect::WriteTest { revision, function } => {
                let (shown, events) = (self.state.shown().cloned(), self.events.clone());
                aside("test", move || {
                    let none = Err(NoTest::NoValue);
                    let test = shown.map_or(none, |shown| example::generate_test(&shown.compiled, function));
                    drop(events.send(Event::Test { revision, test }));
                });
            }
            Effect::Look(looked) => self.engine.send(Request::Look(looked)),
            Effect::Run(wish) => self.engine.send(Request::Run(wish)),
            Effect::Save { path, expect, overwrite } => {
                let job = self.job(&path, expect, overwrite);
                self.order(&path, FileTask::Save(job));
            }
            Effect::SaveKeepingTheirs { path, theirs, bom } => {
                let job = self.job(&path, Some(theirs.clone()), false);
                self.order(&path, FileTask::SaveKeepingTheirs { job, theirs, bom });
            }
            Effect::Saved => self.watch_current_file(),
            Effect::List(folder) => {
                let events = self.events.clone();
                aside("list", move || drop(events.send(open::list(folder))));
            }
            Effect::Open { number, target } => {
                let events = self.events.clone();
                aside("open", move || drop(events.send(open::open(number, target))));
            }
            Effect::Opened => {
                // Pending operations on the previous file are completed; then its keeper ends.
                self.file_workers.clear();
                self.watch_current_file();
                if self.state.document.file.path.is_some() {
                    self.find_unsaved(false);
                }
            }
            Effect::PutAside => {
                let (text, bom) = (self.state.document.buffer.text().clone(), self.state.document.file.bom);
                if let Some(path) = self.state.document.file.path.clone() {
                    self.order(&path, FileTask::PutAside { text, bom });
                }
            }
            Effect::Copy(text) => {
                // Also set the terminal's clipboard, which reaches the user's machine through a remote shell.
                if text.len() <= OSC52_LIMIT {
                    self.screen.tell(CopyToClipboard::to_clipboard_from(&text));
                }
                self.clipboard.copy(text);
            }
            Effect::Paste => {
                let own = self.state.document.clipboard.clone();
                let events = self.events.clone();
                self.clipboard.paste(move |text| {
                    let text = text.filter(|t| !t.is_empty()).unwrap_or(own);
                    let _ = events.send(Event::Paste(text));
                });
            }
            Effect::Suspend => signals::stop_job(),
            Effect::Redraw => {
                if self.screen.redraw().is_err() {
                    self.exit = Some(self.leave(HANGUP));
                }
            }
            Effect::LessonDone(key) => lesson::done(key, self.events.clone()),
            Effect::Fade { number, after } => {
                let events = self.events.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(after).await;
                    drop(events.send(Event::Fade(number)));
                });
            }
            Effect::FindUnsaved => self.find_unsaved(true),
            Effect::DropUnsaved(entry) => {
                aside("unsaved", move || _ = journal::folder::gone(&entry));
            }
            Effect::Quit => self.exit = Some(0),
        }
    }
}

/// Returns an event and those that have arrived since, up to the limit; further events stay queued.
fn batch(first: Timed, incoming: &mut UnboundedReceiver<Timed>) -> Vec<Timed> {
    let rest = std::iter::from_fn(|| incoming.try_recv().ok());
    std::iter::once(first).chain(rest).take(BATCH).collect()
}

/// In debug builds, returns the key that causes a panic.
fn trap() -> Option<Key> {
    let name = if cfg!(debug_assertions) { std::env::var("MYRIAD_TEST_PANIC").ok() } else { None };
    name.and_then(|name| Key::parse(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_event_is_lost_between_two_batches() {
        let (send, mut incoming) = Events::new();
        for row in 0..3 * BATCH as u16 + 7 {
            send.send(Event::Resize(80, row)).expect("there is a receiver");
        }
        let mut rows = Vec::new();
        while let Ok(first) = incoming.try_recv() {
            let taken = batch(first, &mut incoming);
            assert!(taken.len() <= BATCH);
            rows.extend(taken.into_iter().map(|(_, event)| match event {
                Event::Resize(_, row) => row,
                other => panic!("{other:?}"),
            }));
        }
        assert_eq!(rows, (0..3 * BATCH as u16 + 7).collect::<Vec<_>>());
    }
}

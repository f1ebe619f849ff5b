//! The loop.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use crossterm::tty::IsTty;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::draw::draw;
use super::super::draw::theme::{Depth, Theme};
use super::super::event::{Disk, Effect, Event};
use super::super::example;
use super::super::highlight::Highlighter;
use super::super::key::Key;
use super::super::race::News;
use super::super::state::{State, Tone};
use super::clipboard::Clipboard;
use super::engine::Engine;
use super::open::{self, Start};
use super::terminal::{self, Screen};
use super::{disk, input, race, recovery, save, watch};
use crate::energy::Watts;
use crate::engine::Kind;
use crate::engine::choose::Preference;
use crate::engine::session::{Extent, Request};

/// How the workbench is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The engine that is asked for.
    pub engine: Preference,
    /// Mutants that a keystroke judges, where there are enough.
    pub budget: u32,
    /// What is done while nobody types.
    pub idle: Extent,
    /// Stated power, for the estimate of energy.
    pub watts: Watts,
    /// What is to be said at once: something wrong in the configuration.
    pub notice: Option<String>,
}

/// At most one frame in so long, unless a key asks for it.
const FRAME: Duration = Duration::from_millis(16);
/// Events taken before the next frame.
const BATCH: usize = 512;

/// Opens the workbench on a file, or on an unnamed text with a list of what there is. An error means that it could not even
/// begin: no terminal, a file that is no program.
pub fn run(start: &Start, options: Options) -> anyhow::Result<ExitCode> {
    if !std::io::stdout().is_tty() {
        bail!("the workbench needs a terminal; `myriad check`, `test` and `mutate` work without");
    }
    let mut state = start.state()?;
    state.watts = options.watts;
    if let Some(notice) = &options.notice {
        state.say(Tone::Bad, notice.clone());
    }
    state.idle = options.idle;
    state.engine.wanted = match options.engine {
        Preference::Auto => None,
        Preference::Cpu => Some(Kind::Cpu),
        Preference::Gpu | Preference::All => Some(Kind::Gpu),
    };
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
    // Whatever still works in the background ends with the process.
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
    watch: Option<watch::Watch>,
    watched: Option<PathBuf>,
    /// Text that an earlier run left was taken over: its file goes once the text is saved.
    adopted: Option<PathBuf>,
    events: UnboundedSender<Event>,
    incoming: UnboundedReceiver<Event>,
    /// For tests: panic at this key.
    trap: Option<Key>,
    exit: Option<u8>,
}

/// What ends the program from outside: the exit code is 128 + the signal.
const HANGUP: u8 = 129;
const INTERRUPT: u8 = 130;
const TERMINATE: u8 = 143;

impl App {
    fn start(mut state: State, options: Options) -> anyhow::Result<App> {
        let (events, incoming) = unbounded_channel();
        let engine = Engine::start(&options, events.clone()).context("cannot start the engine thread")?;
        let notices = events.clone();
        terminal::install_panic_hook(move |text| {
            let thread = std::thread::current();
            let engine = thread.name().is_some_and(|name| name.contains("engine"));
            let _ = notices.send(if engine { Event::EngineStopped(text) } else { Event::Notice(text) });
        });
        let screen = Screen::enter().context("cannot take over the terminal")?;
        let size = screen.terminal.size()?;
        let effects = state.apply(Event::Resize(size.width, size.height));
        let keys = events.clone();
        input::read(move |event| keys.send(event).is_ok())?;
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
            watch: None,
            watched: None,
            adopted: None,
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
        let mut signals = Signals::listen()?;
        self.watch_file();
        self.offer_recovered();
        self.compile(Instant::now());
        let mut dirty = true;
        let mut urgent = true;
        let mut last_frame = Instant::now() - FRAME;
        loop {
            if dirty && (urgent || last_frame.elapsed() >= FRAME) {
                last_frame = Instant::now();
                (dirty, urgent) = (false, false);
                if self.draw().is_err() {
                    return Ok(self.leave(HANGUP));
                }
            }
            let frame = tokio::time::Instant::from_std(last_frame + FRAME);
            tokio::select! {
                biased;
                signal = signals.next() => match signal {
                    Signal::Continue => {
                        // A terminal that goes away continues its jobs, so that they can end.
                        if self.screen.resume().is_err() {
                            return Ok(self.leave(HANGUP));
                        }
                        (dirty, urgent) = (true, true);
                    }
                    // Drawing looks at the size.
                    Signal::Resized => (dirty, urgent) = (true, true),
                    Signal::End(code) => return Ok(self.leave(code)),
                },
                _ = hung_up.recv() => return Ok(self.leave(HANGUP)),
                event = self.incoming.recv() => {
                    let Some(event) = event else { return Ok(0) };
                    urgent |= self.take(event);
                    dirty = true;
                }
                () = tokio::time::sleep_until(frame), if dirty => {}
            }
            if let Some(code) = self.exit {
                terminal::give_back();
                return Ok(code);
            }
        }
    }

    /// Takes an event and all that have come since; true where a person waits for the result.
    fn take(&mut self, first: Event) -> bool {
        let now = Instant::now();
        let mut urgent = false;
        let mut edited = false;
        for event in batch(first, &mut self.incoming) {
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
            let event = self.engine.timed(event);
            for effect in self.state.apply(event) {
                if effect == Effect::Compile {
                    edited = true;
                } else {
                    self.carry_out(effect);
                }
            }
        }
        if edited {
            self.compile(now);
        }
        self.remember();
        urgent
    }

    /// Sends the text to the engine.
    fn compile(&mut self, since: Instant) {
        let (revision, text) = (self.state.revision, self.state.buffer.text().clone());
        self.engine.send(Request::Edit { revision, text }, since);
    }

    /// Keeps what would be lost within reach of a panic or a signal.
    fn remember(&self) {
        let unsaved = self
            .state
            .dirty()
            .then(|| (recovery::side_file(self.state.file.path.as_deref()), self.state.buffer.text().clone()));
        recovery::remember(unsaved);
    }

    fn draw(&mut self) -> std::io::Result<()> {
        let size = self.screen.terminal.size()?;
        if (size.width, size.height) != self.state.size {
            for effect in self.state.apply(Event::Resize(size.width, size.height)) {
                self.carry_out(effect);
            }
        }
        let (state, theme, highlighter) = (&self.state, &self.theme, &mut self.highlighter);
        self.screen.draw(|frame| {
            // A size that changed just now comes as an event, and with it the next frame.
            let area = frame.area();
            if (area.width, area.height) == state.size
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
            Effect::Use(kind) => self.engine.send(Request::Use(kind), Instant::now()),
            Effect::Race(number) => {
                let text = self.state.buffer.text().clone();
                let software = self.options.engine == Preference::Gpu;
                if let Err(error) =
                    self.races.start(number, text, software, self.options.watts, self.events.clone())
                {
                    let news = News::Refused(format!("The race does not start: {error}."));
                    self.state.apply(Event::Race { number, news });
                }
            }
            Effect::StopRace => self.races.stop(),
            Effect::WriteTest { revision, function } => {
                let (shown, events) = (self.state.shown().cloned(), self.events.clone());
                tokio::task::spawn_blocking(move || {
                    let test = shown.and_then(|shown| example::test_of(&shown.compiled, function));
                    drop(events.send(Event::Test { revision, test }));
                });
            }
            Effect::Neural(wish) => self.engine.send(Request::Neural(wish), Instant::now()),
            Effect::Noise(wanted) => self.engine.send(Request::Noise(wanted), Instant::now()),
            Effect::Save { path, expect, overwrite } => {
                let job = save::Job {
                    path,
                    expect,
                    overwrite,
                    text: self.state.buffer.text().clone(),
                    bom: self.state.file.bom,
                };
                self.in_background(move || save::save(job));
            }
            Effect::Saved => {
                if let Some(side) = self.adopted.take() {
                    let _ = std::fs::remove_file(side);
                }
                if self.watched != self.state.file.path {
                    self.watch_file();
                }
            }
            Effect::List(folder) => {
                let events = self.events.clone();
                tokio::task::spawn_blocking(move || drop(events.send(open::list(folder))));
            }
            Effect::Open { number, target } => {
                let events = self.events.clone();
                tokio::task::spawn_blocking(move || drop(events.send(open::open(number, target))));
            }
            Effect::Opened => {
                if let Some(side) = self.adopted.take() {
                    let _ = std::fs::remove_file(side);
                }
                self.watch_file();
            }
            Effect::PutAside => {
                let text: Arc<str> = self.state.buffer.text().clone();
                let path = self.state.file.path.clone().unwrap_or_default();
                self.in_background(move || put_aside(&path, &text));
            }
            Effect::Copy(text) => self.clipboard.copy(text),
            Effect::Paste => {
                let own = self.state.clipboard.clone();
                let events = self.events.clone();
                self.clipboard.paste(move |text| {
                    let text = text.filter(|t| !t.is_empty()).unwrap_or(own);
                    let _ = events.send(Event::Paste(text));
                });
            }
            Effect::Suspend => {
                terminal::suspend();
                if self.screen.resume().is_err() {
                    self.exit = Some(self.leave(HANGUP));
                }
                // Others may have worked on the file meanwhile.
                if let Some(path) = &self.state.file.path {
                    let _ = self.events.send(Event::Disk(disk::read(path)));
                }
            }
            Effect::Redraw => {
                if self.screen.redraw().is_err() {
                    self.exit = Some(self.leave(HANGUP));
                }
            }
            Effect::AdoptRecovery => self.adopted = Some(recovery::side_file(self.state.file.path.as_deref())),
            Effect::DropRecovery => {
                let _ = std::fs::remove_file(recovery::side_file(self.state.file.path.as_deref()));
            }
            Effect::Quit => {
                if let Some(side) = self.adopted.take() {
                    let _ = std::fs::remove_file(side);
                }
                recovery::remember(None);
                self.exit = Some(0);
            }
        }
    }

    /// Does something about the file, and lets its event be of that file even if another is on screen by then.
    fn in_background(&self, work: impl FnOnce() -> Event + Send + 'static) {
        let (events, opened) = (self.events.clone(), self.state.opened);
        tokio::task::spawn_blocking(move || {
            drop(events.send(Event::OfFile { opened, event: Box::new(work()) }));
        });
    }

    fn watch_file(&mut self) {
        self.watched.clone_from(&self.state.file.path);
        self.watch = None;
        let Some(path) = &self.watched else { return };
        let (events, opened) = (self.events.clone(), self.state.opened);
        let send = move |event| drop(events.send(Event::OfFile { opened, event: Box::new(event) }));
        match watch::watch(path, send) {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => {
                self.state.say(Tone::Bad, format!("changes from outside will not be noticed: {error}"))
            }
        }
    }

    /// Text that an earlier run left beside the file.
    fn offer_recovered(&mut self) {
        if let Disk::Text { text, .. } = disk::read(&recovery::side_file(self.state.file.path.as_deref())) {
            self.state.apply(Event::Recovered(text));
        }
    }

    /// Out, abruptly: the terminal is given back, unsaved text is put aside.
    fn leave(&mut self, code: u8) -> u8 {
        self.remember();
        terminal::give_back();
        recovery::announce(recovery::rescue());
        code
    }
}

/// An event and those that have come since, as far as they belong before the next frame. What is over stays in the queue.
fn batch(first: Event, incoming: &mut UnboundedReceiver<Event>) -> Vec<Event> {
    let rest = std::iter::from_fn(|| incoming.try_recv().ok());
    std::iter::once(first).chain(rest).take(BATCH).collect()
}

/// Writes a text beside the file, under a name that is free.
fn put_aside(path: &Path, text: &str) -> Event {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    let names = (1..100)
        .map(|n| if n == 1 { format!("{stem}.mine{extension}") } else { format!("{stem}.mine{n}{extension}") });
    for name in names {
        let aside = path.with_file_name(name);
        if !aside.exists() {
            return match save::write(&aside, text.as_bytes()) {
                Ok(()) => Event::PutAside(aside),
                Err(error) => {
                    Event::SaveFailed(format!("nothing changed: {} not written: {error}", aside.display()))
                }
            };
        }
    }
    Event::SaveFailed("nothing changed: no name is free to put yours aside".to_string())
}

/// In builds for tests, the key at which to panic.
fn trap() -> Option<Key> {
    let name = if cfg!(debug_assertions) { std::env::var("MYRIAD_TEST_PANIC").ok() } else { None };
    name.and_then(|name| Key::parse(&name))
}

enum Signal {
    /// The job goes on after it was stopped.
    Continue,
    /// The terminal has another size.
    Resized,
    End(u8),
}

#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    resume: tokio::signal::unix::Signal,
    size: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        const CONTINUE: i32 = rustix::process::Signal::CONT.as_raw();
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            resume: signal(SignalKind::from_raw(CONTINUE))?,
            size: signal(SignalKind::window_change())?,
        })
    }
    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::End(TERMINATE),
            _ = self.hangup.recv() => Signal::End(HANGUP),
            _ = self.interrupt.recv() => Signal::End(INTERRUPT),
            _ = self.resume.recv() => Signal::Continue,
            _ = self.size.recv() => Signal::Resized,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> std::io::Result<Signals> {
        Ok(Signals)
    }
    async fn next(&mut self) -> Signal {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::End(INTERRUPT),
            Err(_) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_event_is_lost_between_two_batches() {
        let (send, mut incoming) = unbounded_channel();
        for row in 0..3 * BATCH as u16 + 7 {
            send.send(Event::Resize(80, row)).expect("there is a receiver");
        }
        let mut rows = Vec::new();
        while let Ok(first) = incoming.try_recv() {
            let taken = batch(first, &mut incoming);
            assert!(taken.len() <= BATCH);
            rows.extend(taken.into_iter().map(|event| match event {
                Event::Resize(_, row) => row,
                other => panic!("{other:?}"),
            }));
        }
        assert_eq!(rows, (0..3 * BATCH as u16 + 7).collect::<Vec<_>>());
    }
}

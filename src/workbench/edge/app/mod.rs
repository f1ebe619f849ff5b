//! The main loop.

mod leaving;
mod outside;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use crossterm::tty::IsTty;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::host::start;
use crate::workbench::edge::clipboard::Clipboard;
use crate::workbench::edge::events::{Events, Timed};
use crate::workbench::edge::journal::{self, Journal};
use crate::workbench::edge::open::Start;
use crate::workbench::edge::options::Options;
use crate::workbench::edge::services::Services;
use crate::workbench::edge::signals::{self, Changes, HANGUP, SignalChange, SignalRequest};
use crate::workbench::edge::tape_writer::{NewTape, TapeWriter};
use crate::workbench::edge::terminal::{self, AskForBackground, Screen};
use crate::workbench::edge::world::{World, compile, handle};
use crate::workbench::edge::{arrangements, engine, input, recent};
use crate::workbench::event::{Event, UserInput};
use crate::workbench::highlight::Highlighter;
use crate::workbench::key::Key;
use crate::workbench::paint::draw;
use crate::workbench::state::State;
use crate::workbench::theme::{Depth, Palette, Theme};
use outside::Outside;

/// The minimum time between frames, unless a key requests one.
const FRAME: Duration = Duration::from_millis(16);
/// The number of file descriptors opened at the start, for signals, the journal, file watching and the
/// terminal.
const DESCRIPTORS: usize = 24;
/// The maximum number of events handled between frames.
const BATCH: usize = 512;

/// Opens the workbench on a file, or on an unnamed text with a list of programs. Returns an error only if it
/// cannot start: without a terminal, or with a file that is not a program.
/// The session is written to `tape`, if it is given.
pub fn run(start: &Start, options: Options, tape: Option<NewTape>) -> anyhow::Result<ExitCode> {
    if !std::io::stdout().is_tty() {
        bail!("the workbench needs a terminal; `myriad check`, `test` and `mutate` work without one");
    }
    let mut state = start.state()?;
    options.set(&mut state);
    start::require_descriptors(DESCRIPTORS).context("the workbench cannot start")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let code = runtime.block_on(async move {
        let mut app = App::start(state, options, tape)?;
        let code = app.run().await;
        if code.is_err() {
            app.leave(0);
        }
        app.outside.services.engine.finish();
        if let Some(why) = app.tape.take().and_then(TapeWriter::finish) {
            terminal::report(&format!("the tape ends before the session: {why}"));
        }
        code
    });
    // Remaining background work ends with the process.
    runtime.shutdown_background();
    code.map(ExitCode::from)
}

struct App {
    state: State,
    outside: Outside,
    theme: Theme,
    highlighter: Highlighter,
    /// Notified when the terminal has received everything drawn.
    ready: Arc<Notify>,
    /// Requests caused by signals.
    asked: UnboundedReceiver<SignalRequest>,
    incoming: UnboundedReceiver<Timed>,
    /// The tape that the session is written to.
    tape: Option<TapeWriter>,
    /// For tests: the key that causes a panic.
    trap: Option<Key>,
}

impl App {
    fn start(mut state: State, options: Options, tape: Option<NewTape>) -> anyhow::Result<App> {
        let tape = tape.map(|tape| Ok::<_, anyhow::Error>((tape.create()?, tape.config))).transpose()?;
        let (events, incoming) = Events::new();
        let chosen = options.config.screen.theme;
        let services = Services::start(options, events.clone()).context("cannot start the engine thread")?;
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
        input::read(move |event| events.send(event).is_ok())
            .context("cannot start the thread that reads keys")?;
        let variable = |name: &str| std::env::var(name).ok();
        let theme = Theme::new(Depth::detect(variable));
        let theme = theme.with(chosen.or(Palette::detect(variable)).unwrap_or_default());
        let mut outside = Outside {
            screen,
            clipboard: Clipboard::start(),
            services,
            journal,
            file_workers: Vec::new(),
            declined: Vec::new(),
            is_recorded: tape.is_some(),
            exit: None,
        };
        if chosen.is_none() && theme.has_colours() {
            outside.screen.tell(AskForBackground);
        }
        handle(&mut state, &mut outside, Event::Resize(size.width, size.height));
        let highlighter = Highlighter::default();
        let notices = outside.services.events.clone();
        let tell = move |why| drop(notices.send(Event::TapeEnded(why)));
        let tape = tape.map(|(file, config)| TapeWriter::start(file, &state, &config, tell)).transpose();
        let tape = tape.context("cannot write the tape")?;
        Ok(App { state, outside, theme, highlighter, ready, asked, incoming, tape, trap: trap() })
    }

    async fn run(&mut self) -> anyhow::Result<u8> {
        let (gone, mut hung_up) = tokio::sync::mpsc::channel::<()>(1);
        terminal::watch_hangup(move || {
            let _ = gone.blocking_send(());
        });
        let mut changes = Changes::listen()?;
        if let Some(failed) = self.outside.watch(&self.state, false) {
            handle(&mut self.state, &mut self.outside, failed);
        }
        if !self.outside.is_recorded {
            self.outside.offer_unsaved(&self.state.document, false);
        }
        recent::list(self.outside.services.events.clone());
        arrangements::find(self.outside.services.events.clone());
        compile(&self.state.document, &mut self.outside, Instant::now());
        let mut dirty = true;
        let mut urgent = true;
        let mut last_frame = Instant::now() - FRAME;
        loop {
            let ready = self.outside.screen.is_ready();
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
                    if matches!(change, SignalChange::Continue) && self.outside.screen.resume().is_err() {
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
            if let Some(code) = self.outside.exit {
                self.quit();
                return Ok(code);
            }
        }
    }

    /// Handles an event and all that have arrived since. Returns whether a user waits for the result.
    fn take(&mut self, first: Timed) -> bool {
        let mut urgent = false;
        let mut edited = None;
        let rests = self.outside.services.engine.rests();
        let batch = batch(first, &mut self.incoming);
        // A missing answer may be on its way.
        let awaits = !rests || batch.iter().any(|(_, event)| UserInput::of(event).is_none());
        for (at, event) in batch {
            if self.outside.exit.is_some() {
                break;
            }
            if let Event::Background(colour) = event {
                self.theme = self.theme.with(Palette::for_background(colour));
                continue;
            }
            urgent |=
                matches!(event, Event::Key(_) | Event::Mouse { .. } | Event::Paste(_) | Event::Resize(..));
            if let Some(tape) = &self.tape {
                tape.record(at, &event);
            }
            if let (Event::Key(key), Some(trap)) = (&event, self.trap)
                && cfg!(debug_assertions)
                && *key == trap
            {
                panic!("asked to by MYRIAD_TEST_PANIC");
            }
            let is_input = matches!(event, Event::Key(_) | Event::Mouse { .. });
            let is_key = matches!(event, Event::Key(_));
            let prefixed = self.state.prompts.prefixed;
            if handle(&mut self.state, &mut self.outside, engine::timed(event)) {
                // Among edits that are compiled together, the first has waited longest.
                edited = edited.or(Some(at));
            }
            if let Some(tape) = &self.tape
                && is_input
            {
                if self.outside.exit.is_some() {
                    tape.forget();
                } else if is_key && awaits && self.state.status.refused {
                    tape.refuse(prefixed);
                }
            }
        }
        if let Some(at) = edited {
            compile(&self.state.document, &mut self.outside, at);
        }
        self.outside.remember(&self.state);
        urgent
    }

    fn draw(&mut self) -> std::io::Result<()> {
        let size = self.outside.screen.terminal.size()?;
        if (size.width, size.height) != self.state.screen.size {
            let resize = Event::Resize(size.width, size.height);
            if let Some(tape) = &self.tape {
                tape.record(Instant::now(), &resize);
            }
            handle(&mut self.state, &mut self.outside, resize);
        }
        let (state, theme, highlighter) = (&self.state, &self.theme, &mut self.highlighter);
        self.outside.screen.draw(|frame| {
            // If the size has just changed, an event follows and causes another frame.
            let area = frame.area();
            if (area.width, area.height) == state.screen.size
                && let Some(cursor) = draw(state, theme, highlighter, frame.buffer_mut())
            {
                frame.set_cursor_position(cursor);
            }
        })
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

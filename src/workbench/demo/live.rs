//! Plays a tape in the user's terminal: any key pauses, esc or q ends it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::KeyCode;

use super::play::{Stop, TapeTarget, play};
use crate::workbench::Options;
use crate::workbench::edge::live::{Live, LiveInput};
use crate::workbench::edge::offscreen::Offscreen;
use crate::workbench::event::{Event, Fading, UserInput};
use crate::workbench::key::Key;
use crate::workbench::open::OpenPlace;
use crate::workbench::tape::{Act, Tape};
use crate::workbench::theme::{Depth, Theme};

/// Minimum time between two frames.
const FRAME: Duration = Duration::from_millis(16);

/// Plays a tape in this terminal at its current size. The texts of its programs must have been found; their
/// copies are written to `folder`. Returns the text on screen if the user goes on with it at the end.
///
/// # Errors
/// If the tape was not played to its end.
pub fn perform(tape: &Tape, options: Options, folder: &Path) -> Result<Option<Arc<str>>, Stop> {
    let live = Live::enter(folder.to_path_buf()).map_err(|error| Stop::Failed(format!("{error:#}")))?;
    let theme = Theme::new(Depth::detect(|name| std::env::var(name).ok()));
    let size = live.size()?;
    let options = Options { race: tape.stored_race(), ..options };
    let mut offscreen = Offscreen::start(options, theme, size, folder.to_path_buf(), false)?;
    if tape.settings.taped_clipboard {
        offscreen.use_taped_clipboard();
    }
    let settings = &tape.settings;
    let wait_limit = settings.wait_limit;
    let mut show = Show { offscreen, live, wait_limit, fades: Vec::new(), hidden: false, dirty: true };
    let has_mouse = tape.steps.iter().any(|step| matches!(step.act, Act::Input(UserInput::Mouse { .. })));
    if has_mouse && (settings.width, settings.height) != size {
        let (width, height) = (settings.width, settings.height);
        show.rest(&format!(
            "this tape uses the mouse on a screen of {width}×{height}: esc ends it, any other key plays it"
        ))?;
    }
    play(tape, &mut show)?;
    show.hidden = false;
    if show.ended() {
        return Ok(None);
    }
    let key = show.rest("the tape has ended: enter goes on with this program, any other key leaves")?;
    let goes_on = matches!(key, LiveInput::Key(Key { code: KeyCode::Enter, .. }));
    Ok(goes_on.then(|| show.offscreen.state().document.buffer.text().clone()))
}

struct Show {
    offscreen: Offscreen,
    live: Live,
    /// How long a key in a panel waits for the panel's rows.
    wait_limit: Duration,
    fades: Vec<(Instant, Fading)>,
    hidden: bool,
    /// Whether the terminal must be redrawn.
    dirty: bool,
}

impl Show {
    /// Processes pending events, and redraws if anything changed.
    fn look(&mut self) -> Result<(), Stop> {
        let now = Instant::now();
        self.dirty |= self.offscreen.listen();
        let due: Vec<Fading> = self.fades.iter().filter(|(at, _)| *at <= now).map(|(_, what)| *what).collect();
        self.fades.retain(|(at, _)| *at > now);
        for what in due {
            self.offscreen.handle_event(Event::Fade(what));
            self.dirty = true;
        }
        self.fades
            .extend(self.offscreen.take_timers().into_iter().map(|later| (now + later.after, later.what)));
        let size = self.live.size()?;
        if size != self.offscreen.state().screen.size {
            self.offscreen.resize(size);
            self.dirty = true;
        }
        if self.dirty && !self.hidden && self.live.is_ready() {
            self.live.show(&self.offscreen.picture())?;
            self.dirty = false;
        }
        Ok(())
    }

    /// Waits until `holds` returns true or `time` has passed; returns whether it held. A key of the user pauses
    /// the clock.
    fn pass(&mut self, time: Duration, holds: impl Fn(&mut Offscreen) -> bool) -> Result<bool, Stop> {
        let mut end = Instant::now() + time;
        loop {
            self.look()?;
            if holds(&mut self.offscreen) {
                return Ok(true);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            match self.live.wait_for_input(left.min(FRAME)) {
                LiveInput::Nothing => {}
                heard => {
                    leaves(&heard)?;
                    let begun = Instant::now();
                    self.rest("paused: any key continues, esc or q ends the tape")?;
                    end += begun.elapsed();
                }
            }
        }
    }

    /// Shows a message until the user presses a key, and returns it.
    fn rest(&mut self, why: &str) -> Result<LiveInput, Stop> {
        self.offscreen.say(Some(why));
        self.dirty = true;
        loop {
            self.look()?;
            match self.live.wait_for_input(FRAME) {
                LiveInput::Nothing => {}
                heard => {
                    leaves(&heard)?;
                    self.offscreen.say(None);
                    self.dirty = true;
                    return Ok(heard);
                }
            }
        }
    }
}

/// Returns an error if the user's input ends the tape.
fn leaves(heard: &LiveInput) -> Result<(), Stop> {
    match heard {
        LiveInput::End(code) => Err(Stop::Left(*code)),
        LiveInput::Key(Key { code: KeyCode::Esc | KeyCode::Char('q'), .. }) => Err(Stop::Left(0)),
        LiveInput::Key(Key { code: KeyCode::Char('c'), ctrl: true, .. }) => Err(Stop::Left(0)),
        LiveInput::Key(_) | LiveInput::Nothing => Ok(()),
    }
}

impl TapeTarget for Show {
    fn open(&mut self, name: &str, text: &str, place: Option<OpenPlace>) -> Result<(), Stop> {
        self.offscreen.open(name, text, place)?;
        self.offscreen.say(None);
        self.dirty = true;
        self.look()
    }

    fn press(&mut self, key: Key, pause: Duration) -> Result<(), Stop> {
        // Keys that found nothing to act on are not in the tape of a session, so the rows were there.
        if self.offscreen.state().screen.focus.is_list() {
            self.pass(self.wait_limit, |offscreen| offscreen.rests())?;
        }
        self.offscreen.handle_event(Event::Key(key));
        self.dirty = true;
        let pause = if self.hidden { Duration::ZERO } else { pause };
        self.pass(pause, |_| false).map(drop)
    }

    fn input(&mut self, input: UserInput) -> Result<(), Stop> {
        // The user's terminal has its own size.
        if !matches!(input, UserInput::Resize(..)) {
            self.offscreen.handle_event(input.into());
            self.dirty = true;
        }
        self.look()
    }

    fn sleep(&mut self, time: Duration) -> Result<(), Stop> {
        let time = if self.hidden { Duration::ZERO } else { time };
        self.pass(time, |_| false).map(drop)
    }

    fn wait(&mut self, text: &str, limit: Duration) -> Result<bool, Stop> {
        self.pass(limit, |offscreen| offscreen.picture().has(text))
    }

    fn hide(&mut self, hidden: bool) -> Result<(), Stop> {
        self.hidden = hidden;
        self.dirty = true;
        self.look()
    }

    fn still(&mut self, _: &str) -> Result<(), Stop> {
        Ok(())
    }

    fn ended(&self) -> bool {
        self.offscreen.ended()
    }

    fn screen(&mut self) -> String {
        self.offscreen.picture().text()
    }
}

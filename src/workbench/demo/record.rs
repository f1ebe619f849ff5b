//! Records a tape with an offscreen display and the tape's own clock. Each key is answered before the next is
//! pressed, and the time that this takes is not recorded. Two recordings of one tape are therefore identical if
//! `Figures` is `held`.

use std::path::Path;
use std::time::{Duration, Instant};

use super::ansi;
use super::play::{Stop, TapeTarget, play};
use crate::workbench::Options;
use crate::workbench::edge::offscreen::{Offscreen, Picture};
use crate::workbench::event::{Event, Fading, UserInput};
use crate::workbench::key::Key;
use crate::workbench::open::OpenPlace;
use crate::workbench::tape::Tape;
use crate::workbench::theme::{Depth, Theme};

/// Time between two polls of the screen in a `Wait`.
const LOOK: Duration = Duration::from_millis(5);

/// Terminal output and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoFrame {
    pub at: Duration,
    pub output: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    pub size: (u16, u16),
    pub frames: Vec<DemoFrame>,
    /// Later sizes of the screen, with their times.
    pub sizes: Vec<(Duration, (u16, u16))>,
    /// The whole length, including the pause after the last key.
    pub length: Duration,
    /// The screens of `Still` commands, by name.
    pub stills: Vec<(String, Picture)>,
    /// The screen at the end.
    pub last: Picture,
    /// The program's text at the end.
    pub text: String,
}

/// Records a tape. The texts of its programs must have been found; their copies are written to `folder`.
///
/// # Errors
/// If the tape was not played to its end.
pub fn record(tape: &Tape, options: Options, folder: &Path) -> Result<Recording, Stop> {
    record_with(tape, options, folder, &mut |_, _| ())
}

/// As [`record`]; passes each frame's picture and its time to `watch`.
///
/// # Errors
/// If the tape was not played to its end.
pub fn record_with(
    tape: &Tape,
    options: Options,
    folder: &Path,
    watch: &mut dyn FnMut(Duration, &Picture),
) -> Result<Recording, Stop> {
    let settings = &tape.settings;
    let size = (settings.width, settings.height);
    let theme = Theme::new(Depth::True);
    let options = Options { race: tape.stored_race(), ..options };
    let mut offscreen = Offscreen::start(options, theme, size, folder.to_path_buf(), !settings.measured)?;
    if settings.taped_clipboard {
        offscreen.use_taped_clipboard();
    }
    let mut recorder = DemoRecorder {
        offscreen,
        now: Duration::ZERO,
        wait_limit: settings.wait_limit,
        fades: Vec::new(),
        hidden: false,
        shown: None,
        frames: Vec::new(),
        sizes: Vec::new(),
        stills: Vec::new(),
        watch,
    };
    play(tape, &mut recorder)?;
    recorder.hide(false)?;
    let DemoRecorder { mut offscreen, now, frames, sizes, stills, .. } = recorder;
    let (last, text) = (offscreen.picture(), offscreen.state().document.buffer.text().to_string());
    Ok(Recording { size, frames, sizes, length: now, stills, last, text })
}

struct DemoRecorder<'a> {
    offscreen: Offscreen,
    /// The tape's time.
    now: Duration,
    /// How long the engine may take for an answer, in wall time.
    wait_limit: Duration,
    /// When each timer ends, and what it ends.
    fades: Vec<(Duration, Fading)>,
    hidden: bool,
    /// The picture that a terminal shows after all frames so far.
    shown: Option<Picture>,
    frames: Vec<DemoFrame>,
    sizes: Vec<(Duration, (u16, u16))>,
    stills: Vec<(String, Picture)>,
    watch: &'a mut dyn FnMut(Duration, &Picture),
}

impl DemoRecorder<'_> {
    /// Waits until the workbench is idle, and adds a frame if the screen has changed.
    fn look(&mut self) {
        self.offscreen.settle(self.wait_limit);
        let now = self.now;
        self.fades
            .extend(self.offscreen.take_timers().into_iter().map(|later| (now + later.after, later.what)));
        if self.hidden {
            return;
        }
        let picture = self.offscreen.picture();
        if self.shown.as_ref() != Some(&picture) {
            let area = *picture.cells.area();
            if self.shown.as_ref().is_some_and(|shown| *shown.cells.area() != area) {
                self.sizes.push((self.now, (area.width, area.height)));
            }
            let output = ansi::frame(self.shown.as_ref(), &picture);
            self.frames.push(DemoFrame { at: now, output });
            (self.watch)(now, &picture);
            self.shown = Some(picture);
        }
    }

    /// Advances the tape's time.
    fn pass(&mut self, time: Duration) {
        if self.hidden {
            return;
        }
        let end = self.now + time;
        while let Some(next) = self.fades.iter().enumerate().min_by_key(|(_, fade)| **fade).map(|(i, _)| i)
            && self.fades[next].0 <= end
        {
            let (at, what) = self.fades.remove(next);
            self.now = at.max(self.now);
            self.offscreen.handle_event(Event::Fade(what));
            self.look();
        }
        self.now = end;
    }
}

impl TapeTarget for DemoRecorder<'_> {
    fn open(&mut self, name: &str, text: &str, place: Option<OpenPlace>) -> Result<(), Stop> {
        self.offscreen.open(name, text, place)?;
        self.offscreen.say(None);
        self.look();
        Ok(())
    }

    fn press(&mut self, key: Key, pause: Duration) -> Result<(), Stop> {
        self.offscreen.handle_event(Event::Key(key));
        self.look();
        self.pass(pause);
        Ok(())
    }

    fn input(&mut self, input: UserInput) -> Result<(), Stop> {
        self.offscreen.handle_event(input.into());
        self.look();
        Ok(())
    }

    fn sleep(&mut self, time: Duration) -> Result<(), Stop> {
        self.look();
        self.pass(time);
        Ok(())
    }

    fn wait(&mut self, text: &str, limit: Duration) -> Result<bool, Stop> {
        let end = Instant::now() + limit;
        loop {
            self.look();
            if self.offscreen.picture().has(text) {
                return Ok(true);
            }
            if Instant::now() >= end {
                return Ok(false);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn hide(&mut self, hidden: bool) -> Result<(), Stop> {
        self.hidden = hidden;
        self.look();
        Ok(())
    }

    fn still(&mut self, name: &str) -> Result<(), Stop> {
        self.look();
        self.stills.push((name.to_string(), self.offscreen.picture()));
        Ok(())
    }

    fn ended(&self) -> bool {
        self.offscreen.ended()
    }

    fn screen(&mut self) -> String {
        self.offscreen.picture().text()
    }
}

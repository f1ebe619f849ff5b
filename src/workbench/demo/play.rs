//! Plays a tape: runs its commands one after the other.

use std::time::Duration;

use crate::workbench::event::UserInput;
use crate::workbench::key::Key;
use crate::workbench::open::OpenPlace;
use crate::workbench::tape::{Act, Tape, TapeSettings, TapeStep};

/// The reason why a tape was not played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The user has left, or the terminal is gone. Holds the exit code.
    Left(u8),
    /// The text that a `Wait` waits for did not appear. Holds the screen at that time.
    WaitTimedOut { step: TapeStep, screen: String },
    /// A file or thread operation failed.
    Failed(String),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Stop {
        Stop::Failed(error.to_string())
    }
}

pub trait TapeTarget {
    /// Opens a program under a file name without folders, with the cursor at a place.
    fn open(&mut self, name: &str, text: &str, place: Option<OpenPlace>) -> Result<(), Stop>;
    /// Presses a key, then pauses.
    fn press(&mut self, key: Key, pause: Duration) -> Result<(), Stop>;
    /// Handles input other than a key.
    fn input(&mut self, input: UserInput) -> Result<(), Stop>;
    fn sleep(&mut self, time: Duration) -> Result<(), Stop>;
    /// Waits for a text on screen; returns whether it appeared in time.
    fn wait(&mut self, text: &str, limit: Duration) -> Result<bool, Stop>;
    /// Hides the following commands from viewers, or shows them again.
    fn hide(&mut self, hidden: bool) -> Result<(), Stop>;
    fn still(&mut self, name: &str) -> Result<(), Stop>;
    /// Whether the workbench has been quit.
    fn ended(&self) -> bool;
    fn screen(&mut self) -> String;
}

/// Plays a tape. The texts of its programs must have been found. A key that quits the workbench ends the tape.
///
/// # Errors
/// If the tape was not played to its end.
pub fn play(tape: &Tape, hall: &mut dyn TapeTarget) -> Result<(), Stop> {
    for step in &tape.steps {
        act(step, &tape.settings, hall)?;
        if hall.ended() {
            break;
        }
    }
    Ok(())
}

fn act(step: &TapeStep, settings: &TapeSettings, hall: &mut dyn TapeTarget) -> Result<(), Stop> {
    match &step.act {
        Act::Open { name, text, place } => {
            let file = std::path::Path::new(name)
                .file_name()
                .map_or("program.myr".into(), |name| name.to_string_lossy());
            hall.open(&file, text.as_deref().unwrap_or_default(), *place)
        }
        Act::Press { keys, speed } => {
            for key in keys {
                hall.press(*key, speed.unwrap_or(settings.typing))?;
                if hall.ended() {
                    break;
                }
            }
            Ok(())
        }
        Act::Input(input) => hall.input(input.clone()),
        Act::Sleep(time) => hall.sleep(*time),
        Act::Wait { text, limit } => match hall.wait(text, limit.unwrap_or(settings.wait_limit))? {
            true => Ok(()),
            false => Err(Stop::WaitTimedOut { step: step.clone(), screen: hall.screen() }),
        },
        Act::Hide => hall.hide(true),
        Act::Show => hall.hide(false),
        Act::Still { name, .. } => hall.still(name),
    }
}

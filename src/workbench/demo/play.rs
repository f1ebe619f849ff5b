//! Playing a tape: its commands, one after the other.

use std::time::Duration;

use super::tape::{Act, Settings, Step, Tape};
use crate::workbench::key::Key;

/// Why a tape is not played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Somebody has left, or the terminal is gone; the exit code that follows.
    Left(u8),
    /// What was waited for did not come; the screen as it was instead.
    InVain { step: Step, screen: String },
    /// Files or threads fail.
    Failed(String),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Stop {
        Stop::Failed(error.to_string())
    }
}

/// Where a tape is played.
pub trait Hall {
    /// Puts a program on screen, under a name without folders.
    fn open(&mut self, name: &str, text: &str) -> Result<(), Stop>;
    /// Presses a key; so long a pause is behind it.
    fn press(&mut self, key: Key, pause: Duration) -> Result<(), Stop>;
    fn sleep(&mut self, time: Duration) -> Result<(), Stop>;
    /// Waits for a text on screen; whether it came in time.
    fn wait(&mut self, text: &str, limit: Duration) -> Result<bool, Stop>;
    /// Nobody is to see what follows, or everybody again.
    fn hide(&mut self, hidden: bool) -> Result<(), Stop>;
    fn still(&mut self, name: &str) -> Result<(), Stop>;
    /// Whether the workbench has been quit.
    fn ended(&self) -> bool;
    /// The screen's text.
    fn screen(&mut self) -> String;
}

/// Plays a tape whose programs are found. A key that quits ends it.
///
/// # Errors
/// Why it was not played to its end.
pub fn play(tape: &Tape, hall: &mut dyn Hall) -> Result<(), Stop> {
    for step in &tape.steps {
        act(step, &tape.settings, hall)?;
        if hall.ended() {
            break;
        }
    }
    Ok(())
}

fn act(step: &Step, settings: &Settings, hall: &mut dyn Hall) -> Result<(), Stop> {
    match &step.act {
        Act::Open { name, text } => {
            let file = std::path::Path::new(name)
                .file_name()
                .map_or("program.myr".into(), |name| name.to_string_lossy());
            hall.open(&file, text.as_deref().unwrap_or_default())
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
        Act::Sleep(time) => hall.sleep(*time),
        Act::Wait { text, limit } => match hall.wait(text, limit.unwrap_or(settings.patience))? {
            true => Ok(()),
            false => Err(Stop::InVain { step: step.clone(), screen: hall.screen() }),
        },
        Act::Hide => hall.hide(true),
        Act::Show => hall.hide(false),
        Act::Still(name) => hall.still(name),
    }
}

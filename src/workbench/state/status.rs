//! The status bar's message, and the echo of keys.

use crate::workbench::echo::Echo;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
}

/// The maximum length of a message, in characters. Drivers and file systems may return texts of any length,
/// and each frame wraps the message.
const LONGEST_MESSAGE: usize = 2_000;

/// The message that the status bar shows until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub tone: Tone,
    pub text: String,
}

#[derive(Debug, Default)]
pub struct Status {
    pub message: Option<Message>,
    /// The key echo, in presenter's mode only.
    pub echo: Option<Echo>,
    /// Whether the last key did nothing because something was missing that may be there later.
    pub refused: bool,
}

impl Status {
    /// Shows a message, cut to its maximum length.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        let mut text = text.into();
        if let Some((end, _)) = text.char_indices().nth(LONGEST_MESSAGE) {
            text.truncate(end);
            text.push('…');
        }
        self.message = Some(Message { tone, text });
    }
}

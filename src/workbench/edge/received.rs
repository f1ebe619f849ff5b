//! Input from a terminal.

use crossterm::event::Event;

/// An event, or a reply of the terminal.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    Event(Event),
    /// The background colour, as red, green and blue.
    Background(u8, u8, u8),
}

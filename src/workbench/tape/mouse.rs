//! The mouse in tapes: parsing and writing.

use super::line::{Fault, TapeWord};
use crate::workbench::event::{Mouse, UserInput};

const ACTIONS: [(&str, Mouse); 10] = [
    ("click", Mouse::Click(1)),
    ("double-click", Mouse::Click(2)),
    ("triple-click", Mouse::Click(3)),
    ("ctrl-click", Mouse::Follow),
    ("alt-click", Mouse::AddCursor),
    ("drag", Mouse::Drag),
    ("scroll-up", Mouse::Scroll(-1)),
    ("scroll-down", Mouse::Scroll(1)),
    ("scroll-left", Mouse::ScrollAcross(-1)),
    ("scroll-right", Mouse::ScrollAcross(1)),
];

/// Parses the words after `Mouse`. Cells are counted from 1 in a tape, and from 0 in an event.
pub fn parse(command: &TapeWord, words: &[TapeWord], form: &str) -> Result<UserInput, Fault> {
    let wrong = |word: &TapeWord, message: &str| {
        Fault::new(word.span.clone(), message, &format!("it is written `{form}`"))
    };
    let (action, column, row, shift) = match words {
        [action, column, row] => (action, column, row, false),
        [action, column, row, shift] if shift.text == "shift" => (action, column, row, true),
        [_, _, _, _, more, ..] => return Err(wrong(more, "this line has too many words")),
        [_, _, _, other] => return Err(wrong(other, "only `shift` can be held")),
        _ => return Err(wrong(command, "something is missing after this")),
    };
    let Some((_, what)) = ACTIONS.iter().find(|(name, _)| *name == action.text) else {
        let names: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
        let help = format!("there are {}", names.join(", "));
        return Err(Fault::new(action.span.clone(), "this is not an action of the mouse", &help));
    };
    let cell = |word: &TapeWord| {
        let cell = word.text.parse::<u32>().ok().and_then(|cell| u16::try_from(cell.checked_sub(1)?).ok());
        cell.ok_or_else(|| wrong(word, "this is not the number of a cell"))
    };
    Ok(UserInput::Mouse { what: *what, column: cell(column)?, row: cell(row)?, shift })
}

/// Returns the lines for an action; one line for each step of a wheel.
pub fn write(what: Mouse, column: u16, row: u16, shift: bool) -> String {
    let (step, times) = match what {
        Mouse::Click(count) => (Mouse::Click(count.clamp(1, 3)), 1),
        Mouse::Follow | Mouse::AddCursor | Mouse::Drag => (what, 1),
        Mouse::Scroll(by) => (Mouse::Scroll(by.signum()), by.unsigned_abs()),
        Mouse::ScrollAcross(by) => (Mouse::ScrollAcross(by.signum()), by.unsigned_abs()),
    };
    let Some((name, _)) = ACTIONS.iter().find(|(_, known)| *known == step) else { return String::new() };
    let shift = if shift { " shift" } else { "" };
    let line = format!("Mouse {name} {} {}{shift}\n", u32::from(column) + 1, u32::from(row) + 1);
    line.repeat(times as usize)
}

//! Converts pictures to terminal output; only changed cells are written.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use crate::workbench::edge::offscreen::Picture;

/// Returns the output that changes a terminal from `before` (or from an unknown state) to `now`. If the size
/// differs, all cells are written.
pub fn frame(before: Option<&Picture>, now: &Picture) -> String {
    let mut out = String::from("\x1b[?25l");
    let empty = Buffer::empty(*now.cells.area());
    let known = before.map(|picture| &picture.cells).filter(|cells| cells.area() == now.cells.area());
    if known.is_none() {
        out.push_str("\x1b[0m\x1b[2J");
    }
    let mut look = None;
    let mut place = None;
    for (x, y, cell) in known.unwrap_or(&empty).diff(&now.cells) {
        if place != Some((x, y)) {
            put(&mut out, format_args!("\x1b[{};{}H", y + 1, x + 1));
        }
        if look != Some((cell.fg, cell.bg, cell.modifier)) {
            style(&mut out, cell);
            look = Some((cell.fg, cell.bg, cell.modifier));
        }
        out.push_str(cell.symbol());
        place = Some((x + cell.symbol().width().max(1) as u16, y));
    }
    if look.is_some() {
        out.push_str("\x1b[0m");
    }
    if let Some(cursor) = now.cursor {
        put(&mut out, format_args!("\x1b[{};{}H\x1b[?25h", cursor.y + 1, cursor.x + 1));
    }
    out
}

/// Appends formatted text. Writing to a `String` cannot fail.
fn put(out: &mut String, what: std::fmt::Arguments) {
    let _ = out.write_fmt(what);
}

const MODIFIERS: [(Modifier, u8); 6] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::REVERSED, 7),
    (Modifier::CROSSED_OUT, 9),
];

fn style(out: &mut String, cell: &Cell) {
    out.push_str("\x1b[0");
    for (_, code) in MODIFIERS.iter().filter(|(modifier, _)| cell.modifier.contains(*modifier)) {
        put(out, format_args!(";{code}"));
    }
    colour(out, cell.fg, 30);
    colour(out, cell.bg, 40);
    out.push('m');
}

/// Appends the code of a colour: from `base` for the first eight, from `base + 60` for the bright ones.
fn colour(out: &mut String, colour: Color, base: u8) {
    match (colour, index(colour)) {
        (Color::Rgb(r, g, b), _) => put(out, format_args!(";{};2;{r};{g};{b}", base + 8)),
        (_, Some(few @ 0..8)) => put(out, format_args!(";{}", base + few)),
        (_, Some(few @ 8..16)) => put(out, format_args!(";{}", base + 52 + few)),
        (_, Some(many)) => put(out, format_args!(";{};5;{many}", base + 8)),
        (_, None) => {}
    }
}

/// Returns a colour's index in the 256-colour palette; `None` for the default colour and for 24-bit colours.
pub fn index(colour: Color) -> Option<u8> {
    Some(match colour {
        Color::Reset | Color::Rgb(..) => return None,
        Color::Indexed(index) => index,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    })
}

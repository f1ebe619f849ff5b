//! Draws a picture of the screen as a self-contained SVG file, with a text element for each run of equal style.

pub mod film;

use std::collections::BTreeMap;
use std::fmt::Write;

use ratatui::style::{Color, Modifier, Style};
use unicode_width::UnicodeWidthStr;

use super::ansi::index;
use crate::report::visible::visible;
use crate::workbench::edge::offscreen::Picture;
use crate::workbench::theme::{Depth, Theme};

/// In SVG units: the size of a cell, the margin, and the distance from a cell's top to its baseline.
const CELL: (f64, f64) = (8.4, 18.0);
const MARGIN: f64 = 10.0;
const BASE: f64 = 13.5;

pub const FONT: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace";

/// The style of a run of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CellStyle {
    front: u32,
    back: u32,
    modifier: u16,
}

/// A run of cells of one line that have the same style.
struct SvgRun {
    x: u16,
    cells: u16,
    ink: CellStyle,
    text: String,
}

pub fn picture(picture: &Picture, title: &str) -> String {
    let (width, height) = size(picture);
    draw(picture, title, "", &format!("width=\"{}\" height=\"{}\"", number(width), number(height)))
}

/// Draws a picture as a part of another SVG, as large as possible within a frame. Parts of one document need different
/// prefixes.
pub fn part(picture: &Picture, title: &str, prefix: &str, frame: (f64, f64, f64, f64)) -> String {
    let (x, y, width, height) = frame;
    let place = format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        number(x),
        number(y),
        number(width),
        number(height)
    );
    draw(picture, title, prefix, &place)
}

/// Returns the size in SVG units.
fn size(picture: &Picture) -> (f64, f64) {
    let area = picture.cells.area();
    (f64::from(area.width) * CELL.0 + 2.0 * MARGIN, f64::from(area.height) * CELL.1 + 2.0 * MARGIN)
}

/// Draws a picture. `prefix` begins the names of its classes; `place` has the attributes of its place.
fn draw(picture: &Picture, title: &str, prefix: &str, place: &str) -> String {
    let area = *picture.cells.area();
    let lines: Vec<Vec<SvgRun>> = (area.top()..area.bottom()).map(|y| runs(picture, y)).collect();
    let ground = most_used(&lines);
    let mut classes = Classes::new();
    let mut body = String::new();
    for (y, line) in lines.iter().enumerate() {
        backs(&mut body, line, y, ground);
    }
    if let Some(cursor) = picture.cursor {
        let (x, y) = (left(cursor.x), top(cursor.y.into()));
        let front = lines
            .get(usize::from(cursor.y))
            .and_then(|line| line.first())
            .map_or(0xff_ff_ff, |run| run.ink.front);
        put(
            &mut body,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"#{front:06x}\" fill-opacity=\".45\"/>\n",
                CELL.0, CELL.1
            ),
        );
    }
    for (y, line) in lines.iter().enumerate() {
        for run in line {
            letters(&mut body, run, y, prefix, &mut classes);
        }
    }
    document(size(picture), title, place, &rules(&classes, prefix), ground, &body)
}

/// Returns an SVG with a background. `size` is in SVG units.
fn document(
    (width, height): (f64, f64),
    title: &str,
    place: &str,
    rules: &str,
    ground: u32,
    body: &str,
) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" {place} font-family=\"{FONT}\" \
         font-size=\"14\" xml:space=\"preserve\">\n<title>{}</title>\n<style>{rules}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#{ground:06x}\"/>\n{body}</svg>\n",
        number(width),
        number(height),
        escaped(&visible(title))
    )
}

/// The classes of texts: a number for each colour and modifier.
type Classes = BTreeMap<(u32, u16), usize>;

/// Returns the CSS rules of the classes.
fn rules(classes: &Classes, prefix: &str) -> String {
    let mut rules = String::new();
    for ((front, modifier), number) in classes {
        let more = css(Modifier::from_bits_truncate(*modifier));
        put(&mut rules, format_args!(".{prefix}{}{{fill:#{front:06x}{more}}}", class(*number)));
    }
    rules
}

/// Appends formatted text. Writing to a `String` cannot fail.
fn put(out: &mut String, what: std::fmt::Arguments) {
    let _ = out.write_fmt(what);
}

/// Formats a number with at most one decimal.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_string()
}

fn left(x: u16) -> String {
    number(MARGIN + f64::from(x) * CELL.0)
}

fn top(y: usize) -> String {
    number(MARGIN + y as f64 * CELL.1)
}

/// Splits a line of the picture into runs.
fn runs(picture: &Picture, y: u16) -> Vec<SvgRun> {
    let area = picture.cells.area();
    let mut runs: Vec<SvgRun> = Vec::new();
    let mut x = area.left();
    while x < area.right() {
        let cell = &picture.cells[(x, y)];
        let ink = ink(cell.style());
        let cells = (cell.symbol().width().max(1) as u16).min(area.right() - x);
        match runs.last_mut() {
            Some(run) if run.ink == ink => {
                run.cells += cells;
                run.text.push_str(cell.symbol());
            }
            _ => runs.push(SvgRun { x, cells, ink, text: cell.symbol().to_string() }),
        }
        x += cells;
    }
    runs
}

fn ink(style: Style) -> CellStyle {
    let ground = Theme::new(Depth::True).ground();
    let hex = |colour: Option<Color>, own: Option<Color>| match colour {
        None | Some(Color::Reset) => rgb(own.unwrap_or(Color::Black)),
        Some(colour) => rgb(colour),
    };
    let (mut front, mut back) = (hex(style.fg, ground.fg), hex(style.bg, ground.bg));
    let mut modifier = style.add_modifier;
    if modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut front, &mut back);
        modifier.remove(Modifier::REVERSED);
    }
    CellStyle { front, back, modifier: modifier.bits() }
}

/// The 16 standard colours, with the values of most terminals.
const FEW: [u32; 16] = [
    0x00_00_00, 0xcd_00_00, 0x00_cd_00, 0xcd_cd_00, 0x00_00_ee, 0xcd_00_cd, 0x00_cd_cd, 0xe5_e5_e5, 0x7f_7f_7f,
    0xff_00_00, 0x00_ff_00, 0xff_ff_00, 0x5c_5c_ff, 0xff_00_ff, 0x00_ff_ff, 0xff_ff_ff,
];

fn rgb(colour: Color) -> u32 {
    let join = |r: u8, g: u8, b: u8| u32::from(r) << 16 | u32::from(g) << 8 | u32::from(b);
    match (colour, index(colour)) {
        (Color::Rgb(r, g, b), _) => join(r, g, b),
        (_, Some(few @ 0..16)) => FEW[usize::from(few)],
        (_, Some(cube @ 16..232)) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = cube - 16;
            join(level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        (_, Some(grey)) => {
            let level = 8 + 10 * (grey - 232);
            join(level, level, level)
        }
        (_, None) => 0,
    }
}

/// Returns the most frequent background.
fn most_used(lines: &[Vec<SvgRun>]) -> u32 {
    let mut cells: BTreeMap<u32, u64> = BTreeMap::new();
    for run in lines.iter().flatten() {
        *cells.entry(run.ink.back).or_default() += u64::from(run.cells);
    }
    cells.into_iter().max_by_key(|(_, count)| *count).map_or(0, |(back, _)| back)
}

/// Draws the backgrounds of a line that differ from the picture's.
fn backs(out: &mut String, line: &[SvgRun], y: usize, ground: u32) {
    let mut rest = line;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|run| run.ink.back == first.ink.back).count();
        let cells: u16 = rest[..same].iter().map(|run| run.cells).sum();
        if first.ink.back != ground {
            let (x, y, width) = (left(first.x), top(y), number(f64::from(cells) * CELL.0));
            put(
                out,
                format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" fill=\"#{:06x}\"/>\n",
                    CELL.1, first.ink.back
                ),
            );
        }
        rest = &rest[same..];
    }
}

/// Draws the text of a run. Surrounding blanks are omitted unless they are underlined.
fn letters(out: &mut String, run: &SvgRun, y: usize, prefix: &str, classes: &mut Classes) {
    let underlined = Modifier::from_bits_truncate(run.ink.modifier).contains(Modifier::UNDERLINED);
    let text = if underlined { run.text.as_str() } else { run.text.trim_matches(' ') };
    if text.is_empty() {
        return;
    }
    let before = if underlined { 0 } else { run.text.len() - run.text.trim_start_matches(' ').len() };
    let count = classes.len();
    let class = class(*classes.entry((run.ink.front, run.ink.modifier)).or_insert(count));
    let x = left(run.x + before as u16);
    let y = number(MARGIN + y as f64 * CELL.1 + BASE);
    let cells = text.width();
    put(out, format_args!("<text class=\"{prefix}{class}\" x=\"{x}\" y=\"{y}\""));
    if cells > 1 {
        put(out, format_args!(" textLength=\"{}\"", number(cells as f64 * CELL.0)));
    }
    put(out, format_args!(">{}</text>\n", escaped(text)));
}

/// Returns the name of a class: a, b, … z, a1, b1, …
fn class(number: usize) -> String {
    let letter = char::from(b'a' + (number % 26) as u8);
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

fn css(modifier: Modifier) -> String {
    let rows = [
        (Modifier::BOLD, ";font-weight:bold"),
        (Modifier::ITALIC, ";font-style:italic"),
        (Modifier::UNDERLINED, ";text-decoration:underline"),
        (Modifier::DIM, ";opacity:.6"),
    ];
    rows.iter().filter(|(one, _)| modifier.contains(*one)).map(|(_, css)| *css).collect()
}

/// Escapes text for XML; characters that XML does not allow become blanks.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

//! Draws a recording as one SVG file that plays without scripts.
//!
//! The screen is cut into windows of one line's height. In each moves a strip of all that it ever shows, one piece of a
//! line below the other. Most frames change few pieces, and equal pieces are drawn once, so a film costs little more than
//! the pieces that differ.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::{
    CELL, Classes, MARGIN, Picture, SvgRun, backs, document, left, letters, most_used, number, put, rgb, rules,
    runs, size, top,
};
use crate::workbench::theme::{Depth, Theme};

/// The columns of a window. Narrow windows repeat less text, wide ones need fewer animations.
const WINDOW: u16 = 25;

/// The number of the drawing that a window shows.
type Piece = usize;

/// A film, frame by frame.
#[derive(Default)]
pub struct Film {
    /// The size of the largest frame, in SVG units.
    size: (f64, f64),
    /// The background, that of the first frame, and the colour of the cursor.
    colours: Option<(u32, u32)>,
    classes: Classes,
    /// All drawings, and the number of each.
    pieces: BTreeMap<String, Piece>,
    /// When each window, by its column and row, shows another piece.
    windows: BTreeMap<(u16, u16), Vec<(Duration, Piece)>>,
    /// When the cursor is at another place, in SVG units.
    cursors: Vec<(Duration, Option<(String, String)>)>,
}

impl Film {
    /// Adds a frame. Frames come in the order of their times.
    pub fn add(&mut self, at: Duration, picture: &Picture) {
        let area = *picture.cells.area();
        let lines: Vec<Vec<SvgRun>> = (area.top()..area.bottom()).map(|y| runs(picture, y)).collect();
        let front = || Theme::new(Depth::True).ground().fg.map_or(0xff_ff_ff, rgb);
        let (ground, _) = *self.colours.get_or_insert_with(|| (most_used(&lines), front()));
        let (width, height) = size(picture);
        self.size = (self.size.0.max(width), self.size.1.max(height));
        let mut shown: BTreeMap<(u16, u16), Piece> = BTreeMap::new();
        for (y, line) in (0..).zip(&lines) {
            for x in (0..area.width).step_by(WINDOW.into()) {
                shown.insert((x, y), self.draw(&cut(line, x..x + WINDOW), ground));
            }
        }
        // A window that a smaller screen does not have is blank.
        let blank = self.draw(&[], ground);
        for place in self.windows.keys() {
            shown.entry(*place).or_insert(blank);
        }
        for (place, piece) in shown {
            change(self.windows.entry(place).or_default(), at, piece);
        }
        let place = picture.cursor.map(|cursor| (left(cursor.x), top(cursor.y.into())));
        change(&mut self.cursors, at, place);
    }

    /// Returns the number of a piece's drawing.
    fn draw(&mut self, piece: &[SvgRun], ground: u32) -> Piece {
        let mut drawing = String::new();
        backs(&mut drawing, piece, 0, ground);
        for run in piece {
            letters(&mut drawing, run, 0, "", &mut self.classes);
        }
        let next = self.pieces.len();
        *self.pieces.entry(drawing).or_insert(next)
    }

    /// Returns the film as an SVG that repeats itself.
    pub fn svg(&self, length: Duration, title: &str) -> String {
        let (ground, front) = self.colours.unwrap_or_default();
        let (width, height) = (number(self.size.0), number(self.size.1));
        let mut rules = rules(&self.classes, "");
        // A reader who wants no motion sees the last frame, and so does a program that draws none.
        rules.push_str(
            "text{white-space:pre}@media(prefers-reduced-motion:reduce){*{animation:none!important}}",
        );
        let mut body = String::from("<defs>\n");
        for (drawing, piece) in &self.pieces {
            put(&mut body, format_args!("<g id=\"l{piece}\">{}</g>\n", drawing.replace('\n', "")));
        }
        body.push_str("</defs>\n");
        for ((x, y), changes) in &self.windows {
            let mut strip: Vec<Piece> = Vec::new();
            let moves: Vec<(Duration, String)> = { changes.iter() }
                .map(|(at, piece)| {
                    let place = strip.iter().position(|shown| shown == piece).unwrap_or_else(|| {
                        strip.push(*piece);
                        strip.len() - 1
                    });
                    (*at, format!("translateY({}px)", number(-(place as f64) * CELL.1)))
                })
                .collect();
            let name = format!("w{x}-{y}");
            animate(&mut rules, &name, &moves, length);
            let (x, y, wide, high) = (left(*x), top((*y).into()), number(f64::from(WINDOW) * CELL.0), CELL.1);
            put(
                &mut body,
                format_args!(
                    "<svg x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" \
                     viewBox=\"{MARGIN} {MARGIN} {wide} {high}\"><g class=\"{name}\">"
                ),
            );
            for (place, piece) in strip.iter().enumerate() {
                put(
                    &mut body,
                    format_args!("<use href=\"#l{piece}\" y=\"{}\"/>", number(place as f64 * CELL.1)),
                );
            }
            body.push_str("</g></svg>\n");
        }
        let moves: Vec<(Duration, String)> = { self.cursors.iter() }
            .map(|(at, place)| {
                let place = place.as_ref().map_or("-99px,0".into(), |(x, y)| format!("{x}px,{y}px"));
                (*at, format!("translate({place})"))
            })
            .collect();
        animate(&mut rules, "cursor", &moves, length);
        put(
            &mut body,
            format_args!(
                "<rect class=\"cursor\" width=\"{}\" height=\"{}\" fill=\"#{front:06x}\" fill-opacity=\".45\"/>\n",
                CELL.0, CELL.1
            ),
        );
        let place = format!("width=\"{width}\" height=\"{height}\"");
        document(self.size, title, &place, &rules, ground, &body)
    }
}

/// Returns the runs of a line within these columns, counted from the first of them.
fn cut(line: &[SvgRun], columns: Range<u16>) -> Vec<SvgRun> {
    let mut piece = Vec::new();
    for run in line {
        let mut x = run.x;
        let mut cut = SvgRun { x: 0, cells: 0, ink: run.ink, text: String::new() };
        for glyph in run.text.graphemes(true) {
            let cells = glyph.width().max(1) as u16;
            if columns.contains(&x) {
                if cut.cells == 0 {
                    cut.x = x - columns.start;
                }
                cut.cells += cells;
                cut.text.push_str(glyph);
            }
            x += cells;
        }
        if cut.cells > 0 {
            piece.push(cut);
        }
    }
    piece
}

/// Adds a value that differs from the one before; the last one of a time counts.
fn change<T: PartialEq>(changes: &mut Vec<(Duration, T)>, at: Duration, value: T) {
    if changes.last().is_some_and(|(last, _)| *last == at) {
        changes.pop();
    }
    if changes.last().is_none_or(|(_, last)| *last != value) {
        changes.push((at, value));
    }
}

/// Appends the rules that move the class `name`. Each transformation holds until the next one.
fn animate(rules: &mut String, name: &str, moves: &[(Duration, String)], length: Duration) {
    let Some((_, last)) = moves.last() else { return };
    put(rules, format_args!(".{name}{{transform:{last}"));
    if moves.len() > 1 {
        let whole = length.as_secs_f64().max(0.001);
        put(rules, format_args!(";animation:{name} {}s step-end infinite}}@keyframes {name}{{", number(whole)));
        // A window of a larger screen comes later; until then it shows its first piece, which is blank.
        let first = moves.first().map(|(_, first)| (Duration::ZERO, first.clone()));
        for (at, transform) in first.iter().filter(|_| moves[0].0 > Duration::ZERO).chain(moves) {
            let part = format!("{:.3}", at.as_secs_f64() / whole * 100.0);
            let part = part.trim_end_matches('0').trim_end_matches('.');
            put(rules, format_args!("{part}%{{transform:{transform}}}"));
        }
    }
    rules.push('}');
}

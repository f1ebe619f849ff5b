//! Finds meanings in colour alone: two texts with equal characters and attributes, but different colours.

use std::collections::HashMap;

use myriad::workbench::theme::{Depth, Look, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use super::COUNT;

/// The characters before and after a text that belong to it.
const AROUND: usize = 3;
/// Looks that say that something is good or bad.
const VERDICTS: [Look; 5] = [Look::Good, Look::Bad, Look::Warning, Look::Added, Look::Removed];

/// A text as it is without colours: the area, its characters, and their attributes.
type Plain = (String, String, Vec<Modifier>);
/// Its colours, and where it was seen.
type Coloured = (Vec<(Color, Color)>, String);

/// The colours of every text that was seen.
#[derive(Default)]
pub struct Meanings {
    seen: HashMap<Plain, Coloured>,
    found: Vec<String>,
}

impl Meanings {
    /// Learns the colours of an area's lines, and of the parts that have the colour of a verdict, with any number.
    pub fn learn(&mut self, area: &str, place: &str, buffers: &[Buffer; COUNT], cells: Rect) {
        let (coloured, plain) = (&buffers[0], &buffers[COUNT - 1]);
        for y in cells.rows().map(|row| row.y) {
            let line: Vec<(&str, Modifier, (Color, Color))> = (cells.left()..cells.right())
                .map(|x| {
                    let (cell, dim) = (&coloured[(x, y)], plain[(x, y)].modifier);
                    // The text colour of an empty cell is invisible.
                    let front = if cell.symbol() == " " { Color::Reset } else { cell.fg };
                    (cell.symbol(), dim, (front, cell.bg))
                })
                .collect();
            let text: String = line.iter().map(|(symbol, ..)| *symbol).collect();
            let attributes = line.iter().map(|(_, modifier, _)| *modifier).collect();
            let colours = line.iter().map(|(.., colours)| *colours).collect();
            self.add((format!("line of {area}"), text, attributes), colours, place);
            self.learn_parts(area, place, &line);
        }
    }

    /// Learns the parts of a line with one colour, with the characters around them; each digit counts as 0.
    fn learn_parts(&mut self, area: &str, place: &str, line: &[(&str, Modifier, (Color, Color))]) {
        let cells: Vec<_> = line.iter().filter(|(symbol, ..)| *symbol != " ").collect();
        let text = |cells: &[&(&str, Modifier, (Color, Color))]| {
            let text: String = cells.iter().map(|(symbol, ..)| *symbol).collect();
            text.replace(|c: char| c.is_ascii_digit(), "0")
        };
        let mut start = 0;
        for part in cells.chunk_by(|one, other| one.2.0 == other.2.0 && one.1 == other.1) {
            let end = start + part.len();
            let before = text(&cells[start.saturating_sub(AROUND)..start]);
            let after = text(&cells[end..(end + AROUND).min(cells.len())]);
            let said = format!("{before}«{}»{after}", text(part));
            self.add(
                (format!("part of {area}"), said, vec![part[0].1]),
                vec![(part[0].2.0, Color::Reset)],
                place,
            );
            start = end;
        }
    }

    fn add(&mut self, plain: Plain, colours: Vec<(Color, Color)>, place: &str) {
        let Some((others, first)) = self.seen.get(&plain) else {
            self.seen.insert(plain, (colours, place.to_string()));
            return;
        };
        let differ = others.iter().zip(&colours).find(|(one, other)| one != other);
        let Some(((one, one_back), (other, other_back))) = differ else { return };
        let (what, text, _) = &plain;
        // Parts are about verdicts; other colours repeat what the syntax says.
        if what.starts_with("part") && !is_verdict(*one) && !is_verdict(*other) {
            return;
        }
        self.found.push(format!(
            "{what}: {text:?} is {} in {first}, and {} in {place}",
            described(*one, *one_back),
            described(*other, *other_back)
        ));
    }

    /// Returns the texts that only colours tell apart.
    pub fn found(&self) -> &[String] {
        &self.found
    }

    /// Panics if a meaning is in colour alone.
    pub fn check(&self) {
        assert!(self.seen.len() > 1_000, "only {} texts were seen", self.seen.len());
        assert!(
            self.found.is_empty(),
            "{} texts:\n{}",
            self.found.len(),
            self.found[..self.found.len().min(60)].join("\n")
        );
    }
}

fn colour(look: Look) -> Option<Color> {
    Theme::new(Depth::True).style(look).fg
}

fn is_verdict(front: Color) -> bool {
    VERDICTS.iter().any(|look| colour(*look) == Some(front))
}

/// Formats colours, with the names of looks that have that text colour.
fn described(front: Color, back: Color) -> String {
    let looks: Vec<String> =
        Look::ALL.iter().filter(|look| colour(**look) == Some(front)).map(|look| format!("{look:?}")).collect();
    format!("{front} on {back} ({})", looks.join(", "))
}

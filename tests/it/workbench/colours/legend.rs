//! Finds the look of a cell, or the looks drawn over each other, whose style in every theme is the cell's.

use std::collections::HashMap;
use std::fmt::Write;

use myriad::workbench::theme::{Look, Theme};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::{COUNT, themes};

/// A cell's style in each theme.
type Styles = [(Color, Color, Modifier); COUNT];

/// Looks of whole areas. Other looks are drawn over them.
const BELOW: [Look; 4] = [Look::Tabs, Look::Tab, Look::TabFocus, Look::Status];
/// Looks that are drawn over others.
const ABOVE: [Look; 6] =
    [Look::SelectedRow, Look::CurrentLine, Look::Selection, Look::Match, Look::Link, Look::Part];

/// The name of a look or of a style that is not in the table of looks.
type Named = (char, String, fn(&Theme, &str) -> Style);

fn of_look(theme: &Theme, name: &str) -> Style {
    let look = Look::ALL.iter().find(|look| format!("{look:?}") == name);
    theme.style(*look.expect("a look has this name"))
}

/// Every composition of looks, by its styles.
pub struct Legend {
    letters: Vec<Named>,
    /// The letter of the look, and the names of those around it.
    known: HashMap<Styles, (char, String)>,
}

impl Legend {
    pub fn new() -> Legend {
        let mut letters: Vec<Named> = Vec::new();
        let looks = Look::ALL.iter().map(|look| (format!("{look:?}"), of_look as fn(&Theme, &str) -> Style));
        let stale = ("Stale".to_string(), (|theme, _| theme.stale()) as fn(&Theme, &str) -> Style);
        for (name, style) in looks.chain([stale]) {
            // The first of its own letters that is free, else any.
            let own = name.to_lowercase() + &name.to_uppercase();
            let free = |c: &char| *c != '.' && letters.iter().all(|(taken, ..)| taken != c);
            let letter = own.chars().chain('a'..='z').chain('A'..='Z').find(free).expect("a free letter");
            letters.push((letter, name, style));
        }
        letters[0].0 = '.';
        let mut legend = Legend { letters, known: HashMap::new() };
        let over: Vec<Vec<Look>> = std::iter::once(vec![])
            .chain(ABOVE.map(|look| vec![look]))
            .chain(ABOVE.iter().flat_map(|one| ABOVE.map(|other| vec![*one, other])))
            .collect();
        let below = || std::iter::once(None).chain(BELOW.map(Some));
        for over in &over {
            for below in below() {
                for (letter, name, style) in &legend.letters {
                    let names: Vec<String> = below.iter().chain(over).map(|look| format!("{look:?}")).collect();
                    let styles = themes().map(|(_, theme)| {
                        let mut cell = Cell::default();
                        cell.set_style(theme.ground());
                        below.iter().for_each(|look| {
                            cell.set_style(theme.style(*look));
                        });
                        cell.set_style(style(&theme, name));
                        over.iter().for_each(|look| {
                            cell.set_style(theme.style(*look));
                        });
                        (cell.fg, cell.bg, cell.modifier)
                    });
                    legend.known.entry(styles).or_insert((*letter, names.join("+")));
                }
            }
        }
        legend
    }

    /// Returns an area's text, line by line. Below each line are the letters of its looks, and the columns where others are
    /// drawn below or over them. Panics if a cell has a style that no looks have.
    pub fn picture(&self, place: &str, buffers: &[Buffer; COUNT], area: Rect) -> String {
        let mut picture = String::new();
        for y in area.rows().map(|row| row.y) {
            let (mut text, mut looks) = (String::new(), String::new());
            let mut around: Vec<(u16, u16, &str)> = Vec::new();
            for x in area.left()..area.right() {
                let symbol = buffers[0][(x, y)].symbol();
                let styles = buffers.each_ref().map(|buffer| {
                    let cell = &buffer[(x, y)];
                    (cell.fg, cell.bg, cell.modifier)
                });
                let Some((letter, names)) = self.known.get(&styles) else {
                    panic!(
                        "{place}: the cell {symbol:?} at {x}:{y} has a style that no looks have: {styles:?}"
                    );
                };
                text.push_str(symbol);
                looks.push(if symbol == " " { ' ' } else { *letter });
                let column = x - area.x;
                match around.last_mut() {
                    Some((_, end, last)) if last == names && *end == column => *end += 1,
                    _ => around.push((column, column + 1, names)),
                }
            }
            let _ = writeln!(picture, "{}", text.trim_end());
            if looks.contains(|c| c != ' ' && c != '.') {
                let _ = writeln!(picture, "{}", looks.trim_end());
            }
            around.retain(|(.., names)| !names.is_empty());
            let around: Vec<String> =
                { around.iter() }.map(|(start, end, names)| format!("{names} {start}–{}", end - 1)).collect();
            if !around.is_empty() {
                let _ = writeln!(picture, "      {}", around.join(", "));
            }
        }
        picture
    }

    /// Returns the styles of each look in each theme.
    pub fn table(&self) -> String {
        let mut table = format!("{:<16}", "");
        themes().iter().for_each(|(name, _)| table += &format!(" {name:<28}"));
        table = format!("{}\n", table.trim_end());
        for (letter, name, style) in &self.letters {
            let mut row = format!("{letter} {name:<14}");
            themes().iter().for_each(|(_, theme)| row += &format!(" {:<28}", described(style(theme, name))));
            table += &format!("{}\n", row.trim_end());
        }
        table
    }
}

/// Formats a style: `#a3d977 on #1b1e28 bold`.
fn described(style: Style) -> String {
    let of = |colour: Option<Color>| colour.filter(|colour| *colour != Color::Reset).map(|c| c.to_string());
    let mut parts: Vec<String> = of(style.fg).into_iter().collect();
    parts.extend(of(style.bg).map(|back| format!("on {back}")));
    parts.extend(style.add_modifier.iter_names().map(|(name, _)| name.to_lowercase()));
    if parts.is_empty() { "–".to_string() } else { parts.join(" ") }
}

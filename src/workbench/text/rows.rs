//! Rows of a line that is wrapped softly: its text stays one line.

use crate::workbench::text::{Buffer, glyphs};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenRow {
    pub line: usize,
    /// The position of its first character.
    pub start: usize,
    /// The display column in the line at which it begins.
    pub left: usize,
    /// The position and the column at which the next row of the line begins; `None` for the last row.
    pub next: Option<(usize, usize)>,
}

impl ScreenRow {
    /// Returns whether a cursor at a position of the line is drawn in this row.
    pub fn holds(&self, position: usize) -> bool {
        position >= self.start && self.next.is_none_or(|(next, _)| position < next)
    }
}

impl Buffer {
    /// Returns the rows of a line that is wrapped at `cells` cells: after the last blank that fits, or else within a word.
    /// Blanks at the end of a row may exceed it.
    pub fn rows(&self, line: usize, cells: usize) -> Vec<ScreenRow> {
        let (text, start) = (self.line_text(line), self.line_start(line));
        let mut rows = vec![ScreenRow { line, start, left: 0, next: None }];
        // The place after the last blank of the row.
        let mut word = (start, 0);
        let (mut at, mut column) = (start, 0);
        for glyph in glyphs(&text) {
            let is_blank = matches!(&*glyph.shown, " ") || glyph.shown.trim().is_empty();
            let left = rows.last().map_or(0, |row| row.left);
            if column + glyph.width > left + cells.max(1) && !is_blank && column > left {
                let next = if word.1 > left { word } else { (at, column) };
                if let Some(row) = rows.last_mut() {
                    row.next = Some(next);
                }
                rows.push(ScreenRow { line, start: next.0, left: next.1, next: None });
            }
            at += glyph.chars;
            column += glyph.width;
            if is_blank {
                word = (at, column);
            }
        }
        rows
    }

    pub fn row_of(&self, position: usize, cells: usize) -> ScreenRow {
        let line = self.line_of(position);
        let rows = self.rows(line, cells);
        let holds = |row: &&ScreenRow| row.holds(position);
        rows.iter().find(holds).or(rows.last()).copied().unwrap_or(ScreenRow {
            line,
            start: 0,
            left: 0,
            next: None,
        })
    }

    /// Returns the next row, across lines.
    pub fn row_below(&self, row: ScreenRow, cells: usize) -> Option<ScreenRow> {
        match row.next {
            Some((next, _)) => Some(self.row_of(next, cells)),
            None => (row.line + 1 < self.lines()).then(|| self.row_of(self.line_start(row.line + 1), cells)),
        }
    }

    /// Returns the previous row, across lines.
    pub fn row_above(&self, row: ScreenRow, cells: usize) -> Option<ScreenRow> {
        let own = self.rows(row.line, cells);
        let before = own.iter().take_while(|other| other.start < row.start).last().copied();
        before.or_else(|| self.rows(row.line.checked_sub(1)?, cells).last().copied())
    }

    /// Returns the position in a row at a column from its left, or the last one that is drawn in it.
    pub fn position_in(&self, row: ScreenRow, column: usize) -> usize {
        let position = self.position_at(row.line, row.left + column);
        match row.next {
            Some((next, _)) if position >= next => self.target(super::Motion::Left, next, 0),
            _ => position.max(row.start),
        }
    }

    /// Moves each cursor by a number of rows.
    pub fn go_rows(&mut self, count: usize, is_down: bool, extend: bool, cells: usize) {
        let goal =
            |buffer: &Buffer, head: usize| buffer.place(head).1.saturating_sub(buffer.row_of(head, cells).left);
        self.move_carets(extend, true, goal, |buffer, own, goal| {
            let mut row = buffer.row_of(own.head, cells);
            for moved in 0..count {
                let next = if is_down { buffer.row_below(row, cells) } else { buffer.row_above(row, cells) };
                match next {
                    Some(next) => row = next,
                    None if moved == 0 => return if is_down { buffer.len() } else { 0 },
                    None => break,
                }
            }
            buffer.position_in(row, goal)
        });
    }
}

//! Cursor movement. One step is a grapheme cluster; vertical movement keeps the display column.

use unicode_segmentation::UnicodeSegmentation;

use crate::workbench::text::{Buffer, Carets, Selection};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    WordLeft,
    WordRight,
    /// A number of lines up.
    Up(usize),
    /// A number of lines down.
    Down(usize),
    /// The first non-blank character of the line, or column 0 if the cursor is already there.
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
}

impl Buffer {
    /// Moves each cursor; with `extend`, the selections' anchors stay.
    pub fn go(&mut self, motion: Motion, extend: bool) {
        let is_vertical = matches!(motion, Motion::Up(_) | Motion::Down(_));
        let moved = |buffer: &Buffer, own: Selection, goal| match motion {
            // Without `extend`, left and right collapse a selection to its end on that side.
            Motion::Left if !extend && !own.is_empty() => own.range().start,
            Motion::Right if !extend && !own.is_empty() => own.range().end,
            _ => buffer.target(motion, own.head, goal),
        };
        self.move_carets(extend, is_vertical, |buffer, head| buffer.place(head).1, moved);
    }

    /// Moves each cursor to the place that `moved` returns for it and its goal column. `goal` returns the column of
    /// a position, where none is known. The goals stay if `keeps_goal`.
    pub fn move_carets(
        &mut self,
        extend: bool,
        keeps_goal: bool,
        goal: impl Fn(&Buffer, usize) -> usize,
        moved: impl Fn(&Buffer, Selection, usize) -> usize,
    ) {
        let carets = self.carets();
        let all = || std::iter::once(carets.main).chain(carets.others.iter().copied());
        let goals = self.goal.take().filter(|goals| goals.len() == carets.others.len() + 1);
        let goals = goals.unwrap_or_else(|| all().map(|own| goal(self, own.head)).collect());
        let mut placed = all().zip(&goals).map(|(own, goal)| {
            let head = moved(self, own, *goal);
            Selection { anchor: if extend { own.anchor } else { head }, head }
        });
        let main = placed.next().unwrap_or_default();
        let others = placed.collect();
        self.set_carets(Carets { main, others });
        self.goal = Some(goals).filter(|goals| keeps_goal && goals.len() == self.others.len() + 1);
    }

    /// Returns the position where a motion from `from` ends.
    pub fn target(&self, motion: Motion, from: usize, goal: usize) -> usize {
        let line = self.line_of(from);
        match motion {
            Motion::Left => self.previous_step(from),
            Motion::Right => self.next_step(from),
            Motion::WordLeft => self.word_left(from),
            Motion::WordRight => self.word_right(from),
            Motion::Up(n) if line == 0 && n > 0 => 0,
            Motion::Up(n) => self.position_at(line.saturating_sub(n), goal),
            Motion::Down(n) if line + 1 == self.lines() && n > 0 => self.len(),
            Motion::Down(n) => self.position_at(line + n, goal),
            Motion::LineStart => {
                let start = self.line_start(line);
                let indent = self.line_text(line).chars().take_while(|c| matches!(c, ' ' | '\t')).count();
                if from == start + indent { start } else { start + indent }
            }
            Motion::LineEnd => self.line_end(line),
            Motion::TextStart => 0,
            Motion::TextEnd => self.len(),
        }
    }

    fn next_step(&self, from: usize) -> usize {
        let line = self.line_of(from);
        let text = String::from(self.line(line));
        let mut at = self.line_start(line);
        for cluster in text.graphemes(true) {
            at += cluster.chars().count();
            if at > from {
                return at;
            }
        }
        self.len()
    }

    fn previous_step(&self, from: usize) -> usize {
        let mut line = self.line_of(from);
        if from == self.line_start(line) {
            if line == 0 {
                return 0;
            }
            line -= 1;
        }
        let text = String::from(self.line(line));
        let mut at = self.line_start(line);
        for cluster in text.graphemes(true) {
            let next = at + cluster.chars().count();
            if next >= from {
                return at;
            }
            at = next;
        }
        at
    }

    fn word_right(&self, from: usize) -> usize {
        let mut at = from;
        let class = |at: usize| self.char_at(at).map(class);
        let first = class(at);
        if first != Some(MovementClass::Space) {
            while at < self.len() && class(at) == first {
                at += 1;
            }
        }
        while at < self.len() && class(at) == Some(MovementClass::Space) {
            at += 1;
        }
        at
    }

    fn word_left(&self, from: usize) -> usize {
        let mut at = from;
        let before = |at: usize| at.checked_sub(1).and_then(|i| self.char_at(i)).map(class);
        while at > 0 && before(at) == Some(MovementClass::Space) {
            at -= 1;
        }
        let first = before(at);
        while at > 0 && before(at) == first {
            at -= 1;
        }
        at
    }

    /// Returns the word that contains a position or ends there.
    pub fn word_around(&self, position: usize) -> Option<Selection> {
        let is_word = |at: &usize| self.char_at(*at).map(class) == Some(MovementClass::Word);
        let at = [Some(position), position.checked_sub(1)].into_iter().flatten().find(is_word)?;
        Some(self.word_at(at))
    }

    /// Returns the word around a position, or the run of spaces or signs that contains it.
    pub fn word_at(&self, position: usize) -> Selection {
        let here = self.char_at(position).map(class);
        let (mut start, mut end) = (position, position);
        while start > 0 && self.char_at(start - 1).map(class) == here {
            start -= 1;
        }
        while end < self.len() && self.char_at(end).map(class) == here {
            end += 1;
        }
        Selection { anchor: start, head: end }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MovementClass {
    Space,
    Word,
    Sign,
    LineEnd,
}

fn class(c: char) -> MovementClass {
    if c == '\n' || c == '\r' {
        MovementClass::LineEnd
    } else if c.is_whitespace() {
        MovementClass::Space
    } else if c == '_' || c.is_alphanumeric() {
        MovementClass::Word
    } else {
        MovementClass::Sign
    }
}

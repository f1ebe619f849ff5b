//! The keys of vi: operators with motions, visual modes.

use std::ops::Range;

use super::absent::{ABSENT, Rest};
use super::edit::{after, lines};
use super::motion::{Find, Span, first_ink, last_line, next_word, repeated, target, word_before, word_end};
use super::{Modal, Mode, Prefix, Request};
use crate::workbench::text::{Buffer, EditKind, Motion, Selection};

impl Modal {
    /// Handles a letter outside insert mode.
    pub(super) fn press_vi(&mut self, c: char, buffer: &mut Buffer) -> Option<Request> {
        match self.prefix.take() {
            Some(Prefix::Replace) => return self.replace_characters(buffer, c),
            Some(Prefix::Find(find)) => {
                let found = find.target(buffer, buffer.head(), c, self.total().unwrap_or(1));
                let span = if find.forward { Span::Inclusive } else { Span::Exclusive };
                return match found {
                    Some(at) => self.reach(buffer, at, span),
                    None => self.refuse("that character is not in the rest of the line"),
                };
            }
            Some(Prefix::Go) if c == 'g' => {
                let line = self.total().map_or(0, |number| number - 1).min(buffer.lines() - 1);
                return self.reach(buffer, first_ink(buffer, line), Span::Lines);
            }
            Some(Prefix::Go) if c == 'd' => {
                self.forget();
                return Some(Request::Definition);
            }
            Some(Prefix::Go) if matches!(c, '\'' | '`' | 'r') => return self.begin_absent(c, Rest::Keys(1)),
            Some(Prefix::Go) if "uU~?qw@".contains(c) && self.is_free() => {
                (self.operator, self.count) = (Some((c, self.count)), None);
                return None;
            }
            Some(_) => return self.refuse("g g goes to the first line, g d to the declaration"),
            None => {}
        }
        if self.counts(c) {
            return None;
        }
        if let Some(find) = Find::of(c) {
            self.prefix = Some(Prefix::Find(find));
            return None;
        }
        if c == 'g' {
            self.prefix = Some(Prefix::Go);
            return None;
        }
        if let Some(why) = self.why_stuck(buffer, c) {
            return self.refuse(why);
        }
        if let Some((at, span)) = self.motion(buffer, c) {
            return self.reach(buffer, at, span);
        }
        match self.operator {
            Some((operator, _)) if operator == c => {
                let first = buffer.line_of(buffer.head());
                let last = first + self.total().unwrap_or(1) - 1;
                self.operate(buffer, lines(buffer, first, last), true)
            }
            Some(_) => self.refuse("no such motion; docs/keys-modal.md lists all"),
            None if self.mode == Mode::Normal => self.command(buffer, c),
            None => self.visual_command(buffer, c),
        }
    }

    /// Returns the count before the operator times the one after it.
    fn total(&self) -> Option<usize> {
        let before = self.operator.and_then(|(_, count)| count);
        match (before, self.count) {
            (None, None) => None,
            (a, b) => Some((a.unwrap_or(1) * b.unwrap_or(1)).min(super::MOST)),
        }
    }

    /// Returns whether a key begins a command of normal mode.
    fn is_free(&self) -> bool {
        self.operator.is_none() && self.mode == Mode::Normal
    }

    /// Returns why a motion leads nowhere, so that its operator does nothing.
    fn why_stuck(&self, buffer: &Buffer, c: char) -> Option<&'static str> {
        let line = buffer.line_of(buffer.head());
        match c {
            'k' if self.operator.is_some() && line == 0 => Some("there is no line above"),
            'j' if self.operator.is_some() && line >= last_line(buffer) => Some("there is no line below"),
            '%' if buffer.bracket_pair().is_none() => Some("no bracket is at the cursor"),
            _ => None,
        }
    }

    /// Returns the end of the motion of a letter.
    fn motion(&mut self, buffer: &Buffer, c: char) -> Option<(usize, Span)> {
        let (from, count) = (buffer.head(), self.total());
        let n = count.unwrap_or(1);
        let goal = self.goal.unwrap_or_else(|| buffer.place(from).1);
        let is_changing = self.operator.is_some_and(|(operator, _)| operator == 'c');
        let is_on_word = buffer.char_at(from).is_some_and(|c| !c.is_whitespace());
        let last = |at: usize| buffer.target(Motion::Left, at, 0).max(from);
        let found = match c {
            // `cw` does not change the space after the word.
            'w' if is_changing && is_on_word => (repeated(from, n, |at| word_end(buffer, at)), Span::Exclusive),
            'w' => {
                let before = repeated(from, n - 1, |at| next_word(buffer, at));
                let at = next_word(buffer, before);
                // The end of the line stays when its last word is deleted.
                let end = buffer.line_end(buffer.line_of(before));
                let stays = self.operator.is_some() && end > before;
                (if stays { at.min(end) } else { at }, Span::Exclusive)
            }
            'b' => (repeated(from, n, |at| word_before(buffer, at)), Span::Exclusive),
            'e' => {
                let start = after(buffer, from).max((from + 1).min(buffer.len()));
                let end = repeated(word_end(buffer, start), n - 1, |at| word_end(buffer, at));
                (last(end), Span::Inclusive)
            }
            '%' => match buffer.bracket_pair() {
                Some((open, close)) => (if from == open { close } else { open }, Span::Inclusive),
                None => (from, Span::Exclusive),
            },
            _ => target(buffer, c, from, count, goal)?,
        };
        self.goal = match c {
            'j' | 'k' => Some(goal),
            '$' => Some(usize::MAX),
            _ => None,
        };
        Some(found)
    }

    /// Moves to the end of a motion, or applies the operator that waits for it.
    fn reach(&mut self, buffer: &mut Buffer, at: usize, span: Span) -> Option<Request> {
        let from = buffer.head();
        if self.operator.is_some() {
            let (start, end) = (from.min(at), from.max(at));
            return match span {
                Span::Lines => {
                    let range = lines(buffer, buffer.line_of(start), buffer.line_of(end));
                    self.operate(buffer, range, true)
                }
                Span::Inclusive => {
                    let range = start..after(buffer, end);
                    self.operate(buffer, range, false)
                }
                Span::Exclusive => self.operate(buffer, start..end, false),
            };
        }
        self.forget();
        match self.mode {
            Mode::Select | Mode::SelectLines => self.extend(buffer, at),
            _ => buffer.select(Selection::at(at)),
        }
        None
    }

    /// Shows the selection of a visual mode with the cursor at a position.
    fn extend(&mut self, buffer: &mut Buffer, head: usize) {
        self.is_foreign = false;
        let line = buffer.line_of(self.origin);
        let anchor = match (self.mode, head < self.origin) {
            (Mode::SelectLines, true) => buffer.line_end(line),
            (Mode::SelectLines, false) => buffer.line_start(line),
            (_, true) => after(buffer, self.origin),
            (_, false) => self.origin,
        };
        buffer.select(Selection { anchor, head });
    }

    /// Returns the range of the visual modes, and whether it consists of lines.
    fn visual_range(&self, buffer: &Buffer) -> (Range<usize>, bool) {
        let head = buffer.head();
        let (start, end) = (self.origin.min(head), self.origin.max(head));
        match self.mode {
            Mode::SelectLines => (lines(buffer, buffer.line_of(start), buffer.line_of(end)), true),
            _ if self.is_foreign => (buffer.selection().range(), false),
            _ => (start..buffer.target(Motion::Right, end, 0), false),
        }
    }

    fn operate(&mut self, buffer: &mut Buffer, range: Range<usize>, is_lines: bool) -> Option<Request> {
        let operator = self.operator.map(|(operator, _)| operator);
        self.forget();
        self.goal = None;
        match operator {
            Some('d') => self.delete(buffer, range, is_lines),
            Some('c') => self.change(buffer, range, is_lines),
            Some('!') => return self.begin_absent('!', Rest::Line),
            Some('y') | None => {
                // The cursor stays in its line, or goes to the start of the text.
                let to = if is_lines { buffer.head() } else { range.start };
                return self.copy(buffer, range, is_lines, to);
            }
            Some(_) => return self.refuse(ABSENT),
        }
        None
    }

    fn command(&mut self, buffer: &mut Buffer, c: char) -> Option<Request> {
        let count = self.count;
        let n = count.unwrap_or(1);
        let head = buffer.head();
        let line = buffer.line_of(head);
        let end = buffer.line_end(line);
        // The last four are absent, but take a motion.
        if matches!(c, 'd' | 'c' | 'y' | '>' | '<' | '=' | '!') {
            (self.operator, self.count) = (Some((c, count)), None);
            return None;
        }
        self.forget();
        match c {
            'i' => self.insert_at(buffer, head, n),
            'a' => self.insert_at(buffer, after(buffer, head), n),
            'I' => self.insert_at(buffer, first_ink(buffer, line), n),
            'A' => self.insert_at(buffer, end, n),
            'o' | 'O' => self.open_line(buffer, c == 'o', n),
            'x' => self.delete(buffer, head..repeated(head, n, |at| after(buffer, at)), false),
            'X' => {
                let start = repeated(head, n, |at| buffer.target(Motion::Left, at, 0));
                self.delete(buffer, start.max(buffer.line_start(line))..head, false);
            }
            'D' => self.delete(buffer, head..end, false),
            'C' => self.change(buffer, head..end, false),
            's' => self.change(buffer, head..repeated(head, n, |at| after(buffer, at)), false),
            'r' => (self.prefix, self.count) = (Some(Prefix::Replace), count),
            'p' => return self.put(buffer, head..after(buffer, head), true, n),
            'P' => return self.put(buffer, head..after(buffer, head), false, n),
            'u' => {
                (0..n).take_while(|_| buffer.undo()).count();
                buffer.select(Selection::at(buffer.selection().range().start));
            }
            'v' | 'V' => {
                self.origin = head;
                self.mode = if c == 'v' { Mode::Select } else { Mode::SelectLines };
                self.extend(buffer, head);
            }
            'n' => return Some(Request::NextMatch),
            'N' => return Some(Request::PreviousMatch),
            '/' => return Some(Request::Search),
            ':' => return Some(Request::CommandLine),
            _ => return Some(Request::Say(ABSENT)),
        }
        None
    }

    fn visual_command(&mut self, buffer: &mut Buffer, c: char) -> Option<Request> {
        let (range, is_lines) = self.visual_range(buffer);
        let mode = std::mem::take(&mut self.mode);
        match c {
            'd' | 'x' => self.delete(buffer, range, is_lines),
            'c' | 's' => self.change(buffer, range, is_lines),
            'y' => {
                let to = range.start;
                return self.copy(buffer, range, is_lines, to);
            }
            'p' => {
                let register = self.register.clone();
                self.delete(buffer, range.clone(), is_lines);
                let old = std::mem::replace(&mut self.register, register);
                let at = buffer.head();
                let wants = self.put(buffer, at..at, false, self.count.unwrap_or(1));
                self.register = old;
                self.forget();
                return wants;
            }
            'v' | 'V' => {
                let wanted = if c == 'v' { Mode::Select } else { Mode::SelectLines };
                let head = buffer.head();
                if wanted == mode {
                    buffer.select(Selection::at(head));
                } else {
                    self.mode = wanted;
                    self.extend(buffer, head);
                }
            }
            'r' => (self.prefix, self.mode) = (Some(Prefix::Replace), mode),
            ':' => return Some(Request::CommandLine),
            _ => {
                self.mode = mode;
                self.forget();
                return Some(Request::Say("no such command for a selection; esc ends it"));
            }
        }
        None
    }

    fn replace_characters(&mut self, buffer: &mut Buffer, with: char) -> Option<Request> {
        let range = match self.mode {
            Mode::Normal => {
                let (head, n) = (buffer.head(), self.count.unwrap_or(1));
                head..repeated(head, n, |at| after(buffer, at))
            }
            _ => self.visual_range(buffer).0,
        };
        let is_one_line = self.mode == Mode::Normal;
        self.forget();
        self.mode = Mode::Normal;
        if with == '\n' && is_one_line && !range.is_empty() {
            // One line end replaces all of the characters.
            buffer.close_step();
            buffer.replace(range, buffer.line_ending(), EditKind::Other);
        } else {
            self.overwrite(buffer, range, with);
        }
        None
    }
}

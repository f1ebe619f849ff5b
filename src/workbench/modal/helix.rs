//! The keys of helix: motions select, then a command acts on the selection. An empty selection is the character under the
//! cursor.

use std::ops::Range;

use super::absent::{ABSENT, Rest};
use super::edit::{after, lines};
use super::motion::{Find, first_ink, next_word, repeated, target, word_before, word_end};
use super::{Modal, Mode, Prefix, Request};
use crate::workbench::text::{Buffer, Selection};

impl Modal {
    /// Handles a letter outside insert mode.
    pub(super) fn press_helix(&mut self, c: char, buffer: &mut Buffer) -> Option<Request> {
        let head = buffer.head();
        match self.prefix.take() {
            Some(Prefix::Replace) => {
                self.forget();
                self.overwrite(buffer, selected(buffer), c);
                return None;
            }
            Some(Prefix::Find(find)) => {
                let found = find.target(buffer, head, c, self.count.take().unwrap_or(1));
                let Some(at) = found else {
                    return Some(Request::Say("that character is not in the rest of the line"));
                };
                // A search to the right selects up to the character, or with it.
                self.select_to(buffer, if find.forward { after(buffer, at) } else { at });
                return None;
            }
            Some(Prefix::Match) => {
                self.forget();
                return match (c, buffer.bracket_pair()) {
                    // Text objects and the brackets around the selection.
                    ('a' | 'i' | 's' | 'd', _) => self.begin_absent(c, Rest::Keys(1)),
                    ('r', _) => self.begin_absent(c, Rest::Keys(2)),
                    ('m', Some((open, close))) => {
                        self.go_to(buffer, if head == open { close } else { open });
                        None
                    }
                    ('m', None) => Some(Request::Say("no bracket is at the cursor")),
                    _ => Some(Request::Say("m m goes to the matching bracket")),
                };
            }
            Some(Prefix::Go) => return self.go(buffer, c),
            // They are handled before.
            Some(Prefix::Absent(..)) | None => {}
        }
        if self.counts(c) {
            return None;
        }
        if let Some(find) = Find::of(c) {
            self.prefix = Some(Prefix::Find(find));
            return None;
        }
        let count = self.count.take();
        let n = count.unwrap_or(1);
        let goal = self.goal.take();
        match c {
            'g' => (self.prefix, self.count) = (Some(Prefix::Go), count),
            'm' => self.prefix = Some(Prefix::Match),
            'w' => self.select_words(buffer, n, next_word),
            'b' => self.select_words(buffer, n, word_before),
            'e' => self.select_words(buffer, n, word_end),
            _ => {
                let column = goal.unwrap_or_else(|| buffer.place(head).1);
                let Some((at, _)) = target(buffer, c, head, count, column) else {
                    return self.helix_command(buffer, c, n);
                };
                self.go_to(buffer, at);
                self.goal = matches!(c, 'j' | 'k').then_some(column);
            }
        }
        None
    }

    /// Moves the cursor; in select mode, the selection grows.
    fn go_to(&self, buffer: &mut Buffer, at: usize) {
        let anchor = if self.mode == Mode::Select { buffer.selection().anchor } else { at };
        buffer.select(Selection { anchor, head: at });
    }

    /// Selects from the cursor to a position; in select mode, the selection grows.
    fn select_to(&self, buffer: &mut Buffer, at: usize) {
        let own = buffer.selection();
        let anchor = if self.mode == Mode::Select { own.anchor } else { own.head };
        buffer.select(Selection { anchor, head: at });
    }

    /// Selects the last of `n` words that a step passes.
    fn select_words(&self, buffer: &mut Buffer, n: usize, step: impl Fn(&Buffer, usize) -> usize) {
        let own = buffer.selection();
        let before = repeated(own.head, n - 1, |at| step(buffer, at));
        let head = step(buffer, before);
        let anchor = if self.mode == Mode::Select { own.anchor } else { before };
        buffer.select(Selection { anchor, head });
    }

    /// The keys after `g`.
    fn go(&mut self, buffer: &mut Buffer, c: char) -> Option<Request> {
        let count = self.count.take();
        let line = buffer.line_of(buffer.head());
        let at = match c {
            'g' => buffer.line_start(count.map_or(0, |number| number - 1).min(buffer.lines() - 1)),
            'e' => buffer.line_start(super::motion::last_line(buffer)),
            'h' => buffer.line_start(line),
            'l' => buffer.line_end(line),
            's' => first_ink(buffer, line),
            'd' => return Some(Request::Definition),
            _ => {
                return Some(Request::Say(
                    "after g: g e first and last line, h l s in the line, d declaration",
                ));
            }
        };
        self.go_to(buffer, at);
        None
    }

    fn helix_command(&mut self, buffer: &mut Buffer, c: char, n: usize) -> Option<Request> {
        let (range, head) = (selected(buffer), buffer.head());
        let line = buffer.line_of(head);
        let is_lines = is_lines(buffer, &range);
        let mode = std::mem::take(&mut self.mode);
        match c {
            'i' => self.insert_at(buffer, range.start, n),
            'a' => self.insert_at(buffer, range.end, n),
            'I' => self.insert_at(buffer, first_ink(buffer, line), n),
            'A' => self.insert_at(buffer, buffer.line_end(line), n),
            'o' | 'O' => self.open_line(buffer, c == 'o', n),
            'd' => self.delete(buffer, range, is_lines),
            'c' => self.change(buffer, range, is_lines),
            'y' => {
                let own = buffer.selection();
                let wants = self.copy(buffer, range, is_lines, head);
                buffer.select(own);
                return wants;
            }
            'p' => return self.put(buffer, range, true, n),
            'P' => return self.put(buffer, range, false, n),
            'r' => self.prefix = Some(Prefix::Replace),
            'x' => {
                let grown = is_lines && !buffer.selection().is_empty();
                let first = buffer.line_of(range.start);
                let last = buffer.line_of(range.end.max(range.start + 1) - 1);
                let whole = lines(buffer, first, last + n - usize::from(!grown));
                buffer.select(Selection { anchor: whole.start, head: whole.end });
            }
            '%' => buffer.select_all(),
            ';' => buffer.select(Selection::at(head)),
            'v' => self.mode = if mode == Mode::Select { Mode::Normal } else { Mode::Select },
            'u' => drop((0..n).take_while(|_| buffer.undo()).count()),
            'U' => drop((0..n).take_while(|_| buffer.redo()).count()),
            'n' => return Some(Request::NextMatch),
            'N' => return Some(Request::PreviousMatch),
            '/' => return Some(Request::Search),
            ':' => return Some(Request::CommandLine),
            _ => {
                self.mode = mode;
                return Some(Request::Say(ABSENT));
            }
        }
        None
    }
}

/// Returns the selected range, or the character under the cursor; at the end of a line, its line end.
fn selected(buffer: &Buffer) -> Range<usize> {
    let own = buffer.selection();
    match own.is_empty() {
        true => own.head..buffer.target(crate::workbench::text::Motion::Right, own.head, 0),
        false => own.range(),
    }
}

/// Returns whether a range consists of whole lines.
fn is_lines(buffer: &Buffer, range: &Range<usize>) -> bool {
    let (first, last) = (buffer.line_of(range.start), buffer.line_of(range.end.max(range.start + 1) - 1));
    *range == lines(buffer, first, last) && buffer.slice(range.clone()).ends_with('\n')
}

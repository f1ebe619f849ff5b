//! The keys of vi: operators with motions and objects, visual modes.

use std::ops::Range;

use super::command::{Action, Case, Command, Motion, Object, Operand, Operator, Place, What};
use super::edit::{after, join, lines, lines_of, overwrite, recase};
use super::motion::{Span, class, first_ink, last_line, next_word, repeated, target, word_before, word_end};
use super::{Modal, Mode, Outcome, Request};
use crate::workbench::text::{self, Buffer, EditKind, Selection};

/// The text that an operator acts on.
struct Extent {
    range: Range<usize>,
    is_lines: bool,
    /// The place of the cursor after a copy.
    to: usize,
}

impl Modal {
    /// Runs a command outside insert mode.
    pub(super) fn run_vi(&mut self, command: Command, buffer: &mut Buffer) -> Outcome {
        let Command { count, what, .. } = command;
        let known = self.goal.take();
        let goal = known.unwrap_or_else(|| buffer.place(buffer.head()).1);
        match what {
            What::Move(motion) => {
                let (at, _) = self.reach(buffer, motion, count, goal, None)?;
                let at = within(buffer, at);
                self.goal = match motion {
                    Motion::Down | Motion::Up => Some(goal),
                    Motion::LineEnd => Some(usize::MAX),
                    _ => None,
                };
                match self.mode {
                    Mode::Normal | Mode::Insert => buffer.select(Selection::at(at)),
                    Mode::Select | Mode::SelectLines => self.extend(buffer, at),
                }
                Ok(None)
            }
            What::Select { object, is_around } => {
                let (range, _) = self.visual_range(buffer);
                let at = range.start.max(buffer.head().min(range.end));
                let least = if range.len() > 1 { range.len() } else { 0 };
                let found = object.range(buffer, at, is_around, count.unwrap_or(1), least);
                let found =
                    found.filter(|found| !found.is_empty()).ok_or("no such text is around the cursor")?;
                let (start, end) = match object {
                    Object::Pair(_) if !is_around => own_lines(buffer, found),
                    _ => (found.start, found.end),
                };
                self.origin = start;
                if object == Object::Paragraph {
                    self.mode = Mode::SelectLines;
                }
                self.extend(buffer, buffer.target(text::Motion::Left, end, 0).max(start));
                Ok(None)
            }
            What::Operate(operator, operand) => {
                let is_visual = operand == Operand::Selection;
                let extent = self.extent(buffer, operator, operand, count, goal)?;
                if is_visual {
                    self.mode = Mode::Normal;
                }
                let levels = if is_visual { count.unwrap_or(1) } else { 1 };
                self.operate(buffer, operator, extent, levels)
            }
            What::Act(action) => {
                let keeps = matches!(
                    action,
                    Action::Record(_) | Action::EndRecord | Action::Play(_) | Action::SetMark(_)
                );
                if keeps || matches!(action, Action::Select | Action::SelectLines) {
                    self.goal = known;
                }
                match self.mode {
                    Mode::Normal | Mode::Insert => self.act(buffer, action, count),
                    Mode::Select | Mode::SelectLines => self.act_on_selection(buffer, action, count),
                }
            }
        }
    }

    /// Returns the end of a motion and the text that it spans.
    ///
    /// # Errors
    /// Says why the motion leads nowhere; without a message if that is plain.
    fn reach(
        &mut self,
        buffer: &Buffer,
        motion: Motion,
        count: Option<usize>,
        goal: usize,
        operator: Option<Operator>,
    ) -> Result<(usize, Span), &'static str> {
        let (from, n) = (buffer.head(), count.unwrap_or(1));
        let line = buffer.line_of(from);
        let said = |why| if operator.is_some() { why } else { "" };
        match motion {
            Motion::Up if line == 0 => return Err(said("there is no line above")),
            Motion::Down if line >= last_line(buffer) => return Err(said("there is no line below")),
            Motion::LineEnd if n > 1 && line >= last_line(buffer) => {
                return Err(said("there is no line below"));
            }
            Motion::Left if operator.is_none() && from == buffer.line_start(line) => return Err(""),
            Motion::Right
                if operator.is_none()
                    && after(buffer, from) >= buffer.line_end(line)
                    && self.mode == Mode::Normal =>
            {
                return Err("");
            }
            _ => {}
        }
        let is_changing = operator == Some(Operator::Change);
        Ok(match motion {
            // `cw` does not change the space after the word.
            Motion::WordStart(words)
                if is_changing && class(buffer, from, words).is_some_and(|own| own > 0) =>
            {
                (repeated(from, n, |at| word_end(buffer, at, words)), Span::Exclusive)
            }
            Motion::WordStart(words) => {
                let before = repeated(from, n - 1, |at| next_word(buffer, at, words, true));
                let at = next_word(buffer, before, words, true);
                if operator.is_none() && at == from {
                    return Err("");
                }
                // The end of the line stays when its last word is deleted; an empty line goes with it.
                let end = buffer.line_end(buffer.line_of(before));
                let end = if end > before { end } else { buffer.line_start(buffer.line_of(before) + 1) };
                (
                    if operator.is_some() { at.min(end).min(text_end(buffer).max(from)) } else { at },
                    Span::Exclusive,
                )
            }
            Motion::WordBefore(_) if from == 0 => return Err(""),
            Motion::WordBefore(words) => {
                (repeated(from, n, |at| word_before(buffer, at, words, true)), Span::Exclusive)
            }
            Motion::WordEnd(words) => {
                let start = after(buffer, from).max((from + 1).min(buffer.len()));
                let end = repeated(word_end(buffer, start, words), n - 1, |at| word_end(buffer, at, words));
                (buffer.target(text::Motion::Left, end, 0).max(from), Span::Inclusive)
            }
            Motion::Find(find, c) => {
                self.last_find = Some((find, c));
                let at =
                    find.target(buffer, from, c, n).ok_or("that character is not in the rest of the line")?;
                (at, if find.forward { Span::Inclusive } else { Span::Exclusive })
            }
            Motion::FindAgain { is_reversed } => {
                let (mut find, c) =
                    self.last_find.ok_or("no character is searched for yet: f and that character")?;
                find.forward ^= is_reversed;
                let at = find
                    .target_again(buffer, from, c, n)
                    .ok_or("that character is not in the rest of the line")?;
                (at, if find.forward { Span::Inclusive } else { Span::Exclusive })
            }
            Motion::Bracket if count.is_some() => {
                let lines = last_line(buffer) + 1;
                (first_ink(buffer, (n.min(100) * lines).div_ceil(100) - 1), Span::Lines)
            }
            Motion::Bracket => {
                let end = buffer.line_end(line);
                let pair = (from..end).find(|at| buffer.char_at(*at).is_some_and(text::is_bracket));
                let here = pair.ok_or("no bracket is in the rest of the line")?;
                let (open, close) = buffer.bracket_pair_at(here).ok_or("that bracket has no partner")?;
                (if here == open { close } else { open }, Span::Inclusive)
            }
            Motion::Mark { .. } => {
                target(buffer, motion, from, count, goal).ok_or("that mark is not set: m and its letter")?
            }
            Motion::Down => (buffer.position_at((line + n).min(last_line(buffer)), goal), Span::Lines),
            _ => target(buffer, motion, from, count, goal).ok_or("")?,
        })
    }

    /// Returns the text of an operand.
    fn extent(
        &mut self,
        buffer: &Buffer,
        operator: Operator,
        operand: Operand,
        count: Option<usize>,
        goal: usize,
    ) -> Result<Extent, &'static str> {
        let (from, n) = (buffer.head(), count.unwrap_or(1));
        let line = buffer.line_of(from);
        let whole =
            |first: usize, last: usize, to| Extent { range: lines(buffer, first, last), is_lines: true, to };
        let (start, end) = match operand {
            Operand::Motion(motion) => {
                let (at, span) = self.reach(buffer, motion, count, goal, Some(operator))?;
                let (start, end) = (from.min(at), from.max(at));
                match span {
                    Span::Lines => return Ok(whole(buffer.line_of(start), buffer.line_of(end), start)),
                    Span::Inclusive => {
                        let range = start..after(buffer, end);
                        return Ok(as_lines(buffer, operator, range));
                    }
                    Span::Exclusive => (start, end),
                }
            }
            Operand::Object { object, is_around } => {
                let found =
                    object.range(buffer, from, is_around, n, 0).ok_or("no such text is around the cursor")?;
                if object == Object::Paragraph {
                    let (first, last) = lines_of(buffer, &found);
                    return Ok(whole(first, last, found.start));
                }
                match object {
                    Object::Pair(_) if !is_around => own_lines(buffer, found),
                    _ => (found.start, found.end),
                }
            }
            Operand::Lines if n > 1 && line >= last_line(buffer) => return Err("there is no line below"),
            Operand::Lines => {
                let moves = operator != Operator::Copy && n == 1;
                let to = if moves { from.min(first_ink(buffer, line)) } else { from };
                return Ok(whole(line, line + n - 1, to));
            }
            Operand::Selection => {
                let (range, is_lines) = self.visual_range(buffer);
                // The end at which the lines began counts as the start of its line.
                let is_upward = is_lines && buffer.line_of(from) < buffer.line_of(self.origin);
                let to = if is_upward { from } else { range.start };
                return Ok(Extent { range, is_lines, to });
            }
            Operand::Extent { lines, is_lines: true, .. } => return Ok(whole(line, line + lines - 1, from)),
            Operand::Extent { lines, characters, .. } => {
                let last = (line + lines - 1).min(buffer.lines() - 1);
                let start = if lines == 1 { from } else { buffer.line_start(last) };
                let end = repeated(start, characters, |at| after(buffer, at)).max(from);
                // Lines that are shorter are selected with their ends.
                let is_short = lines > 1 && end < start + characters;
                let range = from..if is_short { (end + 1).min(text_end(buffer).max(end)) } else { end };
                return Ok(Extent { range, is_lines: false, to: from });
            }
        };
        let (first, last) = (buffer.line_of(start), buffer.line_of(end));
        if first == last || end != buffer.line_start(last) {
            return Ok(as_lines(buffer, operator, start..end));
        }
        // A text that ends before a line's first character ends in the line before; if it also begins before the text of
        // its line, it consists of lines.
        if start <= first_ink(buffer, first) {
            return Ok(whole(first, last - 1, start));
        }
        Ok(as_lines(buffer, operator, start..buffer.line_end(last - 1).max(start)))
    }

    /// Returns a command as `.` repeats it: a selection as that much text at the cursor. `None` if it changes no text.
    pub(super) fn repeatable_vi(&self, command: Command, buffer: &Buffer) -> Option<Command> {
        let what = match command.what {
            What::Operate(Operator::Copy, _) => return None,
            What::Operate(operator, Operand::Selection) => {
                let (range, is_lines) = self.visual_range(buffer);
                let (first, last) = lines_of(buffer, &range);
                let from = if first == last { range.start } else { buffer.line_start(last) };
                let characters = range.end.saturating_sub(from);
                What::Operate(operator, Operand::Extent { lines: last - first + 1, characters, is_lines })
            }
            What::Operate(..) => command.what,
            What::Act(Action::Join) if self.mode != Mode::Normal => {
                let (first, last) = lines_of(buffer, &self.visual_range(buffer).0);
                return Some(Command { count: Some(last - first + 1), ..command });
            }
            What::Act(
                Action::Insert(_)
                | Action::Open { .. }
                | Action::Replace(_)
                | Action::Put { .. }
                | Action::Join
                | Action::ToggleCase,
            ) if self.mode == Mode::Normal => command.what,
            _ => return None,
        };
        Some(Command { what, ..command })
    }

    fn operate(&mut self, buffer: &mut Buffer, operator: Operator, extent: Extent, levels: usize) -> Outcome {
        let Extent { range, is_lines, to } = extent;
        let (first, last) = lines_of(buffer, &range);
        // Undo leads back there.
        buffer.select(Selection::at(to));
        match operator {
            Operator::Delete => self.delete(buffer, range, is_lines),
            Operator::Change => self.change(buffer, range, is_lines),
            Operator::Copy => return Ok(self.copy(buffer, range, is_lines)),
            Operator::Indent | Operator::Unindent => {
                let levels = levels.min(super::registers::LONGEST / (last - first + 1) / 8) as isize;
                buffer.close_step();
                buffer.shift_lines(first..=last, if operator == Operator::Indent { levels } else { -levels });
                buffer.select(Selection::at(first_ink(buffer, first)));
            }
            Operator::Case(case) => {
                recase(buffer, range, case);
                buffer.select(Selection::at(to));
            }
            Operator::Absent(_) => return Err(super::absent::ABSENT),
        }
        Ok(None)
    }

    /// Runs a command of normal mode that is not an operator.
    fn act(&mut self, buffer: &mut Buffer, action: Action, count: Option<usize>) -> Outcome {
        let n = count.unwrap_or(1);
        let head = buffer.head();
        let line = buffer.line_of(head);
        // As many characters as the number says, in the line.
        let characters = head..repeated(head, n, |at| after(buffer, at));
        match action {
            Action::Insert(place) => {
                let at = match place {
                    Place::Before => head,
                    Place::After => after(buffer, head),
                    Place::Ink => first_ink(buffer, line),
                    Place::End => buffer.line_end(line),
                };
                self.insert_at(buffer, at, n);
            }
            Action::Open { is_below } => self.open_line(buffer, is_below, n),
            Action::Replace(with) => {
                if buffer.slice(characters.clone()).is_empty()
                    || repeated(head, n - 1, |at| after(buffer, at)) == characters.end
                {
                    return Err("the line has fewer characters after the cursor");
                }
                if with == '\n' {
                    // One line end replaces all of the characters.
                    buffer.close_step();
                    buffer.replace(characters, buffer.line_ending(), EditKind::Other);
                } else {
                    let last = buffer.target(text::Motion::Left, characters.end, 0);
                    overwrite(buffer, characters, with);
                    buffer.select(Selection::at(last));
                }
            }
            Action::Put { is_after } => return self.put(buffer, head..after(buffer, head), is_after, n),
            Action::Join => {
                let last = line + n.max(2) - 1;
                if !join(buffer, line, last) {
                    return Err("there is no line below");
                }
            }
            Action::ToggleCase => {
                let end = characters.end;
                recase(buffer, characters, Case::Other);
                buffer.select(Selection::at(end));
            }
            Action::Undo => {
                if (0..n).take_while(|_| buffer.undo()).count() == 0 {
                    return Err("nothing to undo");
                }
                buffer.select(Selection::at(buffer.selection().range().start));
            }
            Action::Select | Action::SelectLines => {
                self.origin = head;
                self.mode = if action == Action::Select { Mode::Select } else { Mode::SelectLines };
                self.extend(buffer, head);
            }
            Action::CommandLine => {
                let last = line + n - 1;
                let range = count
                    .map_or(String::new(), |_| format!("{},{}", line + 1, last.min(last_line(buffer)) + 1));
                return Ok(Some(Request::CommandLine(range)));
            }
            _ => return self.act_in_both(buffer, action, count),
        }
        Ok(None)
    }
}

/// Returns the end of the last line, before its line end.
pub(super) fn text_end(buffer: &Buffer) -> usize {
    buffer.line_end(last_line(buffer))
}

/// Returns a position, or the last character if it is in the empty line after the last line end.
pub(super) fn within(buffer: &Buffer, at: usize) -> usize {
    let last = last_line(buffer);
    if buffer.line_of(at) <= last {
        return at;
    }
    let end = buffer.line_end(last);
    if end > buffer.line_start(last) { buffer.target(text::Motion::Left, end, 0) } else { end }
}

/// Returns the text between brackets; if they enclose lines of their own, these lines.
fn own_lines(buffer: &Buffer, between: Range<usize>) -> (usize, usize) {
    let Range { start, end } = between;
    let (first, last) = (buffer.line_of(start), buffer.line_of(end));
    if first == last {
        return (start, end);
    }
    let is_own = buffer.char_at(end) == Some('}') && first_ink(buffer, last) == end;
    let from = if start == buffer.line_end(first) { buffer.line_start(first + 1) } else { start };
    (from, if is_own { buffer.line_start(last) } else { end }.max(from))
}

/// Returns a text of several lines for an operator. To delete all of these lines but blanks deletes them as lines.
fn as_lines(buffer: &Buffer, operator: Operator, range: Range<usize>) -> Extent {
    let (first, last) = (buffer.line_of(range.start), buffer.line_of(range.end));
    let is_all = range.start <= first_ink(buffer, first)
        && buffer.slice(range.end..buffer.line_end(last)).trim().is_empty();
    let to = range.start;
    match operator == Operator::Delete && first < last && is_all {
        true => Extent { range: lines(buffer, first, last), is_lines: true, to },
        false => Extent { range, is_lines: false, to },
    }
}

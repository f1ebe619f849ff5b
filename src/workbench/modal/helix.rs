//! The keys of helix: motions select, then a command acts on the selections. An empty selection is the character under the
//! cursor.

use super::absent::ABSENT;
use super::command::{Action, Case, Command, Motion, Object, Operand, Operator, Place, What};
use super::edit::{after, lines, lines_of};
use super::motion::{Span, first_ink, last_line, next_word, repeated, target, word_before, word_end};
use super::multiple::{each, is_lines, ranges, replace_each, selected};
use super::registers::Register;
use super::{Modal, Mode, Outcome};
use crate::workbench::text::{Buffer, Selection};

/// Returns a command if `.` repeats it: one that inserts.
pub(super) fn repeatable(command: Command) -> Option<Command> {
    let inserts = matches!(
        command.what,
        What::Act(Action::Insert(_) | Action::Open { .. }) | What::Operate(Operator::Change, _)
    );
    inserts.then_some(command)
}

impl Modal {
    /// Runs a command outside insert mode.
    pub(super) fn run_helix(&mut self, command: Command, buffer: &mut Buffer) -> Outcome {
        let goal = self.goal.take();
        match command.what {
            What::Move(motion) => self.move_each(buffer, motion, command.count, goal),
            What::Select { object, is_around } => {
                let n = command.count.unwrap_or(1);
                each(buffer, |buffer, own| {
                    let found = object.range(buffer, own.head, is_around, n, 0);
                    found.map_or(own, |found| Selection { anchor: found.start, head: found.end })
                });
                Ok(None)
            }
            What::Operate(operator, Operand::Selection) => {
                self.operate_on_each(buffer, operator, command.count)
            }
            What::Operate(..) => Err(ABSENT),
            What::Act(action) => self.act_on_each(buffer, action, command.count),
        }
    }

    fn move_each(
        &mut self,
        buffer: &mut Buffer,
        motion: Motion,
        count: Option<usize>,
        goal: Option<usize>,
    ) -> Outcome {
        let (n, is_select) = (count.unwrap_or(1), self.mode == Mode::Select);
        let column = goal.unwrap_or_else(|| buffer.place(buffer.head()).1);
        let grown = |own: Selection, anchor: usize, head: usize| Selection {
            anchor: if is_select { own.anchor } else { anchor },
            head,
        };
        let word = |buffer: &Buffer, at: usize| match motion {
            Motion::WordStart(words) => Some(next_word(buffer, at, words, false)),
            Motion::WordBefore(words) => Some(word_before(buffer, at, words, false)),
            Motion::WordEnd(words) => Some(word_end(buffer, at, words)),
            _ => None,
        };
        if let Motion::Find(find, c) = motion
            && find.target(buffer, buffer.head(), c, n).is_none()
        {
            return Err("that character is not in the rest of the line");
        }
        if motion == Motion::Bracket && buffer.bracket_pair().is_none() {
            return Err("no bracket is at the cursor");
        }
        let main = buffer.selection();
        each(buffer, |buffer, own| match motion {
            Motion::WordStart(_) | Motion::WordBefore(_) | Motion::WordEnd(_) => {
                // The last of the words that the motion passes.
                let before = repeated(own.head, n - 1, |at| word(buffer, at).unwrap_or(at));
                grown(own, before, word(buffer, before).unwrap_or(before))
            }
            Motion::Find(find, c) => match find.target(buffer, own.head, c, n) {
                // A search to the right selects up to the character, or with it.
                Some(at) => grown(own, own.head, if find.forward { after(buffer, at) } else { at }),
                None => own,
            },
            Motion::Bracket => match buffer.bracket_pair() {
                Some((open, close)) if own == main => {
                    let at = if own.head == open { close } else { open };
                    grown(own, at, at)
                }
                _ => own,
            },
            _ => {
                let goal = if own == main { column } else { buffer.place(own.head).1 };
                match target(buffer, motion, own.head, count, goal) {
                    Some((at, Span::Lines)) if !matches!(motion, Motion::Down | Motion::Up) => {
                        let at = buffer.line_start(buffer.line_of(at));
                        grown(own, at, at)
                    }
                    Some((at, _)) => grown(own, at, at),
                    None => own,
                }
            }
        });
        self.goal = matches!(motion, Motion::Down | Motion::Up).then_some(column);
        Ok(None)
    }

    /// Keeps the selected texts in the register.
    fn keep_each(&mut self, buffer: &Buffer, is_copy: bool) -> Option<super::Request> {
        let all = ranges(buffer);
        match &all[..] {
            [one] if is_copy => return self.copy(buffer, one.clone(), is_lines(buffer, one)),
            [one] => self.keep(buffer, one.clone(), is_lines(buffer, one), false),
            _ => {
                let parts: Vec<String> = all.into_iter().map(|range| buffer.slice(range)).collect();
                let text =
                    parts.iter().map(|part| part.trim_end_matches(['\r', '\n'])).collect::<Vec<_>>().join("\n");
                self.registers.keep(Register { text: text.clone(), is_lines: false }, is_copy);
                return is_copy.then_some(super::Request::Copy(text));
            }
        }
        None
    }

    fn operate_on_each(&mut self, buffer: &mut Buffer, operator: Operator, count: Option<usize>) -> Outcome {
        let mode = std::mem::take(&mut self.mode);
        match operator {
            Operator::Copy => return Ok(self.keep_each(buffer, true)),
            Operator::Delete => {
                self.keep_each(buffer, false);
                replace_each(buffer, false, |_, range, _| (range, String::new()));
            }
            Operator::Change => {
                self.keep_each(buffer, false);
                self.insert(buffer, 1, |_, buffer| {
                    replace_each(buffer, false, |buffer, range, _| {
                        if !is_lines(buffer, &range) {
                            return (range, String::new());
                        }
                        // The indent of the first line and the end of the last one stay.
                        let (first, last) = lines_of(buffer, &range);
                        let from = first_ink(buffer, first);
                        (from..buffer.line_end(last).max(from), String::new())
                    });
                });
            }
            Operator::Indent | Operator::Unindent => {
                let mut touched: Vec<usize> = ranges(buffer)
                    .iter()
                    .flat_map(|range| {
                        let (first, last) = lines_of(buffer, range);
                        first..=last
                    })
                    .collect();
                touched.dedup();
                let levels = count.unwrap_or(1).min(100) as isize;
                buffer.close_step();
                buffer.shift_lines(touched, if operator == Operator::Indent { levels } else { -levels });
            }
            Operator::Case(case) => recase_each(buffer, case),
            Operator::Absent(_) => {
                self.mode = mode;
                return Err(ABSENT);
            }
        }
        Ok(None)
    }

    fn act_on_each(&mut self, buffer: &mut Buffer, action: Action, count: Option<usize>) -> Outcome {
        let (range, head, n) = (selected(buffer, buffer.selection()), buffer.head(), count.unwrap_or(1));
        let mode = std::mem::take(&mut self.mode);
        match action {
            Action::Insert(place) => self.insert(buffer, n, |_, buffer| {
                each(buffer, |buffer, own| {
                    let (range, line) = (selected(buffer, own), buffer.line_of(own.head));
                    Selection::at(match place {
                        Place::Before => range.start,
                        Place::After => range.end,
                        Place::Ink => first_ink(buffer, line),
                        Place::End => buffer.line_end(line),
                    })
                });
            }),
            Action::Open { is_below } => self.open_line(buffer, is_below, n),
            Action::Put { is_after } if buffer.others().is_empty() => {
                return self.put(buffer, range, is_after, n);
            }
            Action::Put { is_after } => {
                let texts = self.texts_for_each(buffer)?;
                replace_each(buffer, true, |_, range, number| {
                    let at = if is_after { range.end } else { range.start };
                    (at..at, texts[number].clone())
                });
            }
            Action::ReplaceByRegister => {
                let texts = self.texts_for_each(buffer)?;
                replace_each(buffer, true, |_, range, number| (range, texts[number].repeat(n.min(100))));
            }
            Action::Replace(with) => {
                let with = if with == '\n' { buffer.line_ending().to_string() } else { with.to_string() };
                let new = |c: char| if matches!(c, '\n' | '\r') { c.to_string() } else { with.clone() };
                replace_each(buffer, !buffer.others().is_empty(), |buffer, range, _| {
                    (range.clone(), buffer.slice(range).chars().map(new).collect())
                });
            }
            Action::Join => {
                let (first, last) = lines_of(buffer, &range);
                if !super::edit::join(buffer, first, last.max(first + 1)) {
                    return Err("there is no line below");
                }
            }
            Action::SelectLines => each(buffer, |buffer, own| {
                let range = selected(buffer, own);
                let is_grown = is_lines(buffer, &range) && !own.is_empty();
                let (first, last) = lines_of(buffer, &range);
                let whole = lines(buffer, first, last + n - usize::from(!is_grown));
                Selection { anchor: whole.start, head: whole.end }
            }),
            Action::SelectAll => buffer.select_all(),
            Action::Collapse => each(buffer, |_, own| Selection::at(own.head)),
            Action::Select => self.mode = if mode == Mode::Select { Mode::Normal } else { Mode::Select },
            Action::Undo => drop((0..n).take_while(|_| buffer.undo()).count()),
            Action::Redo => drop((0..n).take_while(|_| buffer.redo()).count()),
            Action::KeepCursor => drop(buffer.keep_main_caret()),
            Action::AddCursorBelow => {
                if (0..n).take_while(|_| buffer.add_caret_on_next_line(true)).count() == 0 {
                    return Err("there is no line below, or no room for another cursor");
                }
            }
            Action::Surround(c) => {
                let (open, close) = surround(c);
                replace_each(buffer, true, |buffer, range, _| {
                    (range.clone(), format!("{open}{}{close}", buffer.slice(range)))
                });
            }
            Action::DropSurround(c) => return resurround(buffer, head, c, None, n),
            Action::ReplaceSurround(old, new) => return resurround(buffer, head, old, Some(new), n),
            Action::CommandLine if n > last_line(buffer) + 1 => return Err("the text has fewer lines"),
            _ => {
                self.mode = mode;
                return self.act_in_both(buffer, action, count);
            }
        }
        Ok(None)
    }

    /// Returns the register's text for each selection: a line for each if there are as many, or else all of it.
    fn texts_for_each(&self, buffer: &Buffer) -> Result<Vec<String>, &'static str> {
        let count = buffer.others().len() + 1;
        let text =
            &self.registers.read().ok_or("nothing is deleted or copied yet; ctrl-v pastes the clipboard")?.text;
        if text.len().saturating_mul(count) > super::registers::LONGEST {
            return Err("too much text: fewer selections before it");
        }
        let lines: Vec<String> = text.lines().map(String::from).collect();
        Ok(if count > 1 && lines.len() == count { lines } else { vec![text.clone(); count] })
    }
}

fn recase_each(buffer: &mut Buffer, case: Case) {
    replace_each(buffer, true, |buffer, range, _| {
        (range.clone(), super::edit::recased_text(&buffer.slice(range), case))
    });
}

/// Returns the two ends that a character names.
fn surround(c: char) -> (char, char) {
    match c {
        '(' | ')' => ('(', ')'),
        '[' | ']' => ('[', ']'),
        '{' | '}' => ('{', '}'),
        '<' | '>' => ('<', '>'),
        c => (c, c),
    }
}

/// Drops the brackets or quotes around the cursor, or replaces them.
fn resurround(buffer: &mut Buffer, head: usize, old: char, new: Option<char>, count: usize) -> Outcome {
    let (open, close) = surround(old);
    let object = if open == close { Object::Quote(open) } else { Object::Pair(open) };
    let inner = object.range(buffer, head, false, count, 0).ok_or("those are not around the cursor")?;
    let ends = new.map(surround);
    let (first, last) =
        ends.map_or((String::new(), String::new()), |(open, close)| (open.to_string(), close.to_string()));
    buffer.close_step();
    buffer.change_all(vec![(inner.start - 1..inner.start, first), (inner.end..inner.end + 1, last)]);
    Ok(None)
}

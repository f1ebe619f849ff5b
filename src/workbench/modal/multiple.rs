//! Several selections, for helix: a command acts on each of them.

use std::ops::Range;

use super::edit::{lines, lines_of};
use crate::workbench::text::{Buffer, Carets, Finder, Motion, Selection};

/// Returns the range of a selection: an empty one is the character under the cursor; at the end of a line, its
/// line end.
pub fn selected(buffer: &Buffer, own: Selection) -> Range<usize> {
    match own.is_empty() {
        true => own.head..buffer.target(Motion::Right, own.head, 0),
        false => own.range(),
    }
}

/// Returns whether a range consists of whole lines.
pub fn is_lines(buffer: &Buffer, range: &Range<usize>) -> bool {
    let (first, last) = lines_of(buffer, range);
    *range == lines(buffer, first, last) && buffer.slice(range.clone()).ends_with('\n')
}

/// Returns all ranges, in text order.
pub fn ranges(buffer: &Buffer) -> Vec<Range<usize>> {
    buffer.carets().in_order().into_iter().map(|(own, _)| selected(buffer, own)).collect()
}

/// Selects something else at each cursor.
pub fn each(buffer: &mut Buffer, new: impl Fn(&Buffer, Selection) -> Selection) {
    let Carets { main, others } = buffer.carets();
    let others = others.into_iter().map(|own| new(buffer, own)).collect();
    let main = new(buffer, main);
    buffer.set_carets(Carets { main, others });
}

/// Replaces each selection, as one undo step, and selects the new texts, or places cursors at their start.
pub fn replace_each(
    buffer: &mut Buffer,
    selects: bool,
    new: impl Fn(&Buffer, Range<usize>, usize) -> (Range<usize>, String),
) {
    let (mut edits, mut carets, mut shift, mut end): (Vec<(Range<usize>, String)>, _, _, _) =
        (Vec::new(), Vec::new(), 0_isize, 0);
    for (number, (own, is_main)) in buffer.carets().in_order().into_iter().enumerate() {
        let (mut range, text) = new(buffer, selected(buffer, own), number);
        range.start = range.start.max(end);
        range.end = range.end.max(range.start);
        end = range.end;
        let start = range.start.saturating_add_signed(shift);
        let length = text.chars().count();
        let to = if selects { start + length } else { start };
        let is_reversed = own.head < own.anchor;
        let caret = if is_reversed {
            Selection { anchor: to, head: start }
        } else {
            Selection { anchor: start, head: to }
        };
        carets.push((caret, is_main));
        shift += length as isize - range.len() as isize;
        edits.push((range, text));
    }
    let main = carets.iter().find(|(_, is_main)| *is_main).map_or_else(Selection::default, |(own, _)| *own);
    let others = carets.into_iter().filter(|(_, is_main)| !is_main).map(|(own, _)| own).collect();
    buffer.close_step();
    buffer.replace_all(edits, Carets { main, others });
}

/// Selects each line of the selections, without its line end. Returns false if no selection has several lines.
pub fn split_lines(buffer: &mut Buffer) -> bool {
    let mut found = Vec::new();
    for range in ranges(buffer) {
        let (first, last) = lines_of(buffer, &range);
        let line = |line: usize| {
            let head = range.end.min(buffer.line_end(line));
            Selection { anchor: range.start.max(buffer.line_start(line)).min(head), head }
        };
        found.extend((first..=last).map(line));
    }
    found.truncate(Buffer::MOST_CARETS);
    let count = ranges(buffer).len();
    let Some(main) = found.pop().filter(|_| found.len() >= count) else { return false };
    buffer.set_carets(Carets { main, others: found });
    true
}

/// Selects the matches in the selections, or the text between them if `is_split`. Returns whether there are any.
pub fn select_matches(buffer: &mut Buffer, finder: &Finder, is_split: bool) -> bool {
    let text = buffer.text().clone();
    let mut found = Vec::new();
    for range in ranges(buffer) {
        let bytes = buffer.byte_of(range.start)..buffer.byte_of(range.end);
        let part = &text[bytes.clone()];
        let matches = finder.matches(part).map(|own| bytes.start + own.start..bytes.start + own.end);
        if !is_split {
            found.extend(matches);
            continue;
        }
        let mut from = bytes.start;
        for own in matches {
            found.push(from..own.start);
            from = own.end;
        }
        found.push(from..bytes.end);
    }
    found.retain(|range| !range.is_empty());
    found.truncate(Buffer::MOST_CARETS);
    let at = |byte| buffer.position_of_byte(byte);
    let mut found: Vec<Selection> =
        found.into_iter().map(|own| Selection { anchor: at(own.start), head: at(own.end) }).collect();
    let Some(main) = found.pop() else { return false };
    buffer.set_carets(Carets { main, others: found });
    true
}

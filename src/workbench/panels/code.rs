//! Rows that the IR and Bytecode panels share: an instruction, or a heading where a routine begins.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::workbench::listing::{CodeRow, Listing, Widths};
use crate::workbench::results::Shown;
use crate::workbench::text::{columns, visible};
use crate::workbench::theme::{Look, Theme};

/// The width of a place, in cells.
const PLACE: usize = 6;

/// Builds a row; for an instruction: address, operation, operands and place.
pub fn line(shown: &Shown, rows: &Listing, row: usize, width: usize, theme: &Theme) -> Line<'static> {
    let line = match rows.get(row) {
        Some(CodeRow::Heading(text, _)) => {
            return Line::from(Span::styled(visible(text), theme.style(Look::Heading)));
        }
        Some(CodeRow::Instruction(line)) => line,
        None => return Line::default(),
    };
    let first_of_block = row
        .checked_sub(1)
        .and_then(|before| rows.get(before))
        .is_none_or(|before| !matches!(before, CodeRow::Instruction(b) if b.block == line.block));
    // Use the narrow columns if the place does not fit otherwise.
    let ample = rows.widths.ample();
    let Widths { at, block, op, operands } = if ample.sum() + PLACE <= width { ample } else { rows.widths };
    let label = match line.block {
        None => format!("{:0at$} ", line.at),
        Some(number) if first_of_block => format!("{:>at$} {:<block$} ", line.at, format!("b{number}")),
        _ => format!("{:>at$} {:block$} ", line.at, ""),
    };
    let flow = ["JUMP", "CALL", "RETURN", "FOR_"].iter().any(|prefix| line.op.starts_with(prefix));
    let (number, column) =
        shown.place(line.token.and_then(|token| shown.span(token)).map_or(0, |s| s.start as u32));
    let source = visible(line.token.map_or("", |token| shown.compiled.view().text(token)));
    let (place, written) = (format!("{number}:{column}"), visible(&line.operands));
    // Omit a place that does not fit: a truncated one would be wrong.
    let has_place = label.width() + op + 1 + operands.max(written.width()) + 1 + place.len() <= width;
    let looks = [if flow { Look::Keyword } else { Look::Text }, Look::Number, Look::Dim];
    let columns = match has_place {
        true => columns(&[(line.op, op), (&*written, operands), (&*place, PLACE)], usize::MAX),
        false => columns(&[(line.op, op), (&*written, 0)], width.saturating_sub(label.width())),
    };
    let mut parts = vec![Span::styled(label, theme.style(Look::Dim))];
    parts.extend(columns.into_iter().zip(looks).map(|(text, look)| Span::styled(text, theme.style(look))));
    if has_place {
        parts.push(Span::styled(format!(" {source}"), theme.style(Look::Comment)));
    }
    Line::from(parts)
}

//! What IR and Bytecode have in common: a row is an instruction, or a heading where a function, test or property begins.

use ratatui::text::{Line, Span};

use crate::lang::NONE;
use crate::workbench::listing::{CodeRow, Listing, Widths};
use crate::workbench::results::Shown;
use crate::workbench::text::visible;
use crate::workbench::theme::{Look, Theme};

/// Cells that a place takes.
const PLACE: usize = 6;

/// A row: of an instruction its address, operation, operands and place.
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
    // Where there is no room for the place as well, columns are as narrow as they can be.
    let ample = rows.widths.ample();
    let Widths { at, block, op, operands } = if ample.sum() + PLACE <= width { ample } else { rows.widths };
    let label = match line.block {
        NONE => format!("{:0at$} ", line.at),
        number if first_of_block => format!("{:>at$} {:<block$} ", line.at, format!("b{number}")),
        _ => format!("{:>at$} {:block$} ", line.at, ""),
    };
    let flow = ["JUMP", "CALL", "RETURN", "FOR_"].iter().any(|prefix| line.op.starts_with(prefix));
    let (number, column) = shown.place(shown.span(line.token).map_or(0, |s| s.start as u32));
    let source = visible(shown.compiled.view().text(line.token));
    let mut parts = vec![
        Span::styled(label, theme.style(Look::Dim)),
        Span::styled(format!("{:<op$} ", line.op), theme.style(if flow { Look::Keyword } else { Look::Text })),
        Span::styled(format!("{:<operands$} ", visible(&line.operands)), theme.style(Look::Number)),
    ];
    // Half of a place would be another place.
    let place = format!("{number}:{column}");
    if parts.iter().map(Span::width).sum::<usize>() + place.len() <= width {
        parts.push(Span::styled(format!("{place:<PLACE$} "), theme.style(Look::Dim)));
        parts.push(Span::styled(source, theme.style(Look::Comment)));
    }
    Line::from(parts)
}

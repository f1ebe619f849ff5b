//! What IR and Bytecode have in common: a row is an instruction, or a heading where a function, test or property begins.

use ratatui::text::{Line, Span};

use crate::lang::NONE;
use crate::workbench::listing::CodeRow;
use crate::workbench::results::Shown;
use crate::workbench::text::visible;
use crate::workbench::theme::{Look, Theme};

/// A row: of an instruction its address, operation, operands and place.
pub fn line(shown: &Shown, rows: &[CodeRow], row: usize, width: usize, theme: &Theme) -> Line<'static> {
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
    let label = match line.block {
        NONE => format!("{:04} ", line.at),
        block if first_of_block => format!("{:>4} {:<4}", line.at, format!("b{block}")),
        _ => format!("{:>4}     ", line.at),
    };
    let flow = ["JUMP", "CALL", "RETURN", "FOR_"].iter().any(|prefix| line.op.starts_with(prefix));
    let (number, column) = shown.place(shown.span(line.token).map_or(0, |s| s.start as u32));
    let source = visible(shown.compiled.view().text(line.token));
    let mut parts = vec![
        Span::styled(label, theme.style(Look::Dim)),
        Span::styled(format!("{:<14} ", line.op), theme.style(if flow { Look::Keyword } else { Look::Text })),
        Span::styled(format!("{:<9} ", visible(&line.operands)), theme.style(Look::Number)),
    ];
    // Half of a place would be another place.
    let place = format!("{number}:{column}");
    if parts.iter().map(Span::width).sum::<usize>() + place.len() <= width {
        parts.push(Span::styled(format!("{place:<6} "), theme.style(Look::Dim)));
        parts.push(Span::styled(source, theme.style(Look::Comment)));
    }
    Line::from(parts)
}

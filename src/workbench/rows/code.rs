//! IR and Bytecode: one row an instruction, a heading where a function, test or property begins.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::facts;
use super::super::listing::CodeRow;
use super::super::results::Shown;
use super::super::state::{IrView, State};
use super::super::text::visible;
use crate::lang::NONE;

/// The rows of the IR in the form that is looked at.
fn ir(state: &State) -> Option<(&Shown, &[CodeRow])> {
    let shown = state.shown()?;
    Some(match state.ir_view {
        IrView::Lowered => (shown, shown.lowered_rows()),
        IrView::Pass(n) => match shown.passes().get(n) {
            Some(pass) => (shown, &pass.rows),
            None => (shown, shown.ir_rows()),
        },
        IrView::Optimized => (shown, shown.ir_rows()),
    })
}

/// Which form of the IR is shown, in words.
pub fn ir_title(state: &State) -> String {
    match state.ir_view {
        IrView::Lowered => "as lowered".to_string(),
        IrView::Optimized => "optimized".to_string(),
        IrView::Pass(n) => match state.shown().and_then(|s| s.passes().get(n)) {
            Some(pass) => format!("after {}", pass.name),
            None => "optimized".to_string(),
        },
    }
}

pub fn ir_count(state: &State) -> usize {
    ir(state).map_or(0, |(_, rows)| rows.len())
}
pub fn ir_token(state: &State, row: usize) -> Option<u32> {
    ir(state)?.1.get(row).map(CodeRow::token)
}
pub fn ir_line(state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
    match ir(state) {
        Some((shown, rows)) => draw(shown, rows, row, width, theme),
        None => Line::default(),
    }
}

pub fn count(state: &State) -> usize {
    state.shown().map_or(0, |s| s.code_rows().len())
}
pub fn token(state: &State, row: usize) -> Option<u32> {
    state.shown()?.code_rows().get(row).map(CodeRow::token)
}
pub fn line(state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
    match state.shown() {
        Some(shown) => draw(shown, shown.code_rows(), row, width, theme),
        None => Line::default(),
    }
}

fn draw(shown: &Shown, rows: &[CodeRow], row: usize, width: usize, theme: &Theme) -> Line<'static> {
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
    let source = visible(facts::token_text(&shown.compiled, line.token));
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

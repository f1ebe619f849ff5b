//! IR and Bytecode: one row an instruction, a heading where a function, test or property begins.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::facts;
use super::super::listing::{CodeItem, CodeRow};
use super::super::results::Shown;
use super::super::state::{IrView, State};
use super::super::text::visible;
use crate::lang::opcode::{Op, Shape};
use crate::stage::Ir;

/// The IR in the form that is looked at, with its rows.
fn ir(state: &State) -> Option<(&Shown, &Ir, &[CodeRow])> {
    let shown = state.shown()?;
    Some(match state.ir_view {
        IrView::Lowered => (shown, &shown.compiled.lowered, &shown.lowered_rows),
        IrView::Pass(n) if n < shown.passes().len() => {
            let pass = &shown.passes()[n];
            (shown, &pass.ir, &pass.rows)
        }
        _ => (shown, &shown.compiled.ir, &shown.ir_rows),
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
    ir(state).map_or(0, |(_, _, rows)| rows.len())
}

pub fn ir_token(state: &State, row: usize) -> Option<u32> {
    ir(state)?.2.get(row).map(|row| row.token)
}

pub fn ir_line(state: &State, row: usize, theme: &Theme) -> Line<'static> {
    let Some((shown, ir, rows)) = ir(state) else { return Line::default() };
    let index = match rows.get(row).map(|row| row.what) {
        Some(CodeItem::Heading(routine)) => return heading(shown, routine as usize, theme),
        Some(CodeItem::Instruction(index)) => index as usize,
        None => return Line::default(),
    };
    let column = |column: &[u32]| column.get(index).copied().unwrap_or(0);
    let (arg, aux, token) = (column(&ir.arg), column(&ir.aux), column(&ir.token));
    let Some(op) = Op::from_u32(column(&ir.op)) else { return Line::from("?") };
    let block = column(&ir.block);
    let first = index == 0 || ir.block.get(index - 1).is_none_or(|before| *before != block);
    let label = if first { format!("b{block}") } else { String::new() };
    let operand = match op.shape() {
        Shape::Plain => String::new(),
        Shape::Value | Shape::Wide => (arg as i32).to_string(),
        Shape::Slot => format!("v{arg}"),
        Shape::SlotCapacity => format!("v{arg} cap {aux}"),
        Shape::SlotTarget => format!("v{arg} → {aux}"),
        Shape::Target => format!("→ {arg}"),
        Shape::Function => function_name(shown, arg),
        Shape::Count => arg.to_string(),
    };
    instruction(shown, format!("{index:>4} {label:<4}"), op, &operand, token, theme)
}

pub fn count(state: &State) -> usize {
    state.shown().map_or(0, |s| s.code_rows.len())
}

pub fn token(state: &State, row: usize) -> Option<u32> {
    state.shown()?.code_rows.get(row).map(|row| row.token)
}

pub fn line(state: &State, row: usize, theme: &Theme) -> Line<'static> {
    let Some(shown) = state.shown() else { return Line::default() };
    let Some(CodeRow { token, what }) = shown.code_rows.get(row).copied() else { return Line::default() };
    let address = match what {
        CodeItem::Heading(routine) => return heading(shown, routine as usize, theme),
        CodeItem::Instruction(address) => address,
    };
    let words = &shown.compiled.code.word;
    let word = words.get(address as usize).copied().unwrap_or(0);
    let second = words.get(address as usize + 1).copied().unwrap_or(0);
    let Some(op) = Op::from_u32(word & 0xff) else { return Line::from(format!("{address:04}  ?")) };
    let arg = word >> 8;
    let operand = match op.shape() {
        Shape::Plain => String::new(),
        Shape::Value => ((word as i32) >> 8).to_string(),
        Shape::Wide => (second as i32).to_string(),
        Shape::Slot => format!("v{arg}"),
        Shape::SlotCapacity => format!("v{arg} cap {second}"),
        Shape::SlotTarget => format!("v{arg} → {second:04}"),
        Shape::Target => format!("→ {arg:04}"),
        Shape::Function => function_name(shown, arg),
        Shape::Count => arg.to_string(),
    };
    instruction(shown, format!("{address:04} "), op, &operand, token, theme)
}

fn instruction(
    shown: &Shown,
    label: String,
    op: Op,
    operand: &str,
    token: u32,
    theme: &Theme,
) -> Line<'static> {
    let look = match op.shape() {
        Shape::Target | Shape::SlotTarget | Shape::Function => Look::Keyword,
        _ if matches!(op, Op::Return | Op::ReturnList) => Look::Keyword,
        _ => Look::Text,
    };
    let (line, column) = shown.place(shown.span(token).map_or(0, |s| s.start as u32));
    let source = visible(facts::token_text(&shown.compiled, token));
    Line::from(vec![
        Span::styled(label, theme.style(Look::Dim)),
        Span::styled(format!("{:<16} ", op.name()), theme.style(look)),
        Span::styled(format!("{operand:<10} "), theme.style(Look::Number)),
        Span::styled(format!("{:<6} ", format!("{line}:{column}")), theme.style(Look::Dim)),
        Span::styled(source, theme.style(Look::Comment)),
    ])
}

/// The name behind `fn`.
fn function_name(shown: &Shown, function: u32) -> String {
    match shown.compiled.routines.token.get(function as usize) {
        Some(token) => visible(facts::token_text(&shown.compiled, token + 1)),
        None => format!("f{function}"),
    }
}

fn heading(shown: &Shown, routine: usize, theme: &Theme) -> Line<'static> {
    let functions = shown.compiled.facts.functions as usize;
    let text = match routine.checked_sub(functions) {
        None => format!("fn {}", function_name(shown, routine as u32)),
        Some(entry) => {
            let keyword = shown.compiled.routines.token.get(routine).copied().unwrap_or(0);
            let label = shown.labels.get(entry).map_or("", String::as_str);
            format!("{} {}", facts::token_text(&shown.compiled, keyword), visible(label))
        }
    };
    Line::from(Span::styled(text, theme.style(Look::Heading)))
}

//! Code of an expression, as text in the language.

use super::listing::Names;
use super::visible::visible;
use crate::compiler::program::{Compiled, Ir};
use crate::lang::index::{Index, RoutineId, Slot};
use crate::lang::opcode::{Op, OperandSource};
use crate::lang::token::{BUILTINS, TokenKind};
use std::ops::Range;

/// Strength of what needs no parentheses.
const ATOM: u32 = u32::MAX;

/// An expression, with the strength of its operator.
type ExpressionPiece = (String, u32);

/// Returns the text of the expression that instructions compute. `names` are those of its routine.
pub(super) fn text(program: &Compiled, ir: &Ir, code: Range<usize>, names: &Names) -> String {
    let mut stack: Vec<ExpressionPiece> = Vec::new();
    for i in code {
        let op = Op::from_u32(ir.op[i]).unwrap_or(Op::Nop);
        let takes = match op {
            Op::BuildList => ir.arg[i],
            Op::Call => {
                program.executable.routine(RoutineId::new(ir.arg[i])).map_or(0, |routine| routine.params())
            }
            _ => op.effect().takes,
        };
        let operands = stack.split_off(stack.len().saturating_sub(takes as usize));
        let variable = || variable(program, names, Slot::new(ir.arg[i]));
        stack.push(piece(program, op, ir.arg[i], &operands, variable));
    }
    stack.pop().map_or_else(String::new, |(text, _)| text)
}

/// Returns the name of a variable. Those of inlined functions are named by their slots.
pub(super) fn variable(program: &Compiled, names: &Names, slot: Slot) -> String {
    match names.declaration(slot) {
        Some(token) => visible(program.view().text(token)).to_string(),
        None => format!("slot {slot}"),
    }
}

fn piece(
    program: &Compiled,
    op: Op,
    arg: u32,
    operands: &[ExpressionPiece],
    variable: impl Fn() -> String,
) -> ExpressionPiece {
    let all: Vec<&str> = operands.iter().map(|(text, _)| text.as_str()).collect();
    let list = || all.join(", ");
    let text = match (op, op.source(), &all[..]) {
        (_, OperandSource::Infix(token) | OperandSource::ListInfix(token), [_, _]) => {
            return infix(token, operands);
        }
        (_, OperandSource::Prefix(token), [_]) => {
            return (format!("{}{}", spelling(token), within(&operands[0], ATOM)), ATOM - 1);
        }
        (_, OperandSource::Builtin(name), _) => {
            format!("{}({})", BUILTINS.get(name as usize).copied().unwrap_or_default(), list())
        }
        (Op::LoadConst | Op::LoadConstWide, ..) => (arg as i32).to_string(),
        (Op::LoadVar | Op::LoadList, ..) => variable(),
        (Op::ListLenVar, ..) => format!("len({})", variable()),
        (Op::LoadIndexVar, _, [i]) => format!("{}[{i}]", variable()),
        (Op::SliceVar, _, [a, b]) => format!("{}[{a}..{b}]", variable()),
        (Op::LoadIndex, _, [_, i]) => format!("{}[{i}]", within(&operands[0], ATOM)),
        (Op::Slice, _, [_, a, b]) => format!("{}[{a}..{b}]", within(&operands[0], ATOM)),
        (Op::RepeatList, _, [value]) => format!("[{value}; {arg}]"),
        (Op::BuildList, ..) => format!("[{}]", list()),
        (Op::Call, ..) => {
            let function = program.executable.routine(RoutineId::new(arg));
            format!("{}({})", function.map_or("?", |f| program.view().text(f.head() + 1)), list())
        }
        _ => op.name().to_string(),
    };
    (text, ATOM)
}

fn infix(token: TokenKind, operands: &[ExpressionPiece]) -> ExpressionPiece {
    let own = token.infix_strength();
    let left = own + u32::from(token.is_comparison());
    (format!("{} {} {}", within(&operands[0], left), spelling(token), within(&operands[1], own + 1)), own)
}

/// Puts an expression in parentheses if its operator binds less than it must.
fn within((text, strength): &ExpressionPiece, least: u32) -> String {
    if *strength < least { format!("({text})") } else { text.clone() }
}

fn spelling(token: TokenKind) -> &'static str {
    token.spelling().unwrap_or("?")
}

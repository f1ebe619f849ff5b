//! Instructions for people: one line each, with the names of variables and functions beside the numbers.

use std::fmt::Write;

use super::visible::visible;
use crate::lang::NONE;
use crate::lang::opcode::{Op, Shape};
use crate::lang::token::TokenKind;
use crate::program::Compiled;
use crate::program::{Bytecode, Ir};
use crate::stage::lower;

/// An instruction of the intermediate code or of the bytecode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What begins here, as it is written in the source: `fn gcd`, `test "coprime"`.
    pub heading: Option<String>,
    /// Index of the instruction, or its address.
    pub at: u32,
    pub op: &'static str,
    /// Operands in order, names in brackets behind them: `3 (total)`.
    pub operands: String,
    /// Basic block; of bytecode `NONE`.
    pub block: u32,
    /// Token that it comes from.
    pub token: u32,
}

/// Lines of code in any state between lower and emit.
pub fn ir(program: &Compiled, ir: &Ir) -> Vec<Line> {
    let mut names = Names::new(program);
    (0..ir.op.len())
        .map(|i| {
            let token = ir.token[i];
            let op = Op::from_u32(ir.op[i]).unwrap_or(Op::Nop);
            Line {
                heading: names.enter(token),
                at: i as u32,
                op: op.name(),
                operands: names.operands(op, ir.arg[i], ir.aux[i], token),
                block: ir.block[i],
                token,
            }
        })
        .collect()
}

/// Lines of the program's bytecode.
pub fn bytecode(program: &Compiled) -> Vec<Line> {
    let code = &program.executable.code;
    let mut names = Names::new(program);
    let mut lines = Vec::new();
    let mut at = 0;
    while at < code.word.len() {
        let token = code.token[at];
        let (op, arg, aux) = decode(code, at);
        lines.push(Line {
            heading: names.enter(token),
            at: at as u32,
            op: op.name(),
            operands: names.operands(op, arg, aux, token),
            block: NONE,
            token,
        });
        at += op.shape().words() as usize;
    }
    lines
}

/// Lines of other code for one of the program's functions, to stand at `origin`.
pub fn replacement(program: &Compiled, function: u32, code: &[u32], origin: u32) -> Vec<Line> {
    let mut names = Names::new(program);
    let head = program.executable.routines.token.get(function as usize).copied().unwrap_or(NONE);
    let mut heading = names.enter(head);
    let code = Bytecode { word: code.to_vec(), token: Vec::new() };
    let mut lines = Vec::new();
    let mut at = 0;
    while at < code.word.len() {
        let (op, arg, aux) = decode(&code, at);
        lines.push(Line {
            heading: heading.take(),
            at: origin + at as u32,
            op: op.name(),
            operands: names.operands(op, arg, aux, NONE),
            block: NONE,
            token: head,
        });
        at += op.shape().words() as usize;
    }
    lines
}

/// The instruction at an address: its operation, its operand and what stands in its second word.
pub fn decode(code: &Bytecode, at: usize) -> (Op, u32, u32) {
    let word = code.word[at];
    let second = code.word.get(at + 1).copied().unwrap_or(0);
    let op = Op::from_u32(word & 0xff).unwrap_or(Op::Nop);
    match op.shape() {
        Shape::Value => (op, (word as i32 >> 8) as u32, 0),
        Shape::Wide => (op, second, 0),
        Shape::SlotCapacity | Shape::SlotTarget => (op, word >> 8, second),
        _ => (op, word >> 8, 0),
    }
}

/// The lines as a page of text.
pub fn page(lines: &[Line]) -> String {
    let mut page = String::new();
    for line in lines {
        if let Some(heading) = &line.heading {
            let gap = if page.is_empty() { "" } else { "\n" };
            let _ = writeln!(page, "{gap}{heading}");
        }
        let row = match line.block {
            NONE => format!("{:6}  {:<21} {}", line.at, line.op, line.operands),
            block => format!("{:6}  b{block:<4} {:<21} {}", line.at, line.op, line.operands),
        };
        page.push_str(row.trim_end());
        page.push('\n');
    }
    page
}

/// What numbers in instructions stand for.
struct Names<'a> {
    program: &'a Compiled,
    /// The place in its frame of each token that declares a variable; `NONE` of others.
    places: Vec<u32>,
    /// Tokens of the items that have code, in order.
    items: Vec<u32>,
    /// The item whose code is being read, as an index in `items`.
    item: usize,
}

impl<'a> Names<'a> {
    fn new(program: &'a Compiled) -> Names<'a> {
        let mut items = program.executable.routines.token.clone();
        items.sort_unstable();
        let places = lower::places(program.view());
        Names { program, places, items, item: usize::MAX }
    }

    /// Finds the item that a token belongs to; its heading, if it is another one than before.
    fn enter(&mut self, token: u32) -> Option<String> {
        let item = self.items.partition_point(|&head| head <= token).checked_sub(1)?;
        if item == self.item {
            return None;
        }
        self.item = item;
        let head = self.items[item];
        let kind = self.program.tokens.kind.get(head as usize + 1).copied();
        let named = [TokenKind::Name, TokenKind::Str].iter().any(|k| kind == Some(*k as u32));
        let is_fn = self.program.tokens.kind.get(head as usize) == Some(&(TokenKind::Fn as u32));
        let labelled = self.program.tokens.kind.get(head as usize + 2) == Some(&(TokenKind::Colon as u32));
        Some(match named && (is_fn || labelled) {
            true => format!("{} {}", self.text(head), visible(self.text(head + 1))),
            false => self.text(head).to_string(),
        })
    }

    fn text(&self, token: u32) -> &'a str {
        let tokens = &self.program.tokens;
        let at = token as usize;
        match (tokens.lo.get(at), tokens.hi.get(at)) {
            (Some(&lo), Some(&hi)) => self.program.text.get(lo as usize..hi as usize).unwrap_or(""),
            _ => "",
        }
    }

    fn operands(&self, op: Op, arg: u32, aux: u32, token: u32) -> String {
        match op.shape() {
            Shape::Plain => String::new(),
            Shape::Value | Shape::Wide => {
                let kind = self.program.tokens.kind.get(token as usize).copied();
                let is_text = [TokenKind::Char, TokenKind::Str].iter().any(|k| kind == Some(*k as u32));
                match char::from_u32(arg) {
                    Some(c) if is_text => format!("{arg} ({c:?})"),
                    _ => (arg as i32).to_string(),
                }
            }
            Shape::Slot => self.variable(arg),
            Shape::SlotCapacity => format!("{}, {aux}", self.variable(arg)),
            Shape::SlotTarget => format!("{}, {aux}", self.variable(arg)),
            Shape::Target | Shape::Count => arg.to_string(),
            Shape::Function => match self.program.executable.routines.token.get(arg as usize) {
                Some(head) => format!("{arg} ({})", self.text(head + 1)),
                None => arg.to_string(),
            },
        }
    }

    /// A place in the frame, with the name of the variable that is there.
    fn variable(&self, place: u32) -> String {
        let end = self.items.get(self.item.wrapping_add(1)).map_or(self.places.len(), |next| *next as usize);
        let begin = self.items.get(self.item).map_or(end, |head| *head as usize).min(end);
        match self.places[begin..end].iter().position(|p| *p == place) {
            Some(offset) => format!("{place} ({})", self.text((begin + offset) as u32)),
            None => place.to_string(),
        }
    }
}

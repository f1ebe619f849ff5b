//! Listings of instructions: one per line, with the names of variables and functions next to their numbers.

use std::fmt::Write;
use std::ops::Range;

use super::align::Comparable;
use super::visible::visible;
use crate::compiler::program::{Compiled, Executable, ExecutableInstruction, Instructions, Ir, Routine, View};
use crate::compiler::stage::lower;
use crate::lang::index::{Address, Index, RoutineId, Slot, TokenId};
use crate::lang::opcode::{Op, Shape};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::verdict::DISCARDED;

/// An instruction of the intermediate code or of the bytecode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The item that begins here, as in the source: `fn gcd`, `test "coprime"`.
    pub heading: Option<String>,
    /// Index of the instruction, or its address.
    pub at: u32,
    pub op: &'static str,
    /// Operands in order, followed by names in brackets: `3 (total)`.
    pub operands: String,
    /// The index or address that it jumps to, the last of its operands.
    pub target: Option<u32>,
    /// Basic block; `None` for bytecode.
    pub block: Option<u32>,
    /// The token that it comes from.
    pub token: Option<TokenId>,
    /// The call whose function's code it is, if this was inlined.
    pub site: Option<TokenId>,
}

/// Lists intermediate code in any state between lower and emit.
pub fn ir(program: &Compiled, ir: &Ir) -> Vec<Line> {
    ir_of(program, ir, 0..ir.op.len())
}

/// Lists some instructions of intermediate code.
pub fn ir_of(program: &Compiled, ir: &Ir, instructions: Range<usize>) -> Vec<Line> {
    let mut names = Names::new(program);
    instructions
        .map(|i| {
            let token = TokenId::from_word(ir.token[i]);
            let op = Op::from_u32(ir.op[i]).unwrap_or(Op::Nop);
            // Inlined code is listed under its call.
            let site = TokenId::from_word(ir.site[i]);
            Line {
                heading: names.enter(site.or(token)),
                at: i as u32,
                op: op.name(),
                operands: names.operands(op, ir.arg[i], ir.aux[i], token),
                target: target(op, ir.arg[i], ir.aux[i]),
                block: Some(ir.block[i]),
                token,
                site,
            }
        })
        .collect()
}

pub fn bytecode(program: &Compiled) -> Vec<Line> {
    let code = &program.executable.code;
    let (mut names, heads) = (Names::new(program), heads(program));
    // Emit drops the instructions that do nothing, and keeps the order of the others.
    let mut sites = (0..program.ir.op.len()).filter(|i| program.ir.op[*i] != Op::Nop as u32);
    let line = |instruction: ExecutableInstruction| {
        let token = TokenId::from_word(code.token[instruction.at]);
        let from = sites.next().filter(|i| TokenId::from_word(program.ir.token[*i]) == token);
        let site = from.and_then(|i| TokenId::from_word(program.ir.site[i]));
        let heading = names.enter(head_at(&heads, instruction.at));
        Line { site, ..Line::of(instruction, heading, &names, token) }
    };
    Instructions::of(&code.word).map(line).collect()
}

/// Returns the heading of the item with a head: `fn gcd`, `test "coprime"`.
pub fn heading(program: &Compiled, head: TokenId) -> String {
    Names::new(program).enter(Some(head)).unwrap_or_default()
}

/// Returns the names of variables of the item with a head, by slot. A name that several of them have is followed
/// by the slot; a variable without a name is the slot.
pub fn variables(program: &Compiled, head: TokenId, slots: &[u32]) -> Vec<String> {
    let mut names = Names::new(program);
    let _ = names.enter(Some(head));
    let own: Vec<Option<&str>> = slots.iter().map(|slot| names.name(Slot::new(*slot))).collect();
    let label = |(slot, name): (&u32, &Option<&str>)| match name {
        None => slot.to_string(),
        Some(name) if own.iter().filter(|other| **other == Some(*name)).count() > 1 => {
            format!("{name} ({slot})")
        }
        Some(name) => name.to_string(),
    };
    slots.iter().zip(&own).map(label).collect()
}

pub fn at(program: &Compiled, addresses: &[Address]) -> Vec<Line> {
    let (mut names, heads) = (Names::new(program), heads(program));
    let line = |address: &Address| {
        let (instruction, token) = program.executable.at(*address)?;
        let heading = names.enter(head_at(&heads, address.position()));
        Some(Line { at: address.number(), ..Line::of(instruction, heading, &names, token) })
    };
    addresses.iter().filter_map(line).collect()
}

/// Returns each routine's first address and head, in the order of addresses.
fn heads(program: &Compiled) -> Vec<(usize, TokenId)> {
    let routines = &program.executable.routines;
    let each = routines.address.iter().zip(&routines.token);
    let mut heads: Vec<_> = each.map(|(address, head)| (*address as usize, TokenId::new(*head))).collect();
    heads.sort_unstable();
    heads
}

/// Returns the head of the routine that an address is in. (Inlined code has tokens of other routines.)
fn head_at(heads: &[(usize, TokenId)], at: usize) -> Option<TokenId> {
    let next = heads.partition_point(|(first, _)| *first <= at);
    next.checked_sub(1).map(|own| heads[own].1)
}

/// Lists replacement code for one of the program's functions, with addresses from `origin`.
pub fn replacement(program: &Compiled, function: RoutineId, code: &[u32], origin: Address) -> Vec<Line> {
    let mut names = Names::new(program);
    let head = program.executable.routine(function).map(Routine::head);
    let mut heading = names.enter(head);
    let line = |instruction: ExecutableInstruction| {
        let line = Line::of(instruction, heading.take(), &names, None);
        Line { at: (origin + line.at).number(), token: head, ..line }
    };
    Instructions::of(code).map(line).collect()
}

impl Line {
    /// Formats an instruction of bytecode that comes from a token.
    fn of(
        instruction: ExecutableInstruction,
        heading: Option<String>,
        names: &Names,
        token: Option<TokenId>,
    ) -> Line {
        let ExecutableInstruction { at, op, operand, second } = instruction;
        let target = target(op, operand, second);
        let operands = names.operands(op, operand, second, token);
        Line { heading, at: at as u32, op: op.name(), operands, target, block: None, token, site: None }
    }

    /// Returns the part that an alignment compares: the operation and the operands, without addresses and blocks.
    pub fn comparable(&self) -> Comparable {
        let target = self.target.map_or(String::new(), |target| target.to_string());
        let operands = self.operands.strip_suffix(&target).unwrap_or(&self.operands);
        let text = format!("{:<21} {operands}", self.op).trim_end().to_string();
        Comparable { text, at: Some(self.at), target: self.target }
    }
}

/// Returns the operand of an instruction that is an index or address of code.
fn target(op: Op, arg: u32, aux: u32) -> Option<u32> {
    match op.shape() {
        Shape::Target => Some(arg),
        Shape::SlotTarget => Some(aux),
        _ => None,
    }
}

/// Formats the lines as text.
pub fn page(lines: &[Line]) -> String {
    let mut page = String::new();
    for line in lines {
        if let Some(heading) = &line.heading {
            let gap = if page.is_empty() { "" } else { "\n" };
            let _ = writeln!(page, "{gap}{heading}");
        }
        let row = match line.block {
            None => format!("{:6}  {:<21} {}", line.at, line.op, line.operands),
            Some(block) => format!("{:6}  b{block:<4} {:<21} {}", line.at, line.op, line.operands),
        };
        page.push_str(row.trim_end());
        page.push('\n');
    }
    page
}

/// Resolves the names of numbers in instructions.
pub(super) struct Names<'a> {
    view: View<'a>,
    executable: &'a Executable,
    /// The frame slot of each token that declares a variable.
    places: Vec<Option<Slot>>,
    /// Tokens of the items that have code, in order.
    items: Vec<TokenId>,
    /// The item whose code is being listed, as an index in `items`.
    item: usize,
}

impl<'a> Names<'a> {
    pub fn new(program: &'a Compiled) -> Names<'a> {
        let (view, executable) = (program.view(), &program.executable);
        let mut items: Vec<TokenId> = executable.routines().map(Routine::head).collect();
        items.sort_unstable();
        Names { view, executable, places: lower::places(view), items, item: usize::MAX }
    }

    /// Enters the item that a token belongs to; returns its heading if the item has changed.
    pub fn enter(&mut self, token: Option<TokenId>) -> Option<String> {
        let token = token?;
        let item = self.items.partition_point(|&head| head <= token).checked_sub(1)?;
        if item == self.item {
            return None;
        }
        self.item = item;
        let head = self.items[item];
        let named = matches!(self.view.kind(head + 1), TokenKind::Name | TokenKind::Str);
        let is_fn = self.view.kind(head) == TokenKind::Fn;
        let labelled = self.view.kind(head + 2) == TokenKind::Colon;
        Some(match named && (is_fn || labelled) {
            true => format!("{} {}", self.view.text(head), visible(self.view.text(head + 1))),
            false => self.view.text(head).to_string(),
        })
    }

    fn operands(&self, op: Op, arg: u32, aux: u32, token: Option<TokenId>) -> String {
        match op.shape() {
            Shape::Plain => String::new(),
            Shape::Value | Shape::Wide => {
                let is_text = token
                    .is_some_and(|token| matches!(self.view.kind(token), TokenKind::Char | TokenKind::Str));
                let is_prop = token.is_some_and(|token| self.view.is(token, Role::Prop));
                match char::from_u32(arg) {
                    _ if arg == DISCARDED && is_prop => format!("{arg} (discarded)"),
                    Some(c) if is_text => format!("{arg} ({c:?})"),
                    _ => (arg as i32).to_string(),
                }
            }
            Shape::Slot => self.variable(Slot::new(arg)),
            Shape::SlotCapacity => format!("{}, {aux}", self.variable(Slot::new(arg))),
            Shape::SlotTarget => format!("{}, {aux}", self.variable(Slot::new(arg))),
            Shape::Target | Shape::Count => arg.to_string(),
            Shape::Function => match self.executable.routine(RoutineId::new(arg)) {
                Some(function) => format!("{arg} ({})", self.view.text(function.head() + 1)),
                None => arg.to_string(),
            },
        }
    }

    /// Formats a frame slot with the name of its variable.
    fn variable(&self, place: Slot) -> String {
        self.name(place).map_or_else(|| place.to_string(), |name| format!("{place} ({name})"))
    }

    fn name(&self, place: Slot) -> Option<&'a str> {
        self.declaration(place).map(|token| self.view.text(token))
    }

    /// The token that declares the variable in a slot. Variables of inlined functions have none.
    pub fn declaration(&self, place: Slot) -> Option<TokenId> {
        let end = self.items.get(self.item.wrapping_add(1)).map_or(self.places.len(), |next| next.position());
        let begin = self.items.get(self.item).map_or(end, |head| head.position()).min(end);
        let offset = self.places[begin..end].iter().position(|p| *p == Some(place))?;
        Some(TokenId::at(begin + offset))
    }
}

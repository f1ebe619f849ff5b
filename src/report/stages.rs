//! The output of the stages as rows for JSON (`myriad stages --format json`).
//!
//! Rows are ordered by token, instruction or address, and each has its position in the source.

use serde::Serialize;

use super::document::Span;
use super::places::Lines;
use crate::compiler::program::{Compiled, ExecutableInstruction, Instructions, Ir, View};
use crate::lang::index::{Address, EntryId, Index, Indices, TokenId};
use crate::lang::limits;
use crate::lang::opcode::{Op, Shape};
use crate::lang::ty::Type;

#[derive(Debug, Serialize)]
pub struct TokenRow<'a> {
    pub index: TokenId,
    pub kind: &'static str,
    pub text: &'a str,
    #[serde(flatten)]
    pub span: Span,
}

/// A node of the syntax tree, identified by its head token; its span is the whole node.
#[derive(Debug, Serialize)]
pub struct NodeRow {
    pub token: TokenId,
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<TokenId>,
    pub children: Vec<TokenId>,
    #[serde(flatten)]
    pub span: Span,
}

/// The type of a node that has one.
#[derive(Debug, Serialize)]
pub struct TypeRow {
    pub token: TokenId,
    #[serde(rename = "type")]
    pub ty: String,
    #[serde(flatten)]
    pub span: Span,
}

/// An instruction of the intermediate code.
#[derive(Debug, Serialize)]
pub struct IrRow {
    pub index: u32,
    pub op: &'static str,
    pub operands: Vec<i64>,
    pub block: u32,
    pub token: TokenId,
    #[serde(flatten)]
    pub span: Span,
}

/// An instruction of bytecode, at the address of its first word.
#[derive(Debug, Serialize)]
pub struct InstructionRow {
    pub address: Address,
    pub op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operand: Option<i64>,
    /// Set for instructions that store a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u32>,
    /// Set for instructions that continue a loop: the address after the loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Address>,
}

impl InstructionRow {
    pub fn new(address: Address, instruction: ExecutableInstruction) -> InstructionRow {
        let ExecutableInstruction { op, operand, second, .. } = instruction;
        let shape = op.shape();
        let operand = match shape {
            Shape::Plain => None,
            Shape::Value | Shape::Wide => Some(i64::from(operand as i32)),
            _ => Some(i64::from(operand)),
        };
        let capacity = (shape == Shape::SlotCapacity).then_some(second);
        let target = (shape == Shape::SlotTarget).then_some(Address::new(second));
        InstructionRow { address, op: op.name(), operand, capacity, target }
    }
}

/// An instruction of the program's bytecode.
#[derive(Debug, Serialize)]
pub struct CodeRow<'a> {
    #[serde(flatten)]
    pub instruction: InstructionRow,
    /// The function that begins here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<&'a str>,
    /// The index of the test or property that begins here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<EntryId>,
    pub token: TokenId,
    #[serde(flatten)]
    pub span: Span,
}

/// Builds rows from a program's columns.
pub struct StageRows<'a> {
    program: &'a Compiled,
    view: View<'a>,
    lines: Lines<'a>,
}

impl<'a> StageRows<'a> {
    pub fn new(program: &'a Compiled) -> StageRows<'a> {
        StageRows { program, view: program.view(), lines: Lines::new(&program.text) }
    }

    pub fn tokens(&self) -> Vec<TokenRow<'a>> {
        // If a program has too many tokens, the stage keeps one more than the limit, to report the error there.
        let row = |index: TokenId| TokenRow {
            index,
            kind: self.view.kind(index).ident(),
            text: self.view.text(index),
            span: self.span(index),
        };
        self.view.all().iter().take(limits::TOKENS).map(row).collect()
    }

    pub fn ast(&self) -> Vec<NodeRow> {
        let children = self.view.children();
        let by_place = |node: TokenId| {
            let mut below: Vec<TokenId> = children.of(node).collect();
            below.sort_by_key(|t| (self.view.extent(*t).start(), *t));
            below
        };
        let row = |t: TokenId| NodeRow {
            token: t,
            kind: self.view.role(t).ident(),
            parent: self.view.parent(t),
            children: by_place(t),
            span: self.span(self.view.extent(t)),
        };
        self.view.nodes().map(row).collect()
    }

    pub fn types(&self) -> Vec<TypeRow> {
        let typed = self.view.nodes().filter(|t| self.view.ty(*t) != Type::UNKNOWN);
        let row = |t: TokenId| TypeRow {
            token: t,
            ty: self.view.ty(t).to_string(),
            span: self.span(self.view.extent(t)),
        };
        typed.map(row).collect()
    }

    pub fn ir(&self, ir: &Ir) -> Vec<IrRow> {
        (0..ir.op.len())
            .map(|i| {
                let op = Op::from_u32(ir.op[i]);
                let (arg, aux) = (ir.arg[i], ir.aux[i]);
                let operands = match op.map_or(Shape::Plain, Op::shape) {
                    Shape::Plain => vec![],
                    Shape::Value | Shape::Wide => vec![i64::from(arg as i32)],
                    Shape::SlotCapacity | Shape::SlotTarget => vec![i64::from(arg), i64::from(aux)],
                    Shape::Slot | Shape::Target | Shape::Function | Shape::Count => vec![i64::from(arg)],
                };
                let token = TokenId::new(ir.token[i]);
                IrRow {
                    index: i as u32,
                    op: name_of(op, Op::name),
                    operands,
                    block: ir.block[i],
                    token,
                    span: self.span(token),
                }
            })
            .collect()
    }

    pub fn bytecode(&self) -> Vec<CodeRow<'a>> {
        let executable = &self.program.executable;
        let facts = &self.program.facts;
        let row = |instruction: ExecutableInstruction| {
            let at = instruction.at;
            let token = TokenId::new(executable.code.token[at]);
            let routine = executable.routines().find(|routine| routine.address().position() == at);
            CodeRow {
                instruction: InstructionRow::new(Address::at(at), instruction),
                function: routine
                    .filter(|r| facts.functions().contains(r.id))
                    .map(|r| self.view.text(r.head() + 1)),
                test: routine.and_then(|r| facts.entry_of(r.id)),
                token,
                span: self.span(token),
            }
        };
        Instructions::of(&executable.code.word).map(row).collect()
    }

    fn span(&self, tokens: impl Into<Indices<TokenId>>) -> Span {
        self.lines.span(self.view.span(tokens).unwrap_or_default())
    }
}

fn name_of<T: Copy>(value: Option<T>, name: fn(T) -> &'static str) -> &'static str {
    value.map_or("?", name)
}

//! What the stages left of a program, as rows for machines (`myriad stages --format json`).
//!
//! Rows are in token, instruction or address order, and each carries the place in the source that it comes from.

use serde::Serialize;

use super::document::Span;
use super::places::Lines;
use crate::lang::opcode::{Op, Shape};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::lang::{NONE, limits};
use crate::program::Compiled;
use crate::program::Ir;

/// A token.
#[derive(Debug, Serialize)]
pub struct TokenRow<'a> {
    pub index: u32,
    pub kind: &'static str,
    pub text: &'a str,
    #[serde(flatten)]
    pub span: Span,
}

/// A node of the syntax tree, known by its head token; its place is its whole extent.
#[derive(Debug, Serialize)]
pub struct NodeRow {
    pub token: u32,
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    pub children: Vec<u32>,
    #[serde(flatten)]
    pub span: Span,
}

/// The type of a node that has one.
#[derive(Debug, Serialize)]
pub struct TypeRow {
    pub token: u32,
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
    pub token: u32,
    #[serde(flatten)]
    pub span: Span,
}

/// An instruction of the bytecode, at the address of its first word.
#[derive(Debug, Serialize)]
pub struct CodeRow<'a> {
    pub address: u32,
    pub op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operand: Option<i64>,
    /// Of instructions that store a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u32>,
    /// Of instructions that go on with a loop: where to when it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u32>,
    /// The function that begins here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<&'a str>,
    /// The test or property that begins here, by its index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<u32>,
    pub token: u32,
    #[serde(flatten)]
    pub span: Span,
}

/// Makes rows of a program's columns.
pub struct Rows<'a> {
    program: &'a Compiled,
    lines: Lines<'a>,
}

impl<'a> Rows<'a> {
    pub fn new(program: &'a Compiled) -> Rows<'a> {
        Rows { program, lines: Lines::new(&program.text) }
    }

    pub fn tokens(&self) -> Vec<TokenRow<'a>> {
        // Of a program with too many, the stage leaves one more than the limit to report it at.
        let count = self.program.tokens.kind.len().min(limits::TOKENS);
        (0..count as u32)
            .map(|index| TokenRow {
                index,
                kind: name_of(TokenKind::from_u32(self.program.tokens.kind[index as usize]), TokenKind::ident),
                text: self.text(index),
                span: self.span(index, index + 1),
            })
            .collect()
    }

    pub fn ast(&self) -> Vec<NodeRow> {
        let tree = &self.program.tree;
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); tree.role.len()];
        for t in self.nodes() {
            if let Some(siblings) = children.get_mut(tree.parent[t as usize] as usize) {
                siblings.push(t);
            }
        }
        for siblings in &mut children {
            siblings.sort_by_key(|t| (tree.lo[*t as usize], *t));
        }
        self.nodes()
            .map(|t| NodeRow {
                token: t,
                kind: name_of(Role::from_u32(tree.role[t as usize]), Role::ident),
                parent: Some(tree.parent[t as usize]).filter(|parent| *parent != NONE),
                children: std::mem::take(&mut children[t as usize]),
                span: self.extent(t),
            })
            .collect()
    }

    pub fn types(&self) -> Vec<TypeRow> {
        let types = &self.program.checked.ty;
        self.nodes()
            .filter(|t| types.get(*t as usize).is_some_and(|ty| Type(*ty) != Type::UNKNOWN))
            .map(|t| TypeRow { token: t, ty: Type(types[t as usize]).to_string(), span: self.extent(t) })
            .collect()
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
                IrRow {
                    index: i as u32,
                    op: name_of(op, Op::name),
                    operands,
                    block: ir.block[i],
                    token: ir.token[i],
                    span: self.span(ir.token[i], ir.token[i] + 1),
                }
            })
            .collect()
    }

    pub fn bytecode(&self) -> Vec<CodeRow<'a>> {
        let code = &self.program.executable.code;
        let routines = &self.program.executable.routines;
        let functions = self.program.facts.functions as usize;
        let mut rows = Vec::new();
        let mut at = 0;
        while at < code.word.len() {
            let word = code.word[at];
            let op = Op::from_u32(word & 0xff);
            let shape = op.map_or(Shape::Plain, Op::shape);
            let second = code.word.get(at + 1).copied().unwrap_or(0);
            let operand = match shape {
                Shape::Plain => None,
                Shape::Value => Some(i64::from(word as i32 >> 8)),
                Shape::Wide => Some(i64::from(second as i32)),
                _ => Some(i64::from(word >> 8)),
            };
            let routine = (0..routines.address.len()).find(|r| routines.address[*r] as usize == at);
            rows.push(CodeRow {
                address: at as u32,
                op: name_of(op, Op::name),
                operand,
                capacity: (shape == Shape::SlotCapacity).then_some(second),
                target: (shape == Shape::SlotTarget).then_some(second),
                function: routine.filter(|r| *r < functions).map(|r| self.text(routines.token[r] + 1)),
                test: routine.filter(|r| *r >= functions).map(|r| (r - functions) as u32),
                token: code.token[at],
                span: self.span(code.token[at], code.token[at] + 1),
            });
            at += shape.words() as usize;
        }
        rows
    }

    /// Head tokens, in order.
    fn nodes(&self) -> impl Iterator<Item = u32> + '_ {
        let roles = &self.program.tree.role;
        (0..roles.len() as u32).filter(|t| roles[*t as usize] != Role::None as u32)
    }

    fn text(&self, t: u32) -> &'a str {
        let tokens = &self.program.tokens;
        match (tokens.lo.get(t as usize), tokens.hi.get(t as usize)) {
            (Some(lo), Some(hi)) => self.program.text.get(*lo as usize..*hi as usize).unwrap_or(""),
            _ => "",
        }
    }

    /// The place of tokens `lo..hi`.
    fn span(&self, lo: u32, hi: u32) -> Span {
        let tokens = &self.program.tokens;
        let start = tokens.lo.get(lo as usize).copied().unwrap_or(0) as usize;
        let end = tokens.hi.get((hi.max(lo + 1) - 1) as usize).map_or(start, |end| *end as usize);
        Span::new(self.lines.place(start), self.lines.place(end))
    }

    fn extent(&self, t: u32) -> Span {
        let tree = &self.program.tree;
        self.span(tree.lo[t as usize], tree.hi[t as usize])
    }
}

fn name_of<T: Copy>(value: Option<T>, name: fn(T) -> &'static str) -> &'static str {
    value.map_or("?", name)
}

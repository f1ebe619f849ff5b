//! The C writer: a stack of pending work, and a stack of operands.
//!
//! Trees may be as deep as a program is long, so nothing here is recursive.

use std::fmt::Write;

use super::nodes::Nodes;
use crate::lang::index::{Indices, TokenId};
use crate::lang::role::Role;

/// A pending task. Its operands have been evaluated when it is taken off the stack.
#[derive(Clone, Copy, Debug)]
pub enum WriterWork {
    Visit(TokenId),
    Finish(TokenId),
    /// Continue `&&` or `||` after its left side.
    BetweenSides(TokenId),
    /// Read the element of this target of a compound assignment, after the index.
    Element(TokenId),
    /// Open a loop.
    Head(TokenId),
    /// Open an `if` after its condition; the flag says whether it continues an `else`.
    Then(TokenId, bool),
    /// Continue an `if` after its first block.
    Else(TokenId),
    Close,
}

/// A kind of temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temp {
    Int,
    List,
}

/// A pending value: a C expression, and the temporaries that it reads.
#[derive(Clone, Debug, Default)]
pub struct WriterOperand {
    pub text: String,
    holds: Vec<(Temp, usize)>,
}

pub struct Writer<'a> {
    pub nodes: &'a Nodes<'a>,
    /// Prefix of the program's names, so that several programs fit in one file.
    prefix: &'a str,
    pub out: String,
    pub indent: usize,
    pub work: Vec<WriterWork>,
    pub operands: Vec<WriterOperand>,
    /// Which temporaries of the routine are in use.
    ints: Vec<bool>,
    lists: Vec<bool>,
    /// Words of the frame of the current routine; `None` for a test, which has no caller.
    pub frame: Option<u32>,
}

impl<'a> Writer<'a> {
    pub fn new(nodes: &'a Nodes<'a>, prefix: &'a str, frame: Option<u32>) -> Writer<'a> {
        Writer {
            nodes,
            prefix,
            out: String::new(),
            indent: 1,
            work: vec![],
            operands: vec![],
            ints: vec![],
            lists: vec![],
            frame,
        }
    }

    /// Writes a node with all its descendants.
    pub fn run(&mut self, t: TokenId) {
        self.work.push(WriterWork::Visit(t));
        while let Some(work) = self.work.pop() {
            match work {
                WriterWork::Visit(t) if self.nodes.role(t).is_expression() => self.begin_expression(t),
                WriterWork::Visit(t) => self.begin_statement(t),
                WriterWork::Finish(t) if self.nodes.role(t).is_expression() => self.finish_expression(t),
                WriterWork::Finish(t) => self.finish_statement(t),
                WriterWork::BetweenSides(t) => self.between_sides(t),
                WriterWork::Element(t) => self.element(t),
                WriterWork::Head(t) => self.loop_head(t),
                WriterWork::Then(t, behind_else) => self.then(t, behind_else),
                WriterWork::Else(t) => self.else_branch(t),
                WriterWork::Close => {
                    self.indent -= 1;
                    self.line("}");
                }
            }
        }
    }

    pub fn visit_child(&mut self, t: TokenId, slot: u32) {
        self.work.extend(self.nodes.child(t, slot).map(WriterWork::Visit));
    }

    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = self.indent * 4);
    }

    /// Returns the declarations of all temporaries used.
    pub fn temporaries(&self) -> String {
        let mut declarations = String::new();
        let names = |letter, count: usize| (0..count).map(move |i| format!("{letter}{i}")).collect::<Vec<_>>();
        for (ty, names) in [("int32_t", names('i', self.ints.len())), ("List", names('l', self.lists.len()))] {
            if !names.is_empty() {
                let _ = writeln!(declarations, "    {ty} {};", names.join(", "));
            }
        }
        declarations
    }

    pub fn variable(&self, declaration: TokenId) -> String {
        format!("v_{}_{declaration}", self.nodes.text(declaration))
    }

    pub fn function(&self, name: TokenId) -> String {
        format!("{}f_{}_{name}", self.prefix, self.nodes.text(name))
    }

    /// Returns whether an int or bool variable is never read, which C compilers warn about.
    pub fn is_unread(&self, declaration: TokenId) -> bool {
        let reads = |t: TokenId| {
            let target = || {
                let parent = self.nodes.parent(t);
                self.nodes.slot(t) == 0 && parent.is_some_and(|head| self.nodes.is(head, Role::Assign))
            };
            self.nodes.role(t) == Role::Var && self.nodes.declaration(t) == Some(declaration) && !target()
        };
        !Indices::new(declaration, self.nodes.all().end()).iter().any(reads)
    }

    pub fn push(&mut self, text: String) {
        self.operands.push(WriterOperand { text, holds: vec![] });
    }

    /// Pops the last operand and frees its temporaries.
    pub fn pop(&mut self) -> WriterOperand {
        let operand = self.operands.pop().unwrap_or_default();
        self.release(&operand);
        operand
    }

    /// Pops the last `count` operands, in order. Their temporaries stay in use.
    pub fn pop_many(&mut self, count: usize) -> Vec<WriterOperand> {
        self.operands.split_off(self.operands.len().saturating_sub(count))
    }

    /// Pushes an operand made of others, which keeps their temporaries in use.
    pub fn keep(&mut self, text: String, of: Vec<WriterOperand>) {
        let holds = of.into_iter().flat_map(|operand| operand.holds).collect();
        self.operands.push(WriterOperand { text, holds });
    }

    /// Returns a free temporary that differs from those of `operands`, and frees the latter.
    pub fn take(&mut self, temp: Temp, operands: Vec<WriterOperand>) -> WriterOperand {
        operands.iter().for_each(|operand| self.occupy(operand, true));
        let pool = self.pool(temp);
        let index = pool.iter().position(|busy| !busy).unwrap_or(pool.len());
        if index == pool.len() {
            pool.push(true);
        }
        operands.iter().for_each(|operand| self.release(operand));
        self.pool(temp)[index] = true;
        let letter = if temp == Temp::Int { 'i' } else { 'l' };
        WriterOperand { text: format!("{letter}{index}"), holds: vec![(temp, index)] }
    }

    pub fn release(&mut self, operand: &WriterOperand) {
        self.occupy(operand, false);
    }

    fn occupy(&mut self, operand: &WriterOperand, busy: bool) {
        for (temp, index) in &operand.holds {
            self.pool(*temp)[*index] = busy;
        }
    }

    fn pool(&mut self, temp: Temp) -> &mut Vec<bool> {
        match temp {
            Temp::Int => &mut self.ints,
            Temp::List => &mut self.lists,
        }
    }
}

//! Stand-ins: a program with errors, written as one without. An endless loop takes the place of each hole, so a run that
//! ends before a hole ends the same way in both.

use std::collections::HashMap;

use crate::compiler::program::{Compiled, ERROR_MUTED, STMT_BROKEN, STMT_INDEX, STMT_UNCLOSED};
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::ty::Type;

/// Returns the text of a lowered program with stand-ins, and the place of each of its tokens that is still there. Its tests
/// and properties keep their order; one with an error of its own becomes `test true;`.
pub fn stand_ins(compiled: &Compiled) -> (String, HashMap<u32, u32>) {
    let lowered = &compiled.lowered;
    let holes = lowered.op.iter().zip(&lowered.token).filter(|(op, _)| **op == Op::Hole as u32);
    let holes: Vec<usize> = holes.map(|(_, token)| *token as usize).collect();
    let mut writer = Writer { c: compiled, out: String::new(), places: HashMap::new(), at: 0, depth: 0 };
    let mut constants = true;
    for head in 0..compiled.tree.role.len() {
        let (role, hi) = (writer.role(head), writer.hi(head));
        if !matches!(role, Role::Fn | Role::Const | Role::Test | Role::Prop) {
            continue;
        }
        let within = holes.iter().copied().filter(|hole| (head..hi).contains(hole)).collect();
        let is_broken = holes.contains(&head);
        writer.at = head;
        match role {
            Role::Fn if !is_broken => writer.function(head, within),
            Role::Fn => {}
            Role::Const => {
                let is_wrong = compiled.tree.stmt[head] & STMT_BROKEN != 0;
                constants &= !is_wrong && (head..hi).all(|t| compiled.checked.error[t] == 0);
                if constants {
                    writer.copy(hi);
                    writer.out += ";\n";
                }
            }
            _ if is_broken => writer.out += "test true;\n",
            _ => {
                writer.copy(hi);
                writer.out += ";\n";
            }
        }
        writer.depth = 0;
    }
    (writer.out, writer.places)
}

struct Writer<'a> {
    c: &'a Compiled,
    out: String,
    /// The place of each token that is written.
    places: HashMap<u32, u32>,
    /// One past the last token that is written or left out.
    at: usize,
    /// Number of open braces of the function so far.
    depth: usize,
}

impl Writer<'_> {
    fn role(&self, t: usize) -> Role {
        self.c.view().role(TokenId::at(t))
    }

    fn hi(&self, t: usize) -> usize {
        self.c.tree.hi[t] as usize
    }

    /// Writes the tokens up to `end`.
    fn copy(&mut self, end: usize) {
        for t in self.at..end {
            let token = self.c.view().text(TokenId::at(t));
            // After a hole, an `else` may have lost its `if`; it runs like a statement then.
            if token == "else" && self.c.tree.stmt[t] & STMT_INDEX == t as u32 && !self.continues(t) {
                continue;
            }
            match token {
                "{" => self.depth += 1,
                "}" => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.places.insert(t as u32, self.out.len() as u32);
            self.out += token;
            self.out.push('\n');
        }
        self.at = self.at.max(end);
    }

    /// One past the last token of the statement that begins at a token.
    fn end(&self, first: usize) -> usize {
        let stmt = &self.c.tree.stmt;
        first + stmt[first..].iter().take_while(|word| *word & STMT_INDEX == first as u32).count()
    }

    /// Whether an `else` belongs to an `if`.
    fn continues(&self, first: usize) -> bool {
        (first + 1..self.end(first))
            .any(|own| matches!(self.role(own), Role::If | Role::Block) && self.c.tree.slot[own] == 2)
    }

    /// Writes the stand-in of the hole that begins at a token.
    fn hole(&mut self, first: usize) {
        self.copy(first);
        let end = self.end(first);
        let is_else = self.c.view().text(TokenId::at(first)) == "else";
        // Control goes on after other statements with an error.
        let leaves = matches!(self.role(first), Role::Return | Role::Break | Role::Continue);
        let endless = if leaves { "while true { }" } else { "while 0 == 0 { }" };
        self.out += &match is_else && self.continues(first) {
            true => format!("else {{ {endless} }}"),
            false => endless.to_string(),
        };
        self.at = end.max(self.hi(first));
        if is_else && first + 1 < end {
            self.at = self.at.max(self.hi(first + 1));
        }
        if end > first && self.role(end - 1) == Role::Block {
            self.at = self.at.max(self.hi(end - 1));
        }
        // Later code may use a variable that the hole declares.
        if self.role(first) == Role::Let && first + 1 < end && self.role(first + 1) == Role::LetName {
            let ty = Type(self.c.checked.ty[first + 1]);
            let value = if ty == Type::BOOL { "false" } else { "0" };
            let value = if ty.is_list() { "[]" } else { value };
            let counts = self.c.checked.error[first + 1] & !ERROR_MUTED != Code::AlreadyDeclared as u32;
            if ty != Type::UNKNOWN && counts {
                let name = self.c.view().text(TokenId::at(first + 1));
                self.out += &format!("let {name}: {ty} = {value};");
            }
        }
        self.out.push('\n');
    }

    /// Writes a function whose header has no error.
    fn function(&mut self, head: usize, mut holes: Vec<usize>) {
        let hi = self.hi(head);
        let is_closed = self.c.tree.stmt[head] & STMT_UNCLOSED == 0;
        let ends = holes.pop_if(|last| *last + 1 == hi).is_some();
        holes.into_iter().for_each(|hole| self.hole(hole));
        self.copy(if is_closed { hi - 1 } else { hi });
        if is_closed {
            self.out += if ends { "while true { }\n" } else { "" };
            self.copy(hi);
        }
        for _ in 0..self.depth {
            self.out += "while true { } }\n";
        }
        self.depth = 0;
    }
}

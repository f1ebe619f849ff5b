//! Stand-ins: a program with errors, written as one without. An endless loop takes the place of each hole, so a run that
//! ends before a hole ends the same way in both.

use std::collections::HashMap;

use crate::compiler::program::{Compiled, ERROR_MUTED, STMT_INDEX, STMT_LEXICAL, STMT_SYNTAX, STMT_UNCLOSED};
use crate::compiler::stage::chain::Compiler;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::ty::Type;

/// Returns the text of a lowered program with stand-ins, and the place of each of its tokens that is still there. Its tests
/// and properties keep their order; one with an error of its own becomes `test true;`.
pub fn stand_ins(compiled: &Compiled) -> (String, HashMap<u32, u32>) {
    // Only the text with the other stand-ins shows which functions' ends can be reached.
    let first = Writer::new(compiled, Vec::new()).program();
    let mut checker = Compiler::at(OptLevel::Lowered);
    checker.compile(&first.out);
    let checked = checker.compiled(&first.out.as_str().into());
    let view = checked.view();
    let lacks_return = |t: &TokenId| checked.checked.error[t.position()] == Code::MissingReturn as u32;
    let function = |t: TokenId| {
        let before = view.rows().iter().take(t.position()).filter(|t| view.is(*t, Role::Fn)).count();
        first.heads.get(before.checked_sub(1)?).copied()
    };
    let open = view.rows().iter().filter(lacks_return).filter_map(function).collect();
    let whole = Writer::new(compiled, open).program();
    (whole.out, whole.places)
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
    /// The heads of the functions that are written, and of those whose end can be reached.
    heads: Vec<usize>,
    open: Vec<usize>,
    /// Functions that stand in for `?`.
    functions: String,
}

impl<'a> Writer<'a> {
    fn new(c: &'a Compiled, open: Vec<usize>) -> Writer<'a> {
        let (out, places, heads, functions) = (String::new(), HashMap::new(), Vec::new(), String::new());
        Writer { c, out, places, at: 0, depth: 0, heads, open, functions }
    }

    fn program(mut self) -> Self {
        let lowered = &self.c.lowered;
        let holes = lowered.op.iter().zip(&lowered.token).filter(|(op, _)| **op == Op::Hole as u32);
        let holes = holes.map(|(_, token)| *token as usize).filter(|t| self.role(*t) != Role::Hole);
        let holes: Vec<usize> = holes.collect();
        let mut constants = true;
        for head in 0..self.c.tree.role.len() {
            let (role, hi) = (self.role(head), self.hi(head));
            if !matches!(role, Role::Fn | Role::Const | Role::Test | Role::Prop) {
                continue;
            }
            let within = holes.iter().copied().filter(|hole| (head..hi).contains(hole)).collect();
            let is_broken = holes.contains(&head);
            self.at = head;
            match role {
                Role::Fn if !is_broken => self.function(head, within),
                Role::Fn => {}
                Role::Const => {
                    constants &= !self.is_reduced(head) && (head..hi).all(|t| self.c.checked.error[t] == 0);
                    if constants {
                        self.copy(hi);
                        self.out += if self.lacks_end(hi - 1) { "" } else { ";\n" };
                    }
                }
                _ if is_broken => self.out += "test true;\n",
                _ => {
                    self.copy(hi);
                    self.out += ";\n";
                }
            }
            self.depth = 0;
        }
        self.out += &self.functions;
        self
    }

    fn role(&self, t: usize) -> Role {
        self.c.view().role(TokenId::at(t))
    }

    fn hi(&self, t: usize) -> usize {
        self.c.tree.hi[t] as usize
    }

    /// Whether the statement of a token has lost rows to an error.
    fn is_reduced(&self, t: usize) -> bool {
        self.c.tree.stmt[t] & (STMT_LEXICAL | STMT_SYNTAX) != 0
    }

    /// Whether the statement of a token ends with it and lacks only its `;`.
    fn lacks_end(&self, t: usize) -> bool {
        let ends = self.c.tree.stmt.get(t + 1) != Some(&self.c.tree.stmt[t]);
        ends && !self.is_reduced(t) && !matches!(self.c.view().text(TokenId::at(t)), ";" | "{" | "}")
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
            if self.role(t) == Role::Hole {
                let ty = Type(self.c.checked.ty[t]);
                self.out += &format!("hole_{t}()");
                self.functions += &format!("fn hole_{t}() -> {ty} {{ while true {{ }} }}\n");
            } else {
                self.out += token;
            }
            self.out += if self.lacks_end(t) { ";\n" } else { "\n" };
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
        self.heads.push(head);
        let is_closed = self.c.tree.stmt[head] & STMT_UNCLOSED == 0;
        let ends = holes.pop_if(|last| *last + 1 == hi).is_some();
        holes.into_iter().for_each(|hole| self.hole(hole));
        self.copy(if is_closed { hi - 1 } else { hi });
        if is_closed {
            self.out += if ends && self.open.contains(&head) { "while true { }\n" } else { "" };
            self.copy(hi);
        }
        for _ in 0..self.depth {
            self.out += "while true { } }\n";
        }
        self.depth = 0;
    }
}

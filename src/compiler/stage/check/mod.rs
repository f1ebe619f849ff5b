//! check: names, types, constants and flow, in one post-order walk over the tree.
//!
//! A node is visited at the end of its extent, inner nodes first; a scope opens at its first token. So the
//! operands of a node are known when it is visited, and the node checks its own operands. The walk follows
//! the tokens and is not recursive. Constants are walked first, because bodies may use them before their
//! declaration, then the functions' headers, then all else. `docs/stages/check.md` is the specification.

mod constants;
mod expressions;
mod names;
mod operands;
mod scratch;
mod statements;
mod survey;

pub use scratch::Scratch;

use crate::compiler::program::{Checked, Facts, STMT_INDEX, Tokens, Tree};
use crate::lang::diagnostic::Code;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::lang::{NONE, token};
use scratch::*;

/// Fills `out` and adds the number of errors to `facts.errors`.
pub fn run(tokens: &Tokens, tree: &Tree, out: &mut Checked, facts: &mut Facts, scratch: &mut Scratch) {
    scratch.results.clear();
    let names = facts.names.max(token::FIRST_NAME) as usize;
    let mut check = Check { tokens, tree, out, s: scratch, errors: 0, early: true, again: false };
    check.program(names);
    if check.again {
        // An expression in a constant or a header calls a function that returns a list. No requirement
        // depends on the list's capacity, which is known only now, but the expression's type includes it.
        check.s.results.extend(check.s.functions.iter().map(|f| check.out.ty[*f as usize]));
        check.program(names);
    }
    facts.errors += check.errors;
}

/// The state of a run, shared by the modules here.
struct Check<'a> {
    tokens: &'a Tokens,
    tree: &'a Tree,
    out: &'a mut Checked,
    s: &'a mut Scratch,
    errors: u32,
    /// Whether the capacities of the functions' result types may still be missing.
    early: bool,
    /// Whether a result type was used while its capacity may be missing.
    again: bool,
}

impl Check<'_> {
    fn program(&mut self, names: usize) {
        let n = self.tokens.kind.len().min(self.tree.role.len());
        self.out.reset(n, 0);
        self.out.decl.fill(NONE);
        self.s.reset(n, names);
        (self.errors, self.again, self.early) = (0, false, true);
        self.survey(n);
        self.declare_items();
        for i in 0..self.s.constants.len() {
            let t = self.s.constants[i];
            self.walk(t, self.tree.hi[t as usize]);
        }
        for i in 0..self.s.functions.len() {
            self.header(self.s.functions[i]);
        }
        self.early = false;
        self.rest(n as u32);
        self.limits();
    }

    /// Walks what no earlier walk has visited: bodies, tests and properties.
    fn rest(&mut self, n: u32) {
        let mut t = 0;
        while t < n {
            let hi = self.tree.hi[t as usize].max(t + 1);
            t = match self.role(t) {
                Role::Const => hi,
                Role::Fn => {
                    self.open_function(t);
                    self.walk(self.child(t, 2).unwrap_or(hi), hi);
                    self.close_function(t);
                    hi
                }
                _ => {
                    self.walk(t, t + 1);
                    t + 1
                }
            };
        }
    }

    /// Walks the tokens `lo..hi`: opens scopes, and visits the nodes that end with each token.
    fn walk(&mut self, lo: u32, hi: u32) {
        for t in lo..hi {
            if self.role(t) == Role::Block {
                // A broken `let` may end in the `{` of a block that it does not own, and is visited before
                // that block.
                self.leave(t, true);
                self.open(t);
            } else if self.role(t) == Role::Prop {
                self.open(t);
            }
            self.leave(t, false);
        }
    }

    /// Visits the nodes that end with token `t`: if `cut_short`, only those that a block beginning at `t` cuts
    /// short; otherwise only the others.
    fn leave(&mut self, t: u32, cut_short: bool) {
        let mut node = self.s.ending[t as usize];
        while node != NONE {
            let is_cut_short = node < t
                && self.role(t) == Role::Block
                && matches!(self.role(node), Role::Let | Role::Broken)
                && self.broken(node);
            if is_cut_short == cut_short {
                self.visit(node);
                if self.has(node, HAS_ERROR) {
                    self.taint(self.tree.parent[node as usize]);
                }
            }
            node = self.s.next_ending[node as usize];
        }
    }

    fn visit(&mut self, t: u32) {
        let role = self.role(t);
        if role.is_expression() {
            self.expression(t, role);
        } else {
            self.statement(t, role);
        }
    }

    fn role(&self, t: u32) -> Role {
        Role::from_u32(self.tree.role[t as usize]).unwrap_or(Role::None)
    }

    fn kind(&self, t: u32) -> TokenKind {
        TokenKind::from_u32(self.tokens.kind[t as usize]).unwrap_or(TokenKind::Error)
    }

    fn ty(&self, t: u32) -> Type {
        Type(self.out.ty[t as usize])
    }

    /// The type of a child; unknown if there is no child.
    fn ty_of(&self, child: Option<u32>) -> Type {
        child.map_or(Type::UNKNOWN, |t| self.ty(t))
    }

    fn set_ty(&mut self, t: u32, ty: Type) {
        self.out.ty[t as usize] = ty.0;
    }

    fn has(&self, t: u32, flag: u8) -> bool {
        self.s.flags[t as usize] & flag != 0
    }

    fn broken(&self, t: u32) -> bool {
        self.tree.stmt[t as usize] & !STMT_INDEX != 0
    }

    fn child(&self, t: u32, slot: u32) -> Option<u32> {
        self.children(t).find(|c| self.tree.slot[*c as usize] == slot)
    }

    fn children(&self, t: u32) -> impl Iterator<Item = u32> + use<'_> {
        let next = |t: u32| (t != NONE).then_some(t);
        std::iter::successors(next(self.s.first_child[t as usize]), move |t| {
            next(self.s.next_sibling[*t as usize])
        })
    }

    /// Records an error, unless the token is broken or already has an error.
    fn report(&mut self, t: u32, code: Code, detail: u32) {
        let i = t as usize;
        if !self.broken(t) && self.out.error[i] == 0 {
            self.out.error[i] = code as u32;
            self.out.detail[i] = detail;
            self.errors += 1;
        }
    }

    /// Records that node `t` contains an error.
    fn taint(&mut self, t: u32) {
        if t != NONE {
            self.s.flags[t as usize] |= HAS_ERROR;
        }
    }

    fn clean(&self, t: u32) -> bool {
        !self.has(t, HAS_ERROR)
    }
}

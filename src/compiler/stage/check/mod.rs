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

pub use scratch::CheckScratch;

use crate::compiler::program::{
    Checked, ERROR_MUTED, Facts, STMT_BROKEN, STMT_LEXICAL, STMT_SYNTAX, STMT_UNCLOSED, Tokens, Tree,
};
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::limits;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::lang::{NONE, token};
use scratch::*;

/// Fills `out` and adds the number of errors to `facts.errors`.
pub fn run(tokens: &Tokens, tree: &Tree, out: &mut Checked, facts: &mut Facts, scratch: &mut CheckScratch) {
    scratch.results.clear();
    let names = facts.names.max(token::FIRST_NAME) as usize;
    let mut check = Check {
        tokens,
        tree,
        out,
        s: scratch,
        errors: 0,
        is_part: facts.is_part(),
        capacities_pending: true,
        needs_second_pass: false,
    };
    check.program(names);
    if check.needs_second_pass {
        // An expression in a constant or a header calls a function that returns a list. No requirement
        // depends on the list's capacity, which is known only now, but the expression's type includes it.
        check.s.results.extend(check.s.functions.iter().map(|f| check.out.ty[f.position()]));
        check.program(names);
    }
    facts.errors += check.errors;
    if check.s.functions.len() > limits::FUNCTIONS || check.s.tests > limits::TESTS as u32 {
        facts.holes = 0;
    }
}

/// The errors as which E0501 counts in a part: an edit that removes holes must not make up for it.
pub const PART_MISSING_RETURN: u32 = 1 << 16;

/// The state of a run, shared by the modules here.
struct Check<'a> {
    tokens: &'a Tokens,
    tree: &'a Tree,
    out: &'a mut Checked,
    s: &'a mut CheckScratch,
    errors: u32,
    /// Whether the program is a part of one with errors, where also muted errors count.
    is_part: bool,
    /// Whether the capacities of the functions' result types may still be missing.
    capacities_pending: bool,
    /// Whether a result type was used while its capacity may be missing.
    needs_second_pass: bool,
}

impl Check<'_> {
    fn program(&mut self, names: usize) {
        let n = self.tokens.kind.len().min(self.tree.role.len());
        self.out.reset(n, 0);
        self.out.decl.fill(NONE);
        self.s.reset(n, names);
        (self.errors, self.needs_second_pass, self.capacities_pending) = (0, false, true);
        self.survey(n);
        self.declare_items();
        for i in 0..self.s.constants.len() {
            let t = self.s.constants[i];
            self.walk(t, self.end(t));
        }
        for i in 0..self.s.functions.len() {
            self.header(self.s.functions[i]);
        }
        self.capacities_pending = false;
        self.walk_remaining(TokenId::at(n));
        self.limits();
    }

    /// Walks what no earlier walk has visited: bodies, tests and properties.
    fn walk_remaining(&mut self, n: TokenId) {
        let mut t = TokenId::default();
        while t < n {
            let hi = self.end(t).max(t + 1);
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
    fn walk(&mut self, lo: TokenId, hi: TokenId) {
        for t in lo.up_to(hi) {
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
    fn leave(&mut self, t: TokenId, cut_short: bool) {
        let mut ending = self.s.ending[t.position()];
        while let Some(node) = ending {
            let is_cut_short = node < t
                && self.role(t) == Role::Block
                && matches!(self.role(node), Role::Let | Role::Broken)
                && self.broken(node);
            if is_cut_short == cut_short {
                self.visit(node);
                if self.has(node, HAS_ERROR)
                    && let Some(parent) = self.parent(node)
                {
                    self.taint(parent);
                }
            }
            ending = self.s.next_ending[node.position()];
        }
    }

    fn visit(&mut self, t: TokenId) {
        let role = self.role(t);
        if role.is_expression() {
            self.expression(t, role);
        } else {
            self.statement(t, role);
        }
    }

    fn role(&self, t: TokenId) -> Role {
        Role::from_u32(self.tree.role[t.position()]).unwrap_or(Role::None)
    }

    fn kind(&self, t: TokenId) -> TokenKind {
        TokenKind::from_u32(self.tokens.kind[t.position()]).unwrap_or(TokenKind::Error)
    }

    fn parent(&self, t: TokenId) -> Option<TokenId> {
        TokenId::from_word(self.tree.parent[t.position()])
    }

    /// One past the last token of a node.
    fn end(&self, t: TokenId) -> TokenId {
        TokenId::new(self.tree.hi[t.position()])
    }

    /// The declaration that a node refers to, if it is known.
    fn declaration(&self, t: TokenId) -> Option<TokenId> {
        TokenId::from_word(self.out.decl[t.position()])
    }

    fn set_declaration(&mut self, t: TokenId, declaration: TokenId) {
        self.out.decl[t.position()] = declaration.number();
    }

    fn ty(&self, t: TokenId) -> Type {
        Type(self.out.ty[t.position()])
    }

    /// The type of a child; unknown if there is no child.
    fn ty_of(&self, child: Option<TokenId>) -> Type {
        child.map_or(Type::UNKNOWN, |t| self.ty(t))
    }

    fn set_ty(&mut self, t: TokenId, ty: Type) {
        self.out.ty[t.position()] = ty.0;
    }

    fn has(&self, t: TokenId, flag: u8) -> bool {
        self.s.flags[t.position()] & flag != 0
    }

    fn broken(&self, t: TokenId) -> bool {
        self.tree.stmt[t.position()] & STMT_BROKEN != 0
    }

    /// Returns whether the statement of a token has lost rows to a lexical or syntax error.
    fn reduced(&self, t: TokenId) -> bool {
        self.tree.stmt[t.position()] & (STMT_LEXICAL | STMT_SYNTAX) != 0
    }

    fn child(&self, t: TokenId, slot: u32) -> Option<TokenId> {
        self.children(t).find(|c| self.tree.slot[c.position()] == slot)
    }

    fn children(&self, t: TokenId) -> impl Iterator<Item = TokenId> + use<'_> {
        std::iter::successors(self.s.first_child[t.position()], |t| self.s.next_sibling[t.position()])
    }

    /// Records an error, unless the token already has one or its statement has lost rows. An error of a muted
    /// statement is marked, and does not count.
    fn report(&mut self, t: TokenId, code: Code, detail: u32) {
        let i = t.position();
        if !self.reduced(t) && self.out.error[i] == 0 {
            let muted = self.broken(t);
            self.out.error[i] = code as u32 | if muted { ERROR_MUTED } else { 0 };
            self.out.detail[i] = detail;
            self.errors += match code {
                Code::MissingReturn if self.is_part => PART_MISSING_RETURN,
                _ => u32::from(!muted || self.is_part),
            };
        }
    }

    /// Records that node `t` contains an error.
    fn taint(&mut self, t: TokenId) {
        self.s.flags[t.position()] |= HAS_ERROR;
    }

    fn clean(&self, t: TokenId) -> bool {
        !self.has(t, HAS_ERROR)
    }
}

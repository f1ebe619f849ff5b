//! mutate: computes the variants of a base as edits of its checked tokens.
//!
//! Each edit belongs to one token, its *site*, and is computed from that token's node and its surroundings.
//! [`Plan`] counts the edits of each token, and prefix sums number them. So edit i is found by a binary
//! search, and a pair of edits from its id by division. No list of edits is ever built.

mod edit;
mod repair;
mod scope;
mod site;
mod strong;

use crate::compiler::program::{Compiled, Ir, View, columns};
use crate::lang::NONE;
use crate::lang::index::{EditId, Index, Indices, MutantId, TokenId};
use crate::lang::mutation::{self, Group, Operator};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::{self, Type};
pub use edit::{Edit, Edits, PIECES, Piece, apply};
use scope::Scopes;
pub use scope::callees;

columns! {
    /// Output of mutate: the numbering of edits. Per token, with one additional row.
    pub struct Sites {
        /// Number of edits of all tokens before this one; in the last row, of all tokens.
        first,
    }
}

/// The numbering of a base's variants.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub sites: Sites,
    /// The group of operators whose edits are counted.
    group: Group,
    /// Whether the base has a `?`.
    has_holes: bool,
    /// For each node the head of its child 0.
    child: Vec<Option<TokenId>>,
    /// For each token the argument of a call, or the statement of a block, that begins there.
    argument: Vec<Option<TokenId>>,
    /// For the repair group: the variables, expressions and functions that its edits insert.
    scopes: Scopes,
    /// For each token, the number of function bodies that begin here less those that end here; likewise of
    /// constant expressions and holes.
    changes: Vec<(i32, i32)>,
}

impl Plan {
    /// Counts the edits of a base with its group of operators.
    pub fn build_for(&mut self, base: &Compiled) {
        match base.has_mutants() {
            true => self.build_around(base.view(), base.group, &base.lowered),
            false => *self = Plan::default(),
        }
    }

    /// Counts the edits that a group of operators makes in a base without errors.
    pub fn build(&mut self, base: View, group: Group) {
        self.build_around(base, group, &Ir::default());
    }

    /// Counts the edits outside of the holes of some lowered code.
    fn build_around(&mut self, base: View, group: Group, lowered: &Ir) {
        self.group = group;
        self.has_holes = base.tokens.kind.contains(&HOLE);
        let spared = spared(base, self.has_holes);
        let count = base.tokens.kind.len();
        self.child.clear();
        self.child.resize(count, None);
        self.argument.clear();
        self.argument.resize(count, None);
        self.changes.clear();
        self.changes.resize(count + 1, (0, 0));
        let tree = base.tree;
        for t in 0..count {
            let (role, parent, slot) = (tree.role[t], tree.parent[t], tree.slot[t]);
            if role == Role::None as u32 {
                continue;
            }
            let (lo, hi) = (tree.lo[t] as usize, (tree.hi[t] as usize).min(count));
            let of = |role: Role| parent != NONE && tree.role[parent as usize] == role as u32;
            if parent != NONE && slot == 0 {
                self.child[parent as usize] = Some(TokenId::at(t));
            }
            if (of(Role::Call) || of(Role::Block)) && lo < count {
                self.argument[lo] = Some(TokenId::at(t));
            }
            if role == Role::Block as u32 && of(Role::Fn) {
                self.changes[lo].0 += 1;
                self.changes[hi].0 -= 1;
            }
            if role == Role::TypeList as u32 || slot == 1 && of(Role::Repeat) {
                self.changes[lo].1 += 1;
                self.changes[hi].1 -= 1;
            }
        }
        let (op, token, aux) = (&lowered.op, &lowered.token, &lowered.aux);
        for i in (0..op.len()).filter(|i| op[*i] == Op::Hole as u32 && token[*i] < aux[*i]) {
            self.changes[token[i] as usize].1 += 1;
            self.changes[aux[i] as usize].1 -= 1;
        }
        self.scopes.clear();
        if group >= Group::Repair {
            self.scopes.build(base);
        }
        let first = &mut self.sites.first;
        first.clear();
        let (mut total, mut blocks, mut constants) = (0, 0, 0);
        for t in 0..count {
            first.push(total);
            blocks += self.changes[t].0;
            constants += self.changes[t].1;
            if blocks > 0 && constants == 0 {
                let (child, argument, scopes) = (&*self.child, &*self.argument, &self.scopes);
                let context = Context { base, group, child, argument, scopes };
                let mut all = EditCollector { left: u32::MAX, made: None, spared };
                each(context, TokenId::at(t), &mut all);
                total += u32::MAX - all.left;
            }
        }
        first.push(total);
    }

    pub fn first_order(&self) -> u32 {
        self.sites.first.last().copied().unwrap_or(0)
    }

    /// Number of variants of both orders.
    pub fn all(&self) -> u32 {
        all(self.first_order())
    }

    pub fn of(&self, tokens: Indices<TokenId>) -> Indices<EditId> {
        let first = |token: TokenId| self.sites.first.get(token.position()).copied().unwrap_or(0);
        Indices::numbered(first(tokens.start())..first(tokens.end()))
    }

    pub fn edit(&self, base: View, id: EditId) -> Option<Edit> {
        let number = id.number();
        if number >= self.first_order() {
            return None;
        }
        let site = self.sites.first.partition_point(|first| *first <= number).checked_sub(1)?;
        let left = number - self.sites.first[site];
        let mut found = EditCollector { left, made: None, spared: spared(base, self.has_holes) };
        let (child, argument, scopes) = (&*self.child, &*self.argument, &self.scopes);
        let context = Context { base, group: self.group, child, argument, scopes };
        each(context, TokenId::at(site), &mut found);
        found.made
    }

    /// Returns the edits of a variant, the one with the lower number first.
    pub fn variant(&self, base: View, id: MutantId) -> Option<Edits> {
        match unrank_pair(self.first_order(), id) {
            None => self.edit(base, EditId::new(id.number())).map(Edits::from),
            Some((i, j)) => Some(Edits { first: self.edit(base, i)?, second: Some(self.edit(base, j)?) }),
        }
    }
}

/// Number of variants of both orders if there are `n` of first order; at most `u32::MAX`.
pub fn all(n: u32) -> u32 {
    let n = u64::from(n);
    u32::try_from(n + n * n.saturating_sub(1) / 2).unwrap_or(u32::MAX)
}

/// Returns the two edits of a second-order mutant, if there are `n` edits; `None` for any other id. A mutant of
/// first order has the number of its edit.
///
/// Pairs are ordered by their distance around a circle of `n` numbers, greatest distance first.
pub fn unrank_pair(n: u32, id: MutantId) -> Option<(EditId, EditId)> {
    let p = id.number().checked_sub(n)?;
    if n < 2 {
        return None;
    }
    let half = n / 2;
    let (i, distance) = match (n % 2, p) {
        (0, p) if p < half => (p, half),
        (0, p) => ((p - half) % n, half.saturating_sub(1 + (p - half) / n)),
        (_, p) => (p % n, half.saturating_sub(p / n)),
    };
    let j = (i + distance) % n;
    (distance > 0).then_some((EditId::new(i.min(j)), EditId::new(i.max(j))))
}

/// Returns the mutant of two edits, if there are `n` edits; the inverse of [`unrank_pair`]. `None` if no such pair
/// exists.
pub fn rank_pair(n: u32, i: EditId, j: EditId) -> Option<MutantId> {
    let (low, high) = (i.min(j).number(), i.max(j).number());
    if low == high || high >= n {
        return None;
    }
    let (half, apart) = (u64::from(n / 2), u64::from(high - low));
    let distance = apart.min(u64::from(n) - apart);
    let first = u64::from(if apart == distance { low } else { high });
    let n = u64::from(n);
    let p = match (n % 2, distance == half) {
        (0, true) => u64::from(low),
        (0, false) => half + (half - 1 - distance) * n + first,
        _ => (half - distance) * n + first,
    };
    u32::try_from(n + p).ok().map(MutantId::new)
}

/// Inputs for computing the edits of a token.
#[derive(Clone, Copy)]
struct Context<'a> {
    base: View<'a>,
    group: Group,
    /// As in [`Plan`].
    child: &'a [Option<TokenId>],
    argument: &'a [Option<TokenId>],
    scopes: &'a Scopes,
}

const HOLE: u32 = TokenKind::Question as u32;

/// Returns the kinds of the base's tokens, if edits must spare some of them.
fn spared(base: View<'_>, has_holes: bool) -> &[u32] {
    if has_holes { &base.tokens.kind } else { &[] }
}

/// Counts edits, and makes the requested one.
struct EditCollector<'a> {
    /// Number of edits before the requested one.
    left: u32,
    made: Option<Edit>,
    /// The kinds of the base's tokens if it has a `?`, else empty.
    spared: &'a [u32],
}

impl EditCollector<'_> {
    /// Takes an edit, unless it changes a `?`. Returns false once the requested edit is made.
    fn offer(&mut self, edit: impl FnOnce() -> Edit) -> bool {
        if self.left > 0 && self.spared.is_empty() {
            self.left -= 1;
            return true;
        }
        let edit = edit();
        let changed = self.spared.get(edit.lo.position()..edit.hi.position());
        if changed.is_some_and(|kinds| kinds.contains(&HOLE)) {
            return true;
        }
        if self.left == 0 {
            self.made = Some(edit);
            return false;
        }
        self.left -= 1;
        true
    }
}

/// Offers the edits of token `t` to `found` in order, until `found` returns false.
fn each(context: Context, t: TokenId, found: &mut EditCollector) {
    let Context { base, group, child, .. } = context;
    let View { tokens, tree, checked, .. } = base;
    let at = t.position();
    let (Some(role), Some(kind)) = (Role::from_u32(tree.role[at]), TokenKind::from_u32(tokens.kind[at])) else {
        return;
    };
    let itself = Indices::one(t);
    let edit = |operator, tokens, kind, value| Edit::new(operator, t, tokens, &[Piece::New(kind, value)]);
    let left_out = |operator, tokens| Edit::new(operator, t, tokens, &[]);
    let replace = |operator, kind: TokenKind| edit(operator, itself, kind, 0);
    let parent = |role: Role| {
        let parent = tree.parent[at];
        parent != NONE && tree.role[parent as usize] == role as u32
    };
    let first_child_is_int = || child[at].is_some_and(|child| base.ty(child).kind() == ty::KIND_INT);

    match role {
        Role::Binary | Role::Assign => {
            if let Some((operator, family)) = mutation::family(kind, first_child_is_int()) {
                for other in family {
                    if other != kind && !found.offer(|| replace(operator, other)) {
                        return;
                    }
                }
            }
        }
        Role::Var | Role::Call if !(tree.slot[at] == 0 && parent(Role::Assign)) => {
            let insert = |kind: TokenKind| edit(Operator::UnaryInsertion, Indices::new(t, t), kind, 0);
            let more = match Type(checked.ty[at]).kind() {
                ty::KIND_INT if role == Role::Var => {
                    found.offer(|| insert(TokenKind::Minus)) && found.offer(|| insert(TokenKind::Tilde))
                }
                ty::KIND_BOOL => found.offer(|| insert(TokenKind::Bang)),
                _ => true,
            };
            if !more {
                return;
            }
        }
        Role::Unary => {
            let least = kind == TokenKind::Minus
                && tokens.kind.get(at + 1) == Some(&(TokenKind::Int as u32))
                && tokens.value[at + 1] == 1 << 31;
            if !least && !found.offer(|| left_out(Operator::UnaryRemoval, itself)) {
                return;
            }
        }
        Role::Int => {
            let c = tokens.value[at];
            let values = [0, 1, u32::MAX, c.wrapping_add(1), c.wrapping_sub(1)];
            for (i, value) in values.into_iter().enumerate() {
                let new = value != c && !values[..i].contains(&value);
                if new && !found.offer(|| edit(Operator::Constant, itself, TokenKind::Int, value)) {
                    return;
                }
            }
        }
        Role::Bool => {
            let other = if kind == TokenKind::True { TokenKind::False } else { TokenKind::True };
            if !found.offer(|| replace(Operator::Constant, other)) {
                return;
            }
        }
        _ => {}
    }
    let deletable = match role {
        Role::Assign | Role::If | Role::While | Role::For => parent(Role::Block),
        Role::Break | Role::Continue | Role::Return => true,
        _ => false,
    };
    if deletable {
        let semicolon = tokens.kind.get(tree.hi[at] as usize) == Some(&(TokenKind::Semicolon as u32));
        let hi = tree.hi[at] + u32::from(semicolon);
        if !found.offer(|| left_out(Operator::Deletion, Indices::numbered(tree.lo[at]..hi))) {
            return;
        }
    }
    let condition = role.is_expression() && tree.slot[at] == 0 && (parent(Role::If) || parent(Role::While));
    if condition && role != Role::Bool {
        for literal in [TokenKind::True, TokenKind::False] {
            if !found.offer(|| edit(Operator::Condition, base.extent(t), literal, 0)) {
                return;
            }
        }
    }
    if group >= Group::Strong && !strong::each(context, t, role, found) {
        return;
    }
    if group >= Group::Repair {
        repair::each(context, t, role, found);
    }
}

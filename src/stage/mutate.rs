//! mutate: variants of a base as edits of its checked tokens.
//!
//! Each edit belongs to one token, its *site*, and follows from that token's node alone. [`Plan`] counts the edits
//! of each token; a running sum then numbers them, so that edit i is found from i by a binary search, and a
//! pair of edits from its own number by division. Nothing is ever listed.

use crate::lang::mutation::{self, Group, Operator};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::{self, Type};
use crate::lang::{NONE, limits};
use crate::program::{Tokens, View, columns};

columns! {
    /// mutate: where edits are. Per token, and one more row.
    pub struct Sites {
        /// Number of edits of the tokens before this one; in the last row of all.
        first,
    }
}

/// A change of the base: tokens `lo .. hi` become one token, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    pub operator: Operator,
    /// The token that it belongs to.
    pub site: u32,
    pub lo: u32,
    /// `lo` for an insertion before token `lo`.
    pub hi: u32,
    /// `TokenKind` of the new token, or `NONE` for none.
    pub kind: u32,
    pub value: u32,
}

impl Edit {
    /// One past the last token that it covers: what no other edit of a pair may cover too.
    pub fn end(&self) -> u32 {
        self.hi.max(self.lo + 1)
    }
}

/// The numbering of a base's variants.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub sites: Sites,
    /// Whose operators' edits are counted.
    group: Group,
    /// Of each node the head of its child 0, or `NONE`.
    child: Vec<u32>,
    /// Per token how many blocks of functions begin less those that end, and the same of constant expressions.
    changes: Vec<(i32, i32)>,
}

impl Plan {
    /// Counts the edits of a base without errors, by the operators of a group.
    pub fn build(&mut self, base: View, group: Group) {
        self.group = group;
        let count = base.tokens.kind.len();
        self.child.clear();
        self.child.resize(count, NONE);
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
                self.child[parent as usize] = t as u32;
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
        let first = &mut self.sites.first;
        first.clear();
        let (mut total, mut blocks, mut constants) = (0, 0, 0);
        for t in 0..count {
            first.push(total);
            blocks += self.changes[t].0;
            constants += self.changes[t].1;
            if blocks > 0 && constants == 0 {
                each((base, group), &self.child, t as u32, &mut |_| {
                    total += 1;
                    true
                });
            }
        }
        first.push(total);
    }

    /// How many first-order variants there are.
    pub fn first_order(&self) -> u32 {
        self.sites.first.last().copied().unwrap_or(0)
    }

    /// How many variants of both orders there are.
    pub fn all(&self) -> u32 {
        let n = self.first_order();
        n + (u64::from(n) * u64::from(n.saturating_sub(1)) / 2) as u32
    }

    /// The edit with this number among those of first order.
    pub fn edit(&self, base: View, number: u32) -> Option<Edit> {
        if number >= self.first_order() {
            return None;
        }
        let site = self.sites.first.partition_point(|first| *first <= number).checked_sub(1)?;
        let mut left = number - self.sites.first[site];
        let mut found = None;
        each((base, self.group), &self.child, site as u32, &mut |edit| {
            if left == 0 {
                found = Some(edit);
            }
            left = left.wrapping_sub(1);
            found.is_none()
        });
        found
    }

    /// The edits of a variant, the one of lower number first; the second is `None` for first order.
    pub fn variant(&self, base: View, id: u32) -> Option<(Edit, Option<Edit>)> {
        match pair(self.first_order(), id) {
            None => Some((self.edit(base, id)?, None)),
            Some((i, j)) => Some((self.edit(base, i)?, Some(self.edit(base, j)?))),
        }
    }
}

/// The two first-order numbers of a second-order id, where `n` are of first order; `None` for all other ids.
///
/// Pairs of the same distance (around a circle of all n) stand together, the most distant first.
pub fn pair(n: u32, id: u32) -> Option<(u32, u32)> {
    let p = id.checked_sub(n)?;
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
    (distance > 0).then_some((i.min(j), i.max(j)))
}

/// Writes the tokens of a variant; false if it cannot be: its edits overlap, or there are too many tokens.
pub fn apply(base: &Tokens, first: Edit, second: Option<Edit>, out: &mut Tokens) -> bool {
    let (a, b) = match second {
        Some(second) if second.lo < first.lo => (second, Some(first)),
        second => (first, second),
    };
    if b.is_some_and(|b| b.lo < a.end()) {
        return false;
    }
    for (to, from) in out.columns_mut().into_iter().zip(base.columns()) {
        to.clear();
        to.extend_from_slice(&from[..a.lo as usize]);
        if let Some(b) = b {
            to.resize(to.len() + usize::from(a.kind != NONE), 0);
            to.extend_from_slice(&from[a.hi as usize..b.lo as usize]);
            to.resize(to.len() + usize::from(b.kind != NONE), 0);
            to.extend_from_slice(&from[b.hi as usize..]);
        } else {
            to.resize(to.len() + usize::from(a.kind != NONE), 0);
            to.extend_from_slice(&from[a.hi as usize..]);
        }
    }
    let mut at = a.lo as usize;
    place(base, a, at, out);
    if let Some(b) = b {
        at += usize::from(a.kind != NONE) + (b.lo - a.hi) as usize;
        place(base, b, at, out);
    }
    out.kind.len() <= limits::TOKENS
}

/// The new token of an edit, with the span of what it replaces or stands before.
fn place(base: &Tokens, edit: Edit, at: usize, out: &mut Tokens) {
    if edit.kind == NONE {
        return;
    }
    out.kind[at] = edit.kind;
    out.value[at] = edit.value;
    out.lo[at] = base.lo[edit.lo as usize];
    out.hi[at] = base.hi[edit.end() as usize - 1];
    out.line[at] = base.line[edit.lo as usize];
}

/// Hands the edits of token `t` to `found`, in order, until it returns false.
fn each((base, group): (View, Group), child: &[u32], t: u32, found: &mut dyn FnMut(Edit) -> bool) {
    let View { tokens, tree, checked, .. } = base;
    let at = t as usize;
    let (Some(role), Some(kind)) = (Role::from_u32(tree.role[at]), TokenKind::from_u32(tokens.kind[at])) else {
        return;
    };
    let edit = |operator, lo, hi, kind, value| Edit { operator, site: t, lo, hi, kind, value };
    let replace = |operator, kind: TokenKind| edit(operator, t, t + 1, kind as u32, 0);
    let parent = |role: Role| {
        let parent = tree.parent[at];
        parent != NONE && tree.role[parent as usize] == role as u32
    };
    let first_child_is_int =
        || child[at] != NONE && Type(checked.ty[child[at] as usize]).kind() == ty::KIND_INT;

    match role {
        Role::Binary | Role::Assign => {
            if let Some((operator, family)) = mutation::family(kind, first_child_is_int()) {
                for other in family {
                    if other != kind && !found(replace(operator, other)) {
                        return;
                    }
                }
            }
        }
        Role::Var | Role::Call if !(tree.slot[at] == 0 && parent(Role::Assign)) => {
            let insert = |kind: TokenKind| edit(Operator::UnaryInsertion, t, t, kind as u32, 0);
            let more = match Type(checked.ty[at]).kind() {
                ty::KIND_INT if role == Role::Var => {
                    found(insert(TokenKind::Minus)) && found(insert(TokenKind::Tilde))
                }
                ty::KIND_BOOL => found(insert(TokenKind::Bang)),
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
            if !least && !found(edit(Operator::UnaryRemoval, t, t + 1, NONE, 0)) {
                return;
            }
        }
        Role::Int => {
            let c = tokens.value[at];
            let values = [0, 1, u32::MAX, c.wrapping_add(1), c.wrapping_sub(1)];
            for (i, value) in values.into_iter().enumerate() {
                let new = value != c && !values[..i].contains(&value);
                if new && !found(edit(Operator::Constant, t, t + 1, TokenKind::Int as u32, value)) {
                    return;
                }
            }
        }
        Role::Bool => {
            let other = if kind == TokenKind::True { TokenKind::False } else { TokenKind::True };
            if !found(replace(Operator::Constant, other)) {
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
        if !found(edit(Operator::Deletion, tree.lo[at], hi, NONE, 0)) {
            return;
        }
    }
    let condition = role.is_expression() && tree.slot[at] == 0 && (parent(Role::If) || parent(Role::While));
    if condition && role != Role::Bool {
        for literal in [TokenKind::True, TokenKind::False] {
            if !found(edit(Operator::Condition, tree.lo[at], tree.hi[at], literal as u32, 0)) {
                return;
            }
        }
    }
    if group >= Group::Strong {
        strong(base, t, role, found);
    }
}

/// The edits of token `t` by the operators of the strong group.
fn strong(base: View, t: u32, role: Role, found: &mut dyn FnMut(Edit) -> bool) {
    let View { tokens, tree, checked, .. } = base;
    let at = t as usize;
    let (lo, hi, slot) = (tree.lo[at], tree.hi[at], tree.slot[at]);
    let edit = |operator, lo, hi, kind, value| Edit { operator, site: t, lo, hi, kind, value };
    let above = match tree.parent[at] {
        NONE => None,
        parent => Role::from_u32(tree.role[parent as usize]),
    };
    let is = |token: u32, kind: TokenKind| tokens.kind.get(token as usize) == Some(&(kind as u32));
    let edits: Vec<Edit> = match (role, above) {
        (Role::Break, _) => vec![edit(Operator::Jump, t, t + 1, TokenKind::Continue as u32, 0)],
        (Role::Continue, _) => vec![edit(Operator::Jump, t, t + 1, TokenKind::Break as u32, 0)],
        // With the `else` before it.
        (Role::Block | Role::If, Some(Role::If)) if slot == 2 && lo > 0 => {
            vec![edit(Operator::ElsePart, lo - 1, hi, NONE, 0)]
        }
        (Role::Int | Role::Bool, Some(Role::Return)) => vec![],
        (role, Some(Role::Return)) if role.is_expression() && slot == 0 => {
            let value = |kind: TokenKind, value| edit(Operator::ReturnValue, lo, hi, kind as u32, value);
            match Type(checked.ty[at]).kind() {
                ty::KIND_INT => [0, 1, u32::MAX].map(|number| value(TokenKind::Int, number)).to_vec(),
                ty::KIND_BOOL => [TokenKind::True, TokenKind::False].map(|truth| value(truth, 0)).to_vec(),
                _ => vec![],
            }
        }
        // With the comma behind it, or else the one before.
        (role, Some(Role::List)) if role.is_expression() => {
            let (lo, hi) = match (is(hi, TokenKind::Comma), lo > 0 && is(lo - 1, TokenKind::Comma)) {
                (true, _) => (lo, hi + 1),
                (false, true) => (lo - 1, hi),
                (false, false) => (lo, hi),
            };
            vec![edit(Operator::Element, lo, hi, NONE, 0)]
        }
        _ => vec![],
    };
    for edit in edits {
        if !found(edit) {
            return;
        }
    }
}

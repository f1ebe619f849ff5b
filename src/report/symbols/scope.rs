//! Scopes: where in the text a name refers to a declaration. A block or an item that is not closed reaches to the next item.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::compiler::program::View;
use crate::lang::index::{Index, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// Returns the declarations that a name at a byte could refer to, nearest first: of several with one name, only the one that
/// is in scope.
pub fn in_scope(view: View, byte: usize) -> Vec<TokenId> {
    visible(view, byte, |_| true)
}

/// Returns the declaration that a name refers to: the name of a function that is called, or another one.
pub fn resolve(view: View, name: TokenId, is_call: bool) -> Option<TokenId> {
    let same = |t: TokenId| view.value(t) == view.value(name) && view.is(t, Role::FnName) == is_call;
    visible(view, view.span(name)?.start, same).first().copied()
}

/// Returns the declarations among `wanted` that names at a byte refer to, nearest first.
fn visible(view: View, byte: usize, wanted: impl Fn(TokenId) -> bool) -> Vec<TokenId> {
    // By name and name space: the head of the innermost scope, and the first declaration there.
    let mut nearest: HashMap<(u32, bool), (Option<TokenId>, TokenId)> = HashMap::new();
    for declared in view.nodes().filter(|t| view.role(*t).declares() && wanted(*t)) {
        let Some(head) = head_of_scope(view, declared, byte) else { continue };
        let key = (view.value(declared), view.is(declared, Role::FnName));
        let own = nearest.entry(key).or_insert((head, declared));
        if head > own.0 {
            *own = (head, declared);
        }
    }
    let mut found: Vec<TokenId> = nearest.into_values().map(|(_, declared)| declared).collect();
    found.sort_by_key(|t| (is_global(view, *t), Reverse(*t)));
    found
}

fn is_global(view: View, declared: TokenId) -> bool {
    matches!(view.role(declared), Role::FnName | Role::ConstName)
}

/// Returns the head of a declaration's scope, which is `None` for the program, if that has the byte.
fn head_of_scope(view: View, declared: TokenId, byte: usize) -> Option<Option<TokenId>> {
    let head = view.parent(declared)?;
    // Looking up a child takes time, so most declarations are excluded first.
    let is_inside = matches!(view.role(declared), Role::Param | Role::LoopVar | Role::Binder);
    if is_inside && !whole(view, head).contains(&byte) || !scope(view, declared)?.contains(&byte) {
        return None;
    }
    Some(match view.role(declared) {
        Role::LetName => view.parent(head),
        Role::LoopVar => view.child(head, 3),
        Role::Param => Some(view.child(head, 2).unwrap_or(head)),
        Role::Binder => Some(head),
        _ => None,
    })
}

/// Returns the bytes at which a name refers to a declaration, unless an inner declaration has the same name.
pub fn scope(view: View, declared: TokenId) -> Option<RangeInclusive<usize>> {
    let head = view.parent(declared)?;
    Some(match view.role(declared) {
        Role::FnName | Role::ConstName => 0..=usize::MAX,
        Role::LetName => {
            let block = view.parent(head)?;
            let end = match is_closed(view, block) {
                true => view.extent_span(block)?.end.saturating_sub(1),
                false => *whole(view, block).end(),
            };
            beginning(view, head)?..=end
        }
        Role::LoopVar => whole(view, view.child(head, 3)?),
        Role::Param => whole(view, head),
        Role::Binder => view.span(declared)?.end..=*whole(view, head).end(),
        _ => return None,
    })
}

/// Returns the byte from which the name of a `let` can be used. That of an unfinished one begins on the next line, since its
/// value may be still to come.
fn beginning(view: View, head: TokenId) -> Option<usize> {
    let end = view.extent_span(head)?.end;
    // A `let` without an error has a row for its value.
    if view.rest_of_statement(head).skip(2).any(|t| view.is_node(t)) {
        return Some(end + 1);
    }
    let line = view.source.get(end..)?.find('\n')?;
    Some(end + line + 1)
}

/// Returns the bytes of an item or block. One that is not closed reaches to the next item.
fn whole(view: View, head: TokenId) -> RangeInclusive<usize> {
    let own = view.extent_span(head).unwrap_or_default();
    if is_closed(view, head) {
        return own.start..=own.end;
    }
    let mut after = view.extent(head).end().up_to(view.all().end()).iter();
    let next = after.find(|t| view.kind(*t).begins_item()).and_then(|t| view.span(t));
    own.start..=next.map_or(usize::MAX, |next| own.end.max(next.start.saturating_sub(1)))
}

fn is_closed(view: View, head: TokenId) -> bool {
    let extent = view.extent(head);
    let last = extent.iter().next_back().map(|t| view.kind(t));
    last == Some(TokenKind::RightBrace) || view.kind(extent.end()) == TokenKind::Semicolon
}

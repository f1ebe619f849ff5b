//! Recognizes errors of check that follow from a broken statement and are not mistakes of their own.

use std::collections::{BTreeMap, BTreeSet};

use super::mistakes::Mistake;
use super::outline::{Outline, Statement};
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind::*;

pub struct Consequences<'a> {
    outline: &'a Outline<'a>,
    /// For each token, whether its errors follow from a mistake that is reported.
    explained: Vec<bool>,
    /// Names that broken statements seem to declare, each with the keyword token of its item; `None` outside of
    /// items.
    variables: BTreeSet<(Option<TokenId>, &'a str)>,
    /// Functions that broken items seem to declare.
    functions: BTreeSet<&'a str>,
    /// Variables that are assigned but not declared, each with the token of the first assignment.
    undeclared: BTreeMap<(Option<TokenId>, &'a str), TokenId>,
}

impl<'a> Consequences<'a> {
    pub fn new(outline: &'a Outline<'a>, mistakes: &[Mistake]) -> Self {
        let mut explained = vec![false; outline.view.len() as usize];
        for range in mistakes.iter().flat_map(|mistake| &mistake.covers) {
            let end = range.positions().end.min(explained.len());
            explained[range.positions().start.min(end)..end].fill(true);
        }
        let mut all = Consequences {
            outline,
            explained,
            variables: BTreeSet::new(),
            functions: BTreeSet::new(),
            undeclared: BTreeMap::new(),
        };
        let mut item = None;
        for statement in &outline.statements {
            if outline.kind(statement.first).begins_item() {
                item = Some(statement.first);
            }
            if statement.is_broken || all.explains(statement.first) {
                let is_item = item == Some(statement.first);
                all.declare(statement, item.filter(|_| statement.is_inside || is_item));
            }
        }
        for t in outline.view.all() {
            let is_unknown =
                outline.view.checked_error(t).is_some_and(|(code, _)| code == Code::UnknownVariable);
            if is_unknown && is_assigned(outline, t) {
                all.undeclared.entry((all.item_of(t), outline.text(t))).or_insert(t);
            }
        }
        all
    }

    /// Returns whether the errors of lex and parse at this token are explained by a mistake.
    pub fn explains(&self, t: TokenId) -> bool {
        self.explained.get(t.position()).copied().unwrap_or(false)
    }

    /// Returns whether an error of check follows from another mistake.
    pub fn follows(&self, t: TokenId, code: Code, detail: u32) -> bool {
        if self.explains(t) {
            return true;
        }
        let outline = self.outline;
        match code {
            Code::UnknownVariable => {
                let item = self.item_of(t);
                let name = outline.text(t);
                if self.undeclared.get(&(item, name)).is_some_and(|first| *first < t) {
                    return true;
                }
                self.variables.contains(&(item, name)) || self.variables.contains(&(None, name))
            }
            Code::UnknownFunction => self.functions.contains(outline.text(t)),
            Code::AlreadyDeclared => {
                TokenId::from_word(detail).is_some_and(|first| first != t && self.explains(first))
            }
            Code::OutsideLoop => self.may_be_in_loop(t),
            Code::Unreachable => self.follows_header_without_block(t),
            _ => false,
        }
    }

    fn item_of(&self, t: TokenId) -> Option<TokenId> {
        (t + 1).before().iter().rev().find(|t| self.outline.kind(*t).begins_item())
    }

    /// Records the names that a broken statement seems to declare.
    fn declare(&mut self, statement: &Statement, item: Option<TokenId>) {
        let outline = self.outline;
        let head = outline.kind(statement.first);
        let mut is_declaring = matches!(head, Let | For);
        for t in statement.first.up_to(statement.end) {
            let kind = outline.kind(t);
            // Names, types and brackets, up to the assigned value or the iterated range.
            is_declaring &= matches!(
                kind,
                Let | For
                    | Name
                    | IntType
                    | BoolType
                    | Comma
                    | LeftParen
                    | RightParen
                    | LeftBracket
                    | RightBracket
            );
            if kind != Name {
                continue;
            }
            let before = if t > statement.first { outline.kind(t - 1) } else { Semicolon };
            let after = if t + 1 < statement.end { outline.kind(t + 1) } else { Semicolon };
            let follows_word = matches!(before, Name | IntType | BoolType);
            let is_declared = match after {
                Equal | In => t > statement.first,
                Colon => true,
                Comma | Semicolon | RightParen | LeftBrace | LeftBracket => {
                    matches!(before, IntType | BoolType)
                }
                _ => outline.is(t + 1, Name) && outline.text(t + 1) == "of",
            };
            if is_declaring || is_declared {
                self.variables.insert((item, outline.text(t)));
            }
            let is_function = after == LeftParen && follows_word && !statement.is_inside;
            // A function as the value of a variable.
            if is_function || head == Let && t == statement.first + 1 {
                self.functions.insert(outline.text(t));
            }
        }
    }

    /// Returns whether a block around `t` belongs to a broken statement, which may be meant as a loop.
    fn may_be_in_loop(&self, t: TokenId) -> bool {
        let outline = self.outline;
        let mut depth = 0;
        for t in t.before().iter().rev() {
            match outline.kind(t) {
                RightBrace => depth += 1,
                LeftBrace if depth > 0 => depth -= 1,
                LeftBrace => {
                    let own = outline.statement_of(t).map(|index| outline.statements[index]);
                    if own.is_some_and(|own| own.is_broken || self.explains(own.first)) {
                        return true;
                    }
                }
                kind if kind.begins_item() => return false,
                _ => {}
            }
        }
        false
    }

    /// Returns whether `t` begins the block of a header without braces, or the statement after it.
    fn follows_header_without_block(&self, t: TokenId) -> bool {
        let outline = self.outline;
        let Some(own) = outline.statement_of(t) else { return false };
        (1..=2).any(|back| {
            let header = own.checked_sub(back).map(|index| outline.statements[index]);
            header.is_some_and(|header| {
                header.is_broken
                    && matches!(outline.kind(header.first), If | While | For | Else)
                    && outline.kind(header.end - 1) != LeftBrace
            })
        })
    }
}

/// Returns whether a name is the target of an assignment with `=`.
pub fn is_assigned(outline: &Outline, t: TokenId) -> bool {
    let view = outline.view;
    let assigns = |parent: TokenId| view.kind(parent) == Equal && view.is(parent, Role::Assign);
    view.slot(t) == 0 && view.parent(t).is_some_and(assigns)
}

//! The table of a program's names.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use super::{SymbolKind, declaration, kind, scope, signature};
use crate::compiler::program::Compiled;
use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::lang::ty::Type;
use crate::report::listing;
use crate::report::places::{Lines, Span};
use crate::report::table::{Table, words};
use crate::report::visible::visible;

/// A name of a program; its place is that of its declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolRow {
    pub name: String,
    #[serde(serialize_with = "word")]
    pub kind: SymbolKind,
    /// The type, of a function with its parameters: `(a: int, b: int) -> int`. Empty for a name without a known type.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub ty: String,
    /// The function or property that contains it: `fn gcd`. Absent for names that belong to the whole program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The lines on which it can be used. Absent for tests and properties, which nothing can use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeLines>,
    /// The number of its uses, without the declaration.
    pub uses: u32,
    pub token: TokenId,
    #[serde(flatten)]
    pub span: Span,
}

/// The first and the last line of a scope, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScopeLines {
    pub first: u32,
    pub last: u32,
}

fn word<S: Serializer>(kind: &SymbolKind, to: S) -> Result<S::Ok, S::Error> {
    kind.name().serialize(to)
}

/// Returns all names that a program declares, in the order of the source. It need not compile.
pub fn rows(program: &Compiled) -> Vec<SymbolRow> {
    let (view, lines) = (program.view(), Lines::new(&program.text));
    let mut uses: HashMap<TokenId, u32> = HashMap::new();
    for declared in view.all().iter().filter(|t| !view.role(*t).declares()).filter_map(|t| declaration(view, t))
    {
        *uses.entry(declared).or_default() += 1;
    }
    let line = |byte: usize| lines.place(byte.min(program.text.trim_end().len())).line;
    let mut item = None;
    let mut rows = Vec::new();
    for token in view.nodes() {
        if matches!(view.role(token), Role::Fn | Role::Const | Role::Test | Role::Prop) {
            item = Some(listing::heading(program, token));
        }
        let Some(kind) = kind(view, token) else { continue };
        let is_inside = matches!(kind, SymbolKind::Parameter | SymbolKind::Variable | SymbolKind::Binder);
        let ty = match (kind, view.ty(token)) {
            (SymbolKind::Test | SymbolKind::Property, _) => Type::BOOL.to_string(),
            (SymbolKind::Function, _) => signature(view, token)
                .and_then(|whole| whole.find('(').map(|from| whole[from..].to_string()))
                .unwrap_or_default(),
            (_, Type::UNKNOWN) => String::new(),
            (_, ty) => ty.to_string(),
        };
        rows.push(SymbolRow {
            name: view.text(token).trim_matches('"').to_string(),
            kind,
            ty,
            item: item.clone().filter(|_| is_inside),
            scope: scope(view, token).map(|scope| ScopeLines {
                first: line(*scope.start()),
                last: line((*scope.end()).max(*scope.start())),
            }),
            uses: uses.get(&token).copied().unwrap_or(0),
            token,
            span: lines.span(view.span(token).unwrap_or_default()),
        });
    }
    rows
}

impl SymbolRow {
    /// Returns the name, indented if it belongs to an item.
    pub fn indented(&self) -> String {
        format!("{}{}", if self.item.is_some() { "  " } else { "" }, visible(&self.name))
    }

    /// Returns the lines of the scope: `3–9`, or `–` without one.
    pub fn lines(&self) -> String {
        match self.scope {
            None => "–".to_string(),
            Some(ScopeLines { first, last }) if first == last => first.to_string(),
            Some(ScopeLines { first, last }) => format!("{first}–{last}"),
        }
    }
}

/// Formats the names as a table.
pub fn page(rows: &[SymbolRow]) -> String {
    let mut table = Table::new(["name", "kind", "type", "scope", "place", "uses"].map(words));
    for row in rows {
        let place = format!("{}:{}", row.span.line, row.span.column);
        table.row(&[&row.indented(), &row.kind.name(), &row.ty, &row.lines(), &place, &row.uses]);
    }
    table.text("")
}

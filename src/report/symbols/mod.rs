//! The names of a program: where each is declared and used, what it is, and which are in scope at a place.

mod builtins;
mod call;
mod expected;
mod rename;
mod scope;
mod table;
mod written;

use crate::compiler::program::View;
use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::lang::ty::Type;
pub use builtins::{Builtin, builtin, builtins};
pub use call::{CallAround, call_around, called};
pub use expected::Expected;
pub use rename::{Renamed, rename};
pub use scope::in_scope;
use scope::scope;
pub use table::{ScopeLines, SymbolRow, page, rows};
pub use written::is_call;

/// The kind of a declared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    Function,
    Constant,
    Parameter,
    Variable,
    /// A name that a property ranges over.
    Binder,
    Test,
    Property,
}

impl SymbolKind {
    /// Returns the kind in a word.
    pub fn name(self) -> &'static str {
        match self {
            SymbolKind::Function => "function",
            SymbolKind::Constant => "constant",
            SymbolKind::Parameter => "parameter",
            SymbolKind::Variable => "variable",
            SymbolKind::Binder => "binder",
            SymbolKind::Test => "test",
            SymbolKind::Property => "property",
        }
    }
}

/// Returns what the name that `declaration` declares is; `None` if the token declares none.
pub fn kind(view: View, declaration: TokenId) -> Option<SymbolKind> {
    match view.role(declaration) {
        Role::FnName => Some(SymbolKind::Function),
        Role::ConstName => Some(SymbolKind::Constant),
        Role::Param => Some(SymbolKind::Parameter),
        Role::LetName | Role::LoopVar => Some(SymbolKind::Variable),
        Role::Binder => Some(SymbolKind::Binder),
        Role::Label => match view.role(view.parent(declaration)?) {
            Role::Test => Some(SymbolKind::Test),
            Role::Prop => Some(SymbolKind::Property),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the token that declares the name at a token; `None` if the token is no name, a built-in's, or an unknown one.
pub fn declaration(view: View, t: TokenId) -> Option<TokenId> {
    match view.role(t) {
        role if role.declares() => Some(t),
        Role::Var | Role::Call => view.declaration(t),
        _ => written::declaration(view, t),
    }
}

/// Returns the declaration and all uses of a name, in source order.
pub fn uses(view: View, declared: TokenId) -> Vec<TokenId> {
    let same = |t: &TokenId| view.value(*t) == view.value(declared);
    view.all().iter().filter(same).filter(|t| declaration(view, *t) == Some(declared)).collect()
}

/// Returns a declaration in the language's syntax, with its type: `fn gcd(a: int, b: int) -> int`, `let t: int`.
pub fn signature(view: View, declared: TokenId) -> Option<String> {
    let typed = |t: TokenId| format!("{}: {}", view.text(t), written::type_of(view, t));
    Some(match view.role(declared) {
        Role::FnName => {
            let head = view.parent(declared)?;
            let mut parameters: Vec<TokenId> = view
                .extent(head)
                .iter()
                .filter(|t| view.is(*t, Role::Param) && view.parent(*t) == Some(head))
                .collect();
            parameters.sort_by_key(|t| view.slot(*t));
            let parameters: Vec<String> = parameters.into_iter().map(typed).collect();
            format!(
                "fn {}({}) -> {}",
                view.text(declared),
                parameters.join(", "),
                written::type_of(view, declared)
            )
        }
        Role::ConstName if view.ty(declared) == Type::UNKNOWN => format!("const {}", view.text(declared)),
        Role::ConstName => format!("const {} = {}", typed(declared), constant(view, declared)),
        Role::LetName => format!("let {}", typed(declared)),
        Role::LoopVar => format!("for {}", typed(declared)),
        Role::Param | Role::Binder => typed(declared),
        _ => return None,
    })
}

fn constant(view: View, declared: TokenId) -> String {
    let word = view.constant(declared);
    if view.ty(declared) == Type::BOOL { (word != 0).to_string() } else { (word as i32).to_string() }
}

/// Returns the comment directly above the item that declares a function or a constant, without its slashes.
pub fn comment(view: View, declared: TokenId) -> String {
    let item = view.parent(declared).filter(|_| matches!(view.role(declared), Role::FnName | Role::ConstName));
    let Some(bytes) = item.and_then(|item| view.span(item)) else { return String::new() };
    let above = view.source.get(..bytes.start).unwrap_or("");
    let above = above.rsplit_once('\n').map_or("", |(above, _)| above);
    let lines = above.lines().rev().map_while(|line| line.trim().strip_prefix("//"));
    let mut lines: Vec<&str> = lines.map(str::trim).collect();
    lines.reverse();
    lines.join("\n")
}

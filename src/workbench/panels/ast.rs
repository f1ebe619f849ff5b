//! The AST panel: the syntax tree with one row per node, indented by depth, and the types found by check.

use ratatui::text::{Line, Span};

use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::lang::ty::Type;
use crate::workbench::panels::{List, tokens};
use crate::workbench::state::State;
use crate::workbench::text::visible;
use crate::workbench::theme::{Look, Theme};

fn is_type(role: Role) -> bool {
    matches!(role, Role::TypeInt | Role::TypeBool | Role::TypeList)
}

/// The maximum indent; deeper nodes show their depth. Chains of thousands of operators are legal.
const DEEPEST: u16 = 24;

pub struct Ast;

impl List for Ast {
    fn count(&self, state: &State) -> usize {
        state.inspected().map_or(0, |s| s.nodes.len())
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        state.base_token(state.inspected()?.nodes.get(row)?.0)
    }

    fn line(&self, state: &State, row: usize, _: usize, theme: &Theme) -> Line<'static> {
        let Some((shown, (token, depth))) = state.inspected().and_then(|s| Some((s, *s.nodes.get(row)?)))
        else {
            return Line::default();
        };
        let view = shown.compiled.view();
        let (role, ty) = (view.role(token), view.ty(token));
        // Omit keywords and brackets, which repeat the role, and the text of types.
        let text = match view.text(token) {
            "{" | "[" | "(" => String::new(),
            text if role.ident().eq_ignore_ascii_case(text) || is_type(role) => String::new(),
            text => visible(text),
        };
        let mut spans =
            vec![Span::styled("│ ".repeat(usize::from(depth.min(DEEPEST))), theme.style(Look::Rule))];
        if depth > DEEPEST {
            spans.push(Span::styled(format!("{depth} "), theme.style(Look::Dim)));
        }
        let look = match role {
            Role::Broken => Look::Dim,
            role if role.declares() => Look::Function,
            role if role.is_expression() => Look::Text,
            _ => Look::Keyword,
        };
        // The mark of its token shows an error or an unfinished part.
        let name = if role == Role::Broken { "Statement" } else { role.ident() };
        spans.push(Span::styled(name, theme.style(look)));
        if !text.is_empty() {
            spans.push(Span::styled(format!(" {text}"), theme.style(Look::Str)));
        }
        if ty != Type::UNKNOWN {
            spans.push(Span::styled(format!("  {ty}"), theme.style(Look::Type)));
        }
        spans.extend(tokens::flaw(state, token, theme));
        Line::from(spans)
    }
}

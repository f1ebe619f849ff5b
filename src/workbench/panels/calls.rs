//! The Calls panel: the call graph of the program as an indented tree.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::lang::index::{EntryId, TokenId};
use crate::report::calls::{TreeMark, TreeRow};
use crate::session::{BlockProfile, Graph};
use crate::workbench::panels::List;
use crate::workbench::state::{Link, State};
use crate::workbench::text::visible;
use crate::workbench::theme::{Look, Theme};

/// The column at which effects begin, where names are shorter, in cells.
const NAME: usize = 18;

pub struct PanelCalls;

/// Returns the graph of the shown program.
fn graph(state: &State) -> Option<&Graph> {
    state.shown().filter(|shown| shown.is_lowered())?;
    Some(&state.results.findings.current::<BlockProfile>()?.graph)
}

fn tree(state: &State) -> &[TreeRow] {
    graph(state).map_or(&[], |graph| &graph.tree)
}

impl List for PanelCalls {
    fn count(&self, state: &State) -> usize {
        tree(state).len()
    }

    /// Returns the call, or the item itself at the top of the tree.
    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        tree(state).get(row).map(|row| row.token)
    }

    fn line(&self, state: &State, row: usize, _: usize, theme: &Theme) -> Line<'static> {
        let Some((graph, row)) = graph(state).and_then(|graph| Some((graph, graph.tree.get(row)?))) else {
            return Line::default();
        };
        let own = &graph.calls[row.row];
        let guides = "│ ".repeat(row.depth);
        let has_no_name = !own.is_function && !own.routine.contains(' ');
        let label = state.shown().filter(|_| has_no_name).and_then(|shown| {
            let is_own =
                |entry: &EntryId| Some(own.token) == shown.compiled.entry(*entry).map(|own| own.head());
            Some(shown.label(shown.compiled.entries().iter().find(is_own)?))
        });
        let name = row.name(&graph.calls);
        let name = label.map_or(name.trim_start().to_string(), |label| format!("{} {label}", own.routine));
        let name = visible(&name);
        let gap = " ".repeat(NAME.saturating_sub(guides.width() + name.width()));
        let look = match row.mark {
            TreeMark::None if own.effects.traps => Look::Warning,
            TreeMark::Recursive => Look::Keyword,
            _ => Look::Dim,
        };
        Line::from(vec![
            Span::styled(guides, theme.style(Look::Rule)),
            Span::styled(name, theme.style(if own.is_function { Look::Function } else { Look::Str })),
            Span::styled(format!("{gap}  {}", row.note(&graph.calls)), theme.style(look)),
        ])
    }

    /// Returns the call under the cursor, or else the item around it.
    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        let (rows, shown) = (tree(state), state.shown()?);
        let call = rows.iter().position(|row| row.token == link.node);
        let part = || rows.iter().position(|row| row.depth > 0 && link.tokens.contains(row.token));
        let item = || {
            let calls = &graph(state)?.calls;
            rows.iter().position(|row| shown.extent_tokens(calls[row.row].token).contains(link.token))
        };
        call.or_else(part).or_else(item)
    }
}

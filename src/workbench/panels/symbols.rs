//! The Symbols panel: all names of the program.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::lang::index::TokenId;
use crate::report::symbols::{SymbolKind, SymbolRow, declaration};
use crate::workbench::panels::List;
use crate::workbench::state::{Link, State};
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// Widths of columns, in cells: the longest kind, the lines of the scope, the number of uses.
const KIND: usize = 9;
const LINES: usize = 7;
const USES: usize = 4;
/// The greatest widths of names and types.
const NAME: usize = 24;
const TYPE: usize = 40;

pub struct Symbols;

fn rows(state: &State) -> &[SymbolRow] {
    state.shown().map_or(&[], |shown| shown.symbols())
}

impl List for Symbols {
    fn count(&self, state: &State) -> usize {
        rows(state).len()
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        rows(state).get(row).map(|row| row.token)
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        let Some(own) = rows(state).get(row) else { return Line::default() };
        let names = rows(state).iter().map(|row| row.indented().width()).max().unwrap_or(0);
        // The rest of the row is for the type.
        let fixed = KIND + LINES + USES + 4;
        let name = names.min(NAME).min(width.saturating_sub(fixed + 4).max(6));
        let types = width.saturating_sub(fixed + name).min(TYPE);
        let look = match own.kind {
            SymbolKind::Function => Look::Function,
            SymbolKind::Constant => Look::Number,
            SymbolKind::Test | SymbolKind::Property => Look::Str,
            _ => Look::Text,
        };
        let padded = |text: &str, cells: usize| {
            let text = fit(&visible(text), cells);
            format!("{text}{} ", " ".repeat(cells.saturating_sub(text.width())))
        };
        let uses = format!("{:>USES$}", format!("×{}", own.uses));
        Line::from(vec![
            Span::styled(padded(&own.indented(), name), theme.style(look)),
            Span::styled(padded(own.kind.name(), KIND), theme.style(Look::Dim)),
            Span::styled(padded(&own.ty, types), theme.style(Look::Type)),
            Span::styled(padded(&own.lines(), LINES), theme.style(Look::LineNumber)),
            Span::styled(uses, theme.style(if own.uses == 0 { Look::Dim } else { Look::Number })),
        ])
    }

    /// Returns the declaration of the name under the cursor, or else the item around it.
    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        let shown = state.shown()?;
        let view = shown.compiled.view();
        let of = |token: TokenId| rows(state).iter().position(|row| row.token == token);
        let declared = declaration(view, link.token).or_else(|| declaration(view, link.node));
        declared.and_then(of).or_else(|| {
            rows(state).iter().position(|row| {
                let head = view.parent(row.token).filter(|_| row.item.is_none());
                head.is_some_and(|head| view.extent(head).contains(link.token))
            })
        })
    }
}

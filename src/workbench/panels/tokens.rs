//! The Tokens panel: the output of lex, with one row per token.

use ratatui::text::{Line, Span};

use crate::lang::index::{Index, TokenId};
use crate::lang::token::TokenKind;
use crate::report::align::Comparable;
use crate::workbench::panels::List;
use crate::workbench::state::{Link, State};
use crate::workbench::text::{columns, visible};
use crate::workbench::theme::{Look, Theme};

/// The width of a place, in cells; and of the columns around that of kinds, which is narrow where they have no room.
const PLACE: usize = 6;
const OTHERS: usize = 5 + 1 + PLACE + 1 + 7;

/// Returns the mark of what is wrong at a token.
pub fn flaw(state: &State, token: TokenId, theme: &Theme) -> Option<Span<'static>> {
    let mark = state.flaw_of(token)?;
    Some(Span::styled(format!(" {}", mark.glyph), theme.style(mark.look)))
}

pub struct Tokens;

impl List for Tokens {
    fn count(&self, state: &State) -> usize {
        state.inspected().map_or(0, |s| s.compiled.view().len() as usize)
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        state.base_token((row < self.count(state)).then_some(TokenId::at(row))?)
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        let Some(shown) = state.inspected() else { return Line::default() };
        let (view, token) = (shown.compiled.view(), TokenId::at(row));
        let kinds = shown.kind_width().min(width.saturating_sub(OTHERS));
        let kind = view.kind(token);
        let (line, column) = shown.place(shown.span(token).map_or(0, |bytes| bytes.start as u32));
        let text = visible(view.text(token));
        let look = match kind {
            TokenKind::Error => Look::Bad,
            TokenKind::Int | TokenKind::Char => Look::Number,
            TokenKind::Str => Look::Str,
            TokenKind::Name => Look::Text,
            k if k.spelling().is_some_and(|s| s.starts_with(|c: char| c.is_ascii_alphabetic())) => {
                Look::Keyword
            }
            _ => Look::Operator,
        };
        let (number, place) = (format!("{row:>4}"), format!("{line}:{column}"));
        let flaw = flaw(state, token, theme);
        let texts = [(&*number, 4), (kind.ident(), kinds), (&*place, PLACE), (&*text, 0)];
        let columns = columns(&texts, width.saturating_sub(flaw.as_ref().map_or(0, Span::width)));
        let looks = [Look::Dim, Look::Text, Look::Dim, look];
        let styled = |(text, look): (String, Look)| Span::styled(text, theme.style(look));
        let mut spans: Vec<Span> = columns.into_iter().zip(looks).map(styled).collect();
        spans.extend(flaw);
        Line::from(spans)
    }

    /// Neither the number of a token nor its place counts.
    fn comparable(&self, state: &State, row: usize) -> Comparable {
        let Some(shown) = state.inspected() else { return Comparable::default() };
        let (view, token) = (shown.compiled.view(), TokenId::at(row));
        Comparable::of(format!("{} {}", view.kind(token).ident(), view.text(token)))
    }

    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        Some(state.inspected_token(link.token)?.position()).filter(|row| *row < self.count(state))
    }
}

//! Ladder: the line under the cursor through all phases of the compiler.

use ratatui::text::{Line, Span};

use crate::session::Ladder as Climbed;
use crate::workbench::ladder::{self, LadderKey, LadderView};
use crate::workbench::panels::{List, Panel};
use crate::workbench::state::State;
use crate::workbench::theme::Theme;

pub struct Listed;

impl List for Listed {
    fn count(&self, state: &State) -> usize {
        state.ladder.rows.len()
    }

    fn token(&self, state: &State, row: usize) -> Option<u32> {
        state.ladder.rows.get(row)?.token
    }

    fn line(&self, state: &State, row: usize, _: usize, theme: &Theme) -> Line<'static> {
        let Some(row) = state.ladder.rows.get(row) else { return Line::default() };
        Line::from_iter(row.parts.iter().map(|(look, text)| Span::styled(text.clone(), theme.style(*look))))
    }
}

/// Its title with the line.
pub fn tab(state: &State) -> Vec<String> {
    let title = Panel::LADDER.title();
    let known = (!state.ladder.rows.is_empty()).then(|| format!("{title} line {}", state.ladder.key.line));
    known.into_iter().chain(Panel::LADDER.titles()).collect()
}

impl State {
    /// Makes the rows anew where they show and are of something else.
    pub fn refresh_ladder(&mut self) {
        if self.layout().slot(Panel::LADDER).is_none() {
            return;
        }
        let Some(shown) = self.shown() else { return };
        let under_cursor = self.results.shown_drift.back(self.buffer.byte_of(self.buffer.head()));
        let under_cursor = under_cursor.and_then(|byte| shown.token_at(byte));
        let linked = self.link().map(|link| link.token);
        let place = |token: u32| shown.span(token).map(|span| shown.place(span.start as u32).0);
        // Its own rows stand for tokens of the line that it shows. Where nothing is under the cursor, the line stays.
        let of_line = if self.focus == Panel::LADDER { under_cursor } else { linked };
        let line = of_line.and_then(place).unwrap_or(self.ladder.key.line.max(1));
        let token = linked.or(under_cursor).filter(|token| place(*token) == Some(line));
        let climbed = self.results.findings.current::<Climbed>();
        let key = LadderKey { revision: shown.revision, line, token, climbed: climbed.is_some() };
        if key != self.ladder.key || self.ladder.rows.is_empty() {
            let rows = ladder::rows(shown, line, token, climbed);
            self.ladder = LadderView { key, rows };
        }
    }
}

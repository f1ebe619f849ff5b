//! The IR panel: the chosen form of the intermediate code, with one row per instruction; or the passes that
//! changed one function.

use ratatui::text::Line;

use crate::host::measure::numbers::grouped;
use crate::lang::index::TokenId;
use crate::lang::level::OptLevel;
use crate::report::align::Comparable;
use crate::session::Learning;
use crate::workbench::listing::{CodeRow, Listing};
use crate::workbench::panels::{List, WHOLE_ROW, code, explained, steps};
use crate::workbench::results::{Shown, StepsRow};
use crate::workbench::state::{IrView, State};
use crate::workbench::theme::Theme;

pub struct Ir;

impl List for Ir {
    fn count(&self, state: &State) -> usize {
        if let Some(steps) = state.ir_steps() {
            return steps.len();
        }
        rows(state).map_or(0, |(_, rows)| rows.len())
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        if let Some(steps) = state.ir_steps() {
            return state.base_token(steps.get(row)?.token?);
        }
        state.base_token(rows(state)?.1.get(row)?.token()?)
    }

    /// A row of a pass is about the pass.
    fn explains(&self, state: &State, row: usize) -> Vec<String> {
        let text = self.line(state, row, WHOLE_ROW, &Theme::plain()).to_string();
        match state.ir_steps().and_then(|steps| steps.get(row)) {
            Some(step) if step.token.is_none() => explained::passes(&text),
            _ => explained::terms(&text),
        }
    }

    fn comparable(&self, state: &State, row: usize) -> Comparable {
        if let Some(steps) = state.ir_steps() {
            return steps.get(row).map(StepsRow::comparable).unwrap_or_default();
        }
        let rows = rows(state);
        rows.and_then(|(_, rows)| rows.get(row)).map(CodeRow::comparable).unwrap_or_default()
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        if let Some(steps) = state.ir_steps() {
            return steps.get(row).map_or(Line::default(), |row| steps::line(row, theme));
        }
        match rows(state) {
            Some((shown, rows)) => code::line(shown, rows, row, width, theme),
            None => Line::default(),
        }
    }
}

/// Returns the rows of the chosen form.
fn rows(state: &State) -> Option<(&Shown, &Listing)> {
    let shown = state.inspected()?;
    Some(match state.screen.ir_view {
        IrView::Lowered => (shown, shown.lowered_rows()),
        IrView::Pass(n) => match shown.passes().get(n) {
            Some(pass) => (shown, &pass.rows),
            None => (shown, shown.ir_rows()),
        },
        IrView::Optimized => (shown, shown.ir_rows()),
    })
}

/// Returns the form and the level, because the rows do not show them.
pub fn figures(state: &State) -> Vec<String> {
    let (Some(shown), State { screen, .. }) = (state.inspected(), state) else { return Vec::new() };
    let mut level = state.engine.level.name(shown.compiled.level);
    if let Some(learning) =
        state.results.findings.last::<Learning>().filter(|_| shown.compiled.level == OptLevel::Learned)
    {
        level.push_str(&format!(": {} of {} searched", learning.done, learning.all));
    }
    let pass = match screen.ir_view {
        IrView::Pass(n) => shown.passes().get(n),
        _ => None,
    };
    let [form, short] = match pass {
        // The lowered code is the same at all levels.
        _ if screen.ir_view == IrView::Lowered => ["as lowered".to_string(), "lowered".to_string()],
        Some(pass) => [format!("{level} after {}", pass.name), pass.name.to_string()],
        None => [level, format!("level {}", shown.compiled.level.number())],
    };
    let steps = shown.ruled.as_ref().map(|ruled| ruled.rules.applied.steps.map(grouped));
    let steps = steps.map(|[before, after]| {
        let long = format!("{form}, {after} steps instead of {before} on the processor");
        [long, format!("{form}, {before} → {after} steps")]
    });
    steps.into_iter().flatten().chain([form, short]).collect()
}

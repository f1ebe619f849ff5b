//! The steps of the IR panel: one row for each pass that changed the code of one function, with the chosen pass
//! unfolded: its description and the difference that it made.

use ratatui::text::{Line, Span};

use crate::host::measure::numbers::plural;
use crate::report::align::Comparable;
use crate::report::listing;
use crate::report::steps::{Remark, ReportStep, StepRow};
use crate::workbench::listing::CodeRow;
use crate::workbench::panels::{self, Panel};
use crate::workbench::results::{RULE, Shown, StepsKey, StepsRow, StepsView};
use crate::workbench::state::{IrView, State};
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// The indent of text below a pass, in cells.
const INDENT: usize = 2;
/// The instructions before and after a change that are shown with the reasons.
const CONTEXT: usize = 1;

impl State {
    /// Returns the rows of the steps, if the IR panel shows these. While the user predicts, it does not, because
    /// they would reveal the answers.
    pub fn ir_steps(&self) -> Option<&[StepsRow]> {
        let is_step = matches!(self.screen.ir_view, IrView::Pass(_)) && self.predict.is_none();
        is_step.then_some(&*self.screen.steps.rows)
    }

    /// Follows the cursor to another routine, and rebuilds the rows if their inputs have changed.
    pub fn refresh_steps(&mut self) {
        let Some(base) = self.shown().filter(|shown| shown.is_lowered()).cloned() else { return };
        if let Some(routine) = self.routine_under_cursor(&base) {
            self.screen.ir_routine = routine;
        }
        let Some(shown) = self.inspected().filter(|shown| shown.is_lowered()).cloned() else {
            self.screen.steps = StepsView::default();
            return;
        };
        let IrView::Pass(number) = self.screen.ir_view else { return };
        let key = StepsKey {
            revision: shown.revision,
            mutant: self.mutants.own.as_ref().map(|own| own.key.1),
            routine: self.screen.ir_routine,
            number,
            reasons: self.screen.ir_reasons,
            cells: panels::cells(self, Panel::IR),
        };
        if self.screen.steps.key.as_ref() != Some(&key) {
            let (rows, chosen) = rows(&shown, &key);
            self.screen.steps = StepsView { rows, chosen, key: Some(key) };
        }
    }

    /// Returns the routine that the IR panel is about, unless it stays the same.
    fn routine_under_cursor(&self, shown: &Shown) -> Option<usize> {
        if self.screen.focus == Panel::EDITOR {
            let byte = self.document.buffer.byte_of(self.document.buffer.head());
            return shown.routine_at(self.results.shown_drift.back(byte)?);
        }
        if self.screen.focus != Panel::IR {
            return shown.routine_of(self.link()?.token);
        }
        // Inlined code has tokens of other functions, so the listing's headings count.
        let own = self.inspected()?;
        let listing = match self.screen.ir_view {
            IrView::Lowered => own.lowered_rows(),
            IrView::Optimized => own.ir_rows(),
            IrView::Pass(_) => return None,
        };
        let above = listing.iter().take(self.list(Panel::IR).selected + 1);
        let headings = above.filter(|row| matches!(row, CodeRow::Heading(..))).count();
        shown.routine_in_order(headings.saturating_sub(1))
    }

    /// Selects the first row of the routine under the cursor in the IR panel.
    pub fn select_routine(&mut self) {
        let Some(shown) = self.inspected() else { return };
        let listing = match self.screen.ir_view {
            IrView::Lowered => shown.lowered_rows(),
            IrView::Optimized => shown.ir_rows(),
            IrView::Pass(_) => return,
        };
        let headings = listing.iter().enumerate().filter(|(_, row)| matches!(row, CodeRow::Heading(..)));
        let order = shown.order_of_routine(self.screen.ir_routine);
        if let Some((row, _)) = { headings }.nth(order) {
            self.screen.select(Panel::IR, row);
        }
    }

    /// Returns the numbers of the passes that changed the routine's code.
    pub fn step_numbers(&self) -> Vec<usize> {
        let Some(shown) = self.inspected() else { return vec![] };
        match self.predict {
            Some(_) => (0..shown.passes().len()).collect(),
            None => shown.steps(self.screen.ir_routine).iter().map(|step| step.number).collect(),
        }
    }

    /// Selects the row of the chosen pass, at the top of the panel.
    pub fn reveal_step(&mut self) {
        self.refresh_steps();
        if self.ir_steps().is_some() {
            let row = self.screen.steps.chosen;
            let view = &mut self.screen.lists[Panel::IR.index()];
            (view.selected, view.top) = (row, row);
        }
    }

    /// Shows or hides the reasons, and keeps the row chosen, or the nearest before it that is shown.
    pub fn toggle_reasons(&mut self) {
        let selected = self.list(Panel::IR).selected;
        let mut before = self.screen.steps.rows.clone();
        before.truncate(selected + 1);
        self.screen.ir_reasons = !self.screen.ir_reasons;
        self.refresh_steps();
        let StepsView { rows, chosen, .. } = &self.screen.steps;
        let after = |row: &StepsRow| rows.iter().skip(chosen + 1).position(|own| own == row);
        let same = before.iter().skip(chosen + 1).rev().find_map(after);
        self.screen.select(Panel::IR, same.map_or(*chosen, |row| chosen + 1 + row));
    }
}

/// Builds the rows; also returns the index of the chosen pass's row.
fn rows(shown: &Shown, key: &StepsKey) -> (Vec<StepsRow>, usize) {
    let steps = shown.steps(key.routine);
    let name = shown.routine_name(key.routine);
    if steps.is_empty() {
        let mut rows = vec![StepsRow::of(Look::Dim, format!("no pass changes {name}"))];
        add_remarks(shown, key, &mut rows);
        add_rules(shown, key, &mut rows);
        return (rows, 0);
    }
    let last = steps.iter().rposition(|step| step.number <= key.number).unwrap_or(0);
    let mut rows = Vec::new();
    let mut chosen = 0;
    for (at, step) in steps.iter().enumerate() {
        if at != last {
            rows.push(StepsRow::of(Look::Text, format!("▸ {}", step.did)));
            continue;
        }
        chosen = rows.len();
        rows.push(StepsRow {
            parts: vec![
                (Look::Heading, format!("▾ {}", step.did)),
                (Look::Dim, format!("  {} of {} in {name}", at + 1, steps.len())),
            ],
            ..StepsRow::default()
        });
        unfold(shown, step, key, &mut rows);
    }
    add_remarks(shown, key, &mut rows);
    add_rules(shown, key, &mut rows);
    (rows, chosen)
}

/// Adds the effect of the rules on the whole program.
fn add_rules(shown: &Shown, key: &StepsKey, rows: &mut Vec<StepsRow>) {
    let effect = shown.ruled.as_ref().map(|ruled| ruled.rules.applied.effect("in the whole program the rules"));
    rows.extend(effect.into_iter().flat_map(|effect| prose(Look::Text, &effect, key.cells)));
}

/// Returns lines of prose below a heading.
fn prose(look: Look, text: &str, cells: usize) -> impl Iterator<Item = StepsRow> + use<> {
    let lines = wrap(&visible(text), cells.saturating_sub(INDENT).max(10));
    lines.into_iter().map(move |line| StepsRow::of(look, format!("{:INDENT$}{line}", "")))
}

/// Adds what level 2 does not expand in the function: the number of places, or the reasons.
fn add_remarks(shown: &Shown, key: &StepsKey, rows: &mut Vec<StepsRow>) {
    let own = |remark: &&Remark| shown.routine_of(remark.token) == Some(key.routine);
    let remarks: Vec<&Remark> = shown.remarks().iter().filter(own).collect();
    if remarks.is_empty() {
        return;
    }
    let places = plural(remarks.len() as u64, "place");
    let sign = if key.reasons { '▾' } else { '▸' };
    let ask = if key.reasons { "" } else { "; y says why" };
    rows.push(StepsRow::of(Look::Dim, format!("{sign} {places} not expanded{ask}")));
    for remark in remarks.into_iter().filter(|_| key.reasons) {
        let text = prose(Look::Warning, &format!("{}: line {}", remark.text, remark.span.line), key.cells);
        rows.extend(text.map(|row| StepsRow { token: Some(remark.token), ..row }));
    }
}

/// Adds the description and the difference of a pass.
fn unfold(shown: &Shown, step: &ReportStep, key: &StepsKey, rows: &mut Vec<StepsRow>) {
    let ask = if key.reasons || step.name == RULE { "" } else { "; y says why" };
    rows.extend(prose(Look::Dim, &format!("{}{ask}", step.summary), key.cells));
    let lines = step.rows.iter().filter_map(|row| match row {
        StepRow::Equal(line) | StepRow::Removed(line) | StepRow::Added(line) => Some(line),
        StepRow::Reason(..) => None,
    });
    let op = lines.clone().map(|line| line.op.len()).max().unwrap_or(0);
    let at = lines.map(|line| line.at.to_string().len()).max().unwrap_or(0);
    let code = |sign: char, look: Look, line: &listing::Line| {
        let code = format!("{sign} {:>at$} {:<op$} {}", line.at, line.op, visible(&line.operands));
        let span = line.token.and_then(|token| shown.span(token));
        let (number, column) = span.map_or((0, 0), |span| shown.place(span.start as u32));
        let own = line.comparable();
        // A removed instruction has an address of the code before.
        let at = if sign == '-' { None } else { own.at };
        StepsRow {
            token: line.token,
            parts: vec![(look, code), (Look::Comment, format!("  {number}:{column}"))],
            code: Some(Comparable { text: format!("{sign} {}", own.text), at, ..own }),
        }
    };
    // A change's rows wait for its reason, which precedes them.
    let (mut change, mut equal) = (Vec::new(), Vec::new());
    for row in &step.rows {
        match row {
            StepRow::Equal(line) => {
                rows.append(&mut change);
                equal.push(code(' ', Look::Dim, line));
                continue;
            }
            StepRow::Removed(line) => change.push(code('-', Look::Removed, line)),
            StepRow::Added(line) => change.push(code('+', Look::Added, line)),
            StepRow::Reason(text, token) if key.reasons => {
                let reason = prose(Look::Warning, text, key.cells);
                rows.extend(reason.map(|row| StepsRow { token: *token, ..row }));
            }
            StepRow::Reason(..) => {}
        }
        keep(&mut equal, key.reasons, rows);
    }
    rows.append(&mut change);
    keep(&mut equal, key.reasons, rows);
}

/// Adds instructions that stay as they are; with reasons, only those next to changes.
fn keep(equal: &mut Vec<StepsRow>, reasons: bool, rows: &mut Vec<StepsRow>) {
    if reasons && equal.len() > 2 * CONTEXT + 1 {
        let count = equal.len() - 2 * CONTEXT;
        let text = format!("{:INDENT$}⋯ {} as before", "", plural(count as u64, "instruction"));
        equal.splice(CONTEXT..CONTEXT + count, [StepsRow::of(Look::Dim, text)]);
    }
    rows.append(equal);
}

pub fn line(row: &StepsRow, theme: &Theme) -> Line<'static> {
    Line::from_iter(row.parts.iter().map(|(look, text)| Span::styled(text.clone(), theme.style(*look))))
}

//! The Rounds panel: how the device compiles the program, one step of all threads at a time.

use std::borrow::Cow;

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::compiler::rounds::{SiteKind, StageRounds};
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::TokenId;
use crate::session::{Compared, Device, Found, Progress, Rounds};
use crate::workbench::panels::{List, Panel, cells};
use crate::workbench::results::Results;
use crate::workbench::rounds::{Cell, RoundRow, RoundsView};
use crate::workbench::state::{EngineInfo, State};
use crate::workbench::text::{fit, visible, wrap};
use crate::workbench::theme::{Look, Theme};

pub struct RoundListed;

/// The first keys that a newcomer needs.
const KEYS: &str = "→ ← round · ] [ entry point · n N stage · c code · s scans · a all rows";

impl List for RoundListed {
    fn count(&self, state: &State) -> usize {
        if state.rounds.round().is_none() {
            return 0;
        }
        head(&state.rounds, cells(state, Panel::ROUNDS)).len() + state.rounds.scene.rows.len()
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        match scene_row(state, row)? {
            RoundRow::Cells { token, .. } => *token,
            _ => None,
        }
    }

    fn explains_node(&self) -> bool {
        false
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        if let Some(spans) = head(&state.rounds, cells(state, Panel::ROUNDS)).get(row) {
            let span = |(look, text): &(Look, String)| Span::styled(visible(text), theme.style(*look));
            return Line::from_iter(spans.iter().map(span));
        }
        match scene_row(state, row) {
            Some(RoundRow::Heads(heads)) => cells_line(heads, theme, |_| Look::Heading),
            Some(RoundRow::Cells { cells, .. }) => {
                cells_line(cells, theme, |cell| if cell.changed { Look::Number } else { Look::Dim })
            }
            Some(RoundRow::Code(number, text)) => Line::from(vec![
                Span::styled(format!("{number:>4} "), theme.style(Look::LineNumber)),
                Span::styled(fit(&visible(text), width.saturating_sub(5)), theme.style(Look::Comment)),
            ]),
            Some(RoundRow::Note(text)) => Line::styled(text.clone(), theme.style(Look::Dim)),
            None => Line::default(),
        }
    }
}

/// Returns a row below the head.
fn scene_row(state: &State, row: usize) -> Option<&RoundRow> {
    let head = head(&state.rounds, cells(state, Panel::ROUNDS)).len();
    state.rounds.scene.rows.get(row.checked_sub(head)?)
}

fn cells_line(cells: &[Cell], theme: &Theme, look: impl Fn(&Cell) -> Look) -> Line<'static> {
    let span = |(number, cell): (usize, &Cell)| {
        let text = fit(&visible(&cell.text), cell.width);
        let gap = " ".repeat(cell.width.saturating_sub(text.width()) + 1);
        let look = if number == 0 && look(cell) != Look::Heading { Look::Text } else { look(cell) };
        [Span::styled(text, theme.style(look)), Span::raw(gap)]
    };
    Line::from_iter(cells.iter().enumerate().flat_map(span))
}

/// Returns the rows that identify and describe the round.
fn head(rounds: &RoundsView, width: usize) -> Vec<Vec<(Look, String)>> {
    let Some((stage, round)) = rounds.round() else { return vec![] };
    let Some(site) = stage.site(round) else { return vec![] };
    let Some(recording) = &rounds.recording else { return vec![] };
    let name = |other: &StageRounds| {
        let look = if other.stage == stage.stage { Look::Heading } else { Look::Dim };
        [(look, other.stage.name().to_string()), (Look::Rule, " ".to_string())]
    };
    let mut rows = vec![recording.stages.iter().flat_map(name).collect::<Vec<_>>()];
    let (number, of) = rounds.count().unwrap_or((0, 0));
    let entry = stage.entry(round).unwrap_or_default();
    rows.push(vec![
        (Look::Text, format!("round {} of {}", grouped(number as u64), grouped(of as u64))),
        (Look::Dim, format!(" · {entry} · {}.wgsl:{}", site.file, site.line)),
    ]);
    for line in wrap(&site.sentence, width.max(20)) {
        rows.push(vec![(Look::Good, line)]);
    }
    let changes = stage.changes(round).len();
    let did = match &site.kind {
        SiteKind::Columns(work) => format!("work {work} · {} changed", plural(changes as u64, "word")),
        SiteKind::Numbers => "work 64 · a scan, in the threads' own memory: a number each".to_string(),
        SiteKind::Functions => {
            "work 64 · a scan, in the threads' own memory: the next state of each state".to_string()
        }
    };
    rows.push(vec![(Look::Dim, did)]);
    rows.push(vec![(Look::Dim, KEYS.to_string())]);
    rows
}

/// Returns the stage and the round.
pub fn figures(results: &Results, rounds: &RoundsView) -> Vec<String> {
    if is_awaited(results, rounds) {
        return vec!["…".to_string()];
    }
    let at = rounds.round().zip(rounds.count());
    at.map(|((stage, _), (number, of))| format!("{} {number}/{of}", stage.stage.name())).into_iter().collect()
}

/// Returns whether the recording belongs to an earlier text.
fn is_awaited(results: &Results, rounds: &RoundsView) -> bool {
    rounds.round().is_some() && results.findings.current::<Rounds>().is_none()
}

/// Returns why the panel is empty.
pub fn empty(results: &Results, engine: &EngineInfo) -> Cow<'static, str> {
    let findings = &results.findings;
    match (findings.current::<Rounds>(), &engine.device) {
        (Some(Rounds { recording: Err(error) }), _) => visible(&format!("no rounds: {error}")).into(),
        (Some(_), _) => "no stage ran a round for this program".into(),
        (None, Device::Failed(why)) => {
            visible(&format!("shaders record the rounds, and no device runs them: {why}")).into()
        }
        (None, Device::Unknown) => {
            "shaders record the rounds; F9 chooses an engine that looks for a device".into()
        }
        (None, Device::Found(Found { name, .. }) | Device::Ready(Found { name, .. }, _)) => {
            let ready = match findings.current::<Compared>() {
                Some(Compared { progress: Progress::Preparing | Progress::Waiting, checked, of, .. })
                    if *of > 0 =>
                {
                    format!(": {checked} of {of} are ready")
                }
                _ => String::new(),
            };
            let now =
                if engine.preparing.is_empty() { String::new() } else { format!(" · {}", engine.preparing) };
            let said = format!(
                "the shaders are being prepared{ready}{now}. {name} records the rounds with them, once they are compiled; \
                 for a software adapter, this takes minutes"
            );
            visible(&said).into()
        }
    }
}

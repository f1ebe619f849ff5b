//! The rows of a round: a table for each kind of rows that it changes.

use std::collections::BTreeMap;

use super::{Cell, RoundRow, RoundScene, RoundsView};
use crate::compiler::program::Compiled;
use crate::compiler::rounds::{
    RecordingColumn, RoundChange, Rows, SiteKind, StageRounds, format_state_function, read,
};
use crate::lang::index::{Index, TokenId};

/// Builds the rows of a round.
pub fn scene(view: &RoundsView, stage: &StageRounds, round: usize, compiled: &Compiled) -> RoundScene {
    let mut rows = Vec::new();
    let Some(site) = stage.site(round) else { return RoundScene::default() };
    if view.code {
        let first = site.line.saturating_sub(site.code.len() as u32);
        rows.extend((first..).zip(&site.code).map(|(number, line)| RoundRow::Code(number, line.clone())));
    }
    if let Some(lanes) = &stage.rounds[round].lanes {
        rows.push(RoundRow::Heads(vec![cell("thread", 6), cell("holds", 5)]));
        for (lane, words) in lanes.iter().enumerate() {
            let text = match site.kind {
                SiteKind::Functions => format_state_function(*words),
                _ => words[0].to_string(),
            };
            let width = text.chars().count();
            let cells = vec![cell(&lane.to_string(), 6), Cell { text, width, changed: true }];
            rows.push(RoundRow::Cells { token: None, cells });
        }
        return RoundScene { rows };
    }
    let changes = stage.changes(round);
    if changes.is_empty() {
        rows.push(RoundRow::Note("this round changes nothing".into()));
        return RoundScene { rows };
    }
    let state = stage.state(round + 1);
    for kind in Rows::ALL {
        rows.extend(table(
            view.all_rows,
            stage,
            changes,
            kind,
            &Label { kind, stage, state: &state, compiled },
        ));
    }
    RoundScene { rows }
}

/// Builds the table for one kind of rows, with the columns that change; empty if none do.
fn table(
    all_rows: bool,
    stage: &StageRounds,
    changes: &[RoundChange],
    kind: Rows,
    label: &Label,
) -> Vec<RoundRow> {
    let mut changed: BTreeMap<usize, BTreeMap<usize, u32>> = BTreeMap::new();
    let mut columns: Vec<usize> = Vec::new();
    for change in changes {
        let Some((column, row)) = stage.cell(change.place) else { continue };
        if stage.columns[column].rows == kind {
            changed.entry(row).or_default().insert(column, change.before);
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
    }
    if columns.is_empty() {
        return vec![];
    }
    columns.sort_unstable();
    let rows: Vec<usize> = match all_rows {
        true => {
            (0..columns.iter().map(|column| stage.columns[*column].place.len()).max().unwrap_or(0)).collect()
        }
        false => changed.keys().copied().collect(),
    };
    let before = |row: usize, column: usize| changed.get(&row).and_then(|cells| cells.get(&column)).copied();
    let text = |row: usize, column: usize| label.text(&stage.columns[column], row, before(row, column));
    let heads: Vec<(usize, Cell)> = columns
        .iter()
        .map(|column| {
            let name = short(&stage.columns[*column].name);
            let longest = rows.iter().map(|row| text(*row, *column).chars().count()).max().unwrap_or(0);
            (*column, cell(name, longest.max(name.chars().count()).min(WIDEST)))
        })
        .collect();
    let mut out = vec![RoundRow::Heads(
        [vec![cell(label.title(), LABEL)], heads.iter().map(|head| head.1.clone()).collect()].concat(),
    )];
    for row in rows {
        let (token, name) = label.of(row);
        let cells = heads.iter().map(|(column, head)| {
            let changed = before(row, *column).is_some();
            Cell { text: text(row, *column), width: head.width, changed }
        });
        let cells = std::iter::once(cell(&name, LABEL)).chain(cells).collect();
        out.push(RoundRow::Cells { token, cells });
    }
    out
}

/// The width of the label column, and the maximum width of the others.
const LABEL: usize = 18;
const WIDEST: usize = 22;

fn cell(text: &str, width: usize) -> Cell {
    Cell { text: text.into(), width, changed: false }
}

/// Returns a column's name without its record. If several phases share the column, the first name identifies
/// it.
fn short(name: &str) -> &str {
    let name = name.rsplit('.').next().unwrap_or(name);
    name.split('/').next().unwrap_or(name)
}

struct Label<'a> {
    kind: Rows,
    stage: &'a StageRounds,
    state: &'a [u32],
    compiled: &'a Compiled,
}

impl Label<'_> {
    fn title(&self) -> &'static str {
        match self.kind {
            Rows::Tokens => "token",
            Rows::Instructions => "instruction",
            Rows::Words => "address",
            Rows::Routines => "routine",
            Rows::Binders => "binder",
        }
    }

    /// Returns the program token that a row belongs to, and the row's label.
    fn of(&self, row: usize) -> (Option<TokenId>, String) {
        let view = self.compiled.view();
        let token = TokenId::at(row);
        let of_column =
            |name: &str| self.word(name, row).and_then(TokenId::from_word).filter(|token| view.has(*token));
        match self.kind {
            Rows::Tokens if view.has(token) => {
                let text = view.text(token);
                (Some(token), format!("{row:>4} {text}"))
            }
            Rows::Instructions => {
                let at = |name: &str| {
                    self.word(&format!("lowered.{name}"), row).or_else(|| self.word(&format!("ir.{name}"), row))
                };
                let op = at("op").map(|op| read("ir.op", op)).unwrap_or_default();
                let token = of_column("lowered.token").or_else(|| of_column("ir.token"));
                (token, format!("{row:>4} {op}"))
            }
            Rows::Words => (of_column("code.token"), format!("{row:>4}")),
            Rows::Routines => {
                let token = of_column("routines.token");
                (token, format!("{row:>4} {}", token.map_or("", |token| view.text(token))))
            }
            _ => (None, format!("{row:>4}")),
        }
    }

    /// Formats the word in a row of a column, with the one that the round has replaced.
    fn text(&self, column: &RecordingColumn, row: usize, before: Option<u32>) -> String {
        let Some(now) = self.state.get(column.place.start + row).filter(|_| row < column.place.len()) else {
            return String::new();
        };
        match before {
            Some(before) if before != 0 => {
                format!("{}→{}", read(&column.name, before), read(&column.name, *now))
            }
            _ => read(&column.name, *now),
        }
    }

    /// Returns the word in a row of a column, if this stage has that column.
    fn word(&self, name: &str, row: usize) -> Option<u32> {
        let column = self.stage.columns.iter().find(|column| column.name == name)?;
        self.state.get(column.place.start + row).filter(|_| row < column.place.len()).copied()
    }
}

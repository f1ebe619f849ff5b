//! The state of the Rounds panel: the chosen round, and its rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::compiler::program::Compiled;
use crate::compiler::rounds::{
    Change, Column, Recording, Rows, SiteKind, StageRounds, format_state_function, read,
};
use crate::lang::index::{Index, TokenId};

/// A movement among the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundMove {
    Forward,
    Back,
    /// To the next entry point of a shader.
    NextEntry,
    EntryBefore,
    NextStage,
    StageBefore,
    Start,
    End,
    /// To the next round that writes to the chosen row's token.
    NextWrite,
    WriteBefore,
}

/// Parts of the panel that can be shown or hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundPart {
    /// Rounds of scans.
    Scans,
    /// Rows that the round does not change.
    Rows,
    /// The lines of the shader.
    Code,
}

/// The state of the Rounds panel.
#[derive(Clone, Debug, Default)]
pub struct RoundsView {
    pub recording: Option<Arc<Recording>>,
    /// The round's index among those of all stages.
    pub at: usize,
    pub scans: bool,
    pub all_rows: bool,
    pub code: bool,
    pub scene: Arc<RoundScene>,
}

/// The rows of a round, displayed below its summary.
#[derive(Clone, Debug, Default)]
pub struct RoundScene {
    pub rows: Vec<RoundRow>,
}

/// A row of the panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundRow {
    /// The header of a table: a label for its rows, and its columns.
    Heads(Vec<Cell>),
    /// A row of a table: a label, then one cell per column.
    Cells {
        token: Option<TokenId>,
        cells: Vec<Cell>,
    },
    /// A line of the shader, with its number.
    Code(u32, String),
    Note(String),
}

/// A cell's text, its width in screen cells, and whether the round changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    pub width: usize,
    pub changed: bool,
}

impl RoundsView {
    /// Replaces the recording, and stays at the same round of the same stage if it still exists.
    pub fn take(&mut self, recording: Arc<Recording>, compiled: &Compiled) {
        let at = self.recording.as_ref().and_then(|old| {
            let (stage, round) = old.find(self.at)?;
            let site = stage.rounds[round].site;
            let times = stage.rounds[..round].iter().filter(|before| before.site == site).count();
            let index = recording.stages.iter().position(|new| new.stage == stage.stage)?;
            let new = &recording.stages[index];
            let same = (0..new.rounds.len()).filter(|round| new.rounds[*round].site == site);
            Some(recording.first_of(index) + same.take(times + 1).last()?)
        });
        self.recording = Some(recording);
        self.at = at.unwrap_or(0);
        if at.is_none() && !self.shows(0) {
            self.at = self.step(0, true).unwrap_or(0);
        }
        self.look(compiled);
    }

    /// Returns the current round: its stage, and its index there.
    pub fn round(&self) -> Option<(&StageRounds, usize)> {
        self.recording.as_ref()?.find(self.at)
    }

    fn shows(&self, number: usize) -> bool {
        let found = self.recording.as_ref().and_then(|recording| recording.find(number));
        found.is_some_and(|(stage, round)| self.scans || stage.rounds[round].lanes.is_none())
    }

    /// Returns the next visible round, or the previous one.
    fn step(&self, from: usize, on: bool) -> Option<usize> {
        let len = self.recording.as_ref()?.len();
        match on {
            true => (from + 1..len).find(|number| self.shows(*number)),
            false => (0..from.min(len)).rev().find(|number| self.shows(*number)),
        }
    }

    /// Returns the stage and the entry point that a round belongs to.
    fn part(&self, number: usize) -> Option<(usize, &str)> {
        let recording = self.recording.as_ref()?;
        let (stage, round) = recording.find(number)?;
        let index = recording.stages.iter().position(|other| other.stage == stage.stage)?;
        Some((index, stage.entry(round).unwrap_or_default()))
    }

    /// Returns the first visible round in a direction whose `part` differs from the current round's.
    fn other<P: PartialEq>(&self, on: bool, part: impl Fn(usize) -> P) -> Option<usize> {
        let own = part(self.at);
        let mut at = self.at;
        loop {
            at = self.step(at, on)?;
            if part(at) != own {
                break;
            }
        }
        if !on {
            // Go to the part's first round.
            while let Some(before) = self.step(at, false).filter(|before| part(*before) == part(at)) {
                at = before;
            }
        }
        Some(at)
    }

    /// Moves to another round, or returns why that is impossible. `token` is the chosen row's token.
    pub fn go(
        &mut self,
        way: RoundMove,
        token: Option<TokenId>,
        compiled: &Compiled,
    ) -> Result<(), &'static str> {
        let last = self.recording.as_ref().map_or(0, |recording| recording.len().saturating_sub(1));
        let to = match way {
            RoundMove::Forward => self.step(self.at, true).ok_or("this is the last round"),
            RoundMove::Back => self.step(self.at, false).ok_or("this is the first round"),
            RoundMove::NextEntry => self.other(true, |at| self.part(at)).ok_or("this is the last entry point"),
            RoundMove::EntryBefore => {
                self.other(false, |at| self.part(at)).ok_or("this is the first entry point")
            }
            RoundMove::NextStage => {
                self.other(true, |at| self.part(at).map(|(stage, _)| stage)).ok_or("this is the last stage")
            }
            RoundMove::StageBefore => {
                self.other(false, |at| self.part(at).map(|(stage, _)| stage)).ok_or("this is the first stage")
            }
            RoundMove::Start => Ok(if self.shows(0) { 0 } else { self.step(0, true).unwrap_or(0) }),
            RoundMove::End => Ok(if self.shows(last) { last } else { self.step(last, false).unwrap_or(last) }),
            RoundMove::NextWrite | RoundMove::WriteBefore => match token {
                None => Err("choose a row of a token: v goes to where it is written to"),
                Some(token) => {
                    self.write(token, way == RoundMove::NextWrite).ok_or("no other round writes to it there")
                }
            },
        }?;
        self.at = to;
        self.look(compiled);
        Ok(())
    }

    /// Returns the next round that changes a row of a token.
    fn write(&self, token: TokenId, on: bool) -> Option<usize> {
        let mut at = self.at;
        loop {
            at = self.step(at, on)?;
            let (stage, round) = self.recording.as_ref()?.find(at)?;
            let writes = |change: &Change| {
                let cell = stage.cell(change.place);
                cell.is_some_and(|(column, row)| {
                    stage.columns[column].rows == Rows::Tokens && row == token.position()
                })
            };
            if stage.changes(round).iter().any(writes) {
                return Some(at);
            }
        }
    }

    /// Shows or hides a part of the panel.
    pub fn toggle(&mut self, part: RoundPart, compiled: &Compiled) {
        match part {
            RoundPart::Scans => self.scans = !self.scans,
            RoundPart::Rows => self.all_rows = !self.all_rows,
            RoundPart::Code => self.code = !self.code,
        }
        if !self.shows(self.at) {
            let near = self.step(self.at, true).or_else(|| self.step(self.at, false));
            self.at = near.unwrap_or(self.at);
        }
        self.look(compiled);
    }

    /// Rebuilds the rows.
    fn look(&mut self, compiled: &Compiled) {
        let scene = self.round().map(|(stage, round)| scene(self, stage, round, compiled));
        self.scene = Arc::new(scene.unwrap_or_default());
    }

    /// Returns the current round's position among the visible rounds of its stage, from 1, and their number.
    pub fn count(&self) -> Option<(usize, usize)> {
        let (stage, round) = self.round()?;
        let shown = |range: &[crate::compiler::rounds::Round]| {
            range.iter().filter(|round| self.scans || round.lanes.is_none()).count()
        };
        Some((shown(&stage.rounds[..=round]), shown(&stage.rounds)))
    }
}

/// Builds the rows of a round.
fn scene(view: &RoundsView, stage: &StageRounds, round: usize, compiled: &Compiled) -> RoundScene {
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
        rows.push(RoundRow::Note("nothing to do here in this program".into()));
        return RoundScene { rows };
    }
    let state = stage.state(round + 1);
    for kind in [Rows::Tokens, Rows::Instructions, Rows::Words, Rows::Routines, Rows::Binders] {
        rows.extend(table(view.all_rows, stage, changes, &state, kind, compiled));
    }
    RoundScene { rows }
}

/// Builds the table for one kind of rows, with the columns that change; empty if none do.
fn table(
    all_rows: bool,
    stage: &StageRounds,
    changes: &[Change],
    state: &[u32],
    kind: Rows,
    compiled: &Compiled,
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
    let label = Label { kind, stage, state, compiled };
    let text = |row: usize, column: usize| {
        let Column { name, place, .. } = &stage.columns[column];
        let word = state.get(place.start + row).filter(|_| row < place.len());
        let before = changed.get(&row).and_then(|cells| cells.get(&column));
        let now = word.map_or(String::new(), |word| read(name, *word));
        match before {
            Some(before) if *before != 0 => (format!("{}→{now}", read(name, *before)), true),
            Some(_) => (now, true),
            None => (now, false),
        }
    };
    let heads: Vec<(usize, Cell)> = columns
        .iter()
        .map(|column| {
            let name = short(&stage.columns[*column].name);
            let widest = rows.iter().map(|row| text(*row, *column).0.chars().count()).max().unwrap_or(0);
            (*column, cell(name, widest.max(name.chars().count()).min(WIDEST)))
        })
        .collect();
    let mut out = vec![RoundRow::Heads(
        [vec![cell(label.title(), LABEL)], heads.iter().map(|head| head.1.clone()).collect()].concat(),
    )];
    for row in rows {
        let cells = heads.iter().map(|(column, head)| {
            let (text, changed) = text(row, *column);
            Cell { text, width: head.width, changed }
        });
        let (token, name) = label.of(row);
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

/// Labels the rows of one kind.
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

    /// Returns the word in a row of a column, if this stage has that column.
    fn word(&self, name: &str, row: usize) -> Option<u32> {
        let column = self.stage.columns.iter().find(|column| column.name == name)?;
        self.state.get(column.place.start + row).filter(|_| row < column.place.len()).copied()
    }
}

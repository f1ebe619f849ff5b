//! Rounds that are looked at: which one, and what shows of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::compiler::program::Compiled;
use crate::compiler::rounds::{Change, Column, Recording, Rows, SiteKind, StageRounds, read, state_function};

/// Where somebody goes among the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundWay {
    Forward,
    Back,
    /// To the next entry point of a shader.
    NextEntry,
    EntryBefore,
    NextStage,
    StageBefore,
    Start,
    End,
    /// To where the token of the chosen row is next written to.
    NextWrite,
    WriteBefore,
}

/// What can be shown or left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundPart {
    /// Rounds of scans.
    Scans,
    /// Rows that the round leaves as they were.
    Rows,
    /// The lines of the shader.
    Code,
}

/// The rounds that are looked at.
#[derive(Clone, Debug, Default)]
pub struct RoundsView {
    pub recording: Option<Arc<Recording>>,
    /// The number of the round among those of all stages.
    pub at: usize,
    pub scans: bool,
    pub all_rows: bool,
    pub code: bool,
    pub scene: Arc<RoundScene>,
}

/// What shows of a round, below its sentence.
#[derive(Clone, Debug, Default)]
pub struct RoundScene {
    pub rows: Vec<RoundRow>,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundRow {
    /// What stands above a table: what its rows are, and its columns.
    Heads(Vec<Cell>),
    /// A row of a table: what it is of, and a cell for each column.
    Cells {
        token: Option<u32>,
        cells: Vec<Cell>,
    },
    /// A line of the shader.
    Code(u32, String),
    Note(String),
}

/// A cell, and how many cells of the screen it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    pub width: usize,
    pub changed: bool,
}

impl RoundsView {
    /// Takes rounds of a text, and stays at the same round of the same stage as far as there is one.
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

    /// The round that is looked at: its stage, and its number there.
    pub fn round(&self) -> Option<(&StageRounds, usize)> {
        self.recording.as_ref()?.find(self.at)
    }

    fn shows(&self, number: usize) -> bool {
        let found = self.recording.as_ref().and_then(|recording| recording.find(number));
        found.is_some_and(|(stage, round)| self.scans || stage.rounds[round].lanes.is_none())
    }

    /// The next round that is not left out, or the one before.
    fn step(&self, from: usize, on: bool) -> Option<usize> {
        let len = self.recording.as_ref()?.len();
        match on {
            true => (from + 1..len).find(|number| self.shows(*number)),
            false => (0..from.min(len)).rev().find(|number| self.shows(*number)),
        }
    }

    /// The stage and the entry point that a round is of.
    fn part(&self, number: usize) -> Option<(usize, &str)> {
        let recording = self.recording.as_ref()?;
        let (stage, round) = recording.find(number)?;
        let index = recording.stages.iter().position(|other| other.stage == stage.stage)?;
        Some((index, stage.entry(round).unwrap_or_default()))
    }

    /// The first round, from some on in a direction, that is of another part, as `part` tells them apart.
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
            // To its first round.
            while let Some(before) = self.step(at, false).filter(|before| part(*before) == part(at)) {
                at = before;
            }
        }
        Some(at)
    }

    /// Goes somewhere; says why not where that is nowhere. `token` is that of the chosen row.
    pub fn go(&mut self, way: RoundWay, token: Option<u32>, compiled: &Compiled) -> Result<(), &'static str> {
        let last = self.recording.as_ref().map_or(0, |recording| recording.len().saturating_sub(1));
        let to = match way {
            RoundWay::Forward => self.step(self.at, true).ok_or("this is the last round"),
            RoundWay::Back => self.step(self.at, false).ok_or("this is the first round"),
            RoundWay::NextEntry => self.other(true, |at| self.part(at)).ok_or("this is the last entry point"),
            RoundWay::EntryBefore => {
                self.other(false, |at| self.part(at)).ok_or("this is the first entry point")
            }
            RoundWay::NextStage => {
                self.other(true, |at| self.part(at).map(|(stage, _)| stage)).ok_or("this is the last stage")
            }
            RoundWay::StageBefore => {
                self.other(false, |at| self.part(at).map(|(stage, _)| stage)).ok_or("this is the first stage")
            }
            RoundWay::Start => Ok(if self.shows(0) { 0 } else { self.step(0, true).unwrap_or(0) }),
            RoundWay::End => Ok(if self.shows(last) { last } else { self.step(last, false).unwrap_or(last) }),
            RoundWay::NextWrite | RoundWay::WriteBefore => match token {
                None => Err("choose a row of a token: v goes to where it is written to"),
                Some(token) => {
                    self.write(token, way == RoundWay::NextWrite).ok_or("no other round writes to it there")
                }
            },
        }?;
        self.at = to;
        self.look(compiled);
        Ok(())
    }

    /// The next round that changes a row of a token.
    fn write(&self, token: u32, on: bool) -> Option<usize> {
        let mut at = self.at;
        loop {
            at = self.step(at, on)?;
            let (stage, round) = self.recording.as_ref()?.find(at)?;
            let writes = |change: &Change| {
                let cell = stage.cell(change.place);
                cell.is_some_and(|(column, row)| {
                    stage.columns[column].rows == Rows::Tokens && row == token as usize
                })
            };
            if stage.changes(round).iter().any(writes) {
                return Some(at);
            }
        }
    }

    /// Shows something or leaves it out.
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

    /// Makes the rows anew.
    fn look(&mut self, compiled: &Compiled) {
        let scene = self.round().map(|(stage, round)| scene(self, stage, round, compiled));
        self.scene = Arc::new(scene.unwrap_or_default());
    }

    /// How many rounds of the stage that is looked at are not left out, and the number of this one among them, from 1.
    pub fn count(&self) -> Option<(usize, usize)> {
        let (stage, round) = self.round()?;
        let shown = |range: &[crate::compiler::rounds::Round]| {
            range.iter().filter(|round| self.scans || round.lanes.is_none()).count()
        };
        Some((shown(&stage.rounds[..=round]), shown(&stage.rounds)))
    }
}

/// All rows of a round.
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
                SiteKind::Functions => state_function(*words),
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

/// The table of one kind of rows, if some of them change: the columns in which something does.
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

/// Cells of what a row is of, and the most of any other.
const LABEL: usize = 18;
const WIDEST: usize = 22;

fn cell(text: &str, width: usize) -> Cell {
    Cell { text: text.into(), width, changed: false }
}

/// The name of a column without the record that it is of; of one that several phases use in turn the first name is enough to tell it by.
fn short(name: &str) -> &str {
    let name = name.rsplit('.').next().unwrap_or(name);
    name.split('/').next().unwrap_or(name)
}

/// What rows are of.
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

    /// The token of the program that a row belongs to, and how it is called.
    fn of(&self, row: usize) -> (Option<u32>, String) {
        let view = self.compiled.view();
        let token = row as u32;
        match self.kind {
            Rows::Tokens if token < view.len() => {
                let text = view.text(token);
                (Some(token), format!("{row:>4} {text}"))
            }
            Rows::Instructions => {
                let at = |name: &str| {
                    self.word(&format!("lowered.{name}"), row).or_else(|| self.word(&format!("ir.{name}"), row))
                };
                let op = at("op").map(|op| read("ir.op", op)).unwrap_or_default();
                (at("token").filter(|token| *token < view.len()), format!("{row:>4} {op}"))
            }
            Rows::Words => {
                (self.word("code.token", row).filter(|token| *token < view.len()), format!("{row:>4}"))
            }
            Rows::Routines => {
                let token = self.word("routines.token", row).filter(|token| *token < view.len());
                (token, format!("{row:>4} {}", token.map_or("", |token| view.text(token))))
            }
            _ => (None, format!("{row:>4}")),
        }
    }

    /// What stands in a row of a column, if this stage has it.
    fn word(&self, name: &str, row: usize) -> Option<u32> {
        let column = self.stage.columns.iter().find(|column| column.name == name)?;
        self.state.get(column.place.start + row).filter(|_| row < column.place.len()).copied()
    }
}

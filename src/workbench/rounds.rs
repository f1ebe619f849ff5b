//! The state of the Rounds panel: the chosen round, and its rows.

mod scene;

use std::sync::Arc;

use crate::compiler::program::Compiled;
use crate::compiler::rounds::{Recording, RoundChange, Rows, StageRounds};
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
            let writes = |change: &RoundChange| {
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
        let scene = self.round().map(|(stage, round)| scene::scene(self, stage, round, compiled));
        self.scene = Arc::new(scene.unwrap_or_default());
    }

    /// Returns the current round's position among the visible rounds of its stage, from 1, and their number.
    pub fn count(&self) -> Option<(usize, usize)> {
        let (stage, round) = self.round()?;
        let shown = |range: &[crate::compiler::rounds::RecordingRound]| {
            range.iter().filter(|round| self.scans || round.lanes.is_none()).count()
        };
        Some((shown(&stage.rounds[..=round]), shown(&stage.rounds)))
    }
}

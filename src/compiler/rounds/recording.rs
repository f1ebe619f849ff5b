//! Recorded rounds, and the columns after each round.

use std::ops::Range;

use super::RoundSite;
use crate::compiler::layout::WORKGROUP;
use crate::compiler::stage::Stage;

/// The items that the rows of a column represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    Tokens,
    Instructions,
    Words,
    Routines,
    Binders,
}

impl Rows {
    /// All kinds of rows, in the order of display.
    pub const ALL: [Rows; 5] = [Rows::Tokens, Rows::Instructions, Rows::Words, Rows::Routines, Rows::Binders];
}

/// A column of a stage's output or of its scratch memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingColumn {
    pub name: String,
    pub rows: Rows,
    /// Whether the column is scratch, which is discarded when the stage ends.
    pub scratch: bool,
    /// Its words in the state of the stage.
    pub place: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundChange {
    /// Index in the state of the stage.
    pub place: u32,
    pub before: u32,
    pub after: u32,
}

/// Two words from each thread of a workgroup.
pub type Lanes = [[u32; 2]; WORKGROUP as usize];

/// The work of all threads between two barriers.
#[derive(Clone, Debug)]
pub struct RecordingRound {
    /// Index in the sites of the stage.
    pub site: usize,
    changes: Range<usize>,
    /// The threads' words, if this is a round of a scan.
    pub lanes: Option<Box<Lanes>>,
}

#[derive(Clone, Debug)]
pub struct StageRounds {
    pub stage: Stage,
    pub sites: Vec<RoundSite>,
    pub columns: Vec<RecordingColumn>,
    pub rounds: Vec<RecordingRound>,
    changes: Vec<RoundChange>,
    /// States after some rounds, each with the number of rounds made before, ascending.
    keyframes: Vec<(usize, Vec<u32>)>,
    /// The state after the last round.
    state: Vec<u32>,
}

/// The rounds of all stages that ran for a program.
#[derive(Clone, Debug)]
pub struct Recording {
    pub device: String,
    pub stages: Vec<StageRounds>,
}

impl StageRounds {
    /// Creates a stage without rounds. Every word of its state is 0.
    pub fn new(stage: Stage, sites: Vec<RoundSite>, columns: Vec<RecordingColumn>) -> StageRounds {
        let words = columns.iter().map(|column| column.place.end).max().unwrap_or(0);
        let state = vec![0; words];
        let keyframes = vec![(0, state.clone())];
        StageRounds { stage, sites, columns, rounds: vec![], changes: vec![], keyframes, state }
    }

    pub fn words(&self) -> usize {
        self.state.len()
    }

    /// Appends a round that left this state. If an entry point is dispatched again and changes nothing, no
    /// round is appended.
    pub fn push_state(&mut self, site: usize, state: &[u32]) {
        let first = self.changes.len();
        for (place, (before, after)) in (0..).zip(self.state.iter_mut().zip(state)) {
            if before != after {
                self.changes.push(RoundChange { place, before: *before, after: *after });
                *before = *after;
            }
        }
        let ends = self.sites.get(site).is_some_and(|site| site.ends.is_some());
        let again = ends && self.rounds.last().is_some_and(|last| last.site == site);
        if again && self.changes.len() == first {
            return;
        }
        self.rounds.push(RecordingRound { site, changes: first..self.changes.len(), lanes: None });
        // A keyframe is added once more words have changed since the previous one than a keyframe takes.
        let noted = self.keyframes.last().map_or(0, |(made, _)| self.first_change(*made));
        if self.changes.len() - noted > self.state.len() {
            self.keyframes.push((self.rounds.len(), self.state.clone()));
        }
    }

    /// Appends a round of a scan, with two words from each thread.
    pub fn push_lanes(&mut self, site: usize, words: &[u32]) {
        let mut lanes: Box<Lanes> = Box::new([[0; 2]; WORKGROUP as usize]);
        for (lane, pair) in lanes.iter_mut().zip(words.chunks_exact(2)) {
            lane.copy_from_slice(pair);
        }
        let at = self.changes.len();
        self.rounds.push(RecordingRound { site, changes: at..at, lanes: Some(lanes) });
    }

    pub fn changes(&self, round: usize) -> &[RoundChange] {
        self.rounds.get(round).and_then(|round| self.changes.get(round.changes.clone())).unwrap_or_default()
    }

    /// Computes the state after the first `made` rounds.
    pub fn state(&self, made: usize) -> Vec<u32> {
        let made = made.min(self.rounds.len());
        let later = self.keyframes.partition_point(|(at, _)| *at <= made);
        let Some((at, state)) = self.keyframes.get(later.saturating_sub(1)) else { return vec![] };
        let mut state = state.clone();
        for change in &self.changes[self.first_change(*at)..self.first_change(made)] {
            state[change.place as usize] = change.after;
        }
        state
    }

    /// Index of the first change after the first `made` rounds.
    fn first_change(&self, made: usize) -> usize {
        made.checked_sub(1).and_then(|last| self.rounds.get(last)).map_or(0, |round| round.changes.end)
    }

    pub fn site(&self, round: usize) -> Option<&RoundSite> {
        self.sites.get(self.rounds.get(round)?.site)
    }

    /// Returns the entry point that a round belongs to: the next one that ends.
    pub fn entry(&self, round: usize) -> Option<&str> {
        let rest = self.rounds.get(round..)?;
        rest.iter().find_map(|round| self.sites.get(round.site)?.ends.as_deref())
    }

    /// Returns the column of a word of the state, and its row there.
    pub fn cell(&self, place: u32) -> Option<(usize, usize)> {
        let place = place as usize;
        let column = self.columns.iter().position(|column| column.place.contains(&place))?;
        Some((column, place - self.columns[column].place.start))
    }

    /// Approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let lanes = self.rounds.iter().filter(|round| round.lanes.is_some()).count() * size_of::<Lanes>();
        self.changes.len() * size_of::<RoundChange>()
            + self.keyframes.len() * self.state.len() * 4
            + self.rounds.len() * size_of::<RecordingRound>()
            + lanes
    }
}

impl Recording {
    pub fn len(&self) -> usize {
        self.stages.iter().map(|stage| stage.rounds.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the stage of round `number`, and the round's index in that stage.
    pub fn find(&self, mut number: usize) -> Option<(&StageRounds, usize)> {
        for stage in &self.stages {
            match number.checked_sub(stage.rounds.len()) {
                Some(rest) => number = rest,
                None => return Some((stage, number)),
            }
        }
        None
    }

    pub fn first_of(&self, stage: usize) -> usize {
        self.stages.iter().take(stage).map(|stage| stage.rounds.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::SiteKind;
    use super::*;

    fn site(ends: bool) -> RoundSite {
        let kind = SiteKind::Columns("n".into());
        let ends = ends.then(|| "entry".to_string());
        RoundSite { file: "a".into(), line: 1, sentence: "So.".into(), code: vec![], kind, ends }
    }

    #[test]
    fn recorded_state_of_each_round_is_reproduced() {
        let column = |name: &str, place| RecordingColumn {
            name: name.into(),
            rows: Rows::Tokens,
            scratch: false,
            place,
        };
        let columns = vec![column("a", 0..3), column("b", 3..5)];
        let mut stage = StageRounds::new(Stage::Lex, vec![site(false), site(true)], columns);
        let told = [[1, 0, 0, 0, 0], [1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [5, 4, 3, 2, 1], [0, 0, 0, 0, 9]];
        for state in &told {
            stage.push_state(0, state);
        }
        stage.push_lanes(0, &[7; 128]);
        assert_eq!(stage.rounds.len(), 6);
        assert!(stage.keyframes.len() > 1, "large changes add keyframes");
        assert_eq!(stage.state(0), [0; 5]);
        for (made, state) in (1..).zip(&told) {
            assert_eq!(stage.state(made), state, "after {made}");
        }
        assert_eq!(stage.state(6), told[4], "a scan does not change the columns");
        assert_eq!(stage.changes(3), []);
        assert_eq!(stage.changes(4).len(), 5);
        assert_eq!(stage.cell(4), Some((1, 1)));
        assert_eq!(stage.cell(5), None);
    }

    #[test]
    fn entry_point_without_changes_adds_no_round() {
        let columns =
            vec![RecordingColumn { name: "a".into(), rows: Rows::Tokens, scratch: true, place: 0..1 }];
        let mut stage = StageRounds::new(Stage::Optimize, vec![site(false), site(true)], columns);
        stage.push_state(0, &[1]);
        stage.push_state(1, &[1]);
        stage.push_state(1, &[1]);
        assert_eq!(stage.rounds.len(), 2);
        assert_eq!(stage.entry(0), Some("entry"));
        let stages = vec![stage.clone(), stage];
        let recording = Recording { device: "d".into(), stages };
        assert_eq!(recording.len(), 4);
        assert_eq!(recording.find(3).map(|(_, round)| round), Some(1));
        assert!(recording.find(4).is_none());
        assert_eq!(recording.first_of(1), 2);
    }
}

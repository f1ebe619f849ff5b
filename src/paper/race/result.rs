//! The result of a race and what follows from it.

use std::sync::Arc;
use std::time::Duration;

use super::{Contestant, Fate, NoScore, Population, Resource, Tally};
use crate::host::measure::energy::Energy;
use crate::host::measure::stat::Stat;
use crate::lang::index::{Index, Indices, MutantId};

/// The end of a contestant's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It judged all variants at least once.
    Finished,
    /// It exceeded its share of the time.
    OutOfTime,
    Stopped,
    LeftOut(String),
    Failed(String),
}

impl From<NoScore> for End {
    fn from(why: NoScore) -> End {
        match why {
            NoScore::LeftOut(why) => End::LeftOut(why),
            NoScore::Failed(why) => End::Failed(why),
        }
    }
}

/// One repetition.
#[derive(Clone, Debug)]
pub struct Run {
    pub time: Duration,
    /// The energy of the run, if it was metered.
    pub energy: Option<Energy>,
    /// The times of the parts of the work, if known.
    pub parts: Vec<(&'static str, Duration)>,
}

#[derive(Clone, Debug)]
pub struct Score {
    pub contestant: Contestant,
    pub end: End,
    /// A description of its means.
    pub note: String,
    /// The resources that it is charged for, or `None` if it never ran.
    pub works: Option<Resource>,
    /// The fate of each variant, or `None` if it was not reached.
    pub fates: Arc<[Option<Fate>]>,
    /// The number of variants reached in each repetition.
    pub done: u32,
    /// The time before the clock started.
    pub preparation: Duration,
    /// The repetitions in order.
    pub runs: Vec<Run>,
    /// The number of variants with another fate in a later repetition than in the first.
    pub varies: u32,
}

impl Score {
    /// Returns the score of a contestant that has not run.
    pub fn new(contestant: Contestant) -> Score {
        Score {
            contestant,
            end: End::Stopped,
            note: String::new(),
            works: None,
            fates: Arc::from([]),
            done: 0,
            preparation: Duration::ZERO,
            runs: vec![],
            varies: 0,
        }
    }

    /// Returns the repetition with the median time, or the longer of two medians. All figures of the contestant are
    /// from it. Returns `None` if it did nothing.
    pub fn middle(&self) -> Option<&Run> {
        let mut runs: Vec<&Run> = self.runs.iter().filter(|_| self.done > 0).collect();
        runs.sort_by_key(|run| run.time);
        runs.get(runs.len() / 2).copied()
    }

    /// Returns the spread of its repetitions' times: half the interquartile range divided by the median. Returns `None`
    /// with fewer than two repetitions.
    pub fn spread(&self) -> Option<f64> {
        let times = self.runs.iter().map(|run| run.time.as_secs_f64()).collect();
        let stat = Stat::of(times).filter(|stat| stat.of > 1 && stat.median > 0.0)?;
        Some(stat.spread / stat.median)
    }

    /// Returns the variants per second in the median repetition, or `None` if it did none.
    pub fn per_second(&self) -> Option<f64> {
        self.middle().map(|run| f64::from(self.done) / run.time.as_secs_f64().max(1e-9))
    }

    /// Returns the energy per variant in the median repetition.
    pub fn energy_each(&self) -> Option<Energy> {
        let energy = self.middle()?.energy?;
        Some(energy.share(1.0 / f64::from(self.done)))
    }

    /// Returns the number of variants without an answer.
    pub fn unanswered(&self) -> usize {
        self.fates.iter().filter(|one| **one == Some(Fate::NoAnswer)).count()
    }

    /// Returns the fate of a variant, or `None` without an answer.
    pub fn answer(&self, id: MutantId) -> Option<Fate> {
        self.fates.get(id.position()).copied().flatten().filter(|fate| *fate != Fate::NoAnswer)
    }
}

/// The comparison of a contestant's fates with the engine's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    pub agree: usize,
    pub differ: usize,
}

/// A variant with differing fates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    pub id: MutantId,
    /// The fate by the engine's verdict, if it has one.
    pub engine: Option<Fate>,
    pub answers: Vec<(Contestant, Fate)>,
}

#[derive(Clone, Debug)]
pub struct Race {
    pub k: u32,
    pub seed: u32,
    pub repetitions: u32,
    pub cores: u32,
    /// The day on which it was measured.
    pub date: String,
    /// The variants with the engine's verdicts.
    pub population: Population,
    /// The scores in the order of the start. Contestants that did not start before a stop are missing.
    pub scores: Arc<[Score]>,
}

impl Race {
    pub fn score(&self, contestant: Contestant) -> Option<&Score> {
        self.scores.iter().find(|score| score.contestant == contestant)
    }

    /// Tallies a contestant's fates on some variants. Copies count as the engine classifies them.
    pub fn tally(&self, score: &Score, ids: Indices<MutantId>) -> Tally {
        self.population.tally_of(ids, |id| score.fates.get(id.position()).copied().flatten())
    }

    /// Compares the fates of the variants that both the contestant and the engine judged.
    pub fn agreement(&self, score: &Score) -> Agreement {
        let mut sum = Agreement::default();
        for id in Indices::first(self.k) {
            if let (Some(one), Some(other)) = (score.answer(id), self.population.fate(id)) {
                if one == other { sum.agree += 1 } else { sum.differ += 1 }
            }
        }
        sum
    }

    /// Returns the variants with differing fates, with each contestant's answer.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        let mut list = vec![];
        for id in Indices::first(self.k) {
            let answer = |score: &Score| Some((score.contestant, score.answer(id)?));
            let answers: Vec<_> = self.scores.iter().filter_map(answer).collect();
            let engine = self.population.fate(id);
            let mut fates = answers.iter().map(|(_, fate)| *fate).chain(engine);
            let first = fates.next();
            if fates.any(|fate| Some(fate) != first) {
                list.push(Disagreement { id, engine, answers });
            }
        }
        list
    }

    /// Returns the number of variants that the engines judge differently. It must be 0, as all engines have the same
    /// specification.
    pub fn engines_differ(&self) -> usize {
        let engine =
            |who: Contestant| matches!(who, Contestant::Conventional | Contestant::Cpu | Contestant::Gpu);
        let differ = |one: &Disagreement| {
            let judged = one.answers.iter().filter(|(who, _)| engine(*who)).map(|(_, fate)| *fate);
            let mut fates = judged.chain(one.engine);
            let first = fates.next();
            fates.any(|fate| Some(fate) != first)
        };
        let between = self.disagreements().iter().filter(|one| differ(one)).count();
        // An engine whose repetitions differ contradicts itself.
        let varies =
            self.scores.iter().filter(|score| engine(score.contestant)).map(|score| score.varies as usize);
        between.max(varies.max().unwrap_or(0))
    }

    /// Returns the speedup over `to` in variants per second.
    pub fn speedup(&self, score: &Score, to: Contestant) -> Option<f64> {
        Some(score.per_second()? / self.score(to)?.per_second()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(times: &[u64]) -> Score {
        let run = |millis: &u64| Run { time: Duration::from_millis(*millis), energy: None, parts: vec![] };
        Score { done: 100, runs: times.iter().map(run).collect(), ..Score::new(Contestant::Cpu) }
    }

    #[test]
    fn score_reports_the_median_repetition() {
        let five = score(&[900, 100, 120, 90, 110]);
        assert_eq!(five.middle().map(|run| run.time), Some(Duration::from_millis(110)));
        assert_eq!(five.per_second().map(f64::round), Some(909.0));
        // The quartiles are 100 and 120; the disturbed repetition affects neither.
        assert!(five.spread().is_some_and(|spread| (spread - 10.0 / 110.0).abs() < 1e-9));
        assert_eq!(score(&[100]).spread(), None);
        assert_eq!(score(&[]).per_second(), None);
        assert_eq!(Score { done: 0, ..score(&[100]) }.per_second(), None);
    }
}

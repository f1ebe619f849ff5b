//! What a race gave, and what can be said of it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::{Absent, Contestant, Fate, Population, Tally, Works};
use crate::host::measure::energy::Energy;
use crate::host::measure::stat::Stat;

/// How a contestant's run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It has judged all variants, at least once.
    Finished,
    /// Its share of the time was over.
    OutOfTime,
    /// Somebody stopped the race.
    Stopped,
    LeftOut(String),
    Failed(String),
}

impl From<Absent> for End {
    fn from(why: Absent) -> End {
        match why {
            Absent::LeftOut(why) => End::LeftOut(why),
            Absent::Failed(why) => End::Failed(why),
        }
    }
}

/// One repetition.
#[derive(Clone, Debug)]
pub struct Run {
    pub time: Duration,
    /// What that took, if it ran.
    pub energy: Option<Energy>,
    /// What the time went to, as far as it is known.
    pub parts: Vec<(&'static str, Duration)>,
}

/// What a contestant did.
#[derive(Clone, Debug)]
pub struct Score {
    pub contestant: Contestant,
    pub end: End,
    /// What it worked with, and how.
    pub note: String,
    /// What it is charged for; none where it never ran.
    pub works: Option<Works>,
    /// By variant; none where it was not reached.
    pub fates: Arc<[Option<Fate>]>,
    /// Variants that were reached, in each repetition.
    pub done: u32,
    /// Before the clock ran.
    pub preparation: Duration,
    /// Its repetitions, in their order.
    pub runs: Vec<Run>,
    /// Variants on which a later repetition judged otherwise than the first.
    pub varies: u32,
}

impl Score {
    /// Of one that has not run.
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

    /// The repetition in the middle, by time, of two such the longer one: all its figures stand for the contestant. None where it did nothing.
    pub fn middle(&self) -> Option<&Run> {
        let mut runs: Vec<&Run> = self.runs.iter().filter(|_| self.done > 0).collect();
        runs.sort_by_key(|run| run.time);
        runs.get(runs.len() / 2).copied()
    }

    /// How far the times of its repetitions are spread, half the distance between their quartiles, as a part of the one in the middle. None
    /// where there are not two.
    pub fn spread(&self) -> Option<f64> {
        let times = self.runs.iter().map(|run| run.time.as_secs_f64()).collect();
        let stat = Stat::of(times).filter(|stat| stat.of > 1 && stat.median > 0.0)?;
        Some(stat.spread / stat.median)
    }

    /// Variants a second, of those that it did, in the repetition in the middle; none where it did none.
    pub fn per_second(&self) -> Option<f64> {
        self.middle().map(|run| f64::from(self.done) / run.time.as_secs_f64().max(1e-9))
    }

    /// The energy of a variant, of those that it did, in the repetition in the middle.
    pub fn energy_each(&self) -> Option<Energy> {
        let energy = self.middle()?.energy?;
        Some(energy.share(1.0 / f64::from(self.done)))
    }

    /// Variants on which it could not say anything.
    pub fn unanswered(&self) -> usize {
        self.fates.iter().filter(|one| **one == Some(Fate::NoAnswer)).count()
    }

    /// What it says of a variant; none where it says nothing.
    pub fn answer(&self, id: u32) -> Option<Fate> {
        self.fates.get(id as usize).copied().flatten().filter(|fate| *fate != Fate::NoAnswer)
    }
}

/// How a contestant's verdicts compare with the engine's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    pub agree: usize,
    pub differ: usize,
}

/// A variant that not all who judged it judge alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    pub id: u32,
    /// What running it comes to by the engine's verdict, if that has one.
    pub engine: Option<Fate>,
    pub answers: Vec<(Contestant, Fate)>,
}

/// A whole race.
#[derive(Clone, Debug)]
pub struct Race {
    /// Variants.
    pub k: u32,
    pub seed: u32,
    /// How often each was to judge them all.
    pub repetitions: u32,
    /// This machine's.
    pub cores: u32,
    /// What the variants are, by the engine.
    pub population: Population,
    /// In the order of the start; those that a stop came before are missing.
    pub scores: Arc<[Score]>,
}

impl Race {
    pub fn score(&self, contestant: Contestant) -> Option<&Score> {
        self.scores.iter().find(|score| score.contestant == contestant)
    }

    /// What a contestant's verdicts on some variants come to, copies named as the engine has them.
    pub fn tally(&self, score: &Score, ids: Range<u32>) -> Tally {
        self.population.tally_of(ids, |id| score.fates.get(id as usize).copied().flatten())
    }

    /// On the variants that both the contestant and the engine have judged.
    pub fn agreement(&self, score: &Score) -> Agreement {
        let mut sum = Agreement::default();
        for id in 0..self.k {
            if let (Some(one), Some(other)) = (score.answer(id), self.population.fate(id)) {
                if one == other { sum.agree += 1 } else { sum.differ += 1 }
            }
        }
        sum
    }

    /// Variants that not all who judged them judge alike, with what each says.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        let mut list = vec![];
        for id in 0..self.k {
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

    /// Variants that the engines judge differently, which none may: the same specification made them all.
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
        // One that judges otherwise the next time differs from itself.
        let varies =
            self.scores.iter().filter(|score| engine(score.contestant)).map(|score| score.varies as usize);
        between.max(varies.max().unwrap_or(0))
    }

    /// How many times faster than `to`, by variants a second.
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
    fn figures_are_those_of_the_repetition_in_the_middle() {
        let five = score(&[900, 100, 120, 90, 110]);
        assert_eq!(five.middle().map(|run| run.time), Some(Duration::from_millis(110)));
        assert_eq!(five.per_second().map(f64::round), Some(909.0));
        // The quartiles are 100 and 120; the one that was disturbed moves neither.
        assert!(five.spread().is_some_and(|spread| (spread - 10.0 / 110.0).abs() < 1e-9));
        assert_eq!(score(&[100]).spread(), None);
        assert_eq!(score(&[]).per_second(), None);
        assert_eq!(Score { done: 0, ..score(&[100]) }.per_second(), None);
    }
}

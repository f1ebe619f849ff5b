//! What a race gave, and what can be said of it.

use std::sync::Arc;
use std::time::Duration;

use super::{Contestant, Fate};
use crate::energy::Energy;

/// How a contestant's run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Finished,
    /// Its share of the time was over.
    OutOfTime,
    /// Somebody stopped the race.
    Stopped,
    LeftOut(String),
    Failed(String),
}

/// What a contestant did.
#[derive(Clone, Debug)]
pub struct Score {
    pub contestant: Contestant,
    pub end: End,
    /// What it worked with, and how.
    pub note: String,
    /// By variant; none where it was not reached.
    pub fates: Arc<[Option<Fate>]>,
    /// Variants that were reached.
    pub done: u32,
    /// Before the clock ran.
    pub preparation: Duration,
    pub time: Duration,
    /// What that took, if it ran.
    pub energy: Option<Energy>,
    /// What the time went to, as far as it is known.
    pub parts: Vec<(&'static str, Duration)>,
}

impl Score {
    /// Variants a second, of those that it did; none where it did none.
    pub fn per_second(&self) -> Option<f64> {
        (self.done > 0).then(|| f64::from(self.done) / self.time.as_secs_f64().max(1e-9))
    }

    /// The energy of a variant, of those that it did.
    pub fn energy_each(&self) -> Option<Energy> {
        let energy = self.energy.filter(|_| self.done > 0)?;
        Some(energy.share(1.0 / f64::from(self.done)))
    }

    /// How many variants had this fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.fates.iter().filter(|one| **one == Some(fate)).count()
    }

    fn answer(&self, id: usize) -> Option<Fate> {
        self.fates.get(id).copied().flatten().filter(|fate| *fate != Fate::NoAnswer)
    }
}

/// How a contestant's verdicts compare with those of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    pub agree: usize,
    pub differ: usize,
}

/// A whole race.
#[derive(Clone, Debug)]
pub struct Race {
    /// Variants.
    pub k: u32,
    pub seed: u32,
    /// In the order of the start; those that a stop came before are missing.
    pub scores: Arc<[Score]>,
}

impl Race {
    pub fn score(&self, contestant: Contestant) -> Option<&Score> {
        self.scores.iter().find(|score| score.contestant == contestant)
    }

    /// The contestant that all others are compared with: of those that have verdicts an engine, else the first.
    pub fn reference(&self) -> Option<&Score> {
        let order = [Contestant::Cpu, Contestant::Gpu, Contestant::Conventional];
        let answers = |score: &&Score| score.done > 0;
        let engine = order.into_iter().find_map(|one| self.score(one).filter(answers));
        engine.or_else(|| self.scores.iter().find(answers))
    }

    /// On the variants that both have judged.
    pub fn agreement(&self, score: &Score) -> Agreement {
        let mut sum = Agreement::default();
        let Some(reference) = self.reference() else { return sum };
        for id in 0..self.k as usize {
            if let (Some(one), Some(other)) = (score.answer(id), reference.answer(id)) {
                if one == other { sum.agree += 1 } else { sum.differ += 1 }
            }
        }
        sum
    }

    /// Variants that not all who judged them judge alike, with what each says.
    pub fn disagreements(&self) -> Vec<(u32, Vec<(Contestant, Fate)>)> {
        let mut list = vec![];
        for id in 0..self.k {
            let answer = |score: &Score| Some((score.contestant, score.answer(id as usize)?));
            let answers: Vec<_> = self.scores.iter().filter_map(answer).collect();
            if answers.windows(2).any(|pair| pair[0].1 != pair[1].1) {
                list.push((id, answers));
            }
        }
        list
    }

    /// Variants that the engines judge differently, which none may: the same specification made them all.
    pub fn engines_differ(&self) -> usize {
        let engine =
            |who: Contestant| matches!(who, Contestant::Conventional | Contestant::Cpu | Contestant::Gpu);
        let differ = |answers: &[(Contestant, Fate)]| {
            let mut fates = answers.iter().filter(|(who, _)| engine(*who)).map(|(_, fate)| fate);
            let first = fates.next();
            fates.any(|fate| Some(fate) != first)
        };
        self.disagreements().iter().filter(|(_, answers)| differ(answers)).count()
    }

    /// How many times faster than `to`, by variants a second.
    pub fn speedup(&self, score: &Score, to: Contestant) -> Option<f64> {
        Some(score.per_second()? / self.score(to)?.per_second()?)
    }
}

//! Neural compilation with probabilistic verification: draw, run, choose the fastest that is right, and say how sure that is.
//!
//! This is algorithm 2 of Metinov, Kudakeeva and Kabaeva, "Theoretical Foundations of GPU-Native Compilation for Rapid Code
//! Iteration" (§4), in full: k candidates, all tests, the fastest correct one; where none is correct, the failures are
//! analysed and fed back into another round. What is chosen is then verified on inputs that took no part in choosing it.
//!
//! A candidate is *correct* here if it passes every test that the deterministic compiler's code passes and agrees with that code on
//! the inputs of choosing: random ones, and deciding ones ([`crate::testing::decide`]). Candidates are drawn beside the greedy one: k counts draws
//! alone, so that the counts are those of independent trials and the estimates made of them are fair. The greedy candidate takes part in all else.

mod evidence;
mod failures;
mod plan;
mod rounds;
mod verify;

use std::collections::{HashMap, HashSet};

use crate::compiler::program::{Program, Watch};
use crate::compiler::stage::execute::mix;
use crate::engine::{EngineError, Sampler};
use crate::host::measure::statistics;
use crate::host::measure::statistics::Interval;
use crate::network::sampling::{Agreement, Candidate, Sampling, Spent, Status};
use crate::network::source::Source;
use crate::network::{assembler, target};
use crate::testing::decide::{Decide, Decision};

pub use evidence::{Evidence, Level, Proof};
pub use failures::Failures;
pub use plan::{Claim, Turn, plan, uniform_cost};
pub use rounds::CHOOSING;
pub use verify::{Bench, Trial, agree};

/// Which of the correct candidates is the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// The fastest of those with the best evidence (algorithm 2).
    #[default]
    Fastest,
    /// The first that has so much evidence (algorithm 3); no more is made of any than that takes.
    First(Level),
}

impl Aim {
    /// What makes a candidate better than another: less of it.
    fn rank(self, judged: &Judged) -> u64 {
        match self {
            Aim::Fastest => judged.steps(),
            Aim::First(_) => judged.candidate.number.into(),
        }
    }
}

/// What is searched for, and how hard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// At most `k` draws in each round, beside the greedy candidate.
    pub sampling: Sampling,
    /// The error rate that verification is to exclude, above 0 and below 1.
    pub risk: f64,
    /// How surely, above 0 and below 1.
    pub confidence: f64,
    /// Rounds at most: the first, and further ones while nothing correct is found and none is worse than the one before.
    pub rounds: u32,
    pub aim: Aim,
}

impl Default for Settings {
    fn default() -> Self {
        let (sampling, aim) = (Sampling::default(), Aim::default());
        Settings { sampling, risk: 0.001, confidence: 0.95, rounds: 3, aim }
    }
}

/// The function that is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub source: &'a Source,
    /// The deterministic compiler's code for it, as it would stand behind the base's; none where candidates cannot express it.
    pub own: Option<&'a [u32]>,
    /// How many inputs the function has, if they are few enough to be tried, every one (`neural::inputs`).
    pub domain: Option<u32>,
}

/// The deterministic compiler's code of a function, moved to where a candidate's stands.
pub fn own_code(program: &Program, source: &Source) -> Option<Vec<u32>> {
    let function = source.tables.callees.first()?.function;
    let words = target::write(program, function, &source.tables).ok()?;
    assembler::assemble(&source.tables, &words, program.executable.code.word.len() as u32).ok()
}

/// A candidate and all that is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub candidate: Candidate,
    /// Index of its round.
    pub round: usize,
    /// How it compared on the inputs of choosing; [`Agreement::NOTHING`] if it fails a test.
    pub chosen_by: Agreement,
    pub evidence: Evidence,
    /// Fresh random inputs on which it was compared.
    pub inputs: u64,
    /// The result of its comparison on deciding inputs, if it came to that.
    pub decision: Option<Decision>,
}

impl Judged {
    /// Instructions executed by the tests and on the random inputs of choosing.
    pub fn steps(&self) -> u64 {
        self.candidate.steps + self.chosen_by.steps
    }
    /// Whether it passes the tests, and no input is known on which it errs.
    pub fn is_correct(&self) -> bool {
        self.evidence != Evidence::Failed
    }
    /// How many draws gave it; the greedy candidate is none.
    pub fn draws(&self) -> u32 {
        self.candidate.samples - u32::from(self.candidate.number == 0)
    }
}

/// One round of drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    pub sampling: Sampling,
    pub failures: Failures,
    pub spent: Spent,
}

/// Success within k candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub k: u64,
    /// By equation 7.
    pub model: f64,
    /// 1 − C(n−c, k) / C(n, k).
    pub unbiased: f64,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub rounds: Vec<Round>,
    /// All candidates: by round, then by number.
    pub candidates: Vec<Judged>,
    /// Index of the answer, as of [`Aim`].
    pub best: Option<usize>,
    /// Instructions that the deterministic compiler's code executes where [`Judged::steps`] counts the best one's.
    pub base_steps: u64,
    /// Inputs compared in all, those of choosing included.
    pub spent: u64,
    /// What it would have cost to verify every candidate that passes the tests on its own, all alike.
    pub uniform: Option<u64>,
    pub confidence: f64,
}

impl Found {
    /// Draws of the first round.
    pub fn drawn(&self) -> u32 {
        self.rounds.first().map_or(0, |round| round.sampling.k)
    }
    /// Draws of the first round that are programs.
    pub fn valid(&self) -> u32 {
        self.count(|judged| judged.candidate.status != Status::Invalid)
    }
    /// Draws of the first round that are correct.
    pub fn correct(&self) -> u32 {
        self.count(Judged::is_correct)
    }
    fn count(&self, counts: impl Fn(&Judged) -> bool) -> u32 {
        let first = self.candidates.iter().filter(|judged| judged.round == 0 && counts(judged));
        first.map(Judged::draws).sum()
    }
    /// The part of the draws that is correct.
    pub fn p_correct(&self) -> f64 {
        f64::from(self.correct()) / f64::from(self.drawn().max(1))
    }
    /// Between what the probability that a draw is correct lies.
    pub fn interval(&self) -> Interval {
        statistics::wilson(self.correct().into(), self.drawn().into(), self.confidence)
    }
    /// Success within 1, 2, 5, 10, 20 … and k candidates: by equation 7 from [`Self::p_correct`], and unbiased from the same draws.
    pub fn curve(&self) -> Vec<Point> {
        let (drawn, correct) = (u64::from(self.drawn()), u64::from(self.correct()));
        let steps = (0..10).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power)));
        let mut list: Vec<u64> = steps.take_while(|&k| k < drawn).collect();
        list.push(drawn);
        let point = |k| {
            let unbiased = statistics::pass_at_k(drawn, correct, k).unwrap_or(0.0);
            Point { k, model: statistics::success_model(self.p_correct(), k), unbiased }
        };
        list.into_iter().map(point).collect()
    }
    /// Equation 8: how many candidates it takes for one to be correct with probability 99 %.
    pub fn k_for_99(&self) -> Option<u64> {
        statistics::candidates_for(self.p_correct(), 0.99)
    }
    pub fn best(&self) -> Option<&Judged> {
        self.candidates.get(self.best?)
    }
}

/// Searches for the best correct program of a function. `decider` compares codes with the function's own. `sink` gets candidates as they
/// are judged by the tests.
///
/// # Errors
/// Those of the sampler; being cancelled is one.
pub fn search(
    sampler: &mut dyn Sampler,
    decider: &mut dyn Decide,
    subject: Subject,
    settings: &Settings,
    watch: &dyn Watch,
    sink: &mut dyn FnMut(&Candidate),
) -> Result<Found, EngineError> {
    let found = Found {
        rounds: Vec::new(),
        candidates: Vec::new(),
        best: None,
        base_steps: 0,
        spent: 0,
        uniform: None,
        confidence: settings.confidence,
    };
    let mut search = Search { sampler, decider, subject, settings, watch, found };
    search.rounds(sink)?;
    search.choose()?;
    Ok(search.found)
}

struct Search<'a> {
    sampler: &'a mut dyn Sampler,
    decider: &'a mut dyn Decide,
    subject: Subject<'a>,
    settings: &'a Settings,
    watch: &'a dyn Watch,
    found: Found,
}

impl Search<'_> {
    /// The seed of one of the streams of random inputs: those that choose must not judge.
    fn seed(&self, stream: u32) -> u32 {
        mix(mix(self.settings.sampling.seed).wrapping_add(stream))
    }

    /// Makes the best candidate the answer. A proved one is always preferred; where none is, what promises most is verified until one holds.
    fn choose(&mut self) -> Result<(), EngineError> {
        let Settings { risk, confidence, aim, .. } = *self.settings;
        let all = &self.found.candidates;
        let passed = all.iter().filter(|judged| judged.candidate.status == Status::Passed).count();
        self.found.uniform = uniform_cost(passed, risk, confidence);
        let correct = || (0..all.len()).filter(|&i| all[i].is_correct());
        if aim == Aim::First(Level::Tests) {
            self.found.best = correct().min_by_key(|&i| aim.rank(&all[i]));
            return Ok(());
        }
        let proved =
            correct().filter(|&i| all[i].evidence != Evidence::TestsPassed).min_by_key(|&i| aim.rank(&all[i]));
        // Only trying all inputs proves more than that.
        let line: Vec<usize> = match (proved, self.subject.domain) {
            (Some(_), None) => Vec::new(),
            (Some(proved), Some(_)) => {
                correct().filter(|&i| aim.rank(&all[i]) < aim.rank(&all[proved])).collect()
            }
            (None, _) => correct().collect(),
        };
        // A bound proves nothing.
        let bounded = aim == Aim::First(Level::Proved) && self.subject.domain.is_none();
        let verified = if bounded { None } else { self.verify(&line)? };
        let all = &self.found.candidates;
        let best = || {
            let correct = line.iter().copied().filter(|&i| all[i].is_correct());
            correct.min_by_key(|&i| aim.rank(&all[i]))
        };
        self.found.best = verified.or(proved).or_else(best);
        Ok(())
    }

    /// The first in line that is proved or verified.
    fn verify(&mut self, line: &[usize]) -> Result<Option<usize>, EngineError> {
        let claims = claims(line.iter().map(|&i| &self.found.candidates[i]), self.settings.aim);
        let Some(turns) = plan(&claims, self.settings.risk, self.settings.confidence) else { return Ok(None) };
        let mut bench = Bench {
            function: self.function(),
            seed: self.seed(2),
            next: 0,
            risk: self.settings.risk,
            confidence: self.settings.confidence,
            watch: self.watch,
            sampler: &mut *self.sampler,
            decider: &mut *self.decider,
        };
        for turn in turns {
            let judged = &mut self.found.candidates[line[turn.claim]];
            let trial = match self.subject.domain {
                Some(size) => bench.exhaust(&judged.candidate.code, size)?,
                None => bench.trial(&judged.candidate.code, &turn)?,
            };
            let next = trial.evidence == Evidence::Failed || trial.own_branches_alone();
            judged.evidence = trial.evidence;
            judged.inputs = trial.inputs;
            judged.decision = trial.decision;
            self.found.spent += trial.inputs;
            match trial.evidence {
                Evidence::Proved(_) | Evidence::Verified { .. } => return Ok(Some(line[turn.claim])),
                _ if next => {}
                // The others would fare no better: it is the inputs that say too little.
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    fn function(&self) -> u32 {
        self.subject.source.tables.callees.first().map_or(0, |own| own.function)
    }
}

/// What the plan of verification goes by.
fn claims<'a>(line: impl Iterator<Item = &'a Judged> + Clone, aim: Aim) -> Vec<Claim> {
    // How many candidates in line have each pair of neighbouring words.
    let mut having: HashMap<[u16; 2], u32> = HashMap::new();
    let pairs = |judged: &'a Judged| judged.candidate.words.windows(2).map(|pair| [pair[0], pair[1]]);
    for judged in line.clone() {
        for pair in pairs(judged).collect::<HashSet<_>>() {
            *having.entry(pair).or_default() += 1;
        }
    }
    let claim = |judged: &'a Judged| {
        let words = judged.candidate.words.len();
        let alone = pairs(judged).filter(|pair| having.get(pair) == Some(&1)).count();
        Claim {
            rank: aim.rank(judged),
            draws: judged.candidate.samples,
            words,
            unusual: alone as f64 / words.saturating_sub(1).max(1) as f64,
        }
    };
    line.map(claim).collect()
}

#[cfg(test)]
mod tests;

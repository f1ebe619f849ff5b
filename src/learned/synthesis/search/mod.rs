//! Neural compilation: draws candidates, runs them, and chooses the fastest correct one with its evidence.
//!
//! This is algorithm 2 of Metinov, Kudakeeva and Kabaeva, "Theoretical Foundations of GPU-Native Compilation for Rapid
//! Code Iteration" (§4), in full: k candidates, all tests, the fastest correct candidate. If none is correct, the
//! failures are analysed and fed back into further rounds ([`feedback`]). The chosen candidate is then compared on inputs that were not
//! used to choose it (the paper's probabilistic verification).
//!
//! A candidate is *correct* here if it passes every test that the deterministic compiler's code passes and agrees with
//! that code on the inputs of choosing: random ones and deciding ones ([`crate::testing::decide`]). The greedy
//! candidate is added to the draws but not counted in k. The counts are thus of independent trials, so that estimates
//! from them are unbiased. In all other respects the greedy candidate is treated alike.

mod evidence;
mod failures;
mod feedback;
mod plan;
mod rounds;
mod verify;

use std::collections::{HashMap, HashSet};

use crate::compiler::program::{Program, Watch};
use crate::compiler::stage::execute::mix;
use crate::engine::{EngineError, Sampler};
use crate::host::measure::statistics;
use crate::host::measure::statistics::Interval;
use crate::lang::index::RoutineId;
use crate::network::sampling::{Agreement, Candidate, SampleTimings, Sampling, Status};
use crate::network::source::Source;
use crate::network::{assembler, target};
use crate::testing::decide::{Decide, Decision};
use crate::testing::equivalence::CodeProver;

pub use evidence::{Bound, Evidence, Level, Proof, Tested};
pub use failures::Failures;
pub use feedback::{GivenUp, batch, gives_up, mean_share, refute};
pub use plan::{Claim, PlannedCheck, plan, uniform_cost};
pub use rounds::CHOOSING;
pub use verify::{Trial, Verifier, agree};

/// Selects the answer among the correct candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The fastest candidate with this level of evidence (algorithm 2).
    Fastest(Level),
    /// The first candidate with this level of evidence (algorithm 3). No further evidence is sought.
    First(Level),
}

impl Default for Aim {
    fn default() -> Aim {
        Aim::Fastest(Level::Proved)
    }
}

impl Aim {
    /// Returns the level of evidence that the answer needs.
    pub fn level(self) -> Level {
        match self {
            Aim::Fastest(level) | Aim::First(level) => level,
        }
    }

    /// Returns the sort key of a candidate; the least is best.
    fn rank(self, judged: &Judged) -> u64 {
        match self {
            Aim::Fastest(_) => judged.steps(),
            Aim::First(_) => judged.candidate.number.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// At most `k` draws in each round, not counting the greedy candidate.
    pub sampling: Sampling,
    /// The error rate that the random inputs must exclude, above 0 and below 1.
    pub risk: f64,
    /// The confidence of that exclusion, above 0 and below 1.
    pub confidence: f64,
    /// The maximum number of draws, as a multiple of k. Further rounds, with feedback, follow while nothing correct is
    /// found and success is not improbable. With 1, no round has feedback.
    pub rounds: u32,
    pub aim: Aim,
}

impl Default for SearchSettings {
    fn default() -> Self {
        let (sampling, aim) = (Sampling::default(), Aim::default());
        SearchSettings { sampling, risk: 0.001, confidence: 0.95, rounds: 3, aim }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct SearchSubject<'a> {
    pub source: &'a Source,
    /// The deterministic compiler's code for it, placed after the base's code, or `None` if candidates cannot express
    /// it.
    pub own: Option<&'a [u32]>,
    /// The number of the function's inputs, if they are few enough to be tried exhaustively (`neural::inputs`).
    pub domain: Option<u32>,
    /// Proves other code equal to the function's own.
    pub prover: Option<&'a CodeProver>,
}

/// Returns the deterministic compiler's code of a function, relocated to the address of a candidate.
pub fn own_code(program: &Program, source: &Source) -> Option<Vec<u32>> {
    let function = source.function()?;
    let words = target::write(program, function, &source.tables).ok()?;
    assembler::assemble(&source.tables, &words, program.executable.end()).ok()
}

#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub candidate: Candidate,
    pub round: usize,
    /// The comparison on the inputs of choosing, or [`Agreement::NOTHING`] if it fails a test.
    pub chosen_by: Agreement,
    pub evidence: Evidence,
    /// The number of fresh random inputs on which it was compared.
    pub inputs: u64,
    /// The result of its comparison on deciding inputs, if one was made.
    pub decision: Option<Decision>,
}

impl Judged {
    /// Returns the instructions executed by the tests and on the random inputs of choosing.
    pub fn steps(&self) -> u64 {
        self.candidate.steps + self.chosen_by.steps
    }
    /// Returns whether it passes the tests and errs on no known input.
    pub fn is_correct(&self) -> bool {
        self.evidence != Evidence::Differs
    }
    /// Returns the number of draws that produced it. The greedy candidate is not a draw.
    pub fn draws(&self) -> u32 {
        self.candidate.samples - u32::from(self.candidate.number == 0)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    pub sampling: Sampling,
    pub failures: Failures,
    /// The probability, by the model, of all programs that were not refuted before the round: 1 in the first.
    pub left: f32,
    pub spent: SampleTimings,
}

/// The probability of success within k candidates.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SearchPoint {
    pub k: u64,
    /// By equation 7.
    pub model: f64,
    /// 1 − C(n−c, k) / C(n, k).
    pub unbiased: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    pub rounds: Vec<Round>,
    /// Set if success with the draws that remained was improbable.
    pub given_up: Option<GivenUp>,
    /// All candidates, by round, then by number.
    pub candidates: Vec<Judged>,
    /// The index of the answer selected by [`Aim`]. Without one, the deterministic compiler's code is the answer.
    pub best: Option<usize>,
    /// The index of the most promising candidate that lacks the level of evidence for an answer, and that would be
    /// better than the answer.
    pub tested: Option<usize>,
    /// The instructions that the deterministic compiler's code executes where [`Judged::steps`] counts those of the
    /// best candidate.
    pub base_steps: u64,
    /// The number of inputs compared in total, including those of choosing.
    pub spent: u64,
    /// The number of inputs needed to compare all candidates that pass the tests with equal shares of the risk.
    pub uniform: Option<u64>,
    pub confidence: f64,
}

impl SearchResult {
    /// Returns the number of draws of the first round.
    pub fn drawn(&self) -> u32 {
        self.rounds.first().map_or(0, |round| round.sampling.k)
    }
    /// Returns the number of draws of the first round that are programs.
    pub fn valid(&self) -> u32 {
        self.count(|judged| judged.candidate.status != Status::Invalid)
    }
    /// Returns the number of draws of the first round that are correct.
    pub fn correct(&self) -> u32 {
        self.count(Judged::is_correct)
    }
    fn count(&self, counts: impl Fn(&Judged) -> bool) -> u32 {
        let first = self.candidates.iter().filter(|judged| judged.round == 0 && counts(judged));
        first.map(Judged::draws).sum()
    }
    /// Returns the fraction of the draws that are correct.
    pub fn p_correct(&self) -> f64 {
        f64::from(self.correct()) / f64::from(self.drawn().max(1))
    }
    /// Returns the confidence interval of the probability that a draw is correct.
    pub fn interval(&self) -> Interval {
        statistics::wilson(self.correct().into(), self.drawn().into(), self.confidence)
    }
    /// Returns the success within 1, 2, 5, 10, 20 … and k candidates: by equation 7 from [`Self::p_correct`], and
    /// unbiased from the same draws.
    pub fn curve(&self) -> Vec<SearchPoint> {
        let (drawn, correct) = (u64::from(self.drawn()), u64::from(self.correct()));
        let steps = (0..10).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power)));
        let mut list: Vec<u64> = steps.take_while(|&k| k < drawn).collect();
        list.push(drawn);
        let point = |k| {
            let unbiased = statistics::pass_at_k(drawn, correct, k).unwrap_or(0.0);
            SearchPoint { k, model: statistics::success_model(self.p_correct(), k), unbiased }
        };
        list.into_iter().map(point).collect()
    }
    /// Returns the number of candidates for a 99 % probability that one is correct (equation 8).
    pub fn k_for_99(&self) -> Option<u64> {
        statistics::candidates_for(self.p_correct(), 0.99)
    }
    pub fn best(&self) -> Option<&Judged> {
        self.candidates.get(self.best?)
    }
    pub fn tested(&self) -> Option<&Judged> {
        self.candidates.get(self.tested?)
    }
    /// Returns the answer, or else the most promising candidate.
    pub fn leading(&self) -> Option<&Judged> {
        self.best().or(self.tested())
    }
}

/// Searches for the best correct program of a function. `decider` compares codes with the function's own. `sink`
/// receives candidates as the tests judge them.
///
/// # Errors
/// If the sampler fails, or the work is cancelled.
pub fn search(
    sampler: &mut dyn Sampler,
    decider: &mut dyn Decide,
    subject: SearchSubject,
    settings: &SearchSettings,
    watch: &dyn Watch,
    sink: &mut dyn FnMut(&Candidate),
) -> Result<SearchResult, EngineError> {
    let found = SearchResult {
        rounds: Vec::new(),
        given_up: None,
        candidates: Vec::new(),
        best: None,
        tested: None,
        base_steps: 0,
        spent: 0,
        uniform: None,
        confidence: settings.confidence,
    };
    let mut search = SynthesisSearch { sampler, decider, subject, settings, watch, found };
    search.rounds(sink)?;
    search.choose()?;
    Ok(search.found)
}

struct SynthesisSearch<'a> {
    sampler: &'a mut dyn Sampler,
    decider: &'a mut dyn Decide,
    subject: SearchSubject<'a>,
    settings: &'a SearchSettings,
    watch: &'a dyn Watch,
    found: SearchResult,
}

impl SynthesisSearch<'_> {
    /// Returns the seed of a stream of random inputs. Choosing and the comparison after it use different streams.
    fn seed(&self, stream: u32) -> u32 {
        mix(mix(self.settings.sampling.seed).wrapping_add(stream))
    }

    /// Selects the answer, which has at least the required level of evidence. Without a proved candidate, others are
    /// compared in order of promise until one holds.
    fn choose(&mut self) -> Result<(), EngineError> {
        let SearchSettings { risk, confidence, aim, .. } = *self.settings;
        let all = &self.found.candidates;
        let passed = all.iter().filter(|judged| judged.candidate.status == Status::Passed).count();
        self.found.uniform = uniform_cost(passed, risk, confidence);
        let correct = || (0..all.len()).filter(|&i| all[i].is_correct());
        if aim.level() == Level::Tests {
            self.found.best = correct().min_by_key(|&i| aim.rank(&all[i]));
            return Ok(());
        }
        let proved =
            correct().filter(|&i| all[i].evidence.proof().is_some()).min_by_key(|&i| aim.rank(&all[i]));
        let better: Vec<usize> = match proved {
            Some(proved) => correct().filter(|&i| aim.rank(&all[i]) < aim.rank(&all[proved])).collect(),
            None => correct().collect(),
        };
        // A comparison proves something only if it tries all inputs.
        let decides = self.subject.domain.is_some()
            || match aim {
                Aim::Fastest(level) => level == Level::Tested || proved.is_none(),
                Aim::First(level) => level == Level::Tested && proved.is_none(),
            };
        let held = if decides { self.verify(&better)? } else { None };
        let all = &self.found.candidates;
        let enough = held.filter(|&i| all[i].evidence.level() >= Some(aim.level()));
        self.found.best = enough.or(proved);
        let others = || better.iter().copied().filter(|&i| all[i].is_correct() && Some(i) != self.found.best);
        let promising = others().min_by_key(|&i| aim.rank(&all[i]));
        self.found.tested = if enough.is_some() { None } else { held.or(promising) };
        Ok(())
    }

    /// Returns the first candidate in line that is proved, or tested on adequate inputs.
    fn verify(&mut self, line: &[usize]) -> Result<Option<usize>, EngineError> {
        let claims = claims(line.iter().map(|&i| &self.found.candidates[i]), self.settings.aim);
        let Some(turns) = plan(&claims, self.settings.risk, self.settings.confidence) else { return Ok(None) };
        let mut bench = Verifier {
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
            let next = trial.evidence == Evidence::Differs || trial.own_branches_alone();
            judged.inputs = trial.inputs;
            judged.decision = trial.decision;
            judged.evidence = match trial.evidence {
                Evidence::Tested(tested) => Evidence::Tested(judged.tested(tested.kills, tested.bound)),
                evidence => evidence,
            };
            self.found.spent += trial.inputs;
            if judged.evidence.level() >= Some(Level::Tested) {
                return Ok(Some(line[turn.claim]));
            }
            // Other candidates would fare no better if the inputs themselves are insufficient.
            if !next {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn function(&self) -> RoutineId {
        self.subject.source.function().unwrap_or_default()
    }
}

/// Returns the claims from which the comparison is planned.
fn claims<'a>(line: impl Iterator<Item = &'a Judged> + Clone, aim: Aim) -> Vec<Claim> {
    // For each pair of adjacent words, the number of candidates in line that contain it.
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

//! Draws candidates in rounds, each in batches, until one is correct or further rounds do not pay.

use super::{Evidence, Failures, Judged, Level, Proof, Round, Search, verify};
use crate::engine::EngineError;
use crate::network::sampling::{Agreement, Candidate, Inputs, SampleTimings, Sampled, Sampling, Status};

/// The number of inputs on which candidates that pass the tests are compared before one is chosen.
pub const CHOOSING: u32 = 256;
/// The size of a round's first batch, without the greedy candidate. If one of these is correct, the rest follow in one
/// batch.
const FIRST: u32 = 128;
/// The number of distinct programs and invalid draws after which a round without a correct candidate ends. Equal draws
/// cost next to nothing.
const PATIENCE: u32 = 256;

/// The progress of a round toward a correct candidate.
#[derive(Clone, Copy)]
struct RoundProgress {
    /// The maximum number of tests, then of random inputs, that a candidate passed.
    nearest: (u32, u32),
    /// The fraction of draws that are not programs.
    invalid: f64,
}

impl RoundProgress {
    /// Returns whether it made no progress and a larger fraction of its draws are not programs.
    fn is_worse_than(self, before: RoundProgress) -> bool {
        self.nearest <= before.nearest && self.invalid > before.invalid
    }
}

impl Search<'_> {
    /// Draws rounds until a candidate is correct, the limit is reached, or a retry was worse than the previous round.
    pub(super) fn rounds(&mut self, sink: &mut dyn FnMut(&Candidate)) -> Result<(), EngineError> {
        let asked = self.settings.sampling;
        let mut sampling = Sampling { first: 0, ..asked };
        let mut before: Option<RoundProgress> = None;
        for round in 0..self.settings.rounds.max(1) as usize {
            self.round(round, sampling, sink)?;
            let standing = self.standing(round);
            // Each retry is hotter, and more heat would make it even worse.
            let worse = before.is_some_and(|before| standing.is_worse_than(before));
            if self.candidates_of(round).any(Judged::is_correct) || worse {
                break;
            }
            before = Some(standing);
            let Some(Round { failures, sampling: last, .. }) = self.found.rounds.last() else { break };
            let drawn = Sampling { k: last.k + u32::from(last.first == 0), ..*last };
            sampling = Sampling { k: asked.k, ..failures.feedback(&drawn) };
        }
        Ok(())
    }

    /// Draws one round. The greedy candidate is drawn with the first round's candidates and not counted.
    fn round(
        &mut self,
        round: usize,
        sampling: Sampling,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<(), EngineError> {
        let greedy = u32::from(sampling.first == 0);
        let (mut drawn, mut spent) = (0, SampleTimings::default());
        while drawn < sampling.k {
            let found = self.candidates_of(round).any(Judged::is_correct);
            if !found && self.different(round) >= PATIENCE {
                break;
            }
            let batch = if found { sampling.k } else { FIRST.max(drawn) };
            let count = batch.min(sampling.k - drawn);
            let greedy_here = if drawn == 0 { greedy } else { 0 };
            let first = sampling.first.saturating_add(drawn + greedy - greedy_here);
            let asked = Sampling { first, k: count.saturating_add(greedy_here), ..sampling };
            let sampled = self.sampler.sample(self.subject.source, &asked, self.watch, sink)?;
            spent.generating += sampled.timings.generating;
            spent.verifying += sampled.timings.verifying;
            drawn += count;
            self.judge(round, sampled)?;
        }
        let mut failures = Failures::default();
        { self.candidates_of(round) }
            .filter(|judged| !judged.is_correct())
            .for_each(|judged| failures.add(&judged.candidate));
        self.found.rounds.push(Round { sampling: Sampling { k: drawn, ..sampling }, failures, spent });
        Ok(())
    }

    fn candidates_of(&self, round: usize) -> impl Iterator<Item = &Judged> {
        self.found.candidates.iter().filter(move |judged| judged.round == round)
    }

    /// Returns the number of distinct programs of a round so far plus its invalid draws.
    fn different(&self, round: usize) -> u32 {
        let count = |judged: &Judged| match judged.candidate.status {
            Status::Invalid => judged.candidate.samples,
            _ => 1,
        };
        self.candidates_of(round).map(count).sum()
    }

    /// Returns the progress of a completed round.
    fn standing(&self, round: usize) -> RoundProgress {
        let reached = |judged: &Judged| (judged.candidate.passed, judged.chosen_by.compared);
        let nearest = self.candidates_of(round).map(reached).max().unwrap_or_default();
        let all = self.candidates_of(round).map(|judged| judged.candidate.samples).sum::<u32>();
        let invalid = self.found.rounds.get(round).map_or(0, |round| round.failures.invalid);
        RoundProgress { nearest, invalid: f64::from(invalid) / f64::from(all.max(1)) }
    }

    /// Compares the candidates that pass the tests on the inputs of choosing, and adds all candidates to the round.
    fn judge(&mut self, round: usize, sampled: Sampled) -> Result<(), EngineError> {
        let mut new: Vec<Candidate> = Vec::new();
        for candidate in sampled.candidates {
            let of_round =
                |judged: &&mut Judged| judged.round == round && judged.candidate.code == candidate.code;
            match self.found.candidates.iter_mut().find(of_round) {
                Some(known) => known.candidate.samples += candidate.samples,
                None => new.push(candidate),
            }
        }
        let passed: Vec<usize> = (0..new.len()).filter(|&i| new[i].status == Status::Passed).collect();
        let mut compared = vec![Agreement::NOTHING; new.len()];
        // If only tests are required, nothing more is compared.
        let compares = !passed.is_empty() && self.settings.aim.level() != Level::Tests;
        if compares {
            let codes: Vec<&[u32]> = passed.iter().map(|&i| &new[i].code[..]).collect();
            let inputs = Inputs { seed: self.seed(1), first: 0, count: CHOOSING };
            let function = self.function();
            let list = verify::agree(self.sampler, function, &codes, inputs, self.watch)?;
            for (&i, agreement) in passed.iter().zip(list) {
                compared[i] = agreement;
                self.found.spent += u64::from(agreement.compared);
            }
        }
        for (candidate, chosen_by) in new.into_iter().zip(compared) {
            let mut judged =
                Judged { candidate, round, chosen_by, evidence: Evidence::Differs, inputs: 0, decision: None };
            judged.evidence = self.evidence(&judged, compares)?;
            if judged.is_correct() {
                self.found.base_steps = sampled.base_steps + chosen_by.base_steps;
            }
            self.found.candidates.push(judged);
        }
        Ok(())
    }

    /// Returns the evidence for a candidate before it is chosen. `compares` says whether more than tests is required.
    fn evidence(&mut self, judged: &Judged, compares: bool) -> Result<Evidence, EngineError> {
        let Judged { candidate, chosen_by, .. } = judged;
        Ok(if candidate.status != Status::Passed || !chosen_by.agrees() {
            Evidence::Differs
        } else if self.subject.own == Some(&candidate.code) {
            Evidence::Proved(Proof::SameBytecode)
        } else if self.subject.domain == Some(chosen_by.compared) {
            Evidence::Proved(Proof::Exhausted)
        } else if compares && self.subject.prover.is_some_and(|prover| prover.proves(&candidate.code)) {
            Evidence::Proved(Proof::Form)
        } else if compares && self.differs(&candidate.code)? {
            Evidence::Differs
        } else {
            Evidence::Tested(judged.tested(None, None))
        })
    }

    /// Returns whether a deciding input distinguishes a code from the function's own. Not needed if all inputs can be
    /// tried.
    fn differs(&mut self, code: &[u32]) -> Result<bool, EngineError> {
        if self.subject.domain.is_some() {
            return Ok(false);
        }
        self.decider.differs(code, self.watch).ok_or(EngineError::Cancelled)
    }
}

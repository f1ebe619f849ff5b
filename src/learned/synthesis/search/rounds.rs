//! Draws candidates in rounds, each in batches, until one is correct or success is improbable.

use super::feedback::{self, batch, gives_up, mean_share};
use super::{Evidence, Failures, Judged, Level, Proof, Round, SynthesisSearch, verify};
use crate::engine::EngineError;
use crate::network::refuted::{NOTHING_REFUTED, Refuted};
use crate::network::sampling::{Agreement, Candidate, Inputs, SampleTimings, Sampled, Sampling, Status};

/// The number of inputs on which candidates that pass the tests are compared before one is chosen.
pub const CHOOSING: u32 = 256;
/// Without feedback: the size of the first batch, and the number of distinct programs and invalid draws after which a round
/// without a correct candidate ends. Equal draws cost next to nothing.
const FIRST: u32 = 128;
const PATIENCE: u32 = 256;

struct RoundProgress {
    /// The number of draws of all rounds, and of those that the settings allow. The greedy candidate counts in neither.
    drawn: u32,
    allowed: u32,
    refuted: Refuted,
    /// The number of candidates that have been analysed.
    analysed: usize,
}

impl SynthesisSearch<'_> {
    /// Draws rounds until a candidate is correct, the limit is reached, or success is improbable.
    pub(super) fn rounds(&mut self, sink: &mut dyn FnMut(&Candidate)) -> Result<(), EngineError> {
        let asked = self.settings.sampling;
        let rounds = self.settings.rounds.max(1);
        let allowed = asked.k.saturating_mul(rounds);
        let mut progress = RoundProgress { drawn: 0, allowed, refuted: Refuted::default(), analysed: 0 };
        for round in 0.. {
            let k = asked.k.min(allowed - progress.drawn);
            self.round(round, Sampling { k, ..asked }, &mut progress, sink)?;
            let ended = rounds == 1 || progress.drawn == allowed || self.found.given_up.is_some();
            if ended || self.candidates_of(round).any(Judged::is_correct) {
                break;
            }
        }
        Ok(())
    }

    /// Draws one round. The greedy candidate is drawn with the first round's candidates and not counted. In later rounds,
    /// each batch avoids what the failures so far refute.
    fn round(
        &mut self,
        round: usize,
        sampling: Sampling,
        progress: &mut RoundProgress,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<(), EngineError> {
        let (mut drawn, mut spent) = (0, SampleTimings::default());
        let retries = self.settings.rounds > 1;
        let sampling = Sampling { first: if round == 0 { 0 } else { 1 + progress.drawn }, ..sampling };
        let left = progress.refuted.left();
        while drawn < sampling.k {
            let found = self.candidates_of(round).any(Judged::is_correct);
            let batch = match (found, round) {
                (true, 0) => sampling.k,
                (true, _) => break,
                (false, 0) if drawn > 0 && retries => break,
                (false, _) if retries => batch(progress.drawn),
                (false, _) if self.different() >= PATIENCE => break,
                (false, _) => FIRST.max(drawn),
            };
            let count = batch.min(sampling.k - drawn);
            let greedy = u32::from(round == 0 && drawn == 0);
            let first = 1 - greedy + progress.drawn;
            let asked = Sampling { first, k: count.saturating_add(greedy), ..sampling };
            let refuted = if round == 0 { &NOTHING_REFUTED } else { &progress.refuted };
            let before = refuted.left();
            let sampled =
                self.sampler.sample_unrefuted(self.subject.source, &asked, refuted, self.watch, sink)?;
            spent.generating += sampled.timings.generating;
            spent.verifying += sampled.timings.verifying;
            drawn += count;
            progress.drawn += count;
            let p = mean_share(&sampled, before);
            self.judge(round, sampled)?;
            if retries && !self.candidates_of(round).any(Judged::is_correct) {
                self.refute(progress)?;
                let remained = progress.allowed - progress.drawn;
                let p = if progress.refuted.left() > 0.0 { p } else { 0.0 };
                self.found.given_up = gives_up(p, progress.drawn, remained);
                if self.found.given_up.is_some() {
                    break;
                }
            }
        }
        let mut failures = Failures::default();
        { self.candidates_of(round) }
            .filter(|judged| !judged.is_correct())
            .for_each(|judged| failures.add(&judged.candidate));
        let sampling = Sampling { k: drawn, ..sampling };
        self.found.rounds.push(Round { sampling, failures, left, spent });
        Ok(())
    }

    /// Refutes the candidates that have not been analysed. None of them is correct.
    fn refute(&mut self, progress: &mut RoundProgress) -> Result<(), EngineError> {
        let SynthesisSearch { found, decider, watch, .. } = self;
        for judged in found.candidates.iter().skip(progress.analysed) {
            let refuted = &mut progress.refuted;
            feedback::refute(refuted, &mut **decider, &judged.candidate, *watch)
                .ok_or(EngineError::Cancelled)?;
        }
        progress.analysed = found.candidates.len();
        Ok(())
    }

    /// Returns the number of distinct programs so far plus the invalid draws.
    fn different(&self) -> u32 {
        let count = |judged: &Judged| match judged.candidate.status {
            Status::Invalid => judged.candidate.samples,
            _ => 1,
        };
        self.found.candidates.iter().map(count).sum()
    }

    fn candidates_of(&self, round: usize) -> impl Iterator<Item = &Judged> {
        self.found.candidates.iter().filter(move |judged| judged.round == round)
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

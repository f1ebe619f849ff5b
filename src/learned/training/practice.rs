//! Learning from execution: runs the model's own candidates and trains on the results.
//!
//! *Reinforcement* (eq. 5): several candidates are drawn for each function and compared with the compiler's code on
//! random inputs. The reward is 1 for a valid program, plus 10 if it agrees, minus its steps as a fraction of the
//! compiler's. The advantage is the reward minus the mean of the other candidates of the same function (leave-one-out,
//! Kool et al. 2019). This leaves the gradient's mean unchanged and removes most of its variance.
//!
//! *Self-play* (§9.2): a candidate becomes a training target if it agrees on many more inputs and on deciding ones
//! ([`crate::testing::decide`]), and takes fewer steps than the compiler's code. These targets are kept in a file of
//! the run, so that a resumed run has them.

use std::io;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::batch::Example;
use super::feed::ExampleBuilder;
use super::measure::Sampled;
use super::schedule::LEVELS;
use super::{Options, TrainError};
use crate::compiler::program::Compiled;
use crate::corpus;
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError, Sampler};
use crate::host::files;
use crate::lang::index::{Index, RoutineId};
use crate::lang::random::Rng;
use crate::learned::synthesis::evaluation::EvaluationTask;
use crate::network::sampling::{Agreement, Inputs, Sampling, Status};
use crate::network::source;
use crate::network::source::Source;
use crate::network::weights::Weights;
use crate::testing::decide::{Decide, Decider};
use serde::{Deserialize, Serialize};

/// The file of targets found by self-play.
const FOUND: &str = "found.jsonl";
/// The maximum size of that file that is read.
const LARGEST: u64 = 256 << 20;
/// Separates the programs of practice from those of the stream.
const STREAM: u64 = 0x7072_6163_7469;
/// The number of functions of a round, and of candidates drawn for each.
const FUNCTIONS: usize = 8;
const DRAWN: u32 = 8;
/// The number of inputs on which a candidate must agree to be rewarded, and to become a target.
const INPUTS: u32 = 64;
const CERTAIN: u32 = 3_000;
/// The rewards of eq. 5, and its α, for steps as a fraction of the compiler's.
const CORRECT: f64 = 10.0;
const VALID: f64 = 1.0;
const ALPHA: f64 = 1.0;
/// The number of earlier targets that a round repeats.
const REPEATED: usize = 4;
/// The number of rounds after which the newest weights are loaded.
const FRESH: u64 = 16;

/// A candidate with its results.
struct PracticeTried {
    words: Vec<u16>,
    code: Vec<u32>,
    samples: u32,
    valid: bool,
    agrees: bool,
    steps: u64,
    base_steps: u64,
}

/// A tested program that is faster than the compiler's code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PracticeResult {
    text: String,
    function: RoutineId,
    words: Vec<u16>,
}

/// The state of learning from execution.
pub struct Practice {
    engine: CpuEngine,
    rounds: u64,
    seed: u64,
    found: Vec<Example>,
    maker: ExampleBuilder,
}

impl Practice {
    /// Loads the targets found earlier in this run's folder.
    pub fn new(options: &Options, seed: u64) -> Practice {
        let text = files::read_text(&options.folder.join(FOUND), LARGEST).unwrap_or_default();
        let mut maker = ExampleBuilder::default();
        let found = text.lines().filter_map(|line| {
            let PracticeResult { text, function, words } = serde_json::from_str(line).ok()?;
            let example = maker.of_text(&text, Some(function)).pop()?;
            Some(Example { target: words, ..example })
        });
        let found = found.collect();
        Practice { engine: CpuEngine::with_threads(1), rounds: 0, seed, found, maker }
    }

    /// Loads the weights for further draws.
    fn refresh(&mut self, weights: Weights) -> Result<(), TrainError> {
        self.engine.weights(&Arc::new(weights)).map_err(|error| TrainError::Feed(error.to_string()))
    }

    /// Makes a round: returns candidates weighted by their advantages, and some targets of self-play. `number`
    /// determines the functions. `weights` is called occasionally for the newest weights.
    ///
    /// # Errors
    /// If a target cannot be written.
    pub fn round(
        &mut self,
        number: u64,
        folder: &Path,
        weights: impl FnOnce() -> Weights,
    ) -> Result<Vec<Example>, TrainError> {
        if self.rounds.is_multiple_of(FRESH) {
            self.refresh(weights())?;
        }
        self.rounds += 1;
        let mut rng = Rng::new(self.seed ^ STREAM, number);
        let mut examples = Vec::new();
        for _ in 0..FUNCTIONS {
            let level = LEVELS[rng.below(LEVELS.len())];
            let generated = corpus::generate(self.seed ^ STREAM, rng.bits(), level);
            let (text, function) = (generated.source, RoutineId::at(generated.function));
            // Functions that cannot be compiled or run are skipped.
            let sampling = Sampling { k: DRAWN, first: 1, seed: rng.bits() as u32, ..Sampling::default() };
            let Ok((compiled, source, tried)) = self.attempt(&text, function, &sampling) else { continue };
            for (candidate, weight) in tried.iter().zip(advantages(&tried)) {
                if weight != 0.0 && !candidate.words.is_empty() {
                    let target = candidate.words.clone();
                    examples.push(Example { source: source.clone(), target, weight: weight as f32 });
                }
            }
            self.keep(folder, &compiled, &source, function, &tried)?;
        }
        for _ in 0..REPEATED.min(self.found.len()) {
            examples.extend(rng.pick(&self.found).cloned());
        }
        Ok(examples)
    }

    /// Measures the candidates of held-out functions.
    ///
    /// # Errors
    /// If the engine rejects the weights.
    pub fn measure(&mut self, tasks: &[EvaluationTask], weights: Weights) -> Result<Sampled, TrainError> {
        self.refresh(weights)?;
        self.rounds = 0;
        let (mut drawn, mut valid, mut passing) = (0, 0, 0);
        for EvaluationTask { text, function, .. } in tasks {
            let sampling = Sampling { k: DRAWN, first: 1, ..Sampling::default() };
            let Ok((_, _, tried)) = self.attempt(text, function.unwrap_or_default(), &sampling) else {
                continue;
            };
            let count = |which: fn(&PracticeTried) -> bool| -> u32 {
                tried.iter().filter(|candidate| which(candidate)).map(|candidate| candidate.samples).sum()
            };
            drawn += count(|_| true);
            valid += count(|candidate| candidate.valid);
            passing += count(|candidate| candidate.agrees);
        }
        let part = |n: u32| f64::from(n) / f64::from(drawn.max(1));
        Ok(Sampled { valid: part(valid), passing: part(passing) })
    }

    /// Draws candidates for a function and compares them with the compiler's code.
    fn attempt(
        &mut self,
        text: &str,
        function: RoutineId,
        sampling: &Sampling,
    ) -> Result<(Arc<Compiled>, Source, Vec<PracticeTried>), EngineError> {
        let compiled = self.engine.base(&text.into(), &|| false)?.compiled;
        let source = source::read(&compiled.program(), function)
            .map_err(|reason| EngineError::Call(reason.to_string()))?;
        let drawn = self.engine.sample(&source, sampling, &|| false, &mut |_| {})?;
        let tried = drawn.candidates.into_iter().map(|candidate| PracticeTried {
            valid: candidate.status != Status::Invalid,
            words: candidate.words,
            code: candidate.code,
            samples: candidate.samples,
            agrees: false,
            steps: 0,
            base_steps: 0,
        });
        let mut tried: Vec<PracticeTried> = tried.collect();
        let seed = sampling.seed ^ 1;
        let compared = self.compare(function, &tried, Inputs { seed, first: 0, count: INPUTS })?;
        for (candidate, agreement) in tried.iter_mut().filter(|candidate| candidate.valid).zip(compared) {
            candidate.agrees = agreement.agrees() && agreement.compared > 0;
            (candidate.steps, candidate.base_steps) = (agreement.steps, agreement.base_steps);
        }
        Ok((compiled, source, tried))
    }

    fn compare(
        &mut self,
        function: RoutineId,
        tried: &[PracticeTried],
        inputs: Inputs,
    ) -> Result<Vec<Agreement>, EngineError> {
        let codes: Vec<&[u32]> =
            tried.iter().filter(|candidate| candidate.valid).map(|candidate| &candidate.code[..]).collect();
        if codes.is_empty() { Ok(Vec::new()) } else { self.engine.agree(function, &codes, inputs, &|| false) }
    }

    /// Keeps the fastest candidate as a target if it is adequately tested and faster than the compiler's code.
    fn keep(
        &mut self,
        folder: &Path,
        compiled: &Compiled,
        source: &Source,
        function: RoutineId,
        tried: &[PracticeTried],
    ) -> Result<(), TrainError> {
        let text = &*compiled.text;
        let faster =
            tried.iter().filter(|candidate| candidate.agrees && candidate.steps < candidate.base_steps);
        let Some(best) = faster.min_by_key(|candidate| candidate.steps) else { return Ok(()) };
        let inputs = Inputs { seed: !0, first: 0, count: CERTAIN };
        let Ok(agreements) = self.engine.agree(function, &[&best.code], inputs, &|| false) else {
            return Ok(());
        };
        let sure = agreements.first().is_some_and(|agreement| {
            agreement.agrees()
                && 2 * agreement.trapping <= agreement.compared
                && agreement.steps < agreement.base_steps
        });
        if !sure || self.maker.of_text(text, Some(function)).is_empty() {
            return Ok(());
        }
        // Random inputs rarely reach the branch that matters.
        let decision = Decider::new(compiled, function).decide(&best.code, &|| false);
        if !decision.is_some_and(|decision| decision.differs.is_none() && decision.is_adequate()) {
            return Ok(());
        }
        let found = PracticeResult { text: text.into(), function, words: best.words.clone() };
        let line = serde_json::to_string(&found).unwrap_or_default() + "\n";
        let path = folder.join(FOUND);
        let file = files::open_append_private(&path).map_err(io::Error::from);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(|error| TrainError::Write(path, error))?;
        self.found.push(Example { source: source.clone(), target: found.words, weight: 1.0 });
        Ok(())
    }
}

/// Returns for each candidate its number of samples times its advantage, as a fraction of the greatest reward.
fn advantages(tried: &[PracticeTried]) -> Vec<f64> {
    let reward = |candidate: &PracticeTried| match candidate {
        PracticeTried { valid: false, .. } => 0.0,
        PracticeTried { agrees: false, .. } => VALID,
        PracticeTried { steps, base_steps, .. } => {
            VALID + CORRECT - ALPHA * (*steps as f64 / (*base_steps).max(1) as f64)
        }
    };
    let rewards: Vec<f64> = tried.iter().map(reward).collect();
    let samples: u32 = tried.iter().map(|candidate| candidate.samples).sum();
    let total: f64 = tried.iter().zip(&rewards).map(|(candidate, r)| f64::from(candidate.samples) * r).sum();
    let others = f64::from(samples.saturating_sub(1).max(1));
    let advantage = |(candidate, r): (&PracticeTried, &f64)| {
        let baseline = (total - r) / others;
        f64::from(candidate.samples) * ((r - baseline) / (VALID + CORRECT)).clamp(-1.0, 1.0)
    };
    if samples < 2 { vec![0.0; tried.len()] } else { tried.iter().zip(&rewards).map(advantage).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(samples: u32, valid: bool, agrees: bool, steps: u64) -> PracticeTried {
        PracticeTried { words: vec![3], code: vec![], samples, valid, agrees, steps, base_steps: 100 }
    }

    #[test]
    fn advantage_is_positive_for_better_candidates() {
        let found =
            advantages(&[tried(1, false, false, 0), tried(2, true, false, 0), tried(1, true, true, 100)]);
        assert!(found[0] < found[1] / 2.0 && found[1] < 0.0 && found[2] > 0.5, "{found:?}");
        let faster = advantages(&[tried(1, true, true, 50), tried(1, true, true, 100)]);
        assert!(faster[0] > 0.0 && faster[1] == -faster[0], "{faster:?}");
        assert_eq!(advantages(&[tried(8, true, true, 100)]), [0.0], "equal candidates have no advantage");
        assert_eq!(advantages(&[tried(1, true, true, 100)]), [0.0], "a single candidate has no baseline");
    }

    #[test]
    fn practice_round_is_determined_by_its_number() {
        let round = || {
            let folder = tempfile::tempdir().unwrap();
            let options = Options { folder: folder.path().into(), ..Options::smoke() };
            let weights = || Weights::random(options.config, 1);
            Practice::new(&options, 3).round(0, folder.path(), weights).unwrap()
        };
        let examples = round();
        assert!(!examples.is_empty() && examples.iter().all(|example| example.weight.abs() <= DRAWN as f32));
        let again = round();
        assert_eq!(examples.len(), again.len());
        assert!(examples == again, "the same round returned other examples");
    }
}

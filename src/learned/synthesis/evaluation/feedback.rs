//! Compares draws with feedback with plain draws, for each function at equal numbers of draws.
//!
//! Plain draws of a different seed estimate p first, so that the selection of functions by p does not favour either way.
//! Both ways then use the same seeds, so their first draws are equal.

use std::sync::Arc;

use super::measure::{MeasureError, on_workers};
use super::{EvaluationClass, EvaluationTask, INPUTS, Set};
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::mix;
use crate::engine::{Engine, EngineError, Sampler};
use crate::host::measure::statistics::Interval;
use crate::learned::synthesis::search::{batch, gives_up, mean_share, own_code, refute};
use crate::network::refuted::Refuted;
use crate::network::sampling::{Candidate, Inputs, Sampled, Sampling, Status};
use crate::network::source::{self, Source};
use crate::network::weights::Weights;
use crate::testing::decide::Decider;

/// The number of draws of each way, and of those that estimate p.
pub const DRAWS: u32 = 300;
/// The number of seeds with which each way is repeated.
const REPETITIONS: u32 = 5;
/// The seed of the inputs on which candidates are compared.
const CHOOSING_SEED: u32 = 0x6665_6564;
/// The numbers of draws within which success is compared.
pub const WITHIN: [u32; 5] = [10, 30, 100, 200, DRAWS];
/// The ways that are compared.
pub const ARMS: [&str; 2] = ["plain", "feedback"];
/// The number of resamplings for an interval, and its confidence.
const RESAMPLINGS: u32 = 4_000;
const CONFIDENCE: f64 = 0.95;

/// One function, drawn in both ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    pub set: Set,
    pub class: EvaluationClass,
    pub program: String,
    pub function: String,
    /// The fraction of plain draws that are correct.
    pub p: f64,
    /// For each repetition and way, the number of draws up to the first correct one, if one of them is correct.
    pub first: Vec<[Option<u32>; 2]>,
    /// For each repetition, the number of draws with feedback after which success seemed improbable.
    pub given_up: Vec<Option<u32>>,
}

/// Functions by the estimated p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// 0.01 < p < 0.5.
    Hard,
    /// p at most 0.01.
    Rare,
}

impl Group {
    pub const ALL: [Group; 2] = [Group::Hard, Group::Rare];

    /// Returns the group of a p, or `None` if plain draws suffice.
    pub fn of(p: f64) -> Option<Group> {
        (p < 0.5).then_some(if p > 0.01 { Group::Hard } else { Group::Rare })
    }

    pub fn ident(self) -> &'static str {
        match self {
            Group::Hard => "hard",
            Group::Rare => "rare",
        }
    }

    pub fn range(self) -> &'static str {
        match self {
            Group::Hard => "0.01 < p < 0.5",
            Group::Rare => "p <= 0.01",
        }
    }
}

/// Both ways over the functions of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contrast {
    /// A mean over functions and repetitions, for each way.
    pub means: [f64; 2],
    /// The second mean divided by the first, with its bootstrap interval over functions.
    pub ratio: f64,
    pub interval: Interval,
}

/// Compares both ways for the functions whose p is below one half. Rows are in the order of the tasks.
///
/// # Errors
/// The first error of a worker.
pub fn compare_all(
    tasks: &[EvaluationTask],
    weights: &Arc<Weights>,
    sampling: &Sampling,
    workers: usize,
    open: &(dyn Fn() -> Result<Box<dyn Engine>, EngineError> + Sync),
    done: &mut dyn FnMut(usize),
) -> Result<Vec<Compared>, MeasureError> {
    let compare = |engine: &mut dyn Engine, task: &EvaluationTask, watch: &dyn Watch| {
        compare(engine, task, sampling, watch)
    };
    on_workers(tasks, weights, workers, open, &compare, done)
}

/// Compares both ways for the functions of one program.
fn compare(
    engine: &mut dyn Engine,
    task: &EvaluationTask,
    sampling: &Sampling,
    watch: &dyn Watch,
) -> Result<Vec<Compared>, EngineError> {
    let compiled = engine.base(&task.text, &|| false)?.compiled;
    let program = compiled.program();
    let mut rows = Vec::new();
    for function in task.functions(&compiled) {
        let Ok(source) = source::read(&program, function) else { continue };
        let own = own_code(&program, &source);
        let mut decider = Decider::new(&compiled, function);
        let mut ways = Ways { sampler: engine.sampler()?, source: &source, own: own.as_deref(), watch };
        let seed = |stream: u32| mix(sampling.seed.wrapping_add(stream));
        let pilot = Sampling { k: DRAWS, first: 1, seed: seed(0), ..*sampling };
        let sampled = ways.sampler.sample(&source, &pilot, watch, &mut |_| {})?;
        let correct = ways.correct(&sampled.candidates)?;
        let draws = sampled.candidates.iter().zip(correct).filter(|(_, correct)| *correct);
        let p = f64::from(draws.map(|(candidate, _)| candidate.samples).sum::<u32>()) / f64::from(DRAWS);
        if Group::of(p).is_none() {
            continue;
        }
        let mut row = Compared {
            set: task.set,
            class: EvaluationClass::of(&source),
            program: task.name.clone(),
            function: compiled.function_name(function).to_string(),
            p,
            first: Vec::new(),
            given_up: Vec::new(),
        };
        for repetition in 1..=REPETITIONS {
            let sampling = Sampling { seed: seed(repetition), ..*sampling };
            let plain = ways.plain(sampling)?;
            let (feedback, given_up) = ways.feedback(sampling, &mut decider)?;
            row.first.push([plain, feedback]);
            row.given_up.push(given_up);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Both ways to draw candidates for one function.
struct Ways<'a> {
    sampler: &'a mut dyn Sampler,
    source: &'a Source,
    /// The deterministic compiler's code.
    own: Option<&'a [u32]>,
    watch: &'a dyn Watch,
}

impl Ways<'_> {
    /// Returns which candidates are the deterministic compiler's code or agree with it on random inputs.
    fn correct(&mut self, candidates: &[Candidate]) -> Result<Vec<bool>, EngineError> {
        let others = |candidate: &&Candidate| {
            candidate.status != Status::Invalid && self.own != Some(&candidate.code[..])
        };
        let codes: Vec<&[u32]> =
            candidates.iter().filter(others).map(|candidate| &candidate.code[..]).collect();
        let inputs = Inputs { seed: CHOOSING_SEED, first: 0, count: INPUTS };
        let function = self.source.function().unwrap_or_default();
        let compared = match codes.is_empty() {
            true => Vec::new(),
            false => self.sampler.agree(function, &codes, inputs, self.watch)?,
        };
        let mut compared = compared.into_iter();
        let correct = |candidate: &Candidate| match candidate.status {
            Status::Invalid => false,
            _ if self.own == Some(&candidate.code[..]) => true,
            _ => compared.next().is_some_and(|agreement| agreement.agrees() && agreement.compared > 0),
        };
        Ok(candidates.iter().map(correct).collect())
    }

    fn plain(&mut self, sampling: Sampling) -> Result<Option<u32>, EngineError> {
        let sampling = Sampling { k: DRAWS, first: 1, ..sampling };
        let sampled = self.sampler.sample(self.source, &sampling, self.watch, &mut |_| {})?;
        self.first_correct(&sampled)
    }

    /// Returns the number of the first correct draw, and the number of draws after which success seemed improbable.
    fn feedback(
        &mut self,
        sampling: Sampling,
        decider: &mut Decider,
    ) -> Result<(Option<u32>, Option<u32>), EngineError> {
        let (mut refuted, mut drawn, mut given_up) = (Refuted::default(), 0, None);
        while drawn < DRAWS {
            let k = batch(drawn).min(DRAWS - drawn);
            let asked = Sampling { k, first: 1 + drawn, ..sampling };
            let left = refuted.left();
            let sampled =
                self.sampler.sample_unrefuted(self.source, &asked, &refuted, self.watch, &mut |_| {})?;
            let first = self.first_correct(&sampled)?;
            if first.is_some() {
                return Ok((first, given_up));
            }
            drawn += k;
            for candidate in &sampled.candidates {
                refute(&mut refuted, decider, candidate, self.watch).ok_or(EngineError::Cancelled)?;
            }
            let p = if refuted.left() > 0.0 { mean_share(&sampled, left) } else { 0.0 };
            given_up = given_up.or(gives_up(p, drawn, DRAWS - drawn).map(|_| drawn));
        }
        Ok((None, given_up))
    }

    fn first_correct(&mut self, sampled: &Sampled) -> Result<Option<u32>, EngineError> {
        let correct = self.correct(&sampled.candidates)?;
        let all = sampled.candidates.iter().zip(correct);
        Ok(all.filter(|(_, correct)| *correct).map(|(candidate, _)| candidate.number).min())
    }
}

/// Returns, for a group, success within each of [`WITHIN`] draws, and then the mean number of draws up to the first
/// correct one, where [`DRAWS`] without a correct one count as [`DRAWS`]. The ratio of draws is that of feedback to plain.
pub fn contrasts(rows: &[&Compared]) -> Vec<Contrast> {
    let within = WITHIN
        .map(|draws| contrast(rows, &|first| f64::from(u8::from(first.is_some_and(|first| first <= draws)))));
    let draws = contrast(rows, &|first| f64::from(first.unwrap_or(DRAWS)));
    within.into_iter().chain([draws]).collect()
}

/// Whether a search with feedback gave up, against whether it would have succeeded with all draws.
pub const GAVE_UP: [&str; 2] = ["succeeds", "fails"];

/// Returns, for searches that would have succeeded and for those that would have failed, how many gave up, how many there
/// were, and the mean number of draws after which those that gave up did so.
pub fn given_up(rows: &[&Compared]) -> [(u32, u32, f64); 2] {
    let all = || rows.iter().flat_map(|row| row.first.iter().zip(&row.given_up));
    [true, false].map(|succeeds| {
        let of =
            || all().filter(move |(first, _)| first[1].is_some() == succeeds).map(|(_, given_up)| *given_up);
        let gave_up: Vec<u32> = of().flatten().collect();
        let mean = f64::from(gave_up.iter().sum::<u32>()) / gave_up.len().max(1) as f64;
        (gave_up.len() as u32, of().count() as u32, mean)
    })
}

fn contrast(rows: &[&Compared], value: &dyn Fn(Option<u32>) -> f64) -> Contrast {
    // The sums of each function, in both ways.
    let sums: Vec<[f64; 2]> = { rows.iter() }
        .map(|row| [0, 1].map(|way| row.first.iter().map(|first| value(first[way])).sum()))
        .collect();
    let total = |of: &mut dyn Iterator<Item = [f64; 2]>| {
        of.fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
    };
    let all = total(&mut sums.iter().copied());
    let ratio = |[plain, feedback]: [f64; 2]| feedback / plain;
    let mut ratios: Vec<f64> = (0..RESAMPLINGS)
        .map(|round| {
            let pick = |i: usize| mix(mix(round).wrapping_add(i as u32)) as usize % sums.len().max(1);
            ratio(total(&mut (0..sums.len()).map(|i| sums[pick(i)])))
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let quantile = |part: f64| ratios[(part * (RESAMPLINGS - 1) as f64).round() as usize];
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let count: usize = rows.iter().map(|row| row.first.len()).sum();
    Contrast {
        means: all.map(|sum| sum / count.max(1) as f64),
        ratio: ratio(all),
        interval: Interval { low: quantile(tail), high: quantile(1.0 - tail) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(first: &[[Option<u32>; 2]]) -> Compared {
        Compared {
            set: Set::Generated,
            class: EvaluationClass::Complex,
            program: "p".into(),
            function: "f".into(),
            p: 0.1,
            first: first.to_vec(),
            given_up: vec![None, Some(40)],
        }
    }

    #[test]
    fn success_and_draws_are_compared_over_functions() {
        let rows = [row(&[[Some(9), Some(4)], [None, Some(31)]]), row(&[[Some(200), Some(9)], [None, None]])];
        let rows: Vec<&Compared> = rows.iter().collect();
        let all = contrasts(&rows);
        assert_eq!(
            all.iter().map(|c| c.means).take(3).collect::<Vec<_>>(),
            [[0.25, 0.5], [0.25, 0.5], [0.25, 0.75]]
        );
        assert_eq!((all[4].means, all[4].ratio), ([0.5, 0.75], 1.5));
        assert_eq!(all[5].means, [(9.0 + 300.0 + 200.0 + 300.0) / 4.0, (4.0 + 31.0 + 9.0 + 300.0) / 4.0]);
        // The interval contains the ratios of both functions.
        assert!(all[4].interval.low <= 1.0 && all[4].interval.high >= 2.0, "{:?}", all[4]);
        assert_eq!(given_up(&rows), [(1, 3, 40.0), (1, 1, 40.0)]);
    }

    #[test]
    fn groups_divide_functions_by_p() {
        assert_eq!(
            [0.0, 0.01, 0.011, 0.499, 0.5, 1.0].map(Group::of),
            [Some(Group::Rare), Some(Group::Rare), Some(Group::Hard), Some(Group::Hard), None, None]
        );
    }
}

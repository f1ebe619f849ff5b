//! Equations 9 to 11: the time to generate k candidates of a function, and the time to run them against the tests.
//!
//! The single source of T_gen, T_verify and T_neural for panels, `myriad model` and `myriad router`.

use std::time::Duration;

use super::search::SearchResult;
use crate::compiler::program::Watch;
use crate::engine::{EngineError, Sampler};
use crate::network::sampling::{Candidate, SampleTimings, Sampled, Sampling, Status};
use crate::network::source::Source;

/// The terms of equation 11, from the sampler's split of the time of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeuralTime {
    /// The number of draws. The greedy candidate is drawn with them but not counted, as in a search.
    pub k: u32,
    /// The number of distinct programs among the candidates. Equal programs are run once.
    pub distinct: u32,
    /// T_gen(k).
    pub generate: Duration,
    /// T_verify(k).
    pub verify: Duration,
}

impl NeuralTime {
    /// Returns the times of a search's first round, or `None` if it has no round.
    pub fn of(found: &SearchResult) -> Option<NeuralTime> {
        let round = found.rounds.first()?;
        let first = found.candidates.iter().filter(|judged| judged.round == 0);
        let distinct = count(first.map(|judged| &judged.candidate));
        Some(NeuralTime::new(found.drawn(), distinct, round.spent))
    }

    /// Draws `sampling.k` candidates and the greedy one for a function of the engine's base.
    ///
    /// # Errors
    /// If the sampler fails, or the work is cancelled.
    pub fn draw(
        sampler: &mut dyn Sampler,
        source: &Source,
        sampling: Sampling,
        watch: &dyn Watch,
    ) -> Result<NeuralTime, EngineError> {
        let all = Sampling { first: 0, k: sampling.k.saturating_add(1), ..sampling };
        let Sampled { candidates, timings, .. } =
            sampler.sample(source, &all, watch, &mut |_: &Candidate| {})?;
        Ok(NeuralTime::new(sampling.k, count(candidates.iter()), timings))
    }

    fn new(k: u32, distinct: u32, timings: SampleTimings) -> NeuralTime {
        NeuralTime { k, distinct, generate: timings.generating, verify: timings.verifying }
    }

    /// Returns T_neural(k).
    pub fn total(&self) -> Duration {
        self.generate + self.verify
    }
}

fn count<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> u32 {
    candidates.filter(|one| one.status != Status::Invalid).count() as u32
}

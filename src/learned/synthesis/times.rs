//! Equations 9 to 11: the time to generate k candidates of a function, and the time to run them against the tests.
//!
//! Every place that shows T_gen, T_verify or T_neural takes it from here: panels, `myriad model` and `myriad router`.

use std::time::Duration;

use super::search::Found;
use crate::compiler::program::Watch;
use crate::engine::{EngineError, Sampler};
use crate::network::sampling::{Candidate, Sampled, Sampling, Spent, Status};
use crate::network::source::Source;

/// The terms of equation 11, as the sampler splits the time of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeuralTime {
    /// Draws. The greedy candidate is drawn with them and not counted, as in a search.
    pub k: u32,
    /// Different programs among the candidates. Equal ones are run once.
    pub distinct: u32,
    /// T_gen(k).
    pub generate: Duration,
    /// T_verify(k).
    pub verify: Duration,
}

impl NeuralTime {
    /// The times of a search's first round. `None` if it has no round.
    pub fn of(found: &Found) -> Option<NeuralTime> {
        let round = found.rounds.first()?;
        let first = found.candidates.iter().filter(|judged| judged.round == 0);
        let distinct = count(first.map(|judged| &judged.candidate));
        Some(NeuralTime::new(found.drawn(), distinct, round.spent))
    }

    /// Draws `sampling.k` candidates and the greedy one of a function of the engine's base.
    ///
    /// # Errors
    /// Those of the sampler; being cancelled is one.
    pub fn draw(
        sampler: &mut dyn Sampler,
        source: &Source,
        sampling: Sampling,
        watch: &dyn Watch,
    ) -> Result<NeuralTime, EngineError> {
        let all = Sampling { first: 0, k: sampling.k.saturating_add(1), ..sampling };
        let Sampled { candidates, spent, .. } = sampler.sample(source, &all, watch, &mut |_: &Candidate| {})?;
        Ok(NeuralTime::new(sampling.k, count(candidates.iter()), spent))
    }

    fn new(k: u32, distinct: u32, spent: Spent) -> NeuralTime {
        NeuralTime { k, distinct, generate: spent.generating, verify: spent.verifying }
    }

    /// T_neural(k).
    pub fn total(&self) -> Duration {
        self.generate + self.verify
    }
}

/// Counts the candidates that are programs.
fn count<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> u32 {
    candidates.filter(|one| one.status != Status::Invalid).count() as u32
}

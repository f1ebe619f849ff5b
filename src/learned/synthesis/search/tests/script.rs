//! A sampler and decisions that play a script, and searches with them.

use std::sync::Arc;

use super::super::*;
use crate::compiler::program::Watch;
use crate::lang::index::{EntryId, Index, RoutineId};
use crate::network::refuted::Refuted;
use crate::network::sampling::{Draft, Inputs, Sampled};
use crate::network::weights::Weights;
use crate::testing::decide::{MutantKills, Ways};

/// A program of the script, identified by its only code word.
#[derive(Clone, Copy)]
pub struct Act {
    pub code: u32,
    pub samples: u32,
    pub status: Status,
    pub steps: u64,
    pub log_p: f32,
    /// It disagrees on one of `errs` inputs, or never if this is 0.
    pub errs: u32,
    /// The base traps on one of `traps` inputs, or never if this is 0.
    pub traps: u32,
}

pub const RIGHT: Act =
    Act { code: 7, samples: 1, status: Status::Passed, steps: 100, log_p: -1.0, errs: 0, traps: 0 };

/// Plays the rounds in order. After the last one, it plays that one again.
#[derive(Default)]
pub struct Script {
    pub rounds: Vec<Vec<Act>>,
    pub asked: Vec<Sampling>,
    /// [`Refuted::left`] of each batch.
    pub left: Vec<f32>,
    pub compared: Vec<(u32, Inputs)>,
    /// The number of inputs, if they are few.
    pub domain: Option<u32>,
    /// The base exhausts its resources on this number of eighths of the inputs.
    pub loops: u32,
}

impl Script {
    fn act(&self, code: u32) -> Act {
        *self.rounds.iter().flatten().find(|act| act.code == code).expect("only what was sampled is compared")
    }
}

impl Sampler for Script {
    fn weights(&mut self, _: &Arc<Weights>) -> Result<(), EngineError> {
        Ok(())
    }

    fn sample_unrefuted(
        &mut self,
        _: &Source,
        sampling: &Sampling,
        refuted: &Refuted,
        _: &dyn Watch,
        sink: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError> {
        let round = self.asked.len().min(self.rounds.len() - 1);
        self.asked.push(*sampling);
        self.left.push(refuted.left());
        let mut number = sampling.first;
        let candidate = |act: &Act| {
            number += act.samples;
            Candidate {
                number: number - act.samples,
                samples: act.samples,
                words: vec![act.code as u16; 10],
                code: vec![act.code],
                log_p: act.log_p,
                // All that is uncertain is the first word.
                shares: [vec![act.log_p.exp()], vec![1.0; 9]].concat(),
                status: act.status,
                differing: (act.status != Status::Passed).then_some(EntryId::FIRST),
                passed: 0,
                steps: act.steps,
            }
        };
        let candidates: Vec<Candidate> = self.rounds[round].iter().map(candidate).collect();
        candidates.iter().for_each(sink);
        Ok(Sampled { candidates, oracles: 1, base_steps: 100, ..Sampled::default() })
    }

    fn write(&mut self, _: &[&Source], _: &Sampling, _: &dyn Watch) -> Result<Vec<Vec<Draft>>, EngineError> {
        Err(EngineError::Call("a search judges what it draws".into()))
    }
    fn agree(
        &mut self,
        _: RoutineId,
        codes: &[&[u32]],
        inputs: Inputs,
        _: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        let compare = |code: &&[u32]| {
            let act = self.act(code[0]);
            self.compared.push((act.code, inputs));
            // The inputs on which a program errs follow from the seed, like the inputs themselves.
            let errs = |i: u32| act.errs > 0 && mix(inputs.seed.wrapping_add(i)).is_multiple_of(act.errs);
            let count =
                self.domain.map_or(inputs.count, |size| inputs.count.min(size.saturating_sub(inputs.first)));
            let differs = (inputs.first..inputs.first + count).find(|&i| errs(i));
            let compared = differs.map_or(count, |at| at + 1 - inputs.first);
            let compared = compared - compared * self.loops / 8;
            Agreement {
                differs_at: differs,
                compared,
                trapping: compared.checked_div(act.traps).unwrap_or(0),
                // On all inputs of choosing, the steps equal those of the tests.
                steps: act.steps * u64::from(compared) / u64::from(CHOOSING),
                base_steps: 100 * u64::from(compared) / u64::from(CHOOSING),
            }
        };
        Ok(codes.iter().map(compare).collect())
    }
}

/// Decides by the only word of each code.
#[derive(Default)]
pub struct Decisions {
    /// Codes that a prepared input distinguishes, and codes that only the search does.
    pub quickly: Vec<u32>,
    pub told: Vec<u32>,
    /// Codes with a branch that no input takes both ways.
    pub unreached: Vec<u32>,
    /// Whether the function's own code has such a branch.
    pub own_unreached: bool,
    pub asked: Vec<u32>,
}

impl Decide for Decisions {
    fn differs(&mut self, code: &[u32], _: &dyn Watch) -> Option<bool> {
        Some(self.quickly.contains(&code[0]))
    }

    fn decide(&mut self, code: &[u32], _: &dyn Watch) -> Option<Decision> {
        self.asked.push(code[0]);
        let ways = |unreached: bool| Ways { taken: 4 - u32::from(unreached), all: 4 };
        let differs = self.told.contains(&code[0]).then(|| vec![vec![1]]);
        let (own, code) = (ways(self.own_unreached), ways(self.unreached.contains(&code[0])));
        Some(Decision { differs, inputs: 100, own, code })
    }

    fn parting(&mut self, _: &[u32], _: &dyn Watch) -> Option<Option<u32>> {
        Some(Some(0))
    }

    fn kills(&mut self, _: &dyn Watch) -> Option<Option<MutantKills>> {
        Some(Some(MutantKills { killed: 9, all: 10 }))
    }
}

pub fn with(
    script: &mut Script,
    decisions: &mut Decisions,
    subject: SearchSubject,
    sampling: Sampling,
) -> SearchResult {
    at(Level::Tested, script, decisions, subject, sampling)
}

pub fn at(
    level: Level,
    script: &mut Script,
    decisions: &mut Decisions,
    subject: SearchSubject,
    sampling: Sampling,
) -> SearchResult {
    let settings = SearchSettings { sampling, aim: Aim::Fastest(level), ..SearchSettings::default() };
    search(script, decisions, subject, &settings, &|| false, &mut |_| {}).unwrap()
}

pub fn run(script: &mut Script, own: Option<&[u32]>, domain: Option<u32>) -> SearchResult {
    let subject = SearchSubject { source: &Source::default(), own, domain, prover: None };
    with(script, &mut Decisions::default(), subject, Sampling { k: 9, ..Sampling::default() })
}

pub fn decided(acts: &[Act], own: Option<&[u32]>, decisions: &mut Decisions) -> SearchResult {
    decided_at(Level::Tested, acts, own, decisions)
}

pub fn decided_at(level: Level, acts: &[Act], own: Option<&[u32]>, decisions: &mut Decisions) -> SearchResult {
    let mut script = Script { rounds: vec![acts.to_vec()], ..Script::default() };
    let subject = SearchSubject { source: &Source::default(), own, domain: None, prover: None };
    at(level, &mut script, decisions, subject, Sampling { k: 9, ..Sampling::default() })
}

pub fn play(rounds: &[&[Act]], own: Option<&[u32]>) -> (SearchResult, Script) {
    let mut script = Script { rounds: rounds.iter().map(|acts| acts.to_vec()).collect(), ..Script::default() };
    (run(&mut script, own, None), script)
}

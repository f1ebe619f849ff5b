//! Compares candidates in line on fresh inputs until one holds.

use super::evidence::{Bound, Evidence, Proof, Tested};
use super::plan::PlannedCheck;
use crate::compiler::program::Watch;
use crate::engine::{EngineError, Sampler};
use crate::lang::index::RoutineId;
use crate::network::candidates::merge;
use crate::network::sampling::{Agreement, Inputs};
use crate::testing::decide::{Decide, Decision};

/// The number of inputs compared at once. A disagreement is usually among the first few.
const CHUNK: u32 = 1_024;
/// The number of inputs compared first, and how many of them must be conclusive for the others to be compared too.
const PROBE: u32 = 64;
const TELLING: u32 = PROBE / 4;

/// Like [`Sampler::agree`], but stops early if the base exhausts its resources on nearly all of the first inputs.
/// Further inputs would be inconclusive as well, and each would take as long as a run may.
///
/// # Errors
/// If [`Sampler::agree`] fails.
pub fn agree(
    sampler: &mut dyn Sampler,
    function: RoutineId,
    codes: &[&[u32]],
    inputs: Inputs,
    watch: &dyn Watch,
) -> Result<Vec<Agreement>, EngineError> {
    let first = Inputs { count: inputs.count.min(PROBE), ..inputs };
    let mut sums = sampler.agree(function, codes, first, watch)?;
    let alive = |(number, sum): (usize, &Agreement)| sum.agrees().then_some(number);
    let live: Vec<usize> = sums.iter().enumerate().filter_map(alive).collect();
    // All codes that agree were compared on the same inputs.
    let telling = live.first().is_some_and(|&number| sums[number].compared >= TELLING);
    if telling && inputs.count > PROBE {
        let codes: Vec<&[u32]> = live.iter().filter_map(|&number| codes.get(number).copied()).collect();
        let rest = Inputs { first: inputs.first.wrapping_add(PROBE), count: inputs.count - PROBE, ..inputs };
        let later = sampler.agree(function, &codes, rest, watch)?;
        live.iter().zip(&later).for_each(|(&number, later)| merge(&mut sums[number], later));
    }
    Ok(sums)
}

/// The result of a candidate's turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    pub evidence: Evidence,
    /// The number of random inputs spent, including a disagreeing one.
    pub inputs: u64,
    /// The result of the search for a deciding input, if one was made.
    pub decision: Option<Decision>,
}

impl Trial {
    /// Returns whether the inputs took all branches of the function's own code both ways, but not all of the
    /// candidate's. Another candidate may then do better.
    pub fn own_branches_alone(&self) -> bool {
        self.decision
            .as_ref()
            .is_some_and(|decision| decision.own.is_complete() && !decision.code.is_complete())
    }
}

/// The resources to compare a function's candidates. Each turn gets fresh random inputs.
pub struct Verifier<'a> {
    pub sampler: &'a mut dyn Sampler,
    pub decider: &'a mut dyn Decide,
    pub function: RoutineId,
    pub seed: u32,
    /// The number of the next input.
    pub next: u32,
    /// The error rate that a turn must exclude.
    pub risk: f64,
    pub confidence: f64,
    pub watch: &'a dyn Watch,
}

impl Verifier<'_> {
    /// Compares code on deciding inputs, then on the number of random ones that its turn requires, up to the first
    /// disagreement.
    ///
    /// No random inputs follow if the deciding inputs did not take every branch of both codes both ways. No bound is
    /// claimed if fewer random inputs could be compared, or if the deterministic compiler's code traps on more than
    /// half of them, because the inputs then say too little about the rest.
    ///
    /// # Errors
    /// If [`Sampler::agree`] fails.
    pub fn trial(&mut self, code: &[u32], turn: &PlannedCheck) -> Result<Trial, EngineError> {
        let decision = self.decider.decide(code, self.watch).ok_or(EngineError::Cancelled)?;
        let (differs, inputs, bound) = match (&decision.differs, decision.is_adequate()) {
            (Some(_), _) => (true, 0, None),
            (None, false) => (false, 0, None),
            (None, true) => self.random(code, turn)?,
        };
        let evidence = match differs {
            true => Evidence::Differs,
            false => {
                let kills = self.decider.kills(self.watch).ok_or(EngineError::Cancelled)?;
                let (deciding, ways) = (decision.inputs, decision.ways());
                Evidence::Tested(Tested { deciding, random: inputs, ways, kills, bound })
            }
        };
        Ok(Trial { evidence, inputs, decision: Some(decision) })
    }

    /// Compares code on fresh random inputs. Returns whether it differs, the number of inputs compared, and the bound
    /// that these justify.
    fn random(&mut self, code: &[u32], turn: &PlannedCheck) -> Result<(bool, u64, Option<Bound>), EngineError> {
        let (mut tried, mut compared, mut trapping) = (0u64, 0u64, 0u64);
        // Inputs on which the base exhausts its resources are inconclusive. Up to half of all inputs may be.
        let most = turn.inputs.saturating_mul(2);
        while compared < turn.inputs && tried < most {
            let chunk = if tried == 0 { PROBE } else { CHUNK };
            let count = (turn.inputs - compared).min(u64::from(chunk)).min(most - tried) as u32;
            let inputs = Inputs { seed: self.seed, first: self.next, count };
            let agreement = only(self.sampler.agree(self.function, &[code], inputs, self.watch)?)?;
            self.next = self.next.wrapping_add(count);
            compared += u64::from(agreement.compared);
            trapping += u64::from(agreement.trapping);
            tried += u64::from(count);
            if !agreement.agrees() {
                return Ok((true, compared, None));
            }
            if 4 * compared < tried {
                break;
            }
        }
        let claimed = compared >= turn.inputs && 2 * trapping <= compared;
        Ok((false, compared, claimed.then_some(Bound { error: self.risk, confidence: self.confidence })))
    }

    /// Compares code on all inputs. Nothing is proved if the deterministic compiler's code exhausts its resources on
    /// some.
    ///
    /// # Errors
    /// If [`Sampler::agree`] fails.
    pub fn exhaust(&mut self, code: &[u32], size: u32) -> Result<Trial, EngineError> {
        let inputs = Inputs { seed: self.seed, first: 0, count: size };
        let agreement = only(agree(self.sampler, self.function, &[code], inputs, self.watch)?)?;
        let evidence = match agreement.agrees() {
            false => Evidence::Differs,
            true if agreement.compared == size => Evidence::Proved(Proof::Exhausted),
            true => Evidence::Tested(Tested { random: agreement.compared.into(), ..Tested::default() }),
        };
        Ok(Trial { evidence, inputs: agreement.compared.into(), decision: None })
    }
}

/// Returns the result of comparing one code.
fn only(list: Vec<Agreement>) -> Result<Agreement, EngineError> {
    list.into_iter().next().ok_or_else(|| EngineError::Bug("a comparison returned no result".to_string()))
}

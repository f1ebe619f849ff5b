//! Candidates as programs: assembled, put in place of the function, and judged by the file's tests and
//! properties.

mod collector;
mod compare;
mod reach;

use crate::compiler::program::{Executable, Watch};
use crate::compiler::stage::execute;
use crate::compiler::stage::execute::{Domain, Machine};
use crate::lang::index::EntryId;
use crate::lang::trap::Trap;
use crate::network::sampling::Status;

pub use collector::Collector;
pub use compare::{InputChunk, merge};
pub use reach::reaching;

/// A test or property that the base passes.
#[derive(Clone, Copy, Debug)]
pub struct Oracle<'a> {
    pub entry: EntryId,
    pub domain: &'a Domain,
    pub fuel: u32,
    /// Number of instructions that the base executes in it.
    pub steps: u64,
    /// Whether it can call the function. If it cannot, its result is that of the base.
    pub affected: bool,
}

/// The result of judging a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateVerdict {
    pub status: Status,
    /// The first test or property that the program does not pass.
    pub differing: Option<EntryId>,
    pub passed: u32,
    pub steps: u64,
}

/// Judges a program that the machine has loaded, up to the first test or property that it does not pass.
/// Returns `None` if cancelled.
pub fn judge(
    machine: &mut Machine,
    program: &Executable,
    oracles: &[Oracle],
    watch: &dyn Watch,
) -> Option<CandidateVerdict> {
    let mut verdict = CandidateVerdict { status: Status::Passed, differing: None, passed: 0, steps: 0 };
    for judge in oracles {
        if !judge.affected {
            verdict.passed += 1;
            verdict.steps += judge.steps;
            continue;
        }
        let tally = execute::entry(machine, program, judge.domain, judge.fuel, watch);
        verdict.steps += tally.steps;
        if tally.passes() && tally.inputs == judge.domain.inputs().len() {
            verdict.passed += 1;
            continue;
        }
        if tally.passes() {
            return None;
        }
        verdict.status = match tally.last.trap {
            Trap::None => Status::Wrong,
            Trap::StepLimit => Status::Timeout,
            _ => Status::Trap,
        };
        verdict.differing = Some(judge.entry);
        break;
    }
    Some(verdict)
}

//! Ranks instructions and variables by fragility: how often faults strike them, and how often the verdict is lost with
//! such a fault.

use std::collections::BTreeMap;

use crate::compiler::program::{Compiled, Routine};
use crate::compiler::stage::execute::{NoisyEnd, NoisyRun};
use crate::compiler::stage::lower;
use crate::lang::index::{Address, Index, TokenId};
use crate::lang::opcode::Op;

/// The runs with a fault at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    pub struck: u32,
    /// The number of these runs that lost their verdict.
    pub lost: u32,
}

impl Runs {
    fn add(&mut self, lost: bool) {
        self.struck += 1;
        self.lost += u32::from(lost);
    }
}

/// Fragile instructions and variables, sorted by lost verdicts (most first), then by address or token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragility {
    pub instructions: Vec<FragileInstruction>,
    pub variables: Vec<FragileVariable>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragileInstruction {
    pub address: Address,
    pub op: Op,
    /// The token that the instruction comes from.
    pub token: TokenId,
    pub runs: Runs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragileVariable {
    /// The token that declares the variable.
    pub token: TokenId,
    pub runs: Runs,
}

/// Counts of runs by the address of the struck instruction, and by each run's set of struck addresses.
#[derive(Default)]
pub struct FragileCounts {
    at: BTreeMap<Address, Runs>,
    /// Runs by the set of addresses that were struck in them. A variable may be accessed at several addresses.
    together: BTreeMap<Vec<Address>, Runs>,
}

impl FragileCounts {
    /// Adds a run, counted once for each struck address.
    pub fn add(&mut self, run: &NoisyRun) {
        let mut addresses: Vec<Address> = run.kept().map(|(_, address)| address).collect();
        addresses.sort_unstable();
        addresses.dedup();
        if addresses.is_empty() {
            return;
        }
        let lost = run.end != NoisyEnd::Held;
        for address in &addresses {
            self.at.entry(*address).or_default().add(lost);
        }
        self.together.entry(addresses).or_default().add(lost);
    }

    /// Returns the counts by instruction and by variable of a program.
    pub fn of(&self, program: &Compiled) -> Fragility {
        let executable = &program.executable;
        let instruction = |(address, runs): (&Address, &Runs)| {
            let (found, token) = executable.at(*address)?;
            Some(FragileInstruction { address: *address, op: found.op, token: token?, runs: *runs })
        };
        let mut instructions: Vec<FragileInstruction> = self.at.iter().filter_map(instruction).collect();
        instructions.sort_by_key(|i| (std::cmp::Reverse(i.runs.lost), i.address));

        let declared = declarations(program, self.at.keys().copied());
        let mut by_variable: BTreeMap<TokenId, Runs> = BTreeMap::new();
        for (addresses, runs) in &self.together {
            let mut variables: Vec<TokenId> =
                addresses.iter().filter_map(|at| declared.get(at)).copied().collect();
            variables.sort_unstable();
            variables.dedup();
            for variable in variables {
                let sum = by_variable.entry(variable).or_default();
                sum.struck += runs.struck;
                sum.lost += runs.lost;
            }
        }
        let mut variables: Vec<FragileVariable> =
            by_variable.into_iter().map(|(token, runs)| FragileVariable { token, runs }).collect();
        variables.sort_by_key(|v| (std::cmp::Reverse(v.runs.lost), v.token));
        Fragility { instructions, variables }
    }
}

/// Maps addresses of instructions to the tokens that declare the variables they read or write.
fn declarations(program: &Compiled, addresses: impl Iterator<Item = Address>) -> BTreeMap<Address, TokenId> {
    let places = lower::places(program.view());
    let mut items: Vec<TokenId> = program.executable.routines().map(Routine::head).collect();
    items.sort_unstable();
    let declaration = |address: Address| {
        let (instruction, token) = program.executable.at(address)?;
        let (slot, token) = (instruction.slot()?, token?);
        let item = items.partition_point(|head| *head <= token);
        let begin = items.get(item.checked_sub(1)?)?.position();
        let end = items.get(item).map_or(places.len(), |next| next.position());
        // Variables of different blocks may share a slot: the last one declared before the instruction counts.
        let is_it = |t: &usize| places.get(*t) == Some(&Some(slot));
        let before = (begin..end.min(token.position() + 2)).rev().find(is_it);
        before.or_else(|| (begin..end).find(is_it)).map(|t| (address, TokenId::at(t)))
    };
    addresses.filter_map(declaration).collect()
}

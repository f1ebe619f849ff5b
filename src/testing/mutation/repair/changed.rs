//! How much a repair changes what the program does: on how many inputs inside the domain that the tests show a function
//! ends otherwise. Among repairs of similar cost, the one that changes least is most likely to be right. (Xiong et al.,
//! "Identifying patch correctness in test-based program repair", 2018.)

use std::collections::{BTreeSet, HashMap};

use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::execute::{Machine, Start};
use crate::lang::index::RoutineId;
use crate::lang::trap::Trap;
use crate::testing::decide::{ArgumentDomain, Given, Pool, call_words, calls_of_entries};

/// The maximum number of inputs of all functions, and of the base's steps on them.
const INPUTS: usize = 1_024;
const STEPS: u32 = 1 << 18;
/// The maximum steps of a call of the base. A repair may take [`SLACK`] more than four times the base's; a base that does
/// not end in as many runs without end.
const FUEL: u32 = 4_096;
const SLACK: u32 = 64;
/// The maximum number of behaviours that are compared with the base.
const COMPARED: usize = 32;

/// A call of a function, and how the base ends.
struct DomainCall {
    function: RoutineId,
    words: Vec<u32>,
    is_list: bool,
    steps: u32,
    /// `None` if the base traps.
    value: Option<Vec<u32>>,
}

/// Calls inside the domain of a program's tests, and what is known of repairs' behaviours on them.
#[derive(Default)]
pub struct DomainCalls {
    calls: Vec<DomainCall>,
    known: HashMap<[u32; 2], u32>,
    machine: Machine,
}

impl DomainCalls {
    /// Runs a program on inputs inside the domain of its tests.
    pub fn new(base: &Compiled, watch: &dyn Watch) -> DomainCalls {
        let mut machine = Machine::default();
        let (mut calls, mut left) = (Vec::new(), STEPS);
        let functions = base.functions();
        let count = INPUTS / (functions.len() as usize).max(1);
        for function in functions {
            let known = calls_of_entries(base, function, &mut machine, watch).unwrap_or_default();
            let types = base.program().parameters(function);
            let Some(domain) = ArgumentDomain::new(base, &types, &known) else { continue };
            let is_list = base.executable.routine(function).is_some_and(|routine| routine.result().is_list());
            let pool = Pool::new(base, function, known);
            let built = domain.inputs(&pool);
            let drawn = domain.some(&pool, count / 2);
            machine.load(&base.executable);
            let all: BTreeSet<Given> =
                pool.calls.iter().cloned().chain(drawn).chain(built).take(count).collect();
            for given in all {
                let words = call_words(&given, &types);
                let call = |machine: &mut Machine, fuel| {
                    machine.call(&base.executable, Start::call(function, fuel), &words)
                };
                let record = call(&mut machine, FUEL);
                let value = machine.value(&record, is_list).map(<[u32]>::to_vec);
                let Some(rest) = left.checked_sub(record.steps) else { break };
                left = rest;
                let is_endless = record.trap == Trap::StepLimit && {
                    let longer = call(&mut machine, longest(FUEL));
                    left = left.saturating_sub(longer.steps);
                    longer.trap == Trap::StepLimit
                };
                // How a call ends that exhausts other resources is not known.
                if is_endless || !record.trap.counts_resources() {
                    calls.push(DomainCall { function, words, is_list, steps: record.steps, value });
                }
            }
        }
        DomainCalls { calls, known: HashMap::new(), machine }
    }

    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Returns the number of calls that end otherwise in a repaired program of a behaviour. Returns the number of all
    /// calls if too many behaviours were compared before.
    pub fn changed(&mut self, behaviour: [u32; 2], program: &Executable) -> u32 {
        let DomainCalls { calls, known, machine } = self;
        if let Some(changed) = known.get(&behaviour) {
            return *changed;
        }
        if known.len() >= COMPARED {
            return calls.len() as u32;
        }
        machine.load(program);
        let mut ends_otherwise = |own: &&DomainCall| {
            let record = machine.call(program, Start::call(own.function, longest(own.steps)), &own.words);
            machine.value(&record, own.is_list) != own.value.as_deref()
        };
        let changed = calls.iter().filter(|call| ends_otherwise(call)).count() as u32;
        known.insert(behaviour, changed);
        changed
    }
}

/// Returns the most steps that a repair may take for a call.
fn longest(steps: u32) -> u32 {
    steps.saturating_mul(4).saturating_add(SLACK)
}

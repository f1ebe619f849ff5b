//! The arguments with which a program's tests and properties call one of its functions.

use serde::{Serialize, Serializer};

use crate::compiler::program::{Compiled, Executable, Routine, Watch};
use crate::compiler::stage::execute::{self, CallEvent, Domain, Machine, Record, RunObserver};
use crate::engine::explain::Value;
use crate::lang::index::RoutineId;
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;

/// The arguments of a call: one word for an int or bool, the elements for a list.
pub type Given = Vec<Vec<u32>>;

/// Returns the words of arguments as a machine takes them: the length of each list precedes its elements.
pub fn call_words(given: &Given, types: &[Type]) -> Vec<u32> {
    let mut words = Vec::new();
    for (argument, ty) in given.iter().zip(types) {
        words.extend(ty.is_list().then_some(argument.len() as u32));
        words.extend(argument);
    }
    words
}

/// The fuel of a mutant's call in a test that compares it. The program's call took `steps`; the arguments and the result
/// have this number of words, which the test itself writes in at most two steps each.
pub fn fuel_of_test(steps: u32, words: usize) -> u32 {
    execute::mutant_fuel(steps.saturating_add(2 * words as u32 + 4))
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CallOutcome {
    Value(Value),
    Trap(#[serde(serialize_with = "ident")] Trap),
}

fn ident<S: Serializer>(trap: &Trap, to: S) -> Result<S::Ok, S::Error> {
    trap.ident().serialize(to)
}

impl CallOutcome {
    /// Returns the outcome of a machine's last call of a function with this type of result.
    pub fn new(machine: &Machine, record: &Record, result: Type) -> CallOutcome {
        let value = machine.value(record, result.is_list());
        value.map_or(CallOutcome::Trap(record.trap), |words| {
            CallOutcome::Value(Value::from_words(result, words))
        })
    }

    /// Returns the value, or `None` if the call traps.
    pub fn value(&self) -> Option<&Value> {
        match self {
            CallOutcome::Value(value) => Some(value),
            CallOutcome::Trap(_) => None,
        }
    }

    /// Returns whether the call exhausts its resources.
    pub fn exhausts(&self) -> bool {
        matches!(self, CallOutcome::Trap(trap) if trap.counts_resources())
    }

    /// Returns the outcome as a verb phrase: `gives 3`, `traps (DivideByZero)`, `does not end in time`.
    pub fn text(&self) -> String {
        match self {
            CallOutcome::Value(value) => format!("gives {value}"),
            CallOutcome::Trap(Trap::StepLimit) => "does not end in time".into(),
            CallOutcome::Trap(trap) => format!("traps ({})", trap.ident()),
        }
    }
}

/// The maximum number of calls that are kept.
pub const CALLS: usize = 256;
/// The maximum steps of one run, and of all runs together.
const LONGEST: u32 = 1 << 16;
const STEPS: u64 = 1 << 20;

pub fn capacities(routine: Routine) -> Vec<u32> {
    (0..routine.params()).map(|place| routine.capacity(place)).collect()
}

/// Records the distinct arguments of calls to one function.
pub struct CallRecorder {
    function: RoutineId,
    /// The capacity of each parameter; 0 for an int or bool.
    capacities: Vec<u32>,
    pub found: Vec<Given>,
}

impl CallRecorder {
    pub fn new(program: &Executable, function: RoutineId) -> CallRecorder {
        let capacities = program.routine(function).map(capacities).unwrap_or_default();
        CallRecorder { function, capacities, found: Vec::new() }
    }

    /// Runs an entry on its first inputs, as the others are similar. Returns `None` if the work was cancelled.
    pub fn run(
        &mut self,
        (machine, program): (&mut Machine, &Executable),
        domain: &Domain,
        fuel: u32,
        watch: &dyn Watch,
    ) -> Option<()> {
        for input in domain.inputs().iter().take(CALLS) {
            if watch.cancelled() {
                return None;
            }
            if self.found.len() >= CALLS {
                break;
            }
            domain.observe(machine, program, (input, fuel), self);
        }
        Some(())
    }
}

impl RunObserver for CallRecorder {
    const ON: bool = true;

    fn called(&mut self, call: CallEvent) {
        if call.function != self.function || self.found.len() >= CALLS {
            return;
        }
        let mut words = Vec::new();
        call.arguments(&mut words);
        let mut rest = &words[..];
        let given: Given = { &self.capacities }
            .iter()
            .map(|capacity| {
                let (head, behind) = rest.split_first().unwrap_or((&0, &[]));
                if *capacity == 0 {
                    rest = behind;
                    return vec![*head];
                }
                let (list, behind) = behind.split_at((*head as usize).min(behind.len()));
                rest = behind;
                list.to_vec()
            })
            .collect();
        if !self.found.contains(&given) {
            self.found.push(given);
        }
    }
}

/// Returns the arguments with which the tests and properties of an error-free program call a function, shortest first.
/// Returns `None` if the work was cancelled.
pub fn calls_of_entries(
    compiled: &Compiled,
    function: RoutineId,
    machine: &mut Machine,
    watch: &dyn Watch,
) -> Option<Vec<Given>> {
    let Compiled { facts, executable, binders, .. } = compiled;
    let mut callers = CallRecorder::new(executable, function);
    let mut steps = 0;
    machine.load(executable);
    let domains = execute::domains(facts, &executable.routines, binders, limits::SAMPLES);
    for domain in &domains {
        for input in domain.inputs().iter().take(CALLS) {
            if watch.cancelled() {
                return None;
            }
            if steps >= STEPS || callers.found.len() >= CALLS {
                break;
            }
            let record = domain.observe(machine, executable, (input, LONGEST), &mut callers);
            steps += u64::from(record.steps);
        }
    }
    callers.found.sort_by_key(|given| given.iter().map(Vec::len).sum::<usize>());
    Some(callers.found)
}

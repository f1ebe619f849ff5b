//! The executions of a program's functions: by its tests, by the inputs of its properties, by its mutants, and by a call.

use std::collections::BTreeMap;

use crate::compiler::program::{Compiled, Routine, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::execute::{CallEvent, Machine, RunObserver, domains, holds};
use crate::compiler::variants::Variants;
use crate::engine::cpu::call;
use crate::lang::index::{EntryId, Index, MutantId, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::verdict::{MutantStatus, Verdict};

/// The most steps for counting the calls of one test or property. Its other inputs are assumed to be like these.
const STEPS: u64 = 1 << 20;

/// How often a function's code runs. Only outermost calls count, so a recursive call is part of an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Executions {
    /// By the tests and all inputs of the properties.
    pub tests: f64,
    /// By the mutants of other functions, on the inputs up to the one that kills them. (A mutant of the function itself
    /// has code of its own.)
    pub mutants: f64,
    /// By the user's call of the function.
    pub calls: f64,
}

impl Executions {
    pub fn all(&self) -> f64 {
        self.tests + self.mutants + self.calls
    }
}

/// The work that a function's code will do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Workload {
    pub executions: Executions,
    /// The mean steps of an execution at level 1, with the functions that it calls.
    pub steps: f64,
    /// The function's instructions before optimization.
    pub instructions: u32,
}

/// The work of all functions of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    by_name: BTreeMap<String, Workload>,
    /// The instructions of the program before optimization.
    pub instructions: u32,
}

impl Profile {
    /// Makes a profile of known workloads.
    pub fn new(by_name: BTreeMap<String, Workload>, instructions: u32) -> Profile {
        Profile { by_name, instructions }
    }

    /// The work of a function.
    pub fn workload(&self, name: &str) -> Option<&Workload> {
        self.by_name.get(name)
    }

    /// The functions and their work, by name.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &Workload)> {
        self.by_name.iter().map(|(name, workload)| (name.as_str(), workload))
    }

    /// Runs the tests of a program without errors at level 1, and counts calls and steps. `verdicts` are those of its
    /// first mutants, by id. Returns `None` if cancelled.
    pub fn of(compiled: &Compiled, verdicts: &[Verdict], watch: &dyn Watch) -> Option<Profile> {
        let program = at_level_1(compiled);
        let entries = count(&program, watch)?;
        let mutants = by_mutants(&program, &entries, verdicts);
        let mut by_name = BTreeMap::new();
        for function in program.functions() {
            let place = function.position();
            let (calls, steps) = entries.iter().fold((0.0, 0.0), |(calls, steps), entry| {
                (calls + entry.calls[place], steps + entry.steps[place])
            });
            let executions = Executions { tests: calls, mutants: mutants[place], calls: 0.0 };
            let steps = if calls > 0.0 { steps / calls } else { 0.0 };
            let instructions = instructions(&program, function);
            by_name.insert(
                program.function_name(function).to_string(),
                Workload { executions, steps, instructions },
            );
        }
        Some(Profile { by_name, instructions: all_instructions(&program) })
    }

    /// The work of one call of a function of a program without errors. `frame` has the words of the arguments, with lists
    /// padded to their capacity; without a frame, the call takes no step.
    pub fn of_call(compiled: &Compiled, function: RoutineId, frame: Option<&[u32]>) -> Profile {
        let program = at_level_1(compiled);
        let called = frame.map(|frame| call(&mut Machine::default(), &program.executable, function, frame));
        let workload = Workload {
            executions: Executions { calls: 1.0, ..Executions::default() },
            steps: called.map_or(0.0, |called| f64::from(called.steps)),
            instructions: instructions(&program, function),
        };
        let name = program.function_name(function).to_string();
        Profile { by_name: BTreeMap::from([(name, workload)]), instructions: all_instructions(&program) }
    }
}

/// Compiles a program to level 1, at which steps are counted.
fn at_level_1(compiled: &Compiled) -> Compiled {
    let mut compiler = Compiler::default();
    compiler.tokens.clone_from(&compiled.tokens);
    compiler.tokens_at(&compiled.text, compiled.facts.names, OptLevel::Local);
    compiler.compiled(&compiled.text)
}

/// The instructions of a function before optimization.
pub fn instructions(program: &Compiled, function: RoutineId) -> u32 {
    let Some(routine) = program.executable.routine(function) else { return 1 };
    let extent = program.view().extent(routine.head());
    let own = |token: &&u32| TokenId::from_word(**token).is_some_and(|token| extent.contains(token));
    program.lowered.token.iter().filter(own).count().max(1) as u32
}

/// The instructions of a program before optimization.
pub fn all_instructions(program: &Compiled) -> u32 {
    program.lowered.op.len().max(1) as u32
}

/// The calls that an entry makes on all its inputs.
struct EntryCalls {
    /// Whether it passes, and so judges mutants.
    passes: bool,
    inputs: f64,
    /// Of all inputs together.
    all_steps: f64,
    /// By function: outermost calls, and their steps.
    calls: Vec<f64>,
    steps: Vec<f64>,
}

/// Counts outermost calls and their steps.
struct Counter {
    calls: Vec<f64>,
    steps: Vec<f64>,
    /// By function: the number of active calls.
    active: Vec<u32>,
    /// The active calls: the function, and the steps left when it began.
    stack: Vec<(usize, u32)>,
}

impl Counter {
    fn new(functions: usize) -> Counter {
        Counter {
            calls: vec![0.0; functions],
            steps: vec![0.0; functions],
            active: vec![0; functions],
            stack: Vec::new(),
        }
    }

    fn end(&mut self, left: u32) {
        let Some((function, began)) = self.stack.pop() else { return };
        let Some(active) = self.active.get_mut(function) else { return };
        *active -= 1;
        if *active == 0 {
            self.calls[function] += 1.0;
            self.steps[function] += f64::from(began.saturating_sub(left));
        }
    }
}

impl RunObserver for Counter {
    const ON: bool = true;

    fn called(&mut self, call: CallEvent) {
        let function = call.function.position();
        if let Some(active) = self.active.get_mut(function) {
            *active += 1;
        }
        self.stack.push((function, call.left));
    }

    fn returned(&mut self, _: &[u32], left: u32) {
        self.end(left);
    }
}

fn count(program: &Compiled, watch: &dyn Watch) -> Option<Vec<EntryCalls>> {
    let Compiled { facts, executable, binders, .. } = program;
    let functions = facts.functions as usize;
    let mut machine = Machine::default();
    machine.load(executable);
    let mut entries = Vec::new();
    for domain in domains(facts, &executable.routines, binders, limits::SAMPLES) {
        let mut counter = Counter::new(functions);
        let (mut ran, mut steps, mut passes) = (0u32, 0, true);
        for input in domain.inputs() {
            if watch.cancelled() {
                return None;
            }
            let record = domain.observe(&mut machine, executable, (input, limits::STEPS), &mut counter);
            // A trap leaves calls open.
            while !counter.stack.is_empty() {
                counter.end(limits::STEPS.saturating_sub(record.steps));
            }
            (ran, steps) = (ran + 1, steps + u64::from(record.steps));
            passes = holds(&record);
            if !passes || steps >= STEPS {
                break;
            }
        }
        let inputs = if passes { f64::from(domain.inputs().len()) } else { f64::from(ran) };
        let scale = inputs / f64::from(ran.max(1));
        let scaled = |list: Vec<f64>| list.into_iter().map(|value| value * scale).collect();
        entries.push(EntryCalls {
            passes,
            inputs,
            all_steps: steps as f64 * scale,
            calls: scaled(counter.calls),
            steps: scaled(counter.steps),
        });
    }
    Some(entries)
}

/// Returns for each function its executions by mutants of other functions. A surviving mutant runs all inputs of the tests
/// that call its function; a killed one those of the tests before its killer, and one input of the killer.
fn by_mutants(program: &Compiled, entries: &[EntryCalls], verdicts: &[Verdict]) -> Vec<f64> {
    let functions = program.facts.functions as usize;
    let mut executions = vec![0.0; functions];
    let heads: Vec<TokenId> = program.executable.routines().take(functions).map(Routine::head).collect();
    let of = |site: TokenId| heads.partition_point(|head| *head <= site).saturating_sub(1);
    let variants = Variants::new(program);
    let mut ends: BTreeMap<(usize, Option<EntryId>), f64> = BTreeMap::new();
    for (id, verdict) in MutantId::all().zip(verdicts) {
        let runs =
            matches!(verdict.status, MutantStatus::Killed | MutantStatus::Timeout | MutantStatus::Survived);
        if let Some(edits) = variants.edits(id).filter(|_| runs) {
            let changed = edits.iter().map(|edit| of(edit.site)).next().unwrap_or(0);
            *ends.entry((changed, verdict.killer)).or_default() += 1.0;
        }
    }
    // The tests judge in this order: the one with the fewest steps first.
    let mut order: Vec<usize> = (0..entries.len()).filter(|place| entries[*place].passes).collect();
    order.sort_by(|a, b| entries[*a].all_steps.total_cmp(&entries[*b].all_steps));
    for ((changed, killer), mutants) in ends {
        let reaches = |entry: &EntryCalls| entry.calls.get(changed).is_some_and(|calls| *calls > 0.0);
        for (place, entry) in order.iter().map(|place| (*place, &entries[*place])) {
            if !reaches(entry) {
                continue;
            }
            let is_killer = killer.is_some_and(|killer| killer.position() == place);
            let share = if is_killer { 1.0 / entry.inputs.max(1.0) } else { 1.0 };
            for (function, sum) in executions.iter_mut().enumerate().filter(|(own, _)| *own != changed) {
                *sum += mutants * share * entry.calls[function];
            }
            if is_killer {
                break;
            }
        }
    }
    executions
}

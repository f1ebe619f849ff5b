//! Examples for a hole, from tests: the variables when a run reaches it, and the value that the run needs.

use super::hole::Hole;
use crate::compiler::program::{Compiled, Executable, Instructions, Watch};
use crate::compiler::stage::chain::compile_at;
use crate::compiler::stage::execute::{self, CallEvent, Domain, Machine, RunObserver, Start, StepState};
use crate::engine::explain::{Value, sides};
use crate::fill::search::Way;
use crate::lang::index::{Address, EntryId, Index, Indices, InputId, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::network::inputs::{Arguments, FUEL};
use crate::testing::decide::{ArgumentDomain, Pool, call_words, calls_of_entries};
use crate::testing::mutation::inputs;

/// The maximum number of inputs of one property, and of the steps in which they are sought.
const EACH: usize = 12;
const SOUGHT: u64 = 4_000_000;
/// The maximum number of inputs that need a value, and of those that only distinguish expressions; of a hole that is reached
/// again and again, these come from several visits each.
pub const REQUIRED: usize = 48;
const APART: usize = 12;
const APART_REPEATED: usize = 40;
const VISITS: usize = 4;
/// The maximum number of drawn arguments of each kind.
const DRAWN: usize = 256;
const SEED: u32 = 11;
/// Two values that nothing but the hole has.
const MARKS: [i32; 2] = [0x5bd1_e995, -0x3c6e_f373];

/// A run that reaches the hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub entry: EntryId,
    pub input: InputId,
    /// The frame of the function when the hole is first reached.
    pub frame: Vec<u32>,
}

/// The value that each example needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// One value each, which decides the run.
    Values(Vec<u32>),
    /// Conditions at several visits.
    Ways(Ways),
    /// The runs have to be made.
    Unknown,
    /// The same, with frames that distinguish expressions.
    States(Vec<Vec<u32>>),
    /// No value passes this entry.
    Nothing(EntryId),
}

/// The conditions that runs need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways {
    /// The frames of different visits: the inputs.
    pub frames: Vec<Vec<u32>>,
    /// For each run, its test or property, and the ways that pass.
    pub entries: Vec<EntryId>,
    pub runs: Vec<Vec<Way>>,
}

/// Keeps the frames of the first visits of an instruction.
pub struct Visits {
    address: u32,
    pub frames: Vec<Vec<u32>>,
    most: usize,
}

impl Visits {
    pub fn of(address: Address, most: usize) -> Visits {
        Visits { address: address.number(), frames: Vec::new(), most }
    }
}

impl RunObserver for Visits {
    const STEPS: bool = true;

    fn step(&mut self, now: StepState) {
        if now.pc as u32 == self.address && self.frames.len() < self.most {
            self.frames.push(now.words().get(now.fp..).unwrap_or_default().to_vec());
        }
    }
}

struct CallCount {
    function: RoutineId,
    calls: u32,
}

impl RunObserver for CallCount {
    const ON: bool = true;

    fn called(&mut self, call: CallEvent) {
        self.calls += u32::from(call.function == self.function);
    }
}

pub fn domain(program: &Compiled, entry: EntryId) -> Domain {
    let Compiled { executable, binders, facts, .. } = program;
    Domain::new(&executable.routines, binders, facts.entry(entry), limits::SAMPLES)
}

/// Returns the runs that reach the hole of a program at level 0: of each test and property, in order. `None` if the work
/// was cancelled.
pub fn examples(program: &Compiled, hole: &Hole, watch: &dyn Watch) -> Option<Vec<Example>> {
    let mut machine = Machine::default();
    machine.load(&program.executable);
    let mut found: Vec<Example> = Vec::new();
    for entry in program.entries() {
        let (mut reaching, mut steps) = (Vec::new(), 0);
        for input in domain(program, entry).inputs().iter() {
            if watch.cancelled() {
                return None;
            }
            let (new, own) = reached(program, hole, &mut machine, (entry, input));
            reaching.extend(new);
            steps += u64::from(own);
            if steps > SOUGHT {
                break;
            }
        }
        // Neighbours are alike.
        let stride = reaching.len().div_ceil(EACH).max(1);
        let room = REQUIRED - found.len();
        found.extend(reaching.into_iter().step_by(stride).take(room));
    }
    Some(found)
}

/// Returns the run of an entry on an input, if it reaches the hole.
pub fn example(
    program: &Compiled,
    hole: &Hole,
    machine: &mut Machine,
    at: (EntryId, InputId),
) -> Option<Example> {
    reached(program, hole, machine, at).0
}

/// The same, and the steps of the run.
fn reached(
    program: &Compiled,
    hole: &Hole,
    machine: &mut Machine,
    (entry, input): (EntryId, InputId),
) -> (Option<Example>, u32) {
    let mut visits = Visits::of(hole.address, 1);
    let run = (input, limits::STEPS);
    let record = domain(program, entry).observe(machine, &program.executable, run, &mut visits);
    let frame = visits.frames.pop().filter(|_| record.trap == Trap::Hole);
    (frame.map(|frame| Example { entry, input, frame }), record.steps)
}

/// Returns frames at the hole for arguments of its function, drawn in turn like those of the tests and from all: at the first
/// visit, or, if a run reaches it again and again, at several visits where its value is a constant.
pub fn others(program: &Compiled, hole: &Hole, watch: &dyn Watch) -> Vec<Vec<u32>> {
    let (variants, each, most) = match hole.is_repeated {
        true => (constants(program, hole), VISITS, APART_REPEATED),
        false => (vec![(program.clone(), hole.address)], 1, APART),
    };
    let mut machines: Vec<Machine> = variants.iter().map(|_| Machine::default()).collect();
    { machines.iter_mut() }
        .zip(&variants)
        .for_each(|(machine, (program, _))| machine.load(&program.executable));
    let mut frames: Vec<Vec<u32>> = Vec::new();
    for words in drawn(program, hole.function, watch) {
        if watch.cancelled() {
            break;
        }
        for (machine, (program, address)) in machines.iter_mut().zip(&variants) {
            let mut visits = Visits::of(*address, each);
            machine.call_before(&program.executable, Start::call(hole.function, FUEL), &words, &mut visits);
            add_new(&mut frames, visits.frames, most);
        }
        if frames.len() >= most {
            break;
        }
    }
    frames
}

/// Draws arguments of a function, in turn like those of the tests and from all.
fn drawn(program: &Compiled, function: RoutineId, watch: &dyn Watch) -> Vec<Vec<u32>> {
    let types = program.program().parameters(function);
    let known = calls_of_entries(program, function, &mut Machine::default(), watch).unwrap_or_default();
    let domain = ArgumentDomain::new(program, &types, &known);
    let pool = Pool::new(program, function, known);
    let mut near = domain.iter().flat_map(|domain| domain.some(&pool, DRAWN));
    let arguments = Arguments::new(program, function);
    let count = arguments.size.unwrap_or(u32::MAX).min(DRAWN as u32);
    let all = Indices::<InputId>::first(count).iter().map(|input| inputs::drawn(&arguments, SEED, input));
    let both = all.flat_map(|given| near.next().into_iter().chain([given]));
    both.map(|given| call_words(&given, &types)).collect()
}

/// Returns frames at the first visits of a hole that is reached again and again, where its value is a constant.
pub fn later_visits(program: &Compiled, hole: &Hole, examples: &[Example], watch: &dyn Watch) -> Vec<Vec<u32>> {
    let mut frames: Vec<Vec<u32>> = Vec::new();
    for (program, address) in constants(program, hole) {
        let mut machine = Machine::default();
        machine.load(&program.executable);
        for example in examples {
            if watch.cancelled() {
                break;
            }
            let mut visits = Visits::of(address, VISITS);
            let run = (example.input, FUEL);
            domain(&program, example.entry).observe(&mut machine, &program.executable, run, &mut visits);
            add_new(&mut frames, visits.frames, REQUIRED);
        }
    }
    frames
}

fn add_new(frames: &mut Vec<Vec<u32>>, new: Vec<Vec<u32>>, most: usize) {
    for frame in new {
        if frames.len() < most && !frames.contains(&frame) {
            frames.push(frame);
        }
    }
}

/// The program with constants in the place of the hole, each with the address where the constant is pushed.
fn constants(program: &Compiled, hole: &Hole) -> Vec<(Compiled, Address)> {
    let values = if hole.ty == Type::BOOL { ["true", "false"] } else { ["3", "1"] };
    let of = |value: &&str| {
        let program = with(program, hole, value)?;
        let routine = program.executable.routine(hole.function)?;
        let is_value = |at: &usize| routine.token_at(*at) == Some(hole.token);
        let at = Instructions::of(routine.words()).map(|own| own.at).find(is_value)?;
        let address = routine.address() + at as u32;
        Some((program, address))
    };
    values.iter().filter_map(of).collect()
}

/// A program with a value in the place of the hole, at level 0.
fn with(program: &Compiled, hole: &Hole, value: &str) -> Option<Compiled> {
    let span = program.view().span(hole.token)?;
    let text = format!("{}{value}{}", program.text.get(..span.start)?, program.text.get(span.end..)?);
    Some(compile_at(OptLevel::Lowered, &text)).filter(|program| program.facts.compiles())
}

/// Returns what the runs need of an int. It decides a run if the run calls the function once, and the value arrives as it is
/// on one side of the test's comparison, whose other side does not depend on it.
pub fn needs(program: &Compiled, hole: &Hole, examples: &[Example]) -> Needs {
    if hole.is_repeated || examples.is_empty() {
        return Needs::Unknown;
    }
    let marks = MARKS.map(|mark| format!("({mark})"));
    let [Some(one), Some(other)] = marks.map(|mark| with(program, hole, &mark)) else { return Needs::Unknown };
    let mut values = Vec::new();
    for example in examples {
        if [&one, &other].iter().any(|program| calls(program, hole.function, example) > 1) {
            return Needs::Unknown;
        }
        let Some(value) = int(&one, &other, example) else { return Needs::Unknown };
        values.push(value);
        // Runs with equal variables need one value.
        let at = values.len() - 1;
        if (0..at).any(|other| examples[other].frame == example.frame && values[other] != values[at]) {
            return Needs::Nothing(example.entry);
        }
    }
    Needs::Values(values)
}

fn calls(program: &Compiled, function: RoutineId, example: &Example) -> u32 {
    let mut machine = Machine::default();
    machine.load(&program.executable);
    let mut count = CallCount { function, calls: 0 };
    let run = (example.input, limits::STEPS);
    domain(program, example.entry).observe(&mut machine, &program.executable, run, &mut count);
    count.calls
}

/// Returns the int that a run needs, if it is known.
fn int(one: &Compiled, other: &Compiled, example: &Example) -> Option<u32> {
    let both = |program| sides(program, example.entry, example.input);
    let ((a, b), (c, d)) = (both(one)?, both(other)?);
    let marked = |one: &Value, other: &Value| [one, other] == [&Value::Int(MARKS[0]), &Value::Int(MARKS[1])];
    let needed = match () {
        () if marked(&a, &c) && b == d => b,
        () if marked(&b, &d) && a == c => a,
        () => return None,
    };
    match needed {
        Value::Int(value) if compares_equal(one, example.entry) => Some(value as u32),
        _ => None,
    }
}

/// Whether the outermost operator of a test's or property's expression is `==`.
fn compares_equal(program: &Compiled, entry: EntryId) -> bool {
    use crate::lang::role::Role;
    use crate::lang::token::TokenKind::EqualEqual;
    let view = program.view();
    let whole = program.entry(entry).and_then(|routine| view.child(routine.head(), 1));
    let inside = |node: &_| view.is(*node, Role::Group).then(|| view.child(*node, 0))?;
    let top = std::iter::successors(whole, inside).last();
    top.is_some_and(|top| view.kind(top) == EqualEqual)
}

/// Returns the first input on which a program does not pass, at level 0.
pub fn counterexample(program: &Executable, of: &Compiled, watch: &dyn Watch) -> Option<(EntryId, InputId)> {
    let mut machine = Machine::default();
    machine.load(program);
    of.entries().iter().find_map(|entry| {
        let tally = execute::entry(&mut machine, program, &domain(of, entry), limits::STEPS, watch);
        let outcome = tally.outcome();
        outcome.fails().then(|| (entry, tally.failing_input.unwrap_or_default()))
    })
}

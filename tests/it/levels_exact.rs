//! Code of every level behaves like the lowered code: the same values and traps at the same places, in no more
//! steps; resources are exhausted no earlier.

use crate::common::compile::compile_at;
use crate::common::extent::scaled;
use crate::common::{called, looped, repeated, typed};
use myriad::compiler::program::{Compiled, Executable};
use myriad::compiler::stage::execute::{Domain, Machine};
use myriad::engine::cpu::{CpuEngine, call};
use myriad::engine::explain::explain;
use myriad::engine::{Engine, EngineSettings};
use myriad::lang::index::{Address, EntryId, Index, InputId, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::lang::limits;
use myriad::lang::opcode::Op;
use myriad::lang::trap::Trap;
use myriad::lang::ty::{KIND_BOOL, KIND_BOOL_LIST};
use myriad::report::diagnostics::diagnostics;

/// The most steps for the value of a new variable: its expression, a store and a load.
const UNUSED: u32 = 34;

/// Inputs of each routine.
const INPUTS: u32 = 24;

/// The end of a run: its trap, its value, the token of a trap, and its steps.
#[derive(Debug)]
struct End {
    trap: Trap,
    value: Vec<u32>,
    token: Option<u32>,
    steps: u32,
}

/// The token of the instruction at which a run trapped.
pub fn token(program: &Executable, trap: Trap, address: Option<Address>) -> Option<u32> {
    let trapped = address.filter(|_| trap != Trap::None)?;
    program.code.token.get(trapped.position()).copied()
}

/// The words that decide how programs run: extremes, and the constants of the program.
pub fn words(program: &Compiled) -> Vec<u32> {
    let own = (0..program.lowered.op.len()).map(|i| program.lowered.arg[i]);
    [0, 1, 2, u32::MAX, i32::MAX as u32, i32::MIN as u32].into_iter().chain(own).take(40).collect()
}

/// The words of a frame's arguments: number `input` of those that decide.
pub fn arguments(program: &Compiled, function: RoutineId, words: &[u32], input: u32) -> Vec<u32> {
    let word = |n: u32| words[(n.wrapping_mul(0x9e37_79b9) >> 8) as usize % words.len()];
    let mut all = Vec::new();
    for (j, ty) in (0..).zip(program.program().parameters(function)) {
        let seed = input * 17 + j;
        let of_bools = [KIND_BOOL, KIND_BOOL_LIST].contains(&(ty.0 & 0xff));
        let value = |n: u32| if of_bools { word(n) & 1 } else { word(n) };
        if ty.is_list() {
            all.push(seed % (ty.capacity() + 1));
            all.extend((0..ty.capacity()).map(|at| value(seed + 31 * at)));
        } else {
            all.push(value(seed));
        }
    }
    all
}

pub fn is_resource(trap: Trap) -> bool {
    matches!(trap, Trap::RecursionTooDeep | Trap::OutOfMemory | Trap::StepLimit)
}

/// Runs a routine of a program on one input.
fn end(machine: &mut Machine, program: &Compiled, routine: RoutineId, input: u32) -> Option<End> {
    let own = &program.executable;
    if program.functions().contains(routine) {
        let found = call(machine, own, routine, &arguments(program, routine, &words(program), input));
        let token = token(own, found.trap, found.trap_address);
        return Some(End { trap: found.trap, value: found.value, token, steps: found.steps });
    }
    let domain = Domain::new(&own.routines, &program.binders, routine, limits::SAMPLES);
    let input = domain.inputs().after(InputId::new(input)).iter().next()?;
    machine.load(own);
    let found = domain.run(machine, own, input, limits::STEPS);
    let value = if found.trap == Trap::None { vec![found.value] } else { vec![] };
    Some(End { trap: found.trap, value, token: token(own, found.trap, found.address), steps: found.steps })
}

/// The words by which frames have grown.
fn new_words(lowered: &Compiled, other: &Compiled) -> u32 {
    let [before, after] = [lowered, other].map(|program| program.executable.routines.frame.iter().sum::<u32>());
    after - before
}

/// Runs all routines of a program at each level. Returns how many runs were compared, and how many of them took
/// fewer steps.
pub fn compare(machine: &mut Machine, text: &str) -> (u64, u64) {
    let [lowered, others @ ..] = OptLevel::FIXED.map(|level| compile_at(level, text));
    let found = diagnostics(&lowered);
    assert_eq!(lowered.facts.errors, 0, "{:?}\n{text}", found.first());
    let (mut runs, mut fewer) = (0, 0);
    for routine in lowered.executable.routines().map(|routine| routine.id) {
        for input in 0..INPUTS {
            let Some(expected) = end(machine, &lowered, routine, input) else { break };
            let mut steps = expected.steps;
            for other in &others {
                let found = end(machine, other, routine, input).expect("the same inputs");
                let of = format!("routine {routine}, input {input}, level {:?}", other.level);
                if is_resource(expected.trap) {
                    continue;
                }
                let same =
                    (&found.value, found.trap, found.token) == (&expected.value, expected.trap, expected.token);
                assert!(same, "{of}: {expected:?}, {found:?}\n{text}");
                // A run that traps may have computed values that it has not used again.
                let unused = if found.trap == Trap::None { 0 } else { UNUSED * new_words(&lowered, other) };
                assert!(
                    found.steps <= steps + unused,
                    "{of}: {} steps, not {steps}: {:?}\n{text}",
                    found.steps,
                    found.trap
                );
                (runs, fewer) = (runs + 1, fewer + u64::from(found.steps < steps));
                steps = found.steps;
            }
        }
    }
    (runs, fewer)
}

#[test]
fn code_of_every_level_does_what_the_lowered_code_does() {
    let mut machine = Machine::default();
    let (mut runs, mut fewer) = (0, 0);
    for seed in 0..scaled(1_000) {
        let generate = [called::program, typed::program, looped::program, repeated::program];
        for text in generate.map(|generate| generate(seed)) {
            let found = compare(&mut machine, &text);
            (runs, fewer) = (runs + found.0, fewer + found.1);
        }
    }
    assert!(fewer > runs / 4, "{fewer} of {runs} runs take fewer steps");
}

/// Values that begin in inlined code have no known start, so nothing of them can be erased.
#[test]
fn erased_products_in_inlined_code_leave_no_operand() {
    let mut machine = Machine::default();
    for text in [
        "fn f(a: int) -> int { let r = 0; let t = r * (0 << a); return a; } prop a in -3..5 => f(a) == f(a);",
        "fn f(a: int) -> int { let r = 0; return a + (r & -a); } fn g(a: int) -> int { return a + f(7); } test g(1) == 8;",
        "fn f(a: int) -> int { let r = -1; return a - (r | a); } prop a in -3..5 => f(a) == f(a) && f(a) == a + 1;",
    ] {
        let found = compare(&mut machine, text);
        assert!(found.1 > 0, "{text}");
    }
}

/// Code that needs no frame is inlined in recursions too, and exhausts memory no earlier.
#[test]
fn code_without_a_frame_is_inlined_in_recursions() {
    let text = "fn at(xs: [int; 40], i: int) -> int { if i >= len(xs) { return 0; } return xs[i]; }
        fn sum(xs: [int; 40], n: int) -> int { if n == 0 { return at(xs, 0); } return at(xs, n) + (1 - sum(xs, n - 1)); }
        prop n in 80..104 => sum([7, 8], n) > -99;";
    let [_, local, whole] = OptLevel::FIXED.map(|level| compile_at(level, text));
    assert_eq!(whole.executable.routines.frame, local.executable.routines.frame);
    // The first function.
    let calls = |program: &Compiled| {
        let ir = &program.ir;
        ir.op.iter().zip(&ir.arg).filter(|(op, arg)| **op == Op::Call as u32 && **arg == 0).count()
    };
    assert_eq!([calls(&local), calls(&whole)], [2, 0]);
    let mut machine = Machine::default();
    let entry = local.facts.entry(EntryId::FIRST);
    let traps: Vec<Trap> =
        (0..INPUTS).filter_map(|input| Some(end(&mut machine, &local, entry, input)?.trap)).collect();
    assert!([Trap::None, Trap::OutOfMemory].iter().all(|trap| traps.contains(trap)), "{traps:?}");
    assert!(compare(&mut machine, text).1 > 0);
}

/// A counterexample does not depend on which copy of an instruction traps.
#[test]
fn counterexamples_are_equal_at_every_level() {
    for text in [
        "fn d(a: int, b: int) -> int { return a / b; } prop a in -3..4 => d(1, a + 3) == d(1, a);",
        "fn f(a: int) -> int { let r = 0; for k in 0..3 { r += 10 / (a + 3 - 3 * k); } return r; } prop a in -3..4 => f(a) == f(a);",
    ] {
        let [lowered, others @ ..] = OptLevel::FIXED.map(|level| {
            let mut cpu = CpuEngine::with_threads(1);
            cpu.configure(EngineSettings { level, ..cpu.settings() });
            let base = cpu.base(&text.into(), &|| false).expect("a base");
            explain(&base.compiled, EntryId::new(0), &base.entries[0])
        });
        assert!(lowered.trap_line.is_some(), "{text}");
        others.iter().for_each(|other| assert_eq!(*other, lowered, "{text}"));
    }
}

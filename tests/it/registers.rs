//! The register form has the same records as the stack machine, wherever the fuel ends.

use crate::common::compile::compile;
use crate::common::extent::{one_in, scaled};
use crate::common::{cases, typed};
use myriad::compiler::program::{Compiled, Executable};
use myriad::compiler::stage::execute::{Domain, Machine, ReadRecorder, Record, Start, domains};
use myriad::lang::index::{Index, InputId, RoutineId};
use myriad::lang::limits;

/// Number of random programs.
fn programs() -> u64 {
    scaled(500)
}

/// Numbers of inputs per entry and of fuels that are all tried; beyond these, only some.
const INPUTS: u32 = 3;
const FUELS: u32 = 300;

/// The same program on both machines.
struct Machines {
    stack: Machine,
    registers: Machine,
}

impl Machines {
    fn new(program: &Executable) -> Machines {
        let mut machines = Machines { stack: Machine::default(), registers: Machine::default() };
        machines.stack.load(program);
        machines.registers.translate(program);
        machines
    }

    /// Runs a routine on an input on both machines; returns the record, which must be the same.
    fn run(&mut self, program: &Executable, start: Start, domain: &Domain, input: InputId) -> Record {
        let [stack, registers] = [&mut self.stack, &mut self.registers].map(|machine| {
            machine.frame().fill(0);
            domain.write(input, machine.frame());
            machine.run(program, start.routine, start.fuel, start.depth)
        });
        assert_eq!(registers, stack, "{start:?}, input {input}");
        stack
    }
}

/// Compares all entries of a program with every fuel. Returns the number of records.
fn compare(compiled: &Compiled) -> u64 {
    let program = &compiled.executable;
    let mut machines = Machines::new(program);
    let mut compared = 0;
    let domains = domains(&compiled.facts, &program.routines, &compiled.binders, limits::SAMPLES);
    for domain in &domains {
        for input in domain.inputs().split_at(INPUTS).0 {
            let start = Start { routine: domain.routine, fuel: limits::STEPS, depth: 0, origin: 0 };
            let steps = machines.run(program, start, domain, input).steps;
            let some = (FUELS..steps).step_by(1 + steps as usize / 37);
            for fuel in (0..steps.min(FUELS)).chain(some).chain([steps, steps + 1]) {
                machines.run(program, Start { fuel, ..start }, domain, input);
                compared += 1;
            }
            // At the maximum call depth; all calls but one belong to the caller.
            for depth in limits::CALL_DEPTH - 3..=limits::CALL_DEPTH {
                machines.run(program, Start { depth, ..start }, domain, input);
            }
        }
    }
    compared
}

fn compiled(text: &str) -> Option<Compiled> {
    Some(compile(text)).filter(|compiled| !compiled.facts.stopped() && compiled.facts.errors == 0)
}

#[test]
fn samples_and_cases_run_as_on_the_stack_machine() {
    let texts = cases::programs(&["samples", "tests/conformance", "tests/cases", "assets/neural/written"]);
    let compared: u64 = one_in(1, &texts)
        .into_iter()
        .filter_map(|(_, text)| compiled(text))
        .map(|program| compare(&program))
        .sum();
    assert!(compared > 10_000, "{compared} records");
}

#[test]
fn random_programs_run_as_on_the_stack_machine() {
    let compared: u64 =
        (0..programs()).filter_map(|seed| compiled(&typed::program(seed))).map(|p| compare(&p)).sum();
    assert!(compared > 100 * programs(), "{compared} records");
}

/// Division by constants is compiled in special ways.
#[test]
fn division_by_constants_is_exact() {
    let numbers = [0, 1, -1, 2, -2, 7, -7, 8, -8, 9, -9, 1 << 30, -(1 << 30), i32::MAX, i32::MIN + 1, i32::MIN];
    let powers = (0..31).map(|k| 1i32 << k);
    for divisor in powers.chain([3, 10, 1000, i32::MAX, -1, -2, -8, i32::MIN]) {
        let mut text = format!(
            "fn f(a: int) -> int {{ return a / {divisor}; }} fn g(a: int) -> int {{ return a % {divisor}; }}"
        );
        for number in numbers {
            let (quotient, rest) = (number.wrapping_div(divisor), number.wrapping_rem(divisor));
            text += &format!(" test f({number}) == {quotient}; test g({number}) == {rest};");
        }
        let compiled = compiled(&text).unwrap_or_else(|| panic!("{text}"));
        let program = &compiled.executable;
        let mut machines = Machines::new(program);
        let domains = domains(&compiled.facts, &program.routines, &compiled.binders, limits::SAMPLES);
        for domain in &domains {
            let routine = domain.routine;
            let start = Start { routine, fuel: limits::STEPS, depth: 0, origin: 0 };
            assert_eq!(
                machines.run(program, start, domain, InputId::FIRST).value,
                1,
                "test {routine} of {text}"
            );
        }
    }
}

#[test]
fn hostile_programs_run_as_on_the_stack_machine() {
    for (_, text) in crate::common::programs::hostile() {
        if let Some(program) = compiled(&text) {
            compare(&program);
        }
    }
}

/// Lists on the operand stack below jumps and calls, memory that ends in a frame, in a list and in an
/// expression.
#[test]
fn lists_at_memory_limits_run_as_on_the_stack_machine() {
    for text in [
        "fn id(xs: [int; 8], b: bool) -> [int; 8] { if b { return xs; } return xs + []; }
         fn f(xs: [int; 8], n: int) -> int { return len(xs + id([n, 2], n > 1 && n < 5 || len(xs) == 2)) + xs[n & 1]; }
         prop xs in [-2..3; 4], n in 0..7 => f(xs, n) == 7;
         prop xs in [-2..3; 4], n in 0..7 => (xs + id(xs, n > 2 || n == 0))[0] > n && len(xs[0..n]) > 1;",
        "fn deep(n: int) -> int { let xs = [n; 40]; if n == 0 { return xs[3]; } return xs[1] - deep(n - 1) + n * 2; }
         test deep(5) == 1; test deep(90) == 1; test deep(110) == 1; test deep(126) == 1; test deep(200) == 1;",
        "fn rest(n: int) -> [int; 64] { let xs = [n; 60]; if n == 0 { return xs[0..3]; } return xs[0..1] + rest(n - 1); }
         test len(rest(3)) == 6; test len(rest(30)) == 6; test len(rest(64)) == 1;",
    ] {
        let program = compiled(text).unwrap_or_else(|| panic!("it compiles: {text}"));
        assert!(compare(&program) > 100);
    }
}

/// Lists that are passed through several functions without a copy, wherever the fuel ends.
#[test]
fn lists_by_reference_run_as_on_the_stack_machine() {
    for text in [
        // Through functions that only read, past one that modifies its own copy, and back as a result.
        "fn at(xs: [int; 8], i: int) -> int { return xs[i] + len(xs); }
         fn sum(k: int, xs: [int; 8], ys: [int; 8]) -> int { let s = k; for x in xs { s += x * at(ys, 0); } return s + at(xs, len(ys) - 1); }
         fn grown(xs: [int; 8], n: int) -> [int; 8] { xs[0] = n; return xs; }
         fn same(xs: [int; 8]) -> [int; 8] { return xs; }
         fn f(xs: [int; 8], n: int) -> int { let ys = grown(xs, n); return sum(n, xs, ys) * sum(1, ys, xs) - at(same(xs), 1) + len(same(ys)); }
         prop xs in [-2..3; 4], n in 0..3 => f(xs, n) > 3; test f([1, 2, 3], 2) == 1; test at(same([4, 5]), 1) == 7;",
        // In recursion, up to the limits of memory and call depth.
        "fn down(xs: [int; 30], n: int) -> int { if n == 0 { return xs[2]; } return xs[1] + down(xs, n - 1); }
         fn wide(xs: [int; 30], n: int) -> int { let ys = xs + [n]; if n == 0 { return len(ys); } return wide(xs, n - 1) + ys[0]; }
         test down([1, 2, 3], 5) == 13; test down([1, 2, 3], 126) == 1; test down([1, 2, 3], 130) == 1; test down([1], 5) == 1;
         test wide([7; 30], 0) == 31; test wide([7; 20], 60) == 1;",
        // Two at once, the same one twice, in other positions, with more elements than the callee takes.
        "fn g(xs: [int; 4], b: bool, ys: [int; 2]) -> bool { return b && xs == ys || len(xs) > len(ys) && xs[0] == ys[len(ys) - 1]; }
         fn h(n: int, ys: [int; 4], xs: [int; 3]) -> bool { return g(xs, n > 1, ys) || g(ys, n < 1, xs) || g(xs, true, xs); }
         prop xs in [0..2; 4], ys in [0..2; 3], n in 0..3 => h(n, xs, ys); test h(2, [1, 0, 1, 1], [1, 1, 0]); test h(0, [1, 0, 1, 1], [1, 1]);
         test h(0, [2, 0], [1, 0]); test h(2, [0, 2], [0, 1]); test g([1, 2], true, [1, 2]);",
        // While lists are on the operand stack.
        "fn at(xs: [int; 6], i: int) -> int { return xs[i]; }
         fn twice(xs: [int; 6]) -> [int] { return xs + [xs[0], at(xs, 1), len(xs)] + xs[0..at(xs, 2)]; }
         fn f(xs: [int; 6]) -> int { return len(xs + twice(xs)) + at(xs + [1], len(xs)); }
         prop xs in [0..3; 5] => f(xs) == 1; test f([1, 2, 0, 2]) == 1; test f([2, 1, 2, 1, 0]) == 1; test at(twice([1, 0]), 2) == 3;",
    ] {
        let program = compiled(text).unwrap_or_else(|| panic!("it compiles: {text}"));
        let compared = compare(&program);
        assert!(compared > 50, "{compared}: {text}");
    }
}

/// The elements recorded as read by a call are those that it and its inner calls read; lists that may be
/// modified count as read.
#[test]
fn list_elements_read_by_a_call_are_recorded() {
    let compiled = compiled(
        "fn at(xs: [int; 8], i: int) -> int { return xs[i]; }
         fn both(a: int, xs: [int; 8], ys: [int; 8]) -> int { return at(ys, a) + at(xs, 3) + xs[0] + len(ys); }
         fn whole(xs: [int; 8], ys: [int; 8]) -> int { let s = len(ys); for x in xs { s += x; } return s; }
         fn own(xs: [int; 8], ys: [int; 8]) -> int { xs[1] = 2; return ys[1]; }
         fn on(n: int, xs: [int; 8], ys: [int; 8]) -> int { return own(xs, ys) + n; }
         fn deep(xs: [int; 8], n: int) -> int { if n < 0 { return 0; } return xs[n] + deep(xs, n - 2); }",
    )
    .expect("it compiles");
    let program = &compiled.executable;
    let mut machine = Machine::default();
    machine.translate(program);
    const ALL: u64 = u64::MAX;
    let lists = [&[4, 1, 2, 3, 4][..], &[5, 9, 8, 7, 6, 5]];
    for (routine, arguments, expected) in [
        (0, [lists[0], &[2]].concat(), vec![1 << 2, 0]),
        (1, [&[4], lists[0], lists[1]].concat(), vec![0, 0b1001, 1 << 4]),
        (2, [lists[0], lists[1]].concat(), vec![ALL, 0]),
        (3, [lists[0], lists[1]].concat(), vec![ALL, 0b10]),
        (4, [&[1], lists[0], lists[1]].concat(), vec![0, ALL, 0b10]),
        (5, [lists[1], &[4]].concat(), vec![0b10101, 0]),
    ] {
        let start = Start { routine: RoutineId::new(routine), fuel: limits::STEPS, depth: 2, origin: 70 };
        let plain = machine.call(program, start, &arguments);
        assert_eq!(machine.call_before(program, start, &arguments, &mut ReadRecorder), plain);
        assert_eq!(machine.reads(start.depth)[..expected.len()], expected, "function {routine}");
        // Where the stack machine takes over, more may be recorded.
        let start = Start { fuel: plain.steps - 1, ..start };
        machine.call_before(program, start, &arguments, &mut ReadRecorder);
        assert!(machine.reads(start.depth).iter().zip(&expected).all(|(read, known)| read & known == *known));
    }
}

/// Functions with replacement code after the program, and back again.
#[test]
fn exchanged_function_runs_its_replacement_code() {
    let base = compiled(
        "fn f(n: int) -> int { return n + 1; } fn g(n: int) -> int { return f(n) * 2; } test g(3) == 8;",
    )
    .expect("it compiles");
    let other = compiled(
        "fn f(n: int) -> int { return n + 2; } fn g(n: int) -> int { return f(n) * 2; } test g(3) == 8;",
    )
    .expect("it compiles");
    let code = other.executable.routine(RoutineId::new(0)).expect("f").words();
    let mut machine = Machine::default();
    machine.translate(&base.executable);
    let run =
        |machine: &mut Machine, program: &Executable| machine.run(program, RoutineId::new(2), 100, 0).value;
    assert_eq!(run(&mut machine, &base.executable), 1);
    let changed = base.executable.with_function(RoutineId::new(0), code);
    machine.exchange(&changed, [RoutineId::new(0)]);
    assert_eq!(run(&mut machine, &changed), 0);
    machine.exchange(&base.executable, []);
    assert_eq!(run(&mut machine, &base.executable), 1);
}

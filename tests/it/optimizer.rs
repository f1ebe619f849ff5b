//! Optimized code behaves like lowered code: the same verdicts, values and traps, in no more steps.

use crate::common::compile::compile;
use crate::common::extent::scaled;
use myriad::compiler::program::{Binders, Compiled, Executable, Ir};
use myriad::compiler::stage::execute::{Domain, Machine, Record, domains};
use myriad::compiler::stage::{emit, lower};
use myriad::lang::index::InputId;
use myriad::lang::limits;
use myriad::lang::trap::Trap;
use myriad::report::diagnostics::diagnostics;

/// Returns the bytecode of the lowered program.
fn unoptimized(c: &Compiled) -> Executable {
    let (mut facts, mut ir, mut binders) = (c.facts, Ir::default(), Binders::default());
    let Executable { mut code, mut routines } = Executable::default();
    let out = lower::Output { ir: &mut ir, routines: &mut routines, binders: &mut binders };
    lower::run(c.view(), out, &mut facts, &mut lower::LowerScratch::default());
    emit::run(&ir, &mut routines, &mut code, &mut emit::EmitScratch::default());
    Executable { code, routines }
}

fn run(machine: &mut Machine, program: &Executable, domain: &Domain, input: InputId) -> Record {
    machine.load(program);
    domain.run(machine, program, input, 100_000)
}

/// Returns whether optimized code may reach a trap later or not at all.
fn is_resource(trap: Trap) -> bool {
    matches!(trap, Trap::RecursionTooDeep | Trap::OutOfMemory | Trap::StepLimit)
}

#[test]
fn optimized_code_is_equivalent_to_lowered_code() {
    let seeds = scaled(2_000);
    let (mut machine, mut fewer, mut runs) = (Machine::default(), 0u64, 0u64);
    for seed in 0..seeds {
        let text = crate::common::typed::program(seed);
        let c = compile(&text);
        let found = diagnostics(&c);
        assert_eq!(c.facts.errors, 0, "seed {seed}: {:?}\n{text}", found.first());
        let plain = &unoptimized(&c);
        let better = &c.executable;
        for domain in domains(&c.facts, &c.executable.routines, &c.binders, limits::SAMPLES) {
            let routine = domain.routine;
            for input in domain.inputs().iter().take(20) {
                let expected = run(&mut machine, plain, &domain, input);
                let found = run(&mut machine, better, &domain, input);
                runs += 1;
                if is_resource(expected.trap) {
                    continue;
                }
                assert_eq!(
                    (found.trap, found.value),
                    (expected.trap, expected.value),
                    "seed {seed}, routine {routine}, input {input}\n{text}"
                );
                assert!(found.steps <= expected.steps, "seed {seed}, routine {routine}: more steps\n{text}");
                fewer += u64::from(found.steps < expected.steps);
            }
        }
    }
    assert!(runs > seeds && fewer > runs / 4, "{runs} runs, {fewer} in fewer steps");
}

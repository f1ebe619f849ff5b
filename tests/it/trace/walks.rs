//! Random walks: at each position, everything shown equals the state of a machine that is run to that step.

use super::{compiled, oracle, recorded};
use crate::common::extent::scaled;
use crate::common::rng::Rng;
use crate::common::{programs, typed};
use myriad::compiler::stage::execute::Machine;
use myriad::engine::explain::Value;
use myriad::lang::index::{CallId, Index, InputId, Position};
use myriad::testing::trace::{Setting, Trace};

/// Total number of commands.
fn commands() -> u64 {
    scaled(100_000)
}

/// Number of commands on each run.
const EACH: u64 = 40;

/// Runs a random command, checks its target, and returns it.
fn command(trace: &Trace, rng: &mut Rng, at: Position) -> Position {
    let line = 1 + rng.below(trace.compiled.text.lines().count() + 1) as u32;
    let call = trace.call_at(at);
    let variables = trace.variables(call);
    let variable = variables.get(rng.below(variables.len().max(1)));
    let to = match rng.below(17) {
        0 | 1 => Some(at.next().min(trace.last())),
        2 | 3 => at.previous(),
        4 => Some(trace.over(at)),
        5 => Some(trace.back_over(at)),
        6 => Some(trace.out(at)),
        7 => Some(trace.caller(at)),
        8 => Some(trace.next_line(at)),
        9 => Some(trace.line_before(at)),
        10 => trace.next_visit(line, at).inspect(|to| assert_eq!((trace.line(*to), *to > at), (line, true))),
        11 => trace.visit_before(line, at).inspect(|to| assert_eq!((trace.line(*to), *to < at), (line, true))),
        12 => variable.and_then(|variable| {
            let to = trace.next_change(call, variable, at)?;
            assert!(
                to > at && Trace::is_new(trace.set(call, variable, to), to),
                "{} at {at}: {to}",
                variable.name
            );
            // No other change is in between.
            let unchanged = trace.set(call, variable, to.previous().unwrap());
            assert!(!matches!(unchanged, Setting::At(step) if step >= at), "{}: {unchanged:?}", variable.name);
            Some(to)
        }),
        13 => variable.and_then(|variable| {
            let to = trace.change_before(call, variable, at)?;
            assert!(to <= at && Trace::is_new(trace.set(call, variable, to), to));
            Some(to)
        }),
        14 => Some(trace.failure_position()),
        15 => {
            let needs = trace.needs(at);
            needs.get(rng.below(needs.len().max(1))).map(|source| source.step)
        }
        _ => Some(Position::at(rng.below(trace.len() as usize))),
    };
    let to = to.unwrap_or(at);
    assert!(to <= trace.last());
    if to != at {
        // Stepping over and out never ends deeper than it started, and stepping back reverses stepping forward.
        let depth = |at: Position| trace.step(at).unwrap().depth;
        assert!(depth(trace.over(at)) <= depth(at) || trace.over(at) == trace.last());
        assert!(depth(trace.out(at)) < depth(at).max(1) || trace.out(at) == trace.last());
    }
    to
}

/// Returns the words of a value in a frame, without its length.
fn words(value: &Value) -> Vec<u32> {
    match value {
        Value::Int(n) => vec![*n as u32],
        Value::Bool(b) => vec![u32::from(*b)],
        Value::Ints(list) => list.iter().map(|n| *n as u32).collect(),
        Value::Bools(list) => list.iter().map(|b| u32::from(*b)).collect(),
    }
}

/// Compares everything shown at a position with the memory of a machine that was run to that step.
fn check(trace: &Trace, memory: &[u32], at: Position) {
    let state = trace.state(at);
    let step = trace.step(at).unwrap();
    assert_eq!(state.words, memory, "step {at}");
    assert_eq!(usize::from(step.sp), memory.len());
    let frames = trace.frames(&state);
    assert_eq!(frames.len(), usize::from(step.depth) + 1);
    let mut top = memory.len();
    for frame in &frames {
        let call = trace.call(frame.call).unwrap();
        assert!(call.start <= at && !call.ends_by(at));
        let fp = usize::from(trace.step(call.start).unwrap().fp);
        // The operands exactly fill the memory from the frame's end to its top.
        for operand in &frame.operands {
            let words = words(&operand.value);
            if operand.ty.is_list() {
                top -= 1;
                assert_eq!(memory[top] as usize, words.len(), "step {at}");
            }
            top -= words.len();
            assert_eq!(memory[top..][..words.len()], words, "step {at}");
            assert!(operand.pushed_by < at);
        }
        let function = frame.function.unwrap();
        let routine = trace.compiled.executable.routine(function).unwrap();
        assert_eq!(top, fp + routine.frame() as usize, "step {at}: operands of {function}");
        for (variable, value, setting) in &frame.variables {
            let place = fp + variable.slot.position();
            match (setting, value) {
                (Setting::Never, value) => assert!(value.is_none()),
                (_, Some(value)) => {
                    let words = words(value);
                    let from = place + usize::from(variable.ty.is_list());
                    assert_eq!(memory[from..][..words.len()], words, "step {at}: {}", variable.name);
                }
                (setting, None) => panic!("step {at}: {} is {setting:?} without a value", variable.name),
            }
            if let Setting::At(step) = setting {
                assert!(*step < at);
            }
        }
        top = fp;
    }
    assert_eq!(top, 0, "step {at}");
}

/// Walks over a run; returns the number of commands.
fn walk(trace: &Trace, frame: &[u32], rng: &mut Rng) -> u64 {
    if trace.is_empty() {
        return 0;
    }
    let mut machine = Machine::default();
    machine.load(&trace.compiled.executable);
    let mut at = Position::default();
    for _ in 0..EACH {
        at = command(trace, rng, at);
        check(trace, &oracle(&mut machine, trace, frame, at), at);
        told(trace, trace.call_at(at));
    }
    EACH
}

/// Checks that a call's result is the value on top at its last step.
fn told(trace: &Trace, id: CallId) {
    let call = trace.call(id).unwrap();
    let (arguments, result) = trace.arguments_and_result(id);
    let routine = trace.compiled.executable.routine(call.function).unwrap();
    assert_eq!(arguments.len(), routine.params() as usize);
    // A run whose input is discarded has no result.
    assert_eq!(result.is_some(), call.end.is_some() && !(call.parent.is_none() && trace.is_discarded()));
    assert!(call.size > 0 && u64::from(id.number()) + u64::from(call.size) <= trace.calls().len() as u64);
}

#[test]
fn random_program_walks_match_the_machine_state() {
    let mut rng = Rng::new(7);
    let mut done = 0;
    for seed in 0.. {
        if done >= commands() {
            break;
        }
        let Some(program) = compiled(&typed::program(seed)) else { continue };
        for entry in program.entries().iter().take(3) {
            if let Some((trace, frame)) = recorded(&program, entry, InputId::at(rng.below(3))) {
                done += walk(&trace, &frame, &mut rng);
            }
        }
    }
}

#[test]
fn hostile_program_walks_match_the_machine_state() {
    let mut rng = Rng::new(11);
    for (_, text) in programs::hostile() {
        let Some(program) = compiled(&text) else { continue };
        for entry in program.entries().iter().take(2) {
            if let Some((trace, frame)) = recorded(&program, entry, InputId::FIRST) {
                walk(&trace, &frame, &mut rng);
            }
        }
    }
}

#[test]
fn sample_walks_match_the_machine_state() {
    let mut rng = Rng::new(13);
    for (_, text) in crate::common::cases::programs(&["samples"]) {
        let Some(program) = compiled(&text) else { continue };
        for entry in program.entries() {
            if let Some((trace, frame)) = recorded(&program, entry, InputId::FIRST) {
                walk(&trace, &frame, &mut rng);
            }
        }
    }
}

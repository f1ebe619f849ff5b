//! Provenance of values: the instruction reported as the producer of a value did produce it.

use super::{compiled, recorded};
use crate::common::extent::scaled;
use crate::common::typed;
use myriad::compiler::stage::execute::Machine;
use myriad::lang::index::{Index, Indices, InputId, Position};
use myriad::lang::opcode::Op;
use myriad::testing::trace::Trace;

/// Returns the words of the operands that an instruction takes, the topmost first, from memory.
fn operands(trace: &Trace, memory: &[u32], at: Position) -> Vec<Vec<u32>> {
    let places = trace.top_places(at, trace.takes(at));
    let words =
        |start: u32, end: u32, list: bool| memory[start as usize..end as usize - usize::from(list)].to_vec();
    places.into_iter().map(|place| words(place.start, place.end, place.list)).collect()
}

/// Checks all operands of one step; returns their number.
fn check(trace: &Trace, machine: &mut Machine, frame: &[u32], at: Position) -> u64 {
    let memory = super::oracle(machine, trace, frame, at);
    let taken = operands(trace, &memory, at);
    assert_eq!(taken.len(), trace.takes(at), "step {at}: {:?}", trace.instruction(at));
    let mut checked = 0;
    for (number, words) in (0..).zip(&taken) {
        let Some(source) = trace.maker_of_operand(at, number) else { continue };
        assert!(source.step < at);
        let (instruction, _) = trace.instruction(source.step).unwrap();
        if let Some(operand) = source.operand {
            // The value was passed on: it is an operand of that step, or a part of one if an element was read.
            let there = super::oracle(machine, trace, frame, source.step);
            let given = &operands(trace, &there, source.step)[operand as usize];
            // Of a stored list, the length or an element may have been read, and elements may have been stored
            // since.
            let part = words.iter().all(|w| given.contains(w) || *w == given.len() as u32);
            let fits = given == words || part || given.len() == words.len() && given.len() > 1;
            assert!(fits, "step {at}: {source:?} {given:?} {words:?}");
        } else if !matches!(instruction.op, Op::ForRange | Op::ForList) {
            // The value was produced: the memory after the step ends with it.
            let there = super::oracle(machine, trace, frame, source.step.next());
            let list = instruction.op.effect().left_lists != 0;
            let end = there.len() - usize::from(list);
            if words.len() <= end {
                assert_eq!(there[end - words.len()..end], words[..], "step {at}: {source:?}");
            }
        }
        checked += 1;
    }
    checked
}

#[test]
fn operand_provenance_names_the_producing_instruction() {
    let mut checked = 0;
    for seed in 0..scaled(60) {
        let Some(program) = compiled(&typed::program(seed)) else { continue };
        for entry in program.entries().iter().take(3) {
            let Some((trace, frame)) = recorded(&program, entry, InputId::FIRST) else { continue };
            let mut machine = Machine::default();
            machine.load(&program.executable);
            let stride = 1 + trace.len() / 60;
            for at in Indices::first(trace.len()).iter().step_by(stride as usize) {
                checked += check(&trace, &mut machine, &frame, at);
            }
        }
    }
    assert!(checked > scaled(1_000), "{checked} operands");
}

//! The machine on handwritten bytecode: cases that compiled programs seldom reach.

use myriad::compiler::program::{Bytecode, Executable, Routines};
use myriad::compiler::stage::execute::{Machine, Record};
use myriad::lang::index::{Address, Index, RoutineId};
use myriad::lang::opcode::{Op, word};
use myriad::lang::trap::Trap;

/// Builds a program from words and routines (address, frame, params, caps of the first four).
fn program(words: &[u32], rows: &[(u32, u32, u32, u32)]) -> (Bytecode, Routines) {
    let code = Bytecode { word: words.to_vec(), token: vec![0; words.len()] };
    let mut routines = Routines::default();
    routines.reset(rows.len(), 0);
    for (i, (address, frame, params, caps)) in rows.iter().enumerate() {
        routines.address[i] = *address;
        routines.frame[i] = *frame;
        routines.params[i] = *params;
        routines.caps0[i] = *caps;
    }
    (code, routines)
}

fn run(words: &[u32], rows: &[(u32, u32, u32, u32)], fuel: u32) -> (Record, Vec<u32>) {
    let (code, routines) = program(words, rows);
    let program = &Executable { code, routines };
    let mut machine = Machine::default();
    machine.load(program);
    let record = machine.run(program, RoutineId::new(0), fuel, 0);
    (record, machine.operands().to_vec())
}

fn value(words: &[u32]) -> u32 {
    let (record, _) = run(words, &[(0, 16, 0, 0)], 1_000);
    assert_eq!(record.trap, Trap::None);
    assert_eq!(record.address, None);
    record.value
}

fn constant(n: i32) -> u32 {
    word(Op::LoadConst, n as u32 & 0xff_ffff)
}

#[test]
fn fuel_counts_every_instruction() {
    let words = [word(Op::Jump, 0)];
    let (record, _) = run(&words, &[(0, 0, 0, 0)], 1_000_000);
    assert_eq!(
        (record.trap, record.steps, record.address),
        (Trap::StepLimit, 1_000_000, Some(Address::new(0)))
    );
    let words = [constant(1), word(Op::Return, 0)];
    assert_eq!(run(&words, &[(0, 0, 0, 0)], 2).0.trap, Trap::None);
    let (record, _) = run(&words, &[(0, 0, 0, 0)], 1);
    assert_eq!((record.trap, record.steps, record.address), (Trap::StepLimit, 1, Some(Address::new(1))));
}

#[test]
fn list_arguments_move_into_their_frame_slots() {
    // f(a: [int; 4], b: int, c: [int; 3]) is called with ([1, 2], 7, [5]) and joins a, [b] and c.
    let words = [
        constant(1),
        constant(2),
        word(Op::BuildList, 2),
        constant(7),
        constant(5),
        word(Op::BuildList, 1),
        word(Op::Call, 1),
        word(Op::ReturnList, 8),
        word(Op::LoadList, 0),
        word(Op::LoadVar, 5),
        word(Op::BuildList, 1),
        word(Op::JoinList, 0),
        word(Op::LoadList, 6),
        word(Op::JoinList, 0),
        word(Op::ReturnList, 8),
    ];
    let rows = [(0, 0, 0, 0), (8, 10, 3, 4 | 3 << 16)];
    let (code, routines) = program(&words, &rows);
    let program = &Executable { code, routines };
    let mut machine = Machine::default();
    machine.load(program);
    let record = machine.run(program, RoutineId::new(0), 100, 0);
    assert_eq!((record.trap, record.value), (Trap::None, 4));
    assert_eq!(machine.frame()[..4], [1, 2, 7, 5]);
}

#[test]
fn a_hole_ends_the_run_at_its_place() {
    // In a called function, in the form with registers and on the stack machine alike: a list is on the stack here.
    for before in [vec![], vec![constant(7), word(Op::BuildList, 1)]] {
        let n = before.len() as u32;
        let mut words = before;
        words.extend([word(Op::Call, 1), word(Op::Return, 0), constant(3), word(Op::StoreVar, 0)]);
        words.extend([word(Op::Hole, 0), word(Op::Jump, n + 2)]);
        let (record, _) = run(&words, &[(0, 0, 0, 0), (n + 2, 1, 0, 0)], 1_000);
        assert_eq!((record.trap, record.steps, record.address), (Trap::Hole, n + 4, Some(Address::new(n + 4))));
        assert_eq!(run(&words, &[(0, 0, 0, 0), (n + 2, 1, 0, 0)], n + 3).0.trap, Trap::StepLimit);
    }
}

#[test]
fn calls_check_depth_then_capacity_then_memory() {
    // A list of five for a parameter of four; the frame would not fit either.
    let mut words: Vec<u32> = (0..5).map(constant).collect();
    words.extend([word(Op::BuildList, 5), word(Op::Call, 1), word(Op::Return, 0)]);
    let rows = [(0, 0, 0, 0), (0, 5_000, 1, 4)];
    assert_eq!(run(&words, &rows, 100).0.trap, Trap::CapacityExceeded);
    // Endless recursion ends at the 129th call; with frames of 100 words, memory runs out before that.
    let words = [word(Op::Call, 0), word(Op::Return, 0)];
    let (record, _) = run(&words, &[(0, 1, 0, 0)], 1_000);
    assert_eq!(
        (record.trap, record.steps, record.address),
        (Trap::RecursionTooDeep, 129, Some(Address::new(0)))
    );
    let (record, _) = run(&words, &[(0, 100, 0, 0)], 1_000);
    assert_eq!((record.trap, record.steps), (Trap::OutOfMemory, 40));
    let (record, _) = run(&words, &[(0, 4_097, 0, 0)], 1_000);
    assert_eq!((record.trap, record.steps), (Trap::OutOfMemory, 0));
}

#[test]
fn memory_ends_at_the_last_word() {
    let words = [constant(0), word(Op::Jump, 0)];
    let (record, _) = run(&words, &[(0, 0, 0, 0)], 100_000);
    assert_eq!(
        (record.trap, record.address, record.steps),
        (Trap::OutOfMemory, Some(Address::new(0)), 2 * 4_096 + 1)
    );
    let fits = [constant(3), word(Op::RepeatList, 5), word(Op::ListLen, 0), word(Op::Return, 0)];
    assert_eq!(run(&fits, &[(0, 4_090, 0, 0)], 100).0.value, 5);
    assert_eq!(run(&fits, &[(0, 4_091, 0, 0)], 100).0.trap, Trap::OutOfMemory);
}

#[test]
fn slice_out_of_bounds_traps() {
    let cut = |from, to| {
        let mut words: Vec<u32> = [10, 11, 12].into_iter().map(constant).collect();
        words.extend([
            word(Op::BuildList, 3),
            constant(from),
            constant(to),
            word(Op::Slice, 0),
            word(Op::ReturnList, 16),
        ]);
        run(&words, &[(0, 0, 0, 0)], 100).0
    };
    assert_eq!(cut(0, 3).value, 3);
    assert_eq!(cut(3, 3).value, 0);
    for (from, to) in [(2, 1), (-1, 2), (0, 4), (4, 4)] {
        assert_eq!(cut(from, to).trap, Trap::IndexOutOfBounds);
    }
}

#[test]
fn inclusive_range_ends_at_the_largest_int() {
    // Counts the iterations of MAX - 2 ..= MAX.
    let words = [
        word(Op::LoadConstWide, 0),
        i32::MAX as u32 - 2,
        word(Op::LoadConstWide, 0),
        i32::MAX as u32,
        word(Op::RangeIterInclusive, 1),
        word(Op::ForRange, 1),
        12,
        word(Op::LoadVar, 0),
        constant(1),
        word(Op::Add, 0),
        word(Op::StoreVar, 0),
        word(Op::Jump, 5),
        word(Op::LoadVar, 0),
        word(Op::Return, 0),
    ];
    assert_eq!(value(&words), 3);
}

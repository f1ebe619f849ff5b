//! Tests of the corpus: programs compile, differ, and mostly run; rewriting does not change results.

mod lists;
mod rarity;

use std::collections::HashMap;

use super::tree::Ty;
use super::*;
use crate::compiler::stage::Compiler;
use crate::compiler::stage::execute::Machine;
use crate::lang::index::{Index, RoutineId};
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;

/// At most two of a hundred programs are rejected.
#[test]
fn nearly_all_programs_compile() {
    let mut compiler = Compiler::default();
    for level in [Level::Simple, Level::Medium, Level::Full] {
        let mut rejected = HashMap::<u32, Vec<String>>::new();
        for index in 0..300 {
            let Generated { source, .. } = generate(1, index, level);
            compiler.compile(&source);
            if !compiler.compiles() {
                let code = compiler.checked.error.iter().copied().find(|e| *e != 0).unwrap_or(0);
                rejected.entry(code).or_default().push(source);
            }
        }
        let count: usize = rejected.values().map(Vec::len).sum();
        assert!(count <= 6, "{level:?}: {count} rejected, such as {:?}", rejected.values().next());
    }
}

#[test]
fn seed_and_index_determine_a_program() {
    for index in 0..100 {
        assert_eq!(generate(5, index, Level::Full), generate(5, index, Level::Full));
    }
    let differ = (0..100).filter(|i| generate(5, *i, Level::Full) != generate(6, *i, Level::Full)).count();
    assert!(differ > 95, "{differ} of 100 differ between seeds");
}

/// Every instruction occurs in the code of the functions to be learned; lists and loops occur often.
#[test]
fn every_instruction_occurs() {
    let mut compiler = Compiler::default();
    let mut seen = HashMap::<Op, u32>::new();
    for index in 0..3_000 {
        let Generated { source, function } = generate(4, index, Level::Full);
        compiler.compile(&source);
        if compiler.compiles() {
            let addresses = &compiler.back.executable.routines.address;
            let lo = addresses[function] as usize;
            let hi =
                addresses.get(function + 1).map_or(compiler.back.executable.code.word.len(), |hi| *hi as usize);
            let code = &compiler.back.executable.code.word[lo..hi];
            let mut at = 0;
            while let Some(op) = code.get(at).and_then(|word| Op::from_u32(word & 0xff)) {
                *seen.entry(op).or_default() += 1;
                at += op.shape().words() as usize;
            }
        }
    }
    // Those of version 1 of the instruction set, which the networks know.
    let all = (0..=Op::ReturnList as u32).filter_map(Op::from_u32);
    let missing: Vec<Op> = all.filter(|op| *op != Op::Nop && !seen.contains_key(op)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for often in
        [Op::ForRange, Op::ForList, Op::JoinList, Op::LoadIndexVar, Op::StoreIndex, Op::Call, Op::ReturnList]
    {
        assert!(seen[&often] > 100, "{often:?}: {}", seen[&often]);
    }
}

/// Most functions run without a trap on most inputs, and most results depend on the input.
#[test]
fn most_functions_run() {
    let (mut compiler, mut machine) = (Compiler::default(), Machine::default());
    let (mut functions, mut running, mut constant) = (0, 0, 0);
    for index in 0..500 {
        let Generated { source, function } = generate(6, index, Level::Full);
        compiler.compile(&source);
        let Some(program) = read::program(&source).filter(|_| compiler.compiles()) else { continue };
        let params: Vec<Ty> = program.functions[function].params.iter().map(|(_, ty)| ty.ty).collect();
        let all: Vec<_> = (0..16)
            .map(|seed| outcome(&compiler, &mut machine, RoutineId::at(function), &params, seed))
            .collect();
        functions += 1;
        running += usize::from(all.iter().filter(|o| o.0 == Trap::None).count() >= 8);
        constant += usize::from(all.iter().all(|o| *o == all[0]));
    }
    assert!(running * 20 > functions * 18, "{running} of {functions} run");
    assert!(constant * 10 < functions * 3, "{constant} of {functions} do not depend on their input");
}

/// Rewritten functions return the same values or traps on inputs of all kinds.
#[test]
fn rewriting_changes_no_result() {
    let (mut before, mut after, mut machine) = (Compiler::default(), Compiler::default(), Machine::default());
    let (mut rewritten, mut agreed) = (0, 0);
    for index in 0..1_600 {
        let Generated { source, function } = generate(2, index, Level::Full);
        let mut rng = Rng::new(3, index);
        let Some(other) = augment(&source, function, &mut rng) else { continue };
        before.compile(&source);
        after.compile(&other);
        if !before.compiles() {
            continue;
        }
        assert!(after.compiles(), "{source}\nbecame, in error,\n{other}");
        rewritten += 1;
        let params: Vec<Ty> =
            read::program(&source).unwrap().functions[function].params.iter().map(|(_, ty)| ty.ty).collect();
        for seed in 0..12 {
            let a = outcome(&before, &mut machine, RoutineId::at(function), &params, seed);
            let b = outcome(&after, &mut machine, RoutineId::at(function), &params, seed);
            if counts_resources(a.0) || counts_resources(b.0) {
                continue;
            }
            assert_eq!(a, b, "{source}\nbecame\n{other}");
            agreed += 1;
        }
    }
    assert!(rewritten > 1_000 && agreed > 10_000, "{rewritten} rewritten, {agreed} inputs compared");
}

fn counts_resources(trap: Trap) -> bool {
    matches!(trap, Trap::StepLimit | Trap::OutOfMemory | Trap::RecursionTooDeep)
}

/// Returns a function's trap, value and elements on an input that `seed` determines.
fn outcome(
    compiler: &Compiler,
    machine: &mut Machine,
    function: RoutineId,
    params: &[Ty],
    seed: u64,
) -> (Trap, u32, Vec<u32>) {
    let routines = &compiler.back.executable.routines;
    let program = &compiler.back.executable;
    machine.load(program);
    let f = function.position();
    let capacities = [routines.caps0[f], routines.caps1[f], routines.caps2[f], routines.caps3[f]];
    let capacities: Vec<usize> = capacities.iter().flat_map(|c| c.to_le_bytes()).map(usize::from).collect();
    let mut rng = Rng::new(9, seed);
    let (mut at, frame) = (0, machine.frame());
    for (ty, capacity) in params.iter().zip(capacities) {
        let mut value =
            || (if ty.element() == Ty::Bool { rng.within(0, 1) } else { rng.within(-9, 30) }) as u32;
        if ty.is_list() {
            let length = value() as usize % (capacity.min(7) + 1);
            frame[at] = length as u32;
            frame[at + 1..=at + length].fill_with(value);
        } else {
            frame[at] = value();
        }
        at += 1 + capacity;
    }
    let record = machine.run(program, function, 50_000, 1);
    let list = Type(routines.result[f]).is_list() && record.trap == Trap::None;
    let elements = if list { machine.frame()[..record.value as usize].to_vec() } else { vec![] };
    (record.trap, record.value, elements)
}

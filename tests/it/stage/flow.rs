//! The control-flow graph, dominators and loops of programs at every level, compared with their definitions.

use crate::common::extent::{one_in, scaled};
use crate::common::{called, twins, typed};
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{Domain, Machine};
use myriad::compiler::stage::flow::{self, Access, Flow, access};
use myriad::compiler::stage::lower::{falls_through, target};
use myriad::compiler::stage::{Stage, optimize};
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::lang::opcode::Op;
use myriad::lang::trap::Trap;
use myriad::lang::{NONE, limits};
use std::collections::BTreeSet;

/// Compiles a text at a level and analyses its code.
fn flow_of(level: OptLevel, text: &str) -> (Compiled, Flow) {
    let compiled = twins::compile_at(level, text, Stage::Emit);
    let mut flow = Flow::default();
    flow::run(&compiled.ir, &compiled.executable.routines, &mut flow, &mut flow::FlowScratch::default());
    (compiled, flow)
}

/// Calls `check` with the facts of samples, cases and random programs at each level.
fn each(check: impl Fn(&Compiled, &Flow)) {
    let random = (0..scaled(40)).flat_map(|seed| [typed::program(seed), called::program(seed)]);
    for text in one_in(2, twins::files()).into_iter().chain(random) {
        for level in OptLevel::FIXED {
            let (compiled, flow) = flow_of(level, &text);
            check(&compiled, &flow);
        }
    }
}

/// The blocks that `from` reaches without passing `avoided`.
fn reach(from: usize, avoided: usize, next: &dyn Fn(usize) -> Vec<usize>) -> BTreeSet<usize> {
    let (mut met, mut pending) = (BTreeSet::new(), vec![from]);
    while let Some(block) = pending.pop() {
        if block != avoided && met.insert(block) {
            pending.extend(next(block));
        }
    }
    met
}

const NOTHING: usize = usize::MAX;

#[test]
fn blocks_partition_the_code_and_edges_are_its_jumps() {
    each(|compiled, flow| {
        let (ir, blocks) = (&compiled.ir, &flow.blocks);
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for block in 0..blocks.len() {
            let code = blocks.instructions(block);
            assert!(code.clone().all(|i| ir.block[i] as usize == block) && !code.is_empty());
            let last = code.end - 1;
            let to = target(ir, last).map_or(NONE, |to| ir.block[to.position()]);
            let next = if falls_through(ir.op[last]) { block as u32 + 1 } else { NONE };
            assert_eq!((blocks.next[block], blocks.target[block]), (next, to));
            edges.extend([next, to].iter().filter(|to| **to != NONE).map(|to| (*to, block as u32)));
        }
        edges.sort_unstable();
        let found =
            (0..blocks.len()).flat_map(|to| flow.predecessors(to).map(move |from| (to as u32, from as u32)));
        assert_eq!(found.collect::<Vec<_>>(), edges);
        let spans: usize = (0..flow.spans.block.len()).map(|routine| flow.spans.blocks(routine).len()).sum();
        assert_eq!(spans, blocks.len());
    });
}

#[test]
fn a_dominator_is_on_every_path_from_the_entry() {
    each(|_, flow| {
        let next = |block| flow.blocks.successors(block).collect();
        for routine in 0..flow.spans.block.len() {
            let blocks = flow.spans.blocks(routine);
            let all = reach(blocks.start, NOTHING, &next);
            for block in blocks.clone() {
                assert_eq!(flow.blocks.reached[block] == 1, all.contains(&block));
            }
            for &a in &all {
                let without = reach(blocks.start, a, &next);
                for &b in &all {
                    assert_eq!(flow.blocks.dominates(a, b), !without.contains(&b), "{a}, {b}");
                }
            }
        }
    });
}

#[test]
fn a_loop_is_what_reaches_an_edge_to_its_head_without_the_head() {
    each(|_, flow| {
        let blocks = &flow.blocks;
        let reached = |block: &usize| blocks.reached[*block] == 1;
        let before = |block| flow.predecessors(block).filter(reached).collect();
        let mut loops: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        for head in (0..blocks.len()).filter(reached) {
            let back = flow.predecessors(head).filter(reached).filter(|from| blocks.dominates(head, *from));
            let mut body: BTreeSet<usize> = back.flat_map(|from| reach(from, head, &before)).collect();
            let closes = !body.is_empty() || blocks.successors(head).any(|to| to == head);
            if closes {
                body.insert(head);
                loops.push((head, body));
            }
        }
        for block in 0..blocks.len() {
            let around = loops.iter().filter(|(_, body)| body.contains(&block));
            assert_eq!(blocks.depth[block] as usize, around.clone().count());
            let innermost = around.min_by_key(|(_, body)| body.len()).map_or(NONE, |(head, _)| *head as u32);
            assert_eq!(blocks.head[block], innermost, "{block}");
        }
    });
}

#[test]
fn variables_are_named_by_slots_in_order() {
    let text = "fn f(xs: [int; 3], n: int) -> int {
            let sum = 0;
            for x in xs { sum += x * n; }
            return sum;
        }
        test f([1, 2], 3) == 9;";
    let (_, flow) = flow_of(OptLevel::Lowered, text);
    // The list has four words. The counter and the copy of the list after `x` are not variables.
    assert_eq!(flow.variables.slot, [0, 4, 5, 6]);
    assert_eq!(flow.spans.variables, [4, 0]);
    assert_eq!((flow.spans.variable[1], flow.variables.routine.len()), (4, 4));
    each(|compiled, flow| {
        for (i, &variable) in flow.accesses.variable.iter().enumerate().filter(|(_, v)| **v != NONE) {
            let routine = flow.blocks.routine[compiled.ir.block[i] as usize] as usize;
            let row = flow.spans.variables(routine).start + variable as usize;
            assert!(flow.spans.variables(routine).contains(&row));
            assert_eq!(flow.variables.slot[row], compiled.ir.arg[i]);
        }
    });
}

#[test]
fn a_variable_is_live_where_a_path_reads_it_before_a_store() {
    each(|compiled, flow| {
        let ir = &compiled.ir;
        // Whether the block reads the variable first, or stores it first.
        let effect = |block: usize, variable: usize| {
            let names =
                flow.blocks.instructions(block).filter(|i| flow.accesses.variable[*i] as usize == variable);
            names.map(|i| access(ir.op[i])).find(|access| *access != Access::Names)
        };
        for block in (0..flow.blocks.len()).filter(|block| flow.blocks.reached[*block] == 1) {
            let bit = |column: &[u32], variable: usize| {
                column[flow.facts(block)][variable / 32] >> (variable % 32) & 1 == 1
            };
            for variable in 0..flow.spans.variables[flow.blocks.routine[block] as usize] as usize {
                let past = |from: usize| match effect(from, variable) {
                    None => flow.blocks.successors(from).collect(),
                    Some(_) => Vec::new(),
                };
                let read = |from| {
                    reach(from, NOTHING, &past).iter().any(|b| effect(*b, variable) == Some(Access::Reads))
                };
                assert_eq!(bit(&flow.live.entry, variable), read(block), "{block}, {variable}");
                assert_eq!(bit(&flow.live.exit, variable), flow.blocks.successors(block).any(read));
            }
        }
    });
}

#[test]
fn nothing_is_live_at_entries_but_parameters() {
    each(|compiled, flow| {
        for (routine, &block) in flow.spans.block.iter().enumerate() {
            let words: u32 = (0..compiled.executable.routines.params[routine])
                .map(|j| 1 + compiled.executable.routines.capacity(routine, j))
                .sum();
            for (row, variable) in flow.spans.variables(routine).enumerate() {
                let live = flow.live.entry[flow.facts(block as usize)][row / 32] >> (row % 32) & 1 == 1;
                assert!(!live || flow.variables.slot[variable] < words);
            }
        }
    });
}

#[test]
fn operands_agree_on_all_edges() {
    each(|compiled, flow| {
        let of = |block: usize| (flow.blocks.words[block], flow.blocks.lists[block]);
        for block in (0..flow.blocks.len()).filter(|block| flow.blocks.reached[*block] == 1) {
            let last = Op::from_u32(compiled.ir.op[flow.blocks.instructions(block).end - 1]).unwrap();
            let keeps = last.condition().is_some_and(|(_, keeps)| keeps);
            let [next, target] = [flow.blocks.next[block], flow.blocks.target[block]].map(|to| to as usize);
            if last.condition().is_some() {
                let (words, lists) = of(next);
                assert_eq!(of(target), (words + u32::from(keeps), lists));
            }
            // A routine begins with an empty stack.
            assert!(flow.spans.block.iter().all(|entry| of(*entry as usize) == (0, 0)));
        }
    });
}

#[test]
fn a_routine_is_recursive_if_calls_lead_back_to_it() {
    each(|compiled, flow| {
        let ir = &compiled.ir;
        let callees = |routine: usize| -> Vec<usize> {
            let blocks = flow.spans.blocks(routine).filter(|block| flow.blocks.reached[*block] == 1);
            let code = blocks.flat_map(|block| flow.blocks.instructions(block));
            code.filter(|i| ir.op[*i] == Op::Call as u32).map(|i| ir.arg[i] as usize).collect()
        };
        let back = |routine| callees(routine).iter().any(|g| reach(*g, NOTHING, &callees).contains(&routine));
        for routine in 0..flow.spans.block.len() {
            assert_eq!(flow.calls.recursive[routine] == 1, back(routine));
            let without_bound = reach(routine, NOTHING, &callees).into_iter().any(back);
            assert_eq!(flow.calls.depth[routine] == NONE, without_bound);
            assert_eq!(flow.calls.words[routine] == NONE, without_bound);
        }
    });
}

#[test]
fn runs_keep_to_what_their_calls_may_do() {
    let mut machine = Machine::default();
    let (mut safe, mut trapped) = (0, 0);
    for seed in 0..scaled(400) {
        for (text, level) in
            [typed::program(seed), called::program(seed)].iter().zip(OptLevel::FIXED.into_iter().rev())
        {
            let (c, flow) = flow_of(level, text);
            machine.load(&c.executable);
            for row in c.functions().len()..c.executable.routines.ir.len() as u32 {
                let routine = RoutineId::new(row);
                let domain = Domain::new(&c.executable.routines, &c.binders, routine, limits::SAMPLES);
                for input in domain.inputs().iter().take(20) {
                    let trap = domain.run(&mut machine, &c.executable, input, 100_000).trap;
                    let row = row as usize;
                    let allowed = match trap {
                        Trap::None | Trap::StepLimit => true,
                        Trap::RecursionTooDeep => flow.calls.depth[row] >= limits::CALL_DEPTH,
                        Trap::OutOfMemory => flow.calls.words[row] > limits::STACK_WORDS,
                        _ => flow.calls.traps[row] == 1,
                    };
                    assert!(allowed, "{trap:?}, seed {seed}, routine {row}\n{text}");
                    safe += u32::from(flow.calls.traps[row] == 0);
                    trapped += u32::from(trap != Trap::None);
                }
            }
        }
    }
    assert!(safe > 0 && trapped > 0, "{safe} runs cannot trap, {trapped} did");
}

#[test]
fn code_between_passes_has_a_flow() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/life.myr")).unwrap();
    let c = twins::compile_at(OptLevel::Whole, &text, Stage::Emit);
    let (mut flow, mut scratch) = (Flow::default(), flow::FlowScratch::default());
    for snapshot in optimize::snapshots(&c) {
        flow::run(&snapshot.ir, &snapshot.routines, &mut flow, &mut scratch);
        assert_eq!(flow.blocks.len(), *snapshot.ir.block.last().unwrap() as usize + 1, "{}", snapshot.name);
        let entries = flow.spans.block.iter().map(|block| flow.blocks.reached[*block as usize]);
        assert!(entries.into_iter().all(|reached| reached == 1));
    }
}

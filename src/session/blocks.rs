//! The control-flow graph of the optimized code with its facts, and how often each test executes each block, while
//! the CFG, Ladder or Calls panel is open.

use std::sync::Arc;

use super::task::{Step, Task};
use crate::compiler::program::{Compiled, Executable, Instructions, Watch};
use crate::compiler::stage::execute::{Domain, Machine, RunObserver, Start, StepState, domains, holds};
use crate::compiler::stage::flow::{self, Flow};
use crate::compiler::stage::optimize::lowered_routines;
use crate::engine::EngineError;
use crate::lang::index::RoutineId;
use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::report::calls::{self, CallRow, TreeRow};
use crate::report::cfg::{self, RoutineRow};
use crate::report::facts::{self, FactRow};

/// The graph of a program.
#[derive(Debug, Default)]
pub struct Graph {
    /// In the order of the code.
    pub routines: Vec<RoutineRow>,
    pub facts: Vec<FactRow>,
    /// The call graph, with the effects of the code as lowered, and the same as a tree.
    pub calls: Vec<CallRow>,
    pub tree: Vec<TreeRow>,
}

/// The graph of a program, and the executions of its blocks.
#[derive(Clone, Debug, Default)]
pub struct BlockProfile {
    pub graph: Arc<Graph>,
    /// For each test or property that has run, in order: how often it executes each block, over all its inputs up to
    /// one that fails.
    pub counts: Vec<Vec<u64>>,
}

impl Graph {
    /// Analyses a program's optimized code, and its calls.
    pub fn of(program: &Compiled) -> Graph {
        let (ir, routines) = (&program.ir, &program.executable.routines);
        let mut flow = Flow::default();
        flow::run(ir, routines, &mut flow, &mut flow::FlowScratch::default());
        let mut facts = facts::rows(program, ir, routines, &flow);
        facts.sort_by_key(|row| row.block);
        let routines = cfg::rows(program, ir, &flow);
        flow::run(&program.lowered, &lowered_routines(program), &mut flow, &mut flow::FlowScratch::default());
        let calls = calls::rows(program, &flow);
        Graph { routines, facts, tree: calls::tree(&calls), calls }
    }
}

/// Analyses the program and runs its tests. Reports a [`BlockProfile`] after each.
pub fn serve(task: &Task) -> Result<Step, EngineError> {
    let program = &task.judged.shown.compiled;
    let mut profile = BlockProfile { graph: Arc::new(Graph::of(program)), counts: Vec::new() };
    task.found(profile.clone());
    let mut machine = Machine::default();
    machine.load(&program.executable);
    let domains = domains(&program.facts, &program.executable.routines, &program.binders, limits::SAMPLES);
    let blocks = profile.graph.facts.len();
    for (entry, domain) in program.entries().iter().zip(&domains) {
        let routine = program.facts.entry(entry);
        let steps = count(&mut machine, &program.executable, routine, domain, task);
        profile.counts.push(of_blocks(program, &steps, blocks));
        task.found(profile.clone());
        if task.cancelled() {
            return Err(EngineError::Cancelled);
        }
    }
    Ok(Step::Done)
}

/// Counts the steps at each address.
struct Counter(Vec<u64>);

impl RunObserver for Counter {
    const STEPS: bool = true;

    fn step(&mut self, state: StepState) {
        if let Some(count) = self.0.get_mut(state.pc) {
            *count += 1;
        }
    }
}

/// Runs an entry on its inputs up to one that fails, and returns the number of steps at each address.
fn count(
    machine: &mut Machine,
    executable: &Executable,
    routine: RoutineId,
    domain: &Domain,
    watch: &dyn Watch,
) -> Vec<u64> {
    let mut counter = Counter(vec![0; executable.code.word.len()]);
    for input in domain.inputs() {
        if watch.cancelled() {
            break;
        }
        domain.write(input, machine.frame());
        let start = Start { routine, fuel: limits::STEPS, depth: 0, origin: 0 };
        if !holds(&machine.run_before(executable, start, &mut counter)) {
            break;
        }
    }
    counter.0
}

/// Returns how often each block was executed: the steps of its first instruction. Empty if instructions of the two forms
/// do not correspond.
fn of_blocks(program: &Compiled, steps: &[u64], blocks: usize) -> Vec<u64> {
    let ir = &program.ir;
    let kept: Vec<usize> = (0..ir.op.len()).filter(|i| ir.op[*i] != Op::Nop as u32).collect();
    let addresses: Vec<usize> = Instructions::of(&program.executable.code.word).map(|own| own.at).collect();
    if kept.len() != addresses.len() {
        return Vec::new();
    }
    let mut counts = vec![0; blocks];
    // Blocks are in order, so the first instruction of each comes last here.
    for (i, at) in kept.into_iter().zip(addresses).rev() {
        if let Some(count) = counts.get_mut(ir.block[i] as usize) {
            *count = steps[at];
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::compile_at;
    use crate::lang::index::{EntryId, Index};
    use crate::lang::level::OptLevel;

    #[test]
    fn blocks_are_counted_at_every_level() {
        let text = "fn f(n: int) -> int {\n    let s = 0;\n    for i in 0..n { if i % 2 == 0 { s += i; } }\n    return s;\n}\n\
                    prop n in 5..6 => f(n) == 6;\n";
        for level in OptLevel::FIXED {
            let program = compile_at(level, text);
            let graph = Graph::of(&program);
            let mut machine = Machine::default();
            machine.load(&program.executable);
            let all = domains(&program.facts, &program.executable.routines, &program.binders, 1);
            let entry = program.facts.entry(EntryId::FIRST);
            let steps = count(&mut machine, &program.executable, entry, &all[0], &|| false);
            let counts = of_blocks(&program, &steps, graph.facts.len());
            assert_eq!(counts.len(), graph.facts.len(), "{level:?}");
            // The loop runs five times, and three numbers are even.
            let mut executed: Vec<u64> = counts.to_vec();
            executed.sort_unstable();
            assert!(executed.contains(&5) && executed.contains(&3), "{level:?}: {counts:?}");
            let sum: u64 = steps.iter().sum();
            let weighed: u64 = graph
                .routines
                .iter()
                .flat_map(|routine| &routine.blocks)
                .map(|block| counts[block.block as usize] * u64::from(block.end - block.first))
                .sum();
            assert_eq!(sum, weighed, "{level:?}: a block is executed as a whole");
        }
    }
}

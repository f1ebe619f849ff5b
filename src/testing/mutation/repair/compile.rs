//! Compiles a program with rewrites. Only the changed functions are compiled again, as parts.

use std::sync::Arc;

use super::rewrite::{Rewrite, apply};
use crate::compiler::program::{Compiled, Executable};
use crate::compiler::stage::chain::Compiler;
use crate::compiler::stage::execute::Machine;
use crate::compiler::stage::splice::{Segment, Splice};
use crate::lang::limits;
use crate::lang::mutation::Group;

/// A program to repair, and its functions as parts that can be compiled separately.
pub struct RepairBase {
    pub base: Arc<Compiled>,
    splice: Splice,
}

impl RepairBase {
    /// Prepares a program without errors.
    pub fn new(base: &Compiled) -> RepairBase {
        // The functions that edits of this group may call must be in the parts.
        let base = Arc::new(Compiled { group: Group::Repair, ..base.clone() });
        RepairBase { splice: Splice::new(&base), base }
    }
}

/// The buffers that a thread needs to judge.
#[derive(Default)]
pub struct JudgeBuffers {
    compiler: Compiler,
    /// The code of the changed functions.
    segments: Vec<Segment>,
    pub program: Executable,
    pub machine: Machine,
    /// The program's bytecode as one sequence, for hashing.
    pub sequence: Vec<u32>,
}

impl JudgeBuffers {
    /// Compiles a program with rewrites. Returns `None` if it has errors.
    pub fn compile(&mut self, ground: &RepairBase, rewrites: &[&Rewrite]) -> Option<&Executable> {
        let RepairBase { base, splice } = ground;
        let mut order: Vec<&Rewrite> = rewrites.to_vec();
        order.sort_by_key(|rewrite| rewrite.lo);
        if order.windows(2).any(|pair| pair[0].overlaps(pair[1])) {
            return None;
        }
        let growth: i64 = order.iter().map(|rewrite| rewrite.growth()).sum();
        if base.tokens.kind.len() as i64 + growth > limits::TOKENS as i64 {
            return None;
        }
        let function = |rewrite: &&Rewrite| splice.function_at(rewrite.lo);
        // A rewrite that copies tokens from outside its function cannot be compiled as a part.
        if !order.iter().all(|rewrite| rewrite.stays_in(splice.extent(function(rewrite)))) {
            return self.compile_whole(base, &order);
        }
        let mut count = 0;
        for own in order.chunk_by(|a, b| function(a) == function(b)) {
            let changed = function(&own[0]);
            if self.segments.len() == count {
                self.segments.push(Segment::default());
            }
            let (tokens, compiler) = (splice.tokens(changed), &mut self.compiler);
            let compiles = apply(tokens, own, splice.offset_in_part(changed), &mut compiler.tokens)
                && splice.compile_part(base, changed, compiler, &mut self.segments[count]);
            if !compiles {
                return None;
            }
            count += 1;
        }
        let segments: Vec<&Segment> = self.segments[..count].iter().collect();
        splice.assemble(base, &segments, &mut self.program);
        Some(&self.program)
    }

    /// Compiles the whole program with rewrites, which must be sorted by position.
    pub fn compile_whole(&mut self, base: &Compiled, order: &[&Rewrite]) -> Option<&Executable> {
        if !apply(&base.tokens, order, 0, &mut self.compiler.tokens) {
            return None;
        }
        self.compiler.mutant(&base.text, base.facts.names, base.level);
        if !self.compiler.compiles() {
            return None;
        }
        std::mem::swap(&mut self.program, &mut self.compiler.back.executable);
        Some(&self.program)
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::Collector;
    use super::*;
    use crate::compiler::stage::judge::sequence;
    use crate::compiler::stage::mutate::Plan;
    use crate::engine::Engine;
    use crate::engine::cpu::CpuEngine;
    use crate::lang::samples;

    /// Compiling the parts of a program must produce the same words as compiling the whole program.
    #[test]
    fn compiling_in_parts_matches_compiling_the_whole_program() {
        let (mut whole, mut bench) = (JudgeBuffers::default(), JudgeBuffers::default());
        let (mut compiled, mut tried) = (0, 0);
        for name in ["gcd.myr", "calendar.myr", "midpoint.myr", "roman.myr"] {
            let text = samples::named(name).expect("a sample").text;
            let base = CpuEngine::new().compile(&text.into(), &|| false).expect("no device").0;
            let ground = RepairBase::new(&base);
            let (children, mut plan) = (base.view().children(), Plan::default());
            plan.build(ground.base.view(), Group::Repair);
            let of = |function| {
                let head = base.executable.routine(function)?.head();
                let own = plan.of(base.view().extent(head));
                let edits = own.iter().filter_map(|number| Some((number, plan.edit(base.view(), number)?)));
                Some(Collector::new(&base, &children, function, 100_000)?.collect(edits))
            };
            let all: Vec<Rewrite> = base.functions().iter().filter_map(of).flatten().collect();
            for (i, first) in all.iter().enumerate().step_by(17) {
                // The rewrite alone, with one of the same function, and with one of another function.
                for other in [None, all.get(i + 40), all.get(all.len() - 1 - i)] {
                    let mut own: Vec<&Rewrite> = [first].into_iter().chain(other).collect();
                    own.sort_by_key(|rewrite| rewrite.lo);
                    if own.windows(2).any(|pair| pair[0].overlaps(pair[1])) {
                        continue;
                    }
                    let words = |program: Option<&Executable>| {
                        let mut words = Vec::new();
                        program.map(|program| {
                            sequence(program, &mut words);
                            words
                        })
                    };
                    let expected = words(whole.compile_whole(&base, &own));
                    assert_eq!(words(bench.compile(&ground, &own)), expected, "{own:?} of {name}");
                    compiled += usize::from(expected.is_some());
                    tried += 1;
                }
            }
        }
        assert!(compiled > 500 && compiled < tried, "{compiled} of {tried}");
    }
}

//! known: uses what data flow knows about a routine. Values that are known are loaded instead of computed, conditions that
//! ranges decide become constants, copies are read from where they come from, and stores that no load reads go.
//!
//! All facts are about the code as it was before the run, so a run may use them all at once. It adds no instruction.

mod stores;
mod values;

use std::ops::Range;

use super::Scratch;
use super::expressions::is_safe;
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::flow::{self, Code, Flow, ranges};
use crate::lang::NONE;
use crate::lang::opcode::{Class, Op};
use values::Values;

const NOP: u32 = Op::Nop as u32;
/// The most facts about values, and the most variables, of a routine that is examined.
const FACTS: usize = 1 << 16;
const VARIABLES: usize = 128;

/// Memory, kept between programs.
#[derive(Default)]
pub struct Known {
    flow: Flow,
    scratch: flow::FlowScratch,
}

/// Code that pushes a value, and the instruction that pushes it instead.
struct Replaced {
    span: Range<usize>,
    op: Op,
    arg: u32,
}

/// The rewrites of a run.
#[derive(Default)]
struct KnownFound {
    replaced: Vec<Replaced>,
    /// Loads from variables, with the slot of an equal one.
    renamed: Vec<(usize, u32)>,
    /// Instructions that go.
    dropped: Vec<usize>,
    /// Loads among them whose value stays on the stack.
    kept: Vec<usize>,
}

impl KnownFound {
    fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.renamed.is_empty() && self.dropped.is_empty()
    }

    /// Adds a replacement. Those of code inside of it, the last ones, go. It is left out if it is inside of the last one.
    fn replace(&mut self, span: Range<usize>, op: Op, arg: u32) {
        while self.replaced.last().is_some_and(|own| own.span.start >= span.start) {
            self.replaced.pop();
        }
        if self.replaced.last().is_none_or(|own| own.span.end <= span.start) {
            self.replaced.push(Replaced { span, op, arg });
        }
    }

    fn apply(&self, ir: &mut Ir) {
        // Code that is replaced may read a list that is renamed, so this comes first.
        for &(i, slot) in &self.renamed {
            ir.arg[i] = slot;
        }
        for Replaced { span, op, arg } in &self.replaced {
            let last = span.end - 1;
            ir.op[span.start..last].fill(NOP);
            (ir.op[last], ir.arg[last], ir.aux[last], ir.start[last]) = (*op as u32, *arg, 0, last as u32);
        }
        for &i in &self.dropped {
            ir.op[i] = NOP;
        }
        if !self.kept.is_empty() {
            let mut begins = vec![false; ir.op.len()];
            self.kept.iter().for_each(|i| begins[*i] = true);
            // The values that began at these loads begin with the stored values.
            for start in ir.start.iter_mut().filter(|start| begins.get(**start as usize) == Some(&true)) {
                *start = NONE;
            }
        }
    }
}

pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    let Known { flow, scratch: memory } = &mut scratch.known;
    flow::live(ir, routines, flow, memory);
    let mut all = KnownFound::default();
    for routine in 0..routines.ir.len() {
        if !std::mem::take(&mut scratch.unexamined[routine]) {
            continue;
        }
        let found = find(Code { ir, routines, flow }, routine);
        scratch.unexamined[routine] = !found.is_empty();
        scratch.changed[routine] |= !found.is_empty();
        all.replaced.extend(found.replaced);
        all.renamed.extend(found.renamed);
        all.dropped.extend(found.dropped);
        all.kept.extend(found.kept);
    }
    all.apply(ir);
    if !all.is_empty() {
        scratch.compact(ir, routines);
    }
    !all.is_empty()
}

impl Scratch {
    /// Removes dropped instructions: the rounds that follow do so only if they change something.
    fn compact(&mut self, ir: &mut Ir, routines: &mut Routines) {
        self.find_owners(ir, routines);
        self.clear_plan(ir.op.len());
        self.count_one(ir.op.len());
        for (count, op) in self.place.iter_mut().zip(&ir.op) {
            *count = u32::from(*op != NOP);
        }
        self.sum_counts();
        self.out.clear();
        self.copy(ir, 0..ir.op.len());
        self.finish(ir, routines);
    }
}

/// Finds the rewrites of a routine, by the first analysis that finds any: loads decide which stores serve, and ranges take
/// the longest.
fn find(code: Code, routine: usize) -> KnownFound {
    let mut found = KnownFound::default();
    let blocks = code.flow.spans.blocks(routine).len();
    let mut values = Values::of(code, routine);
    if code.flow.spans.variables(routine).len() > VARIABLES || blocks * values.len() > FACTS {
        return found;
    }
    if values.may_be_known() {
        known(code, routine, &mut values, &mut found);
    }
    if found.is_empty() {
        stores::find(code, routine, &values, &mut found);
    }
    if found.is_empty() {
        decided(code, routine, &values, &mut found);
    }
    found
}

/// Finds the values that are known, and lists that equal others.
fn known(code: Code, routine: usize, values: &mut Values, found: &mut KnownFound) {
    let rows = values.solve();
    for (row, block) in code.flow.spans.blocks(routine).enumerate() {
        let Some(facts) = rows.get(row) else { continue };
        let mut facts = facts.to_vec();
        for i in code.flow.blocks.instructions(block) {
            if let Some((span, op, arg)) = values.known(i, &facts) {
                found.replace(span, op, arg);
            }
            found.renamed.extend(values.list(i, &facts).map(|slot| (i, slot)));
            values.step(i, &mut facts);
        }
    }
}

/// Finds the conditions that ranges decide.
fn decided(code: Code, routine: usize, values: &Values, found: &mut KnownFound) {
    let blocks = &code.flow.blocks;
    let condition = |block: usize| {
        let instructions = blocks.instructions(block);
        let last = instructions.end - 1;
        let (Class::Branch { on }, false) = (code.op(last).class(), instructions.len() == 1) else {
            return None;
        };
        let span = values.span(last - 1).filter(|span| span.clone().all(|i| is_safe(code.ir, i)))?;
        let (next, target) = (blocks.next[block], blocks.target[block]);
        // Little is known of variables, unless they are compared with something that is.
        let bounds = |i: usize| matches!(code.op(i), Op::LoadConst | Op::ListLenVar);
        let may_be = if span.len() == 1 { code.op(last - 1) == Op::LoadVar } else { span.clone().any(bounds) };
        (may_be && next != target && next != NONE && target != NONE).then_some((block, span, on))
    };
    let span = code.flow.spans.blocks(routine);
    let conditions: Vec<_> = span.clone().filter_map(condition).collect();
    if conditions.is_empty() {
        return;
    }
    let edges = ranges::edges(code, routine);
    for (block, span, on) in conditions {
        let [falls, jumps] = edges[block - code.flow.spans.block[routine] as usize];
        if falls != jumps {
            found.replace(span, Op::LoadConst, u32::from(jumps == on));
        }
    }
}

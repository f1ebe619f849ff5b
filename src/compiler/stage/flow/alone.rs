//! One routine apart from its program, as proofs need it: its code, its graph, and facts that follow the code more closely
//! than the columns. Operands that wait between blocks have facts, and bounds grow to constants of the code.

use super::ranges::{Precision, Range, of_type, with_edges};
use super::sweeps::SweepRows;
use super::{Code, Flow, FlowScratch, Order, graph, liveness};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{falls_through, number_blocks, target, target_mut};
use crate::lang::NONE;
use crate::lang::index::Index;
use crate::lang::limits::STACK_WORDS;
use crate::lang::opcode::{Op, has_slot};
use crate::lang::ty::Type;

/// Limits, beyond which a routine is not analyzed.
const BLOCKS: usize = 256;
/// The maximum number of constants at which bounds stop.
const STOPS: usize = 12;
/// The sweeps after which facts that still change are given up.
const PATIENCE: u32 = 24;

/// The code of a routine, analyzed. Its instructions and blocks are numbered from 0, and the routine is 0.
pub struct Alone {
    pub ir: Ir,
    pub flow: Flow,
    pub order: Order,
    facts: SweepRows<Range>,
    /// By block: whether control may take the edges to its next block and to its target.
    taken: Vec<[bool; 2]>,
}

impl Alone {
    /// Analyzes the routine whose code begins at `first`. `callees` are the routines that it may call, and `parameters` the
    /// types of its own. Returns `None` if its code is too large, or if it is not a whole.
    pub fn new(ir: &Ir, first: usize, callees: &Routines, parameters: &[Type]) -> Option<Alone> {
        let end = callees.ir.iter().map(|start| *start as usize).filter(|start| *start > first).min();
        let mut ir = cut(ir, first, end.unwrap_or(ir.op.len()), callees)?;
        number_blocks(&mut ir, &[0], &mut Vec::new());
        if *ir.block.last()? as usize >= BLOCKS {
            return None;
        }
        let mut slot = 0;
        let mut own = Routines::default();
        own.reset(1, 0);
        own.params[0] = parameters.len() as u32;
        for (at, ty) in parameters.iter().enumerate() {
            let columns = [&mut own.caps0, &mut own.caps1, &mut own.caps2, &mut own.caps3];
            let capacity = if ty.is_list() { ty.capacity() } else { 0 };
            columns.into_iter().nth(at / 4)?[0] |= capacity << (8 * (at % 4));
            slot += ty.words();
        }
        let named = (0..ir.op.len()).filter(|i| has_slot(ir.op[*i])).map(|i| ir.arg[i]);
        own.frame[0] = named.max().unwrap_or(0).max(slot) + 1;
        let (mut flow, mut scratch) = (Flow::default(), FlowScratch::default());
        graph(&ir, [&own, callees], &mut flow, &mut scratch);
        let stops = stops(&ir);
        let waiting = (0..flow.blocks.len()).map(|block| flow.blocks.words[block] + flow.blocks.lists[block]);
        let entry: Vec<Range> = parameters.iter().map(|ty| of_type(*ty)).collect();
        let precision = Precision {
            parameters: &entry,
            stops: &stops,
            patience: PATIENCE,
            operands: Some(waiting.max()? as usize),
        };
        let code = Code { ir: &ir, routines: callees, flow: &flow };
        let (facts, taken) = with_edges(code, 0, &precision);
        Some(Alone { ir, flow, order: scratch.order, facts, taken })
    }

    /// The facts about the variable in a slot, where a block begins that control may reach; of a list, about its length.
    pub fn variable(&self, block: usize, slot: u32) -> Range {
        let variable = self.flow.variables.slot.binary_search(&slot);
        self.facts.get(block).zip(variable.ok()).map_or(Range::ANY, |(facts, variable)| facts[variable])
    }

    /// Likewise about the operand at a place of the stack.
    pub fn operand(&self, block: usize, place: usize) -> Range {
        let facts = self.facts.get(block).and_then(|facts| facts.get(self.flow.variables.slot.len() + place));
        facts.copied().unwrap_or(Range::ANY)
    }

    /// Whether control may reach a block.
    pub fn reaches(&self, block: usize) -> bool {
        self.facts.get(block).is_some()
    }

    /// The blocks with which control may continue after a block.
    pub fn ways(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        let [next, target] = [self.flow.blocks.next[block], self.flow.blocks.target[block]];
        let [falls, jumps] = self.taken[block];
        let edges = [(next, falls), (target, jumps && target != next)];
        edges.into_iter().filter(|(to, taken)| *taken && *to != NONE).map(|(to, _)| to as usize)
    }

    pub fn find_live(&mut self) {
        liveness::find(&self.ir, &mut self.flow, &self.order, &mut Vec::new());
    }

    /// Whether the variable in a slot is live where a block begins, once that was found.
    pub fn is_live(&self, block: usize, slot: u32) -> bool {
        let variable = self.flow.variables.slot.binary_search(&slot);
        variable.is_ok_and(|variable| {
            let row = self.flow.facts(block).start + variable / 32;
            self.flow.live.entry[row] >> (variable % 32) & 1 == 1
        })
    }
}

/// Cuts a routine's code out of a program's. Returns `None` if it is not a whole: if control leaves it, or if it names
/// what does not exist.
fn cut(ir: &Ir, first: usize, end: usize, callees: &Routines) -> Option<Ir> {
    let range = first..end;
    let cut = |column: &Vec<u32>| column.get(range.clone()).map(<[u32]>::to_vec);
    let mut own = Ir {
        op: cut(&ir.op)?,
        arg: cut(&ir.arg)?,
        aux: cut(&ir.aux)?,
        token: cut(&ir.token)?,
        ..Ir::default()
    };
    let len = own.op.len();
    own.block.resize(len, 0);
    (!falls_through(*own.op.last()?)).then_some(())?;
    for i in 0..len {
        let op = Op::from_u32(own.op[i])?;
        let exists = match op {
            Op::Call => (own.arg[i] as usize) < callees.params.len(),
            Op::BuildList | Op::LoadListConst | Op::RepeatList => own.arg[i] <= STACK_WORDS,
            _ => !has_slot(own.op[i]) || own.arg[i] <= STACK_WORDS,
        };
        exists.then_some(())?;
        if let Some(to) = target(&own, i) {
            let to = to.position().checked_sub(first).filter(|to| *to < len)?;
            *target_mut(&mut own, i)? = to as u32;
        }
    }
    Some(own)
}

/// The constants that comparisons name, in order, and those around 0.
fn stops(ir: &Ir) -> Vec<i32> {
    let compares = |i: &usize| {
        let next = ir.op.get(i + 1).copied().and_then(Op::from_u32);
        ir.op[*i] == Op::LoadConst as u32 && next.is_some_and(|next| next.opposite().is_some())
    };
    let constants = (0..ir.op.len()).filter(compares).map(|i| ir.arg[i] as i32).take(STOPS);
    let mut stops: Vec<i32> = constants.chain([-1, 0, 1]).collect();
    stops.sort_unstable();
    stops.dedup();
    stops
}

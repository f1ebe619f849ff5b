//! optimize: fewer and cheaper instructions for the same values and traps.
//!
//! Rounds of passes from one table until a round changes nothing. A pass writes `NOP` where an instruction goes and
//! moves nothing; only the last one, compact, renumbers. So within a round every index, `start` link and block number
//! stays valid, and a pass is a set of local rewrites whose result does not depend on the order in which they
//! are made (fold apart, which follows the instructions' own order).

mod branch;
mod compact;
mod fold;
mod thread;
mod unreachable;

use crate::lang::opcode::Op;
use crate::program::{Ir, Routines};

/// Rounds that are made at most.
pub const ROUNDS: usize = 8;

/// The passes of a round, in order, by the names that dumps and panels use.
pub const PASSES: &[(&str, Pass)] = &[
    ("fold", fold::run),
    ("branch", branch::run),
    ("thread", thread::run),
    ("unreachable", unreachable::run),
    ("compact", compact::run),
];

/// Rewrites the code; says whether it wrote an op, arg or aux other than it was (compact: no).
pub type Pass = fn(&mut Ir, &mut Routines, &mut Scratch) -> bool;

/// Working memory, kept between programs.
#[derive(Default)]
pub struct Scratch {
    /// fold: by the position at which a value ends, the instruction that leaves it and what is known of it.
    value: Vec<u32>,
    /// fold: first of the instructions that an instruction makes superfluous, or `NONE`.
    erase: Vec<u32>,
    /// The first live instruction at or after each, and at the end.
    live: Vec<u32>,
    /// thread: whether a live instruction jumps here.
    targeted: Vec<bool>,
    /// thread: rewrites that are to be made at once.
    rewrites: Vec<[u32; 3]>,
    /// unreachable: first instruction of each block, and the end.
    first: Vec<u32>,
    reached: Vec<bool>,
    pending: Vec<u32>,
    /// compact: the number of live instructions before each, and in all.
    number: Vec<u32>,
    leaders: Vec<u32>,
}

/// Optimizes lowered code into `out`; `routines.ir` follows.
pub fn run(lowered: &Ir, routines: &mut Routines, out: &mut Ir, scratch: &mut Scratch) {
    out.clear();
    for (to, from) in out.columns_mut().into_iter().zip(lowered.columns()) {
        to.extend_from_slice(from);
    }
    if out.op.is_empty() {
        return;
    }
    let Some(((_, compact), passes)) = PASSES.split_last() else { return };
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (_, pass) in passes {
            changed |= pass(out, routines, scratch);
        }
        if !changed {
            break;
        }
        compact(out, routines, scratch);
    }
}

/// The code after each pass of each round that [`run`] makes, for people to look at. Only the tokens of `routines`
/// are read.
pub fn snapshots(lowered: &Ir, routines: &Routines) -> Vec<(&'static str, Ir)> {
    let (mut ir, mut routines, mut scratch) = (lowered.clone(), routines.clone(), Scratch::default());
    for (entry, token) in routines.ir.iter_mut().zip(&routines.token) {
        // Code is in the items' order, and an item's instructions come from its own tokens.
        *entry = lowered.token.iter().position(|from| from >= token).unwrap_or(0) as u32;
    }
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (name, pass) in PASSES {
            changed |= pass(&mut ir, &mut routines, &mut scratch);
            all.push((*name, ir.clone()));
        }
        if !changed {
            break;
        }
    }
    all
}

const NOP: u32 = Op::Nop as u32;

/// Whether an instruction, by index, stands and has this operation.
fn is(ir: &Ir, i: u32, op: Op) -> bool {
    ir.op.get(i as usize) == Some(&(op as u32))
}

/// Fills `live`: for each index, the end included, the first live instruction from there on (or the end).
fn find_live(ir: &Ir, live: &mut Vec<u32>) {
    let len = ir.op.len();
    live.clear();
    live.resize(len + 1, len as u32);
    for i in (0..len).rev() {
        live[i] = if ir.op[i] == NOP { live[i + 1] } else { i as u32 };
    }
}

/// Runs `each` on every live instruction with the one before it, if both are in the same block.
/// What is live is taken as it was before `each` changed anything.
fn for_each_with_previous(ir: &mut Ir, mut each: impl FnMut(&mut Ir, Option<usize>, usize)) {
    let mut previous: Option<usize> = None;
    for i in 0..ir.op.len() {
        if ir.op[i] == NOP {
            continue;
        }
        let before = previous.filter(|&p| ir.block[p] == ir.block[i]);
        each(ir, before, i);
        previous = Some(i);
    }
}

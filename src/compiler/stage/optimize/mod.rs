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

use crate::compiler::program::{Ir, Routines};
use crate::lang::opcode::Op;

/// Rounds that are made at most.
pub const ROUNDS: usize = 8;

/// Rewrites the code; says whether it wrote an op, arg or aux other than it was (compact: no).
type Rewrite = fn(&mut Ir, &mut Routines, &mut Scratch) -> bool;

/// A pass. Its shader is the function of its name in `shaders/optimize/NAME.wgsl`.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The name that dumps and panels use.
    pub name: &'static str,
    pub summary: &'static str,
    run: Rewrite,
    /// Columns of instruction scratch that its shader leaves for passes behind it in a round …
    leaves: &'static [&'static str],
    /// … and those that it needs for itself: they hold anything when it begins.
    own: &'static [&'static str],
}

/// The passes of a round, in order. The last one runs only if another has changed something.
pub const PASSES: [Pass; 5] = [
    Pass {
        name: "fold",
        summary: "computes what is constant, and drops what changes nothing",
        run: fold::run,
        // Lists of all jumps, and of each block's first instruction.
        leaves: &["JUMPS", "FIRST"],
        // By the end of a value what leaves it and what is known of it; first of the instructions that one makes superfluous,
        // or NONE; the instructions that rules are for; where stretches begin among these.
        own: &["VALUE", "ERASE", "FOLDED", "STRETCH"],
    },
    Pass {
        name: "branch",
        summary: "decides conditional jumps on constants, and turns those on negations",
        run: branch::run,
        // Index + 1 of the kept instruction before, as fold left it.
        leaves: &["BEFORE"],
        own: &[],
    },
    Pass {
        name: "thread",
        summary: "lets jumps go where control ends up",
        run: thread::run,
        leaves: &[],
        // The first kept instruction from here on, as branch left it; what a jump becomes; the LOAD_CONST that goes with it, or
        // NONE; where a JUMP leads, doubled; TARGETED or DROPPED.
        own: &["NEXT_KEPT", "NEW_OP", "NEW_ARG", "GONE", "CHAIN", "CHAIN_NEXT", "MARK"],
    },
    Pass {
        name: "unreachable",
        summary: "drops blocks that control cannot reach",
        run: unreachable::run,
        leaves: &[],
        // Per block: whether it is reached and has passed on.
        own: &["PASSED"],
    },
    Pass {
        name: "compact",
        summary: "moves together what is left, and numbers it anew",
        run: compact::run,
        leaves: &[],
        // Kept instructions before; 1 for leaders of blocks.
        own: &["NUMBER", "LEADER"],
    },
];

/// The columns of instruction scratch that passes leave, and those of each alone, by pass.
pub const LEFT: [&[&str]; PASSES.len()] = columns(true);
pub const OWN: [&[&str]; PASSES.len()] = columns(false);

const fn columns(left: bool) -> [&'static [&'static str]; PASSES.len()] {
    let mut all: [&[&str]; PASSES.len()] = [&[]; PASSES.len()];
    let mut i = 0;
    while i < PASSES.len() {
        all[i] = if left { PASSES[i].leaves } else { PASSES[i].own };
        i += 1;
    }
    all
}

/// Working memory, kept between programs.
#[derive(Default)]
pub struct Scratch {
    /// fold: by the position at which a value ends, the instruction that leaves it and what is known of it.
    value: Vec<u32>,
    /// fold: first of the instructions that an instruction makes superfluous, or `NONE`.
    erase: Vec<u32>,
    /// The first kept instruction at or after each, and at the end.
    next_kept: Vec<u32>,
    /// thread: whether a kept instruction jumps here.
    targeted: Vec<bool>,
    /// thread: rewrites that are to be made at once.
    rewrites: Vec<[u32; 3]>,
    /// unreachable: first instruction of each block, and the end.
    first: Vec<u32>,
    reached: Vec<bool>,
    pending: Vec<u32>,
    /// compact: the number of kept instructions before each, and in all.
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
    let [passes @ .., compact] = &PASSES;
    for _ in 0..ROUNDS {
        let mut changed = false;
        for pass in passes {
            changed |= (pass.run)(out, routines, scratch);
        }
        if !changed {
            break;
        }
        (compact.run)(out, routines, scratch);
    }
}

/// The code at some point, for people to look at.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The pass that it is behind; `lower` before all of them.
    pub name: &'static str,
    pub ir: Ir,
    /// With the first instructions that they have in `ir`.
    pub routines: Routines,
}

/// The code as lowered, and after each pass of each round that [`run`] makes. Of `routines` it does not matter where they begin.
pub fn snapshots(lowered: &Ir, routines: &Routines) -> Vec<Snapshot> {
    let (mut ir, mut routines, mut scratch) = (lowered.clone(), routines.clone(), Scratch::default());
    for (entry, token) in routines.ir.iter_mut().zip(&routines.token) {
        // Code is in the items' order, and an item's instructions come from its own tokens.
        *entry = lowered.token.iter().position(|from| from >= token).unwrap_or(0) as u32;
    }
    let mut all = vec![Snapshot { name: "lower", ir: ir.clone(), routines: routines.clone() }];
    if ir.op.is_empty() {
        return all;
    }
    for _ in 0..ROUNDS {
        let mut changed = false;
        for pass in PASSES {
            changed |= (pass.run)(&mut ir, &mut routines, &mut scratch);
            all.push(Snapshot { name: pass.name, ir: ir.clone(), routines: routines.clone() });
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

/// Fills `next_kept`: for each index, the end included, the first kept instruction from there on (or the end).
fn find_next_kept(ir: &Ir, next_kept: &mut Vec<u32>) {
    let len = ir.op.len();
    next_kept.clear();
    next_kept.resize(len + 1, len as u32);
    for i in (0..len).rev() {
        next_kept[i] = if ir.op[i] == NOP { next_kept[i + 1] } else { i as u32 };
    }
}

/// Runs `each` on every kept instruction with the one before it, if both are in the same block.
/// What is kept is taken as it was before `each` changed anything.
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

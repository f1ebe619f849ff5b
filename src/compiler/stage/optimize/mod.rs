//! optimize: reduces instructions while preserving values and traps.
//!
//! The passes of one table run in rounds until a round changes nothing. A pass replaces instructions by `NOP`
//! and moves none; only the last pass, compact, renumbers. So within a round all indices, `start` links and
//! block numbers stay valid. A pass is a set of local rewrites whose result does not depend on their order,
//! except for fold, which runs in instruction order.
//!
//! At level 2, expansions add instructions between these rounds, and data flow of whole functions is used: see [`expand`]. Level 3 adds learned code and rules:
//! see [`learned`].
//!
//! Peephole optimizations after McKeeman, "Peephole optimization", 1965.

mod apart;
mod branch;
mod combine;
mod compact;
pub mod expand;
mod fold;
pub mod learned;
mod thread;
mod unreachable;

use std::sync::Arc;

use crate::compiler::program::{Compiled, Ir, Routines};
use crate::compiler::stage::lower;
use crate::lang::index::{Index, InstructionId};
use crate::lang::level::OptLevel;
use crate::lang::opcode::Op;
use expand::Missed;
use learned::Learned;

/// A bound, because an invocation of the shader has a budget of loop iterations.
pub const ROUNDS: usize = 8;

/// Rewrites the code. Returns whether any op, arg or aux changed; compact always returns false.
type Rewrite = fn(&mut Ir, &mut Routines, &mut OptimizeScratch) -> bool;

/// A pass. Its shader is the function with its name in `shaders/optimize/NAME.wgsl`.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The name in dumps and panels.
    pub name: &'static str,
    pub summary: &'static str,
    /// The lowest level that it belongs to.
    pub level: OptLevel,
    run: Rewrite,
    /// Columns of instruction scratch that its shader leaves for later passes of the round …
    leaves: &'static [&'static str],
    /// … and columns that it uses alone, which are uninitialized when it begins.
    own: &'static [&'static str],
}

/// The passes of a round, in order. The last one runs only if an earlier one changed something.
pub const PASSES: [Pass; 6] = [
    Pass {
        name: "fold",
        summary: "folds constants, and drops operations that change nothing",
        level: OptLevel::Local,
        run: fold::run,
        // Lists of all jumps, and of the first instruction of each block.
        leaves: &["JUMPS", "FIRST"],
        // For each end of a value, the instruction that pushes it and its flags; the first instruction that
        // an instruction makes superfluous, or NONE; the instructions to which rules apply; where segments of
        // these begin.
        own: &["VALUE", "ERASE", "FOLDED", "STRETCH"],
    },
    Pass {
        name: "combine",
        summary: "at level 2: adds constants of one sum, and drops stores that only the next load reads",
        level: OptLevel::Whole,
        run: combine::run,
        leaves: &[],
        // The rule for an instruction. Its shader also fills BEFORE, which branch fills again.
        own: &["RULE"],
    },
    Pass {
        // After fold, which computes the conditions and negations that branch looks at.
        name: "branch",
        summary: "resolves conditional jumps on constants, and inverts those on negations",
        level: OptLevel::Local,
        run: branch::run,
        // Index + 1 of the previous kept instruction, as this pass found the code.
        leaves: &["BEFORE"],
        own: &[],
    },
    Pass {
        // After branch: it follows the unconditional jumps that branch makes.
        name: "thread",
        summary: "redirects jumps to their final destination",
        level: OptLevel::Local,
        run: thread::run,
        leaves: &[],
        // The first kept instruction from here on, as branch left the code; the new op and arg of a jump; the
        // LOAD_CONST that it removes, or NONE; the end of a chain of JUMPs, by pointer doubling; TARGETED or
        // DROPPED.
        own: &["NEXT_KEPT", "NEW_OP", "NEW_ARG", "GONE", "CHAIN", "CHAIN_NEXT", "MARK"],
    },
    Pass {
        // After branch and thread, because only changed jumps make code unreachable.
        name: "unreachable",
        summary: "drops blocks that control cannot reach",
        level: OptLevel::Local,
        run: unreachable::run,
        leaves: &[],
        // For each block: whether it is reached and has been propagated.
        own: &["PASSED"],
    },
    Pass {
        // Last: the indices that the other passes have stored refer to the code before it.
        name: "compact",
        summary: "removes dropped instructions, and renumbers the others",
        level: OptLevel::Local,
        run: compact::run,
        leaves: &[],
        // Number of kept instructions before; 1 for leaders of blocks.
        own: &["NUMBER", "LEADER"],
    },
];

/// By pass: the columns of instruction scratch that it leaves, and the columns that it uses alone, followed by
/// those of expansions.
pub const SHARED_COLUMNS: [&[&str]; PASSES.len() + 1] = columns(true, &[]);
pub const PRIVATE_COLUMNS: [&[&str]; PASSES.len() + 1] = columns(false, &expand::COLUMNS);

const fn columns(left: bool, last: &'static [&'static str]) -> [&'static [&'static str]; PASSES.len() + 1] {
    let mut all = [last; PASSES.len() + 1];
    let mut i = 0;
    while i < PASSES.len() {
        all[i] = if left { PASSES[i].leaves } else { PASSES[i].own };
        i += 1;
    }
    all
}

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct OptimizeScratch {
    /// fold: for each end of a value, the instruction that pushes it and its flags.
    value: Vec<u32>,
    /// fold: the first instruction that an instruction makes superfluous, or `NONE`.
    erase: Vec<u32>,
    /// The first kept instruction at or after each index, including the end.
    next_kept: Vec<InstructionId>,
    /// The instructions that jump, as branch finds them. Later passes of the round make some of them `NOP`s.
    jumps: Vec<u32>,
    /// thread: whether a kept instruction jumps here.
    targeted: Vec<bool>,
    /// thread: rewrites that are applied together.
    rewrites: Vec<thread::Rewritten>,
    /// unreachable: first instruction of each block, and the end.
    first: Vec<InstructionId>,
    reached: Vec<bool>,
    pending: Vec<u32>,
    /// unreachable: whether no jump has changed since it ran last.
    settled: bool,
    /// compact: the number of kept instructions before each instruction, and their total.
    number: Vec<u32>,
    leaders: Vec<u32>,
    /// combine: rewrites that are applied together.
    combined: combine::CombineFound,
    apart: apart::Apart,
    expand: expand::Scratch,
    /// The table of level 3; `None` for that of the process.
    learned: Option<Arc<Learned>>,
    /// Whether expansions that only the processor has are left out.
    shared_only: bool,
    /// fold: whether comparisons with zero are left alone, for an experiment.
    leaves_zero: bool,
}

impl OptimizeScratch {
    /// Sets the table of level 3 for later programs.
    pub fn learn(&mut self, learned: Arc<Learned>) {
        self.learned = Some(learned);
    }

    /// Leaves out the expansions that only the processor has. They take longer than all others, and proofs compile each
    /// survivor.
    pub fn leave_out_processors(&mut self) {
        self.shared_only = true;
    }

    /// Returns scratch memory with which level 1 leaves comparisons with zero alone, for an experiment.
    pub fn without_zero_rules() -> OptimizeScratch {
        OptimizeScratch { leaves_zero: true, ..OptimizeScratch::default() }
    }
}

/// Optimizes lowered code into `out` and updates `routines.ir`.
pub fn run(
    lowered: &Ir,
    routines: &mut Routines,
    level: OptLevel,
    out: &mut Ir,
    scratch: &mut OptimizeScratch,
) {
    out.clear();
    for (to, from) in out.columns_mut().into_iter().zip(lowered.columns()) {
        to.extend_from_slice(from);
    }
    // Level 0 is the lowered code, so that tests can compare what optimized code does with it.
    if out.op.is_empty() || level == OptLevel::Lowered {
        return;
    }
    drive(out, (lowered, routines), level, scratch, None);
}

/// Called with the name of each pass and the code that it left.
type Observer<'a> = &'a mut dyn FnMut(&'static str, &Ir, &Routines);

/// Runs all passes of a level on a copy of lowered code.
fn drive(
    ir: &mut Ir,
    (lowered, routines): (&Ir, &mut Routines),
    level: OptLevel,
    scratch: &mut OptimizeScratch,
    mut observer: Option<Observer>,
) {
    let learned = (level >= OptLevel::Learned)
        .then(|| scratch.learned.clone().unwrap_or_else(learned::current))
        .map(|learned| (learned::begin(lowered, routines, &learned), learned));
    let expands = scratch.expand.begin(lowered, routines, level);
    if expands {
        scratch.apart.begin(routines);
    }
    settle(ir, routines, (level, expands), scratch, &mut observer);
    for expansion in expand::EXPANSIONS.iter().filter(|_| expands) {
        for _ in 0..expansion.times {
            if !expansion.run(ir, routines, &mut scratch.expand) {
                break;
            }
            if let Some(observer) = &mut observer {
                observer(expansion.name, ir, routines);
            }
            settle(ir, routines, (level, expands), scratch, &mut observer);
        }
    }
    // Searches find better code in what both engines have, so it comes before what only the processor adds.
    if let Some((keyed, learned)) = &learned
        && learned::functions(ir, routines, keyed, learned)
        && let Some(observer) = &mut observer
    {
        observer("learned", ir, routines);
    }
    if expands && !scratch.shared_only {
        on_processor(ir, routines, level, scratch, &mut observer);
    }
    if let Some((_, learned)) = &learned
        && learned::rules(ir, routines, learned.active(), &mut |_| ())
        && let Some(observer) = &mut observer
    {
        observer("rules", ir, routines);
    }
}

/// Runs the expansions that only the processor has, with rounds after each.
fn on_processor(
    ir: &mut Ir,
    routines: &mut Routines,
    level: OptLevel,
    scratch: &mut OptimizeScratch,
    observer: &mut Option<Observer>,
) {
    let mut run = |expansion: &expand::Expansion| {
        let changes = expansion.run(ir, routines, &mut scratch.expand);
        if changes {
            if let Some(observer) = observer {
                observer(expansion.name, ir, routines);
            }
            settle(ir, routines, (level, true), scratch, observer);
        }
        changes
    };
    for time in 0.. {
        let due = expand::ON_PROCESSOR.iter().filter(|expansion| time < expansion.times);
        if due.filter(|expansion| run(expansion)).count() == 0 {
            break;
        }
    }
}

/// Completes the optimization of a program whose code a device left at level 2. Returns whether the code changed.
pub fn refine(program: &mut Compiled, scratch: &mut OptimizeScratch) -> bool {
    let lowered = lowered_routines(program);
    if program.ir.op.is_empty() || !scratch.expand.begin(&program.lowered, &lowered, program.level) {
        return false;
    }
    scratch.apart.begin(&lowered);
    let before = program.ir.clone();
    on_processor(&mut program.ir, &mut program.executable.routines, program.level, scratch, &mut None);
    program.ir != before
}

/// Runs rounds on the program, or on each routine apart where that saves time and nobody observes the passes.
fn settle(
    ir: &mut Ir,
    routines: &mut Routines,
    (level, apart): (OptLevel, bool),
    scratch: &mut OptimizeScratch,
    observer: &mut Option<Observer>,
) {
    // An observer sees the passes in the order in which a device runs them, on the whole program.
    if apart && observer.is_none() {
        apart::run(ir, routines, level, scratch);
    } else {
        rounds(ir, routines, level, scratch, observer);
    }
}

/// What rounds have done.
struct Rounds {
    changed: bool,
    /// Whether the last one still changed something.
    unsettled: bool,
}

/// Runs rounds of passes until a round changes nothing.
fn rounds(
    ir: &mut Ir,
    routines: &mut Routines,
    level: OptLevel,
    scratch: &mut OptimizeScratch,
    observer: &mut Option<Observer>,
) -> Rounds {
    // An expansion since the last rounds may have added jumps.
    scratch.settled = false;
    let mut done = Rounds { changed: false, unsettled: true };
    let observed = observer.is_some();
    let [passes @ .., compact] = &PASSES;
    for _ in 0..ROUNDS {
        let mut run = |pass: &Pass| {
            let changed = (pass.run)(ir, routines, scratch);
            if let Some(observer) = observer {
                observer(pass.name, ir, routines);
            }
            changed
        };
        let mut changed = false;
        for pass in passes.iter().filter(|pass| pass.level <= level) {
            changed |= run(pass);
        }
        // Without a change compact has no effect; only observers see it then.
        if changed || observed {
            run(compact);
        }
        done.changed |= changed;
        if !changed {
            done.unsettled = false;
            break;
        }
    }
    done
}

/// The code at some point of the optimization, for inspection.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The pass that produced it; `lower` before all passes.
    pub name: &'static str,
    pub ir: Ir,
    /// The routines with their first instructions in `ir`.
    pub routines: Routines,
}

/// Returns the lowered code, and the code after each pass of each round of [`run`].
pub fn snapshots(program: &Compiled) -> Vec<Snapshot> {
    let Compiled { lowered, level, .. } = program;
    let (mut ir, mut routines, mut scratch) =
        (lowered.clone(), lowered_routines(program), OptimizeScratch::default());
    let mut all = vec![Snapshot { name: "lower", ir: ir.clone(), routines: routines.clone() }];
    if ir.op.is_empty() || *level == OptLevel::Lowered {
        return all;
    }
    let mut observe = |name, ir: &Ir, routines: &Routines| {
        all.push(Snapshot { name, ir: ir.clone(), routines: routines.clone() });
    };
    drive(&mut ir, (lowered, &mut routines), *level, &mut scratch, Some(&mut observe));
    all
}

/// Returns where an expansion of level 2 could be expected and is not made, in the order of the source.
pub fn missed(program: &Compiled) -> Vec<Missed> {
    let (mut ir, mut routines) = (program.lowered.clone(), lowered_routines(program));
    let mut scratch = OptimizeScratch { expand: expand::Scratch::logging(), ..OptimizeScratch::default() };
    if !ir.op.is_empty() {
        drive(&mut ir, (&program.lowered, &mut routines), program.level, &mut scratch, None);
    }
    scratch.expand.take_missed()
}

pub fn lowered_routines(program: &Compiled) -> Routines {
    if program.lowered.op.is_empty() {
        return Routines::default();
    }
    let mut routines = lower::routines(program.view());
    for (entry, token) in routines.ir.iter_mut().zip(&routines.token) {
        // Code is in the order of the items, and an item's instructions come from its own tokens.
        *entry = program.lowered.token.iter().position(|from| from >= token).unwrap_or(0) as u32;
    }
    routines
}

const NOP: u32 = Op::Nop as u32;

/// Returns whether instruction `i` exists and has this operation.
fn is(ir: &Ir, i: usize, op: Op) -> bool {
    ir.op.get(i) == Some(&(op as u32))
}

/// Fills `next_kept`: for each index, including the end, the first kept instruction from there on (or the
/// end).
fn find_next_kept(ir: &Ir, next_kept: &mut Vec<InstructionId>) {
    let len = ir.op.len();
    next_kept.clear();
    next_kept.resize(len + 1, InstructionId::at(len));
    for i in (0..len).rev() {
        next_kept[i] = if ir.op[i] == NOP { next_kept[i + 1] } else { InstructionId::at(i) };
    }
}

/// Returns the previous kept instruction, if it is in the same block.
fn previous(ir: &Ir, i: usize) -> Option<usize> {
    let before = ir.op[..i].iter().rposition(|op| *op != NOP)?;
    (ir.block[before] == ir.block[i]).then_some(before)
}

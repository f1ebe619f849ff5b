//! expand: the passes of level 2 that insert code. Each plans how many instructions replace each instruction;
//! a prefix sum over these counts yields the new positions; a second sweep copies.
//!
//! The shader is `shaders/expand.wgsl`, with a file in `shaders/expand` for each plan; [`ON_PROCESSOR`] has none.

mod expressions;
mod hoist;
mod inline;
mod known;
mod lists;
mod memory;
mod missed;
mod rotate;
mod share;
mod tails;
mod unroll;
mod variables;

use std::ops::Range;

use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{number_blocks, target_mut};
use crate::lang::level::OptLevel;
use crate::lang::{NONE, limits};
pub use hoist::BODY as HOIST_BODY;
pub use inline::LONGEST as INLINE_LONGEST;
pub use missed::{Missed, Why};
pub use rotate::TEST as ROTATE_TEST;
pub use unroll::{COPIES as UNROLL_COPIES, ROUNDS as UNROLL_ROUNDS, known_rounds, last_jump_to};

/// Programs with more lowered instructions are not expanded.
pub const LARGEST: u32 = 4_096;
/// A program may grow by this many instructions, and by as many as it had after lowering.
/// The room for the code on a device is allocated before it is compiled, so it must have a bound.
pub const SPARE: u32 = 2_048;

/// An expansion. The entry point of its shader is `expand_NAME`.
#[derive(Clone, Copy)]
pub struct Expansion {
    /// The name in dumps and panels.
    pub name: &'static str,
    pub summary: &'static str,
    /// The word for a place at which it is made.
    pub done: &'static str,
    /// How often it may run. Rounds of the passes of [`super::PASSES`] follow each time.
    pub times: usize,
    run: fn(&mut Ir, &mut Routines, &mut Scratch) -> bool,
}

impl Expansion {
    /// Runs it once. Returns whether anything was expanded.
    pub(super) fn run(&self, ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
        if let Some(log) = &mut scratch.log {
            log.begin(self.name);
        }
        (self.run)(ir, routines, scratch)
    }
}

/// The expansions of level 2, in order.
pub const EXPANSIONS: [Expansion; 7] = [
    Expansion {
        // Before inline: equal calls can no longer be recognized once they are replaced by code.
        name: "calls",
        summary: "makes equal calls of a block once",
        done: "computed once",
        times: 2,
        run: share::calls,
    },
    Expansion {
        name: "inline",
        summary: "replaces calls of small functions by their code",
        done: "inlined",
        times: 3,
        run: inline::run,
    },
    Expansion {
        name: "unroll",
        summary: "replaces loops over a few known numbers by copies of their body",
        done: "unrolled",
        times: 3,
        run: unroll::run,
    },
    Expansion {
        name: "hoist",
        summary: "computes before a loop what does not change in it",
        done: "hoisted",
        times: 2,
        run: hoist::run,
    },
    Expansion {
        name: "share",
        summary: "computes equal values of a block once",
        done: "computed once",
        times: 4,
        run: share::share,
    },
    Expansion {
        name: "rotate",
        summary: "replaces jumps back to short tests of loops by copies of these",
        done: "rotated",
        times: 3,
        run: rotate::run,
    },
    Expansion {
        // Last, because no pass has a rule for the elements.
        name: "lists",
        summary: "replaces lists of constants by lists in the code",
        done: "put in the code",
        times: 1,
        run: lists::run,
    },
];

/// What follows the expansions of [`EXPANSIONS`], in turn until neither changes anything. No shader does it: a device's
/// code of level 2 is [refined](super::refine) on the processor.
pub const ON_PROCESSOR: [Expansion; 2] = [
    Expansion {
        name: "tails",
        summary: "replaces jumps to short code by copies of it",
        done: "copied",
        times: 4,
        run: tails::run,
    },
    Expansion {
        name: "known",
        summary: "loads values that data flow knows, and drops stores that nothing reads",
        done: "loaded",
        times: 4,
        run: known::run,
    },
];

/// The expansions of level 2 on both engines, then those on the processor.
pub fn all() -> impl Iterator<Item = &'static Expansion> + Clone {
    EXPANSIONS.iter().chain(&ON_PROCESSOR)
}

/// Columns of instruction scratch that their shaders use: the calls or loops of the program, in order; for each
/// instruction its routine, its new position, its plan, and the number of earlier ones whose code stores or
/// jumps; the new code; the first instruction of the expression that ends here, the first expression equal to it,
/// flags, and the loop around it.
pub const COLUMNS: [&str; 15] = [
    "LISTED",
    "OWNER",
    "PLACE",
    "PLAN",
    "INSIDE",
    "NEXT_OP",
    "NEXT_ARG",
    "NEXT_AUX",
    "NEXT_TOKEN",
    "NEXT_SITE",
    "NEXT_START",
    "EXTENT",
    "FIRST_EQUAL",
    "COUNT",
    "AROUND",
];

/// The bounds as their shaders name them.
pub const NUMBERS: [(&str, u32); 20] = [
    ("LARGEST", LARGEST),
    ("SPARE", SPARE),
    ("DEPTH", memory::DEPTH),
    ("UNBOUNDED", memory::UNBOUNDED),
    ("LIST_WORDS", memory::LIST),
    ("LONGEST", inline::LONGEST as u32),
    ("ARGUMENT", inline::ARGUMENT as u32),
    ("PLANNED", inline::PLANNED),
    ("FRAMELESS", inline::FRAMELESS),
    ("MOVED", inline::MOVED),
    ("MOST_ROUNDS", unroll::ROUNDS),
    ("BODY", unroll::BODY as u32),
    ("COPIES", unroll::COPIES),
    ("EXPRESSION", expressions::EXPRESSION as u32),
    ("LEAST_CALL_STEPS", expressions::LEAST_CALL_STEPS),
    ("SHARE_WINDOW", share::WINDOW as u32),
    ("HOIST_BODY", hoist::BODY as u32),
    ("TEST", rotate::TEST as u32),
    ("SHORTEST", lists::SHORTEST as u32),
    ("ROUTINES", LIMIT_ROUTINES as u32),
];

/// The maximum number of routines of a program.
const LIMIT_ROUTINES: usize = limits::FUNCTIONS + limits::TESTS;

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct Scratch {
    /// The maximum number of instructions that the program may have.
    room: u32,
    /// By routine: an upper bound on the words of its operands.
    operands: Vec<u32>,
    /// By routine: one past its last instruction.
    end: Vec<u32>,
    /// By routine: whether it has changed since rounds of passes last settled it.
    pub(super) changed: Vec<bool>,
    /// By routine: whether it may contain something to share. After a run of share these are the routines with
    /// plans, taken or not; the others have not changed since.
    unshared: Vec<bool>,
    /// By routine: whether it has changed since `known` found nothing in it.
    unexamined: Vec<bool>,
    /// By instruction: its routine.
    owner: Vec<u32>,
    /// By instruction: the plan for it, or 0 if it is copied.
    plan: Vec<u32>,
    /// By instruction: its new position. One more than instructions.
    place: Vec<u32>,
    /// By instruction: the number of earlier calls whose code stores or jumps. One more than instructions.
    inside: Vec<u32>,
    out: Ir,
    leaders: Vec<u32>,
    loops: Vec<unroll::UnrollLoop>,
    branches: Vec<[u32; 2]>,
    calls: inline::Calls,
    memory: memory::Bounds,
    expressions: expressions::Expressions,
    shared: share::Shared,
    hoisted: hoist::Hoisted,
    known: known::Known,
    /// Where expansions record what they do not expand, if this was requested.
    log: Option<missed::Log>,
}

impl Scratch {
    /// Returns scratch memory that records what is not expanded.
    pub(super) fn logging() -> Scratch {
        Scratch { log: Some(Default::default()), ..Scratch::default() }
    }

    /// Returns the places that the last run of each expansion did not expand, in source order.
    pub(super) fn take_missed(&mut self) -> Vec<Missed> {
        let mut missed = self.log.take().map_or(vec![], |log| log.missed);
        // Copies of a loop's body have equal tokens.
        missed.sort_by_key(|missed| (missed.token, missed.expansion));
        missed.dedup_by_key(|missed| (missed.token, missed.expansion));
        missed
    }

    /// Begins a program. Returns whether it may be expanded at this level. `routines` are those of the lowered
    /// code.
    pub(super) fn begin(&mut self, lowered: &Ir, routines: &Routines, level: OptLevel) -> bool {
        let size = lowered.op.len() as u32;
        if level < OptLevel::Whole {
            return false;
        }
        if size > LARGEST {
            self.miss(lowered, 0, Why::LargeProgram);
            return false;
        }
        self.room = 2 * size + SPARE;
        for routines_with in [&mut self.changed, &mut self.unshared, &mut self.unexamined] {
            routines_with.clear();
            routines_with.resize(routines.ir.len(), true);
        }
        self.find_owners(lowered, routines);
        memory::operands(lowered, routines, self);
        true
    }

    /// Fills `owner` and `end`.
    fn find_owners(&mut self, ir: &Ir, routines: &Routines) {
        let len = ir.op.len();
        let Scratch { owner, end, .. } = self;
        owner.clear();
        owner.resize(len, NONE);
        for (routine, &first) in routines.ir.iter().enumerate() {
            owner[first as usize] = routine as u32;
        }
        end.clear();
        end.resize(routines.ir.len(), 0);
        let mut routine = 0;
        for (i, owner) in owner.iter_mut().enumerate() {
            if *owner != NONE {
                routine = *owner;
            }
            *owner = routine;
            end[routine as usize] = i as u32 + 1;
        }
    }

    /// Takes plans in the order of their positions while all of them fit. `added` is how many instructions a
    /// plan adds. Returns whether any was taken.
    fn take(&mut self, ir: &Ir, added: impl Fn(usize) -> u32) -> bool {
        let mut size = self.plan.len() as u32;
        let mut any = false;
        // Refused plans count as well, so that a prefix sum of the shader decides the same.
        for i in 0..self.plan.len() {
            if self.plan[i] != 0 {
                size = size.saturating_add(added(i));
                if size > self.room {
                    self.plan[i] = 0;
                    self.miss(ir, i, Why::Room);
                }
                any |= self.plan[i] != 0;
            }
        }
        any
    }

    /// Plans nothing for any instruction.
    fn clear_plan(&mut self, len: usize) {
        self.plan.clear();
        self.plan.resize(len, 0);
    }

    /// Sets the counts for a program without plans: each instruction is copied.
    fn count_one(&mut self, len: usize) {
        self.place.clear();
        self.place.resize(len + 1, 1);
        self.inside.clear();
        self.inside.resize(len + 1, 0);
    }

    /// Turns the counts in `place` and `inside` into sums over the instructions before.
    fn sum_counts(&mut self) {
        for counts in [&mut self.place, &mut self.inside] {
            let mut before = 0;
            for count in counts {
                before += std::mem::replace(count, before);
            }
        }
    }

    /// Appends copies of the instructions of a range that are replaced by one, at their new positions. The
    /// others must be replaced by none.
    fn copy(&mut self, ir: &Ir, range: Range<usize>) {
        let Range { mut start, end } = range;
        while start < end {
            let one = |i: usize| self.place[i + 1] - self.place[i] == 1;
            let Some(first) = (start..end).find(|i| one(*i)) else { return };
            start = (first..end).find(|i| !one(*i)).unwrap_or(end);
            self.copy_all(ir, first..start);
        }
    }

    fn copy_all(&mut self, ir: &Ir, range: Range<usize>) {
        let Scratch { place, inside, out, .. } = self;
        let begin = out.op.len();
        out.op.extend_from_slice(&ir.op[range.clone()]);
        out.arg.extend_from_slice(&ir.arg[range.clone()]);
        out.aux.extend_from_slice(&ir.aux[range.clone()]);
        out.token.extend_from_slice(&ir.token[range.clone()]);
        out.site.extend_from_slice(&ir.site[range.clone()]);
        out.start.extend(range.map(|i| match ir.start[i] {
            start if start != NONE && inside[i] == inside[start as usize] => place[start as usize],
            _ => NONE,
        }));
        for i in begin..out.op.len() {
            if let Some(target) = target_mut(out, i) {
                *target = place[*target as usize];
            }
        }
    }

    /// Replaces the code with the new code, and numbers its blocks. `owner` must be that of the old code.
    fn finish(&mut self, ir: &mut Ir, routines: &mut Routines) {
        for (owner, _) in self.owner.iter().zip(&self.plan).filter(|(_, plan)| **plan != 0) {
            self.changed[*owner as usize] = true;
            self.unexamined[*owner as usize] = true;
        }
        std::mem::swap(ir, &mut self.out);
        ir.block.clear();
        ir.block.resize(ir.op.len(), 0);
        for entry in &mut routines.ir {
            *entry = self.place[*entry as usize];
        }
        number_blocks(ir, &routines.ir, &mut self.leaders);
    }
}

/// An instruction outside of columns.
#[derive(Clone, Copy)]
struct ExpandInstruction {
    op: u32,
    arg: u32,
    aux: u32,
    token: u32,
    site: u32,
    start: u32,
}

impl ExpandInstruction {
    fn of(ir: &Ir, i: usize) -> ExpandInstruction {
        let Ir { op, arg, aux, token, site, start, .. } = ir;
        ExpandInstruction {
            op: op[i],
            arg: arg[i],
            aux: aux[i],
            token: token[i],
            site: site[i],
            start: start[i],
        }
    }
}

impl Ir {
    fn push(&mut self, i: &ExpandInstruction) {
        self.op.push(i.op);
        self.arg.push(i.arg);
        self.aux.push(i.aux);
        self.token.push(i.token);
        self.site.push(i.site);
        self.start.push(i.start);
    }
}

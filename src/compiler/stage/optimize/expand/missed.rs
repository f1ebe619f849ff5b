//! Expansions that are not made where one could be expected, with the condition that fails.
//!
//! The decisions of the expansions themselves return these reasons; they are recorded only on request.

use super::Scratch;
use crate::compiler::program::Ir;
use crate::lang::NONE;

/// The condition that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The program has more than [`super::LARGEST`] instructions.
    LargeProgram,
    /// The code would exceed the room of the program.
    Room,
    /// The frame may not fit in memory.
    Memory,
    /// The code would take as many steps, or more.
    NoGain,
    /// inline: the function calls this function.
    Calls(u32),
    /// inline: the function has this many instructions.
    LongFunction(u32),
    /// inline: the stores of the arguments would take more steps than the call.
    Arguments,
    /// inline: the function returns a list.
    ReturnsList,
    /// unroll, hoist: the loop runs over the elements of a list.
    OverList,
    /// unroll, hoist: the number of rounds of the loop is not known.
    UnknownRounds,
    /// unroll: the loop runs this often.
    ManyRounds(u32),
    /// hoist: the loop runs at most once.
    FewRounds,
    /// unroll, hoist: the body of the loop has more instructions than this.
    LongBody(u32),
    /// unroll: the copies of the body have this many instructions.
    LongCopies(u32),
    /// unroll: the body contains a loop.
    InnerLoop,
    /// unroll: the body stores the loop's variable.
    StoresVariable,
    /// unroll, hoist: the body leaves the loop.
    Leaves,
    /// hoist: the expression may trap.
    MayTrap,
    /// hoist: the expression calls a function.
    CallsFunction,
    /// hoist, share: the expression makes a list.
    MakesList,
    /// hoist: not every round computes the expression.
    NotEachRound,
    /// rotate: the test has this many instructions.
    LongTest(u32),
    /// lists: an element has more than 24 bits.
    WideElement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The name of the expansion; empty if none is made.
    pub expansion: &'static str,
    /// Token of the call, loop or expression.
    pub token: u32,
    pub why: Why,
}

/// The decision of an expansion about an instruction: nothing to expand, the plan, or why it is not expanded.
pub(super) type Decision<T> = Option<Result<T, Why>>;

/// Records of the last run of each expansion.
#[derive(Default)]
pub(super) struct Log {
    pub(super) expansion: &'static str,
    pub(super) missed: Vec<Missed>,
}

impl Log {
    /// Begins a run of an expansion, and discards the records of its previous run.
    pub(super) fn begin(&mut self, expansion: &'static str) {
        self.missed.retain(|missed| missed.expansion != expansion);
        self.expansion = expansion;
    }
}

impl Scratch {
    /// Records that instruction `i` is not expanded. Copies of inlined code are left out: their function has the
    /// remark.
    pub(super) fn miss(&mut self, ir: &Ir, i: usize, why: Why) {
        let Some(Log { expansion, missed }) = &mut self.log else { return };
        if ir.site[i] == NONE {
            missed.push(Missed { expansion, token: ir.token[i], why });
        }
    }

    /// Returns the plan of a decision, and records why there is none.
    pub(super) fn decide<T>(&mut self, ir: &Ir, i: usize, decision: Decision<T>) -> Option<T> {
        match decision? {
            Ok(plan) => Some(plan),
            Err(why) => {
                self.miss(ir, i, why);
                None
            }
        }
    }
}

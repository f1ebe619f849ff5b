//! lower: translates the checked tree to linear code for a stack machine.
//!
//! There are three passes over the tokens. The first one inverts the tree's parent links and assigns every
//! node to the token of its instructions: an expression to its last token, a statement to the token after its
//! value. The second one lays out frames. The third one writes the instructions of each token and keeps a
//! stack of operand starts. Jump targets are tokens until all positions are known. `docs/stages/lower.md` lists the
//! code of each node.

mod blocks;
mod code;
mod frames;
mod holes;
mod index;
mod text;

pub use blocks::{ends_block, falls_through, has_target, number_blocks, target, target_mut};
pub use text::codes as string_codes;

use crate::compiler::program::{Binders, Facts, Ir, Routines, View};
use crate::lang::index::{Index, InstructionId, Slot, TokenId};
use crate::lang::role::Role;

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct LowerScratch {
    nodes: index::Nodes,
    holes: holes::Holes,
    /// For a variable's name, its offset in the frame; for a function's name, the function's number.
    place: Vec<u32>,
    /// P(t): the number of instructions before each token, and their total.
    position: Vec<u32>,
    /// First instruction of each operand on the stack.
    operands: Vec<InstructionId>,
    /// Instructions whose target is still a token.
    patches: Vec<InstructionId>,
    /// The jumps of the `&&` and `||` around, to the end of their nodes.
    logical: Vec<InstructionId>,
    /// One past the last token of each function that nothing closes.
    unclosed: Vec<u32>,
    /// The jump after the condition of the last property with a condition.
    condition: InstructionId,
    /// The rows of tests and properties, which are appended to those of the functions at the end.
    entries: Routines,
    leaders: Vec<u32>,
}

pub struct Output<'a> {
    pub ir: &'a mut Ir,
    /// Complete but for the addresses, which emit fills in.
    pub routines: &'a mut Routines,
    pub binders: &'a mut Binders,
}

/// Lowers a program without errors, or with holes. Leaves `out` empty for others.
pub fn run(input: View, out: Output, facts: &mut Facts, scratch: &mut LowerScratch) {
    out.ir.clear();
    out.routines.clear();
    out.binders.clear();
    facts.functions = 0;
    if !facts.lowers() {
        return;
    }
    scratch.nodes.build(input);
    scratch.holes.find(input, facts.has_holes());
    facts.functions = frames::lay_out(input, out.routines, out.binders, scratch);
    code::write(input, out.ir, scratch);
    for (ir, &token) in out.routines.ir.iter_mut().zip(&out.routines.token) {
        *ir = scratch.position[token as usize];
    }
    number_blocks(out.ir, &out.routines.ir, &mut scratch.leaders);
}

/// Returns the slot of each variable that has one, by declaring token.
pub fn places(input: View) -> Vec<Option<Slot>> {
    let mut scratch = LowerScratch::default();
    lay_out(input, &mut scratch);
    let variables = [Role::Param, Role::Binder, Role::LetName, Role::LoopVar];
    // In a hole, only a `LetName` has words.
    let has_words = |token| input.is(token, Role::LetName) || !scratch.holes.contain(token);
    let declares = |token| variables.iter().any(|&role| input.is(token, role)) && has_words(token);
    let slot = |(token, place): (TokenId, &u32)| declares(token).then(|| Slot::new(*place));
    input.rows().iter().zip(&scratch.place).map(slot).collect()
}

/// Returns the routines as lowered, with frames that level 2 has not grown and without first instructions.
pub fn routines(input: View) -> Routines {
    lay_out(input, &mut LowerScratch::default())
}

fn lay_out(input: View, scratch: &mut LowerScratch) -> Routines {
    let (mut routines, mut binders) = (Routines::default(), Binders::default());
    scratch.nodes.build(input);
    scratch.holes.find(input, true);
    frames::lay_out(input, &mut routines, &mut binders, scratch);
    routines
}

//! lower: the checked tree becomes linear code for a stack machine.
//!
//! Three scans over the tokens. The first turns the tree's upward links around and files every node under the token
//! where its instructions stand: an expression under its last token, a statement under the token behind its
//! value. The second lays out frames. The third walks the tokens and writes what stands at each, keeping the
//! operands' starts on a stack of its own; jumps hold a token as target until all positions are known.
//! `docs/stages.md` lists what each node becomes.

mod blocks;
mod code;
mod frames;
mod index;
mod text;

pub use blocks::{ends_block, falls_through, number_blocks, target, target_mut};
pub use text::codes as string_codes;

use crate::compiler::program::{Binders, Facts, Ir, Routines, View};
use crate::lang::NONE;
use crate::lang::role::Role;

/// Working memory, kept between programs.
#[derive(Default)]
pub struct Scratch {
    nodes: index::Nodes,
    /// Of a declared name its place in the frame; of the name of a function its number.
    place: Vec<u32>,
    /// P(t): the number of instructions before each token, and in all.
    position: Vec<u32>,
    /// First instructions of the operands now on the stack.
    operands: Vec<u32>,
    /// Instructions whose target is a token so far.
    patches: Vec<u32>,
    /// The jump behind the condition of the last property that has one.
    condition: u32,
    /// The rows of tests and properties, until those of functions are complete.
    entries: Routines,
    leaders: Vec<u32>,
}

/// What lower writes.
pub struct Output<'a> {
    pub ir: &'a mut Ir,
    /// All but the addresses, which emit fills in.
    pub routines: &'a mut Routines,
    pub binders: &'a mut Binders,
}

/// Lowers a program without errors; leaves `out` empty for one that has any.
pub fn run(input: View, out: Output, facts: &mut Facts, scratch: &mut Scratch) {
    out.ir.clear();
    out.routines.clear();
    out.binders.clear();
    facts.functions = 0;
    if !facts.compiles() {
        return;
    }
    scratch.nodes.build(input);
    facts.functions = frames::lay_out(input, out.routines, out.binders, scratch);
    code::write(input, out.ir, scratch);
    for (ir, &token) in out.routines.ir.iter_mut().zip(&out.routines.token) {
        *ir = scratch.position[token as usize];
    }
    number_blocks(out.ir, &out.routines.ir, &mut scratch.leaders);
}

/// Of each token that declares a variable, where in its frame the variable begins; `NONE` of all others.
pub fn places(input: View) -> Vec<u32> {
    let (mut scratch, mut routines, mut binders) =
        (Scratch::default(), Routines::default(), Binders::default());
    scratch.nodes.build(input);
    frames::lay_out(input, &mut routines, &mut binders, &mut scratch);
    let variables = [Role::Param, Role::Binder, Role::LetName, Role::LoopVar];
    for (token, place) in scratch.place.iter_mut().enumerate() {
        if !variables.iter().any(|&role| input.is(token as u32, role)) {
            *place = NONE;
        }
    }
    scratch.place
}

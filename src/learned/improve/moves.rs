//! Moves: local changes of a function's code that may shorten its runs. They are proposals. A proof decides whether one
//! is right.

mod branches;
mod counted;

use crate::compiler::stage::optimize::learned::code::{Instruction, compact, is_dead, targets};
use crate::lang::opcode::{Class, Op};

pub use branches::{decided, returned, selected};
pub use counted::{Counted, counted, equal_but_for_name};

/// The longest code that is copied to the place of a jump, and the most instructions of a function with copies.
const TAIL: usize = 16;
const MOST: usize = 1_024;

/// Code written in order from old code. Targets are places in the old code until the end.
struct MoveWriter {
    out: Vec<Instruction>,
    place: Vec<u32>,
}

impl MoveWriter {
    fn new(len: usize) -> MoveWriter {
        MoveWriter { out: Vec::new(), place: vec![0; len + 1] }
    }

    /// Marks where the code for an old instruction begins.
    fn begin(&mut self, old: usize) {
        self.place[old] = self.out.len() as u32;
    }

    fn push(&mut self, own: Instruction) {
        self.out.push(own);
    }

    fn end(mut self) -> Vec<Instruction> {
        let last = self.place.len() - 1;
        self.begin(last);
        for own in &mut self.out {
            if let Some(target) = own.target() {
                own.set_target(self.place[target as usize]);
            }
        }
        self.out
    }
}

/// The operands that an instruction takes and leaves; `None` for calls, whose number is not known here.
fn operands(own: &Instruction) -> Option<(i32, i32)> {
    match own.op {
        Op::Call => None,
        Op::BuildList => Some((own.arg as i32, 1)),
        op => Some((op.effect().takes as i32, op.effect().leaves as i32)),
    }
}

/// Returns whether control always continues with the next instruction.
fn is_straight(own: &Instruction) -> bool {
    own.target().is_none() && own.op.class() != Class::Return
}

/// Stores whose value can stay on the stack until the only load that reads it (Koopman, "A preliminary exploration of
/// optimized stack code generation", 1992): pairs of a store and a load, both superfluous.
pub fn carried(code: &[Instruction]) -> Vec<[usize; 2]> {
    let targeted = targets(code);
    let mut pairs = Vec::new();
    for (store, own) in code.iter().enumerate().filter(|(_, own)| own.op == Op::StoreVar) {
        let mut height = 0;
        for at in store + 1..code.len() {
            let next = &code[at];
            if targeted[at] || !is_straight(next) {
                break;
            }
            if next.slot() == Some(own.arg) {
                let reads = next.op == Op::LoadVar && height == 0 && is_dead(code, at + 1, own.arg);
                pairs.extend(reads.then_some([store, at]));
                break;
            }
            let Some((takes, leaves)) = operands(next) else { break };
            if takes > height {
                break;
            }
            height += leaves - takes;
        }
    }
    pairs
}

/// Drops the instructions at some places.
pub fn without(code: &[Instruction], places: &[usize]) -> Vec<Instruction> {
    let mut code = code.to_vec();
    for place in places {
        code[*place].op = Op::Nop;
    }
    compact(&mut code);
    code
}

/// Jumps to short code that leaves its place: copies of this code take their place. Returns the jumps with the ends of the
/// code.
pub fn tails(code: &[Instruction]) -> Vec<[usize; 2]> {
    let mut found = Vec::new();
    for (at, own) in code.iter().enumerate().filter(|(_, own)| own.op == Op::Jump) {
        let to = own.arg as usize;
        let end = (to..code.len().min(to + TAIL)).find(|i| !is_straight(&code[*i]));
        found.extend(end.filter(|end| !(to..=*end).contains(&at)).map(|end| [at, end]));
    }
    found
}

/// Puts copies of code in the place of jumps to it, as far as the function stays small.
pub fn copied(code: &[Instruction], jumps: &[[usize; 2]]) -> Vec<Instruction> {
    let mut writer = MoveWriter::new(code.len());
    let mut room = MOST.saturating_sub(code.len());
    for (i, own) in code.iter().enumerate() {
        writer.begin(i);
        let jump = jumps.iter().find(|[at, _]| *at == i);
        let copy = jump.map(|[_, end]| own.arg as usize..*end + 1).filter(|copy| copy.len() < room);
        let Some(copy) = copy else {
            writer.push(*own);
            continue;
        };
        room -= copy.len();
        let after = copy.end;
        copy.for_each(|i| writer.push(code[i]));
        if code[after - 1].falls_through() {
            writer.push(Instruction { op: Op::Jump, arg: after as u32, aux: 0, ..*own });
        }
    }
    let mut code = writer.end();
    compact(&mut code);
    code
}

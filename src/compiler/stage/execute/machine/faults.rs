//! What a fault does to a step. Where none can come, nothing of this is compiled.

use super::{MASK, Words};
use crate::lang::fault::Fault;
use crate::lang::opcode::Op;

/// What may go wrong in the steps of a run. Where nothing can, none of it is compiled.
pub trait Faults {
    const ON: bool;
    /// Whether this step, counted from 1, is struck: how, and a random word that decides the rest.
    fn at(&mut self, step: u32) -> Option<(Fault, u32)>;
    /// Notes that a fault struck the instruction at an address.
    fn struck(&mut self, fault: Fault, address: usize);
}

/// A machine that does as it is told.
pub struct Faultless;

impl Faults for Faultless {
    const ON: bool = false;
    fn at(&mut self, _: u32) -> Option<(Fault, u32)> {
        None
    }
    fn struck(&mut self, _: Fault, _: usize) {}
}

/// What is left of a struck step.
pub enum Struck {
    /// It is executed, and this is added to the word that it leaves.
    Executed { off: u32 },
    /// It is left out: the stack grows by so much, and so many words of code are passed over.
    LeftOut { growth: i32, words: usize },
}

/// A step of a run: its instruction, and where things are.
pub struct Step {
    pub word: u32,
    pub pc: usize,
    pub fp: usize,
    pub sp: usize,
}

impl Step {
    /// Strikes it, if it can have this fault.
    pub fn strike(&self, m: &mut Words, faults: &mut impl Faults, fault: Fault, random: u32) -> Struck {
        let op = Op::from_u32(self.word & 0xff).unwrap_or(Op::Nop);
        let exposure = op.exposure();
        let mut off = 0;
        match fault {
            Fault::Flipped => {
                let which = (random >> 5) as usize;
                let length = m[self.sp.wrapping_sub(1) & MASK] as usize;
                let place = if exposure.operands > 0 {
                    Some(self.sp.wrapping_sub(1 + which % exposure.operands as usize))
                } else if exposure.variable {
                    Some(self.fp + (self.word >> 8) as usize)
                } else {
                    (exposure.elements && length > 0).then(|| self.sp.wrapping_sub(2 + which % length))
                };
                if let Some(place) = place {
                    faults.struck(fault, self.pc);
                    m[place & MASK] ^= 1 << (random & 31);
                }
            }
            Fault::Lost => {
                if let Some(growth) = exposure.lost {
                    faults.struck(fault, self.pc);
                    return Struck::LeftOut { growth, words: op.shape().words() as usize };
                }
            }
            Fault::Perturbed => {
                if exposure.perturbed {
                    faults.struck(fault, self.pc);
                    off = [1, 2, 1u32.wrapping_neg(), 2u32.wrapping_neg()][(random & 3) as usize];
                }
            }
        }
        Struck::Executed { off }
    }
}

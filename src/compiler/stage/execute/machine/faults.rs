//! Faults in the steps of a run. Without faults none of this code is compiled in.

use super::{MASK, Words};
use crate::lang::fault::LangFault;
use crate::lang::opcode::Op;

/// The source of faults in the steps of a run.
pub trait Faults {
    const ON: bool;
    /// Returns the fault of this step, counted from 1, and a random word that determines its details; `None`
    /// if it has no fault.
    fn at(&mut self, step: u32) -> Option<(LangFault, u32)>;
    /// Records that a fault struck the instruction at an address.
    fn struck(&mut self, fault: LangFault, address: usize);
}

pub struct NoFaults;

impl Faults for NoFaults {
    const ON: bool = false;
    fn at(&mut self, _: u32) -> Option<(LangFault, u32)> {
        None
    }
    fn struck(&mut self, _: LangFault, _: usize) {}
}

/// The execution of a struck step.
pub enum FaultEffect {
    /// The instruction is executed, and `off` is added to its result.
    Executed { off: u32 },
    /// The instruction is skipped, with its words of code; the stack still grows by `growth`.
    LeftOut { growth: i32, words: usize },
}

/// A step of a run: its instruction, and the machine's registers.
pub struct FaultStep {
    pub word: u32,
    pub pc: usize,
    pub fp: usize,
    pub sp: usize,
}

impl FaultStep {
    /// Applies a fault to the step, if its instruction is exposed to that fault.
    pub fn strike(
        &self,
        m: &mut Words,
        faults: &mut impl Faults,
        fault: LangFault,
        random: u32,
    ) -> FaultEffect {
        let op = Op::from_u32(self.word & 0xff).unwrap_or(Op::Nop);
        let exposure = op.exposure();
        let mut off = 0;
        match fault {
            LangFault::Flipped => {
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
            LangFault::Lost => {
                if let Some(growth) = exposure.lost {
                    faults.struck(fault, self.pc);
                    return FaultEffect::LeftOut { growth, words: op.shape().words() as usize };
                }
            }
            LangFault::Perturbed => {
                if exposure.perturbed {
                    faults.struck(fault, self.pc);
                    off = [1, 2, 1u32.wrapping_neg(), 2u32.wrapping_neg()][(random & 3) as usize];
                }
            }
        }
        FaultEffect::Executed { off }
    }
}

//! What a fault of a noisy machine may do to each instruction.
//!
//! Faults strike words of data, never addresses, depths or the lengths of lists, so a struck run stays within its
//! memory and its code whatever happens (`docs/noise.md` says why).

use super::opcode::{Effect, Op};

/// The ways in which a step may go wrong. Numbers are those of the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Fault {
    /// A bit of an operand flips before the instruction.
    Flipped,
    /// The instruction is left out.
    Lost,
    /// What the instruction leaves is off by 1 or 2.
    Perturbed,
}

impl Fault {
    pub const ALL: [Fault; 3] = [Fault::Flipped, Fault::Lost, Fault::Perturbed];

    pub const fn from_u32(n: u32) -> Option<Fault> {
        match n {
            0 => Some(Fault::Flipped),
            1 => Some(Fault::Lost),
            2 => Some(Fault::Perturbed),
            _ => None,
        }
    }
}

/// Which faults an instruction can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Ints or bools on top of the stack of which a bit may flip: 0 to 2.
    pub operands: u32,
    /// Whether a bit of its variable may flip.
    pub variable: bool,
    /// Whether a bit of an element of the list on top of the stack may flip.
    pub elements: bool,
    /// By how much the stack grows where it is left out; none if it never is.
    pub lost: Option<i32>,
    /// Whether what it leaves may be off.
    pub perturbed: bool,
}

/// Places in an exposure's word.
pub const OPERANDS: u32 = 3;
pub const VARIABLE: u32 = 4;
pub const ELEMENTS: u32 = 8;
pub const LOST: u32 = 16;
pub const PERTURBED: u32 = 32;
/// Above them, the growth of the stack where it is left out, and this much.
pub const GROWTH_SHIFT: u32 = 6;
pub const LEAST_GROWTH: i32 = -2;

impl Exposure {
    /// As the shader reads it.
    pub const fn word(self) -> u32 {
        let growth = match self.lost {
            Some(growth) => LOST | ((growth - LEAST_GROWTH) as u32) << GROWTH_SHIFT,
            None => 0,
        };
        self.operands
            | if self.variable { VARIABLE } else { 0 }
            | if self.elements { ELEMENTS } else { 0 }
            | if self.perturbed { PERTURBED } else { 0 }
            | growth
    }
}

impl Op {
    /// What a fault may do to this instruction, by what it may suffer and by its effect. Jumps, calls, and whatever makes or
    /// takes a list are never left out: where the run goes on, how deep it is and how long lists are stay true.
    pub const fn exposure(self) -> Exposure {
        let Effect { takes, taken_lists, leaves, .. } = self.effect();
        let flips = self.suffers(Fault::Flipped);
        // A list among the operands has words above it or none.
        let words = takes - (u32::BITS - taken_lists.leading_zeros());
        Exposure {
            operands: if flips { words } else { 0 },
            variable: flips && takes == 0,
            elements: flips && words == 0 && takes > 0,
            lost: if self.suffers(Fault::Lost) { Some(leaves as i32 - takes as i32) } else { None },
            perturbed: self.suffers(Fault::Perturbed),
        }
    }

    const fn suffers(self, fault: Fault) -> bool {
        let faults = self.faults();
        let mut i = 0;
        while i < faults.len() {
            if faults[i] as u32 == fault as u32 {
                return true;
            }
            i += 1;
        }
        false
    }
}

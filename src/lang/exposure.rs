//! The faults that each instruction is exposed to.

use super::fault::LangFault;
use super::opcode::{Op, StackEffect};

/// The faults that an instruction is exposed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Number of ints or bools on top of the stack in which a bit may flip: 0 to 2.
    pub operands: u32,
    /// Whether a bit of its variable may flip.
    pub variable: bool,
    /// Whether a bit of an element of the list on top of the stack may flip.
    pub elements: bool,
    /// Growth of the stack, which also applies when the instruction is skipped; `None` if it is never
    /// skipped.
    pub lost: Option<i32>,
    /// Whether the instruction's result may be off.
    pub perturbed: bool,
}

/// Bit fields of [`Exposure::word`].
pub const OPERANDS: u32 = 3;
pub const VARIABLE: u32 = 4;
pub const ELEMENTS: u32 = 8;
pub const LOST: u32 = 16;
pub const PERTURBED: u32 = 32;

/// Shift of the field above these bits, which holds `Exposure::lost` less `LEAST_GROWTH`.
pub const GROWTH_SHIFT: u32 = 6;
pub const LEAST_GROWTH: i32 = -2;

impl Exposure {
    /// Packs the exposure into the word that the shader reads.
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
    /// Derives the exposure from the instruction's faults and its effect. Jumps, calls, and instructions that
    /// create or consume lists are never skipped, so control flow, call depth and list lengths stay intact.
    pub const fn exposure(self) -> Exposure {
        let StackEffect { takes, taken_lists, leaves, .. } = self.effect();
        let flips = self.is_exposed_to(LangFault::Flipped);
        // Words above the topmost list operand; all operands if none is a list.
        let words = takes - (u32::BITS - taken_lists.leading_zeros());
        Exposure {
            operands: if flips { words } else { 0 },
            variable: flips && takes == 0,
            elements: flips && words == 0 && takes > 0,
            lost: if self.is_exposed_to(LangFault::Lost) { Some(leaves as i32 - takes as i32) } else { None },
            perturbed: self.is_exposed_to(LangFault::Perturbed),
        }
    }

    const fn is_exposed_to(self, fault: LangFault) -> bool {
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

//! The faults that a noisy machine may inject into each instruction.
//!
//! Faults change data words only, never addresses, call depths or list lengths. A faulty run therefore stays
//! within its memory and its code (`docs/noise.md` explains why).

/// The kinds of fault that can hit an executed instruction. The shader uses the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum LangFault {
    /// A bit of an operand flips before the instruction.
    Flipped,
    /// The instruction is skipped.
    Lost,
    /// The instruction's result is off by 1 or 2.
    Perturbed,
}

impl LangFault {
    pub const ALL: [LangFault; 3] = [LangFault::Flipped, LangFault::Lost, LangFault::Perturbed];

    pub const fn from_u32(n: u32) -> Option<LangFault> {
        match n {
            0 => Some(LangFault::Flipped),
            1 => Some(LangFault::Lost),
            2 => Some(LangFault::Perturbed),
            _ => None,
        }
    }
}

//! The faults that a noisy machine may inject into each instruction.
//!
//! Faults change data words only, never addresses, call depths or list lengths. A faulty run therefore stays
//! within its memory and its code (`docs/noise.md` explains why).

/// The kinds of fault that can hit an executed instruction. The shader uses the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Fault {
    /// A bit of an operand flips before the instruction.
    Flipped,
    /// The instruction is skipped.
    Lost,
    /// The instruction's result is off by 1 or 2.
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

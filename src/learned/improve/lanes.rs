//! Runs windows on many states at once, to tell most of those that differ apart without a proof.

use crate::compiler::stage::optimize::learned::rule::{CONSTANTS, Constant, Operand, RulePiece, SLOTS};
use crate::lang::arithmetic;
use crate::lang::opcode::{Class, Op};

const STATES: usize = 40;
/// The operands below a window, and the room for all.
pub const BELOW: usize = 6;
const ROOM: usize = 20;
/// Numbers that states prefer.
const PREFERRED: [u32; 12] =
    [0, 1, 2, 3, 5, 7, u32::MAX, u32::MAX - 1, i32::MAX as u32, i32::MIN as u32, 32, 255];

/// A state of the machine.
#[derive(Clone, Copy, Debug)]
struct Lane {
    stack: [u32; ROOM],
    height: usize,
    slots: [u32; SLOTS.len()],
    constants: [Option<u32>; CONSTANTS.len()],
    /// The place of the trap that ended it.
    trap: Option<u8>,
    jumps: bool,
}

/// States of the machine.
#[derive(Clone, Debug)]
pub struct Lanes(Vec<Lane>);

impl Lanes {
    /// States in which nothing has happened. They are the same every time.
    pub fn start() -> Lanes {
        let mut state = 0x9e37_79b9u32;
        let mut draw = || {
            state = crate::compiler::stage::execute::mix(state.wrapping_add(0x9e37_79b9));
            match state % 3 {
                0 => PREFERRED[(state >> 8) as usize % PREFERRED.len()],
                1 => (state >> 8) % 64,
                _ => crate::compiler::stage::execute::mix(state),
            }
        };
        let mut lane = || {
            let mut own = Lane {
                stack: [0; ROOM],
                height: BELOW,
                slots: [0; SLOTS.len()],
                constants: [None; CONSTANTS.len()],
                trap: None,
                jumps: false,
            };
            own.stack[..BELOW].fill_with(&mut draw);
            own.slots.fill_with(&mut draw);
            own.constants.fill_with(|| Some(draw()));
            own
        };
        Lanes((0..STATES).map(|_| lane()).collect())
    }

    /// The number of operands.
    pub fn height(&self) -> usize {
        self.0.first().map_or(0, |lane| lane.height)
    }

    /// Executes an instruction. A trap has the place `place`. Returns `None` if the stack is too low or too high.
    pub fn run(&mut self, piece: &RulePiece, place: usize) -> Option<()> {
        self.0.iter_mut().try_for_each(|lane| lane.run(piece, place as u8))
    }

    /// Returns whether both do the same, but for dead variables.
    pub fn same(&self, other: &Lanes, dead: &[u8]) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| {
            let alive = |slot: &usize| !dead.contains(&(*slot as u8));
            a.trap == b.trap
                && (a.trap.is_some()
                    || a.jumps == b.jumps
                        && a.height == b.height
                        && a.stack[..a.height] == b.stack[..b.height]
                        && (0..SLOTS.len()).filter(alive).all(|slot| a.slots[slot] == b.slots[slot]))
        })
    }
}

impl Lane {
    fn pop(&mut self) -> Option<u32> {
        self.height = self.height.checked_sub(1)?;
        Some(self.stack[self.height])
    }

    fn push(&mut self, value: u32) -> Option<()> {
        *self.stack.get_mut(self.height)? = value;
        self.height += 1;
        Some(())
    }

    fn run(&mut self, piece: &RulePiece, place: u8) -> Option<()> {
        let op = piece.op as u32;
        match (piece.op.class(), &piece.operand) {
            (_, Operand::Constant(constant)) => {
                let value = match constant {
                    Constant::Value(value) => *value as u32,
                    constant => constant.value(&self.constants)?,
                };
                self.push(value)
            }
            (_, Operand::Slot(slot)) if piece.op == Op::LoadVar => self.push(self.slots[*slot as usize]),
            (_, Operand::Slot(slot)) => {
                let value = self.pop()?;
                // A state that has trapped does not go on.
                if self.trap.is_none() {
                    self.slots[*slot as usize] = value;
                }
                Some(())
            }
            (Class::Copy, _) => {
                let value = self.pop()?;
                self.push(value)?;
                self.push(value)
            }
            (Class::Unary, _) => {
                let value = self.pop()?;
                self.push(arithmetic::unary(op, value))
            }
            (Class::Binary, _) => {
                let (b, a) = (self.pop()?, self.pop()?);
                let value = arithmetic::binary(op, a, b);
                if value.is_err() && self.trap.is_none() {
                    self.trap = Some(place);
                }
                self.push(value.unwrap_or(0))
            }
            (Class::Branch { on }, _) => {
                self.jumps = (self.pop()? != 0) == on;
                Some(())
            }
            _ => None,
        }
    }
}

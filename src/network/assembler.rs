//! The assembler: turns words into bytecode. A [`AssemblerState`] decides which word may come next.
//!
//! It makes one pass from left to right. Accepted code cannot harm the machine: operands are present and of
//! the right kind, variables are stored before they are read, and every jump leads to a place with the same
//! operands. (The idea is that of the Java virtual machine's bytecode verifier. One pass suffices to merge
//! the states at labels, because the set of stored variables only grows.)

mod effects;

use crate::compiler::stage::emit::fits_operand;
use crate::lang::index::{Address, Index};
use crate::lang::opcode::{Op, word as instruction};
use crate::network::source::{LoopKind, Tables};
use crate::network::vocabulary::{COUNTS, EOS, Family, LABELS, LITERALS, PLAIN, TARGET_MAX, TARGETS};

pub use effects::{AssemblerEffect, effect};

/// The maximum number of operands on the stack.
pub const OPERANDS: u32 = 31;

/// The state of stack and variables at a place in the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Operands on the stack.
    pub depth: u32,
    /// Bit i: operand i, from the bottom, is a list.
    pub lists: u32,
    /// Bit v: variable v is stored on every path to this place.
    pub stored: u32,
    /// Bit v: the loop of variable v has begun on every path to this place.
    pub begun: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Label {
    #[default]
    Unused,
    /// Jumped to, but not placed yet; the frame that all jumps to it have in common.
    Awaited(Frame),
    Placed(Frame),
}

/// The kind of the last word, if it restricts the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Last {
    #[default]
    Other,
    /// The word began the loop of this variable.
    Begun(u32),
    /// Likewise, and a label follows that word.
    BegunAt(u32),
}

/// A set of target words, one bit each.
pub type Mask = [u64; TARGETS.div_ceil(64)];

/// The state before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssemblerState {
    pub frame: Frame,
    /// Whether control can reach this place.
    pub reached: bool,
    pub last: Last,
    pub labels: [Label; LABELS as usize],
    /// The next unused label.
    pub fresh: u32,
    /// Number of awaited labels.
    pub awaited: u32,
    /// Whether `<eos>` has been taken.
    pub ended: bool,
}

impl AssemblerState {
    /// Returns the state before the first word, in which the parameters are stored.
    pub fn new(tables: &Tables) -> Self {
        AssemblerState {
            frame: Frame { stored: (1u32 << tables.params.min(16)) - 1, ..Frame::default() },
            reached: true,
            last: Last::Other,
            labels: [Label::Unused; LABELS as usize],
            fresh: 0,
            awaited: 0,
            ended: false,
        }
    }

    /// Returns whether `word` may come next.
    pub fn allowed(&self, tables: &Tables, word: u16) -> bool {
        Family::of(word).is_some_and(|(family, index)| self.allows(tables, family, index))
    }

    /// Returns all words that may come next: bit `word % 64` of element `word / 64`.
    pub fn allowed_words(&self, tables: &Tables) -> Mask {
        let mut mask = Mask::default();
        for &family in &Family::ALL[..Family::Variable as usize] {
            for index in 0..family.count() {
                let word = family.word(index) as usize;
                mask[word / 64] |= u64::from(self.allows(tables, family, index)) << (word % 64);
            }
        }
        mask
    }

    /// Takes a word. Returns false, and changes nothing, if the word is not allowed.
    pub fn step(&mut self, tables: &Tables, word: u16) -> bool {
        let Some((family, index)) = Family::of(word) else { return false };
        if !self.allows(tables, family, index) {
            return false;
        }
        self.take(tables, family, index);
        true
    }

    fn allows(&self, tables: &Tables, family: Family, index: u32) -> bool {
        if self.ended {
            return false;
        }
        match family {
            Family::Eos => !self.reached && self.awaited == 0,
            Family::Label => self.placed(index).is_some(),
            _ if !self.reached => false,
            Family::For => self.last != Last::Other && self.may_jump(index, self.frame),
            _ if self.last != Last::Other => false,
            _ => {
                let Some(frame) = self.behind(tables, family, index) else { return false };
                match family {
                    Family::Jump | Family::IfFalse | Family::IfTrue => self.may_jump(index, frame),
                    // If such a jump is taken, the condition stays on the stack.
                    Family::IfFalseOrPop | Family::IfTrueOrPop => self.may_jump(index, self.frame),
                    Family::Plain if PLAIN[index as usize] == Op::Return => frame.depth == 0,
                    _ => true,
                }
            }
        }
    }

    /// Takes an allowed word.
    fn take(&mut self, tables: &Tables, family: Family, index: u32) {
        match family {
            Family::Eos => self.ended = true,
            Family::Label => self.place(index),
            // Jumps to the label, or assigns the next value to the loop's variable.
            Family::For => {
                self.jump(index, self.frame);
                if let Last::Begun(variable) | Last::BegunAt(variable) = self.last {
                    self.frame.stored |= 1 << variable;
                }
                self.last = Last::Other;
            }
            _ => {
                let frame = self.behind(tables, family, index).unwrap_or(self.frame);
                match family {
                    Family::Jump => self.jump(index, frame),
                    Family::IfFalse | Family::IfTrue => self.jump(index, frame),
                    Family::IfFalseOrPop | Family::IfTrueOrPop => self.jump(index, self.frame),
                    Family::Range | Family::RangeInclusive | Family::Each => self.last = Last::Begun(index),
                    _ => {}
                }
                let returns = family == Family::Plain && PLAIN[index as usize] == Op::Return;
                self.reached = family != Family::Jump && !returns;
                self.frame = frame;
            }
        }
    }

    /// Returns the frame after an instruction that falls through, or `None` if its operands or variables are
    /// missing.
    fn behind(&self, tables: &Tables, family: Family, index: u32) -> Option<Frame> {
        let effect = effect(tables, family, index)?;
        if effect.reads & !self.frame.stored != 0 { None } else { self.frame.apply(&effect) }
    }

    /// Returns whether a jump to a label is allowed with this frame.
    fn may_jump(&self, label: u32, frame: Frame) -> bool {
        if label > self.fresh {
            return false;
        }
        match self.labels[label as usize] {
            Label::Unused => true,
            Label::Awaited(others) => others.meet(frame).is_some(),
            Label::Placed(there) => there.meet(frame) == Some(there),
        }
    }

    fn jump(&mut self, label: u32, frame: Frame) {
        let known = &mut self.labels[label as usize];
        match *known {
            Label::Unused => {
                *known = Label::Awaited(frame);
                self.fresh += 1;
                self.awaited += 1;
            }
            Label::Awaited(others) => *known = Label::Awaited(others.meet(frame).unwrap_or(others)),
            Label::Placed(_) => {}
        }
    }

    /// Returns the frame and the kind of the last word after the label is placed here, or `None` if it may
    /// not be.
    fn placed(&self, label: u32) -> Option<(Frame, Last)> {
        if label > self.fresh {
            return None;
        }
        let frame = match self.labels[label as usize] {
            Label::Placed(_) => return None,
            Label::Unused if !self.reached => return None,
            Label::Unused => self.frame,
            Label::Awaited(there) if self.reached => self.frame.meet(there)?,
            Label::Awaited(there) => there,
        };
        match self.last {
            Last::Begun(variable) if frame.begun >> variable & 1 != 0 => Some((frame, Last::BegunAt(variable))),
            Last::Other => Some((frame, Last::Other)),
            _ => None,
        }
    }

    /// Places a label here.
    fn place(&mut self, label: u32) {
        let Some((frame, last)) = self.placed(label) else { return };
        match self.labels[label as usize] {
            Label::Unused => self.fresh += 1,
            _ => self.awaited -= 1,
        }
        self.labels[label as usize] = Label::Placed(frame);
        (self.frame, self.last, self.reached) = (frame, last, true);
    }
}

impl Frame {
    /// Returns the common frame of two paths to one place, or `None` if their operands differ.
    fn meet(self, other: Frame) -> Option<Frame> {
        let same = self.depth == other.depth && self.lists == other.lists;
        same.then_some(Frame { stored: self.stored & other.stored, begun: self.begun & other.begun, ..self })
    }

    /// Returns the frame after an instruction, or `None` if its operands are missing or the stack overflows.
    fn apply(self, effect: &AssemblerEffect) -> Option<Frame> {
        let left = self.depth.checked_sub(effect.pops)?;
        let taken = (self.lists >> left) & ((1 << effect.pops) - 1);
        if taken != effect.popped_lists || left + effect.pushes > OPERANDS {
            return None;
        }
        Some(Frame {
            depth: left + effect.pushes,
            lists: self.lists & ((1 << left) - 1) | effect.pushed_lists << left,
            stored: self.stored | effect.stores,
            begun: self.begun | effect.begins,
        })
    }
}

/// The error of invalid words: the index of the first word that is not allowed, or the number of words if the
/// end is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub at: usize,
}

/// Returns the bytecode, at address `origin`, of words that end in `<eos>`.
///
/// # Errors
/// If the words are not valid.
pub fn assemble(tables: &Tables, words: &[u16], origin: Address) -> Result<Vec<u32>, Malformed> {
    let mut state = AssemblerState::new(tables);
    let mut places = [0; LABELS as usize];
    let mut code = Vec::new();
    // Words that need a label's address: the index in the code, the label, and whether an opcode shares the
    // word.
    let mut patches = Vec::new();
    for (at, &word) in words.iter().enumerate() {
        let before = state.last;
        if at >= TARGET_MAX || !state.step(tables, word) {
            return Err(Malformed { at });
        }
        let Some((family, index)) = Family::of(word) else { return Err(Malformed { at }) };
        match family {
            Family::Label => places[index as usize] = origin.number() + code.len() as u32,
            Family::Jump | Family::IfFalse | Family::IfTrue | Family::IfFalseOrPop | Family::IfTrueOrPop => {
                patches.push((code.len(), index, true));
                code.push(instruction(jump_op(family), 0));
            }
            Family::For => {
                let (Last::Begun(variable) | Last::BegunAt(variable)) = before else {
                    return Err(Malformed { at });
                };
                let variable = tables.variables[variable as usize];
                let op = if variable.looping == LoopKind::Range { Op::ForRange } else { Op::ForList };
                code.push(instruction(op, variable.place.number()));
                patches.push((code.len(), index, false));
                code.push(0);
            }
            _ => write(tables, family, index, &mut code),
        }
    }
    if !state.ended {
        return Err(Malformed { at: words.len() });
    }
    for (at, label, beside) in patches {
        let address = places[label as usize];
        code[at] |= if beside { address << 8 } else { address };
    }
    Ok(code)
}

fn jump_op(family: Family) -> Op {
    match family {
        Family::IfFalse => Op::JumpIfFalse,
        Family::IfTrue => Op::JumpIfTrue,
        Family::IfFalseOrPop => Op::JumpIfFalseOrPop,
        Family::IfTrueOrPop => Op::JumpIfTrueOrPop,
        _ => Op::Jump,
    }
}

/// Writes an instruction that has no label and has been accepted by the state.
fn write(tables: &Tables, family: Family, index: u32, code: &mut Vec<u32>) {
    let slot = index as usize;
    let place = |op| instruction(op, tables.variables[slot].place.number());
    match family {
        Family::Plain if PLAIN[slot] == Op::Return && tables.callees[0].result > 0 => {
            code.push(instruction(Op::ReturnList, tables.callees[0].result));
        }
        Family::Plain => code.push(instruction(PLAIN[slot], 0)),
        Family::Literal => constant(LITERALS[slot] as u32, code),
        Family::Copy => constant(tables.constants[slot] as u32, code),
        Family::Load | Family::Store => {
            let variable = tables.variables[slot];
            match (family, variable.capacity) {
                (Family::Load, 0) => code.push(place(Op::LoadVar)),
                (Family::Load, _) => code.push(place(Op::LoadList)),
                (_, 0) => code.push(place(Op::StoreVar)),
                (_, capacity) => code.extend([place(Op::StoreList), capacity]),
            }
        }
        Family::Index => code.push(place(Op::LoadIndexVar)),
        Family::StoreIndex => code.push(place(Op::StoreIndex)),
        Family::SliceOf => code.push(place(Op::SliceVar)),
        Family::Len => code.push(place(Op::ListLenVar)),
        Family::Range => code.push(place(Op::RangeIter)),
        Family::RangeInclusive => code.push(place(Op::RangeIterInclusive)),
        Family::Each => {
            let capacity = match tables.variables[slot].looping {
                LoopKind::List { capacity } => capacity,
                _ => 0,
            };
            code.extend([place(Op::ListIter), capacity]);
        }
        Family::Build => code.push(instruction(Op::BuildList, index)),
        Family::Repeat => code.push(instruction(Op::RepeatList, COUNTS[slot])),
        Family::RepeatCopy => code.push(instruction(Op::RepeatList, tables.constants[slot] as u32)),
        Family::Call => code.push(instruction(Op::Call, tables.callees[slot].function.number())),
        _ => debug_assert!(family == Family::Eos, "{family:?} has a label or is not a target word"),
    }
}

fn constant(value: u32, code: &mut Vec<u32>) {
    if fits_operand(value) {
        code.push(instruction(Op::LoadConst, value));
    } else {
        code.extend([instruction(Op::LoadConstWide, 0), value]);
    }
}

pub fn is_valid(tables: &Tables, words: &[u16]) -> bool {
    let mut state = AssemblerState::new(tables);
    words.len() <= TARGET_MAX
        && words.last() == Some(&EOS)
        && words.iter().all(|&word| state.step(tables, word))
}

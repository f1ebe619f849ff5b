//! Executables: bytecode, with the routines that calls and runs need.

use std::ops::Range;

use super::{Binders, Bytecode, Routines};
use crate::lang::index::{Address, Index, Indices, RoutineId, Slot, TokenId};
use crate::lang::opcode::{Op, Shape};
use crate::lang::ty::Type;
use crate::lang::{NONE, limits};

/// Bytecode and its routines: functions first, then tests and properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executable {
    pub code: Bytecode,
    pub routines: Routines,
}

impl Executable {
    /// Allocated bytes.
    pub fn bytes(&self) -> u64 {
        self.code.bytes() + self.routines.bytes()
    }

    /// Returns a routine, or `None` if there is no such routine.
    pub fn routine(&self, id: RoutineId) -> Option<Routine<'_>> {
        (id.position() < self.routines.token.len()).then_some(Routine { executable: self, id })
    }

    pub fn routines(&self) -> impl DoubleEndedIterator<Item = Routine<'_>> + ExactSizeIterator {
        (0..self.routines.token.len()).map(|row| Routine { executable: self, id: RoutineId::at(row) })
    }

    /// The address after its last word.
    pub fn end(&self) -> Address {
        Address::at(self.code.word.len())
    }

    /// Returns the instruction at an address, and the token that it comes from.
    pub fn at(&self, address: Address) -> Option<(ExecutableInstruction, Option<TokenId>)> {
        let at = address.position();
        let instruction = Instructions { words: &self.code.word, at }.next()?;
        Some((instruction, self.code.token.get(at).copied().and_then(TokenId::from_word)))
    }

    /// Returns this program with different code for one of its functions. The new code is appended to the
    /// existing code, and comes from no token.
    pub fn with_function(&self, function: RoutineId, words: &[u32]) -> Executable {
        let mut changed = self.clone();
        changed.set_function(function, self.end(), words);
        changed
    }

    /// Replaces all code from address `origin` on by new code for `function`.
    pub fn set_function(&mut self, function: RoutineId, origin: Address, words: &[u32]) {
        self.code.word.truncate(origin.position());
        self.code.word.extend_from_slice(words);
        self.code.token.resize(self.code.word.len(), NONE);
        if let Some(address) = self.routines.address.get_mut(function.position()) {
            *address = origin.number();
        }
    }
}

/// A function, test or property of an executable.
#[derive(Clone, Copy, Debug)]
pub struct Routine<'a> {
    executable: &'a Executable,
    pub id: RoutineId,
}

impl<'a> Routine<'a> {
    fn word(self, column: &[u32]) -> u32 {
        column.get(self.id.position()).copied().unwrap_or(0)
    }

    /// Token of `fn`, `test` or `prop`.
    pub fn head(self) -> TokenId {
        TokenId::new(self.word(&self.executable.routines.token))
    }

    /// Address of its first instruction.
    pub fn address(self) -> Address {
        Address::new(self.word(&self.executable.routines.address))
    }

    /// Words of its frame.
    pub fn frame(self) -> u32 {
        self.word(&self.executable.routines.frame)
    }

    /// Number of parameters or binders.
    pub fn params(self) -> u32 {
        self.word(&self.executable.routines.params)
    }

    /// Capacity of parameter or binder `j`; 0 for an int or bool.
    pub fn capacity(self, j: u32) -> u32 {
        self.executable.routines.capacity(self.id.position(), j)
    }

    /// Rows of its binders in [`super::Binders`].
    pub fn binders(self) -> Range<usize> {
        let first = self.word(&self.executable.routines.binders) as usize;
        first..first + self.params() as usize
    }

    pub fn result(self) -> Type {
        Type(self.word(&self.executable.routines.result))
    }

    /// Addresses of its code, which ends where the next routine begins.
    pub fn extent(self) -> Indices<Address> {
        let lo = self.address();
        let behind = self.executable.routines.address.iter().filter(|address| **address > lo.number()).min();
        Indices::new(lo, behind.map_or(self.executable.end(), |hi| Address::new(*hi)))
    }

    /// All words of the program's bytecode.
    pub fn program(self) -> &'a [u32] {
        &self.executable.code.word
    }

    /// The token that a word of its code comes from; `word` is an index into [`Self::words`].
    pub fn token_at(self, word: usize) -> Option<TokenId> {
        let at = self.address().position() + word;
        self.executable.code.token.get(at).copied().and_then(TokenId::from_word)
    }

    pub fn words(self) -> &'a [u32] {
        self.executable.code.word.get(self.extent().positions()).unwrap_or_default()
    }
}

/// A decoded instruction of bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutableInstruction {
    /// Its address.
    pub at: usize,
    pub op: Op,
    /// Value, slot, count, function or target.
    pub operand: u32,
    /// Capacity, or the target of a loop; else 0.
    pub second: u32,
}

impl ExecutableInstruction {
    /// The function that a `CALL` calls.
    pub fn function(self) -> RoutineId {
        RoutineId::new(self.operand)
    }

    /// The variable that it uses; `None` if it uses none.
    pub fn slot(self) -> Option<Slot> {
        let named = matches!(self.op.shape(), Shape::Slot | Shape::SlotCapacity | Shape::SlotTarget);
        named.then(|| Slot::new(self.operand))
    }
}

/// Iterator over the instructions of bytecode. A word with an unknown opcode is decoded as [`Op::Nop`].
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    words: &'a [u32],
    at: usize,
}

impl<'a> Instructions<'a> {
    /// Decodes `words` from the first word on.
    pub fn of(words: &'a [u32]) -> Instructions<'a> {
        Instructions { words, at: 0 }
    }
}

impl Iterator for Instructions<'_> {
    type Item = ExecutableInstruction;

    fn next(&mut self) -> Option<ExecutableInstruction> {
        let at = self.at;
        let word = *self.words.get(at)?;
        let second = self.words.get(at + 1).copied().unwrap_or(0);
        let op = Op::from_u32(word & 0xff).unwrap_or(Op::Nop);
        self.at += op.shape().words() as usize;
        let (operand, second) = match op.shape() {
            Shape::Value => ((word as i32 >> 8) as u32, 0),
            Shape::Wide => (second, 0),
            Shape::SlotCapacity | Shape::SlotTarget => (word >> 8, second),
            _ => (word >> 8, 0),
        };
        Some(ExecutableInstruction { at, op, operand, second })
    }
}

impl Routines {
    /// Capacity of parameter or binder `j` of a routine; 0 for an int or bool.
    pub fn capacity(&self, routine: usize, j: u32) -> u32 {
        [&self.caps0, &self.caps1, &self.caps2, &self.caps3]
            .get(j as usize / 4)
            .and_then(|caps| caps.get(routine))
            .map_or(0, |caps| caps >> (8 * (j % 4)) & 0xff)
    }
}

impl Binders {
    /// The greatest length of a list binder; `None` for an int.
    pub fn longest(&self, row: usize) -> Option<u32> {
        self.max_len.get(row).copied().filter(|longest| *longest != NONE)
    }

    /// The capacity of a list binder; 0 for an int.
    pub fn capacity(&self, row: usize) -> u32 {
        match self.longest(row) {
            None => 0,
            Some(0) => limits::DEFAULT_CAPACITY,
            Some(longest) => longest,
        }
    }
}

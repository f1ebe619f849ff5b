//! splice: compiles a mutant by compiling only its changed functions.
//!
//! A function's code depends on its own tokens, on the constants, and on the headers of the functions that it
//! calls, but not on other bodies. So each function of the base has a [`SplicePart`], a small program of just these
//! tokens. An edit is applied to the part; the function's code from the compiled part replaces the old code
//! in the base's bytecode. A test checks that the result equals the compiled whole mutant, word for word.

pub mod part;
mod rewritten;

use std::ops::Range;

use crate::compiler::program::{Compiled, Executable, Routine, Tokens};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::mutate::{self, Edit, Edits};
use crate::lang::index::{Address, Index, Indices, RoutineId, TokenId};
use crate::lang::limits;
use crate::lang::opcode::{Op, Shape};
use part::SplicePart;
pub use rewritten::{RewriteResult, RewriteScratch, Rewriter};

/// The parts of a base, shared by all of its mutants.
pub struct Splice {
    parts: Vec<(SplicePart, Tokens)>,
    addresses: Vec<(usize, bool)>,
}

/// The compiled code of a function, to be placed in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Segment {
    pub function: RoutineId,
    /// The code, with addresses relative to its beginning.
    pub words: Vec<u32>,
    pub frame: u32,
}

impl Segment {
    /// Appends the code to a program's words and relocates its addresses.
    pub fn place(&self, out: &mut Vec<u32>) {
        let begin = out.len();
        out.extend_from_slice(&self.words);
        let by = begin as u32;
        let words = &mut out[begin..];
        for_each_instruction(&self.words, |at, op| match op.shape() {
            Shape::Target => words[at] = relocated(words[at], by),
            Shape::SlotTarget => words[at + 1] = words[at + 1].wrapping_add(by),
            _ => {}
        });
    }
}

/// Scratch memory of a thread.
#[derive(Default)]
pub struct SpliceScratch {
    segments: [Segment; 2],
}

impl Splice {
    /// Builds the parts of a base without errors, or with holes.
    pub fn new(base: &Compiled) -> Splice {
        let with_tokens = |part: SplicePart| {
            let tokens = part.program(&base.tokens);
            (part, tokens)
        };
        let parts = SplicePart::all(base).into_iter().map(with_tokens).collect();
        let addresses = addresses(&base.executable.code.word);
        Splice { parts, addresses }
    }

    /// Compiles the mutant with these edits to bytecode and routines. Returns false if it does not compile.
    pub fn compile(
        &self,
        base: &Compiled,
        edits: Edits,
        compiler: &mut Compiler,
        scratch: &mut SpliceScratch,
        out: &mut Executable,
    ) -> bool {
        if !self.fits(base, edits) {
            return false;
        }
        let [first, second] = &mut scratch.segments;
        let compiles = match (self.functions(edits), edits.second) {
            ((f, Some(g)), Some(other)) => {
                let both = self.segment(base, edits.first.into(), compiler, first)
                    && self.segment(base, other.into(), compiler, second);
                // Segments are placed in the order of the code, whatever the order of the edits.
                let segments = if g < f { [&*second, &*first] } else { [&*first, &*second] };
                both.then(|| self.assemble(base, &segments, out))
            }
            _ => self.segment(base, edits, compiler, first).then(|| self.assemble(base, &[first], out)),
        };
        compiles.is_some()
    }

    /// Returns whether the mutant with these edits stays within the limit on tokens.
    pub fn fits(&self, base: &Compiled, edits: Edits) -> bool {
        base.tokens.kind.len() as i64 + edits.growth() <= limits::TOKENS as i64
    }

    /// Returns the functions that edits change; the second is `None` if both edits change the same function.
    pub fn functions(&self, edits: Edits) -> (RoutineId, Option<RoutineId>) {
        let (first, second) = (self.function(edits.first), edits.second.map(|edit| self.function(edit)));
        (first, second.filter(|second| *second != first))
    }

    fn function(&self, edit: Edit) -> RoutineId {
        self.function_at(edit.lo)
    }

    /// The function that contains a token, if any does.
    pub fn function_at(&self, token: TokenId) -> RoutineId {
        RoutineId::at(self.parts.partition_point(|(part, _)| part.tokens.start() <= token).saturating_sub(1))
    }

    pub fn extent(&self, function: RoutineId) -> Indices<TokenId> {
        self.parts.get(function.position()).map_or(Indices::first(0), |(part, _)| part.tokens)
    }

    /// Compiles the function of the first edit with its edits. The second must be in the same function. Returns
    /// false if the function does not compile.
    pub fn segment(
        &self,
        base: &Compiled,
        Edits { first, second }: Edits,
        compiler: &mut Compiler,
        out: &mut Segment,
    ) -> bool {
        let function = self.function(first);
        let shifted = |edit: Edit| edit.shifted(self.offset_in_part(function));
        let tokens = self.tokens(function);
        let edits = Edits { first: shifted(first), second: second.map(shifted) };
        mutate::apply(tokens, edits, &mut compiler.tokens) && self.compile_part(base, function, compiler, out)
    }

    /// Offset of a function's tokens in its part, relative to their position in the base.
    pub fn offset_in_part(&self, function: RoutineId) -> i64 {
        let part = &self.parts[function.position()].0;
        i64::from(part.at) - i64::from(part.tokens.start().number())
    }

    /// Compiles a function whose changed part is already in the compiler's tokens. Returns false if it does
    /// not compile.
    pub fn compile_part(
        &self,
        base: &Compiled,
        function: RoutineId,
        compiler: &mut Compiler,
        out: &mut Segment,
    ) -> bool {
        let part = &self.parts[function.position()].0;
        compiler.part = part.holes;
        compiler.mutant(&base.text, base.facts.names, base.level);
        compiler.part = 0;
        if !compiler.compiles() {
            return false;
        }
        let (Some(address), Some(frame)) =
            (compiler.back.executable.routines.address.last(), compiler.back.executable.routines.frame.last())
        else {
            return false;
        };
        (out.function, out.frame) = (function, *frame);
        cut(&compiler.back.executable.code.word, Address::new(*address), &mut out.words);
        // Function numbers of the part become those of the base.
        let words = &mut out.words;
        for_each_instruction(&compiler.back.executable.code.word[*address as usize..], |at, op| {
            if op.shape() == Shape::Function {
                words[at] = crate::lang::opcode::word(op, part.functions[(words[at] >> 8) as usize].number());
            }
        });
        true
    }

    pub fn tokens(&self, function: RoutineId) -> &Tokens {
        &self.parts[function.position()].1
    }

    /// The unchanged code of a function.
    pub fn own(&self, base: &Compiled, function: RoutineId) -> Segment {
        let (words, mut own) = (&self.parts[function.position()].0.words, Vec::new());
        cut(&base.executable.code.word[..words.end], Address::at(words.start), &mut own);
        Segment { function, words: own, frame: base.executable.routines.frame[function.position()] }
    }

    /// Writes the base's code with segments in place of their functions. Segments must be in the order of the
    /// code.
    pub fn assemble(&self, base: &Compiled, segments: &[&Segment], out: &mut Executable) {
        let Executable { code, routines } = out;
        for (to, from) in routines.columns_mut().into_iter().zip(base.executable.routines.columns()) {
            to.clear();
            to.extend_from_slice(from);
        }
        let out = &mut code.word;
        out.clear();
        // A mutant is only judged, so nobody asks where its instructions come from.
        code.token.clear();
        let mut taken = 0;
        for segment in segments {
            let (part, _) = &self.parts[segment.function.position()];
            self.copy(base, taken..part.words.start, out);
            segment.place(out);
            let longer = (segment.words.len() as u32).wrapping_sub(part.words.len() as u32);
            for (address, old) in routines.address.iter_mut().zip(&base.executable.routines.address) {
                // Code before the function does not move.
                if *old as usize > part.words.start {
                    *address = address.wrapping_add(longer);
                }
            }
            routines.frame[segment.function.position()] = segment.frame;
            taken = part.words.end;
        }
        self.copy(base, taken..base.executable.code.word.len(), out);
    }

    /// Appends words of the base to `out`, with relocated addresses.
    fn copy(&self, base: &Compiled, words: Range<usize>, out: &mut Vec<u32>) {
        let begin = out.len();
        out.extend_from_slice(&base.executable.code.word[words.clone()]);
        let by = (begin as u32).wrapping_sub(words.start as u32);
        // The words before the first changed function stay where they are.
        if by == 0 {
            return;
        }
        let first = self.addresses.partition_point(|(at, _)| *at < words.start);
        for (at, in_operand) in self.addresses[first..].iter().take_while(|(at, _)| *at < words.end) {
            let word = &mut out[begin + at - words.start];
            *word = if *in_operand { relocated(*word, by) } else { word.wrapping_add(by) };
        }
    }
}

/// Returns the code of a routine, with addresses relative to its beginning.
pub fn code(routine: Routine) -> Vec<u32> {
    let (extent, mut words) = (routine.extent(), Vec::new());
    if let Some(program) = routine.program().get(..extent.end().position()) {
        cut(program, extent.start(), &mut words);
    }
    words
}

/// Copies the words of a program from `address` on, with addresses relative to `address`.
fn cut(program: &[u32], address: Address, out: &mut Vec<u32>) {
    out.clear();
    let (words, by) = (&program[address.position()..], 0u32.wrapping_sub(address.number()));
    out.extend_from_slice(words);
    for_each_instruction(words, |at, op| match op.shape() {
        Shape::Target => out[at] = relocated(out[at], by),
        Shape::SlotTarget => out[at + 1] = out[at + 1].wrapping_add(by),
        _ => {}
    });
}

/// Returns the indices of the words of bytecode that hold an address, in order, and whether it is in an
/// instruction's operand.
pub fn addresses(words: &[u32]) -> Vec<(usize, bool)> {
    let mut addresses = vec![];
    for_each_instruction(words, |at, op| match op.shape() {
        Shape::Target => addresses.push((at, true)),
        Shape::SlotTarget => addresses.push((at + 1, false)),
        _ => {}
    });
    addresses
}

/// Adds `by` to the address in an instruction's operand.
fn relocated(word: u32, by: u32) -> u32 {
    word.wrapping_add(by << 8)
}

/// Calls `found` with the index and operation of each instruction.
fn for_each_instruction(words: &[u32], mut found: impl FnMut(usize, Op)) {
    let mut at = 0;
    while let Some(op) = words.get(at).and_then(|word| Op::from_u32(word & 0xff)) {
        found(at, op);
        at += op.shape().words() as usize;
    }
}

//! Compiles a mutant by its changed functions alone.
//!
//! No stage looks from one function into another's body: a function's code depends on its own tokens, on the constants
//! and on the headers of the functions that it calls. So each function of the base gets a [`Part`], a small program of just
//! these; a mutant is the part with its edit, compiled, and put in the place of the function in the base's bytecode. What comes out
//! is to the word what compiling the whole mutant gives, which a test compares.

pub mod part;
mod rewritten;

use std::ops::Range;

use crate::compiler::program::{Compiled, Executable, Routine, Tokens};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::mutate::{self, Edit};
use crate::lang::limits;
use crate::lang::opcode::{Op, Shape};
use part::Part;
pub use rewritten::{Made, Rewriter, Workshop};

/// What mutants of one base have in common.
pub struct Splice {
    /// Each with its tokens.
    parts: Vec<(Part, Tokens)>,
    addresses: Vec<(usize, bool)>,
}

/// A function's new code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Segment {
    pub function: usize,
    /// Addresses are counted from the function's begin.
    pub words: Vec<u32>,
    pub frame: u32,
}

impl Segment {
    /// Appends the words to a program's, where they then stand.
    pub fn place(&self, out: &mut Vec<u32>) {
        let begin = out.len();
        out.extend_from_slice(&self.words);
        let by = begin as u32;
        let words = &mut out[begin..];
        each_instruction(&self.words, |at, op| match op.shape() {
            Shape::Target => words[at] = moved(words[at], by),
            Shape::SlotTarget => words[at + 1] = words[at + 1].wrapping_add(by),
            _ => {}
        });
    }
}

/// What a thread needs to splice.
#[derive(Default)]
pub struct Scratch {
    segments: [Segment; 2],
}

impl Splice {
    /// Cuts a base without errors into parts.
    pub fn new(base: &Compiled) -> Splice {
        let with_tokens = |part: Part| {
            let tokens = part.program(&base.tokens);
            (part, tokens)
        };
        let parts = Part::all(base).into_iter().map(with_tokens).collect();
        let addresses = addresses(&base.executable.code.word);
        Splice { parts, addresses }
    }

    /// Compiles the mutant with these edits: its bytecode, and the routines as they then are. False if it does not compile.
    pub fn compile(
        &self,
        base: &Compiled,
        edits: (Edit, Option<Edit>),
        compiler: &mut Compiler,
        scratch: &mut Scratch,
        out: &mut Executable,
    ) -> bool {
        let (a, b) = edits;
        if !self.fits(base, edits) {
            return false;
        }
        let (f, g) = (self.function(a), b.map(|b| self.function(b)));
        let [first, second] = &mut scratch.segments;
        let compiles = match (b, g) {
            (Some(b), Some(g)) if f != g => {
                let both = self.segment(base, (a, None), compiler, first)
                    && self.segment(base, (b, None), compiler, second);
                let segments = if g < f { [&*second, &*first] } else { [&*first, &*second] };
                both.then(|| self.assemble(base, &segments, out))
            }
            _ => self.segment(base, edits, compiler, first).then(|| self.assemble(base, &[first], out)),
        };
        compiles.is_some()
    }

    /// Whether the mutant with these edits has no more tokens than a program may have.
    pub fn fits(&self, base: &Compiled, (a, b): (Edit, Option<Edit>)) -> bool {
        let tokens = base.tokens.kind.len() as i64 + a.growth() + b.map_or(0, |b| b.growth());
        tokens <= limits::TOKENS as i64
    }

    /// The functions that edits change; the second is `None` where both change the first.
    pub fn functions(&self, (a, b): (Edit, Option<Edit>)) -> (u32, Option<u32>) {
        let (first, second) = (self.function(a), b.map(|b| self.function(b)));
        (first as u32, second.filter(|second| *second != first).map(|second| second as u32))
    }

    /// The function that an edit is in.
    fn function(&self, edit: Edit) -> usize {
        self.function_at(edit.lo)
    }

    /// The function that a token is in, where it is in one.
    pub fn function_at(&self, token: u32) -> usize {
        self.parts.partition_point(|(part, _)| part.tokens.start <= token).saturating_sub(1)
    }

    /// A function's tokens in the base.
    pub fn extent(&self, function: usize) -> Range<u32> {
        self.parts.get(function).map_or(0..0, |(part, _)| part.tokens.clone())
    }

    /// Compiles one function with its edits, which must all be in that. False if it does not compile.
    pub fn segment(
        &self,
        base: &Compiled,
        (a, b): (Edit, Option<Edit>),
        compiler: &mut Compiler,
        out: &mut Segment,
    ) -> bool {
        let function = self.function(a);
        let shifted = |edit: Edit| edit.later(self.later(function));
        let tokens = self.tokens(function);
        mutate::apply(tokens, shifted(a), b.map(shifted), &mut compiler.tokens)
            && self.compile_part(base, function, compiler, out)
    }

    /// By how many tokens a function stands later in its part than in the base.
    pub fn later(&self, function: usize) -> i64 {
        let part = &self.parts[function].0;
        i64::from(part.at) - i64::from(part.tokens.start)
    }

    /// Compiles a function whose part, with what is changed in it, is the compiler's tokens. False if it does not compile.
    pub fn compile_part(
        &self,
        base: &Compiled,
        function: usize,
        compiler: &mut Compiler,
        out: &mut Segment,
    ) -> bool {
        let part = &self.parts[function].0;
        compiler.mutant(&base.text, base.facts.names);
        if !compiler.compiles() {
            return false;
        }
        let (Some(address), Some(frame)) =
            (compiler.back.executable.routines.address.last(), compiler.back.executable.routines.frame.last())
        else {
            return false;
        };
        (out.function, out.frame) = (function, *frame);
        cut(&compiler.back.executable.code.word, *address, &mut out.words);
        // Numbers of functions become the base's.
        let words = &mut out.words;
        each_instruction(&compiler.back.executable.code.word[*address as usize..], |at, op| {
            if op.shape() == Shape::Function {
                words[at] = crate::lang::opcode::word(op, part.functions[(words[at] >> 8) as usize]);
            }
        });
        true
    }

    /// The tokens that a function's code depends on.
    pub fn tokens(&self, function: usize) -> &Tokens {
        &self.parts[function].1
    }

    /// A function's own code.
    pub fn own(&self, base: &Compiled, function: usize) -> Segment {
        let (words, mut own) = (&self.parts[function].0.words, Vec::new());
        cut(&base.executable.code.word[..words.end], words.start as u32, &mut own);
        Segment { function, words: own, frame: base.executable.routines.frame[function] }
    }

    /// The base's code with segments, in order, in place of their functions.
    pub fn assemble(&self, base: &Compiled, segments: &[&Segment], out: &mut Executable) {
        let Executable { code, routines } = out;
        for (to, from) in routines.columns_mut().into_iter().zip(base.executable.routines.columns()) {
            to.clear();
            to.extend_from_slice(from);
        }
        let out = &mut code.word;
        out.clear();
        code.token.clear();
        let mut taken = 0;
        for segment in segments {
            let (part, _) = &self.parts[segment.function];
            self.copy(base, taken..part.words.start, out);
            segment.place(out);
            let longer = (segment.words.len() as u32).wrapping_sub(part.words.len() as u32);
            for (address, old) in routines.address.iter_mut().zip(&base.executable.routines.address) {
                if *old as usize > part.words.start {
                    *address = address.wrapping_add(longer);
                }
            }
            routines.frame[segment.function] = segment.frame;
            taken = part.words.end;
        }
        self.copy(base, taken..base.executable.code.word.len(), out);
    }

    /// Copies words of the base to the end of `out`, with their addresses as far away as they were.
    fn copy(&self, base: &Compiled, words: Range<usize>, out: &mut Vec<u32>) {
        let begin = out.len();
        out.extend_from_slice(&base.executable.code.word[words.clone()]);
        let by = (begin as u32).wrapping_sub(words.start as u32);
        if by == 0 {
            return;
        }
        let first = self.addresses.partition_point(|(at, _)| *at < words.start);
        for (at, in_operand) in self.addresses[first..].iter().take_while(|(at, _)| *at < words.end) {
            let word = &mut out[begin + at - words.start];
            *word = if *in_operand { moved(*word, by) } else { word.wrapping_add(by) };
        }
    }
}

/// The words of a routine, addresses counted from its begin.
pub fn code(routine: Routine) -> Vec<u32> {
    let (extent, mut words) = (routine.extent(), Vec::new());
    if let Some(program) = routine.program().get(..extent.end) {
        cut(program, extent.start as u32, &mut words);
    }
    words
}

/// The words of a program from an address on, where addresses are counted from there.
fn cut(program: &[u32], address: u32, out: &mut Vec<u32>) {
    out.clear();
    out.extend_from_slice(&program[address as usize..]);
    each_instruction(&program[address as usize..], |at, op| match op.shape() {
        Shape::Target => out[at] = moved(out[at], 0u32.wrapping_sub(address)),
        Shape::SlotTarget => out[at + 1] = out[at + 1].wrapping_sub(address),
        _ => {}
    });
}

/// The words of bytecode that hold an address, in order, and whether in the operand of an instruction.
pub fn addresses(words: &[u32]) -> Vec<(usize, bool)> {
    let mut addresses = vec![];
    each_instruction(words, |at, op| match op.shape() {
        Shape::Target => addresses.push((at, true)),
        Shape::SlotTarget => addresses.push((at + 1, false)),
        _ => {}
    });
    addresses
}

/// An instruction whose operand is an address, that much later.
fn moved(word: u32, by: u32) -> u32 {
    word.wrapping_add(by << 8)
}

/// Hands out where each instruction stands, and what it is.
fn each_instruction(words: &[u32], mut found: impl FnMut(usize, Op)) {
    let mut at = 0;
    while let Some(op) = words.get(at).and_then(|word| Op::from_u32(word & 0xff)) {
        found(at, op);
        at += op.shape().words() as usize;
    }
}

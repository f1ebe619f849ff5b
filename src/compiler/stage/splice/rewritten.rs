//! A function of a base in another writing, compiled alone.
//!
//! The text of the function is lexed by itself, given the base's names, and put behind the constants and the headers of the base's functions
//! that it names: a part as that of a mutant, so its code is to the word what compiling the whole program gives. The new text has to begin with
//! the function's own header and to be one function from the first byte to the last; what is not says so, and is to be compiled whole.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::part::{BODY, constants, header};
use super::{Segment, cut, each_instruction};
use crate::compiler::program::{Compiled, Facts, Tokens};
use crate::compiler::stage::{Compiler, lex};
use crate::lang::limits;
use crate::lang::opcode::{self, Shape};
use crate::lang::token::{FIRST_NAME, TokenKind};

/// What a base's functions in other writings have in common.
pub struct Rewriter {
    names: HashMap<Box<str>, u32>,
    /// The functions by their names.
    functions: HashMap<u32, u32>,
    constant_names: HashSet<u32>,
    constants: Vec<Range<usize>>,
    headers: Vec<Range<usize>>,
}

/// What a thread needs to compile them.
#[derive(Default)]
pub struct Workshop {
    tokens: Tokens,
    facts: Facts,
    lex: lex::Scratch,
    called: Vec<u32>,
}

/// What a text is as a function of the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// Not this one function and nothing else: nothing is known of it.
    Other,
    /// It has errors, and so has every program that it is in.
    Invalid,
    /// It compiles, and has so many tokens.
    Code(usize),
}

impl Rewriter {
    /// Of a base without errors.
    pub fn new(base: &Compiled) -> Rewriter {
        let view = base.view();
        let of_kind = |t: &u32| view.kind(*t) == TokenKind::Name;
        let id = |t: u32| base.tokens.value[t as usize];
        let heads = &base.executable.routines.token[..base.facts.functions as usize];
        let constants = constants(base);
        Rewriter {
            names: (0..view.len()).filter(of_kind).map(|t| (view.text(t).into(), id(t))).collect(),
            // The name stands right behind the `fn`, or the `const`.
            functions: (0..).zip(heads).map(|(function, head)| (id(head + 1), function)).collect(),
            constant_names: constants.iter().map(|tokens| id(tokens.start as u32 + 1)).collect(),
            constants,
            headers: heads.iter().map(|head| header(base, *head as usize)).collect(),
        }
    }

    /// Compiles a function that is written so now. Where that has code, `out` has it, as it is in the whole program.
    pub fn segment(
        &self,
        base: &Compiled,
        function: u32,
        text: &str,
        (compiler, workshop): (&mut Compiler, &mut Workshop),
        out: &mut Segment,
    ) -> Made {
        let Workshop { tokens, facts, lex, called } = workshop;
        lex::run(text, tokens, facts, lex);
        let Some(own) = self.headers.get(function as usize).filter(|_| !facts.stopped()) else {
            return Made::Other;
        };
        if facts.errors > 0 {
            return Made::Invalid;
        }
        let count = tokens.kind.len();
        // It ends where the program goes on: behind a brace, not in a comment.
        let ends = tokens.hi.last() == Some(&(text.len() as u32))
            && tokens.kind.last() == Some(&(TokenKind::RightBrace as u32));
        if !ends || !same_header(base, own, text, tokens) {
            return Made::Other;
        }
        let names = self.rename(base.facts.names, text, tokens);
        called.clear();
        called
            .extend(names_of(tokens).filter_map(|name| self.functions.get(&name)).filter(|f| **f != function));
        called.sort_unstable();
        called.dedup();
        let at = self.part(base, called, tokens, &mut compiler.tokens);
        if compiler.tokens.kind.len() > limits::TOKENS {
            return Made::Other;
        }
        compiler.mutant(text, names);
        if !compiler.compiles() {
            return Made::Invalid;
        }
        let routines = &compiler.back.executable.routines;
        let alone = routines.token.len() == called.len() + 1
            && compiler.facts.functions as usize == routines.token.len()
            && routines.token.last() == Some(&(at as u32))
            && compiler.tree.hi.get(at) == Some(&((at + count) as u32));
        let (Some(address), Some(frame), true) = (routines.address.last(), routines.frame.last(), alone) else {
            return Made::Other;
        };
        (out.function, out.frame) = (function as usize, *frame);
        called.push(function);
        let code = &compiler.back.executable.code.word;
        cut(code, *address, &mut out.words);
        // Numbers of functions become the base's.
        let words = &mut out.words;
        each_instruction(&code[*address as usize..], |at, op| {
            if op.shape() == Shape::Function {
                words[at] = opcode::word(op, called[(words[at] >> 8) as usize]);
            }
        });
        Made::Code(count)
    }

    /// Gives names the numbers that they have in the base, and those that it does not have numbers above `names`. Returns one more than the
    /// greatest.
    fn rename(&self, names: u32, text: &str, tokens: &mut Tokens) -> u32 {
        for t in 0..tokens.kind.len() {
            let value = tokens.value[t];
            if tokens.kind[t] == TokenKind::Name as u32 && value >= FIRST_NAME {
                let word = text.get(tokens.lo[t] as usize..tokens.hi[t] as usize).unwrap_or("");
                tokens.value[t] = match self.names.get(word) {
                    Some(known) => *known,
                    None => names + (value - FIRST_NAME),
                };
            }
        }
        names + tokens.kind.len() as u32
    }

    /// Writes the part: constants where any is named, headers, and the function, whose place it returns.
    fn part(&self, base: &Compiled, called: &[u32], own: &Tokens, out: &mut Tokens) -> usize {
        let headers = || called.iter().filter_map(|function| self.headers.get(*function as usize));
        let in_base = |t: usize| base.tokens.value[t];
        let is_name = |t: &usize| base.tokens.kind[*t] == TokenKind::Name as u32;
        let in_headers = headers().flat_map(|tokens| tokens.clone().filter(is_name).map(in_base));
        let constants = in_headers.chain(names_of(own)).any(|name| self.constant_names.contains(&name));
        out.clear();
        for tokens in self.constants.iter().filter(|_| constants) {
            extend(out, &base.tokens, tokens.clone());
        }
        for tokens in headers() {
            extend(out, &base.tokens, tokens.clone());
            for kind in BODY {
                extend(out, &base.tokens, tokens.start..tokens.start + 1);
                if let (Some(last), Some(value)) = (out.kind.last_mut(), out.value.last_mut()) {
                    (*last, *value) = (kind as u32, 0);
                }
            }
        }
        let at = out.kind.len();
        extend(out, own, 0..own.kind.len());
        at
    }
}

/// Whether a text begins with the tokens of a function's header, which its block follows.
fn same_header(base: &Compiled, header: &Range<usize>, text: &str, tokens: &Tokens) -> bool {
    let word = |text: &str, of: &Tokens, t: usize| {
        Some(text.as_bytes().get(of.lo[t] as usize..of.hi[t] as usize)?.to_vec())
    };
    let same = |(t, own): (usize, usize)| {
        base.tokens.kind[t] == tokens.kind[own] && word(&base.text, &base.tokens, t) == word(text, tokens, own)
    };
    tokens.kind.len() > header.len()
        && tokens.kind[header.len()] == TokenKind::LeftBrace as u32
        && header.clone().zip(0..).all(same)
}

fn names_of(tokens: &Tokens) -> impl Iterator<Item = u32> {
    let pairs = tokens.kind.iter().zip(&tokens.value);
    pairs.filter(|(kind, _)| **kind == TokenKind::Name as u32).map(|(_, value)| *value)
}

fn extend(out: &mut Tokens, from: &Tokens, range: Range<usize>) {
    for (to, column) in out.columns_mut().into_iter().zip(from.columns()) {
        to.extend_from_slice(column.get(range.clone()).unwrap_or_default());
    }
}

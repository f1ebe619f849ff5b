//! Compiles a rewritten function of a base, without the rest of the program.
//!
//! The function's new text is lexed on its own, and its names get their ids in the base. The constants and
//! the headers of the functions that it names are put before it, which yields a part as for a mutant. So its
//! code equals that in the whole program, word for word. The new text must begin with the function's own
//! header and be exactly one function. Otherwise [`RewriteResult::Other`] is returned, and the program must be
//! compiled as a whole.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::part::{BODY, constants, header};
use super::{Segment, cut, for_each_instruction};
use crate::compiler::program::{Compiled, Facts, Tokens};
use crate::compiler::stage::{Compiler, lex};
use crate::lang::index::{Address, Index, Indices, RoutineId, TokenId};
use crate::lang::limits;
use crate::lang::opcode::{self, Shape};
use crate::lang::token::{FIRST_NAME, TokenKind};

/// The data of a base that compiling rewritten functions needs.
pub struct Rewriter {
    names: HashMap<Box<str>, u32>,
    /// Function numbers by name id.
    functions: HashMap<u32, RoutineId>,
    constant_names: HashSet<u32>,
    constants: Vec<Indices<TokenId>>,
    headers: Vec<Indices<TokenId>>,
}

/// Scratch memory of a thread.
#[derive(Default)]
pub struct RewriteScratch {
    tokens: Tokens,
    facts: Facts,
    lex: lex::LexScratch,
    called: Vec<RoutineId>,
}

/// The result of compiling a text as a function of the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewriteResult {
    /// The text is not exactly this one function. Nothing else is known about it.
    Other,
    /// The text has errors, and so does every program that contains it.
    Invalid,
    /// The text compiles and has this number of tokens.
    Code(usize),
}

impl Rewriter {
    /// Prepares a base without errors.
    pub fn new(base: &Compiled) -> Rewriter {
        let view = base.view();
        let of_kind = |t: &TokenId| view.kind(*t) == TokenKind::Name;
        let id = |t: TokenId| view.value(t);
        let heads = &base.executable.routines.token[..base.facts.functions as usize];
        let heads = || heads.iter().copied().map(TokenId::new);
        let constants = constants(base);
        Rewriter {
            names: view.all().iter().filter(of_kind).map(|t| (view.text(t).into(), id(t))).collect(),
            // The name is the token after `fn` or `const`.
            functions: { base.functions().iter() }
                .zip(heads())
                .map(|(function, head)| (id(head + 1), function))
                .collect(),
            constant_names: constants.iter().map(|tokens| id(tokens.start() + 1)).collect(),
            constants,
            headers: heads().map(|head| header(base, head)).collect(),
        }
    }

    /// Compiles `text` as the new text of a function. If it has code, writes that code to `out` as in the
    /// whole program.
    pub fn segment(
        &self,
        base: &Compiled,
        function: RoutineId,
        text: &str,
        (compiler, workshop): (&mut Compiler, &mut RewriteScratch),
        out: &mut Segment,
    ) -> RewriteResult {
        let RewriteScratch { tokens, facts, lex, called } = workshop;
        lex::run(text, tokens, facts, lex);
        let Some(own) = self.headers.get(function.position()).filter(|_| !facts.stopped()) else {
            return RewriteResult::Other;
        };
        if facts.errors > 0 {
            return RewriteResult::Invalid;
        }
        let count = tokens.kind.len();
        // The text must end with a brace, as comments would swallow what follows it in the program.
        let ends = tokens.hi.last() == Some(&(text.len() as u32))
            && tokens.kind.last() == Some(&(TokenKind::RightBrace as u32));
        if !ends || !same_header(base, *own, text, tokens) {
            return RewriteResult::Other;
        }
        let names = self.rename(base.facts.names, text, tokens);
        called.clear();
        called
            .extend(names_of(tokens).filter_map(|name| self.functions.get(&name)).filter(|f| **f != function));
        called.sort_unstable();
        called.dedup();
        let at = self.part(base, called, tokens, &mut compiler.tokens);
        if compiler.tokens.kind.len() > limits::TOKENS {
            return RewriteResult::Other;
        }
        compiler.mutant(text, names, base.level);
        if !compiler.compiles() {
            return RewriteResult::Invalid;
        }
        let routines = &compiler.back.executable.routines;
        let alone = routines.token.len() == called.len() + 1
            && compiler.facts.functions as usize == routines.token.len()
            && routines.token.last() == Some(&(at as u32))
            && compiler.tree.hi.get(at) == Some(&((at + count) as u32));
        let (Some(address), Some(frame), true) = (routines.address.last(), routines.frame.last(), alone) else {
            return RewriteResult::Other;
        };
        (out.function, out.frame) = (function, *frame);
        called.push(function);
        let code = &compiler.back.executable.code.word;
        cut(code, Address::new(*address), &mut out.words);
        // Function numbers of the part become those of the base.
        let words = &mut out.words;
        for_each_instruction(&code[*address as usize..], |at, op| {
            if op.shape() == Shape::Function {
                words[at] = opcode::word(op, called[(words[at] >> 8) as usize].number());
            }
        });
        RewriteResult::Code(count)
    }

    /// Gives names their ids in the base, and new names ids from `names` on. Returns one more than the
    /// greatest id.
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

    /// Writes the part: constants if any is named, headers, and the function. Returns the position of the
    /// function.
    fn part(&self, base: &Compiled, called: &[RoutineId], own: &Tokens, out: &mut Tokens) -> usize {
        let headers = || called.iter().filter_map(|function| self.headers.get(function.position()));
        let view = base.view();
        let is_name = |t: &TokenId| view.kind(*t) == TokenKind::Name;
        let in_headers = headers().flat_map(|tokens| tokens.iter().filter(is_name).map(|t| view.value(t)));
        let constants = in_headers.chain(names_of(own)).any(|name| self.constant_names.contains(&name));
        out.clear();
        for tokens in self.constants.iter().filter(|_| constants) {
            extend(out, &base.tokens, tokens.positions());
        }
        for tokens in headers() {
            extend(out, &base.tokens, tokens.positions());
            for kind in BODY {
                extend(out, &base.tokens, Indices::one(tokens.start()).positions());
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

/// Returns whether a text begins with the tokens of a function's header, followed by a block.
fn same_header(base: &Compiled, header: Indices<TokenId>, text: &str, tokens: &Tokens) -> bool {
    let word = |text: &str, of: &Tokens, t: usize| {
        Some(text.as_bytes().get(of.lo[t] as usize..of.hi[t] as usize)?.to_vec())
    };
    let same = |(t, own): (usize, usize)| {
        base.tokens.kind[t] == tokens.kind[own] && word(&base.text, &base.tokens, t) == word(text, tokens, own)
    };
    tokens.kind.get(header.len() as usize) == Some(&(TokenKind::LeftBrace as u32))
        && header.positions().zip(0..).all(same)
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

//! What the panels say about a compiled program, gathered from the stages' columns and the modules that own the
//! wording.

use crate::engine::Compiled;
use crate::lang::diagnostic::Code;
use crate::lang::opcode::Op;

/// A diagnostic with its place in bytes of the compiled text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub code: Code,
    pub lo: u32,
    pub hi: u32,
    pub message: String,
    pub help: Option<String>,
}

/// One replacement that a mutant makes, in bytes of the compiled text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub token: u32,
    pub lo: u32,
    pub hi: u32,
    pub original: String,
    pub replacement: String,
}

/// What a mutant is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub operator: &'static str,
    pub edits: Vec<Site>,
}

/// What a failing test's numbers mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryDetail {
    pub left: Option<String>,
    pub right: Option<String>,
    /// The binders' values, by name, shrunk.
    pub counterexample: Vec<(String, String)>,
}

/// The diagnostics of a program by place.
pub fn problems(compiled: &Compiled) -> Vec<Problem> {
    let mut all = Vec::new();
    let tokens = &compiled.tokens;
    let columns = [&compiled.tree.error, &compiled.checked.error];
    for (token, (lo, hi)) in tokens.lo.iter().zip(&tokens.hi).enumerate() {
        for column in columns {
            let code = column.get(token).and_then(|n| Code::from_u32(*n)).unwrap_or(Code::None);
            if code != Code::None {
                all.push(Problem { code, lo: *lo, hi: *hi, message: code.title().to_string(), help: None });
            }
        }
    }
    all.sort_by_key(|p| (p.lo, p.code));
    all
}

/// The mutant with this id, if the program has so many.
pub fn mutant(_compiled: &Compiled, _id: u32) -> Option<Mutant> {
    None
}

/// Addresses at which instructions begin: some take two words.
pub fn addresses(compiled: &Compiled) -> Vec<u32> {
    let words = &compiled.code.word;
    let mut addresses = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at as usize) {
        addresses.push(at);
        at += Op::from_u32(word & 0xff).map_or(1, |op| op.shape().words());
    }
    addresses
}

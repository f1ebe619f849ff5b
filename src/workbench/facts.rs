//! What the panels say about a compiled program, gathered from the stages' columns and the modules that own the
//! wording.

use super::listing::{CodeRow, listing};
use crate::engine::Compiled;
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::stage::Ir;

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

/// The IR after one pass of the optimizer.
#[derive(Clone, Debug)]
pub struct Pass {
    pub name: String,
    pub ir: Ir,
    pub rows: Vec<CodeRow>,
}

/// What a failing test's numbers mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryDetail {
    pub left: Option<String>,
    pub right: Option<String>,
    /// The binders' values, by name, shrunk.
    pub counterexample: Vec<(String, String)>,
}

/// The mutant with this id, if the program has so many.
pub fn mutant(_compiled: &Compiled, _id: u32) -> Option<Mutant> {
    None
}

/// The rows of the bytecode. Some instructions take two words.
pub fn code_rows(compiled: &Compiled) -> Vec<CodeRow> {
    let code = &compiled.code;
    let mut at = 0;
    let instructions = std::iter::from_fn(|| {
        let address = at;
        let word = code.word.get(address as usize)?;
        at += Op::from_u32(word & 0xff).map_or(1, |op| op.shape().words());
        Some((address, code.token.get(address as usize).copied().unwrap_or(0)))
    });
    listing(compiled, instructions)
}

/// The rows of the IR in one of its forms.
pub fn ir_rows(compiled: &Compiled, ir: &Ir) -> Vec<CodeRow> {
    listing(compiled, (0..).zip(ir.token.iter().copied()))
}

/// What each test or property is called: the name it was given, or its expression as written.
pub fn labels(compiled: &Compiled) -> Vec<String> {
    let tree = &compiled.tree;
    let functions = compiled.facts.functions as usize;
    let items = compiled.routines.token.iter().skip(functions);
    items
        .map(|item| {
            let child = |slot: u32| {
                (*item as usize..tree.role.len())
                    .find(|t| tree.parent[*t] == *item && tree.slot[*t] == slot && tree.role[*t] != 0)
            };
            let named = child(0).filter(|t| tree.role[*t] == Role::Label as u32);
            match named {
                Some(label) => token_text(compiled, label as u32).trim_matches('"').to_string(),
                None => child(1).map_or(String::new(), |body| extent_text(compiled, body as u32)),
            }
        })
        .collect()
}

/// The IR after each pass that changed it.
pub fn passes(_compiled: &Compiled) -> Vec<Pass> {
    Vec::new()
}

/// A token as written.
pub fn token_text(compiled: &Compiled, token: u32) -> &str {
    let tokens = &compiled.tokens;
    match (tokens.lo.get(token as usize), tokens.hi.get(token as usize)) {
        (Some(lo), Some(hi)) => compiled.text.get(*lo as usize..*hi as usize).unwrap_or(""),
        _ => "",
    }
}

/// A node's whole extent as written, on one line.
pub fn extent_text(compiled: &Compiled, node: u32) -> String {
    let (tokens, tree) = (&compiled.tokens, &compiled.tree);
    let (Some(lo), Some(hi)) = (tree.lo.get(node as usize), tree.hi.get(node as usize)) else {
        return String::new();
    };
    let start = tokens.lo.get(*lo as usize);
    let end = hi.checked_sub(1).and_then(|last| tokens.hi.get(last as usize));
    let (Some(start), Some(end)) = (start, end) else { return token_text(compiled, node).to_string() };
    let text = compiled.text.get(*start as usize..*end as usize).unwrap_or("");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

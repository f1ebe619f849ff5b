//! Parts: for each function of a base, the small program that its code depends on.
//!
//! Both engines compile changed functions as parts. A part is stored as rows that refer to tokens of the
//! base, so that the device can copy the tokens from the base.

use std::ops::Range;

use crate::compiler::program::{Compiled, Tokens};
use crate::compiler::stage::mutate;
use crate::lang::NONE;
use crate::lang::index::{Index, RoutineId};
use crate::lang::mutation::Group;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// The placeholder for the block of a function that is only called.
pub(super) const BODY: [TokenKind; 6] = [
    TokenKind::LeftBrace,
    TokenKind::While,
    TokenKind::True,
    TokenKind::LeftBrace,
    TokenKind::RightBrace,
    TokenKind::RightBrace,
];

/// A token of a part: a token of the base, possibly with its kind replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index in the base.
    pub token: u32,
    pub kind: Option<TokenKind>,
}

/// A function with all that its code depends on.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its tokens; those of the function itself come last.
    pub rows: Vec<Row>,
    /// Row of the function's first token.
    pub at: u32,
    /// The function's tokens in the base.
    pub tokens: Range<u32>,
    /// For each function of the part, its number in the base. The function itself is last.
    pub functions: Vec<RoutineId>,
    /// The function's words in the base's bytecode.
    pub words: Range<usize>,
}

impl Part {
    /// Returns the parts of a base without errors, by function number.
    pub fn all(base: &Compiled) -> Vec<Part> {
        let mut starts = base.executable.routines.address.clone();
        starts.push(base.executable.code.word.len() as u32);
        starts.sort_unstable();
        let constants = constants(base);
        base.functions().iter().map(|f| Part::new(base, f, &constants, &starts)).collect()
    }

    fn new(base: &Compiled, function: RoutineId, constants: &[Range<usize>], starts: &[u32]) -> Part {
        let token = |f: RoutineId| base.executable.routines.token[f.position()] as usize;
        let own = token(function)..base.tree.hi[token(function)] as usize;
        let mut functions = callable(base, own.clone());
        functions.retain(|f| *f != function);
        let headers: Vec<Range<usize>> = functions.iter().map(|f| header(base, token(*f))).collect();
        let mut rows = Vec::new();
        let of_base = |tokens: Range<usize>| tokens.map(|token| Row { token: token as u32, kind: None });
        if headers.iter().chain([&own]).any(|tokens| tokens.clone().any(|t| uses_constant(base, t))) {
            constants.iter().for_each(|tokens| rows.extend(of_base(tokens.clone())));
        }
        for header in headers {
            let token = header.start as u32;
            rows.extend(of_base(header));
            rows.extend(BODY.map(|kind| Row { token, kind: Some(kind) }));
        }
        functions.push(function);
        let at = rows.len() as u32;
        let tokens = own.start as u32..own.end as u32;
        rows.extend(of_base(own));
        let first = base.executable.routines.address[function.position()];
        let end = starts[starts.partition_point(|start| *start <= first)];
        Part { rows, at, tokens, functions, words: first as usize..end as usize }
    }

    /// Returns the part as tokens of a program.
    pub fn program(&self, base: &Tokens) -> Tokens {
        let mut tokens = Tokens::default();
        for (to, from) in tokens.columns_mut().into_iter().zip(base.columns()) {
            to.extend(self.rows.iter().map(|row| from[row.token as usize]));
        }
        for (i, kind) in self.rows.iter().enumerate().filter_map(|(i, row)| Some((i, row.kind?))) {
            (tokens.kind[i], tokens.value[i]) = (kind as u32, 0);
        }
        tokens
    }
}

/// The tokens of a function before its block.
pub(super) fn header(base: &Compiled, head: usize) -> Range<usize> {
    let block = base.tokens.kind[head..].iter().position(|kind| *kind == TokenKind::LeftBrace as u32);
    head..head + block.unwrap_or(0)
}

/// The tokens of each constant's declaration.
pub(super) fn constants(base: &Compiled) -> Vec<Range<usize>> {
    let consts = (0..base.tree.role.len()).filter(|t| base.tree.role[*t] == Role::Const as u32);
    // Including the `;`.
    consts.map(|t| t..(base.tree.hi[t] as usize + 1).min(base.tokens.kind.len())).collect()
}

fn uses_constant(base: &Compiled, t: usize) -> bool {
    let decl = base.checked.decl[t] as usize;
    base.tree.role[t] == Role::Var as u32 && base.tree.role.get(decl) == Some(&(Role::ConstName as u32))
}

/// Returns the numbers of the functions that some tokens call, or may call after an edit, in ascending order.
pub fn callable(base: &Compiled, tokens: Range<usize>) -> Vec<RoutineId> {
    let heads = &base.executable.routines.token[..base.facts.functions as usize];
    // `fn` is the token before the name.
    let called = tokens.filter(|t| base.tree.role[*t] == Role::Call as u32).map(|t| base.checked.decl[t]);
    let mut called: Vec<u32> = called.filter(|name| *name != NONE).map(|name| name.wrapping_sub(1)).collect();
    called.sort_unstable();
    called.dedup();
    if base.group >= Group::Repair {
        let others = |head: &u32| mutate::callees(base.view(), heads.iter().copied(), *head);
        let others: Vec<u32> = called.iter().flat_map(others).collect();
        called.extend(others);
        called.sort_unstable();
        called.dedup();
    }
    { called.iter() }.filter_map(|head| heads.binary_search(head).ok()).map(RoutineId::at).collect()
}

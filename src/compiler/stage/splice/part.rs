//! Parts: for each function of a base, the small program that its code depends on.
//!
//! Both engines compile changed functions as parts. A part is stored as rows that refer to tokens of the
//! base, so that the device can copy the tokens from the base.

use std::ops::Range;

use crate::compiler::program::{Compiled, Ir, PART, STMT_LEXICAL, STMT_SYNTAX, Tokens};
use crate::compiler::stage::{Compiler, mutate};
use crate::lang::index::{Index, Indices, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::mutation::Group;
use crate::lang::opcode::Op;
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
pub struct SpliceRow {
    /// Index in the base.
    pub token: TokenId,
    pub kind: Option<TokenKind>,
}

/// A function with all that its code depends on.
#[derive(Clone, Debug)]
pub struct SplicePart {
    /// Its tokens; those of the function itself come last.
    pub rows: Vec<SpliceRow>,
    /// Row of the function's first token.
    pub at: u32,
    /// The function's tokens in the base.
    pub tokens: Indices<TokenId>,
    /// For each function of the part, its number in the base. The function itself is last.
    pub functions: Vec<RoutineId>,
    /// The function's words in the base's bytecode.
    pub words: Range<usize>,
    /// [`Facts::holes`](crate::compiler::program::Facts) of the compiled part: 0 if the base has no errors.
    pub holes: u32,
}

impl SplicePart {
    /// Returns the parts of a base without errors, or with holes, by function number.
    pub fn all(base: &Compiled) -> Vec<SplicePart> {
        let mut starts = base.executable.routines.address.clone();
        starts.push(base.executable.code.word.len() as u32);
        starts.sort_unstable();
        let constants = constants(base);
        let new = |f: RoutineId| SplicePart::new(base, f, &constants, &starts);
        let mut parts: Vec<SplicePart> = base.functions().iter().map(new).collect();
        if !base.facts.compiles() {
            let mut compiler = Compiler::at(OptLevel::Lowered);
            compiler.part = PART;
            for part in &mut parts {
                compiler.tokens = part.program(&base.tokens);
                compiler.mutant(&base.text, base.facts.names, OptLevel::Lowered);
                part.holes = PART + compiler.facts.errors;
            }
        }
        parts
    }

    fn new(base: &Compiled, function: RoutineId, constants: &[Indices<TokenId>], starts: &[u32]) -> SplicePart {
        let head = |f: RoutineId| TokenId::new(base.executable.routines.token[f.position()]);
        let own = base.view().extent(head(function));
        let mut functions = callable(base, own);
        // What names a function with an error in its header is a hole, also if the function is not there.
        functions.retain(|f| *f != function && !is_hole(base, head(*f)));
        let headers: Vec<_> = functions.iter().map(|f| header(base, head(*f))).collect();
        let mut rows = Vec::new();
        let of_base = |tokens: Indices<TokenId>| tokens.iter().map(|token| SpliceRow { token, kind: None });
        if headers.iter().chain([&own]).any(|tokens| tokens.iter().any(|t| uses_constant(base, t))) {
            constants.iter().for_each(|tokens| rows.extend(of_base(*tokens)));
        }
        for header in headers {
            let token = header.start();
            rows.extend(of_base(header));
            rows.extend(BODY.map(|kind| SpliceRow { token, kind: Some(kind) }));
        }
        functions.push(function);
        let at = rows.len() as u32;
        rows.extend(of_base(own));
        let first = base.executable.routines.address[function.position()];
        let end = starts[starts.partition_point(|start| *start <= first)];
        SplicePart { rows, at, tokens: own, functions, words: first as usize..end as usize, holes: 0 }
    }

    pub fn program(&self, base: &Tokens) -> Tokens {
        let mut tokens = Tokens::default();
        for (to, from) in tokens.columns_mut().into_iter().zip(base.columns()) {
            to.extend(self.rows.iter().map(|row| from[row.token.position()]));
        }
        for (i, kind) in self.rows.iter().enumerate().filter_map(|(i, row)| Some((i, row.kind?))) {
            (tokens.kind[i], tokens.value[i]) = (kind as u32, 0);
        }
        tokens
    }
}

/// The tokens of a function before its block.
pub(super) fn header(base: &Compiled, head: TokenId) -> Indices<TokenId> {
    let after = base.tokens.kind[head.position()..].iter();
    let block = { after }.position(|kind| *kind == TokenKind::LeftBrace as u32);
    Indices::new(head, head + block.unwrap_or(0) as u32)
}

/// Returns the declarations of constants, up to the first with a syntax error: what names a later one is a hole.
pub fn constants(base: &Compiled) -> Vec<Indices<TokenId>> {
    let view = base.view();
    let reads = |t: &TokenId| view.tree.stmt[t.position()] & (STMT_LEXICAL | STMT_SYNTAX) == 0;
    let items = view.all().iter().filter(|t| view.kind(*t) == TokenKind::Const);
    let consts = items.take_while(reads).filter(|t| view.is(*t, Role::Const));
    // Including the `;`, which may be missing.
    let ends = |end: TokenId| view.has(end) && view.kind(end) == TokenKind::Semicolon;
    let whole = |end: TokenId| end + u32::from(ends(end));
    consts.map(|t| Indices::new(t, whole(view.extent(t).end()))).collect()
}

/// Whether an item with this first token is a hole.
fn is_hole(base: &Compiled, head: TokenId) -> bool {
    let Ir { op, token, .. } = &base.lowered;
    !base.facts.compiles() && op.iter().zip(token).any(|(op, t)| *op == Op::Hole as u32 && *t == head.number())
}

fn uses_constant(base: &Compiled, t: TokenId) -> bool {
    let view = base.view();
    let declaration = view.declaration(t).filter(|_| view.is(t, Role::Var));
    declaration.is_some_and(|declaration| view.is(declaration, Role::ConstName))
}

/// Returns the numbers of the functions that some tokens call, or may call after an edit, in ascending order.
pub fn callable(base: &Compiled, tokens: Indices<TokenId>) -> Vec<RoutineId> {
    let (view, heads) = (base.view(), &base.executable.routines.token[..base.facts.functions as usize]);
    let names = tokens.iter().filter(|t| view.is(*t, Role::Call)).filter_map(|t| view.declaration(t));
    // `fn` is the token before the name.
    let mut called: Vec<TokenId> = names.filter_map(TokenId::previous).collect();
    called.sort_unstable();
    called.dedup();
    if base.group >= Group::Repair {
        let all = || heads.iter().copied().map(TokenId::new);
        let others = |head: &TokenId| mutate::callees(view, all(), *head);
        let others: Vec<TokenId> = called.iter().flat_map(others).collect();
        called.extend(others);
        called.sort_unstable();
        called.dedup();
    }
    { called.iter() }.filter_map(|head| heads.binary_search(&head.number()).ok()).map(RoutineId::at).collect()
}

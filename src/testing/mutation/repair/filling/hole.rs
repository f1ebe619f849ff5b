//! The `?` of a program, and the terms that may be written there.

use super::super::scope::Scope;
use crate::compiler::program::{Compiled, Instructions, View};
use crate::compiler::stage::lower;
use crate::compiler::stage::mutate::Piece;
use crate::lang::index::{Address, Index, RoutineId, Slot, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::TokenKind::{self, Int, LeftBracket, LeftParen, Minus, Name, RightBracket, RightParen};
use crate::lang::token::{BUILTINS, NAME_LEN};
use crate::lang::ty::Type;

/// The maximum number of literals of the function among the terms.
const LITERALS: usize = 8;
/// Constants that are tried everywhere.
const COMMON: [u32; 5] = [0, 1, u32::MAX, 2, 31];

/// A leaf of the expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub ty: Type,
    pub pieces: Vec<Piece>,
    pub source: Source,
}

/// Where the value of a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Constant(u32),
    /// In the frame: an int, a bool, or the length of a list.
    Word(Slot),
    /// An element of a list: at an index, or at the index that a variable holds.
    First(Slot),
    At(Slot, Slot),
}

/// A `?` whose value a search can find.
#[derive(Clone, Debug)]
pub struct Hole {
    pub token: TokenId,
    pub ty: Type,
    pub function: RoutineId,
    /// The address of its instruction in the code of level 0.
    pub address: Address,
    /// Whether one call of the function can reach it several times.
    pub is_repeated: bool,
    pub terms: Vec<Term>,
}

impl Hole {
    /// Returns the hole of a program at level 0: its only one, in a function, an int or a bool.
    pub fn of(program: &Compiled) -> Option<Hole> {
        let view = program.view();
        let mut holes = view.holes();
        let token = holes.next().filter(|_| holes.next().is_none())?;
        let ty = view.ty(token);
        let routine = |function| program.executable.routine(function);
        let holds = |function: &RoutineId| {
            routine(*function).is_some_and(|routine| view.extent(routine.head()).contains(token))
        };
        let function = program.functions().iter().find(holds)?;
        let own = routine(function)?;
        let at = Instructions::of(own.words()).find(|instruction| instruction.op == Op::Hole)?.at;
        let around = std::iter::successors(view.parent(token), |node| view.parent(*node));
        let is_repeated = { around }.any(|node| matches!(view.role(node), Role::While | Role::For));
        let terms = terms(program, own.head(), token);
        let address = own.address() + at as u32;
        (ty == Type::INT || ty == Type::BOOL).then_some(Hole {
            token,
            ty,
            function,
            address,
            is_repeated,
            terms,
        })
    }

    /// Replaces all constants among the terms.
    pub fn set_constants(&mut self, values: &[u32]) {
        self.terms.retain(|term| !matches!(term.source, Source::Constant(_)));
        self.terms.extend(values.iter().map(|value| Term::constant(*value)));
    }
}

fn terms(program: &Compiled, head: TokenId, hole: TokenId) -> Vec<Term> {
    let view = program.view();
    let (children, places) = (view.children(), lower::places(view));
    let scope = Scope::new(view, &children, head);
    // An inner name hides an outer one.
    let mut names: Vec<TokenId> = Vec::new();
    let mut declared: Vec<TokenId> = scope.variables(hole).collect();
    declared.sort_by_key(|name| std::cmp::Reverse(*name));
    for name in declared {
        if names.iter().all(|known| view.text(*known) != view.text(name)) {
            names.push(name);
        }
    }
    names.sort();
    let mut terms = Vec::new();
    let slot = |name: TokenId| places.get(name.position()).copied().flatten();
    for name in &names {
        let ty = view.ty(*name);
        let own = Piece::Copy((*name).into());
        let Some(slot) = slot(*name) else {
            if view.is(*name, Role::ConstName) && !ty.is_list() {
                terms.push(Term { ty, pieces: vec![own], source: Source::Constant(view.constant(*name)) });
            }
            continue;
        };
        if !ty.is_list() {
            terms.push(Term { ty, pieces: vec![own], source: Source::Word(slot) });
            continue;
        }
        let length = vec![Piece::New(Name, NAME_LEN), Piece::sign(LeftParen), own, Piece::sign(RightParen)];
        terms.push(Term { ty: Type::INT, pieces: length, source: Source::Word(slot) });
        let element = |index: Piece, source| {
            let pieces = vec![own, Piece::sign(LeftBracket), index, Piece::sign(RightBracket)];
            Term { ty: ty.element(), pieces, source }
        };
        terms.push(element(Piece::New(Int, 0), Source::First(slot)));
        for index in names.iter().filter(|index| view.ty(**index) == Type::INT) {
            let at = places.get(index.position()).copied().flatten();
            terms.extend(at.map(|at| element(Piece::Copy((*index).into()), Source::At(slot, at))));
        }
    }
    let constants = COMMON.into_iter().chain(literals(view, head));
    terms.extend(constants.map(Term::constant));
    terms
}

/// The ints that a function is written with.
fn literals(view: View, head: TokenId) -> Vec<u32> {
    let ints = view.extent(head).iter().filter(|t| matches!(view.kind(*t), Int | TokenKind::Char));
    let mut values: Vec<u32> = ints.map(|t| view.value(t)).collect();
    values.sort_unstable();
    values.dedup();
    values.truncate(LITERALS);
    values
}

/// A number as tokens.
pub fn number(value: u32) -> Vec<Piece> {
    let value = value as i32;
    let sign = (value < 0).then_some(Piece::sign(Minus));
    sign.into_iter().chain([Piece::New(Int, value.unsigned_abs())]).collect()
}

impl Term {
    fn constant(value: u32) -> Term {
        Term { ty: Type::INT, pieces: number(value), source: Source::Constant(value) }
    }

    /// Its value, given the words of a frame; `None` for an element that is not there.
    pub fn value(&self, frame: &[u32]) -> Option<u32> {
        let word = |slot: Slot| frame.get(slot.position()).copied();
        let element = |slot: Slot, index: u32| {
            let length = word(slot)?;
            (index < length).then(|| frame.get(slot.position() + 1 + index as usize).copied())?
        };
        match self.source {
            Source::Constant(value) => Some(value),
            Source::Word(slot) => word(slot),
            Source::First(slot) => element(slot, 0),
            Source::At(slot, index) => element(slot, word(index)?),
        }
    }

    /// As it is written.
    pub fn text(&self, view: View) -> String {
        let text = |piece: &Piece| match *piece {
            Piece::Copy(tokens) => view.text(tokens.start()).to_string(),
            Piece::New(Int, value) => value.to_string(),
            Piece::New(Name, name) => BUILTINS.get(name as usize).copied().unwrap_or_default().to_string(),
            Piece::New(kind, _) => kind.spelling().unwrap_or_default().to_string(),
        };
        self.pieces.iter().map(text).collect()
    }
}

//! The `?` of a program, and the terms that may be written there.

use super::super::scope::Scope;
use super::calls;
use crate::compiler::program::{Compiled, Instructions, View};
use crate::compiler::stage::lower;
use crate::compiler::stage::mutate::Piece;
use crate::fill::operation::Word;
use crate::lang::index::{Address, Index, RoutineId, Slot, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::TokenKind::{self, Int, LeftBracket, LeftParen, Minus, Name, RightBracket, RightParen};
use crate::lang::token::{BUILTINS, NAME_LEN};
use crate::lang::ty::Type;

/// The maximum number of literals of the function among the terms.
const LITERALS: usize = 8;
/// The maximum number of constants that only tests have, and the number of tests that must have one.
const OF_TESTS: usize = 4;
const SEVERAL: usize = 2;
/// Constants that are tried everywhere.
const COMMON: [u32; 5] = [0, 1, u32::MAX, 2, 31];

/// A leaf of the expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub ty: Type,
    pub pieces: Vec<Piece>,
    pub source: Source,
    /// Whether it is a constant that only tests have.
    pub is_of_tests: bool,
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
    /// The lists in scope, by the tokens of their names, with their places.
    pub lists: Vec<(TokenId, Slot)>,
    /// The functions that may be called.
    pub functions: Vec<RoutineId>,
    /// The names of the parameters of its function.
    pub parameters: Vec<TokenId>,
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
        let (terms, lists) = terms(program, own.head(), token);
        let address = own.address() + at as u32;
        (ty == Type::INT || ty == Type::BOOL).then_some(Hole {
            token,
            ty,
            function,
            address,
            is_repeated,
            terms,
            lists,
            functions: calls::callable(program, function),
            parameters: {
                let is_own = |t: &TokenId| view.is(*t, Role::Param) && view.parent(*t) == Some(own.head());
                view.extent(own.head()).iter().filter(is_own).collect()
            },
        })
    }

    /// The values in a frame that an expression can depend on.
    pub fn seen(&self, frame: &[u32]) -> Vec<Word> {
        let of_terms = self.terms.iter().map(|term| term.value(frame));
        let of_lists = self.lists.iter().flat_map(|(_, list)| elements(frame, *list));
        of_terms.chain(of_lists.map(|word| Some(*word))).collect()
    }

    /// Adds a constant that only tests have.
    pub fn add_constant(&mut self, value: u32) {
        if self.terms.iter().all(|term| term.source != Source::Constant(value)) {
            self.terms.push(Term { is_of_tests: true, ..Term::constant(value) });
        }
    }

    /// Replaces all constants among the terms.
    pub fn set_constants(&mut self, values: &[u32]) {
        self.terms.retain(|term| !matches!(term.source, Source::Constant(_)));
        self.terms.extend(values.iter().map(|value| Term::constant(*value)));
    }
}

/// The terms and the lists in scope.
fn terms(program: &Compiled, head: TokenId, hole: TokenId) -> (Vec<Term>, Vec<(TokenId, Slot)>) {
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
    let (mut terms, mut lists) = (Vec::new(), Vec::new());
    let slot = |name: TokenId| places.get(name.position()).copied().flatten();
    for name in &names {
        let ty = view.ty(*name);
        let own = Piece::Copy((*name).into());
        let Some(slot) = slot(*name) else {
            if view.is(*name, Role::ConstName) && !ty.is_list() {
                terms.push(Term {
                    ty,
                    pieces: vec![own],
                    source: Source::Constant(view.constant(*name)),
                    is_of_tests: false,
                });
            }
            continue;
        };
        if !ty.is_list() {
            terms.push(Term { ty, pieces: vec![own], source: Source::Word(slot), is_of_tests: false });
            continue;
        }
        lists.push((*name, slot));
        let length = vec![Piece::New(Name, NAME_LEN), Piece::sign(LeftParen), own, Piece::sign(RightParen)];
        terms.push(Term { ty: Type::INT, pieces: length, source: Source::Word(slot), is_of_tests: false });
        let element = |index: Piece, source| {
            let pieces = vec![own, Piece::sign(LeftBracket), index, Piece::sign(RightBracket)];
            Term { ty: ty.element(), pieces, source, is_of_tests: false }
        };
        terms.push(element(Piece::New(Int, 0), Source::First(slot)));
        for index in names.iter().filter(|index| view.ty(**index) == Type::INT) {
            let at = places.get(index.position()).copied().flatten();
            terms.extend(at.map(|at| element(Piece::Copy((*index).into()), Source::At(slot, at))));
        }
    }
    let constants: Vec<u32> = COMMON.into_iter().chain(literals(view, head)).collect();
    let of_tests = of_tests(program).into_iter().filter(|value| !constants.contains(value)).take(OF_TESTS);
    let of_tests: Vec<Term> =
        of_tests.map(|value| Term { is_of_tests: true, ..Term::constant(value) }).collect();
    terms.extend(constants.into_iter().map(Term::constant));
    terms.extend(of_tests);
    (terms, lists)
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

/// The ints that occur in several tests, or in a property; the most frequent first.
fn of_tests(program: &Compiled) -> Vec<u32> {
    let view = program.view();
    let mut counts: Vec<(u32, usize)> = Vec::new();
    for entry in program.entries() {
        let Some(head) = program.entry(entry).map(|routine| routine.head()) else { continue };
        let is_negative = |t: &TokenId| {
            view.parent(*t).is_some_and(|parent| view.is(parent, Role::Unary) && view.kind(parent) == Minus)
        };
        let literals = view.extent(head).iter().filter(|t| view.is(*t, Role::Int));
        let value = |t: TokenId| if is_negative(&t) { view.value(t).wrapping_neg() } else { view.value(t) };
        let mut own: Vec<u32> = literals.map(value).collect();
        own.sort_unstable();
        own.dedup();
        // A property is about many inputs.
        let weight = if view.kind(head) == TokenKind::Prop { SEVERAL } else { 1 };
        for value in own {
            match counts.iter_mut().find(|(known, _)| *known == value) {
                Some((_, count)) => *count += weight,
                None => counts.push((value, weight)),
            }
        }
    }
    counts.retain(|(_, count)| *count >= SEVERAL);
    counts.sort_by_key(|(value, count)| (std::cmp::Reverse(*count), *value));
    counts.into_iter().map(|(value, _)| value).collect()
}

/// A number as tokens.
pub fn number(value: u32) -> Vec<Piece> {
    let value = value as i32;
    let sign = (value < 0).then_some(Piece::sign(Minus));
    sign.into_iter().chain([Piece::New(Int, value.unsigned_abs())]).collect()
}

/// The elements of a list in a frame.
pub fn elements(frame: &[u32], list: Slot) -> &[u32] {
    let length = frame.get(list.position()).copied().unwrap_or(0) as usize;
    let own = frame.get(list.position() + 1..).unwrap_or_default();
    &own[..length.min(own.len())]
}

impl Term {
    fn constant(value: u32) -> Term {
        let (pieces, source) = (number(value), Source::Constant(value));
        Term { ty: Type::INT, pieces, source, is_of_tests: false }
    }

    /// Its value, given the words of a frame; `None` for an element that is not there.
    pub fn value(&self, frame: &[u32]) -> Option<u32> {
        let word = |slot: Slot| frame.get(slot.position()).copied();
        let element = |slot: Slot, index: u32| elements(frame, slot).get(index as usize).copied();
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

//! Follows mutants and tokens from one text to the next. A token stays the same if it is in the texts' common prefix or
//! common suffix.

use std::collections::HashSet;
use std::sync::Arc;

use crate::compiler::program::{CommonEnds, Compiled};
use crate::compiler::stage::mutate::{Edit, PIECES, Piece};
use crate::compiler::stage::splice::part::constants;
use crate::compiler::variants::Variants;
use crate::lang::index::{Index, Indices, MutantId, RoutineId, TokenId};
use crate::lang::set::FunctionSet;
use crate::testing::equivalence::{dependents, function_of};

/// The first-order mutants of two programs. The second is a later text of the first.
pub struct Follow<'a> {
    before: &'a Variants<Arc<Compiled>>,
    after: &'a Variants<Arc<Compiled>>,
    ends: Ends,
}

impl<'a> Follow<'a> {
    pub fn new(before: &'a Variants<Arc<Compiled>>, after: &'a Variants<Arc<Compiled>>) -> Follow<'a> {
        Follow { before, after, ends: Ends::of(before.program(), after.program()) }
    }

    /// Returns the id that a mutant has in the second program; `None` if that does not have it.
    pub fn mutant(&self, id: MutantId) -> Option<MutantId> {
        let edits = self.before.edits(id).filter(|edits| edits.second.is_none())?;
        let (site, wanted) = (self.token(edits.first.site)?, SessionChange::of(edits.first, 0));
        let is_same = |id: &MutantId| {
            self.after.edits(*id).is_some_and(|edits| SessionChange::of(edits.first, 0) == wanted)
        };
        self.after.at(site).find(is_same)
    }

    /// Returns the token that a token of the first program has become.
    pub fn token(&self, token: TokenId) -> Option<TokenId> {
        self.ends.token(token)
    }

    /// Returns the functions of the second program that an edit cannot have affected: their tokens are unchanged, and so are
    /// those of all functions that they or mutants of them may call, in both programs. If a constant changed, there are none.
    pub fn untouched(&self) -> FunctionSet {
        let constants = |program: usize| -> Vec<Option<Place>> {
            let own = constants(self.programs()[program]).into_iter();
            own.map(|tokens| self.ends.places(tokens, program)).collect()
        };
        let (before, after) = (constants(0), constants(1));
        let mut untouched = FunctionSet::default();
        if before == after && after.iter().all(Option::is_some) {
            let [before, after] = [0, 1].map(|program| self.functions(program));
            let [stayed, stay] = [(0, &before, &after), (1, &after, &before)].map(|(program, own, others)| {
                let others: HashSet<Place> = others.iter().filter_map(|(_, place)| *place).collect();
                let is_touched = |place: &Option<Place>| place.is_none_or(|place| !others.contains(&place));
                let touched = own.iter().filter(|(_, place)| is_touched(place)).map(|(function, _)| *function);
                let touched = dependents(self.programs()[program], touched);
                own.iter().filter(move |(function, _)| !touched.contains(*function))
            });
            let stayed: HashSet<Place> = stayed.filter_map(|(_, place)| *place).collect();
            stay.filter(|(_, place)| place.is_some_and(|place| stayed.contains(&place)))
                .for_each(|(function, _)| untouched.insert(*function));
        }
        untouched
    }

    fn programs(&self) -> [&Compiled; 2] {
        [self.before.program(), self.after.program()]
    }

    /// Returns the functions of a program with their places; `None` if the edit is in one.
    fn functions(&self, program: usize) -> Vec<(RoutineId, Option<Place>)> {
        let own = self.programs()[program];
        let functions = own.executable.routines().take(own.facts.functions as usize);
        let place = |tokens| self.ends.places(tokens, program);
        functions.map(|function| (function.id, place(own.view().extent(function.head())))).collect()
    }

    /// Returns the function of the second program that a mutant of it changes.
    pub fn function(&self, id: MutantId) -> Option<RoutineId> {
        function_of(self.after.program(), self.after.edits(id)?.first)
    }

    /// Returns whether both programs have as many functions and as many tests, so that their numbers are the same.
    pub fn has_same_items(&self) -> bool {
        let count = |variants: &Variants<Arc<Compiled>>| {
            let program = variants.program();
            (program.facts.functions, program.entries().len())
        };
        count(self.before) == count(self.after)
    }
}

/// The positions of the first and the last token of an item, as [`Ends::place`] returns them.
type Place = [i64; 2];

/// Numbers of tokens of two programs.
pub(super) struct Ends {
    common: CommonEnds,
    lengths: [u32; 2],
}

impl Ends {
    pub(super) fn of(before: &Compiled, after: &Compiled) -> Ends {
        let [one, other] = [before.view(), after.view()];
        Ends { common: one.common_ends(other), lengths: [one.len(), other.len()] }
    }

    /// Returns a position of a token that is valid in both programs: from the start, or negative from the end.
    /// `program` is 0 or 1. Returns `None` if only one program has the token.
    pub(super) fn place(&self, token: TokenId, program: usize) -> Option<i64> {
        let behind = self.lengths[program].checked_sub(token.number())?;
        if token.number() < self.common.prefix {
            Some(i64::from(token.number()))
        } else {
            (behind <= self.common.suffix).then_some(-i64::from(behind))
        }
    }

    /// Returns the places of the first and the last of some tokens; `None` if what differs is among them.
    fn places(&self, tokens: Indices<TokenId>, program: usize) -> Option<Place> {
        let (first, last) = (tokens.iter().next()?, tokens.iter().next_back()?);
        let (first, last) = (self.place(first, program)?, self.place(last, program)?);
        ((first < 0) == (last < 0)).then_some([first, last])
    }

    /// Returns the token of the second program that a token of the first has become.
    fn token(&self, token: TokenId) -> Option<TokenId> {
        let place = self.place(token, 0)?;
        let number = if place < 0 { i64::from(self.lengths[1]) + place } else { place };
        u32::try_from(number).ok().map(TokenId::new)
    }
}

/// A change of a token, independent of the token's position in the program.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct SessionChange {
    place: i64,
    operator: u32,
    /// The range of tokens that it replaces, relative to `place`.
    lo: i64,
    hi: i64,
    /// The inserted tokens: new tokens, or copies with their position relative to `place`.
    put: [Option<(Piece, i64)>; PIECES],
}

impl SessionChange {
    pub(super) fn of(edit: Edit, place: i64) -> SessionChange {
        let from = |token: TokenId| i64::from(token.number()) - i64::from(edit.site.number());
        let (lo, hi, operator) = (from(edit.lo), from(edit.hi), edit.operator as u32);
        let mut put = [None; PIECES];
        for (put, piece) in put.iter_mut().zip(edit.pieces()) {
            *put = Some(match piece {
                Piece::Copy(tokens) => (Piece::Copy(Indices::first(tokens.len())), from(tokens.start())),
                new => (new, 0),
            });
        }
        SessionChange { place, operator, lo, hi, put }
    }
}

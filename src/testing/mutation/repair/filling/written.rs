//! Found expressions as tokens, in the order in which they are shown; and what the tests say of them.

use super::super::catalogue::Written;
use super::FillSearch;
use super::examples::{Needs, Visits};
use super::hole::{Source, Term};
use crate::compiler::program::{Executable, Watch};
use crate::compiler::stage::execute::{Machine, Start};
use crate::compiler::stage::mutate::Piece;
use crate::fill::search::Search;
use crate::fill::tree::{Part, Tree};
use crate::lang::index::{EntryId, RoutineId, TokenId};
use crate::lang::token::TokenKind::{self, Ampersand, Bar, Caret, IntType, ShiftLeft, ShiftRight, Tilde};
use crate::lang::ty::Type;
use crate::network::inputs::FUEL;

/// The number of different values from which a search says nothing of its evidence.
const ENOUGH: usize = 3;

/// Few tests: how many expressions they fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub tests: usize,
    pub fits: usize,
    /// The size up to which expressions were tried.
    pub size: usize,
}

impl Evidence {
    pub fn text(&self) -> String {
        let (tests, verb) =
            if self.tests == 1 { ("1 test".into(), "fits") } else { (format!("{} tests", self.tests), "fit") };
        let expressions = crate::host::measure::numbers::plural(self.fits as u64, "expression");
        format!("{tests} {verb} {expressions} up to size {}", self.size)
    }
}

fn is_rare(part: &Part) -> bool {
    matches!(part, Part::Infix(Ampersand | Bar | Caret | ShiftLeft | ShiftRight) | Part::Sign(Tilde | IntType))
}

/// The number of expressions that are written between two checks for cancellation.
const CHECKED: usize = 64;

impl FillSearch {
    /// Returns expressions as tokens: those that only repeat an int of the tests, and the others; `None` if the work was cancelled.
    pub(super) fn all_written(
        &self,
        search: &Search,
        found: &[Tree],
        watch: &dyn Watch,
    ) -> Option<(Vec<Written>, Vec<Written>)> {
        let (mut constants, mut others) = (Vec::new(), Vec::new());
        for trees in found.chunks(CHECKED) {
            if watch.cancelled() {
                return None;
            }
            for tree in trees {
                let to = if self.repeats_tests(search, tree) { &mut constants } else { &mut others };
                to.push(self.written(search, tree));
            }
        }
        Some((constants, others))
    }

    fn written(&self, search: &Search, tree: &Tree) -> Written {
        let parts = tree.parts(&search.space, &search.rows);
        let pieces: Vec<Piece> = parts.iter().flat_map(|part| self.pieces(search, *part)).collect();
        let is_used = |name: &&TokenId| pieces.contains(&Piece::Copy((**name).into()));
        let unused = self.hole.parameters.len() - self.hole.parameters.iter().filter(is_used).count();
        let count = |holds: fn(&Part) -> bool| parts.iter().filter(|part| holds(part)).count();
        let counts =
            [tree.size(&search.rows), count(is_rare), count(|part| matches!(part, Part::Number(_))), unused];
        let weight = counts.iter().fold(0, |weight, count| weight << 6 | (*count).min(63) as u32);
        Written { pieces, weight }
    }

    fn pieces(&self, search: &Search, part: Part) -> Vec<Piece> {
        let view = self.program.view();
        match part {
            Part::Sign(kind) | Part::Infix(kind) => vec![Piece::sign(kind)],
            Part::Number(value) => vec![Piece::New(TokenKind::Int, value)],
            Part::BuiltIn(name) => vec![Piece::New(TokenKind::Name, name)],
            Part::Leaf(leaf) => {
                let text = &search.space.leaves[leaf as usize].text;
                let term = self.hole.terms.iter().find(|term| term.text(view) == *text);
                term.map_or(Vec::new(), |term| term.pieces.clone())
            }
            Part::List(list) => vec![Piece::Copy(self.hole.lists[list as usize].0.into())],
            Part::Function(function) => {
                let name = self.program.program().function(self.hole.functions[function as usize]);
                name.map_or(Vec::new(), |own| vec![Piece::Copy((own.head() + 1).into())])
            }
        }
    }

    /// Whether an expression is an int that no leaf without the tests is, though there are variables.
    fn repeats_tests(&self, search: &Search, tree: &Tree) -> bool {
        let value = tree.value(&search.space, &search.rows, 0);
        let is_known = |term: &Term| {
            !term.is_of_tests && value.is_some_and(|value| term.source == Source::Constant(value))
        };
        self.hole.ty == Type::INT
            && tree.is_constant(&search.space, &search.rows)
            && search.space.leaves.iter().any(|leaf| !leaf.is_constant)
            && !self.hole.terms.iter().any(is_known)
    }

    /// Returns the program with its hole, at level 0.
    pub fn executable(&self) -> &Executable {
        &self.program.executable
    }

    /// Returns how little a call of a function says about the hole: how many ints in scope have a value that others have, too, or
    /// 0 or 1, where the call first reaches it.
    pub fn dullness(&self, machine: &mut Machine, function: RoutineId, words: &[u32]) -> usize {
        let mut visits = Visits::of(self.hole.address, 1);
        let start = Start::call(function, FUEL);
        machine.call_before(&self.program.executable, start, words, &mut visits);
        let Some(frame) = visits.frames.pop() else { return self.hole.terms.len() };
        let is_int = |term: &&Term| term.ty == Type::INT && matches!(term.source, Source::Word(_));
        let mut seen = vec![Some(0), Some(1)];
        for value in self.hole.terms.iter().filter(is_int).map(|term| term.value(&frame)) {
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
        self.hole.terms.iter().filter(is_int).count() + 2 - seen.len()
    }

    /// How many expressions fit, if the tests require fewer than three different values.
    pub fn evidence(&self) -> Option<Evidence> {
        let different = match &self.needs {
            Needs::Values(values) => {
                let mut values = values.clone();
                values.sort_unstable();
                values.dedup();
                values.len()
            }
            Needs::Ways(ways) => ways.frames.len(),
            Needs::Unknown | Needs::States(_) | Needs::Nothing(_) => ENOUGH,
        };
        let mut tests: Vec<EntryId> = self.examples.iter().map(|example| example.entry).collect();
        tests.dedup();
        let evidence = Evidence { tests: tests.len(), fits: self.fits, size: self.size() };
        (different < ENOUGH && self.fits > 1).then_some(evidence)
    }
}

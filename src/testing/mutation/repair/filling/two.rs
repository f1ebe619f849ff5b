//! Two `?` in one function: pairs of small expressions, which are run.

use super::super::RepairCandidate;
use super::super::catalogue::Catalogue;
use super::super::scope::Scope;
use super::FillSearch;
use super::examples::{self, Needs};
use super::hole::Hole;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::chain::compile_at;
use crate::fill::space::MAX_INPUTS;
use crate::lang::index::{RewriteId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::ty::Type;

/// The maximum number of pairs, and the largest size of both expressions together.
const PAIRS: usize = 20_000;
const LARGEST: usize = 12;
/// The maximum number of names that are written in the place of the other hole.
const NAMES: usize = 2;

pub struct TwoHoles {
    halves: [FillSearch; 2],
    /// The expressions of each size from 0.
    known: [Vec<Vec<RewriteId>>; 2],
    /// The size of both together that comes next.
    next: usize,
    pairs: usize,
}

impl TwoHoles {
    /// Starts a search, if the program has two `?`, ints or bools that tests reach in one function. `None` also if the work
    /// was cancelled.
    pub fn new(program: &Compiled, watch: &dyn Watch) -> Option<TwoHoles> {
        let holes: Vec<TokenId> = program.view().holes().collect();
        let [one, other] = holes[..] else { return None };
        let halves = [half(program, other, watch)?, half(program, one, watch)?];
        let is_one = halves[0].function() == halves[1].function();
        is_one.then(|| TwoHoles { halves, known: [vec![Vec::new()], vec![Vec::new()]], next: 2, pairs: 0 })
    }

    /// Returns the pairs of the next size; `None` if the work was cancelled.
    pub fn step(
        &mut self,
        catalogue: &mut Catalogue,
        watch: &(dyn Watch + Sync),
    ) -> Option<Vec<RepairCandidate>> {
        for (half, known) in self.halves.iter_mut().zip(&mut self.known) {
            while known.len() < self.next {
                let written = half.step(watch)?;
                known.push(catalogue.add(half.function(), half.token(), written));
            }
        }
        let [first, second] = &self.known;
        let of = |size: usize| {
            let others = &second[self.next - size];
            first[size].iter().flat_map(move |one| others.iter().map(|other| vec![*one, *other]))
        };
        let pairs: Vec<RepairCandidate> = (1..self.next).flat_map(of).take(PAIRS - self.pairs).collect();
        self.pairs += pairs.len();
        self.halves[0].count_pairs(pairs.len() as u64, self.next);
        self.next += 1;
        Some(pairs)
    }

    pub fn is_done(&self) -> bool {
        self.pairs >= PAIRS || self.next > LARGEST
    }

    /// Frees the memory of the searches.
    pub fn end(&mut self) {
        self.halves.iter_mut().for_each(FillSearch::end);
    }

    /// The search for the first `?`, with the count of all pairs.
    pub fn first(&self) -> &FillSearch {
        &self.halves[0]
    }
}

/// Returns the search for one hole. Its states are those where the other one is a constant or a variable.
fn half(program: &Compiled, other: TokenId, watch: &dyn Watch) -> Option<FillSearch> {
    let view = program.view();
    let head = std::iter::successors(view.parent(other), |node| view.parent(*node)).last()?;
    let (children, ty) = (view.children(), view.ty(other));
    let scope = Scope::new(view, &children, head);
    let names = scope.variables(other).filter(|name| view.ty(*name) == ty).take(NAMES);
    let constants = if ty == Type::BOOL { ["true", "false"] } else { ["3", "1"] };
    let span = view.span(other)?;
    let with = |value: &str| {
        let text = format!("{}{value}{}", program.text.get(..span.start)?, program.text.get(span.end..)?);
        // The tokens keep their places, so what is found fits into the program.
        Some(compile_at(OptLevel::Lowered, &text)).filter(|program| program.facts.compiles())
    };
    let values = constants.into_iter().chain(names.map(|name| view.text(name)));
    let variants: Vec<Compiled> = values.filter_map(with).collect();
    let (mut frames, mut all): (Vec<Vec<u32>>, Vec<_>) = (Vec::new(), Vec::new());
    for variant in &variants {
        let hole = Hole::of(variant)?;
        let examples = examples::examples(variant, &hole, watch)?;
        let visited = examples::later_visits(variant, &hole, &examples, watch);
        let own = examples.iter().map(|example| example.frame.clone()).chain(visited);
        let new: Vec<Vec<u32>> = own.filter(|frame| !frames.contains(frame)).collect();
        frames.extend(new.into_iter().take(MAX_INPUTS / variants.len()));
        all.extend(examples);
    }
    let variant = variants.into_iter().next().filter(|_| !all.is_empty())?;
    let hole = Hole::of(&variant)?;
    FillSearch::of(variant, hole, all, Needs::States(frames), watch)
}

//! Proves two routines equal by simulation: both run side by side, from one pair of loop heads to the next.
//!
//! At each pair of heads some variables are assumed equal, and some relations between variables are assumed to hold. If
//! they hold at the beginning and each step from one pair to the next keeps them, they always hold (Necula,
//! "Translation validation for an optimizing compiler", 2000). The strongest assumptions are tried first. A model of a
//! step that breaks some of them removes these, until all others are kept (Flanagan and Leino, "Houdini", 2001; van
//! Eijk, "Sequential equivalence checking", 2000). The routines are equal if both end alike under what is left.
//!
//! A routine may take steps alone only in `for` loops, which end. So no run of one has a counterpart that never ends.

mod assumptions;
mod explain;
mod models;
mod states;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::aig::{FALSE, TRUE};
use super::blast::{BlastKind, Symbol};
use super::region::{RegionLoop, Routine};
use super::relation::{Item, Relation};
use crate::compiler::program::Watch;
use crate::lang::index::RoutineId;
use crate::lang::ty::Type;
use crate::testing::decide::Given;
use crate::testing::equivalence::state::LOOP;
use crate::testing::equivalence::terms::{Term, TermValue, Terms};
use assumptions::Assumptions;
use models::Assumed;
use states::variables;

/// Limits of a proof.
const NODES: usize = 48;
const ROUNDS: u32 = 400;

/// Where one routine is between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Point {
    Begin,
    /// The head of the loop with this number.
    Loop(usize),
    End,
}

/// Where both routines are between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct SimulatePlace {
    at: [Point; 2],
}

/// How the routines run side by side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// By routine: the number of a loop whose first round it runs before the loop begins for the proof.
    pub ahead: [Option<usize>; 2],
    /// Whether relations between variables are assumed.
    pub relates: bool,
    /// Whether variables are assumed to have opposite values in both routines, or the same magnitude.
    pub opposes: bool,
    /// Whether a loop is unrolled for as long as it is known whether another round follows.
    pub unrolls: bool,
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An input that may show a difference.
    Input(Given),
    /// In words.
    Reason(&'static str),
    Cancelled,
}

use Failure::Reason;

/// The work that may still be done.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Work of the solver: conflicts times gates.
    pub work: u64,
    /// Nodes of all graphs.
    pub nodes: u64,
}

/// A proof in progress.
pub struct Simulation<'a> {
    pub routines: [&'a Routine<'a>; 2],
    pub terms: &'a mut Terms,
    pub types: &'a [Type],
    pub result: &'a dyn Fn(RoutineId) -> Option<Type>,
    pub budget: &'a mut Budget,
    pub watch: &'a dyn Watch,
    plan: Plan,
    /// Whether the second routine is that of a mutant of the first, which may not take many more steps.
    is_mutant: bool,
    nodes: BTreeMap<SimulatePlace, Assumptions>,
    order: Vec<SimulatePlace>,
    symbols: HashMap<Term, Symbol>,
    numbers: HashMap<(SimulatePlace, Item), u32>,
    /// The ends of both routines compared last, by the place where the step began.
    ends: BTreeMap<SimulatePlace, Ends>,
    /// The terms of variables that are assumed equal and are not equal by rewriting, by the step's two places.
    kept: BTreeMap<[SimulatePlace; 2], Vec<(Item, [Term; 2])>>,
}

/// The codes of the traps and the values with which both routines end.
#[derive(Clone, Copy, Debug)]
struct Ends {
    codes: [Term; 2],
    values: [Term; 2],
    /// Whether rewriting alone shows that they are equal.
    same: bool,
}

/// A point at which a step of one routine may end.
struct Stop {
    at: Point,
    guard: Term,
    /// Its variables; at the end, 0 is the code of the trap and 1 the value.
    values: BTreeMap<u32, TermValue>,
}

impl<'a> Simulation<'a> {
    pub fn new(
        routines: [&'a Routine<'a>; 2],
        types: &'a [Type],
        result: &'a dyn Fn(RoutineId) -> Option<Type>,
        (terms, budget): (&'a mut Terms, &'a mut Budget),
        (plan, is_mutant): (Plan, bool),
        watch: &'a dyn Watch,
    ) -> Simulation<'a> {
        Simulation {
            routines,
            terms,
            types,
            result,
            budget,
            watch,
            plan,
            is_mutant,
            nodes: BTreeMap::new(),
            order: Vec::new(),
            symbols: HashMap::new(),
            numbers: HashMap::new(),
            ends: BTreeMap::new(),
            kept: BTreeMap::new(),
        }
    }

    /// Proves the routines equal.
    pub fn run(&mut self) -> Result<(), Failure> {
        let begin = SimulatePlace { at: [Point::Begin; 2] };
        let mut open: BTreeSet<SimulatePlace> = [begin].into();
        let mut rounds = 0;
        while let Some(place) =
            self.order.iter().find(|place| open.contains(place)).copied().or(open.first().copied())
        {
            open.remove(&place);
            rounds += 1;
            if self.watch.cancelled() {
                return Err(Failure::Cancelled);
            }
            if rounds > ROUNDS || self.nodes.len() > NODES {
                return Err(Reason("the proof has too many steps"));
            }
            open.extend(self.step(place)?);
        }
        match self.nodes.keys().all(|place| self.ends_soon(*place)) {
            true => Ok(()),
            false => Err(Reason("the mutant may take many more rounds of a loop")),
        }
    }

    /// Returns whether few rounds of a mutant's loop are left where it goes on alone.
    fn ends_soon(&self, place: SimulatePlace) -> bool {
        let (Point::Loop(number), Ok([false, true])) = (place.at[1], self.moves(place)) else { return true };
        let (Some(node), Some(slot)) = (self.nodes.get(&place), self.routines[1].slot(number)) else {
            return false;
        };
        let item = (1, slot | LOOP);
        !self.is_mutant
            || node.kinds.get(&item) != Some(&BlastKind::Range)
            || node.relations.contains(&Relation::Few(item))
    }

    /// Takes all steps from a place. Returns the places that are new or whose assumptions became weaker.
    fn step(&mut self, place: SimulatePlace) -> Result<BTreeSet<SimulatePlace>, Failure> {
        let not_understood = Reason("its code is too large or not understood");
        let moves = self.moves(place)?;
        let states = self.states(place);
        let mut stops: [Vec<Stop>; 2] = Default::default();
        for side in 0..2 {
            stops[side] = match (place.at[side], moves[side]) {
                (Point::End, _) | (_, false) => {
                    let guard = self.terms.constant(1);
                    let values = variables(&states[side]);
                    vec![Stop { at: place.at[side], guard, values }]
                }
                (point, true) => {
                    let routine = self.routines[side];
                    let start = match point {
                        Point::Loop(number) => routine.loops[number].head,
                        _ => 0,
                    };
                    let stops = routine.run(self.terms, start, states[side].clone(), self.watch);
                    if self.watch.cancelled() {
                        return Err(Failure::Cancelled);
                    }
                    self.stops(side, stops.ok_or(not_understood.clone())?)
                }
            };
        }
        let assumed = self.assumed(place, &states);
        let mut weaker = BTreeSet::new();
        for own in &stops[0] {
            for its in &stops[1] {
                let guard = super::logic::both(self.terms, own.guard, its.guard);
                if self.terms.value_of(guard) == Some(0) {
                    continue;
                }
                let [at, to] = [own.at, its.at];
                if (at, to) == (Point::End, Point::End) {
                    self.ends_alike(place, (&assumed, guard), [own, its])?;
                    continue;
                }
                let next = SimulatePlace { at: [at, to] };
                if self.moves(next).is_err() || self.corresponds([at, to]) == Some(false) {
                    match self.solve(&assumed, guard, |_| Some(TRUE))? {
                        None => continue,
                        Some(_) => drop(self.moves(next)?),
                    }
                }
                if self.keeps((&assumed, guard), [place, next], [own, its])? {
                    weaker.insert(next);
                }
            }
        }
        // If `place` is among them, its step is taken again.
        Ok(weaker)
    }

    /// Returns which routines take a step at a place.
    fn moves(&self, place: SimulatePlace) -> Result<[bool; 2], Failure> {
        let alone = |side: usize| match place.at[side] {
            Point::Loop(number) if self.routines[side].loops[number].is_for => Ok([side == 0, side == 1]),
            _ => Err(Reason("one of them may take more rounds of a `while` loop")),
        };
        match place.at {
            [Point::Begin, _] | [_, Point::Begin] => Ok([true; 2]),
            [Point::End, _] => alone(1),
            [_, Point::End] => alone(0),
            [Point::Loop(own), Point::Loop(its)] => {
                let (a, b) = (&self.routines[0].loops[own], &self.routines[1].loops[its]);
                match self.corresponds(place.at) {
                    Some(true) => Ok([true; 2]),
                    // The inner loop continues first; of two loops at one depth, the earlier one.
                    _ if a.depth != b.depth => alone(usize::from(a.depth < b.depth)),
                    _ => alone(usize::from(own > its)),
                }
            }
        }
    }

    /// Returns whether both routines are at the same point: the head of one loop, the beginning, or the end.
    fn corresponds(&self, at: [Point; 2]) -> Option<bool> {
        let [Point::Loop(own), Point::Loop(its)] = at else {
            return Some(at[0] == at[1]);
        };
        let [a, b] = self.routines.map(|routine| &routine.loops);
        // Loops correspond by their place in the text, or by their number.
        let places = |loops: &[RegionLoop]| loops.iter().map(|own| own.place).collect::<BTreeSet<u32>>();
        let by_place = a[own].place != 0 && places(a).len() == a.len() && places(b).len() == b.len();
        Some(match by_place {
            true if a.len() != b.len() => a[own].place == b[its].place,
            _ => own == its,
        })
    }

    /// Proves that both routines end alike if a step from a place ends both.
    fn ends_alike(
        &mut self,
        place: SimulatePlace,
        (assumed, guard): (&Assumed, Term),
        [own, its]: [&Stop; 2],
    ) -> Result<(), Failure> {
        let ([a, x], [b, y]) = (
            [0, 1].map(|variable| own.values[&variable].term),
            [0, 1].map(|variable| its.values[&variable].term),
        );
        let same = (a, x) == (b, y);
        self.ends.insert(place, Ends { codes: [a, b], values: [x, y], same });
        if same {
            return Ok(());
        }
        let model = self.solve(assumed, guard, |blaster| {
            let (a, b) = (blaster.word(a)?, blaster.word(b)?);
            let (x, y) = (blaster.bits(x)?, blaster.bits(y)?);
            let codes = blaster.aig.equal(&a, &b);
            // A routine that always traps has no value.
            let values = blaster.equal(&x, &y).unwrap_or(FALSE);
            let trap = blaster.aig.is_nonzero(&a);
            let values = blaster.aig.or(trap, values);
            let alike = blaster.aig.and(codes, values);
            Some(!alike)
        })?;
        match model {
            None => Ok(()),
            Some(model) if place.at == [Point::Begin; 2] => Err(Failure::Input(model)),
            Some(_) => Err(Reason("their loops may end with different values")),
        }
    }
}

//! Proves two routines equal by simulation: both run side by side, from one pair of loop heads to the next.
//!
//! At each pair of heads some variables are assumed equal, and some relations between variables are assumed to hold.
//! If they hold at the begin and each step from one pair to the next keeps them, they always hold (Necula, "Translation
//! validation for an optimizing compiler", 2000). The strongest assumptions are tried first. A model of a step that
//! breaks some of them removes these, until all others are kept (Flanagan and Leino, "Houdini", 2001; van Eijk,
//! "Sequential equivalence checking", 2000). The routines are equal if both end alike under what is left.
//!
//! A routine may take steps alone only in `for` loops, which end. So no run of one has a counterpart that never ends.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::aig::{Bit, FALSE, TRUE, truth};
use super::blast::{Bits, Blaster, Kind, Symbol, value};
use super::region::{Ending, Routine, Stops};
use super::relation::{Item, Relation, related};
use super::sat::{Answer, solve};
use crate::compiler::program::Watch;
use crate::lang::index::RoutineId;
use crate::lang::ty::Type;
use crate::testing::decide::Given;
use crate::testing::equivalence::known::Known;
use crate::testing::equivalence::state::{OPERAND, Operand, Origin, State};
use crate::testing::equivalence::terms::{Head, Node, Term, Terms, Value};

/// Limits of a proof.
const NODES: usize = 48;
const ROUNDS: u32 = 400;
/// The place of one routine in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Point {
    Begin,
    /// The loop with this number.
    Loop(usize),
    End,
}

/// The places of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Place {
    at: [Point; 2],
}

/// Assumptions at a place.
#[derive(Clone, Debug)]
struct Assumptions {
    kinds: BTreeMap<Item, Kind>,
    /// Items of one class are equal.
    classes: BTreeMap<Item, u32>,
    relations: BTreeSet<Relation>,
}

/// How the routines run side by side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// The routine (0 or 1) that runs the first round of the loop with this number before the other begins it.
    pub ahead: Option<(usize, usize)>,
    /// Whether relations between variables are assumed.
    pub relates: bool,
    /// Whether rounds of loops are executed as long as it is known whether there is another one.
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

/// The work that is left.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Conflicts of the solver.
    pub conflicts: u64,
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
    nodes: BTreeMap<Place, Assumptions>,
    order: Vec<Place>,
    symbols: HashMap<Term, Symbol>,
    numbers: HashMap<(Place, Item), u32>,
}

/// One end of a step of one routine.
struct Stop {
    at: Point,
    guard: Term,
    /// Its variables; at the end, 0 is the code of the trap and 1 the value.
    values: BTreeMap<u32, Value>,
}

impl<'a> Simulation<'a> {
    pub fn new(
        routines: [&'a Routine<'a>; 2],
        types: &'a [Type],
        result: &'a dyn Fn(RoutineId) -> Option<Type>,
        (terms, budget): (&'a mut Terms, &'a mut Budget),
        plan: Plan,
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
            nodes: BTreeMap::new(),
            order: Vec::new(),
            symbols: HashMap::new(),
            numbers: HashMap::new(),
        }
    }

    /// Proves the routines equal.
    pub fn run(mut self) -> Result<(), Failure> {
        let begin = Place { at: [Point::Begin; 2] };
        let mut open: BTreeSet<Place> = [begin].into();
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
        Ok(())
    }

    /// Takes all steps from a place. Returns the places whose assumptions became weaker.
    fn step(&mut self, place: Place) -> Result<BTreeSet<Place>, Failure> {
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
                let next = Place { at: [at, to] };
                if self.moves(next).is_err() || self.corresponds([at, to]) == Some(false) {
                    match self.solve(&assumed, guard, |_, _| Some(TRUE))? {
                        None => continue,
                        Some(_) => drop(self.moves(next)?),
                    }
                }
                if self.keeps((&assumed, guard), next, [own, its])? {
                    weaker.insert(next);
                }
            }
        }
        // If its own assumptions became weaker, the step is taken again.
        Ok(weaker)
    }

    /// Which routines move at a place.
    fn moves(&self, place: Place) -> Result<[bool; 2], Failure> {
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
                    // The inner loop goes on first, else the earlier one.
                    _ if a.depth != b.depth => alone(usize::from(a.depth < b.depth)),
                    _ => alone(usize::from(own > its)),
                }
            }
        }
    }

    /// Whether both are at heads of the same loop, or both not at heads.
    fn corresponds(&self, at: [Point; 2]) -> Option<bool> {
        let [Point::Loop(own), Point::Loop(its)] = at else {
            return Some(at[0] == at[1]);
        };
        let [a, b] = self.routines.map(|routine| &routine.loops);
        // Loops correspond by their place in the text, or by their number.
        let places =
            |loops: &[super::region::Loop]| loops.iter().map(|own| own.place).collect::<BTreeSet<u32>>();
        let by_place = a[own].place != 0 && places(a).len() == a.len() && places(b).len() == b.len();
        Some(match by_place {
            true if a.len() != b.len() => a[own].place == b[its].place,
            _ => own == its,
        })
    }

    /// The states of both routines at a place, on symbols.
    fn states(&mut self, place: Place) -> [State; 2] {
        if place.at == [Point::Begin; 2] {
            let state = self.routines[0].entry(self.terms);
            let mut slot = 0;
            for ty in self.types {
                let term = self.terms.intern(Node::Parameter(slot));
                let bools = *ty == Type::BOOL || ty.is_list() && ty.element() == Type::BOOL;
                let known = state.variables.get(&slot).map_or(Known::ANY, |value| value.known);
                self.symbols.insert(term, Symbol { kind: Kind::of(*ty), known, bools });
                slot += ty.words();
            }
            return [state.clone(), state];
        }
        let Some(node) = self.nodes.get(&place).cloned() else { return Default::default() };
        // The facts of all items of a class hold for its value.
        let mut known: HashMap<u32, (Known, Kind)> = HashMap::new();
        for (item, class) in &node.classes {
            let (fact, kind) = (self.fact(place, *item), node.kinds[item]);
            let own = known.entry(*class).or_insert((fact, kind));
            own.0 = own.0.meet(fact).unwrap_or(own.0);
            own.1 = own.1.join(kind).unwrap_or(own.1);
        }
        let mut states: [State; 2] = Default::default();
        for (item, class) in &node.classes {
            let first =
                node.classes.iter().find(|(_, other)| *other == class).map_or(*item, |(first, _)| *first);
            let count = self.numbers.len() as u32;
            let number = *self.numbers.entry((place, first)).or_insert(count);
            let term = self.terms.intern(Node::Symbol(number));
            let (known, kind) = known[class];
            self.symbols.insert(term, Symbol { kind, known, bools: false });
            let value = Value { term, known };
            let state = &mut states[item.0];
            if item.1 & OPERAND != 0 {
                state.stack.push(Operand { value, origin: Origin::None });
            } else {
                state.variables.insert(item.1, value);
            }
        }
        states
    }

    /// The facts about a variable at a place.
    fn fact(&self, place: Place, (side, variable): Item) -> Known {
        let Point::Loop(number) = place.at[side] else { return Known::ANY };
        let routine = self.routines[side];
        let facts = routine.facts[routine.loops[number].head].as_ref();
        facts.and_then(|facts| facts.variables.get(&variable)).map_or(Known::ANY, |value| value.known)
    }

    /// The ends of a region as stops.
    fn stops(&mut self, side: usize, stops: Stops) -> Vec<Stop> {
        let routine = self.routines[side];
        let mut found = Vec::new();
        for (number, own) in routine.loops.iter().enumerate() {
            if let Some((guard, state)) = stops.heads.get(&own.head) {
                found.push(Stop { at: Point::Loop(number), guard: *guard, values: variables(state) });
            }
        }
        if let Some(Ending { guard, code, value }) = stops.ending {
            let value = value.unwrap_or_else(|| self.terms.constant(0));
            let [code, value] = [code, value].map(super::logic::any);
            found.push(Stop { at: Point::End, guard, values: [(0, code), (1, value)].into() });
        }
        found
    }

    /// The relations that are assumed at a place.
    fn assumed(&self, place: Place, states: &[State; 2]) -> Assumed {
        let relations = self.nodes.get(&place).map(|node| node.relations.iter().copied().collect());
        let values = [variables(&states[0]), variables(&states[1])];
        Assumed { relations: relations.unwrap_or_default(), values }
    }

    /// The kind of a term.
    fn kind(&self, term: Term) -> Option<Kind> {
        use crate::lang::opcode::Op;
        let list = |term: Term| match self.kind(term)? {
            Kind::List(capacity) | Kind::Cursor(capacity) => Some(capacity),
            _ => None,
        };
        Some(match self.terms.node(term) {
            Node::Parameter(_) | Node::Symbol(_) => self.symbols.get(&term)?.kind,
            Node::Constant(_) | Node::Sum(..) => Kind::Word,
            Node::Joined { .. } => return None,
            Node::Apply(head, operands) => match head {
                Head::Op(Op::BuildList) => Kind::List(operands.len() as u32),
                Head::Op(Op::RepeatList) => Kind::List(u32::try_from(self.terms.value_of(operands[1])?).ok()?),
                Head::Op(Op::JoinList) => {
                    Kind::List((list(operands[0])? + list(operands[1])?).min(crate::lang::limits::CAPACITY))
                }
                Head::Op(Op::Slice) | Head::Replaced => Kind::List(list(operands[0])?),
                Head::Call(routine) => Kind::of((self.result)(*routine)?),
                Head::Range(_) => Kind::Range,
                Head::Elements => Kind::Cursor(list(operands[0])?),
                Head::Rest => self.kind(operands[0])?,
                Head::If => self.kind(operands[1])?.join(self.kind(operands[2])?)?,
                _ => Kind::Word,
            },
        })
    }

    /// Searches for a model of the assumptions in which `terms` hold and the bit that `more` returns. Returns the
    /// values that it needs, by `more`'s caller.
    fn solve(
        &mut self,
        assumed: &Assumed,
        guard: Term,
        more: impl FnOnce(&mut Blaster, &mut Vec<(Item, std::rc::Rc<Bits>)>) -> Option<Bit>,
    ) -> Result<Option<Model>, Failure> {
        let large = if self.watch.cancelled() { Failure::Cancelled } else { Reason("its terms are too large") };
        let mut blaster = Blaster::new(self.terms, &self.symbols, self.result, self.watch);
        let mut bits = Vec::new();
        bits.push(blaster.truth(guard).ok_or(large.clone())?);
        for relation in &assumed.relations {
            bits.push(relation.bit(&mut blaster, &assumed.values).ok_or(large.clone())?);
        }
        let mut shown = Vec::new();
        bits.push(more(&mut blaster, &mut shown).ok_or(large.clone())?);
        bits.append(&mut blaster.constraints.clone());
        let wanted = blaster.aig.all(bits);
        if wanted == FALSE {
            return Ok(None);
        }
        let nodes = blaster.aig.nodes.len() as u64;
        self.budget.nodes = self.budget.nodes.checked_sub(nodes).ok_or(Reason("its terms are too large"))?;
        match solve(&blaster.aig, wanted, &mut self.budget.conflicts, self.watch) {
            Answer::Never => Ok(None),
            Answer::Open if self.watch.cancelled() => Err(Failure::Cancelled),
            Answer::Open => Err(Reason("the solver spent its conflicts")),
            Answer::Model(inputs) => {
                let model = blaster.aig.evaluate(&inputs);
                let values = shown.into_iter().map(|(item, bits)| (item, value(&model, &bits))).collect();
                let parameters = self.parameters(&mut blaster, &inputs);
                Ok(Some(Model { values, parameters }))
            }
        }
    }

    /// The arguments of a model.
    fn parameters(&self, blaster: &mut Blaster, inputs: &HashMap<usize, bool>) -> Given {
        let (mut slot, mut given) = (0, Given::new());
        for ty in self.types {
            let term = self.terms.find(&Node::Parameter(slot));
            slot += ty.words();
            let bits = term.and_then(|term| blaster.bits(term));
            let model = blaster.aig.evaluate(inputs);
            let words = bits.map_or(vec![0], |bits| value(&model, &bits));
            given.push(match ty.is_list() {
                true => {
                    let mut elements = words.get(1..).unwrap_or_default().to_vec();
                    elements.truncate(ty.capacity() as usize);
                    elements
                }
                false => words,
            });
        }
        given
    }

    /// Proves that both end alike, from a place.
    fn ends_alike(
        &mut self,
        place: Place,
        (assumed, guard): (&Assumed, Term),
        [own, its]: [&Stop; 2],
    ) -> Result<(), Failure> {
        let ([a, x], [b, y]) = (
            [0, 1].map(|variable| own.values[&variable].term),
            [0, 1].map(|variable| its.values[&variable].term),
        );
        if (a, x) == (b, y) {
            return Ok(());
        }
        let model = self.solve(assumed, guard, |blaster, _| {
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
            Some(model) if place.at == [Point::Begin; 2] => Err(Failure::Input(model.parameters)),
            Some(_) => Err(Reason("their loops may end with different values")),
        }
    }

    /// Weakens the assumptions at a place until a step keeps them. Returns whether they were weakened.
    fn keeps(
        &mut self,
        (assumed, guard): (&Assumed, Term),
        next: Place,
        stops: [&Stop; 2],
    ) -> Result<bool, Failure> {
        let mut changed = self.arrive(next, stops)?;
        let values = [stops[0].values.clone(), stops[1].values.clone()];
        loop {
            let node = self.nodes[&next].clone();
            let mut firsts: BTreeMap<u32, Item> = BTreeMap::new();
            let mut pairs = Vec::new();
            for (item, class) in &node.classes {
                let first = *firsts.entry(*class).or_insert(*item);
                let [a, b] = [first, *item].map(|(side, variable)| values[side][&variable].term);
                if a != b {
                    pairs.push((a, b));
                }
            }
            if pairs.is_empty() && node.relations.is_empty() {
                return Ok(changed);
            }
            let mut held = Vec::new();
            let model = self.solve(assumed, guard, |blaster, shown| {
                let mut broken = Vec::new();
                for (a, b) in &pairs {
                    let (a, b) = (blaster.bits(*a)?, blaster.bits(*b)?);
                    broken.push(!blaster.equal(&a, &b)?);
                }
                for item in node.classes.keys() {
                    let bits = blaster.bits(values[item.0][&item.1].term)?;
                    shown.push((*item, bits));
                }
                for (number, relation) in (0..).zip(&node.relations) {
                    let holds = relation.bit(blaster, &values)?;
                    broken.push(!holds);
                    shown.push(((2, number), std::rc::Rc::new(Bits::Word(truth(holds)))));
                }
                Some(blaster.aig.any(broken))
            })?;
            let Some(model) = model else { return Ok(changed) };
            held.extend(model.values);
            let values: BTreeMap<Item, Vec<u32>> = held.into_iter().collect();
            let node = self.nodes.get_mut(&next).ok_or(Reason("a step has no place"))?;
            changed = true;
            let before = (node.classes.values().collect::<BTreeSet<_>>().len(), node.relations.len());
            // Items of a class with different values are in different classes from now on.
            let mut groups: BTreeMap<(u32, &[u32]), u32> = BTreeMap::new();
            let old = node.classes.clone();
            for (item, class) in &old {
                let count = groups.len() as u32;
                let group = *groups.entry((*class, &values[item])).or_insert(count);
                node.classes.insert(*item, group);
            }
            let kept = (0..).zip(std::mem::take(&mut node.relations));
            node.relations =
                kept.filter(|(number, _)| values[&(2, *number)][0] == 1).map(|(_, kept)| kept).collect();
            if before == (node.classes.values().collect::<BTreeSet<_>>().len(), node.relations.len()) {
                return Err(Reason("a model breaks no assumption"));
            }
        }
    }

    /// Records an arrival at a place. Returns whether its assumptions are new or weaker.
    fn arrive(&mut self, place: Place, stops: [&Stop; 2]) -> Result<bool, Failure> {
        let mut kinds = BTreeMap::new();
        for (side, stop) in stops.iter().enumerate() {
            let known = self.known_variables(place, side);
            for (variable, value) in &stop.values {
                if known.as_ref().is_some_and(|known| !known.contains(variable)) {
                    continue;
                }
                let kind = self.kind(value.term).ok_or(Reason("its code is too large or not understood"))?;
                kinds.insert((side, *variable), kind);
            }
        }
        let ends = place.at.contains(&Point::End);
        let Some(node) = self.nodes.get_mut(&place) else {
            let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            let mut classes = BTreeMap::new();
            let number = |kind: &Kind| match kind {
                Kind::Word => 0,
                Kind::List(_) => 1,
                Kind::Range => 2,
                Kind::Cursor(_) => 3,
            };
            for (item, kind) in &kinds {
                let count = numbers.len() as u32;
                // The value of a routine that has ended may be that of any variable.
                let variable = if ends { 0 } else { item.1 };
                classes.insert(*item, *numbers.entry((variable, number(kind))).or_insert(count));
            }
            let mut relations = if self.plan.relates { related(&kinds) } else { BTreeSet::new() };
            if ends {
                let ranges = kinds.iter().filter(|(_, kind)| **kind == Kind::Range);
                relations.extend(ranges.map(|(item, _)| Relation::Empty(*item)));
            }
            self.nodes.insert(place, Assumptions { kinds, classes, relations });
            self.order.push(place);
            return Ok(true);
        };
        let mut changed = false;
        for (item, own) in &mut node.kinds {
            let other = kinds.get(item).ok_or(Reason("their variables do not correspond"))?;
            let joined = own.join(*other).ok_or(Reason("their variables do not correspond"))?;
            changed |= joined != *own;
            *own = joined;
        }
        Ok(changed)
    }

    /// The variables that have a value on all ways to a place.
    fn known_variables(&self, place: Place, side: usize) -> Option<BTreeSet<u32>> {
        let Point::Loop(number) = place.at[side] else { return None };
        let routine = self.routines[side];
        let facts = routine.facts[routine.loops[number].head].as_ref()?;
        Some(variables(facts).into_keys().collect())
    }
}

/// A model: the values of items, and the arguments.
struct Model {
    values: Vec<(Item, Vec<u32>)>,
    parameters: Given,
}

/// What is assumed of the values at a place.
struct Assumed {
    relations: Vec<Relation>,
    values: [BTreeMap<u32, Value>; 2],
}

/// The variables and operands of a state.
fn variables(state: &State) -> BTreeMap<u32, Value> {
    let stack = (0..).zip(&state.stack).map(|(place, operand)| (OPERAND | place, operand.value));
    state.variables.iter().map(|(variable, value)| (*variable, *value)).chain(stack).collect()
}

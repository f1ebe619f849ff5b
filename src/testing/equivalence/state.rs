//! The values of variables and operands at a point of a routine, and the effect of an instruction on them.

use super::blocks::Instruction;
use super::known::Known;
use super::terms::{Head, Term, Terms, Value};
use super::variables::Variables;
use crate::compiler::program::Executable;
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::{Class, Op};
use crate::lang::ty::Type;

/// Marks the hidden variable of a loop, next to the loop's slot.
pub const LOOP: u32 = 1 << 30;
/// Marks an operand that stays on the stack between blocks, next to its place.
pub const OPERAND: u32 = 1 << 31;

/// The relation of a value to a variable, as long as neither changes.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    None,
    /// The value of a variable; of a list, its length.
    Variable(u32),
    /// Whether a comparison holds. Each side is a variable or not.
    Test {
        op: Op,
        sides: [(Option<u32>, Known); 2],
    },
}

impl Origin {
    fn reads(self, slot: u32) -> bool {
        match self {
            Origin::None => false,
            Origin::Variable(own) => own == slot,
            Origin::Test { sides, .. } => sides.iter().any(|(own, _)| *own == Some(slot)),
        }
    }

    fn variable(self) -> Option<u32> {
        match self {
            Origin::Variable(slot) => Some(slot),
            _ => None,
        }
    }
}

/// An operand. The facts about a list are facts about its length.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub value: Value,
    pub origin: Origin,
}

/// All values at a point.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub stack: Vec<Operand>,
    pub variables: Variables,
}

/// Something that a routine does besides computing values: a call, or a check that may trap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    pub op: Op,
    pub operands: Vec<Term>,
    /// A capacity, or 0.
    pub limit: u32,
    pub token: u32,
}

/// Computes the effects of instructions.
pub struct Step<'a> {
    pub terms: &'a mut Terms,
    pub program: &'a Executable,
    /// Names the place of a trap by a token.
    pub token: &'a dyn Fn(TokenId) -> u32,
    /// Maps a function that is called to the function of the base that it equals.
    pub callee: &'a dyn Fn(RoutineId) -> RoutineId,
    /// Whether terms are computed, and not only facts.
    pub exact: bool,
    pub effects: Vec<Effect>,
}

const fn length(capacity: u32) -> Known {
    Known { lo: 0, hi: capacity as i32, ..Known::ANY }
}

/// The facts about any value of a type; of a list, about its length.
pub fn of_type(ty: Type) -> Known {
    match ty {
        Type::BOOL => Known::BOOL,
        _ if ty.is_list() => Known::between(0, ty.capacity() as i32),
        _ => Known::ANY,
    }
}

impl State {
    fn pop(&mut self) -> Option<Operand> {
        self.stack.pop()
    }

    fn push(&mut self, value: Value) {
        self.stack.push(Operand { value, origin: Origin::None });
    }

    pub fn store(&mut self, variable: u32, value: Value) {
        self.variables.insert(variable, value);
        for operand in &mut self.stack {
            if operand.origin.reads(variable) {
                operand.origin = Origin::None;
            }
        }
    }

    /// Keeps the values for which `origin` is 0 or not. Returns `None` if there is none.
    pub fn refine(&mut self, origin: Origin, nonzero: bool) -> Option<()> {
        let mut limit = |variable: Option<u32>, op: Op, other: Known| -> Option<()> {
            if let Some(value) = variable.and_then(|variable| self.variables.get_mut(&variable)) {
                value.known = value.known.where_holds(op, other)?;
            }
            Some(())
        };
        match origin {
            Origin::None => Some(()),
            Origin::Variable(slot) => {
                let op = if nonzero { Op::Ne } else { Op::Eq };
                limit(Some(slot), op, Known::constant(0))
            }
            Origin::Test { op, sides: [(left, x), (right, y)] } => {
                let op = if nonzero { op } else { op.opposite()? };
                let swapped = match op {
                    Op::Lt => Op::Gt,
                    Op::Le => Op::Ge,
                    Op::Gt => Op::Lt,
                    Op::Ge => Op::Le,
                    other => other,
                };
                limit(left, op, y)?;
                limit(right, swapped, x)
            }
        }
    }
}

impl Step<'_> {
    fn term(&mut self, make: impl FnOnce(&mut Terms) -> Term) -> Term {
        if self.exact { make(self.terms) } else { self.terms.constant(0) }
    }

    fn apply(&mut self, head: Head, operands: &[Term], known: Known) -> Value {
        Value { term: self.term(|terms| terms.apply(head, operands)), known }
    }

    /// A value whose facts may determine it.
    fn settled(&mut self, value: Value) -> Value {
        match value.known.value().filter(|_| self.terms.rules.facts) {
            Some(constant) => Value { term: self.term(|terms| terms.constant(constant)), ..value },
            None => value,
        }
    }

    fn effect(&mut self, op: Op, operands: Vec<Term>, limit: u32, token: TokenId) {
        let token = (self.token)(token);
        let effect = Effect { op, operands, limit, token };
        // A check that passed earlier in this block passes again, and a call that returned returns again.
        let same = |known: &Effect| (known.op, &known.operands, known.limit) == (op, &effect.operands, limit);
        if self.exact && !self.effects.iter().any(same) {
            self.effects.push(effect);
        }
    }

    fn facts(&self, known: Known) -> Known {
        if self.terms.rules.facts { known } else { Known::ANY }
    }

    /// A check that an index is within a list.
    fn check_index(&mut self, index: Value, list: Value, token: TokenId) {
        let (i, length) = (self.facts(index.known), self.facts(list.known));
        if i.lo < 0 || i.hi >= length.lo {
            let length = self.len(list).term;
            self.effect(Op::LoadIndex, vec![index.term, length], 0, token);
        }
    }

    /// A check that a list fits a capacity.
    pub fn check_capacity(&mut self, list: Value, capacity: u32, token: TokenId) {
        if self.facts(list.known).hi > capacity as i32 {
            let length = self.len(list).term;
            self.effect(Op::StoreList, vec![length], capacity, token);
        }
    }

    fn len(&mut self, list: Value) -> Value {
        let term = self.term(|terms| terms.length(list.term));
        self.settled(Value { term, known: list.known })
    }

    fn slice(&mut self, list: Value, from: Value, to: Value, token: TokenId) -> Value {
        let (lo, hi, length) = (self.facts(from.known), self.facts(to.known), self.facts(list.known));
        if lo.lo < 0 || lo.hi > hi.lo || hi.hi > length.lo {
            let length = self.len(list).term;
            self.effect(Op::Slice, vec![from.term, to.term, length], 0, token);
        }
        let known = Known::binary(Op::Sub, to.known, from.known).meet(Known::between(0, CAPACITY as i32));
        let known = known.unwrap_or(Known::between(0, CAPACITY as i32));
        self.apply(Head::Op(Op::Slice), &[list.term, from.term, to.term], known)
    }

    /// Executes an instruction that does not end its block. Returns `None` for one that it does not know.
    pub fn run(&mut self, state: &mut State, i: Instruction) -> Option<()> {
        let Instruction { op, arg, aux, token } = i;
        match (op, op.class()) {
            (Op::LoadConst | Op::LoadConstWide, _) => {
                let term = self.term(|terms| terms.constant(arg as i32));
                state.push(Value { term, known: Known::constant(arg as i32) });
            }
            (Op::LoadVar, _) => {
                let value = *state.variables.get(&arg)?;
                let value = self.settled(value);
                state.stack.push(Operand { value, origin: Origin::Variable(arg) });
            }
            (Op::ListLenVar, _) => {
                let list = *state.variables.get(&arg)?;
                let value = self.len(list);
                state.stack.push(Operand { value, origin: Origin::Variable(arg) });
            }
            (Op::LoadList, _) => state.push(*state.variables.get(&arg)?),
            (Op::Dup, _) => state.stack.push(*state.stack.last()?),
            (Op::StoreVar, _) => {
                let value = state.pop()?.value;
                state.store(arg, value);
            }
            (Op::StoreList, _) => {
                let mut list = state.pop()?.value;
                self.check_capacity(list, aux, token);
                list.known = list.known.meet(length(aux))?;
                state.store(arg, list);
            }
            (_, Class::Unary) => {
                let a = state.pop()?;
                let known = Known::unary(op, a.value.known);
                let term = self.term(|terms| terms.unary(op, a.value));
                let value = self.settled(Value { term, known });
                let origin = match (op, a.origin) {
                    (Op::Not, Origin::Variable(_)) => {
                        let sides = [(a.origin.variable(), a.value.known), (None, Known::constant(0))];
                        Origin::Test { op: Op::Eq, sides }
                    }
                    (Op::Not, Origin::Test { op, sides }) => Origin::Test { op: op.opposite()?, sides },
                    _ => Origin::None,
                };
                state.stack.push(Operand { value, origin });
            }
            (_, Class::Binary) => {
                let (b, a) = (state.pop()?, state.pop()?);
                let (x, y) = (a.value, b.value);
                if matches!(op, Op::Div | Op::Mod) && self.facts(y.known).contains(0) {
                    let divisor = self.term(|terms| terms.zero(y));
                    self.effect(Op::Div, vec![divisor], 0, token);
                }
                let known = Known::binary(op, x.known, y.known);
                let term = self.term(|terms| terms.binary(op, x, y));
                let value = self.settled(Value { term, known });
                let sides = [(a.origin.variable(), x.known), (b.origin.variable(), y.known)];
                let origin = if op.opposite().is_some() { Origin::Test { op, sides } } else { Origin::None };
                state.stack.push(Operand { value, origin });
            }
            (Op::ListEq | Op::ListNe, _) => {
                let (b, a) = (state.pop()?.value, state.pop()?.value);
                let mut sides = [a.term, b.term];
                sides.sort_unstable();
                let equal = self.apply(Head::Op(Op::ListEq), &sides, Known::BOOL);
                let term = if op == Op::ListEq { equal.term } else { self.term(|terms| terms.not(equal.term)) };
                state.push(Value { term, ..equal });
            }
            (Op::BuildList, _) => {
                let from = state.stack.len().checked_sub(arg as usize)?;
                let elements: Vec<Term> = state.stack.drain(from..).map(|operand| operand.value.term).collect();
                let list = self.apply(Head::Op(op), &elements, Known::constant(arg as i32));
                state.push(list);
            }
            (Op::RepeatList, _) => {
                let element = state.pop()?.value.term;
                let count = self.term(|terms| terms.constant(arg as i32));
                let list = self.apply(Head::Op(op), &[element, count], Known::constant(arg as i32));
                state.push(list);
            }
            (Op::JoinList, _) => {
                let (b, a) = (state.pop()?.value, state.pop()?.value);
                let known = Known::binary(Op::Add, a.known, b.known);
                if self.facts(known).hi > CAPACITY as i32 {
                    let operands = vec![self.len(a).term, self.len(b).term];
                    self.effect(op, operands, CAPACITY, token);
                }
                let known = known.meet(length(CAPACITY))?;
                let list = self.apply(Head::Op(op), &[a.term, b.term], known);
                state.push(list);
            }
            (Op::LoadIndex | Op::LoadIndexVar, _) => {
                let index = state.pop()?.value;
                let list = if op == Op::LoadIndex { state.pop()?.value } else { *state.variables.get(&arg)? };
                self.check_index(index, list, token);
                let term = self.term(|terms| terms.element(list.term, index.term));
                state.push(Value { term, known: Known::ANY });
            }
            (Op::StoreIndex, _) => {
                let (value, index) = (state.pop()?.value, state.pop()?.value);
                let list = *state.variables.get(&arg)?;
                self.check_index(index, list, token);
                let list = self.apply(Head::Replaced, &[list.term, index.term, value.term], list.known);
                state.store(arg, list);
            }
            (Op::Slice | Op::SliceVar, _) => {
                let (to, from) = (state.pop()?.value, state.pop()?.value);
                let list = if op == Op::Slice { state.pop()?.value } else { *state.variables.get(&arg)? };
                let list = self.slice(list, from, to, token);
                state.push(list);
            }
            (Op::ListLen, _) => {
                let list = state.pop()?.value;
                let length = self.len(list);
                state.push(length);
            }
            (Op::RangeIter | Op::RangeIterInclusive, _) => {
                let (b, a) = (state.pop()?.value, state.pop()?.value);
                let (mut inclusive, mut end) = (op == Op::RangeIterInclusive, b);
                let last = if inclusive { b.known.hi } else { b.known.hi.saturating_sub(1) };
                // `a..=b` is `a..b+1` if b + 1 exists.
                if inclusive && self.facts(b.known).hi < i32::MAX {
                    let one = Value { term: self.terms.constant(1), known: Known::constant(1) };
                    end.term = self.term(|terms| terms.binary(Op::Add, b, one));
                    inclusive = false;
                }
                let known = Known::between(a.known.lo, last.max(a.known.lo));
                let range = self.apply(Head::Range(inclusive), &[a.term, end.term], known);
                state.store(arg | LOOP, range);
            }
            (Op::ListIter, _) => {
                let list = state.pop()?.value;
                self.check_capacity(list, aux, token);
                let elements = self.apply(Head::Elements, &[list.term], Known::ANY);
                state.store(arg | LOOP, elements);
            }
            (Op::Call, _) => {
                let callee = self.program.routine(RoutineId::new(arg))?;
                let from = state.stack.len().checked_sub(callee.params() as usize)?;
                let arguments: Vec<Term> =
                    state.stack.drain(from..).map(|operand| operand.value.term).collect();
                let value =
                    self.apply(Head::Call((self.callee)(callee.id)), &arguments, of_type(callee.result()));
                self.effect(op, vec![value.term], 0, token);
                state.push(value);
            }
            _ => return None,
        }
        Some(())
    }
}

impl Terms {
    /// The length of a list.
    pub fn length(&mut self, list: Term) -> Term {
        let constant = |value: usize| value as i32;
        match self.node(list).clone() {
            super::terms::Node::Apply(Head::Op(Op::BuildList), elements) => {
                self.constant(constant(elements.len()))
            }
            super::terms::Node::Apply(Head::Op(Op::RepeatList), parts) => parts[1],
            super::terms::Node::Apply(Head::Replaced, parts) => self.length_of_replaced(parts[0]),
            _ => self.apply(Head::Op(Op::ListLen), &[list]),
        }
    }

    /// The length of a list some of whose elements were replaced.
    fn length_of_replaced(&mut self, mut list: Term) -> Term {
        while let super::terms::Node::Apply(Head::Replaced, parts) = self.node(list) {
            list = parts[0];
        }
        self.length(list)
    }

    /// The element of a list at an index within it.
    fn element(&mut self, list: Term, index: Term) -> Term {
        use super::terms::Node;
        match (self.node(list), self.node(index)) {
            (Node::Apply(Head::Op(Op::BuildList), elements), Node::Constant(at)) => {
                match elements.get(*at as usize) {
                    Some(element) => *element,
                    None => self.apply(Head::Op(Op::LoadIndex), &[list, index]),
                }
            }
            (Node::Apply(Head::Op(Op::RepeatList), parts), _) => parts[0],
            (Node::Apply(Head::Replaced, parts), _) if parts[1] == index => parts[2],
            _ => self.apply(Head::Op(Op::LoadIndex), &[list, index]),
        }
    }
}

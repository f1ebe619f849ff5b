//! The values of variables and operands at a point of a routine, and the effect of an instruction on them.

use super::terms::{Head, Node, Term, TermValue, Terms};
use super::variables::Variables;
use crate::compiler::program::Executable;
use crate::compiler::stage::flow::Endings;
use crate::compiler::stage::flow::ranges::{self, Range};
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::{Class, Op};

/// Marks the hidden variable of a loop, next to the loop's slot.
pub const LOOP: u32 = 1 << 30;
/// Marks an operand that stays on the stack between blocks, next to its place.
pub const OPERAND: u32 = 1 << 31;

/// All values at a point. The facts about a list are facts about its length.
#[derive(Clone, Debug, Default)]
pub struct EquivalenceState {
    pub stack: Vec<TermValue>,
    pub variables: Variables,
}

#[derive(Clone, Copy, Debug)]
pub struct EquivalenceInstruction {
    pub op: Op,
    pub arg: u32,
    pub aux: u32,
    pub token: TokenId,
}

/// Something that a routine does besides computing values: a call, or a check that may trap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EquivalenceEffect {
    pub op: Op,
    pub operands: Vec<Term>,
    /// A capacity, or 0.
    pub limit: u32,
    pub token: u32,
}

/// Computes the effects of instructions.
pub struct EquivalenceStep<'a> {
    pub terms: &'a mut Terms,
    pub program: &'a Executable,
    /// Names the place of a trap by a token.
    pub token: &'a dyn Fn(TokenId) -> u32,
    /// Maps a function that is called to the function of the base that it equals.
    pub callee: &'a dyn Fn(RoutineId) -> RoutineId,
    pub endings: &'a Endings,
    pub effects: Vec<EquivalenceEffect>,
    /// Whether a check fails for certain, so that nothing follows.
    pub ends: bool,
}

const fn length(capacity: u32) -> Range {
    Range { lo: 0, hi: capacity as i32, ..Range::ANY }
}

impl EquivalenceStep<'_> {
    fn apply(&mut self, head: Head, operands: &[Term], known: Range) -> TermValue {
        TermValue { term: self.terms.apply(head, operands), known }
    }

    /// A value whose facts may determine it.
    fn settled(&mut self, value: TermValue) -> TermValue {
        match value.known.value().filter(|_| self.terms.rules.facts) {
            Some(constant) => TermValue { term: self.terms.constant(constant), ..value },
            None => value,
        }
    }

    fn effect(&mut self, op: Op, operands: Vec<Term>, limit: u32, token: TokenId) {
        let token = (self.token)(token);
        let effect = EquivalenceEffect { op, operands, limit, token };
        // A check that passed earlier in this block passes again, and a call that returned returns again.
        let same = |known: &EquivalenceEffect| {
            (known.op, &known.operands, known.limit) == (op, &effect.operands, limit)
        };
        if !self.effects.iter().any(same) {
            self.effects.push(effect);
        }
    }

    fn facts(&self, known: Range) -> Range {
        if self.terms.rules.facts { known } else { Range::ANY }
    }

    /// A check that an index is within a list.
    fn check_index(&mut self, index: TermValue, list: TermValue, token: TokenId) {
        let (i, room) = (self.facts(index.known), self.facts(list.known));
        if i.lo < 0 || i.hi >= room.lo {
            let length = self.len(list).term;
            self.effect(Op::LoadIndex, vec![index.term, length], 0, token);
            self.ends |= i.hi < 0 || i.lo >= room.hi;
        }
    }

    /// A check that a list fits a capacity.
    pub fn check_capacity(&mut self, list: TermValue, capacity: u32, token: TokenId) {
        if self.facts(list.known).hi > capacity as i32 {
            let length = self.len(list).term;
            self.effect(Op::StoreList, vec![length], capacity, token);
            self.ends |= self.facts(list.known).lo > capacity as i32;
        }
    }

    fn len(&mut self, list: TermValue) -> TermValue {
        let term = self.terms.length(list.term);
        self.settled(TermValue { term, known: list.known })
    }

    fn slice(&mut self, list: TermValue, from: TermValue, to: TermValue, token: TokenId) -> TermValue {
        let (lo, hi, room) = (self.facts(from.known), self.facts(to.known), self.facts(list.known));
        if lo.lo < 0 || lo.hi > hi.lo || hi.hi > room.lo {
            let length = self.len(list).term;
            self.effect(Op::Slice, vec![from.term, to.term, length], 0, token);
            self.ends |= hi.hi < lo.lo.max(0) || lo.hi < 0 || hi.lo > room.hi;
        }
        let known = length(CAPACITY).within(ranges::binary(Op::Sub, to.known, from.known));
        self.apply(Head::Op(Op::Slice), &[list.term, from.term, to.term], known)
    }

    /// Executes an instruction that does not end its block. Returns `None` for one that it does not know.
    pub fn run(&mut self, state: &mut EquivalenceState, i: EquivalenceInstruction) -> Option<()> {
        let EquivalenceInstruction { op, arg, aux, token } = i;
        match (op, op.class()) {
            (Op::LoadConst | Op::LoadConstWide, _) => {
                let term = self.terms.constant(arg as i32);
                state.stack.push(TermValue { term, known: Range::of(arg as i32) });
            }
            (Op::LoadVar, _) => {
                let value = *state.variables.get(&arg)?;
                let value = self.settled(value);
                state.stack.push(value);
            }
            (Op::ListLenVar, _) => {
                let list = *state.variables.get(&arg)?;
                let length = self.len(list);
                state.stack.push(length);
            }
            (Op::LoadList, _) => state.stack.push(*state.variables.get(&arg)?),
            (Op::Dup, _) => state.stack.push(*state.stack.last()?),
            (Op::StoreVar, _) => {
                let value = state.stack.pop()?;
                state.variables.insert(arg, value);
            }
            (Op::StoreList, _) => {
                let mut list = state.stack.pop()?;
                self.check_capacity(list, aux, token);
                list.known = list.known.within(length(aux));
                state.variables.insert(arg, list);
            }
            (_, Class::Unary) => {
                let a = state.stack.pop()?;
                let known = ranges::unary(op, a.known);
                let term = self.terms.unary(op, a);
                let value = self.settled(TermValue { term, known });
                state.stack.push(value);
            }
            (_, Class::Binary) => {
                let (b, a) = (state.stack.pop()?, state.stack.pop()?);
                if matches!(op, Op::Div | Op::Mod) && self.facts(b.known).contains(0) {
                    let divisor = self.terms.zero(b);
                    self.effect(Op::Div, vec![divisor], 0, token);
                    self.ends |= self.facts(b.known).value() == Some(0);
                }
                let known = ranges::binary(op, a.known, b.known);
                let term = self.terms.binary(op, a, b);
                let value = self.settled(TermValue { term, known });
                state.stack.push(value);
            }
            (Op::ListEq | Op::ListNe, _) => {
                let (b, a) = (state.stack.pop()?, state.stack.pop()?);
                let mut sides = [a.term, b.term];
                sides.sort_unstable();
                let equal = self.apply(Head::Op(Op::ListEq), &sides, Range::BOOL);
                let term = if op == Op::ListEq { equal.term } else { self.terms.not(equal.term) };
                state.stack.push(TermValue { term, ..equal });
            }
            (Op::BuildList, _) => {
                let from = state.stack.len().checked_sub(arg as usize)?;
                let elements: Vec<Term> = state.stack.drain(from..).map(|value| value.term).collect();
                let list = self.apply(Head::Op(op), &elements, Range::of(arg as i32));
                state.stack.push(list);
            }
            (Op::RepeatList, _) => {
                let element = state.stack.pop()?.term;
                let count = self.terms.constant(arg as i32);
                let list = self.apply(Head::Op(op), &[element, count], Range::of(arg as i32));
                state.stack.push(list);
            }
            (Op::JoinList, _) => {
                let (b, a) = (state.stack.pop()?, state.stack.pop()?);
                let known = ranges::binary(Op::Add, a.known, b.known);
                if self.facts(known).hi > CAPACITY as i32 {
                    let operands = vec![self.len(a).term, self.len(b).term];
                    self.effect(op, operands, CAPACITY, token);
                    self.ends |= self.facts(known).lo > CAPACITY as i32;
                }
                let known = known.within(length(CAPACITY));
                let list = self.apply(Head::Op(op), &[a.term, b.term], known);
                state.stack.push(list);
            }
            (Op::LoadIndex | Op::LoadIndexVar, _) => {
                let index = state.stack.pop()?;
                let list = if op == Op::LoadIndex { state.stack.pop()? } else { *state.variables.get(&arg)? };
                self.check_index(index, list, token);
                let term = self.terms.element(list.term, index.term);
                state.stack.push(TermValue { term, known: Range::ANY });
            }
            (Op::StoreIndex, _) => {
                let (value, index) = (state.stack.pop()?, state.stack.pop()?);
                let list = *state.variables.get(&arg)?;
                self.check_index(index, list, token);
                let term = self.terms.replaced(list.term, index.term, value.term);
                state.variables.insert(arg, TermValue { term, known: list.known });
            }
            (Op::Slice | Op::SliceVar, _) => {
                let (to, from) = (state.stack.pop()?, state.stack.pop()?);
                let list = if op == Op::Slice { state.stack.pop()? } else { *state.variables.get(&arg)? };
                let list = self.slice(list, from, to, token);
                state.stack.push(list);
            }
            (Op::ListLen, _) => {
                let list = state.stack.pop()?;
                let length = self.len(list);
                state.stack.push(length);
            }
            (Op::RangeIter | Op::RangeIterInclusive, _) => {
                let (b, a) = (state.stack.pop()?, state.stack.pop()?);
                let (mut inclusive, mut end) = (op == Op::RangeIterInclusive, b);
                // `a..=b` is `a..b+1` if b + 1 exists.
                if inclusive && self.facts(b.known).hi < i32::MAX {
                    let one = TermValue { term: self.terms.constant(1), known: Range::of(1) };
                    end.term = self.terms.binary(Op::Add, b, one);
                    inclusive = false;
                }
                let range = self.apply(Head::Range(inclusive), &[a.term, end.term], Range::ANY);
                state.variables.insert(arg | LOOP, range);
            }
            (Op::ListIter, _) => {
                let list = state.stack.pop()?;
                self.check_capacity(list, aux, token);
                let elements = self.apply(Head::Elements, &[list.term], Range::ANY);
                state.variables.insert(arg | LOOP, elements);
            }
            (Op::Call, _) => {
                let callee = self.program.routine(RoutineId::new(arg))?;
                let from = state.stack.len().checked_sub(callee.params() as usize)?;
                let arguments: Vec<Term> = state.stack.drain(from..).map(|value| value.term).collect();
                let known = ranges::of_type(callee.result());
                let value = self.apply(Head::Call((self.callee)(callee.id)), &arguments, known);
                if !self.endings.returns(callee.id) {
                    self.effect(op, vec![value.term], 0, token);
                }
                state.stack.push(value);
            }
            _ => return None,
        }
        Some(())
    }
}

impl Terms {
    pub fn length(&mut self, list: Term) -> Term {
        let any = |term: Term| TermValue { term, known: Range::ANY };
        match self.node(list).clone() {
            Node::Apply(Head::Op(Op::BuildList), elements) => self.constant(elements.len() as i32),
            Node::Apply(Head::Op(Op::RepeatList), parts) => parts[1],
            Node::Apply(Head::Op(Op::JoinList), parts) => {
                let (a, b) = (self.length(parts[0]), self.length(parts[1]));
                self.binary(Op::Add, any(a), any(b))
            }
            Node::Apply(Head::Op(Op::Slice), parts) => self.binary(Op::Sub, any(parts[2]), any(parts[1])),
            Node::Apply(Head::Replaced, parts) => self.length_of_replaced(parts[0]),
            _ => self.apply(Head::Op(Op::ListLen), &[list]),
        }
    }

    /// The length of a list some of whose elements were replaced.
    fn length_of_replaced(&mut self, mut list: Term) -> Term {
        while let Node::Apply(Head::Replaced, parts) = self.node(list) {
            list = parts[0];
        }
        self.length(list)
    }

    /// A list with the element at an index within it replaced.
    fn replaced(&mut self, list: Term, index: Term, value: Term) -> Term {
        match (self.node(list), self.node(index)) {
            (Node::Apply(Head::Op(Op::BuildList), elements), Node::Constant(at)) => {
                let mut elements = elements.clone();
                if let Some(element) = elements.get_mut(*at as usize) {
                    *element = value;
                    return self.apply(Head::Op(Op::BuildList), &elements);
                }
            }
            (Node::Apply(Head::Replaced, parts), _) if parts[1] == index => {
                let list = parts[0];
                return self.apply(Head::Replaced, &[list, index, value]);
            }
            _ => {}
        }
        self.apply(Head::Replaced, &[list, index, value])
    }

    /// The element of a list at an index within it.
    fn element(&mut self, mut list: Term, index: Term) -> Term {
        // What was replaced at other places has no effect.
        while let Node::Apply(Head::Replaced, parts) = self.node(list)
            && self.value_of(parts[1]).zip(self.value_of(index)).is_some_and(|(own, at)| own != at)
        {
            list = parts[0];
        }
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

//! Terms, which are joined where several ways meet, and the form that consists of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Analysis, BlockForm, Body, EndForm, Form, Left, ROUNDS};
use crate::testing::equivalence::state::{EquivalenceEffect, EquivalenceState, OPERAND};
use crate::testing::equivalence::terms::{Node, Term, TermValue, Terms};

impl Analysis<'_> {
    pub(super) fn form(&mut self, body: &Body) -> Option<Form> {
        let Body { numbers, heads, .. } = body;
        let count = numbers.len();
        let entry = self.entry();
        // Where each block begins: the terms that arrive, by the block before.
        let mut arriving: Vec<BTreeMap<usize, EquivalenceState>> = vec![BTreeMap::new(); count];
        let mut joined: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
        let mut begins: Vec<Option<EquivalenceState>> = vec![None; count];
        let mut lefts: Vec<Option<Left>> = (0..count).map(|_| None).collect();
        let mut open: BTreeSet<usize> = [0].into();
        let mut budget = ROUNDS * heads.len();
        while let Some(head) = open.pop_first() {
            budget = budget.checked_sub(1)?;
            let number = numbers[head]?;
            let mut begin = if head == 0 { entry.clone() } else { EquivalenceState::default() };
            if head != 0 {
                begin = self.merge(number, head, &arriving[head], &mut joined[head])?;
            } else if !arriving[0].is_empty() {
                // A loop that begins with the routine: parameters may differ there.
                let mut all = arriving[0].clone();
                all.insert(usize::MAX, entry.clone());
                begin = self.merge(number, head, &all, &mut joined[0])?;
            }
            if begins[head].as_ref().is_some_and(|before| same_terms(before, &begin)) {
                continue;
            }
            begins[head] = Some(begin.clone());
            let left = self.run_chain(head, begin, numbers)?;
            for (next, state) in &left.next {
                let before = arriving[*next].insert(head, state.clone());
                if before.is_none_or(|before| !same_terms(&before, state)) {
                    open.insert(*next);
                }
            }
            lefts[head] = Some(left);
        }
        self.collect(numbers, heads, &arriving, &joined, &entry, lefts)
    }

    /// Executes a block and those that belong to it.
    fn run_chain(&mut self, head: usize, begin: EquivalenceState, numbers: &[Option<u32>]) -> Option<Left> {
        let (mut number, mut state, mut effects) = (head, begin, Vec::new());
        for _ in 0..=numbers.len() {
            let mut left = self.run(number, state)?;
            for effect in std::mem::take(&mut left.effects) {
                let same = |known: &EquivalenceEffect| {
                    (known.op, &known.operands, known.limit) == (effect.op, &effect.operands, effect.limit)
                };
                if !effects.iter().any(same) {
                    effects.push(effect);
                }
            }
            match &left.next[..] {
                [(next, _)] if numbers[*next].is_none() => {
                    number = *next;
                    state = left.next.pop()?.1;
                }
                _ => return Some(Left { effects, ..left }),
            }
        }
        None
    }

    /// Returns the state where a block begins, from the states that arrive. Variables that one of them lacks are dropped.
    fn merge(
        &mut self,
        block: u32,
        head: usize,
        arriving: &BTreeMap<usize, EquivalenceState>,
        joined: &mut BTreeSet<u32>,
    ) -> Option<EquivalenceState> {
        let (mut begin, first) = (EquivalenceState::default(), arriving.values().next()?);
        let mut term = |terms: &mut Terms, variable: u32, found: &mut dyn Iterator<Item = Term>| {
            let first = found.next()?;
            for other in found {
                if other != first {
                    joined.insert(variable);
                }
            }
            Some(match joined.contains(&variable) {
                true => terms.intern(Node::Joined { block, variable }),
                false => first,
            })
        };
        let height = first.stack.len();
        arriving.values().all(|state| state.stack.len() == height).then_some(())?;
        for place in 0..height {
            let mut found = arriving.values().filter_map(|state| Some(state.stack.get(place)?.term));
            let term = term(self.terms, OPERAND | place as u32, &mut found)?;
            begin.stack.push(TermValue { term, known: self.code.operand(head, place) });
        }
        for (variable, _) in first.variables.iter() {
            if arriving.values().any(|state| state.variables.get(variable).is_none()) {
                continue;
            }
            let mut found = arriving.values().filter_map(|state| Some(state.variables.get(variable)?.term));
            let term = term(self.terms, *variable, &mut found)?;
            begin.variables.insert(*variable, TermValue { term, known: self.code.variable(head, *variable) });
        }
        Some(begin)
    }

    /// Collects the form of all blocks that are reached, with the joins that their terms consist of.
    fn collect(
        &self,
        numbers: &[Option<u32>],
        heads: &[usize],
        arriving: &[BTreeMap<usize, EquivalenceState>],
        joined: &[BTreeSet<u32>],
        entry: &EquivalenceState,
        lefts: Vec<Option<Left>>,
    ) -> Option<Form> {
        let number = |block: u32| numbers.get(block as usize).copied().flatten();
        let mut forms = Vec::new();
        let mut open: Vec<Term> = Vec::new();
        for (head, left) in lefts.into_iter().enumerate() {
            let Some(Left { effects, end, .. }) = left else { continue };
            open.extend(effects.iter().flat_map(|effect| effect.operands.iter().copied()));
            let end = match end {
                EndForm::To(next) => EndForm::To(number(next)?),
                EndForm::Branch { condition, nonzero, zero } => {
                    open.push(condition);
                    EndForm::Branch { condition, nonzero: number(nonzero)?, zero: number(zero)? }
                }
                EndForm::Return(term) | EndForm::ReturnList(term, _) => {
                    open.push(term);
                    end
                }
                EndForm::Never => end,
            };
            forms.push(BlockForm { number: numbers[head]?, effects, end, joins: Vec::new() });
        }
        let mut seen: HashSet<Term> = HashSet::new();
        let mut used: BTreeSet<(u32, u32)> = BTreeSet::new();
        let mut joins: BTreeMap<(u32, u32), Vec<(u32, Term)>> = BTreeMap::new();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            self.terms.parts(term, |part| open.push(part));
            let Node::Joined { block, variable } = *self.terms.node(term) else { continue };
            let head = *heads.get(block as usize)?;
            if !used.insert((block, variable)) || !joined[head].contains(&variable) {
                continue;
            }
            let mut found = Vec::new();
            let arrive = arriving[head].iter().map(|(from, state)| (numbers[*from], state));
            for (from, state) in arrive.chain((head == 0).then_some((Some(u32::MAX), entry))) {
                let term = match variable & OPERAND {
                    0 => state.variables.get(&variable)?.term,
                    _ => state.stack.get((variable & !OPERAND) as usize)?.term,
                };
                open.push(term);
                found.push((from?, term));
            }
            joins.insert((block, variable), found);
        }
        for form in &mut forms {
            let own = joins.range((form.number, 0)..=(form.number, u32::MAX));
            form.joins = own.map(|((_, variable), found)| (*variable, found.clone())).collect();
        }
        Some(Form { blocks: forms })
    }
}

fn same_terms(one: &EquivalenceState, other: &EquivalenceState) -> bool {
    fn terms(state: &EquivalenceState) -> impl Iterator<Item = Term> {
        let stack = state.stack.iter().map(|value| value.term);
        stack.chain(state.variables.iter().map(|(_, value)| value.term))
    }
    one.variables.has_names_of(&other.variables) && terms(one).eq(terms(other))
}

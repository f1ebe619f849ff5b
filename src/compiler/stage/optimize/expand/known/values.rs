//! Values that are known where an expression computes them again: on every path there, an equal expression has been
//! computed, and nothing that it reads has been stored since. So computing it again cannot trap.
//!
//! The values of a routine are numbered: first those of its variables, then those of its longer expressions. A store
//! computes the value of its variable.

use std::collections::HashMap;
use std::ops::Range;

use crate::compiler::stage::flow::Code;
use crate::compiler::stage::flow::sweeps::{Analysis, SweepRows, solve};
use crate::compiler::stage::flow::values::{Numbered, number};
use crate::lang::NONE;
use crate::lang::opcode::{Class, Op};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    computed: bool,
    /// The word that it is, if branches on the paths have tested it.
    word: Option<u32>,
    /// A variable that holds it, or `NONE`.
    holder: u32,
}

const UNKNOWN: Fact = Fact { computed: false, word: None, holder: NONE };

pub struct Values<'a> {
    code: Code<'a>,
    routine: usize,
    /// The routine's first instruction.
    first: usize,
    numbered: Numbered,
    variables: usize,
    /// By value: itself and the comparisons with the same result or the opposite one, which are marked.
    alike: Vec<Vec<(u32, bool)>>,
    /// By variable: the values that read it.
    readers: Vec<Vec<u32>>,
}

impl<'a> Values<'a> {
    pub fn of(code: Code<'a>, routine: usize) -> Values<'a> {
        let numbered = number(code, routine);
        let first = code.flow.blocks.first[code.flow.spans.blocks(routine).start] as usize;
        let variables = code.flow.spans.variables(routine).len();
        let mut readers: Vec<Vec<u32>> = (0..variables as u32).map(|variable| vec![variable]).collect();
        let mut alike = readers.iter().map(|own| vec![(own[0], false)]).collect::<Vec<_>>();
        let mut keys = Vec::new();
        let mut classes: HashMap<_, Vec<(u32, bool)>> = HashMap::new();
        for (value, span) in (variables as u32..).zip(&numbered.code) {
            for i in span.clone().filter(|i| code.flow.accesses.variable[*i] != NONE) {
                let own: &mut Vec<u32> = &mut readers[code.variable(i)];
                own.extend((own.last() != Some(&value)).then_some(value));
            }
            let (key, opposite) = key(code, &numbered, first, span.clone());
            classes.entry(key.clone()).or_default().push((value, opposite));
            keys.push((key, opposite));
        }
        let of = |(key, own): (_, bool)| {
            classes[&key].iter().map(|(value, other)| (*value, own != *other)).collect()
        };
        alike.extend(keys.into_iter().map(of));
        Values { code, routine, first, numbered, variables, alike, readers }
    }

    pub fn len(&self) -> usize {
        self.variables + self.numbered.code.len()
    }

    /// Whether any value may be known: one is computed twice, or a variable is a copy.
    pub fn may_be_known(&self) -> bool {
        let mut seen = vec![false; self.numbered.code.len()];
        let again = |value: &u32| *value != NONE && std::mem::replace(&mut seen[*value as usize], true);
        let copies = |i: usize| {
            let stores = matches!(self.code.op(i), Op::StoreVar | Op::StoreList);
            stores && matches!(self.code.op(i - 1), Op::LoadConst | Op::LoadVar | Op::LoadList)
        };
        self.numbered.value.iter().any(again) || (1..self.numbered.value.len()).any(|i| copies(self.first + i))
    }

    /// The value that instruction `i` pushes.
    fn value(&self, i: usize) -> Option<usize> {
        match self.numbered.value[i - self.first] {
            NONE => matches!(self.code.op(i), Op::LoadVar | Op::LoadList).then(|| self.code.variable(i)),
            value => Some(self.variables + value as usize),
        }
    }

    /// The code of the expression that ends at an instruction.
    pub fn span(&self, i: usize) -> Option<Range<usize>> {
        match self.code.op(i) {
            Op::LoadConst | Op::LoadVar => Some(i..i + 1),
            Op::LoadListConst | Op::LoadList => None,
            _ => self.value(i).map(|value| i + 1 - self.numbered.code[value - self.variables].len()..i + 1),
        }
    }

    /// Solves the equations of all blocks.
    pub fn solve(&mut self) -> SweepRows<Fact> {
        solve(self.code.flow, self.routine, self)
    }

    /// If the value of the expression that ends at `i` is known, returns its code and the instruction that loads it.
    pub fn known(&self, i: usize, facts: &[Fact]) -> Option<(Range<usize>, Op, u32)> {
        let span = self.span(i)?;
        match facts[self.value(i)?] {
            Fact { word: Some(word), .. } => Some((span, Op::LoadConst, word)),
            Fact { holder, .. } if holder != NONE && (span.len() > 1 || self.code.op(i) == Op::LoadVar) => {
                Some((span, Op::LoadVar, self.slot(holder)))
            }
            _ => None,
        }
    }

    /// If instruction `i` reads a list that equals another one, returns the slot of that.
    pub fn list(&self, i: usize, facts: &[Fact]) -> Option<u32> {
        let reads = matches!(self.code.op(i), Op::LoadIndexVar | Op::ListLenVar | Op::SliceVar);
        let holder = reads.then(|| facts[self.code.variable(i)].holder)?;
        (holder != NONE).then(|| self.slot(holder))
    }

    fn slot(&self, variable: u32) -> u32 {
        let row = self.code.flow.spans.variables(self.routine).start + variable as usize;
        self.code.flow.variables.slot[row]
    }

    /// Changes the facts as an instruction does.
    pub fn step(&self, i: usize, facts: &mut [Fact]) {
        let code = self.code;
        let element = (code.op(i) == Op::StoreIndex).then(|| code.variable(i));
        for variable in code.overwritten(self.routine, i).chain(element) {
            self.readers[variable].iter().for_each(|value| facts[*value as usize] = UNKNOWN);
            facts.iter_mut().filter(|fact| fact.holder == variable as u32).for_each(|fact| fact.holder = NONE);
        }
        if let Some(value) = self.value(i) {
            self.alike[value].iter().for_each(|(own, _)| facts[*own as usize].computed = true);
        }
        let block = |i: usize| code.ir.block[i];
        if matches!(code.op(i), Op::StoreVar | Op::StoreList) && i > self.first && block(i - 1) == block(i) {
            self.store(i - 1, code.variable(i), facts);
        }
    }

    /// Changes the facts after a variable was stored whose value instruction `pushes` has pushed.
    fn store(&self, pushes: usize, variable: usize, facts: &mut [Fact]) {
        if self.code.op(pushes) == Op::LoadConst {
            facts[variable] = Fact { computed: true, word: Some(self.code.ir.arg[pushes]), ..UNKNOWN };
        } else if let Some(value) =
            self.value(pushes).filter(|value| facts[*value].computed || *value < self.variables)
        {
            let is_other = value < self.variables && value != variable;
            let holder = if is_other { value as u32 } else { NONE };
            facts[variable] = Fact { computed: true, word: facts[value].word, holder };
            if value >= self.variables && self.code.op(pushes).effect().left_lists == 0 {
                facts[value].holder = variable as u32;
            }
        }
    }

    /// Adds what follows from the result of a test.
    fn assume(&self, value: usize, holds: bool, facts: &mut [Fact]) {
        let last =
            value.checked_sub(self.variables).map(|value| self.code.op(self.numbered.code[value].end - 1));
        let is_bool = last.is_some_and(|last| last.opposite().is_some() || last == Op::Not);
        for &(own, opposite) in self.alike[value].iter().filter(|_| is_bool || !holds) {
            facts[own as usize] =
                Fact { computed: true, word: Some((holds != opposite).into()), ..facts[own as usize] };
        }
    }
}

/// Code, a word for each op and arg.
type KnownKey = Vec<u32>;

/// Returns the key of an expression: comparisons with the same result or the opposite one have the same key. Also returns
/// whether it has the opposite result of the others.
fn key(code: Code, numbered: &Numbered, first: usize, span: Range<usize>) -> (KnownKey, bool) {
    let words = |span: Range<usize>| span.flat_map(|i| [code.ir.op[i], code.ir.arg[i]]).collect::<KnownKey>();
    let last = span.end - 1;
    let (op, opposite, swaps) = match code.op(last) {
        Op::Eq => (Op::Eq, false, false),
        Op::Ne => (Op::Eq, true, false),
        Op::Lt => (Op::Lt, false, false),
        Op::Ge => (Op::Lt, true, false),
        Op::Gt => (Op::Lt, false, true),
        Op::Le => (Op::Lt, true, true),
        Op::ListEq => (Op::ListEq, false, false),
        Op::ListNe => (Op::ListEq, true, false),
        _ => return (words(span), false),
    };
    let right = match numbered.value.get(last - 1 - first) {
        Some(&value) if value != NONE => numbered.code[value as usize].len(),
        _ => 1,
    };
    let [mut left, mut right] = [span.start..last - right, last - right..last].map(words);
    if swaps || op == Op::Eq && left > right {
        std::mem::swap(&mut left, &mut right);
    }
    // No instruction has this number, so keys with other operands differ.
    left.push(NONE);
    left.extend(right);
    left.push(op as u32);
    (left, opposite)
}

impl Analysis for Values<'_> {
    type Fact = Fact;

    fn entry(&self) -> Vec<Fact> {
        vec![UNKNOWN; self.len()]
    }

    fn meet(&self, facts: &mut [Fact], other: &[Fact]) {
        for (fact, other) in facts.iter_mut().zip(other) {
            let same = |word: &u32| other.word == Some(*word);
            let holder = if fact.holder == other.holder { fact.holder } else { NONE };
            let both = Fact { computed: true, word: fact.word.filter(same), holder };
            *fact = if fact.computed && other.computed { both } else { UNKNOWN };
        }
    }

    fn leave(&mut self, block: usize, facts: &[Fact]) -> Vec<(usize, Vec<Fact>)> {
        let (code, mut facts) = (self.code, facts.to_vec());
        let instructions = code.flow.blocks.instructions(block);
        let last = instructions.end - 1;
        instructions.clone().for_each(|i| self.step(i, &mut facts));
        let test = match code.op(last).class() {
            Class::Branch { on } if last > instructions.start => self.value(last - 1).map(|value| (value, on)),
            _ => None,
        };
        let edges = [(code.flow.blocks.next[block], false), (code.flow.blocks.target[block], true)];
        let leave = |(to, jumps): (u32, bool)| {
            let mut facts = facts.clone();
            if let Some((value, on)) = test {
                let holds = jumps == on;
                if facts[value].word.is_some_and(|word| (word != 0) != holds) {
                    return None;
                }
                self.assume(value, holds, &mut facts);
            }
            (to != NONE).then_some((to as usize, facts))
        };
        edges.into_iter().filter_map(leave).collect()
    }
}

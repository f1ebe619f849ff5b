//! Makes inputs from a pool's values: systematic inputs first, then random ones and mutations of useful ones.

use std::collections::VecDeque;

use super::calls::Given;
use super::pool::Pool;
use super::random::Random;
use crate::network::inputs::Parameter;

/// Values at the limits of the language's integers.
const EXTREMES: [u32; 8] =
    [i32::MIN as u32, i32::MIN as u32 + 1, i32::MAX as u32, i32::MAX as u32 - 1, u32::MAX, 0, 1, 2];
/// The number of values and calls that systematic inputs use. The others occur only in random inputs.
const VALUES: usize = 48;
const BASES: usize = 4;
/// The maximum number of inputs that are kept for mutation.
const KEPT: usize = 512;
/// The maximum number of queued inputs that may turn a comparison.
const DERIVED: usize = 4_096;
/// The maximum number of changes to one input.
const CHANGES: usize = 4;

/// Makes inputs for a function.
#[derive(Clone, Debug)]
pub struct InputGenerator {
    parameters: Vec<Parameter>,
    pub pool: Pool,
    random: Random,
    /// Inputs that took a new way, or came closer to one.
    kept: Vec<Given>,
    systematic: VecDeque<Given>,
    /// Inputs that may make a comparison take its other way.
    derived: VecDeque<Given>,
    turn: bool,
}

/// The distribution from which one input draws its numbers.
enum Style {
    /// All kinds of numbers.
    Any,
    /// A few values only, so that equal values are common.
    Few(Vec<u32>),
    /// Small numbers only.
    Small,
}

impl InputGenerator {
    pub fn new(parameters: &[Parameter], pool: Pool, seed: u32) -> InputGenerator {
        let (kept, random) = (pool.calls.clone(), Random::new(seed));
        let (systematic, derived) = (VecDeque::new(), VecDeque::new());
        let mut draw = InputGenerator {
            parameters: parameters.to_vec(),
            pool,
            random,
            kept,
            systematic,
            derived,
            turn: false,
        };
        draw.systematic = draw.systematic().into();
        draw
    }

    /// Returns the next input. Derived inputs, which may turn a comparison, alternate with systematic ones. Random
    /// inputs follow when the systematic ones are used up.
    pub fn next(&mut self) -> Given {
        self.turn = !self.turn;
        let derived = if self.turn { self.derived.pop_front() } else { None };
        derived.or_else(|| self.systematic.pop_front()).unwrap_or_else(|| self.by_chance())
    }

    /// Keeps an input that took a new way or came closer to one, and derives others from it. `operands` come from
    /// comparisons that have taken only one way.
    pub fn useful(&mut self, given: &Given, operands: &[[u32; 2]]) {
        if self.kept.len() < KEPT {
            self.kept.push(given.clone());
        } else {
            let place = self.random.below(KEPT);
            self.kept[place].clone_from(given);
        }
        let derived = self.turned(given, operands);
        self.derived.extend(derived);
        self.derived.truncate(DERIVED);
    }

    /// Returns the known calls, then variants of base inputs with one parameter replaced by each value of the pool. A
    /// base is a known call, or all zeros and empty lists.
    fn systematic(&self) -> Vec<Given> {
        let nothing: Given =
            self.parameters.iter().map(|p| if p.capacity == 0 { vec![0] } else { vec![] }).collect();
        let mut bases: Vec<&Given> = self.pool.calls.iter().take(BASES).collect();
        bases.push(&nothing);
        let mut inputs: Vec<Given> = self.pool.calls.clone();
        let ints: Vec<u32> = { self.pool.ints.iter().take(VALUES) }
            .flat_map(|value| [*value, value.wrapping_add(1), value.wrapping_sub(1)])
            .chain(EXTREMES)
            .collect();
        for base in bases {
            for (place, parameter) in self.parameters.iter().enumerate() {
                let mut put = |words: Vec<u32>| {
                    let mut given = base.clone();
                    if let Some(argument) = given.get_mut(place) {
                        *argument = words;
                        inputs.push(given);
                    }
                };
                let capacity = parameter.capacity as usize;
                match (parameter.bools, capacity) {
                    (true, 0) => [0, 1].into_iter().for_each(|bit| put(vec![bit])),
                    (false, 0) => ints.iter().for_each(|int| put(vec![*int])),
                    (true, _) => (0..=capacity).for_each(|length| put(vec![1; length])),
                    (false, _) => {
                        let fitting = self.pool.lists.iter().filter(|list| list.len() <= capacity);
                        fitting.for_each(|list| put(list.clone()));
                        (0..=capacity).for_each(|length| put((0..length as u32).collect()));
                        ints.iter().for_each(|int| put(vec![*int]));
                        ints.iter().step_by(3).for_each(|int| put(vec![*int; capacity]));
                    }
                }
            }
        }
        inputs
    }

    /// Returns a random input.
    fn by_chance(&mut self) -> Given {
        if self.kept.is_empty() || self.random.once_in(3) { self.fresh() } else { self.changed() }
    }

    /// Derives inputs from `given` for comparisons that have taken only one way: one operand replaces the other, or a
    /// number is shifted by their difference.
    fn turned(&self, given: &Given, operands: &[[u32; 2]]) -> Vec<Given> {
        let mut inputs = Vec::new();
        for (from, to) in operands.iter().flat_map(|&[x, y]| [(x, y), (y, x)]) {
            for (place, parameter) in self.parameters.iter().enumerate().filter(|(_, p)| !p.bools) {
                let words = given.get(place).map_or(&[][..], Vec::as_slice);
                let mut put = |at: usize, value: u32| {
                    let mut given = given.clone();
                    given[place][at] = value;
                    inputs.push(given);
                };
                let found = words.iter().enumerate().filter(|(_, word)| **word == from).take(4);
                for at in found.map(|(at, _)| at) {
                    [to, to.wrapping_add(1), to.wrapping_sub(1)].into_iter().for_each(|value| put(at, value));
                }
                for (at, word) in words.iter().enumerate().take(4) {
                    put(at, word.wrapping_add(to.wrapping_sub(from)));
                }
                // The operand may be a list's length.
                if parameter.capacity > 0 && words.len() as u32 == from && to <= parameter.capacity {
                    for length in [to, (to + 1).min(parameter.capacity), to.saturating_sub(1)] {
                        let mut given = given.clone();
                        given[place].resize(length as usize, words.last().copied().unwrap_or(0));
                        inputs.push(given);
                    }
                }
            }
        }
        inputs
    }

    /// Draws an input from the pool alone.
    fn fresh(&mut self) -> Given {
        let style = match self.random.below(4) {
            0 => Style::Small,
            1 => Style::Few((0..2 + self.random.below(3)).map(|_| self.int(&Style::Any)).collect()),
            _ => Style::Any,
        };
        let mut given = Given::new();
        for place in 0..self.parameters.len() {
            let words = self.argument(place, &style, &given);
            given.push(words);
        }
        given
    }

    /// Draws a value for a parameter. `before` holds the values of the parameters before it.
    fn argument(&mut self, place: usize, style: &Style, before: &[Vec<u32>]) -> Vec<u32> {
        let Parameter { capacity, bools, .. } = self.parameters[place];
        if bools {
            let length = if capacity == 0 { 1 } else { self.random.below(capacity as usize + 1) };
            return (0..length).map(|_| self.random.word() & 1).collect();
        }
        // May reuse an earlier list: one of its elements, its length, or the list itself.
        let earlier = self.random.pick(before).cloned().filter(|_| self.random.once_in(4));
        if capacity == 0 {
            let length = earlier.as_ref().map_or(0, Vec::len) as u32;
            let found = earlier.and_then(|words| self.random.pick(&words).copied());
            return vec![match found {
                Some(_) if self.random.once_in(3) => length,
                Some(word) => word,
                None => self.int(style),
            }];
        }
        let mut list = match earlier {
            Some(list) => list,
            None if self.random.once_in(3) && matches!(style, Style::Any) => {
                let list = self.random.pick(&self.pool.lists).cloned().unwrap_or_default();
                if self.random.once_in(2) { self.spliced(list, capacity) } else { list }
            }
            None => {
                let length = self.length(capacity);
                (0..length).map(|_| self.int(style)).collect()
            }
        };
        list.truncate(capacity as usize);
        match self.random.below(8) {
            0 | 1 => list.sort_unstable_by_key(|word| *word as i32),
            2 => list.sort_unstable_by_key(|word| std::cmp::Reverse(*word as i32)),
            _ => {}
        }
        list
    }

    fn length(&mut self, capacity: u32) -> usize {
        let capacity = capacity as usize;
        match self.random.below(8) {
            0 => capacity,
            1 => capacity.saturating_sub(1),
            2 | 3 => self.random.below(capacity + 1),
            _ => self.random.below(capacity.min(7) + 1),
        }
    }

    fn int(&mut self, style: &Style) -> u32 {
        match style {
            Style::Small => return (self.random.below(8) as u32).wrapping_sub(2),
            Style::Few(values) => return self.random.pick(values).copied().unwrap_or(0),
            Style::Any => {}
        }
        match self.random.below(16) {
            0..=6 => {
                let beside = (self.random.below(4) as u32 % 3).wrapping_sub(1);
                let int = self.random.pick(&self.pool.ints).copied().unwrap_or(0);
                let int = match self.random.below(6) {
                    0 => int.wrapping_neg(),
                    1 => int.wrapping_add(self.random.pick(&self.pool.ints).copied().unwrap_or(0)),
                    2 => int.wrapping_sub(self.random.pick(&self.pool.ints).copied().unwrap_or(0)),
                    _ => int,
                };
                int.wrapping_add(beside)
            }
            7..=9 => (self.random.below(33) as u32).wrapping_sub(16),
            10 => self.random.below(1_001) as u32,
            11 => self.random.pick(&EXTREMES).copied().unwrap_or(0),
            12 => {
                let power = 1u32 << self.random.below(32);
                let beside = power.wrapping_add(self.random.below(3) as u32).wrapping_sub(1);
                if self.random.once_in(2) { beside } else { beside.wrapping_neg() }
            }
            // Printable ASCII characters.
            13 | 14 => 32 + self.random.below(95) as u32,
            _ => self.random.word(),
        }
    }

    /// Inserts a part of a list at a random place of `list`, or overwrites elements with it.
    fn spliced(&mut self, mut list: Vec<u32>, capacity: u32) -> Vec<u32> {
        let other = match self.random.below(3) {
            0 => self.random.pick(&self.pool.lists).cloned(),
            1 => Some(list.clone()),
            _ => None,
        };
        let part = match other {
            Some(other) if !other.is_empty() => {
                let from = self.random.below(other.len());
                let count = 1 + self.random.below(other.len() - from);
                other[from..from + count].to_vec()
            }
            _ => (0..1 + self.random.below(3)).map(|_| self.int(&Style::Any)).collect(),
        };
        let at = self.random.below(list.len() + 1);
        let end = if self.random.once_in(2) { at } else { (at + part.len()).min(list.len()) };
        list.splice(at..end, part);
        list.truncate(capacity as usize);
        list
    }

    /// Returns a kept input with a few changes.
    fn changed(&mut self) -> Given {
        // Half of the time, only the last 16 kept inputs are considered.
        let last = if self.random.once_in(2) { self.kept.len().min(16) } else { self.kept.len() };
        let which = self.kept.len() - 1 - self.random.below(last);
        let mut given = self.kept[which].clone();
        for _ in 0..1 + self.random.below(CHANGES) {
            let place = self.random.below(given.len());
            let Some(parameter) = self.parameters.get(place).copied() else { break };
            let words = std::mem::take(&mut given[place]);
            given[place] = match (parameter.capacity, parameter.bools) {
                (0, true) => vec![self.random.word() & 1],
                (0, false) => vec![self.changed_word(words.first().copied().unwrap_or(0), &given)],
                (capacity, true) => self.changed_bools(words, capacity),
                (capacity, false) => self.changed_list(words, capacity, &given),
            };
        }
        given
    }

    fn changed_word(&mut self, word: u32, others: &[Vec<u32>]) -> u32 {
        match self.random.below(8) {
            0 => word.wrapping_add(1),
            1 => word.wrapping_sub(1),
            2 => word.wrapping_add(1 << self.random.below(32)),
            3 => word.wrapping_sub(1 << self.random.below(32)),
            4 => word.wrapping_neg(),
            5 => {
                let other = self.random.pick(others).cloned().unwrap_or_default();
                self.random.pick(&other).copied().unwrap_or(word)
            }
            _ => self.int(&Style::Any),
        }
    }

    fn changed_bools(&mut self, mut words: Vec<u32>, capacity: u32) -> Vec<u32> {
        let at = self.random.below(words.len() + 1);
        match words.get_mut(at) {
            Some(_) if self.random.once_in(3) => drop(words.remove(at)),
            Some(word) if self.random.once_in(2) => *word ^= 1,
            _ => words.insert(at, self.random.word() & 1),
        }
        words.truncate(capacity as usize);
        words
    }

    fn changed_list(&mut self, mut words: Vec<u32>, capacity: u32, others: &[Vec<u32>]) -> Vec<u32> {
        let at = self.random.below(words.len());
        match self.random.below(12) {
            0 if !words.is_empty() => drop(words.remove(at)),
            1 => words.insert(at, self.int(&Style::Any)),
            2 if !words.is_empty() => words.insert(at, words[at]),
            3 if !words.is_empty() => {
                let other = self.random.below(words.len());
                words.swap(at, other);
            }
            4 => words.reverse(),
            5 => words.sort_unstable_by_key(|word| *word as i32),
            6 => {
                let length = self.length(capacity);
                words.resize(length, words.last().copied().unwrap_or(0));
            }
            7 | 8 => words = self.spliced(words, capacity),
            _ if !words.is_empty() => words[at] = self.changed_word(words[at], others),
            _ => words.push(self.int(&Style::Any)),
        }
        words.truncate(capacity as usize);
        words
    }
}

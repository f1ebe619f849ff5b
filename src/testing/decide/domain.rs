//! The arguments that a file's tests and properties show: for each parameter, the range of its numbers and lengths.

use std::collections::BTreeSet;

use super::calls::Given;
use super::pool::Pool;
use super::random::Random;
use crate::compiler::program::{Compiled, View};
use crate::lang::token::TokenKind;
use crate::lang::ty::{KIND_BOOL, KIND_BOOL_LIST, Type};

/// The maximum numbers of values of one parameter, and of inputs built from them.
const VALUES: usize = 48;
const INPUTS: usize = 2_048;
/// The number of known calls in which one or two arguments are replaced.
const BASES: usize = 6;
const SEED: u32 = 0x646f_6d61;

/// The domain of a function's arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentDomain {
    places: Vec<DomainPlace>,
}

/// The domain of one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DomainPlace {
    list: bool,
    bools: bool,
    /// The maximum length of a list.
    capacity: usize,
    lengths: [usize; 2],
    /// The least and the greatest number; in reverse order if there is none.
    range: [i32; 2],
    /// Whether the lists are strings.
    text: bool,
}

fn is_printable(word: u32) -> bool {
    (32..127).contains(&word)
}

/// Returns whether words are a string that a person would write.
pub fn is_text(words: &[u32]) -> bool {
    words.iter().all(|word| is_printable(*word)) && words.iter().any(|word| *word >= u32::from(b'0'))
}

/// Returns whether a program has a string literal.
pub fn has_strings(view: View) -> bool {
    view.all().iter().any(|token| view.kind(token) == TokenKind::Str)
}

impl ArgumentDomain {
    /// Returns the domain that known calls show, or `None` if there are no calls.
    pub fn new(compiled: &Compiled, types: &[Type], calls: &[Given]) -> Option<ArgumentDomain> {
        calls.first()?;
        let strings = has_strings(compiled.view());
        let place = |(at, ty): (usize, &Type)| {
            let given = || calls.iter().filter_map(move |call| call.get(at));
            let lengths = given().map(Vec::len);
            let words = || given().flatten().map(|word| *word as i32);
            let lists = || given().filter(|words| !words.is_empty());
            let bools = matches!(ty.kind(), KIND_BOOL | KIND_BOOL_LIST);
            let text =
                strings && ty.is_list() && !bools && lists().next().is_some() && lists().all(|l| is_text(l));
            let [lo, hi] = [words().min().unwrap_or(i32::MAX), words().max().unwrap_or(i32::MIN)];
            DomainPlace {
                list: ty.is_list(),
                bools,
                capacity: ty.capacity() as usize,
                lengths: [lengths.clone().min().unwrap_or(0), lengths.max().unwrap_or(0)],
                range: if bools {
                    [0, 1]
                } else if text {
                    [32, 126]
                } else {
                    [lo, hi]
                },
                text,
            }
        };
        Some(ArgumentDomain { places: types.iter().enumerate().map(place).collect() })
    }

    /// Returns a domain with the same strings, but with lists of any length and with any other numbers.
    pub fn with_any_length(&self) -> ArgumentDomain {
        let open = |place: &DomainPlace| DomainPlace {
            lengths: [0, place.capacity],
            range: if place.text || place.bools { place.range } else { [i32::MIN, i32::MAX] },
            ..place.clone()
        };
        ArgumentDomain { places: self.places.iter().map(open).collect() }
    }

    pub fn contains(&self, given: &Given) -> bool {
        given.iter().zip(&self.places).all(|(words, place)| place.contains(words))
    }

    /// Returns whether the lists of this argument are strings.
    pub fn is_text(&self, place: usize) -> bool {
        self.places.get(place).is_some_and(|place| place.text)
    }

    /// Returns the characters that strings of this argument may have, plain letters first: those of the known calls
    /// and of the program.
    pub fn alphabet(&self, place: usize, pool: &Pool) -> Vec<u32> {
        let known = pool.calls.iter().filter_map(|call| call.get(place)).flatten();
        let mut characters: Vec<u32> = Vec::new();
        let plain = ['a', 'A', '0', ' '].map(u32::from);
        let beside = pool.ints.iter().flat_map(|int| [*int, int.wrapping_add(1), int.wrapping_sub(1)]);
        for character in plain.into_iter().chain(known.copied()).chain(beside) {
            if is_printable(character) && !characters.contains(&character) {
                characters.push(character);
            }
        }
        characters
    }

    /// Returns the least and the greatest number of an argument.
    pub fn range(&self, place: usize) -> [i32; 2] {
        self.places.get(place).map_or([i32::MIN, i32::MAX], |place| place.range)
    }

    /// Returns the nearest input in the domain.
    pub fn clamped(&self, given: &Given) -> Given {
        given.iter().zip(&self.places).map(|(words, place)| place.clamped(words)).collect()
    }

    /// Returns inputs of the domain, smallest first: known values, small ones, and those of the pool.
    pub fn inputs(&self, pool: &Pool) -> Vec<Given> {
        let values: Vec<Vec<Vec<u32>>> =
            self.places.iter().enumerate().map(|(at, place)| place.values(at, pool)).collect();
        let count = values.iter().try_fold(1usize, |count, values| count.checked_mul(values.len()));
        let mut inputs: BTreeSet<(u64, Given)> = BTreeSet::new();
        let mut add = |given: Given| {
            if inputs.len() < INPUTS && self.contains(&given) {
                inputs.insert((size(&given), given));
            }
        };
        if let Some(count) = count.filter(|count| *count <= INPUTS) {
            for mut number in 0..count {
                let pick = |values: &Vec<Vec<u32>>| {
                    let at = number % values.len();
                    number /= values.len();
                    values[at].clone()
                };
                add(values.iter().map(pick).collect());
            }
        } else {
            for base in pool.calls.iter().take(BASES) {
                for (place, own) in values.iter().enumerate() {
                    for value in own {
                        let mut given = base.clone();
                        given[place].clone_from(value);
                        add(given.clone());
                        // The next argument gets a value of its own, in a different order.
                        let other = (place + 1) % values.len();
                        for value in values[other].iter().rev().step_by(5) {
                            given[other].clone_from(value);
                            add(given.clone());
                        }
                    }
                }
            }
        }
        inputs.into_iter().map(|(_, given)| given).collect()
    }

    /// Returns some random inputs of the domain.
    pub fn some<'a>(&'a self, pool: &'a Pool, count: usize) -> impl Iterator<Item = Given> + 'a {
        let mut random = Random::new(SEED);
        (0..count).map(move |_| self.random(&mut random, pool)).filter(|given| self.contains(given))
    }

    fn random(&self, random: &mut Random, pool: &Pool) -> Given {
        let given = random.pick(&pool.calls).cloned().unwrap_or_default();
        let change = |(at, mut words): (usize, Vec<u32>)| {
            let Some(place) = self.places.get(at).filter(|_| !random.once_in(3)) else { return words };
            if place.list {
                let [lo, hi] = place.lengths;
                words.resize(lo + random.below(hi - lo + 1), place.range[0] as u32);
            }
            let [lo, hi] = place.range;
            for word in &mut words {
                let known = random.pick(&pool.ints).copied().unwrap_or(0);
                let width = (i64::from(hi) - i64::from(lo)).max(0) as usize;
                *word = match random.below(4) {
                    0 => *word,
                    1 => known.clamp_to(lo, hi),
                    _ => (i64::from(lo) + random.below(width.saturating_add(1)) as i64) as u32,
                };
            }
            words
        };
        given.into_iter().enumerate().map(change).collect()
    }
}

trait Clamp {
    fn clamp_to(self, lo: i32, hi: i32) -> u32;
}

impl Clamp for u32 {
    fn clamp_to(self, lo: i32, hi: i32) -> u32 {
        if lo > hi { self } else { (self as i32).clamp(lo, hi) as u32 }
    }
}

impl DomainPlace {
    fn contains(&self, words: &[u32]) -> bool {
        let [least, most] = self.lengths;
        let fits = !self.list || (least..=most).contains(&words.len());
        fits && words.iter().all(|word| (self.range[0]..=self.range[1]).contains(&(*word as i32)))
    }

    fn clamped(&self, words: &[u32]) -> Vec<u32> {
        let [lo, hi] = self.range;
        let mut words: Vec<u32> = words.iter().map(|word| word.clamp_to(lo, hi)).collect();
        if self.list {
            words.truncate(self.lengths[1]);
            words.resize(words.len().max(self.lengths[0]), 0u32.clamp_to(lo, hi));
        }
        words
    }

    /// Returns values of this argument: of the known calls, near 0, and of the pool.
    fn values(&self, at: usize, pool: &Pool) -> Vec<Vec<u32>> {
        let mut values: Vec<Vec<u32>> = Vec::new();
        let mut add = |words: Vec<u32>| {
            if values.len() < VALUES && self.contains(&words) && !values.contains(&words) {
                values.push(words);
            }
        };
        let [lo, hi] = self.range;
        let around = pool.ints.iter().flat_map(|int| [*int, int.wrapping_add(1), int.wrapping_sub(1)]);
        let near = (0..VALUES as u32 / 2).map(|by| 0u32.clamp_to(lo, hi).wrapping_add(by));
        let known = pool.calls.iter().filter_map(|call| call.get(at).cloned());
        if self.list {
            known.take(VALUES / 3).for_each(&mut add);
            pool.lists.iter().take(VALUES / 3).for_each(|list| add(list.clone()));
            around.for_each(|int| add(vec![int]));
        } else {
            known.take(VALUES / 4).for_each(&mut add);
            near.take(VALUES / 4).for_each(|int| add(vec![int]));
            [lo as u32, hi as u32].into_iter().chain(around).for_each(|int| add(vec![int]));
        }
        values
    }
}

/// Returns the size of an input: the sum of its numbers without signs, and of the lengths of its lists.
pub fn size(given: &Given) -> u64 {
    let of =
        |words: &Vec<u32>| words.iter().map(|word| 1 + u64::from((*word as i32).unsigned_abs())).sum::<u64>();
    given.iter().map(of).sum()
}

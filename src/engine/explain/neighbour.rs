//! Searches for a passing input near a failing one: first changes one number slightly, then adds or removes
//! an element, then tries the domain.

use super::{Bounds, Case, Value, Words};
use crate::compiler::program::Compiled;
use crate::compiler::stage::execute;
use crate::lang::index::EntryId;
use crate::lang::limits;
use crate::lang::verdict::Outcome;

/// The limit of steps for the search.
const STEPS: u64 = 2_000_000;
/// Offsets that are added to a number.
const MOVES: [i64; 6] = [1, -1, 2, -2, 10, -10];

/// Returns the values of a passing input near the failing one in `frame`, with the names of its binders.
pub fn neighbour(c: &Compiled, entry: EntryId, frame: &[u32]) -> Option<Vec<(String, Value)>> {
    let routine = c.facts.entry(entry);
    c.executable.routine(routine)?;
    let mut case = Case::new(c, routine, limits::SAMPLES);
    let input: Option<Vec<Words>> = (0..case.binders.len())
        .map(|binder| {
            let (slot, list) = case.domain.place(binder)?;
            match list {
                false => Some(vec![*frame.get(slot)?]),
                true => Some(frame.get(slot + 1..)?.get(..*frame.get(slot)? as usize)?.to_vec()),
            }
        })
        .collect();
    let input = input.filter(|input| !input.is_empty())?;
    let bounds: Vec<Bounds> = case.binders.clone().map(|row| Bounds::new(&case, row)).collect();
    let near = near(&input, &bounds);
    let drawn = case.domain.inputs().iter().map(Err);
    let mut spent = 0;
    for input in near.into_iter().map(Ok).chain(drawn) {
        let input = input.unwrap_or_else(|input| case.input(input));
        let record = case.run(&input);
        if execute::outcome(&record) == Outcome::Pass {
            return Some(case.named(&input));
        }
        spent += u64::from(record.steps);
        if spent > STEPS {
            break;
        }
    }
    None
}

/// Returns the inputs that differ in one number or in one element, within the bounds of their binders.
fn near(input: &[Words], bounds: &[Bounds]) -> Vec<Vec<Words>> {
    let mut all = Vec::new();
    for (binder, (words, bounds)) in input.iter().zip(bounds).enumerate() {
        let mut push = |words: Words| {
            let mut next = input.to_vec();
            next[binder] = words;
            all.push(next);
        };
        for by in MOVES {
            for (element, word) in words.iter().enumerate() {
                let number = i64::from(*word as i32) + by;
                if (bounds.lo..=bounds.last).contains(&number) {
                    let mut words = words.clone();
                    words[element] = number as u32;
                    push(words);
                }
            }
        }
        if bounds.list {
            for element in 0..words.len() {
                let mut words = words.clone();
                words.remove(element);
                push(words);
            }
            if words.len() < bounds.longest {
                push([&words[..], &[bounds.goal as u32]].concat());
            }
        }
    }
    all
}

//! Finds small arguments that distinguish two codes, inside the domain that tests show if such arguments exist.

use super::calls::Given;
use super::domain::{ArgumentDomain, size};
use super::pool::Pool;
use super::shrink::shrink;
use crate::lang::ty::{KIND_BOOL, Type};

/// The maximum number of random inputs that are tried inside the domain.
const INSIDE: usize = 4_096;
/// The maximum number of values of one argument, and of inputs in order of their size, that are tried.
const SCANNED: i64 = 4_096;
const ENUMERATED: u32 = 1 << 14;

/// The values from which small arguments are chosen.
pub struct Choice<'a> {
    pub types: &'a [Type],
    pub domain: Option<&'a ArgumentDomain>,
    pub pool: &'a Pool,
}

/// Returns small arguments that distinguish, and their results, starting with `given`, which distinguish. Arguments
/// inside the domain are preferred to smaller ones outside. `differ` returns the results if they differ.
pub fn smallest<T>(
    choice: &Choice,
    mut differ: impl FnMut(&Given) -> Option<T>,
    given: Given,
) -> Option<(Given, T)> {
    let Choice { types, domain, pool } = *choice;
    let open = domain.map(ArgumentDomain::with_any_length);
    let domains: Vec<&ArgumentDomain> = domain.into_iter().chain(open.as_ref()).collect();
    let mut given = given;
    if domains.first().is_some_and(|domain| !domain.contains(&given)) {
        let (rough, _) = shrink(&mut differ, types, given.clone())?;
        let inside = domains.iter().find_map(|domain| {
            let near = [&given, &rough].map(|input| domain.clamped(input));
            near.into_iter().chain(domain.some(pool, INSIDE)).find(|input| differ(input).is_some())
        });
        given = inside.unwrap_or(rough);
    }
    let domain = domains.into_iter().find(|domain| domain.contains(&given));
    let alphabets: Vec<Option<Vec<u32>>> = (0..types.len())
        .map(|place| Some(domain.filter(|domain| domain.is_text(place))?.alphabet(place, pool)))
        .collect();
    let given = spelled(&alphabets, &mut differ, given);
    let mut accepted = |input: &Given| {
        let inside = domain.is_none_or(|domain| domain.contains(input));
        // Other characters are no smaller.
        let spelled = alphabets.iter().zip(input).zip(&given).all(|((alphabet, words), before)| {
            alphabet.is_none() || words.iter().all(|word| before.contains(word))
        });
        if inside && spelled { differ(input) } else { None }
    };
    let (mut given, _) = shrink(&mut accepted, types, given.clone())?;
    if types.iter().all(|ty| !ty.is_list()) {
        let ranges: Vec<[i64; 2]> = (0..types.len()).map(|place| range(choice, domain, place)).collect();
        scan(&ranges, &mut accepted, &mut given);
        if let Some(smaller) = enumerate(&ranges, &mut accepted, &given) {
            given = smaller;
        }
    }
    let results = accepted(&given)?;
    Some((given, results))
}

/// Replaces the characters of strings by the first ones of their alphabets, as far as the input still distinguishes.
fn spelled<T>(
    alphabets: &[Option<Vec<u32>>],
    differ: &mut impl FnMut(&Given) -> Option<T>,
    mut given: Given,
) -> Given {
    for (place, alphabet) in alphabets.iter().enumerate() {
        let Some(alphabet) = alphabet else { continue };
        for at in 0..given[place].len() {
            let now = given[place][at];
            let simpler = alphabet.iter().take_while(|character| **character != now).find_map(|character| {
                let mut input = given.clone();
                input[place][at] = *character;
                differ(&input).map(|_| input)
            });
            given = simpler.unwrap_or(given);
        }
    }
    given
}

/// Returns the least and the greatest value of an argument.
fn range(choice: &Choice, domain: Option<&ArgumentDomain>, place: usize) -> [i64; 2] {
    let [lo, hi] = match choice.types.get(place).map(|ty| ty.kind()) {
        Some(KIND_BOOL) => [0, 1],
        _ => domain.map_or([i32::MIN, i32::MAX], |domain| domain.range(place)),
    };
    [lo.into(), hi.into()]
}

/// Returns the values of a range that are `offset` farther from 0 than the nearest one.
fn at([lo, hi]: [i64; 2], offset: i64) -> impl Iterator<Item = i64> {
    let nearest = 0.clamp(lo, hi);
    let up = Some(nearest + offset).filter(|value| nearest >= 0 && *value <= hi);
    let down = Some(nearest - offset).filter(|value| nearest <= 0 && *value >= lo && offset > 0);
    up.into_iter().chain(down)
}

/// Makes each argument as small as the others allow.
fn scan<T>(ranges: &[[i64; 2]], accepted: &mut impl FnMut(&Given) -> Option<T>, given: &mut Given) {
    let mut changed = true;
    while changed {
        changed = false;
        for (place, range) in ranges.iter().enumerate() {
            let now = i64::from(given[place][0] as i32);
            let offset = now.abs() - 0.clamp(range[0], range[1]).abs();
            let smaller = (0..offset.min(SCANNED)).flat_map(|offset| at(*range, offset)).find(|value| {
                let mut input = given.clone();
                input[place] = vec![*value as u32];
                accepted(&input).is_some()
            });
            if let Some(value) = smaller {
                given[place] = vec![value as u32];
                changed = true;
            }
        }
    }
}

/// Tries all smaller arguments in the order of their size. Returns the first that distinguish.
fn enumerate<T>(
    ranges: &[[i64; 2]],
    accepted: &mut impl FnMut(&Given) -> Option<T>,
    given: &Given,
) -> Option<Given> {
    let nearest = ranges.iter().map(|range| 0.clamp(range[0], range[1]).unsigned_abs()).sum::<u64>();
    let most = (size(given) - ranges.len() as u64).checked_sub(nearest)?;
    let mut left = ENUMERATED;
    let mut try_one = |input: &Given| {
        left = left.saturating_sub(1);
        left == 0 || accepted(input).is_some()
    };
    for sum in 0..most as i64 {
        let mut input = Given::new();
        if each(ranges, sum, &mut input, &mut try_one) {
            return accepted(&input).is_some().then_some(input);
        }
    }
    None
}

/// Calls `found` with the arguments whose offsets add up to `sum`, until it returns `true`; `input` then has them.
fn each(ranges: &[[i64; 2]], sum: i64, input: &mut Given, found: &mut impl FnMut(&Given) -> bool) -> bool {
    let Some((range, rest)) = ranges.split_first() else { return sum == 0 && found(input) };
    let offsets = if rest.is_empty() { sum..=sum } else { 0..=sum };
    for offset in offsets {
        for value in at(*range, offset) {
            input.push(vec![value as u32]);
            if each(rest, sum - offset, input, found) {
                return true;
            }
            input.pop();
        }
    }
    false
}

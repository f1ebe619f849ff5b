//! Arguments on which a mutant may differ from its program. The arguments with which oracles call the function come
//! first. After them, mutations of these alternate with random arguments. Each depends on its number alone.

use crate::compiler::stage::execute::mix;
use crate::lang::index::{Index, InputId};
use crate::lang::limits;
use crate::network::inputs::{Arguments, Parameter, draw};
use crate::testing::decide::Given;

const SEED: u32 = 1;
/// The maximum number of changes to a known call.
const CHANGES: u32 = 4;

/// Returns the arguments with the given number. The known arguments have the first numbers.
pub fn nth(arguments: &Arguments, known: &[Given], number: InputId) -> Given {
    match known.get(number.position()) {
        Some(given) => given.clone(),
        None if number.number() % 2 == 1 && !known.is_empty() && arguments.size.is_none() => {
            changed(arguments, known, number)
        }
        None => {
            // If the inputs can be enumerated, each appears in turn. Otherwise every other number is random.
            let after = number.number() - known.len() as u32;
            let own = if arguments.size.is_some() || known.is_empty() { after } else { after / 2 };
            drawn(arguments, SEED, InputId::new(own))
        }
    }
}

pub fn drawn(arguments: &Arguments, seed: u32, number: InputId) -> Given {
    let mut frame = vec![0; arguments.words() as usize + 1];
    arguments.write(seed, number.number(), &mut frame);
    let of = |parameter: &Parameter| {
        let slot = parameter.slot.position();
        match parameter.capacity {
            0 => vec![frame[slot]],
            _ => frame[slot + 1..][..(frame[slot].min(limits::CAPACITY)) as usize].to_vec(),
        }
    };
    arguments.parameters.iter().map(of).collect()
}

/// Returns known arguments with a few changes, as a fuzzer mutates its corpus.
fn changed(arguments: &Arguments, known: &[Given], number: InputId) -> Given {
    let random = |n: u32| draw(SEED, number.number(), n, 0);
    let pick = |n: u32, count: usize| random(n) as usize % count.max(1);
    let mut given = known[pick(0, known.len())].clone();
    for change in 0..1 + random(1) % CHANGES {
        let n = 2 + 5 * change;
        let place = pick(n, given.len());
        let (Some(words), Some(parameter)) = (given.get_mut(place), arguments.parameters.get(place)) else {
            break;
        };
        let element = pick(n + 1, words.len());
        let value = match (parameter.bools, random(n + 2) % 4) {
            (true, _) => random(n + 3) & 1,
            (false, 0) if !arguments.constants.is_empty() => arguments.constants
                [pick(n + 3, arguments.constants.len())]
            .wrapping_add(mix(random(n + 3)) % 3)
            .wrapping_sub(1),
            (false, 1) => words.get(element).map_or(1, |word| word.wrapping_add(1)),
            (false, 2) => words.get(element).map_or(0, |word| word.wrapping_sub(1)),
            // A word from another place of a known call.
            (false, _) => {
                let other = &known[pick(n + 3, known.len())];
                let words = other.get(mix(random(n + 3)) as usize % other.len().max(1));
                let word = words.and_then(|words| words.get(random(n + 4) as usize % words.len().max(1)));
                word.copied().unwrap_or(0)
            }
        };
        let full = words.len() >= parameter.capacity as usize;
        match random(n + 4) % 4 {
            _ if parameter.capacity == 0 => *words = vec![value],
            0 if !words.is_empty() => drop(words.remove(element)),
            1 if !full => words.insert(element.min(words.len()), value),
            _ if !words.is_empty() => words[element] = value,
            _ if !full => words.push(value),
            _ => {}
        }
    }
    given
}

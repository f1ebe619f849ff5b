//! Values as the words after a line.

use super::{CallValues, LineValues, PlaceValues, SeenValue, ValuePlace};
use crate::engine::explain::Value;
use crate::host::measure::numbers::grouped;

/// The greatest number of elements of a list that is shown whole; of a longer one, the number of first elements.
const ELEMENTS: usize = 8;
const FIRST_ELEMENTS: usize = 2;
/// The numbers of first and of last rounds that are shown of more than eight.
const FIRST_ROUNDS: usize = 3;
const LAST_ROUNDS: usize = 2;

/// Shown for a line that was not reached.
const NOT_REACHED: &str = "·";
/// After a count of what was recorded, if there is more.
pub const MORE: &str = "…";
/// Before what depends on a skipped statement.
pub const GUESS: &str = "~";

impl CallValues {
    /// Returns the words after each line: the values of all rounds on the lines that `all_rounds` names, else those of the
    /// chosen round. Left out is what the text says, and what the line above says of the same variable.
    pub fn texts(&self, all_rounds: impl Fn(u32) -> bool) -> Vec<(u32, String)> {
        let mut said: Vec<String> = Vec::new();
        let mut text = |own: &LineValues| {
            if !own.reached {
                let guess = if self.is_guess { GUESS } else { "" };
                return (own.line, format!("{guess}{NOT_REACHED}"));
            }
            let all = all_rounds(own.line);
            let told = own.values.iter().filter(|place| !place.plain || (all && place.count > 1));
            let mut words = Vec::new();
            for (place, text) in told.filter_map(|place| Some((place, place.text(all, self.goes_on)?))) {
                let repeats = matches!(place.place, ValuePlace::Variable(_)) && said.contains(&text);
                if !repeats {
                    words.push(text);
                }
            }
            said.clone_from(&words);
            (own.line, words.join("  "))
        };
        self.lines.iter().map(&mut text).filter(|(_, text)| !text.is_empty()).collect()
    }
}

impl PlaceValues {
    /// Returns the value of the chosen round, or those of all rounds: `t = 6`, `true ×2, false`, `→ 6`. A count that `goes_on`
    /// ends with `…`.
    fn text(&self, all_rounds: bool, goes_on: bool) -> Option<String> {
        let values = match &self.own {
            _ if all_rounds && self.count > 1 => self.rounds() + if goes_on { MORE } else { "" },
            Some(own) => self.value(own),
            None => return None,
        };
        Some(match &self.place {
            ValuePlace::Variable(name) => format!("{name} = {values}"),
            ValuePlace::Return => format!("→ {values}"),
            _ => values,
        })
    }

    fn rounds(&self) -> String {
        let text = |seen: &SeenValue| match seen.times {
            1 => self.value(seen),
            times => format!("{} ×{}", self.value(seen), grouped(times.into())),
        };
        let all = |seen: &[SeenValue]| seen.iter().map(text).collect::<Vec<_>>().join(", ");
        if !self.cut {
            return all(&self.seen);
        }
        let (first, last) = (&self.seen[..FIRST_ROUNDS], &self.seen[self.seen.len() - LAST_ROUNDS..]);
        format!("{}, …, {} ×{}", all(first), all(last), grouped(self.count.into()))
    }

    /// Returns one of the values, without the name of a variable.
    fn value(&self, seen: &SeenValue) -> String {
        let guess = if seen.is_guess { GUESS } else { "" };
        let value = seen.value.as_ref().map_or("…".to_string(), short);
        let value = format!("{guess}{value}");
        match &self.place {
            ValuePlace::Element(_) => format!("[{}] = {value}", seen.index.unwrap_or_default()),
            ValuePlace::Call(name) => {
                let arguments: Vec<String> = seen.arguments.iter().map(short).collect();
                format!("{name}({}) → {value}", arguments.join(", "))
            }
            _ => value,
        }
    }
}

/// Returns a value; of a long list, the first and last elements and the number of all.
pub fn short(value: &Value) -> String {
    fn list<T: ToString>(elements: &[T]) -> Option<String> {
        let (last, _) = elements.split_last().filter(|_| elements.len() > ELEMENTS)?;
        let first: Vec<String> = elements[..FIRST_ELEMENTS].iter().map(T::to_string).collect();
        Some(format!("[{}, …, {}] {}", first.join(", "), last.to_string(), elements.len()))
    }
    let long = match value {
        Value::Ints(ints) => list(ints),
        Value::Bools(bools) => list(bools),
        _ => None,
    };
    long.unwrap_or_else(|| value.to_string())
}

//! An independent source of inputs for functions: constants, characters and strings that this module finds in
//! the file's text, extremes and small numbers. Also compares codes on them.

use super::rng::Rng;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{Machine, Record, Start, mutant_fuel};
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::trap::Trap;
use myriad::lang::ty::Type;
use myriad::network::inputs::{Arguments, FUEL};

/// Values in a text.
pub struct Named {
    ints: Vec<i32>,
    strings: Vec<Vec<i32>>,
}

impl Named {
    pub fn of(text: &str) -> Named {
        let mut named = Named { ints: vec![0, 1], strings: vec![vec![]] };
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let end = |from: usize, quote: u8| {
                let mut end = from;
                while end < rest.len() && rest[end] != quote && rest[end] != b'\n' {
                    end += 1 + usize::from(rest[end] == b'\\');
                }
                end.min(rest.len())
            };
            let length = match rest[0] {
                b'"' | b'\'' => {
                    let end = end(1, rest[0]);
                    let codes: Vec<i32> = rest[1..end]
                        .iter()
                        .filter(|byte| **byte != b'\\')
                        .map(|byte| i32::from(*byte))
                        .collect();
                    named.ints.extend(&codes);
                    named.strings.push(codes);
                    end + 1
                }
                b'0'..=b'9' => {
                    let digits = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
                    let token: String = digits.map(|byte| *byte as char).collect();
                    let plain = token.replace('_', "").to_lowercase();
                    let value = match (plain.strip_prefix("0x"), plain.strip_prefix("0b")) {
                        (Some(hex), _) => i64::from_str_radix(hex, 16),
                        (_, Some(bits)) => i64::from_str_radix(bits, 2),
                        _ => plain.parse(),
                    };
                    named.ints.extend(value.ok().map(|value| value as i32));
                    token.len()
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
                }
                _ => 1,
            };
            at += length;
        }
        named.ints.sort_unstable();
        named.ints.dedup();
        named.strings.sort_unstable();
        named.strings.dedup();
        named
    }

    fn int(&self, rng: &mut Rng) -> i32 {
        let constant = |rng: &mut Rng| *rng.pick(&self.ints);
        match rng.below(10) {
            0..=2 => constant(rng),
            3 => constant(rng).wrapping_add(rng.below(3) as i32 - 1),
            4 => constant(rng).wrapping_neg(),
            5 => *rng.pick(&[i32::MIN, i32::MIN + 1, i32::MAX, i32::MAX - 1, -1, 0, 1 << 16, 46_341]),
            6 => constant(rng).wrapping_add(constant(rng)),
            7 => rng.below(300) as i32 - 20,
            _ => rng.below(17) as i32 - 8,
        }
    }

    fn list(&self, rng: &mut Rng, capacity: usize) -> Vec<i32> {
        let mut list = match rng.below(6) {
            0..=2 => {
                let mut list = rng.pick(&self.strings).clone();
                for _ in 0..rng.below(4) {
                    let at = rng.below(list.len() + 1);
                    let word = if rng.one_in(2) { 32 + rng.below(95) as i32 } else { self.int(rng) };
                    match list.get_mut(at) {
                        Some(old) if rng.one_in(2) => *old = word,
                        Some(_) if rng.one_in(2) => drop(list.remove(at)),
                        _ => list.insert(at, word),
                    }
                }
                list
            }
            3 => {
                let few: Vec<i32> = (0..1 + rng.below(3)).map(|_| self.int(rng)).collect();
                (0..rng.below(capacity + 1)).map(|_| *rng.pick(&few)).collect()
            }
            4 => (0..rng.below(capacity.min(6) + 1)).map(|_| rng.below(9) as i32 - 2).collect(),
            _ => (0..rng.below(capacity + 1)).map(|_| self.int(rng)).collect(),
        };
        list.truncate(capacity);
        if rng.one_in(4) {
            list.sort_unstable();
        }
        list
    }

    /// Returns arguments as words for a call: a list is its length, then its elements.
    pub fn arguments(&self, rng: &mut Rng, arguments: &Arguments) -> Vec<u32> {
        let mut words = Vec::new();
        for parameter in &arguments.parameters {
            let capacity = parameter.capacity as usize;
            let list: Vec<i32> = match (parameter.bools, capacity) {
                (true, 0) => vec![rng.below(2) as i32],
                (true, _) => (0..rng.below(capacity + 1)).map(|_| rng.below(2) as i32).collect(),
                (false, 0) => vec![self.int(rng)],
                (false, _) => self.list(rng, capacity),
            };
            words.extend((capacity > 0).then_some(list.len() as u32));
            words.extend(list.iter().map(|word| *word as u32));
        }
        words
    }

    /// Compares code for a function with its own on a number of inputs; returns the first on which they differ.
    /// Inputs on which the function's own code exhausts its resources do not count.
    pub fn told_apart(
        &self,
        compiled: &Compiled,
        function: RoutineId,
        code: &[u32],
        (seed, inputs): (u64, u64),
    ) -> Option<Vec<u32>> {
        let base = &compiled.executable;
        let other = base.with_function(function, code);
        let mut machines = [Machine::default(), Machine::default()];
        machines[0].translate(base);
        machines[1].translate(&other);
        let arguments = Arguments::new(compiled, function);
        let list = Type(base.routines.result[function.position()]).is_list();
        let mut rng = Rng::new(seed);
        for _ in 0..inputs {
            let words = self.arguments(&mut rng, &arguments);
            let start = |fuel| Start { routine: function, fuel, depth: 1, origin: 0 };
            let own = machines[0].call(base, start(FUEL), &words);
            if matches!(own.trap, Trap::StepLimit | Trap::OutOfMemory | Trap::RecursionTooDeep) {
                continue;
            }
            let others = machines[1].call(&other, start(mutant_fuel(own.steps)), &words);
            let [own, others] = [(&machines[0], own), (&machines[1], others)].map(|(m, r)| given(m, r, list));
            if own != others {
                return Some(words);
            }
        }
        None
    }
}

fn given(machine: &Machine, record: Record, list: bool) -> (Trap, Vec<u32>) {
    let value = match record.trap {
        Trap::None if list => machine.words(0, record.value).to_vec(),
        Trap::None => vec![record.value],
        _ => vec![],
    };
    (record.trap, value)
}

#[test]
fn constants_and_strings_are_found_in_the_text() {
    let named = Named::of("fn f(a: int) -> bool { return a1 == 0x1F || a > 1_000; } // 'z'\ntest f(\"ab\");");
    assert_eq!(named.ints, [0, 1, 31, 97, 98, 122, 1_000]);
    assert_eq!(named.strings, [vec![], vec![97, 98], vec![122]]);
}

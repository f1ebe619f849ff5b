//! Random inputs for a function, on which candidates are compared with the base's code.
//!
//! As for properties, an input is a pure function of its index (and of a seed), so every engine generates the
//! same ones. No domain is written in the program, so the distribution is defined in `docs/neural.md`,
//! "Random inputs". All arithmetic is on 32-bit words, as in the shader.

use crate::compiler::program::{Compiled, Instructions, Routine};
use crate::compiler::stage::execute::mix;
use crate::lang::index::{Index, RoutineId, Slot, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::ty::Type;
use crate::network::sampling::Inputs;

/// A function with at most this number of inputs is compared on all of them.
pub const MAX_ENUMERATED: u32 = 4_096;
/// The fuel of the base on an input. An input that needs more is skipped; it would take as long as many
/// others together.
pub const FUEL: u32 = 65_536;
/// The maximum number of the function's own constants near which inputs are drawn.
pub const CONSTANTS: usize = 16;
/// Used instead of a parameter's index for a value that is drawn once per input.
pub const PER_INPUT: u32 = 255;

/// A parameter and its place in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its first word in the frame.
    pub slot: Slot,
    /// The capacity of a list; 0 for an int or bool.
    pub capacity: u32,
    /// Whether the type is bool or a list of bools.
    pub bools: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    pub parameters: Vec<Parameter>,
    /// The distinct constants of the function's code, in order.
    pub constants: Vec<u32>,
    /// The number of inputs, if it is at most [`MAX_ENUMERATED`]. Input i is then the i-th of all inputs.
    pub size: Option<u32>,
}

impl Arguments {
    /// Creates the inputs of a function in a program without errors.
    pub fn new(compiled: &Compiled, function: RoutineId) -> Arguments {
        let (view, mut slot) = (compiled.view(), Slot::default());
        let head = compiled.executable.routine(function).map(Routine::head);
        let is_parameter = |token: &TokenId| view.is(*token, Role::Param) && view.parent(*token) == head;
        let parameter = |token: TokenId| {
            let ty = view.ty(token);
            let element = if ty.is_list() { ty.element() } else { ty };
            let parameter = Parameter { slot, capacity: ty.capacity(), bools: element == Type::BOOL };
            slot = slot + ty.words();
            parameter
        };
        let tokens = head.into_iter().flat_map(|head| view.extent(head));
        let parameters: Vec<Parameter> = tokens.filter(is_parameter).map(parameter).collect();
        let size = parameters.iter().try_fold(1u32, |size, parameter| size.checked_mul(parameter.size()?));
        let size = size.filter(|&size| size <= MAX_ENUMERATED);
        Arguments { parameters, constants: constants(compiled, function), size }
    }

    /// Returns how many of the requested inputs exist.
    pub fn count(&self, inputs: Inputs) -> u32 {
        self.size.map_or(inputs.count, |size| inputs.count.min(size.saturating_sub(inputs.first)))
    }

    /// Returns the number of words that the parameters take in the frame.
    pub fn words(&self) -> u32 {
        self.parameters.iter().map(|parameter| 1 + parameter.capacity).sum()
    }

    pub fn write(&self, seed: u32, input: u32, frame: &mut [u32]) {
        match self.size {
            Some(_) => {
                let mut rest = input;
                for parameter in self.parameters.iter().rev() {
                    let size = parameter.size().unwrap_or(1);
                    parameter.write_nth(rest % size, frame);
                    rest /= size;
                }
            }
            None => {
                let narrow = draw(seed, input, PER_INPUT, 0) & 3 == 0;
                for (index, parameter) in self.parameters.iter().enumerate() {
                    self.write_drawn(
                        parameter,
                        narrow,
                        |element| draw(seed, input, index as u32, element),
                        frame,
                    );
                }
            }
        }
    }

    fn write_drawn(&self, parameter: &Parameter, narrow: bool, draw: impl Fn(u32) -> u32, frame: &mut [u32]) {
        let slot = parameter.slot.position();
        let value = |h: u32| match (parameter.bools, narrow) {
            (true, _) => h & 1,
            (false, true) => (second(h) % 8).wrapping_sub(2),
            (false, false) => self.int(h),
        };
        let h = draw(0);
        if parameter.capacity == 0 {
            frame[slot] = value(h);
            return;
        }
        let most = match h & 7 {
            1 | 2 => parameter.capacity,
            _ => parameter.capacity.min(6),
        };
        let length = if h & 7 == 0 { parameter.capacity } else { second(h) % (most + 1) };
        frame[slot] = length;
        let elements = &mut frame[slot + 1..][..length as usize];
        for (element, word) in elements.iter_mut().enumerate() {
            *word = value(draw(1 + element as u32));
        }
        if !parameter.bools {
            match h >> 8 & 7 {
                0 | 1 => elements.sort_unstable_by_key(|&word| word as i32),
                2 => elements.sort_unstable_by_key(|&word| std::cmp::Reverse(word as i32)),
                _ => {}
            }
        }
    }

    /// Returns an int: usually small, sometimes a value at which programs tend to fail.
    fn int(&self, h: u32) -> u32 {
        let v = second(h);
        match h & 15 {
            7..=10 => v % 101,
            11 | 12 if !self.constants.is_empty() => {
                let constant = self.constants[(v >> 2) as usize % self.constants.len()];
                match v & 3 {
                    0 => constant.wrapping_sub(1),
                    3 => constant.wrapping_add(1),
                    _ => constant,
                }
            }
            13 | 14 => {
                let beside = (1u32 << (v >> 3 & 31)).wrapping_add((v & 3) % 3).wrapping_sub(1);
                if v & 4 == 0 { beside } else { beside.wrapping_neg() }
            }
            15 => v,
            _ => (v % 33).wrapping_sub(16),
        }
    }
}

impl Parameter {
    /// Returns the number of values of a bool or a short list of bools; `None` for parameters that cannot be
    /// enumerated.
    pub fn size(&self) -> Option<u32> {
        match (self.bools, self.capacity) {
            (false, _) => None,
            (true, 0) => Some(2),
            // 1 + 2 + 4 + … for the lengths 0, 1, 2, ….
            (true, capacity) => (capacity < 12).then(|| (2 << capacity) - 1),
        }
    }

    /// Writes value number `index`. Lists are ordered by length, then as binary numbers whose highest digit
    /// is the first element.
    fn write_nth(&self, index: u32, frame: &mut [u32]) {
        let slot = self.slot.position();
        if self.capacity == 0 {
            frame[slot] = index;
            return;
        }
        let length = (index + 1).ilog2();
        let digits = index + 1 - (1 << length);
        frame[slot] = length;
        for element in 0..length {
            frame[slot + 1 + element as usize] = digits >> (length - 1 - element) & 1;
        }
    }
}

/// Returns the random word of an input's parameter and element: element 0 is a scalar or the length of a
/// list, 1 + i is element i of a list.
pub fn draw(seed: u32, input: u32, parameter: u32, element: u32) -> u32 {
    mix(mix(mix(mix(seed).wrapping_add(input)).wrapping_add(parameter)).wrapping_add(element))
}

/// Derives a second random word from the first.
fn second(h: u32) -> u32 {
    mix(h.wrapping_add(0x9e37_79b9))
}

/// Returns the distinct constants that a function's code loads, at most [`CONSTANTS`].
fn constants(compiled: &Compiled, function: RoutineId) -> Vec<u32> {
    let mut found = Vec::new();
    let Some(function) = compiled.program().function(function) else { return found };
    for instruction in Instructions::of(function.words()) {
        let loads = matches!(instruction.op, Op::LoadConst | Op::LoadConstWide);
        if loads && found.len() < CONSTANTS && !found.contains(&instruction.operand) {
            found.push(instruction.operand);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::Compiler;
    use crate::lang::index::Index;

    fn arguments(text: &str) -> Arguments {
        let mut compiler = Compiler::default();
        compiler.compile(text);
        assert!(compiler.compiles(), "{text}");
        Arguments::new(&compiler.compiled(&text.into()), RoutineId::new(0))
    }

    #[test]
    fn small_domains_are_enumerated() {
        for (text, size) in [
            ("fn f() -> int { return 1; }", Some(1)),
            ("fn f(a: bool, b: bool, c: bool) -> bool { return a && b || c; }", Some(8)),
            ("fn f(xs: [bool; 3], b: bool) -> int { return len(xs); }", Some(30)),
            ("fn f(xs: [bool; 11]) -> int { return len(xs); }", Some(4_095)),
            ("fn f(xs: [bool; 11], b: bool) -> int { return len(xs); }", None),
            ("fn f(xs: [bool; 12]) -> int { return len(xs); }", None),
            ("fn f(xs: [bool]) -> int { return len(xs); }", None),
            ("fn f(a: bool, n: int) -> int { return n; }", None),
        ] {
            let arguments = arguments(text);
            assert_eq!(arguments.size, size, "{text}");
            let Some(size) = size else { continue };
            let mut seen = std::collections::HashSet::new();
            for input in 0..size {
                let mut frame = [0; 64];
                arguments.write(1, input, &mut frame);
                for parameter in &arguments.parameters {
                    assert!(frame[parameter.slot.position()] <= parameter.capacity.max(1));
                }
                seen.insert(frame);
            }
            assert_eq!(seen.len(), size as usize, "{text}");
        }
    }

    #[test]
    fn inputs_follow_the_documented_distribution() {
        let arguments =
            arguments("fn f(n: int, xs: [int; 20], b: bool) -> int { return n + 777 + xs[12345678]; }");
        assert_eq!(arguments.constants, [777, 12_345_678]);
        let (mut small, mut near, mut large, mut narrow, mut full, mut rising, mut yes) = (0, 0, 0, 0, 0, 0, 0);
        for input in 0..8_000 {
            let mut frame = [0; 64];
            arguments.write(5, input, &mut frame);
            let n = frame[0] as i32;
            let xs: Vec<i32> = frame[2..][..frame[1] as usize].iter().map(|&x| x as i32).collect();
            assert!(xs.len() <= 20 && frame[22] <= 1 && frame[23..] == [0; 41]);
            small += i32::from((-16..=100).contains(&n));
            near += i32::from((776..=778).contains(&n) || (12_345_677..=12_345_679).contains(&n));
            large += i32::from(n.unsigned_abs() > 1 << 20 && n.unsigned_abs() != 12_345_678);
            narrow += i32::from((-2..=5).contains(&n) && xs.iter().all(|x| (-2..=5).contains(x)));
            full += i32::from(xs.len() == 20);
            rising += i32::from(xs.len() > 3 && xs.is_sorted());
            yes += frame[22] as i32;
        }
        let within = |count, share: std::ops::Range<f64>| share.contains(&(f64::from(count) / 8_000.0));
        assert!(within(small, 0.76..0.9), "{small}");
        assert!(within(near, 0.07..0.12), "{near}");
        assert!(within(large, 0.06..0.13), "{large}");
        assert!(within(narrow, 0.25..0.35), "{narrow}");
        assert!(within(full, 0.12..0.16), "{full}");
        assert!(within(rising, 0.1..0.3), "{rising}");
        assert!(within(yes, 0.47..0.53), "{yes}");
    }

    #[test]
    fn seed_and_index_determine_an_input() {
        let arguments = arguments("fn f(xs: [int]) -> int { return len(xs); }");
        let of = |seed, input| {
            let mut frame = [0; 32];
            arguments.write(seed, input, &mut frame);
            frame
        };
        assert_eq!(of(1, 2), of(1, 2));
        let other = (0..100).filter(|&input| of(1, input) != of(2, input)).count();
        assert!(other > 70, "{other}");
    }
}

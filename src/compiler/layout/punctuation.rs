//! Punctuation as a finite automaton for the lexer's shader.
//!
//! A state is the set of continuations of a token; spellings with the same continuations share a state. The
//! shader packs its states into sixteen fields of four bits, eight of which are for punctuation.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::lang::token;

/// The shader's numbers of punctuation states. State 0 has no continuation.
const STATE_NUMBERS: [u32; 8] = [3, 4, 5, 6, 7, 13, 14, 15];

/// A trie of the bytes that may continue a punctuation token.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Continuations(BTreeMap<u8, Continuations>);

impl Continuations {
    fn add(&mut self, spelling: &[u8]) {
        if let [first, rest @ ..] = spelling {
            self.0.entry(*first).or_default().add(rest);
        }
    }

    /// Assigns numbers to this state and those reachable from it.
    fn number<'a>(&'a self, numbers: &mut BTreeMap<&'a Continuations, u32>) {
        if !self.0.is_empty() && !numbers.contains_key(self) {
            numbers.insert(self, STATE_NUMBERS[numbers.len()]);
            self.0.values().for_each(|rest| rest.number(numbers));
        }
    }
}

/// Generates the automaton as functions: `punctuation_state` of a first byte, `punctuation_effect` of a later
/// byte on all states, and `punctuation_goes_on`, which tests whether a byte continues a token in a given
/// state.
pub fn wgsl() -> String {
    let mut root = Continuations::default();
    let is_word = |spelling: &str| spelling.as_bytes()[0].is_ascii_alphabetic();
    token::spellings().filter(|(spelling, _)| !is_word(spelling)).for_each(|(s, _)| root.add(s.as_bytes()));
    let mut numbers = BTreeMap::new();
    root.0.values().for_each(|rest| rest.number(&mut numbers));
    let number = |rest: &Continuations| numbers.get(rest).copied().unwrap_or(0);
    let mut firsts = String::new();
    for (byte, rest) in root.0.iter().filter(|(_, rest)| number(rest) != 0) {
        let _ = writeln!(firsts, "    r = select(r, {}u, c == {byte}u);", number(rest));
    }
    // For each byte: the set of states that it continues, and the masks that map these to the next states,
    // four bits each.
    let mut steps: BTreeMap<u8, (u32, u64, u64)> = BTreeMap::new();
    for (state, from) in &numbers {
        for (byte, rest) in &state.0 {
            let (states, keep, set) = steps.entry(*byte).or_insert((0, u64::MAX, 0));
            *states |= 1 << from;
            *keep &= !(15 << (4 * from));
            *set |= u64::from(number(rest)) << (4 * from);
        }
    }
    let (mut effects, mut states) = (String::new(), String::new());
    for (byte, (mask, keep, set)) in &steps {
        let pair = |word: u64| format!("vec2<u32>({}u, {}u)", word as u32, word >> 32);
        let _ = writeln!(effects, "    r = select(r, (r & {}) | {}, c == {byte}u);", pair(*keep), pair(*set));
        let _ = writeln!(states, "    r = select(r, {mask}u, c == {byte}u);");
    }
    format!(
        "fn punctuation_state(c: u32) -> u32 {{\n    var r = 0u;\n{firsts}    return r;\n}}\n\
         fn punctuation_effect(c: u32, f: vec2<u32>) -> vec2<u32> {{\n    var r = f;\n{effects}    return r;\n}}\n\
         fn punctuation_goes_on(s: u32, c: u32) -> bool {{\n    var r = 0u;\n{states}    return ((r >> s) & 1u) != 0u;\n}}\n"
    )
}

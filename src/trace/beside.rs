//! Two runs side by side: up to where they are alike, and where they part.
//!
//! The programs may differ. Their instructions are known to each other by the tokens that they come from, carried over what was changed in the
//! text, and by what they do; instructions that only one of them has are passed over, as what they do shows in the operands of others.

use std::collections::HashMap;

use super::Trace;
use crate::lang::NONE;
use crate::program::{Compiled, Instructions};

/// How two runs compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The positions, one of each run, at which they are no longer alike: other instructions are next, or these have another operand on
    /// top. `None` where they are alike to their ends.
    pub first: Option<(u32, u32)>,
    /// Steps of the first run that only it makes, up to there; and of the other.
    pub own: (u32, u32),
}

/// Compares two runs. Takes time by the number of their steps.
pub fn compare(one: &Trace, other: &Trace) -> Parting {
    let [numbers, others] = numbered(&one.compiled, &other.compiled);
    let number = |numbers: &[u32], trace: &Trace, at: u32| {
        trace.step(at).and_then(|step| numbers.get(step.pc as usize).copied()).unwrap_or(NONE)
    };
    // The operand on top, if there is one.
    let top = |frames: &[u32], trace: &Trace, at: u32| {
        let step = trace.step(at)?;
        let frame = frames.get(step.pc as usize)?;
        (u32::from(step.sp) > u32::from(step.fp) + frame).then_some(step.top)
    };
    let (frames, other_frames) = (frames(&one.compiled), frames(&other.compiled));
    let (mut i, mut j, mut own) = (0, 0, (0, 0));
    loop {
        while i < one.len() && number(&numbers, one, i) == NONE {
            (i, own.0) = (i + 1, own.0 + 1);
        }
        while j < other.len() && number(&others, other, j) == NONE {
            (j, own.1) = (j + 1, own.1 + 1);
        }
        if i >= one.len() && j >= other.len() {
            return Parting { first: None, own };
        }
        let alike = i < one.len()
            && j < other.len()
            && number(&numbers, one, i) == number(&others, other, j)
            && one.step(i).map(|step| step.depth) == other.step(j).map(|step| step.depth)
            && top(&frames, one, i) == top(&other_frames, other, j);
        if !alike {
            return Parting { first: Some((i.min(one.last()), j.min(other.last()))), own };
        }
        (i, j) = (i + 1, j + 1);
    }
}

/// Of each address the words of its routine's variables.
fn frames(compiled: &Compiled) -> Vec<u32> {
    let mut frames = vec![0; compiled.executable.code.word.len()];
    for routine in compiled.executable.routines() {
        if let Some(own) = frames.get_mut(routine.extent()) {
            own.fill(routine.frame());
        }
    }
    frames
}

/// The instructions that two programs have in common, numbered; by address, [`NONE`] for others.
fn numbered(one: &Compiled, other: &Compiled) -> [Vec<u32>; 2] {
    let carried = carry(one, other);
    let mut known: HashMap<(u32, u32, u32), u32> = HashMap::new();
    let mut met: HashMap<(u32, u32), u32> = HashMap::new();
    let mut keys = |compiled: &Compiled, token: &dyn Fn(u32) -> u32| {
        met.clear();
        let code = &compiled.executable.code;
        let mut keys = Vec::new();
        for found in Instructions::of(&code.word) {
            let token = token(code.token.get(found.at).copied().unwrap_or(NONE));
            let nth = met.entry((token, found.op as u32)).or_default();
            if token != NONE {
                keys.push((found.at, (token, found.op as u32, *nth)));
            }
            *nth += 1;
        }
        keys
    };
    let mut numbers =
        [vec![NONE; one.executable.code.word.len()], vec![NONE; other.executable.code.word.len()]];
    for (at, key) in keys(other, &|token| token) {
        let number = known.len() as u32;
        known.insert(key, number);
        numbers[1][at] = number;
    }
    let mut common = vec![false; known.len()];
    for (at, key) in keys(one, &|token| carried.get(token as usize).copied().unwrap_or(NONE)) {
        if let Some(number) = known.get(&key) {
            numbers[0][at] = *number;
            common[*number as usize] = true;
        }
    }
    for number in &mut numbers[1] {
        if common.get(*number as usize) == Some(&false) {
            *number = NONE;
        }
    }
    numbers
}

/// Of each token of a program the one of another that it is there, or [`NONE`]: those before and behind what was changed.
fn carry(one: &Compiled, other: &Compiled) -> Vec<u32> {
    let (count, others) = (one.view().len(), other.view().len());
    let (before, behind) = one.view().common_ends(other.view());
    let place = |token: u32| match token {
        token if token < before => token,
        token if token >= count - behind => token + others - count,
        // One for one keeps its place, and its operation says whether it is another.
        token if count == others => token,
        _ => NONE,
    };
    (0..count).map(place).collect()
}

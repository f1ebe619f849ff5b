//! Two runs side by side: up to where they are alike, and where they part.
//!
//! The programs may differ. Their instructions are known to each other by the tokens that they come from, carried over what was changed in the
//! text, and by what they do; instructions that only one of them has are passed over, as what they do shows in the operands of others.

use std::collections::HashMap;

use super::{Again, Said, Step, Trace};
use crate::compiler::program::{Compiled, Instructions};
use crate::compiler::stage::execute::{Called, Now, Witness};
use crate::lang::{NONE, limits};

/// How two runs compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The positions, one of each run, at which they are no longer alike: other instructions are next, or these have another operand on
    /// top. `None` where they are alike to their ends.
    pub first: Option<(u32, u32)>,
    /// Steps of the first run that only it makes, up to there; and of the other.
    pub own: (u32, u32),
}

/// A step of the other run, near where the two part.
#[derive(Clone, Debug, PartialEq)]
pub struct Around {
    /// So many steps behind the parting.
    pub offset: i64,
    pub said: Said,
}

/// Another run, as far as it shows: it is made once to be compared and, up to the parting, once more to be told of. So it takes no
/// room that grows with its steps.
#[derive(Clone, Debug)]
pub struct Beside {
    pub title: String,
    pub parting: Parting,
    /// Whether it is where they go another way; else where another value is on top.
    pub by_way: bool,
    /// Steps of the other run.
    pub steps: u32,
    pub around: Vec<Around>,
}

impl Beside {
    /// Sets a run beside one that is recorded; tells of so many steps of it before and behind the parting.
    pub fn new(one: &Trace, other: &Again, title: String, before: i64, behind: i64) -> Beside {
        let other_input = one.again().is_none_or(|own| own.frame != other.frame);
        // Of another input the values are others from the begin; what it changes is the way.
        let way =
            other_input.then(|| compare_by(one, other, false)).filter(|(parting, _)| parting.first.is_some());
        let by_way = way.is_some();
        let (parting, steps) = way.unwrap_or_else(|| compare(one, other));
        let mut around = Vec::new();
        if let Some((_, at)) = parting.first {
            // What a step leaves is known one step later.
            let near = other.record(at.saturating_add(behind as u32 + 2));
            for offset in -before..=behind {
                let there =
                    u32::try_from(i64::from(at) + offset).ok().filter(|there| *there < near.len().min(steps));
                around.extend(there.and_then(|there| near.said(there)).map(|said| Around { offset, said }));
            }
        }
        Beside { title, parting, by_way, steps, around }
    }
}

/// Compares a run with another one, which is made for that: where they part, and how many steps the other has. Takes time by the number of
/// their steps.
pub fn compare(one: &Trace, other: &Again) -> (Parting, u32) {
    compare_by(one, other, true)
}

/// The same by the values on top as well, or by the way alone.
fn compare_by(one: &Trace, other: &Again, values: bool) -> (Parting, u32) {
    let [numbers, others] = numbered(&one.compiled, &other.compiled);
    let frames = (frames(&one.compiled), frames(&other.compiled));
    let bottom = other.bottom();
    let mut comparing =
        Comparing { one, numbers, others, frames, bottom, values, i: 0, j: 0, own: (0, 0), parted: None };
    other.make(limits::STEPS, &mut comparing);
    comparing.end()
}

/// Walks along a recorded run while another one is made.
struct Comparing<'a> {
    one: &'a Trace,
    /// The numbers of instructions, by address.
    numbers: Vec<u32>,
    others: Vec<u32>,
    /// Of each address the words of its routine's variables, of both.
    frames: (Vec<u32>, Vec<u32>),
    bottom: u32,
    /// Whether values are compared, too.
    values: bool,
    /// The next step of each.
    i: u32,
    j: u32,
    own: (u32, u32),
    parted: Option<(u32, u32)>,
}

impl Comparing<'_> {
    /// Passes over what only the first run does.
    fn skip(&mut self) {
        let alone = |step: Step| self.numbers.get(step.pc as usize).copied().unwrap_or(NONE) == NONE;
        let (mut i, mut own) = (self.i, self.own.0);
        while self.one.step(i).is_some_and(alone) {
            (i, own) = (i + 1, own + 1);
        }
        (self.i, self.own.0) = (i, own);
    }

    /// Whether the first run is about to make the same step with the same operand on top.
    fn alike(&self, number: u32, now: &Now) -> bool {
        let Some(step) = self.one.step(self.i) else { return false };
        let frame = |frames: &[u32], pc: usize| frames.get(pc).copied();
        let own = frame(&self.frames.0, step.pc as usize)
            .and_then(|frame| (u32::from(step.sp) > u32::from(step.fp) + frame).then_some(step.top));
        let other = frame(&self.frames.1, now.pc)
            .filter(|frame| now.sp > now.fp + *frame as usize)
            .map(|_| now.operand(0));
        let depth = (now.depth as u32).saturating_sub(self.bottom);
        self.numbers.get(step.pc as usize) == Some(&number)
            && u32::from(step.depth) == depth
            && (!self.values || own == other)
    }

    fn end(mut self) -> (Parting, u32) {
        self.skip();
        let last = self.j.saturating_sub(1);
        let left = (self.i < self.one.len()).then_some((self.i, last));
        (Parting { first: self.parted.or(left), own: self.own }, self.j)
    }
}

impl Witness for Comparing<'_> {
    const ON: bool = false;
    const STEPS: bool = true;

    fn called(&mut self, _: Called) {}

    fn returned(&mut self, _: &[u32], _: u32) {}

    fn step(&mut self, now: Now) {
        let j = self.j;
        self.j += 1;
        if self.parted.is_some() {
            return;
        }
        let number = self.others.get(now.pc).copied().unwrap_or(NONE);
        if number == NONE {
            self.own.1 += 1;
            return;
        }
        self.skip();
        match self.alike(number, &now) {
            true => self.i += 1,
            false => self.parted = Some((self.i.min(self.one.last()), j)),
        }
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

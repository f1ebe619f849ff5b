//! Compares two runs to find where they diverge.
//!
//! The programs may differ. Their instructions are matched by operation and by source token, mapped across the changed
//! part of the text. Instructions that only one program has are skipped; their effects show in the operands of others.

use super::{ReplayKey, StepText, Trace, TraceStep};
use crate::compiler::program::{CommonEnds, Compiled};
use crate::compiler::stage::execute::{RunObserver, StepState};
use crate::lang::index::{Index, Position, TokenId};
use crate::lang::{NONE, limits};
use crate::testing::mutation::instruction_match::matched;

/// The comparison of two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The position in each run where they first differ: the next instruction differs, or its topmost operand does.
    /// `None` if the runs are equal to their ends.
    pub first: Option<(Position, Position)>,
    /// The number of steps before that point that only the first run makes, and that only the other makes.
    pub own: (u32, u32),
}

/// A step of the other run near the point of divergence.
#[derive(Clone, Debug, PartialEq)]
pub struct Around {
    /// The distance to the point of divergence in steps.
    pub offset: i64,
    pub said: StepText,
}

/// A summary of another run. The run is made once for the comparison and repeated up to the divergence for display, so
/// memory use does not grow with its steps.
#[derive(Clone, Debug)]
pub struct RunDiff {
    pub title: String,
    pub divergence: Divergence,
    /// Whether the runs take different ways there; otherwise, only their topmost values differ.
    pub by_control_flow: bool,
    /// The number of steps of the other run.
    pub steps: u32,
    pub around: Vec<Around>,
}

impl RunDiff {
    /// Compares a run with a recorded one. Describes `before` steps before and `behind` steps after the divergence.
    pub fn new(one: &Trace, other: &ReplayKey, title: String, before: i64, behind: i64) -> RunDiff {
        let other_input = one.replay_key().is_none_or(|own| own.frame != other.frame);
        // With another input, values differ from the beginning. The first difference of control flow says more.
        let way = other_input
            .then(|| compare_by(one, other, false))
            .filter(|(divergence, _)| divergence.first.is_some());
        let by_control_flow = way.is_some();
        let (divergence, steps) = way.unwrap_or_else(|| compare(one, other));
        let mut around = Vec::new();
        if let Some((_, at)) = divergence.first {
            // The value that a step leaves is only visible one step later.
            let near = other.record((at + (behind as u32 + 2)).number());
            for offset in -before..=behind {
                let there = u32::try_from(i64::from(at.number()) + offset)
                    .ok()
                    .filter(|there| *there < near.len().min(steps));
                around.extend(
                    there
                        .and_then(|there| near.step_text(Position::new(there)))
                        .map(|said| Around { offset, said }),
                );
            }
        }
        RunDiff { title, divergence, by_control_flow, steps, around }
    }
}

/// Compares a recorded run with another, which is made for this purpose. Returns where they diverge and the number of
/// steps of the other run. Takes time linear in the steps of both.
pub fn compare(one: &Trace, other: &ReplayKey) -> (Divergence, u32) {
    compare_by(one, other, true)
}

/// Likewise, comparing the topmost values too if `values` is set, and only the control flow otherwise.
fn compare_by(one: &Trace, other: &ReplayKey, values: bool) -> (Divergence, u32) {
    let carried = carry(&one.compiled, &other.compiled);
    let carried = |token: TokenId| carried.get(token.position()).copied().flatten();
    let [others, numbers] =
        matched([&other.compiled, &one.compiled].map(|program| &program.executable), carried, false);
    let frames = (frames(&one.compiled), frames(&other.compiled));
    let bottom = other.bottom();
    let mut comparing = RunComparer {
        one,
        numbers,
        others,
        frames,
        bottom,
        values,
        i: Position::default(),
        j: Position::default(),
        own: (0, 0),
        parted: None,
    };
    other.make(limits::STEPS, &mut comparing);
    comparing.end()
}

/// Follows a recorded run while the other run is made.
struct RunComparer<'a> {
    one: &'a Trace,
    /// The instruction numbers by address, for each program.
    numbers: Vec<u32>,
    others: Vec<u32>,
    /// For each address, the frame size of its routine, for each program.
    frames: (Vec<u32>, Vec<u32>),
    bottom: u32,
    /// Whether values are compared as well as control flow.
    values: bool,
    /// The next step of each run.
    i: Position,
    j: Position,
    own: (u32, u32),
    parted: Option<(Position, Position)>,
}

impl RunComparer<'_> {
    /// Skips steps that only the first run makes.
    fn skip(&mut self) {
        let alone = |step: TraceStep| self.numbers.get(step.pc as usize).copied().unwrap_or(NONE) == NONE;
        let (mut i, mut own) = (self.i, self.own.0);
        while self.one.step(i).is_some_and(alone) {
            (i, own) = (i.next(), own + 1);
        }
        (self.i, self.own.0) = (i, own);
    }

    /// Returns whether the first run's next step is the same, with the same topmost operand.
    fn alike(&self, number: u32, now: &StepState) -> bool {
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

    fn end(mut self) -> (Divergence, u32) {
        self.skip();
        let last = self.j.previous().unwrap_or_default();
        let left = (self.i <= self.one.last() && !self.one.is_empty()).then_some((self.i, last));
        (Divergence { first: self.parted.or(left), own: self.own }, self.j.number())
    }
}

impl RunObserver for RunComparer<'_> {
    const STEPS: bool = true;

    fn step(&mut self, now: StepState) {
        let j = self.j;
        self.j = j.next();
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
            true => self.i = self.i.next(),
            false => self.parted = Some((self.i.min(self.one.last()), j)),
        }
    }
}

/// Returns the frame size of the routine at each address.
fn frames(compiled: &Compiled) -> Vec<u32> {
    let mut frames = vec![0; compiled.executable.code.word.len()];
    for routine in compiled.executable.routines() {
        if let Some(own) = frames.get_mut(routine.extent().positions()) {
            own.fill(routine.frame());
        }
    }
    frames
}

/// Maps the tokens of a program to the other's. Tokens before and after the changed part are mapped.
fn carry(one: &Compiled, other: &Compiled) -> Vec<Option<TokenId>> {
    let (count, others) = (one.view().len(), other.view().len());
    let CommonEnds { prefix, suffix } = one.view().common_ends(other.view());
    let place = |token: TokenId| match token.number() {
        number if number < prefix => Some(token),
        number if number >= count - suffix => Some(token + others - count),
        // A one-for-one replacement keeps its place; its operation shows whether it differs.
        _ => (count == others).then_some(token),
    };
    one.view().all().iter().map(place).collect()
}

//! Who made a value: a backward slice, exact, of one link at a time.
//!
//! The operands of a stack machine are its dependences. What an operand is made by follows from the heights of the stack alone: the last
//! step of the same call that left something and after which the stack was as high as the operand's end. Expressions have no loops, so
//! that step is near; calls between are passed over as one step. A variable was set by the last of the instructions that set it, in the
//! same call. (Weiser's slices, 1981, of one run: Korel and Laski, "Dynamic program slicing", 1988.)

use super::{Setting, Trace, Variable};
use crate::compiler::program::View;
use crate::host::measure::numbers::grouped;
use crate::lang::NONE;
use crate::lang::opcode::Op;

/// The step that made a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub step: u32,
    /// Which of its operands the value is, from the top, where it was handed on: stored, passed, given back.
    pub operand: Option<u32>,
}

/// An operand's place on the stack, and what left it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its words in the memory; the last one of a list is its length.
    pub start: u32,
    pub end: u32,
    /// The step of the same call that left it; a call counts as the step that makes it.
    pub left_by: u32,
    pub list: bool,
}

impl Trace {
    /// The position before one in the same call, calls between passed over.
    pub(super) fn before(&self, call: u32, position: u32) -> Option<u32> {
        let start = self.call(call)?.start;
        let before = position.checked_sub(1).filter(|before| *before >= start)?;
        if self.step(before)?.depth <= self.step(start)?.depth {
            return Some(before);
        }
        let child = self.child_at(call, before)?;
        self.call(child)?.start.checked_sub(1)
    }

    /// The call that a `CALL` at a position makes; none where it traps.
    pub fn made_call(&self, position: u32) -> Option<u32> {
        let id = self.call_at(position.checked_add(1)?);
        self.call(id).filter(|call| call.start == position + 1 && call.parent != NONE).map(|_| id)
    }

    /// Whether a step leaves a list.
    fn leaves_list(&self, step: u32) -> bool {
        let Some((instruction, _)) = self.instruction(step) else { return false };
        if instruction.op == Op::Call {
            let callee = self.compiled.executable.routine(instruction.operand);
            return callee.is_some_and(|callee| callee.result().is_list());
        }
        let effect = instruction.op.effect();
        effect.leaves > 0 && effect.left_lists >> (effect.leaves - 1) & 1 == 1
    }

    /// The topmost operands that a call has on the stack at a position, so many at most and the topmost first; those that end above
    /// `limit` words are passed over.
    pub fn places(&self, call: u32, position: u32, limit: u32, count: usize) -> Vec<Place> {
        let mut found = Vec::new();
        let (Some(own), Some(step)) = (self.call(call), self.step(position)) else { return found };
        let frame = self.compiled.executable.routine(own.function).map_or(0, |routine| routine.frame());
        let base = self.step(own.start).map_or(0, |first| u32::from(first.fp)) + frame;
        let mut end = u32::from(step.sp).min(limit);
        let mut at = position;
        while end > base && found.len() < count {
            let Some(before) = self.before(call, at) else { break };
            let Some(step) = self.step(at) else { break };
            if u32::from(step.sp) == end && self.op(before).effect().leaves > 0 {
                let list = self.leaves_list(before);
                let start = end.saturating_sub(1 + if list { step.top } else { 0 });
                found.push(Place { start, end, left_by: before, list });
                end = start;
                // An operand below ends where this one began to be made: look on from here.
            }
            at = before;
        }
        found
    }

    /// The topmost operands at a position of the innermost call.
    pub fn top_places(&self, position: u32, count: usize) -> Vec<Place> {
        self.places(self.call_at(position), position, u32::MAX, count)
    }

    /// How many operands the instruction at a position takes.
    pub fn takes(&self, position: u32) -> usize {
        let Some((instruction, _)) = self.instruction(position) else { return 0 };
        match instruction.op {
            Op::BuildList => instruction.operand as usize,
            Op::Call => {
                let callee = self.compiled.executable.routine(instruction.operand);
                callee.map_or(0, |callee| callee.params() as usize)
            }
            op => op.effect().takes as usize,
        }
    }

    /// Who made what a step of a call left: behind what only copies it.
    fn maker(&self, call: u32, left_by: u32) -> Option<Source> {
        let mut step = left_by;
        loop {
            let (instruction, _) = self.instruction(step)?;
            return match instruction.op {
                Op::Dup => {
                    step = self.places(call, step, u32::MAX, 1).first()?.left_by;
                    continue;
                }
                Op::LoadVar | Op::LoadList | Op::ListLenVar => {
                    self.setter(call, instruction.operand, None, step)
                }
                Op::LoadIndexVar => {
                    let element = self.step(step)?.top;
                    self.setter(call, instruction.operand, Some(element), step)
                }
                Op::Call => {
                    let end = self.call(self.made_call(step)?)?.end;
                    Some(Source { step: end.checked_sub(1).filter(|_| end != NONE)?, operand: Some(0) })
                }
                _ => Some(Source { step, operand: None }),
            };
        }
    }

    /// Who made an operand.
    pub fn maker_of(&self, call: u32, place: Place) -> Option<Source> {
        self.maker(call, place.left_by)
    }

    /// Who made what the instruction at a position takes as its operand, from the top.
    pub fn maker_of_operand(&self, position: u32, operand: u32) -> Option<Source> {
        let call = self.call_at(position);
        let place = *self.places(call, position, u32::MAX, operand as usize + 1).get(operand as usize)?;
        self.maker(call, place.left_by)
    }

    /// Who made the value of a loop's variable, or what else an instruction reads that is no operand.
    pub fn maker_of_read(&self, position: u32) -> Option<Source> {
        let call = self.call_at(position);
        let (instruction, _) = self.instruction(position)?;
        match instruction.op {
            Op::LoadVar | Op::LoadList | Op::ListLenVar | Op::LoadIndexVar => self.maker(call, position),
            Op::SliceVar | Op::StoreIndex => self.setter(call, instruction.operand, None, position),
            Op::ForRange | Op::ForList => {
                let variable = self.variables.at(self.call(call)?.function, instruction.operand)?;
                let step = self.latest(call, &variable.begins, position, |_| true)?;
                Some(Source { step, operand: Some(0) })
            }
            _ => None,
        }
    }

    /// What the instruction at a position depends on: its operands, the topmost first, and what it reads.
    pub fn needs(&self, position: u32) -> Vec<Source> {
        let call = self.call_at(position);
        let places = self.places(call, position, u32::MAX, self.takes(position));
        let operands = places.into_iter().filter_map(|place| self.maker(call, place.left_by));
        operands.chain(self.maker_of_read(position)).collect()
    }

    /// Who set the variable at a place of a call's frame, or an element of it, before a position.
    fn setter(&self, call: u32, slot: u32, element: Option<u32>, before: u32) -> Option<Source> {
        let variable = self.variables.at(self.call(call)?.function, slot)?;
        let Setting::At(step) = self.set_element(call, variable, element, before) else { return None };
        Some(self.setting_source(variable, step))
    }

    /// The source that a setting step is, of a variable.
    pub fn setting_source(&self, variable: &Variable, step: u32) -> Source {
        let operand = match (self.op(step), variable.parameter) {
            // The last argument is the topmost.
            (Op::Call, Some(number)) => {
                Some((self.takes(step) as u32).saturating_sub(1).saturating_sub(number))
            }
            (Op::ForRange | Op::ForList, _) => None,
            _ => Some(0),
        };
        Source { step, operand }
    }

    /// When a variable of a call was set last before a position.
    pub fn set(&self, call: u32, variable: &Variable, before: u32) -> Setting {
        self.set_element(call, variable, None, before)
    }

    fn set_element(&self, call: u32, variable: &Variable, element: Option<u32>, before: u32) -> Setting {
        let fits = |step: u32| match (self.op(step), element) {
            (Op::StoreIndex, Some(element)) => {
                self.step(step).is_some_and(|step| u32::from(step.below) == element)
            }
            _ => true,
        };
        if let Some(step) = self.latest(call, &variable.setters, before, fits) {
            return Setting::At(step);
        }
        match (variable.parameter, self.call(call)) {
            (Some(_), Some(own)) => own.start.checked_sub(1).map_or(Setting::Given, Setting::At),
            _ => Setting::Never,
        }
    }

    /// Whether a step does what its instruction says: a loop that ends gives its variable no value.
    pub(super) fn takes_place(&self, step: u32) -> bool {
        match (self.op(step), self.step(step), self.step(step + 1)) {
            (Op::ForRange | Op::ForList, Some(now), Some(next)) => next.pc == now.pc + 2,
            (_, _, next) => next.is_some(),
        }
    }

    /// The last step of a call before a position at which one of these instructions was executed and that fits.
    fn latest(&self, call: u32, addresses: &[u32], before: u32, fits: impl Fn(u32) -> bool) -> Option<u32> {
        let own = self.call(call)?;
        let depth = self.step(own.start)?.depth;
        let of = |address: &u32| {
            let steps = self.index().at_depth(*address, depth, &self.steps);
            let within = &steps[..steps.partition_point(|step| *step < before.min(own.end))];
            let begun = within.iter().rev().copied().take_while(|step| *step >= own.start);
            { begun }.find(|step| self.takes_place(*step) && fits(*step))
        };
        addresses.iter().filter_map(of).max()
    }

    /// The first step of a call from a position on at which one of these instructions was executed.
    pub(super) fn earliest(&self, call: u32, addresses: &[u32], from: u32) -> Option<u32> {
        let own = self.call(call)?;
        let depth = self.step(own.start)?.depth;
        let of = |address: &u32| {
            let steps = self.index().at_depth(*address, depth, &self.steps);
            let within = &steps[steps.partition_point(|step| *step < from.max(own.start))..];
            let lasting = within.iter().copied().take_while(|step| *step < own.end);
            { lasting }.find(|step| self.takes_place(*step))
        };
        addresses.iter().filter_map(of).min()
    }

    /// The last step of a call before a position at which a variable was set.
    pub(super) fn set_before(&self, call: u32, variable: &Variable, before: u32) -> Option<u32> {
        self.latest(call, &variable.setters, before, |_| true)
    }
}

impl Trace {
    /// Where a source handed a value on, and what it got that from: line, what was done there, and what was before.
    pub fn sentence(&self, source: Source) -> String {
        let said = format!("{}, line {}", self.because(source), self.line(source.step));
        let before = source.operand.and_then(|_| self.follow(source));
        match before.and_then(|before| Some((before, self.token(before.step)?))) {
            Some((before, token)) => {
                let step = grouped(u64::from(before.step) + 1);
                format!("{said}, from `{}`, step {step}", written(self.compiled.view(), token))
            }
            None => said,
        }
    }

    /// What a source did with the value, in a few words.
    pub fn because(&self, source: Source) -> String {
        let view = self.compiled.view();
        let Some((instruction, token)) = self.instruction(source.step) else { return String::new() };
        let call = self.call_at(source.step);
        let own = self.call(call).map_or(NONE, |call| call.function);
        let variable =
            self.variables.at(own, instruction.operand).map_or("?", |variable| variable.name.as_str());
        match instruction.op {
            Op::StoreVar | Op::StoreList => format!("stored in `{variable}`"),
            Op::StoreIndex => {
                let index = self.step(source.step).map_or(0, |step| step.below);
                format!("stored in `{variable}[{index}]`")
            }
            Op::ForRange | Op::ForList => format!("the loop gives it to `{variable}`"),
            Op::RangeIter | Op::RangeIterInclusive | Op::ListIter => {
                format!("the loop of `{variable}` begins with it")
            }
            Op::Call => format!("passed to {}", self.compiled.function_name(instruction.operand)),
            Op::Return | Op::ReturnList if own < self.compiled.facts.functions => {
                format!("given back by {}", self.compiled.function_name(own))
            }
            _ => format!("made by `{}`", written(view, token)),
        }
    }
}

/// What a token stands for as it is written: its expression or its statement's first line, on one line, of what is long the
/// beginning.
pub fn written(view: View, token: u32) -> String {
    const LONGEST: usize = 60;
    let node = if view.is_node(token) { view.extent(token) } else { token..token.saturating_add(1) };
    let text = view.span(node).and_then(|bytes| view.source.get(bytes)).unwrap_or("");
    let text = text.split('{').next().unwrap_or(text);
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(LONGEST) {
        words.truncate(end);
        words.push('…');
    }
    words
}

//! Traces the origin of a value: an exact dynamic backward slice, one link at a time.
//!
//! The operands of a stack machine are its dependences. The maker of an operand follows from the stack heights alone.
//! It is the last step of the same call that left a value and after which the stack was as high as the operand's end.
//! Expressions have no loops, so that step is near; a call in between counts as one step. A variable was set by the
//! last of its setting instructions in the same call. (Static slices: Weiser, 1981. Dynamic slices: Korel and Laski,
//! "Dynamic program slicing", 1988.)

use super::{Setting, Trace, Variable, step_number};
use crate::compiler::program::View;
use crate::lang::index::{Address, CallId, Index, Position, Slot, TokenId};
use crate::lang::opcode::Op;

/// The step that made a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvenanceSource {
    pub step: Position,
    /// If the step passed the value on (stored, passed or returned it), the operand that the value is, counted from the
    /// top.
    pub operand: Option<u32>,
}

/// An operand's place on the stack, and the step that left it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvenancePlace {
    /// The range of its words in memory. The last word of a list is its length.
    pub start: u32,
    pub end: u32,
    /// The step of the same call that left it. A call counts as its `CALL` step.
    pub pushed_by: Position,
    pub list: bool,
}

impl Trace {
    /// Returns the previous position in the same call, stepping over calls.
    pub(super) fn before(&self, call: CallId, position: Position) -> Option<Position> {
        let start = self.call(call)?.start;
        let before = position.previous().filter(|before| *before >= start)?;
        if self.step(before)?.depth <= self.step(start)?.depth {
            return Some(before);
        }
        let child = self.child_at(call, before)?;
        self.call(child)?.start.previous()
    }

    /// Returns the call that a `CALL` at a position makes, or `None` if it traps.
    pub fn made_call(&self, position: Position) -> Option<CallId> {
        let id = self.call_at(position.next());
        self.call(id).filter(|call| call.start == position.next() && call.parent.is_some()).map(|_| id)
    }

    fn leaves_list(&self, step: Position) -> bool {
        let Some((instruction, _)) = self.instruction(step) else { return false };
        if instruction.op == Op::Call {
            let callee = self.compiled.executable.routine(instruction.function());
            return callee.is_some_and(|callee| callee.result().is_list());
        }
        let effect = instruction.op.effect();
        effect.leaves > 0 && effect.left_lists >> (effect.leaves - 1) & 1 == 1
    }

    /// Returns at most `count` operands of a call on the stack at a position, topmost first. Operands that end above
    /// `limit` words are skipped.
    pub fn places(&self, call: CallId, position: Position, limit: u32, count: usize) -> Vec<ProvenancePlace> {
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
                found.push(ProvenancePlace { start, end, pushed_by: before, list });
                end = start;
                // The operand below ends where this one began, so the scan continues from here.
            }
            at = before;
        }
        found
    }

    /// Returns the topmost operands of the innermost call at a position.
    pub fn top_places(&self, position: Position, count: usize) -> Vec<ProvenancePlace> {
        self.places(self.call_at(position), position, u32::MAX, count)
    }

    /// Returns the number of operands that the instruction at a position takes.
    pub fn takes(&self, position: Position) -> usize {
        let Some((instruction, _)) = self.instruction(position) else { return 0 };
        match instruction.op {
            Op::BuildList => instruction.operand as usize,
            Op::Call => {
                let callee = self.compiled.executable.routine(instruction.function());
                callee.map_or(0, |callee| callee.params() as usize)
            }
            op => op.effect().takes as usize,
        }
    }

    /// Returns the maker of the value that a step of a call left. Steps that only copy it are skipped.
    fn maker(&self, call: CallId, pushed_by: Position) -> Option<ProvenanceSource> {
        let mut step = pushed_by;
        loop {
            let (instruction, _) = self.instruction(step)?;
            return match instruction.op {
                Op::Dup => {
                    step = self.places(call, step, u32::MAX, 1).first()?.pushed_by;
                    continue;
                }
                Op::LoadVar | Op::LoadList | Op::ListLenVar => {
                    self.setter(call, instruction.slot()?, None, step)
                }
                Op::LoadIndexVar => {
                    let element = self.step(step)?.top;
                    self.setter(call, instruction.slot()?, Some(element), step)
                }
                Op::Call => {
                    let end = self.call(self.made_call(step)?)?.end?;
                    Some(ProvenanceSource { step: end.previous()?, operand: Some(0) })
                }
                _ => Some(ProvenanceSource { step, operand: None }),
            };
        }
    }

    pub fn maker_of(&self, call: CallId, place: ProvenancePlace) -> Option<ProvenanceSource> {
        self.maker(call, place.pushed_by)
    }

    /// Returns the maker of an operand of the instruction at a position, counted from the top.
    pub fn maker_of_operand(&self, position: Position, operand: u32) -> Option<ProvenanceSource> {
        let call = self.call_at(position);
        let place = *self.places(call, position, u32::MAX, operand as usize + 1).get(operand as usize)?;
        self.maker(call, place.pushed_by)
    }

    /// Returns the maker of a value that an instruction reads from a variable instead of the stack, such as a loop's
    /// range.
    pub fn maker_of_read(&self, position: Position) -> Option<ProvenanceSource> {
        let call = self.call_at(position);
        let (instruction, _) = self.instruction(position)?;
        match instruction.op {
            Op::LoadVar | Op::LoadList | Op::ListLenVar | Op::LoadIndexVar => self.maker(call, position),
            Op::SliceVar | Op::StoreIndex => self.setter(call, instruction.slot()?, None, position),
            Op::ForRange | Op::ForList | Op::NextRange | Op::NextList => {
                let variable = self.variables.at(self.call(call)?.function, instruction.slot()?)?;
                let step = self.latest(call, &variable.begins, position, |_| true)?;
                Some(ProvenanceSource { step, operand: Some(0) })
            }
            _ => None,
        }
    }

    /// Returns the dependences of the instruction at a position: its operands, topmost first, then the variable that it
    /// reads.
    pub fn needs(&self, position: Position) -> Vec<ProvenanceSource> {
        let call = self.call_at(position);
        let places = self.places(call, position, u32::MAX, self.takes(position));
        let operands = places.into_iter().filter_map(|place| self.maker(call, place.pushed_by));
        operands.chain(self.maker_of_read(position)).collect()
    }

    /// Returns the step that last set a variable of a call's frame, or one of its elements, before a position.
    fn setter(
        &self,
        call: CallId,
        slot: Slot,
        element: Option<u32>,
        before: Position,
    ) -> Option<ProvenanceSource> {
        let variable = self.variables.at(self.call(call)?.function, slot)?;
        let Setting::At(step) = self.set_element(call, variable, element, before) else { return None };
        Some(self.setting_source(variable, step))
    }

    pub fn setting_source(&self, variable: &Variable, step: Position) -> ProvenanceSource {
        let operand = match (self.op(step), variable.parameter) {
            // The last argument is topmost.
            (Op::Call, Some(number)) => {
                Some((self.takes(step) as u32).saturating_sub(1).saturating_sub(number))
            }
            (Op::ForRange | Op::ForList | Op::NextRange | Op::NextList, _) => None,
            _ => Some(0),
        };
        ProvenanceSource { step, operand }
    }

    /// Returns when a variable of a call was last set before a position.
    pub fn set(&self, call: CallId, variable: &Variable, before: Position) -> Setting {
        self.set_element(call, variable, None, before)
    }

    fn set_element(
        &self,
        call: CallId,
        variable: &Variable,
        element: Option<u32>,
        before: Position,
    ) -> Setting {
        let fits = |step: Position| match (self.op(step), element) {
            (Op::StoreIndex, Some(element)) => {
                self.step(step).is_some_and(|step| u32::from(step.below) == element)
            }
            _ => true,
        };
        if let Some(step) = self.latest(call, &variable.setters, before, fits) {
            return Setting::At(step);
        }
        match (variable.parameter, self.call(call)) {
            (Some(_), Some(own)) => own.start.previous().map_or(Setting::Given, Setting::At),
            _ => Setting::Never,
        }
    }

    /// Returns whether a step takes effect. A loop that ends does not set its variable.
    pub(super) fn takes_place(&self, step: Position) -> bool {
        self.takes_place_as(self.op(step), step)
    }

    /// Returns whether a step, which executes `op`, takes effect.
    pub(super) fn takes_place_as(&self, op: Op, step: Position) -> bool {
        match (op, self.step(step), self.step(step.next())) {
            (Op::ForRange | Op::ForList, Some(now), Some(next)) => next.pc == now.pc + 2,
            (Op::NextRange | Op::NextList, Some(now), Some(next)) => next.pc != now.pc + 2,
            (_, _, next) => next.is_some(),
        }
    }

    /// Returns the last matching step of a call before a position that executed one of these instructions.
    fn latest(
        &self,
        call: CallId,
        addresses: &[Address],
        before: Position,
        fits: impl Fn(Position) -> bool,
    ) -> Option<Position> {
        let own = self.call(call)?;
        let depth = self.step(own.start)?.depth;
        let of = |address: &Address| {
            let steps = self.index().at_depth(*address, depth, &self.steps);
            let within = &steps[..steps.partition_point(|step| *step < before && !own.ends_by(*step))];
            let begun = within.iter().rev().copied().take_while(|step| *step >= own.start);
            { begun }.find(|step| self.takes_place(*step) && fits(*step))
        };
        addresses.iter().filter_map(of).max()
    }

    /// Returns the first step of a call, from a position on, that executed one of these instructions.
    pub(super) fn earliest(&self, call: CallId, addresses: &[Address], from: Position) -> Option<Position> {
        let own = self.call(call)?;
        let depth = self.step(own.start)?.depth;
        let of = |address: &Address| {
            let steps = self.index().at_depth(*address, depth, &self.steps);
            let within = &steps[steps.partition_point(|step| *step < from.max(own.start))..];
            let lasting = within.iter().copied().take_while(|step| !own.ends_by(*step));
            { lasting }.find(|step| self.takes_place(*step))
        };
        addresses.iter().filter_map(of).min()
    }

    /// Returns the last step of a call before a position that set a variable.
    pub(super) fn set_before(&self, call: CallId, variable: &Variable, before: Position) -> Option<Position> {
        self.latest(call, &variable.setters, before, |_| true)
    }
}

impl Trace {
    /// Describes a source and its own source: the action, the line, and the step that the value came from.
    pub fn sentence(&self, source: ProvenanceSource) -> String {
        let said = format!("{}, line {}", self.because(source), self.line(source.step));
        let before = source.operand.and_then(|_| self.follow(source));
        match before.and_then(|before| Some((before, self.token(before.step)?))) {
            Some((before, token)) => {
                let step = step_number(before.step);
                format!("{said}, from `{}`, step {step}", written(self.compiled.view(), token))
            }
            None => said,
        }
    }

    /// Describes in a few words what a source did with the value.
    pub fn because(&self, source: ProvenanceSource) -> String {
        let view = self.compiled.view();
        let Some((instruction, token)) = self.instruction(source.step) else { return String::new() };
        let call = self.call_at(source.step);
        let own = self.call(call).map(|call| call.function);
        let variable = own
            .and_then(|own| self.variables.at(own, instruction.slot()?))
            .map_or("?", |variable| variable.name.as_str());
        match instruction.op {
            Op::StoreVar | Op::StoreList => format!("stored in `{variable}`"),
            Op::StoreIndex => {
                let index = self.step(source.step).map_or(0, |step| step.below);
                format!("stored in `{variable}[{index}]`")
            }
            Op::ForRange | Op::ForList | Op::NextRange | Op::NextList => {
                format!("assigned to `{variable}` by the loop")
            }
            Op::RangeIter | Op::RangeIterInclusive | Op::ListIter => {
                format!("used by the loop of `{variable}`")
            }
            Op::Call => format!("passed to {}", self.compiled.function_name(instruction.function())),
            Op::Return | Op::ReturnList
                if let Some(own) = own.filter(|own| self.compiled.functions().contains(*own)) =>
            {
                format!("returned by {}", self.compiled.function_name(own))
            }
            _ => format!("made by `{}`", token.map_or(String::new(), |token| written(view, token))),
        }
    }
}

/// Returns the source text of a token's expression, or its statement's header, on one line. Long texts are truncated.
pub fn written(view: View, token: TokenId) -> String {
    const LONGEST: usize = 60;
    let text = view.extent_span(token).and_then(|bytes| view.source.get(bytes)).unwrap_or("");
    let text = text.split('{').next().unwrap_or(text);
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(LONGEST) {
        words.truncate(end);
        words.push('…');
    }
    words
}

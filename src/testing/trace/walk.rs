//! Moves from one position to others.

use super::{ProvenanceSource, Setting, Trace, Variable};
use crate::compiler::stage::execute;
use crate::lang::index::{Address, CallId, Index, Position, TokenId};
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;

impl Trace {
    /// Returns the next position in the same call, stepping over calls. After the call's end, this is in the caller.
    pub fn over(&self, position: Position) -> Position {
        let end = match self.made_call(position).and_then(|id| self.call(id)) {
            Some(call) => call.end.unwrap_or(self.last()),
            None => position.next(),
        };
        end.min(self.last())
    }

    /// Returns the previous position in the same call, stepping over calls. At the beginning of the call, this
    /// is its `CALL`.
    pub fn back_over(&self, position: Position) -> Position {
        let call = self.call_at(position);
        self.before(call, position).unwrap_or_else(|| self.caller(position))
    }

    /// Returns the position after the innermost call, in its caller.
    pub fn out(&self, position: Position) -> Position {
        let call = self.call(self.call_at(position));
        call.map_or(Position::default(), |call| call.end.unwrap_or(self.last()).min(self.last()))
    }

    /// Returns the `CALL` of the innermost call, or 0 for the outermost call.
    pub fn caller(&self, position: Position) -> Position {
        let call = self.call(self.call_at(position));
        call.and_then(|call| call.start.previous()).unwrap_or_default()
    }

    /// Returns the next position, in the same call or its callers, that is on another line or jumps back to the same
    /// line.
    pub fn next_line(&self, position: Position) -> Position {
        let depth = self.step(position).map_or(0, |step| step.depth);
        let line = self.line(position);
        let mut at = position;
        while at < self.last() {
            let next = self.over(at);
            let (now, then) = (self.step(at), self.step(next));
            let turned = now.zip(then).is_some_and(|(now, then)| now.depth == then.depth && then.pc <= now.pc);
            let risen = then.is_some_and(|then| then.depth < depth);
            if (self.line(next) != line && !self.ends_round(next)) || turned || risen {
                return next;
            }
            at = next;
        }
        at
    }

    fn ends_round(&self, position: Position) -> bool {
        self.step(position).is_some_and(|step| self.index().ends_round(step.address()))
    }

    /// Returns the start of the current line's execution, or of the previous one if the position is at that start.
    /// Stays in the same call or its callers.
    pub fn line_before(&self, position: Position) -> Position {
        let begin = |mut at: Position| {
            let call = self.call_at(at);
            while self.ends_round(at)
                && let Some(before) = self.before(call, at)
            {
                at = before;
            }
            let line = self.line(at);
            while let Some(before) = self.before(call, at) {
                let (Some(now), Some(then)) = (self.step(at), self.step(before)) else { break };
                if self.line(before) != line || then.pc >= now.pc {
                    break;
                }
                at = before;
            }
            at
        };
        match begin(position) {
            here if here < position => here,
            here => begin(self.back_over(here)),
        }
    }

    /// Returns the next step at which a line was reached. [`visit_before`](Self::visit_before) returns the previous
    /// one.
    pub fn next_visit(&self, line: u32, position: Position) -> Option<Position> {
        let visits = self.visits(line);
        visits.get(visits.partition_point(|visit| *visit <= position)).copied()
    }

    pub fn visit_before(&self, line: u32, position: Position) -> Option<Position> {
        let visits = self.visits(line);
        visits.partition_point(|visit| *visit < position).checked_sub(1).map(|at| visits[at])
    }

    /// Returns the next position immediately after a variable of a call was set. [`change_before`](Self::change_before)
    /// returns the previous such position.
    pub fn next_change(&self, call: CallId, variable: &Variable, position: Position) -> Option<Position> {
        let setter = self.earliest(call, &variable.setters, position)?;
        Some(setter.next()).filter(|at| *at <= self.last())
    }

    pub fn change_before(&self, call: CallId, variable: &Variable, position: Position) -> Option<Position> {
        let setter = self.set_before(call, variable, position.previous()?)?;
        Some(setter.next())
    }

    /// Returns whether this is the run of a property on an input that does not meet its condition.
    pub fn is_discarded(&self) -> bool {
        let facts = self.compiled.facts;
        let is_entry = self.calls.first().is_some_and(|call| facts.entry_of(call.function).is_some());
        is_entry && execute::discards(&self.record)
    }

    /// Returns the position where the analysis of a failure should start. This is the trapping instruction, or the one
    /// that made a failing test false, otherwise the beginning.
    pub fn failure_position(&self) -> Position {
        match (self.record.trap, self.record.value) {
            // Where the run exhausted its fuel is arbitrary. The start of its cycle or loop is more informative.
            (Trap::StepLimit, _) => match (self.cycle(), self.unended_loop()) {
                (Some(turn), _) => turn.from.min(self.last()),
                (None, found) => found.map(|found| found.first).unwrap_or_default(),
            },
            (Trap::None, 0) => {
                self.maker_of_operand(self.last(), 0).map(|source| source.step).unwrap_or_default()
            }
            (Trap::None, _) => Position::default(),
            _ => self.last(),
        }
    }

    /// Returns the source of a source. If the value was passed on as an operand, this is the operand's maker;
    /// otherwise, it is the first needed value that is not a constant.
    pub fn follow(&self, source: ProvenanceSource) -> Option<ProvenanceSource> {
        match source.operand {
            Some(operand) => self.maker_of_operand(source.step, operand),
            None => self.needs(source.step).into_iter().find(|need| !self.is_constant(need.step)),
        }
    }

    pub fn is_constant(&self, step: Position) -> bool {
        matches!(self.op(step), Op::LoadConst | Op::LoadConstWide)
    }

    /// Returns how many times the instruction at a position was executed before.
    pub fn count(&self, position: Position) -> u32 {
        let Some(step) = self.step(position) else { return 0 };
        self.executions(step.address()).partition_point(|at| *at < position) as u32
    }

    /// Returns the position at which an instruction of a token was executed after `count` earlier executions, or its
    /// last one. If the token has several instructions, those with operation `op` are preferred.
    pub fn find(&self, token: TokenId, op: Op, count: u32) -> Option<Position> {
        let code = &self.compiled.executable.code;
        let of_token = |address: Address| {
            let same_op = code.word.get(address.position()).is_some_and(|word| word & 0xff == op as u32);
            let steps = self.executions(address);
            let step = *steps.get(count as usize).or(steps.last())?;
            Some((!same_op, step))
        };
        let is_of_token = |at: &usize| code.token[*at] == token.number();
        let addresses = (0..code.token.len()).filter(is_of_token).map(Address::at);
        addresses.filter_map(of_token).min().map(|(_, step)| step)
    }

    /// Returns whether a variable was set by the step before this position.
    pub fn is_new(setting: Setting, position: Position) -> bool {
        matches!(setting, Setting::At(step) if step.next() == position)
    }
}

//! The loops of a call and their rounds.

use std::ops::Range;

use super::ValuesFocus;
use crate::compiler::program::Instructions;
use crate::lang::index::{Address, Index as _, Indices, Position, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::testing::trace::Trace;

/// The loops of the focused call, outer ones first.
pub struct Loops {
    call: Range<Position>,
    loops: Vec<Loop>,
    /// The index of the innermost loop around the focus, the chosen round, and the position at which that begins.
    focus: Option<(usize, u32, Position)>,
}

struct Loop {
    extent: Indices<TokenId>,
    /// The positions at which rounds begin. For a `while`, the last one may be that of the condition that ended it.
    starts: Vec<Position>,
    /// The number of rounds.
    count: u32,
}

/// The positions whose values are of interest.
pub struct Window {
    /// All rounds of the innermost loop around a place.
    pub rounds: Range<Position>,
    /// The chosen round, or `rounds` for a loop that is not around the focus.
    pub own: Range<Position>,
}

impl Loops {
    pub fn new(trace: &Trace, focus: ValuesFocus) -> Loops {
        let end = Position::new(trace.len());
        let call = trace.call(focus.call).map(|call| call.start..call.end.unwrap_or(end));
        let call = call.unwrap_or_default();
        let mut all = Loops { call, loops: Vec::new(), focus: None };
        let Some(routine) =
            trace.call(focus.call).and_then(|call| trace.compiled.executable.routine(call.function))
        else {
            return all;
        };
        let view = trace.compiled.view();
        let code: Vec<(Address, Op, TokenId)> = { Instructions::of(routine.words()) }
            .filter_map(|instruction| {
                let address = routine.address() + instruction.at as u32;
                Some((address, instruction.op, trace.compiled.executable.at(address)?.1?))
            })
            .collect();
        let executed = |address: Address| trace.executions_in(address, all.call.start, &all.call);
        let mut innermost = None;
        for head in view.extent(routine.head()).iter() {
            let extent = view.extent(head);
            let mut inside = code.iter().filter(|(_, _, token)| extent.contains(*token));
            let (starts, count) = match view.role(head) {
                Role::For => {
                    let Some((turn, op, _)) =
                        inside.find(|(_, op, _)| matches!(op, Op::ForRange | Op::ForList))
                    else {
                        continue;
                    };
                    let starts: Vec<Position> =
                        executed(*turn).filter(|at| trace.takes_place_as(*op, *at)).collect();
                    let count = starts.len() as u32;
                    (starts, count)
                }
                Role::While => {
                    let Some((first, ..)) = inside.next() else { continue };
                    let starts: Vec<Position> = executed(*first).collect();
                    let body = view.child(head, 1).map(|block| view.extent(block));
                    let body = body.and_then(|body| code.iter().find(|(_, _, token)| body.contains(*token)));
                    let entered = body.map(|(address, ..)| executed(*address).count() as u32);
                    let count = entered.unwrap_or(starts.len() as u32);
                    (starts, count)
                }
                _ => continue,
            };
            if view.lines(head).contains(&focus.line) {
                innermost = Some(all.loops.len());
            }
            all.loops.push(Loop { extent, starts, count });
        }
        all.focus = innermost.and_then(|at| {
            let own = all.loops.get(at)?;
            let reached = { trace.visits(focus.line).iter() }.find(|visit| all.call.contains(visit));
            let first =
                reached.map_or(0, |visit| own.starts.partition_point(|start| start <= visit).max(1) - 1);
            let round = focus.round.unwrap_or(first as u32).min(own.count.checked_sub(1)?);
            Some((at, round, *own.starts.get(round as usize)?))
        });
        all
    }

    /// The whole call.
    pub fn whole(&self) -> Range<Position> {
        self.call.clone()
    }

    /// The chosen round and the number of rounds of the loop around the focus.
    pub fn chosen(&self) -> Option<(u32, u32)> {
        let (at, round, _) = self.focus?;
        Some((round, self.loops.get(at)?.count))
    }

    /// The positions of interest for a token.
    pub fn window(&self, token: TokenId) -> Window {
        let mut window = Window { rounds: self.whole(), own: self.whole() };
        for around in self.loops.iter().filter(|own| own.extent.contains(token)) {
            window.rounds = window.own.clone();
            let focused = self.focus.and_then(|(at, _, position)| {
                let inner = self.loops.get(at)?;
                around.extent.contains(inner.extent.start()).then_some(position)
            });
            let Some(position) = focused else { break };
            let next = around.starts.partition_point(|start| *start <= position);
            let Some(start) = next.checked_sub(1).and_then(|at| around.starts.get(at)) else { break };
            let end = around.starts.get(next).copied().unwrap_or(window.own.end);
            window.own = (*start).max(window.own.start)..end.min(window.own.end);
        }
        window
    }
}

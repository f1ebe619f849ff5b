//! The cause of a trap, from the operands before the instruction that trapped: `index -1 of a list of 2`. Of a hole, this
//! is the call that arrives at it: `gcd(12, 0)`.
//!
//! It is always that of the code as lowered. The optimizer keeps a trap and its place, but not the operands: they may be
//! folded away, or be other values that trap as well.

use std::sync::Arc;

use super::{ReplayKey, Target, Trace, TraceFrame, record};
use crate::compiler::program::{Compiled, ExecutableInstruction};
use crate::compiler::stage::emit::emit_unoptimized;
use crate::engine::EntryResult;
use crate::engine::explain::Value;
use crate::lang::index::{CallId, EntryId, Index, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;

/// The number of names shown of a chain of calls.
const NAMES: usize = 6;

/// Returns the cause of a trap of a test or property, from a replay of its run.
pub fn cause_of_trap(program: &Arc<Compiled>, id: EntryId, result: &EntryResult) -> Option<String> {
    let Outcome::Trap(trap) = result.outcome else { return None };
    let target = trap.has_cause().then(|| Target::of_result(program, id, result).ok())??;
    lowered_cause(program, target.routine, &target.frame, trap)
}

/// Returns the cause of a trap from a run of the code as lowered, if it ends in the same trap.
fn lowered_cause(program: &Arc<Compiled>, routine: RoutineId, frame: &[u32], trap: Trap) -> Option<String> {
    let (executable, ir) = (emit_unoptimized(program), program.lowered.clone());
    let lowered = Compiled { executable, ir, level: OptLevel::Lowered, ..(**program).clone() };
    let run = record(&Arc::new(lowered), routine, frame, limits::STEPS);
    if run.record.trap == trap { run.find_cause() } else { None }
}

impl Trace {
    /// Returns the cause of the trap, or `None` if the run did not trap or no single value is the cause.
    pub fn cause(&self) -> Option<&str> {
        let find = || {
            let trap = self.record.trap;
            let ReplayKey { compiled, routine, frame } = self.replay_key().filter(|_| trap.has_cause())?;
            match compiled.level {
                OptLevel::Lowered => self.find_cause(),
                _ => lowered_cause(&compiled, routine, &frame, trap),
            }
        };
        self.cause.get_or_init(find).as_deref()
    }

    /// Finds the cause in a run of the code as lowered.
    fn find_cause(&self) -> Option<String> {
        let trap = self.record.trap;
        let (instruction, _) = self.instruction(self.last())?;
        if trap == Trap::RecursionTooDeep {
            return self.too_deep(instruction);
        }
        if trap == Trap::Hole {
            return self.call_text(self.call_at(self.last()));
        }
        let state = self.state(self.last());
        let frames = self.frames(&state);
        let frame = frames.first()?;
        let value = |place: usize| frame.operands.get(place).map(|operand| &operand.value);
        let int = |place| match value(place) {
            Some(Value::Int(n)) => Some(*n),
            _ => None,
        };
        let length = |place| value(place).and_then(length);
        match (trap, instruction.op) {
            (Trap::DivideByZero, Op::Div) => Some(format!("division of {} by 0", int(1)?)),
            (Trap::DivideByZero, Op::Mod) => Some(format!("remainder of {} divided by 0", int(1)?)),
            (Trap::IndexOutOfBounds, op) => {
                let (index, list) = match op {
                    Op::LoadIndex => (int(0)?.to_string(), length(1)?),
                    Op::LoadIndexVar => (int(0)?.to_string(), variable(frame, instruction)?),
                    Op::StoreIndex => (int(1)?.to_string(), variable(frame, instruction)?),
                    Op::Slice => (format!("{}..{}", int(1)?, int(0)?), length(2)?),
                    Op::SliceVar => (format!("{}..{}", int(1)?, int(0)?), variable(frame, instruction)?),
                    _ => return None,
                };
                let what = if matches!(op, Op::Slice | Op::SliceVar) { "slice" } else { "index" };
                Some(format!("{what} {index} of a list of {list}"))
            }
            (Trap::CapacityExceeded, op) => {
                let (capacity, length) = match op {
                    Op::StoreList | Op::ListIter => (instruction.second, length(0)?),
                    Op::ReturnList => (instruction.operand, length(0)?),
                    Op::JoinList => (limits::CAPACITY, length(0)? + length(1)?),
                    Op::Call => self.argument(frame, instruction.function())?,
                    _ => return None,
                };
                Some(format!("capacity {capacity} exceeded by {length}"))
            }
            _ => None,
        }
    }

    /// Returns a call of a function with its arguments; `None` for the run of a test.
    fn call_text(&self, id: CallId) -> Option<String> {
        let function = self.call(id)?.function;
        let given: Vec<String> = self.arguments_and_result(id).0.iter().map(Value::to_string).collect();
        let is_function = self.compiled.functions().contains(function);
        is_function.then(|| format!("{}({})", self.compiled.function_name(function), given.join(", ")))
    }

    /// Returns the capacity of the first parameter whose list is longer, and the list's length.
    fn argument(&self, frame: &TraceFrame, callee: RoutineId) -> Option<(u32, usize)> {
        let callee = self.compiled.executable.routine(callee)?;
        let count = callee.params() as usize;
        let arguments = frame.operands.get(..count)?.iter().rev().zip(0..);
        let mut lists =
            arguments.filter_map(|(operand, place)| Some((callee.capacity(place), length(&operand.value)?)));
        lists.find(|(capacity, length)| *length > *capacity as usize)
    }

    /// Describes the calls that are too deep, by their names from one of them to the next one of the same function.
    fn too_deep(&self, instruction: ExecutableInstruction) -> Option<String> {
        let callee = Some(instruction).filter(|own| own.op == Op::Call)?.function();
        let active = self.active(self.last());
        let callers: Vec<RoutineId> = active.iter().filter_map(|id| Some(self.call(*id)?.function)).collect();
        let round =
            callers.iter().position(|caller| *caller == callee).map_or(callers.len(), |place| place + 1);
        let name = |function: &RoutineId| match self.compiled.functions().contains(*function) {
            true => self.compiled.function_name(*function).to_string(),
            false => "the test".to_string(),
        };
        let mut names: Vec<String> = callers[..round].iter().rev().chain([&callee]).map(name).collect();
        if names.len() > NAMES {
            names.splice(NAMES - 2..names.len() - 1, ["…".to_string()]);
        }
        Some(format!("{} calls deep: {}", limits::CALL_DEPTH, names.join(" → ")))
    }
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Ints(ints) => Some(ints.len()),
        Value::Bools(bools) => Some(bools.len()),
        Value::Int(_) | Value::Bool(_) => None,
    }
}

/// Returns the length of the list variable that an instruction names.
fn variable(frame: &TraceFrame, instruction: ExecutableInstruction) -> Option<usize> {
    let own = |variable: &super::Variable| variable.slot.number() == instruction.operand;
    frame
        .variables
        .iter()
        .find_map(|(variable, value, _)| Some(variable).filter(|v| own(v)).and(value.as_ref()).and_then(length))
}

#[cfg(test)]
mod tests {
    use super::super::{Subject, record};
    use crate::compiler::stage::Compiler;
    use crate::lang::limits;
    use std::sync::Arc;

    fn cause(functions: &str, call: &str) -> Option<String> {
        let mut compiler = Compiler::default();
        compiler.compile(functions);
        assert!(compiler.compiles(), "{functions}");
        let compiled = Arc::new(compiler.compiled(&functions.into()));
        let target = Subject::of_call(call).and_then(|call| call.find(&compiled, &[])).expect("a call");
        record(&compiled, target.routine, &target.frame, limits::STEPS).cause().map(String::from)
    }

    #[test]
    fn traps_state_the_values_that_caused_them() {
        for (body, said) in [
            ("return n / (n - 7);", Some("division of 7 by 0")),
            ("return n % (n - 7);", Some("remainder of 7 divided by 0")),
            ("let xs = [1, n]; return xs[n - 8];", Some("index -1 of a list of 2")),
            ("let xs = [1, n]; xs[n] = 3; return xs[0];", Some("index 7 of a list of 2")),
            ("return [n, n, n][n];", Some("index 7 of a list of 3")),
            ("let xs = [1, n]; return len(xs[1..n]);", Some("slice 1..7 of a list of 2")),
            ("let xs: [int; 3] = [n, n]; xs = xs + xs; return len(xs);", Some("capacity 3 exceeded by 4")),
            ("return deep(n);", Some("128 calls deep: other → deep → other")),
            ("return own(n);", Some("128 calls deep: own → own")),
            ("return take([n, n, n]);", Some("capacity 2 exceeded by 3")),
            ("return len(give(n));", Some("capacity 2 exceeded by 3")),
            ("while true { } return n;", None),
            ("return n;", None),
        ] {
            let functions = format!(
                "fn f(n: int) -> int {{ {body} }}\n\
                 fn deep(n: int) -> int {{ return other(n + 1); }}\n\
                 fn other(n: int) -> int {{ return deep(n + 1) + 1; }}\n\
                 fn own(n: int) -> int {{ return own(n + 1) + 1; }}\n\
                 fn take(xs: [int; 2]) -> int {{ return len(xs); }}\n\
                 fn give(n: int) -> [int; 2] {{ return [n, n, n + 1]; }}\n"
            );
            assert_eq!(cause(&functions, "f(7)").as_deref(), said, "{body}");
        }
    }
}

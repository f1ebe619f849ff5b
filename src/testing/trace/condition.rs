//! Conditions of breakpoints: expressions of the language over the variables of a line.
//!
//! The language's own front end checks them. An expression is compiled in a function appended to the program, whose
//! parameters are the variables that it names. So it may call the program's functions, and it means the same as in the
//! line.

use std::sync::Arc;

use super::{Setting, Trace, TraceState};
use crate::compiler::program::Compiled;
use crate::compiler::stage::compile;
use crate::compiler::stage::execute::{Machine, Start};
use crate::engine::explain::Value;
use crate::lang::index::{Index, Position, RoutineId};
use crate::lang::limits::PARAMS;
use crate::lang::trap::Trap;
use crate::report::diagnostics::diagnostics;

/// The maximum steps of an evaluation.
const FUEL: u32 = 10_000;
/// The name of the function that contains the expression.
const NAME: &str = "condition_of_a_breakpoint";

/// An expression that is true or false at a position.
pub struct Condition {
    program: Arc<Compiled>,
    function: RoutineId,
    /// The names of the parameters, and the number of words of each.
    parameters: Vec<(String, u32)>,
    machine: Machine,
    /// The state of the last evaluation. All evaluations must be of the same run.
    known: Option<TraceState>,
    /// The first position at which it trapped.
    trapped: Option<(Position, Trap)>,
}

impl Condition {
    /// Compiles an expression for a line of a program.
    ///
    /// # Errors
    /// If it is not an expression of type `bool` over variables that are known there.
    pub fn new(compiled: &Compiled, line: u32, text: &str) -> Result<Condition, String> {
        let view = compiled.view();
        let routine = compiled.executable.routines().find(|routine| {
            let extent = view.extent(routine.head());
            (view.line(extent.start())..=view.line(extent.end() - 1)).contains(&line)
        });
        let routine = routine.ok_or("this line has no code")?;
        let variables = super::variables::Variables::new(compiled);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let named: Vec<&str> = text.split(|c| !is_word(c)).collect();
        // If several variables have the same name, the last one declared before the line is used.
        let mut parameters: Vec<(String, String, u32)> = Vec::new();
        for variable in variables.of(routine.id) {
            if named.contains(&variable.name.as_str()) && view.line(variable.token) <= line {
                parameters.retain(|(name, ..)| *name != variable.name);
                parameters.push((variable.name.clone(), variable.ty.to_string(), variable.ty.words()));
            }
        }
        if parameters.len() > PARAMS {
            return Err(format!("the condition names more than {PARAMS} variables"));
        }
        let declared: Vec<String> = parameters.iter().map(|(name, ty, _)| format!("{name}: {ty}")).collect();
        let text =
            format!("{}\nfn {NAME}({}) -> bool {{ return\n{text}\n; }}\n", compiled.text, declared.join(", "));
        let program = compile(&text);
        if let Some(error) = diagnostics(&program).into_iter().find(|d| d.code.is_error()) {
            return Err(error.message);
        }
        let function = program.functions().iter().rev().find(|f| program.function_name(*f) == NAME);
        let function = function.ok_or("this is not an expression")?;
        let parameters = parameters.into_iter().map(|(name, _, words)| (name, words)).collect();
        let mut machine = Machine::default();
        machine.load(&program.executable);
        Ok(Condition { program: Arc::new(program), function, parameters, machine, known: None, trapped: None })
    }

    /// Returns whether the condition is true at a position. It is false where a variable has no value yet, and where it
    /// traps. With ascending positions, each step of the run is repeated only once.
    pub fn holds(&mut self, trace: &Trace, position: Position) -> bool {
        let state = match self.known.take() {
            Some(known) => trace.state_after(&known, position),
            None => trace.state(position),
        };
        let holds = self.holds_in(trace, position, &state);
        self.known = Some(state);
        holds
    }

    fn holds_in(&mut self, trace: &Trace, position: Position, state: &TraceState) -> bool {
        let frame = trace.frame(state, trace.call_at(position), position, u32::MAX);
        let mut words = Vec::new();
        for (name, room) in &self.parameters {
            let set = |variable: &&(&super::Variable, Option<Value>, Setting)| variable.0.name == *name;
            // If several variables have this name, the one that was set last is used.
            let latest = |variable: &&(&super::Variable, Option<Value>, Setting)| match variable.2 {
                Setting::Never => 0,
                Setting::Given => 1,
                Setting::At(step) => 2 + u64::from(step.number()),
            };
            let Some((_, Some(value), _)) = frame.variables.iter().filter(set).max_by_key(latest) else {
                return false;
            };
            let end = words.len() + *room as usize;
            words.extend(super::subject::words_of(value));
            words.resize(end, 0);
        }
        let memory = self.machine.frame();
        let count = words.len().min(memory.len());
        memory[..count].copy_from_slice(&words[..count]);
        let start = Start { routine: self.function, fuel: FUEL, depth: 0, origin: 0 };
        let record = self.machine.run(&self.program.executable, start.routine, start.fuel, start.depth);
        if record.trap != Trap::None {
            self.trapped.get_or_insert((position, record.trap));
        }
        record.trap == Trap::None && record.value == 1
    }

    /// Returns the first position at which the condition trapped, and the trap.
    pub fn trapped(&self) -> Option<(Position, Trap)> {
        self.trapped
    }
}

//! The variables of each routine, and the instructions that set them.

use crate::compiler::program::{Compiled, Instructions, View};
use crate::compiler::stage::lower;
use crate::lang::index::{Address, Index, Indices, Position, RoutineId, Slot, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::ty::Type;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The token of its name in the declaration.
    pub token: TokenId,
    pub name: String,
    pub ty: Type,
    /// The first word in the frame.
    pub slot: Slot,
    /// The index among the parameters or binders, if it is one of them.
    pub parameter: Option<u32>,
    /// The addresses of the instructions that set the variable or a part of it.
    pub setters: Vec<Address>,
    /// The tokens of the block, loop or routine in which it exists.
    pub scope: Indices<TokenId>,
    /// For a loop variable, the addresses of the instructions that begin the loop.
    pub begins: Vec<Address>,
}

/// The time at which a variable got its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// It has no value yet.
    Never,
    /// It has its initial value from the run's arguments.
    Given,
    /// At this step. For a parameter, this is the call.
    At(Position),
}

/// The variables of all routines, sorted by slot.
#[derive(Debug, Default)]
pub struct Variables(Vec<Vec<Variable>>);

impl Variables {
    pub fn new(compiled: &Compiled) -> Variables {
        let (view, executable) = (compiled.view(), &compiled.executable);
        let places = if executable.code.word.is_empty() { Vec::new() } else { lower::places(view) };
        let mut all: Vec<Vec<Variable>> = Vec::new();
        for routine in executable.routines() {
            let declared = view.extent(routine.head()).iter().filter_map(|token| {
                let slot = (*places.get(token.position())?)?;
                let parameter = matches!(view.role(token), Role::Param | Role::Binder).then_some(());
                Some(Variable {
                    token,
                    name: view.text(token).to_string(),
                    ty: view.ty(token),
                    slot,
                    parameter: parameter.map(|()| 0),
                    scope: scope(view, token).unwrap_or_else(|| view.extent(routine.head())),
                    setters: Vec::new(),
                    begins: Vec::new(),
                })
            });
            let mut variables: Vec<Variable> = declared.collect();
            variables.sort_by_key(|variable| variable.slot);
            let parameters = variables.iter_mut().filter_map(|variable| variable.parameter.as_mut());
            (0..).zip(parameters).for_each(|(number, parameter)| *parameter = number);
            let base = routine.address();
            for instruction in Instructions::of(routine.words()) {
                let Some(slot) = instruction.slot() else { continue };
                let Ok(at) = variables.binary_search_by_key(&slot, |v| v.slot) else { continue };
                let address = base + instruction.at as u32;
                match instruction.op {
                    Op::StoreVar
                    | Op::StoreList
                    | Op::StoreIndex
                    | Op::ForRange
                    | Op::ForList
                    | Op::NextRange
                    | Op::NextList => {
                        variables[at].setters.push(address);
                    }
                    Op::RangeIter | Op::RangeIterInclusive | Op::ListIter => {
                        variables[at].begins.push(address);
                    }
                    _ => {}
                }
            }
            all.push(variables);
        }
        Variables(all)
    }

    /// Returns the variables of a routine, sorted by slot.
    pub fn of(&self, routine: RoutineId) -> &[Variable] {
        self.0.get(routine.position()).map_or(&[], Vec::as_slice)
    }

    pub fn at(&self, routine: RoutineId, slot: Slot) -> Option<&Variable> {
        let of = self.of(routine);
        of.binary_search_by_key(&slot, |variable| variable.slot).ok().map(|at| &of[at])
    }
}

/// Returns the extent of the block or loop that declares a variable.
fn scope(view: View, variable: TokenId) -> Option<Indices<TokenId>> {
    let mut around = std::iter::successors(view.parent(variable), |token| view.parent(*token));
    let block = around.find(|token| matches!(view.role(*token), Role::Block | Role::For | Role::Fn))?;
    Some(view.extent(block))
}

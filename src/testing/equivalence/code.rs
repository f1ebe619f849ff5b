//! Proves that other bytecode for a function behaves like its own.

use super::form::{Form, FormSubject, form};
use super::terms::{Rules, Terms};
use crate::compiler::program::{Bytecode, Compiled, Executable, Instructions, Ir, Routine};
use crate::compiler::stage::flow::Endings;
use crate::lang::NONE;
use crate::lang::index::{Address, Index, RoutineId};
use crate::lang::opcode::{Class, Op};
use crate::lang::ty::Type;

/// Compares bytecode with that of a function by normal forms. Traps are compared by kind: other bytecode comes from no
/// token.
#[derive(Debug)]
pub struct CodeProver {
    function: RoutineId,
    parameters: Vec<Type>,
    /// The routines of the program, without code.
    program: Executable,
    /// The function's own code, and its address.
    own: (Vec<u32>, Address),
    /// The address of other code.
    origin: Address,
}

impl CodeProver {
    /// Creates a prover for a function of a program without errors.
    pub fn new(compiled: &Compiled, function: RoutineId) -> Option<CodeProver> {
        let executable = &compiled.executable;
        let routine = executable.routine(function)?;
        let mut routines = executable.routines.clone();
        routines.ir.fill(0);
        Some(CodeProver {
            function,
            parameters: compiled.program().parameters(function),
            program: Executable { code: Bytecode::default(), routines },
            own: (Routine::words(routine).to_vec(), routine.address()),
            origin: executable.end(),
        })
    }

    /// Returns whether code, placed after the program's, has the same normal form as the function's own.
    pub fn proves(&self, code: &[u32]) -> bool {
        let mut terms = Terms::new(Rules::ALL);
        let (own, address) = &self.own;
        let own = self.form(own, *address, &mut terms);
        own.is_some() && own == self.form(code, self.origin, &mut terms)
    }

    fn form(&self, words: &[u32], address: Address, terms: &mut Terms) -> Option<Form> {
        let subject = FormSubject {
            ir: &instructions(words, address)?,
            program: &self.program,
            function: self.function,
            parameters: &self.parameters,
            token: &|_| 0,
            callee: &|callee| callee,
            endings: &Endings::default(),
        };
        form(&subject, terms)
    }
}

/// Decodes bytecode that begins at an address. Returns `None` if it jumps elsewhere.
fn instructions(words: &[u32], address: Address) -> Option<Ir> {
    let mut at = vec![None; words.len()];
    for (number, instruction) in (0..).zip(Instructions::of(words)) {
        *at.get_mut(instruction.at)? = Some(number);
    }
    let target = |to: u32| at.get(to.checked_sub(address.number())? as usize).copied().flatten();
    let mut ir = Ir::default();
    for instruction in Instructions::of(words) {
        let (mut arg, mut aux) = (instruction.operand, instruction.second);
        match instruction.op.class() {
            Class::Jump | Class::Branch { .. } => arg = target(arg)?,
            Class::Loop => aux = target(aux)?,
            Class::Nothing if instruction.op == Op::Nop => return None,
            _ => {}
        }
        ir.op.push(instruction.op as u32);
        ir.arg.push(arg);
        ir.aux.push(aux);
        ir.token.push(0);
        ir.site.push(NONE);
        ir.start.push(0);
        ir.block.push(0);
    }
    Some(ir)
}

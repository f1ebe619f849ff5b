//! The operations and constants of expressions.

use crate::compiler::program::{Compiled, View};
use crate::fill::operation::{Meaning, OPERATIONS, Operation};
use crate::lang::index::{RoutineId, TokenId};
use crate::lang::opcode::OperandSource;
use crate::lang::role::Role;
use crate::lang::token::BUILTINS;
use crate::lang::token::TokenKind::{self, Greater, GreaterEqual, IntType, Less, LessEqual};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grammar {
    /// A part of [`OPERATIONS`], in its order.
    pub operations: Vec<Operation>,
    /// `None` for the common constants, those of the program, and the literals of the function.
    pub constants: Option<Vec<u32>>,
    /// Whether the program's other functions may be called, and constants of tests may be leaves.
    pub uses_program: bool,
}

impl Default for Grammar {
    fn default() -> Grammar {
        Grammar { operations: OPERATIONS.to_vec(), constants: None, uses_program: true }
    }
}

impl Grammar {
    /// All operators, without built-in functions and calls, which may already be what is looked for.
    pub fn of_operators() -> Grammar {
        let is_operator = |operation: &&Operation| built_in(**operation).is_none();
        let operations = OPERATIONS.iter().filter(is_operator).copied().collect();
        Grammar { operations, constants: None, uses_program: false }
    }

    /// Those with which a function is written.
    pub fn of_function(program: &Compiled, function: RoutineId) -> Grammar {
        let view = program.view();
        let head = program.executable.routine(function).map(|routine| routine.head());
        let nodes: Vec<TokenId> = head.map_or(Vec::new(), |head| view.extent(head).iter().collect());
        let is_used = |operation: &&Operation| nodes.iter().any(|node| applies(view, *node, **operation));
        let constant = |node: &TokenId| match view.role(*node) {
            Role::Int => Some(view.value(*node)),
            Role::Var => {
                view.declaration(*node).filter(|t| view.is(*t, Role::ConstName)).map(|t| view.constant(t))
            }
            _ => None,
        };
        Grammar {
            operations: OPERATIONS.iter().filter(is_used).copied().collect(),
            constants: Some(nodes.iter().filter_map(constant).collect()),
            uses_program: false,
        }
    }
}

/// The name of the built-in function that an operation is.
fn built_in(operation: Operation) -> Option<&'static str> {
    match operation.meaning {
        Meaning::Unary(op) | Meaning::Binary(op) => match op.source() {
            OperandSource::Builtin(name) => BUILTINS.get(name as usize).copied(),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a node of the tree is this operation.
fn applies(view: View, node: TokenId, operation: Operation) -> bool {
    let kind = match view.kind(node) {
        Greater => Less,
        GreaterEqual => LessEqual,
        kind => kind,
    };
    let has_operand = || view.child(node, 0).is_some_and(|operand| view.ty(operand) == operation.operand);
    match (view.role(node), operation.meaning) {
        (Role::Binary, _) => operation.infix() == Some(kind) && has_operand(),
        (Role::Unary, Meaning::Unary(op)) => op.source() == OperandSource::Prefix(kind),
        (Role::Call, Meaning::ToInt) => kind == IntType,
        (Role::Call, _) => kind == TokenKind::Name && built_in(operation) == Some(view.text(node)),
        _ => false,
    }
}

//! The two sides of a rule as trees: an expression with letters, or an `if` with blocks.

use std::fmt::Write;

use crate::compiler::program::{Children, View};
use crate::lang::arithmetic;
use crate::lang::index::TokenId;
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::{BUILTINS, TokenKind};
use crate::lang::ty::Type;

/// The function that yields the exponent of a power of two, as rules write it.
pub const LOG2: &str = "log2";

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// An expression, by the number of its letter.
    Letter(u8),
    Int(u32),
    Bool(bool),
    Apply(Operation, Vec<Pattern>),
    /// A block without statements, or the absence of an `else`.
    Nothing,
    /// A block, by the number of its letter.
    Block(u8),
    /// A condition, the block for `true`, and the block or `if` for `false`.
    If(Box<[Pattern; 3]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Unary(TokenKind),
    Binary(TokenKind),
    /// A built-in function. `int` has no instruction.
    Call(Builtin),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    Abs,
    Min,
    Max,
    Int,
    /// Of constants only.
    Log2,
}

impl Builtin {
    pub const ALL: [Builtin; 5] = [Builtin::Abs, Builtin::Min, Builtin::Max, Builtin::Int, Builtin::Log2];

    pub fn name(self) -> &'static str {
        match self {
            Builtin::Abs => "abs",
            Builtin::Min => "min",
            Builtin::Max => "max",
            Builtin::Int => "int",
            Builtin::Log2 => LOG2,
        }
    }

    /// Returns the id of its name in a program; `int` is a keyword.
    pub fn id(self) -> Option<u32> {
        BUILTINS.iter().position(|name| *name == self.name()).map(|id| id as u32)
    }

    pub fn named(name: &str) -> Option<Builtin> {
        Builtin::ALL.into_iter().find(|builtin| builtin.name() == name)
    }
}

impl Operation {
    /// Returns whether it evaluates its right operand only if the left one does not decide.
    pub fn is_logical(self) -> bool {
        matches!(self, Operation::Binary(kind) if kind.is_logical())
    }

    pub fn divides(self) -> bool {
        matches!(self, Operation::Binary(TokenKind::Slash | TokenKind::Percent))
    }

    /// Returns the value for operands, or `None` if it traps or is not one of ints.
    fn of(self, operands: &[u32]) -> Option<u32> {
        Some(match (self, operands) {
            (Operation::Call(Builtin::Int), [a]) => *a,
            (Operation::Call(Builtin::Log2), [a]) => a.is_power_of_two().then(|| a.trailing_zeros())?,
            (Operation::Binary(TokenKind::AmpersandAmpersand), [a, b]) => a & b,
            (Operation::Binary(TokenKind::BarBar), [a, b]) => a | b,
            (_, [a]) => arithmetic::unary(self.op()? as u32, *a),
            (_, [a, b]) => arithmetic::binary(self.op()? as u32, *a, *b).ok()?,
            _ => return None,
        })
    }

    fn op(self) -> Option<Op> {
        match self {
            Operation::Unary(kind) => Op::from_prefix(kind),
            Operation::Binary(kind) => Op::from_infix(kind),
            Operation::Call(builtin) => Op::from_builtin(builtin.id()?),
        }
    }
}

impl Pattern {
    /// Reads a node of a program that [`super::read`] wrote. `letter` returns the number of a variable's letter.
    pub fn of(
        view: View,
        children: &Children,
        node: TokenId,
        letter: &dyn Fn(&str) -> Option<u8>,
    ) -> Option<Pattern> {
        let read = |node| Pattern::of(view, children, node, letter);
        let all = || children.of(node).map(read).collect::<Option<Vec<_>>>();
        Some(match view.role(node) {
            Role::Group => read(children.at(node, 0)?)?,
            Role::Int => Pattern::Int(view.value(node)),
            Role::Bool => Pattern::Bool(view.kind(node) == TokenKind::True),
            Role::Var => Pattern::Letter(letter(view.text(node))?),
            Role::Unary => match (view.kind(node), read(children.at(node, 0)?)?) {
                // A literal below zero.
                (TokenKind::Minus, Pattern::Int(value)) => Pattern::Int(value.wrapping_neg()),
                (kind, operand) => Pattern::Apply(Operation::Unary(kind), vec![operand]),
            },
            Role::Binary => Pattern::Apply(Operation::Binary(view.kind(node)), all()?),
            Role::Call => Pattern::Apply(Operation::Call(Builtin::named(view.text(node))?), all()?),
            Role::Return => match read(children.at(node, 0)?)? {
                Pattern::Int(0) => Pattern::Nothing,
                Pattern::Int(number) => Pattern::Block(u8::try_from(number).ok()?.checked_sub(1)?),
                _ => return None,
            },
            Role::Block => {
                let mut statements = children.of(node);
                let own = statements.next().filter(|_| statements.next().is_none())?;
                read(own)?
            }
            Role::If => {
                let otherwise = children.at(node, 2).map_or(Some(Pattern::Nothing), read)?;
                Pattern::If(Box::new([read(children.at(node, 0)?)?, read(children.at(node, 1)?)?, otherwise]))
            }
            _ => return None,
        })
    }

    /// Returns whether it is a statement, not an expression.
    pub fn is_statement(&self) -> bool {
        matches!(self, Pattern::Nothing | Pattern::Block(_) | Pattern::If(_))
    }

    pub fn parts(&self) -> &[Pattern] {
        match self {
            Pattern::Apply(_, parts) => parts,
            Pattern::If(parts) => &**parts,
            _ => &[],
        }
    }

    /// Calls a function with this pattern and all parts, outer ones first.
    pub fn each(&self, visit: &mut dyn FnMut(&Pattern)) {
        visit(self);
        self.parts().iter().for_each(|part| part.each(visit));
    }

    pub fn has_letter(&self, letter: u8) -> bool {
        let mut found = false;
        self.each(&mut |part| found |= *part == Pattern::Letter(letter));
        found
    }

    /// Returns the value of an expression whose letters have known values.
    pub fn value(&self, of: &dyn Fn(u8) -> Option<u32>) -> Option<u32> {
        match self {
            Pattern::Letter(letter) => of(*letter),
            Pattern::Int(value) => Some(*value),
            Pattern::Bool(value) => Some(u32::from(*value)),
            Pattern::Apply(operation, parts) => {
                let parts: Option<Vec<u32>> = parts.iter().map(|part| part.value(of)).collect();
                operation.of(&parts?)
            }
            Pattern::Nothing | Pattern::Block(_) | Pattern::If(_) => None,
        }
    }

    /// Returns the pattern with values in the place of letters and of what is computed from them.
    pub fn with(&self, of: &dyn Fn(u8) -> Option<u32>) -> Pattern {
        let with = |parts: &[Pattern]| parts.iter().map(|part| part.with(of)).collect::<Vec<_>>();
        match self {
            Pattern::Letter(letter) => of(*letter).map_or(self.clone(), Pattern::Int),
            Pattern::Apply(Operation::Call(Builtin::Log2), _) => {
                self.value(of).map_or(self.clone(), Pattern::Int)
            }
            Pattern::Apply(operation, parts) => Pattern::Apply(*operation, with(parts)),
            Pattern::If(parts) => match <[Pattern; 3]>::try_from(with(&**parts)) {
                Ok(parts) => Pattern::If(Box::new(parts)),
                Err(_) => self.clone(),
            },
            _ => self.clone(),
        }
    }

    /// Writes it in the language, with each operation in parentheses. Blocks return their number.
    pub fn write(&self, letter: &dyn Fn(u8) -> String, out: &mut String) {
        let mut list = |before: String, parts: &[Pattern], between: &str, after: &str| {
            out.push_str(&before);
            for (place, part) in parts.iter().enumerate() {
                out.push_str(if place > 0 { between } else { "" });
                part.write(letter, out);
            }
            out.push_str(after);
        };
        let spelling = |kind: &TokenKind| kind.spelling().unwrap_or_default();
        match self {
            Pattern::Letter(number) => out.push_str(&letter(*number)),
            Pattern::Int(value) if (*value as i32) < 0 => list(format!("({})", *value as i32), &[], "", ""),
            Pattern::Int(value) => out.push_str(&value.to_string()),
            Pattern::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Pattern::Apply(Operation::Unary(kind), parts) => {
                list(format!("({}", spelling(kind)), parts, "", ")")
            }
            Pattern::Apply(Operation::Binary(kind), parts) => {
                list("(".into(), parts, &format!(" {} ", spelling(kind)), ")");
            }
            Pattern::Apply(Operation::Call(builtin), parts) => {
                list(format!("{}(", builtin.name()), parts, ", ", ")");
            }
            Pattern::Nothing => out.push_str("{ return 0; }"),
            Pattern::Block(number) => {
                // Writing to a string does not fail.
                let _ = write!(out, "{{ return {}; }}", number + 1);
            }
            Pattern::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                out.push_str("if ");
                condition.write(letter, out);
                out.push(' ');
                then.write(letter, out);
                out.push_str(" else ");
                otherwise.write(letter, out);
            }
        }
    }

    /// The type of an operation's result.
    pub fn result(&self, types: &[Type]) -> Type {
        match self {
            Pattern::Letter(letter) => types.get(*letter as usize).copied().unwrap_or(Type::INT),
            Pattern::Bool(_) => Type::BOOL,
            Pattern::Apply(Operation::Unary(TokenKind::Bang), _) => Type::BOOL,
            Pattern::Apply(Operation::Binary(kind), _) if kind.is_logical() || kind.is_comparison() => {
                Type::BOOL
            }
            _ => Type::INT,
        }
    }
}

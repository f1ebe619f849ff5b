//! The two sides of a rule as trees: an expression with letters, or an `if` with blocks.

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

/// A token of a rule, or what a letter means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    Token(TokenKind, u32),
    Letter(u8),
    Block(u8),
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
            // The least int is not a power of two.
            (Operation::Call(Builtin::Log2), [a]) => (0..31).find(|power| 1 << power == *a)?,
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

    /// Returns the letter of each logarithm, or `None` if it has another operand.
    pub fn logarithms(&self) -> Vec<Option<u8>> {
        let mut found = Vec::new();
        self.each(&mut |part| {
            if let Pattern::Apply(Operation::Call(Builtin::Log2), parts) = part {
                found.push(match parts[..] {
                    [Pattern::Letter(letter)] => Some(letter),
                    _ => None,
                });
            }
        });
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

    /// Returns the pattern with values in the place of letters. `log2` is computed; with `folds`, so is all else that has
    /// no letters then.
    pub fn with(&self, of: &dyn Fn(u8) -> Option<u32>, folds: bool) -> Pattern {
        let with = |parts: &[Pattern]| parts.iter().map(|part| part.with(of, folds)).collect::<Vec<_>>();
        match self {
            Pattern::Letter(letter) => of(*letter).map_or(self.clone(), Pattern::Int),
            Pattern::Apply(operation, parts) => {
                let new = Pattern::Apply(*operation, with(parts));
                let computes = folds || *operation == Operation::Call(Builtin::Log2);
                match new.value(&|_| None).filter(|_| computes) {
                    Some(value) if new.result(&[]) == Type::BOOL => Pattern::Bool(value != 0),
                    Some(value) => Pattern::Int(value),
                    None => new,
                }
            }
            Pattern::If(parts) => Pattern::If(Box::new(parts.each_ref().map(|part| part.with(of, folds)))),
            _ => self.clone(),
        }
    }

    /// Adds the tokens that write it, with each operation in parentheses.
    pub fn pieces(&self, out: &mut Vec<Piece>) {
        use TokenKind::*;
        let token = |kind| Piece::Token(kind, 0);
        match self {
            Pattern::Letter(letter) => out.push(Piece::Letter(*letter)),
            Pattern::Int(value) => out.push(Piece::Token(Int, *value)),
            Pattern::Bool(value) => out.push(token(if *value { True } else { False })),
            Pattern::Apply(operation, parts) => {
                let (name, between) = match operation {
                    Operation::Unary(kind) => (Some(token(*kind)), LeftParen),
                    Operation::Binary(kind) => (None, *kind),
                    Operation::Call(Builtin::Int) => (Some(token(IntType)), Comma),
                    Operation::Call(builtin) => {
                        (Some(Piece::Token(Name, builtin.id().unwrap_or(u32::MAX))), Comma)
                    }
                };
                let is_call = matches!(operation, Operation::Call(_));
                out.extend((!is_call).then_some(token(LeftParen)));
                out.extend(name);
                out.extend(is_call.then_some(token(LeftParen)));
                for (place, part) in parts.iter().enumerate() {
                    out.extend((place > 0).then_some(token(between)));
                    part.pieces(out);
                }
                out.push(token(RightParen));
            }
            Pattern::Nothing => out.extend([token(LeftBrace), token(RightBrace)]),
            Pattern::Block(block) => out.push(Piece::Block(*block)),
            Pattern::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                out.push(token(If));
                condition.pieces(out);
                // The block of a condition has braces.
                let braces = matches!(then, Pattern::If(_));
                out.extend(braces.then_some(token(LeftBrace)));
                then.pieces(out);
                out.extend(braces.then_some(token(RightBrace)));
                if *otherwise != Pattern::Nothing {
                    out.push(token(Else));
                    otherwise.pieces(out);
                }
            }
        }
    }

    /// Writes it in the language. Blocks return their number, from 1.
    pub fn write(&self, letter: &dyn Fn(u8) -> String, out: &mut String) {
        let mut pieces = Vec::new();
        self.pieces(&mut pieces);
        for piece in pieces {
            let text = match piece {
                Piece::Letter(number) => letter(number),
                Piece::Block(number) => format!("{{ return {}; }}", number + 1),
                Piece::Token(TokenKind::Int, value) => format!("({})", value as i32),
                Piece::Token(TokenKind::Name, id) => BUILTINS.get(id as usize).copied().unwrap_or(LOG2).into(),
                Piece::Token(kind, _) => kind.spelling().unwrap_or_default().into(),
            };
            out.push_str(&text);
            out.push(' ');
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

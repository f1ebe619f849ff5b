//! Converts the arguments of a call, written as literals of the language, to the words of a frame.
//!
//! The language's own front end checks each literal. It is compiled as the argument of a call in a small program, whose
//! function has a parameter of the required type. So `-0x10`, `'a'`, `[true; 3]` and `"abc"` mean the same as in a
//! file, and errors have the same messages.

use crate::compiler::program::View;
use crate::compiler::stage::{compile, lex};
use crate::lang::arithmetic;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::report::diagnostics::diagnostics;
use crate::report::visible::visible;

/// The reason why a text is not an argument, and an example of one that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub message: String,
    pub help: String,
}

/// Returns the words of a parameter of type `ty` for the literal `text`. A list is unpadded: its length, then its
/// elements. It may be longer than the parameter's capacity.
///
/// # Errors
/// If the text is not a literal of that type.
pub fn words(text: &str, ty: Type, position: usize) -> Result<Vec<u32>, Refused> {
    let refused = |why: String| Refused {
        message: format!("argument {position}, `{}`: {}", visible(text), why),
        help: format!("a literal of type `{ty}` is required, such as {}", example(ty)),
    };
    // The argument has its own lines, so that a comment at its end hides nothing.
    let before = format!("fn argument(x: {ty}) -> bool {{ return true; }}\ntest argument(\n");
    let program = compile(&format!("{before}{text}\n);\n"));
    let errors = diagnostics(&program);
    let first = errors.iter().find(|d| d.code.is_error());
    let argument = Argument { program: program.view(), range: before.len()..before.len() + text.len() };
    let Some(root) = argument.root() else {
        return Err(refused(match first {
            Some(error) if error.code != Code::TypeMismatch => error.message.clone(),
            _ => "this is not a single literal".to_string(),
        }));
    };
    if let Some(error) = first {
        return Err(refused(error.message.clone()));
    }
    let mut words = Vec::new();
    argument.value(root, &mut words).ok_or_else(|| refused("this is not a literal".to_string()))?;
    if ty.is_list() {
        words.insert(0, words.len() as u32);
    }
    Ok(words)
}

fn example(ty: Type) -> &'static str {
    match (ty.is_list(), ty) {
        (false, Type::BOOL) => "`true`",
        (false, _) => "`-5`",
        (true, ty) if ty.element() == Type::BOOL => "`[true, false]` (quoted for the shell)",
        (true, _) => "`[1, 2]` or `\"abc\"` (quoted for the shell)",
    }
}

struct Argument<'a> {
    program: View<'a>,
    /// The argument's bytes in the program's text.
    range: std::ops::Range<usize>,
}

impl Argument<'_> {
    /// Returns the node of the whole argument: the call's only child, spanning all tokens of the argument.
    fn root(&self) -> Option<TokenId> {
        let inside = |t: &TokenId| self.program.span(*t).is_some_and(|bytes| self.range.contains(&bytes.start));
        let first = self.program.all().iter().find(inside)?;
        let last = self.program.all().iter().rev().find(inside)?;
        let is_whole = |t: &TokenId| {
            let parent = self.program.parent(*t);
            self.program.extent(*t) == first.up_to(last + 1)
                && parent.is_some_and(|parent| self.program.is(parent, Role::Call))
        };
        self.program.nodes().find(is_whole)
    }

    /// Appends the value of a literal; a list appends its elements. Returns `None` if the node is not a literal.
    fn value(&self, t: TokenId, words: &mut Vec<u32>) -> Option<()> {
        let children: Vec<TokenId> = self.program.children().of(t).collect();
        match self.program.role(t) {
            Role::Int => words.push(self.program.value(t)),
            Role::Bool => words.push(u32::from(self.program.kind(t) == TokenKind::True)),
            Role::Str => words.extend(lex::codes(self.program.text(t))),
            Role::Group => self.value(*children.first()?, words)?,
            Role::List => {
                for child in children {
                    self.value(child, words)?;
                }
            }
            Role::Repeat => {
                let [element, count] = children[..] else { return None };
                self.value(element, words)?;
                let element = words.pop()?;
                words.extend((0..self.program.constant(count)).map(|_| element));
            }
            Role::Unary => {
                self.value(*children.first()?, words)?;
                let operand = words.pop()?;
                words.push(arithmetic::unary(Op::from_prefix(self.program.kind(t))? as u32, operand));
            }
            _ => return None,
        }
        Some(())
    }
}

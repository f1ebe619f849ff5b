//! Reads trees from text: converts the parser's columns to owned nodes.

use super::tree::{Block, Expr, Function, Iterable, Program, Stmt, Ty, TypeNode};
use crate::compiler::program::{Checked, Children, Facts, Tokens, Tree, View};
use crate::compiler::stage::{lex, parse};
use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// Longer texts are not read: reading is recursive, and this bounds the depth.
const TOKENS: usize = 2_048;

/// Returns the constants and functions of a text that parses without error, without tests and properties.
pub fn program(text: &str) -> Option<Program> {
    let (mut tokens, mut tree, mut facts) = (Tokens::default(), Tree::default(), Facts::default());
    lex::run(text, &mut tokens, &mut facts, &mut lex::LexScratch::default());
    if facts.stopped() || tokens.kind.len() > TOKENS {
        return None;
    }
    parse::run(&tokens, &mut tree, &mut facts, &mut parse::ParseScratch::default());
    if !facts.compiles() {
        return None;
    }
    let checked = Checked::default();
    let view = View { source: text, tokens: &tokens, tree: &tree, checked: &checked };
    Reader { view, children: view.children() }.program()
}

struct Reader<'a> {
    view: View<'a>,
    children: Children,
}

impl<'a> Reader<'a> {
    fn role(&self, t: TokenId) -> Role {
        self.view.role(t)
    }

    fn kind(&self, t: TokenId) -> TokenKind {
        self.view.kind(t)
    }

    fn name(&self, t: TokenId) -> &'a str {
        self.view.text(t)
    }

    fn child(&self, t: TokenId, slot: u32) -> Option<TokenId> {
        self.children.at(t, slot)
    }

    fn program(&self) -> Option<Program> {
        let mut program = Program::default();
        for t in self.view.nodes() {
            match self.role(t) {
                Role::Const => {
                    let name = self.name(self.child(t, 0)?).into();
                    program.constants.push((name, self.expr(self.child(t, 1)?)?));
                }
                Role::Fn => program.functions.push(self.function(t)?),
                _ => {}
            }
        }
        Some(program)
    }

    fn function(&self, t: TokenId) -> Option<Function> {
        let params = self.children.of(t).filter(|child| self.view.slot(*child) >= 3);
        let params = params.map(|p| Some((self.name(p).into(), self.ty(self.child(p, 0)?)?)));
        Some(Function {
            name: self.name(self.child(t, 0)?).into(),
            params: params.collect::<Option<_>>()?,
            result: self.ty(self.child(t, 1)?)?,
            body: self.block(self.child(t, 2)?)?,
        })
    }

    fn ty(&self, t: TokenId) -> Option<TypeNode> {
        let ty = match self.role(t) {
            Role::TypeInt => Ty::Int,
            Role::TypeBool => Ty::Bool,
            _ if self.kind(t + 1) == TokenKind::BoolType => Ty::Bools,
            _ => Ty::Ints,
        };
        let capacity = match self.child(t, 0) {
            Some(root) => Some(Box::new(self.expr(root)?)),
            None => None,
        };
        Some(TypeNode { ty, capacity })
    }

    fn block(&self, t: TokenId) -> Option<Block> {
        let mut statements: Vec<TokenId> = self.children.of(t).collect();
        statements.sort_by_key(|s| self.view.extent(*s).start());
        statements.into_iter().map(|s| self.statement(s)).collect()
    }

    fn statement(&self, t: TokenId) -> Option<Stmt> {
        let expr = |slot| self.expr(self.child(t, slot)?);
        Some(match self.role(t) {
            Role::Let => {
                let ty = match self.child(t, 1) {
                    Some(ty) => Some(self.ty(ty)?),
                    None => None,
                };
                Stmt::Let(self.name(self.child(t, 0)?).into(), ty, expr(2)?)
            }
            Role::Assign => Stmt::Assign(expr(0)?, self.kind(t).compound_operator(), expr(1)?),
            Role::If => {
                let (mut arms, mut at) = (vec![], t);
                let otherwise = loop {
                    arms.push((self.expr(self.child(at, 0)?)?, self.block(self.child(at, 1)?)?));
                    match self.child(at, 2) {
                        Some(next) if self.role(next) == Role::If => at = next,
                        Some(block) => break Some(self.block(block)?),
                        None => break None,
                    }
                };
                Stmt::If(arms, otherwise)
            }
            Role::While => Stmt::While(expr(0)?, self.block(self.child(t, 1)?)?),
            Role::For => {
                let first = self.child(t, 1)?;
                let over = match self.child(t, 2) {
                    None => Iterable::List(self.expr(first)?),
                    Some(hi) if self.kind(self.view.extent(first).end()) == TokenKind::DotDotEqual => {
                        Iterable::UpTo(self.expr(first)?, self.expr(hi)?)
                    }
                    Some(hi) => Iterable::Below(self.expr(first)?, self.expr(hi)?),
                };
                Stmt::For(self.name(self.child(t, 0)?).into(), over, self.block(self.child(t, 3)?)?)
            }
            Role::Break => Stmt::Break,
            Role::Continue => Stmt::Continue,
            Role::Return => Stmt::Return(expr(0)?),
            Role::Block => Stmt::Block(self.block(t)?),
            _ => return None,
        })
    }

    fn expr(&self, t: TokenId) -> Option<Expr> {
        let boxed = |slot| self.expr(self.child(t, slot)?).map(Box::new);
        let list = || self.children.of(t).map(|e| self.expr(e)).collect::<Option<Vec<_>>>();
        Some(match self.role(t) {
            Role::Int => Expr::Int(self.view.value(t) as i32),
            Role::Bool => Expr::Bool(self.kind(t) == TokenKind::True),
            Role::Str => Expr::Str(lex::codes(self.name(t)).map(|code| code as u8).collect()),
            Role::Var => Expr::Var(self.name(t).into()),
            Role::Call => Expr::Call(self.name(t).into(), list()?),
            Role::Group => Expr::Group(boxed(0)?),
            Role::Index => Expr::Index(boxed(0)?, boxed(1)?),
            Role::Slice => Expr::Slice(boxed(0)?, boxed(1)?, boxed(2)?),
            Role::List => Expr::List(list()?),
            Role::Repeat => Expr::Repeat(boxed(0)?, boxed(1)?),
            Role::Unary => match (self.kind(t), self.child(t, 0)?) {
                (TokenKind::Minus, n) if self.role(n) == Role::Int => {
                    Expr::Int((self.view.value(n) as i32).wrapping_neg())
                }
                (op, operand) => Expr::Unary(op, Box::new(self.expr(operand)?)),
            },
            Role::Binary => Expr::Binary(self.kind(t), boxed(0)?, boxed(1)?),
            _ => return None,
        })
    }
}

//! Trees from text: what the parser's columns say, as owned nodes.

use super::tree::{Block, Expr, Function, Over, Program, Stmt, Ty, TypeNode};
use crate::lang::NONE;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::program::{Facts, Tokens, Tree};
use crate::stage::{lex, parse};

/// Texts of more tokens are not read: nodes are read by recursion, whose depth this bounds.
const TOKENS: usize = 2_048;

/// The constants and functions of a text that parses without error; tests and properties are left out.
pub fn program(text: &str) -> Option<Program> {
    let (mut tokens, mut tree, mut facts) = (Tokens::default(), Tree::default(), Facts::default());
    lex::run(text, &mut tokens, &mut facts, &mut lex::Scratch::default());
    if facts.stopped() || tokens.kind.len() > TOKENS {
        return None;
    }
    parse::run(&tokens, &mut tree, &mut facts, &mut parse::Scratch::default());
    if facts.stopped() || facts.errors > 0 {
        return None;
    }
    Reader::new(text, &tokens, &tree).program()
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a Tokens,
    tree: &'a Tree,
    /// Slot and token of each node's children, by the parent's token, in order.
    children: Vec<Vec<(u32, usize)>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, tokens: &'a Tokens, tree: &'a Tree) -> Self {
        let mut children = vec![vec![]; tree.role.len()];
        for t in 0..tree.role.len() {
            let parent = tree.parent[t];
            if tree.role[t] != Role::None as u32 && parent != NONE {
                children[parent as usize].push((tree.slot[t], t));
            }
        }
        for list in &mut children {
            list.sort();
        }
        Reader { text, tokens, tree, children }
    }

    fn role(&self, t: usize) -> Role {
        Role::from_u32(self.tree.role[t]).unwrap_or(Role::None)
    }

    fn kind(&self, t: usize) -> Option<TokenKind> {
        TokenKind::from_u32(*self.tokens.kind.get(t)?)
    }

    fn name(&self, t: usize) -> &'a str {
        &self.text[self.tokens.lo[t] as usize..self.tokens.hi[t] as usize]
    }

    fn child(&self, t: usize, slot: u32) -> Option<usize> {
        self.children[t].iter().find(|(s, _)| *s == slot).map(|(_, child)| *child)
    }

    fn program(&self) -> Option<Program> {
        let mut program = Program::default();
        for t in 0..self.tree.role.len() {
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

    fn function(&self, t: usize) -> Option<Function> {
        let params = self.children[t].iter().filter(|(slot, _)| *slot >= 3);
        let params = params.map(|(_, p)| Some((self.name(*p).into(), self.ty(self.child(*p, 0)?)?)));
        Some(Function {
            name: self.name(self.child(t, 0)?).into(),
            params: params.collect::<Option<_>>()?,
            result: self.ty(self.child(t, 1)?)?,
            body: self.block(self.child(t, 2)?)?,
        })
    }

    fn ty(&self, t: usize) -> Option<TypeNode> {
        let ty = match self.role(t) {
            Role::TypeInt => Ty::Int,
            Role::TypeBool => Ty::Bool,
            _ if self.kind(t + 1) == Some(TokenKind::BoolType) => Ty::Bools,
            _ => Ty::Ints,
        };
        let capacity = match self.child(t, 0) {
            Some(root) => Some(Box::new(self.expr(root)?)),
            None => None,
        };
        Some(TypeNode { ty, capacity })
    }

    fn block(&self, t: usize) -> Option<Block> {
        let mut statements: Vec<usize> = self.children[t].iter().map(|(_, s)| *s).collect();
        statements.sort_by_key(|s| self.tree.lo[*s]);
        statements.into_iter().map(|s| self.statement(s)).collect()
    }

    fn statement(&self, t: usize) -> Option<Stmt> {
        let expr = |slot| self.expr(self.child(t, slot)?);
        Some(match self.role(t) {
            Role::Let => {
                let ty = match self.child(t, 1) {
                    Some(ty) => Some(self.ty(ty)?),
                    None => None,
                };
                Stmt::Let(self.name(self.child(t, 0)?).into(), ty, expr(2)?)
            }
            Role::Assign => Stmt::Assign(expr(0)?, self.kind(t)?.compound_operator(), expr(1)?),
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
                    None => Over::List(self.expr(first)?),
                    Some(hi) if self.kind(self.tree.hi[first] as usize) == Some(TokenKind::DotDotEqual) => {
                        Over::UpTo(self.expr(first)?, self.expr(hi)?)
                    }
                    Some(hi) => Over::Below(self.expr(first)?, self.expr(hi)?),
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

    fn expr(&self, t: usize) -> Option<Expr> {
        let boxed = |slot| self.expr(self.child(t, slot)?).map(Box::new);
        let list = || self.children[t].iter().map(|(_, e)| self.expr(*e)).collect::<Option<Vec<_>>>();
        Some(match self.role(t) {
            Role::Int => Expr::Int(self.tokens.value[t] as i32),
            Role::Bool => Expr::Bool(self.kind(t) == Some(TokenKind::True)),
            Role::Str => Expr::Str(codes(self.name(t))),
            Role::Var => Expr::Var(self.name(t).into()),
            Role::Call => Expr::Call(self.name(t).into(), list()?),
            Role::Group => Expr::Group(boxed(0)?),
            Role::Index => Expr::Index(boxed(0)?, boxed(1)?),
            Role::Slice => Expr::Slice(boxed(0)?, boxed(1)?, boxed(2)?),
            Role::List => Expr::List(list()?),
            Role::Repeat => Expr::Repeat(boxed(0)?, boxed(1)?),
            Role::Unary => match (self.kind(t)?, self.child(t, 0)?) {
                (TokenKind::Minus, n) if self.role(n) == Role::Int => {
                    Expr::Int((self.tokens.value[n] as i32).wrapping_neg())
                }
                (op, operand) => Expr::Unary(op, Box::new(self.expr(operand)?)),
            },
            Role::Binary => Expr::Binary(self.kind(t)?, boxed(0)?, boxed(1)?),
            _ => return None,
        })
    }
}

/// The codes of a string literal that lexed well.
fn codes(quoted: &str) -> Vec<u8> {
    let mut out = vec![];
    let mut bytes = quoted.get(1..quoted.len() - 1).unwrap_or("").bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'0') => 0,
                Some(other) => other,
                None => byte,
            },
            _ => byte,
        });
    }
    out
}

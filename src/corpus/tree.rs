//! Programs as trees, which the generator builds, rewrites and prints.
//!
//! Names are stored as written, so scopes follow from the shape of the tree. An operator is its token.
//! Literals are values: the spelling of an int is not kept.

use std::sync::Arc;

use crate::lang::token::TokenKind;

pub type Name = Arc<str>;

/// A type without its capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Ty {
    Int,
    Bool,
    Ints,
    Bools,
}

impl Ty {
    pub fn is_list(self) -> bool {
        matches!(self, Ty::Ints | Ty::Bools)
    }

    /// Returns the element type of a list type; any other type is returned unchanged.
    pub fn element(self) -> Ty {
        match self {
            Ty::Int | Ty::Ints => Ty::Int,
            Ty::Bool | Ty::Bools => Ty::Bool,
        }
    }

    /// Returns the type of lists with this element type.
    pub fn list(self) -> Ty {
        match self.element() {
            Ty::Bool => Ty::Bools,
            _ => Ty::Ints,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct TypeNode {
    pub ty: Ty,
    /// The capacity of a list, if written.
    pub capacity: Option<Box<Expr>>,
}

impl From<Ty> for TypeNode {
    fn from(ty: Ty) -> TypeNode {
        TypeNode { ty, capacity: None }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Int(i32),
    Bool(bool),
    /// The codes of a string.
    Str(Vec<u8>),
    Var(Name),
    /// A call of a function, including a built-in one.
    Call(Name, Vec<Expr>),
    /// Written parentheses, needed or not.
    Group(Box<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    List(Vec<Expr>),
    Repeat(Box<Expr>, Box<Expr>),
    Unary(TokenKind, Box<Expr>),
    Binary(TokenKind, Box<Expr>, Box<Expr>),
}

pub type Block = Vec<Stmt>;

#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    Let(Name, Option<TypeNode>, Expr),
    /// Target, operator of a compound assignment, value.
    Assign(Expr, Option<TokenKind>, Expr),
    /// Conditions with their blocks, at least one; then the block of the final `else`.
    If(Vec<(Expr, Block)>, Option<Block>),
    While(Expr, Block),
    For(Name, Iterable, Block),
    Break,
    Continue,
    Return(Expr),
    Block(Block),
}

/// The values that a `for` iterates over.
#[derive(Clone, PartialEq, Debug)]
pub enum Iterable {
    /// `lo .. hi`.
    Below(Expr, Expr),
    /// `lo ..= hi`.
    UpTo(Expr, Expr),
    List(Expr),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: Name,
    pub params: Vec<(Name, TypeNode)>,
    pub result: TypeNode,
    pub body: Block,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    pub constants: Vec<(Name, Expr)>,
    pub functions: Vec<Function>,
}

/// Returns an expression that names a variable.
pub fn var(name: &Name) -> Expr {
    Expr::Var(name.clone())
}

pub fn binary(op: TokenKind, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

pub fn unary(op: TokenKind, operand: Expr) -> Expr {
    Expr::Unary(op, Box::new(operand))
}

pub fn index(list: Expr, at: Expr) -> Expr {
    Expr::Index(Box::new(list), Box::new(at))
}

pub fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Call(name.into(), arguments)
}

impl Expr {
    /// Returns the direct subexpressions, in the order of their evaluation.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Int(_) | Expr::Bool(_) | Expr::Str(_) | Expr::Var(_) => vec![],
            Expr::Call(_, list) | Expr::List(list) => list.iter().collect(),
            Expr::Group(a) | Expr::Unary(_, a) => vec![a],
            Expr::Index(a, b) | Expr::Repeat(a, b) | Expr::Binary(_, a, b) => vec![a, b],
            Expr::Slice(a, b, c) => vec![a, b, c],
        }
    }

    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Int(_) | Expr::Bool(_) | Expr::Str(_) | Expr::Var(_) => vec![],
            Expr::Call(_, list) | Expr::List(list) => list.iter_mut().collect(),
            Expr::Group(a) | Expr::Unary(_, a) => vec![a],
            Expr::Index(a, b) | Expr::Repeat(a, b) | Expr::Binary(_, a, b) => vec![a, b],
            Expr::Slice(a, b, c) => vec![a, b, c],
        }
    }

    /// Returns whether `is` holds for the expression or any subexpression.
    pub fn any(&self, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
        is(self) || self.children().into_iter().any(|child| child.any(is))
    }
}

impl Stmt {
    /// Returns the expressions of the statement, without those of its blocks.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Stmt::Let(_, _, e) | Stmt::Return(e) | Stmt::While(e, _) | Stmt::For(_, Iterable::List(e), _) => {
                vec![e]
            }
            Stmt::Assign(a, _, b) | Stmt::For(_, Iterable::Below(a, b) | Iterable::UpTo(a, b), _) => vec![a, b],
            Stmt::If(arms, _) => arms.iter().map(|(c, _)| c).collect(),
            Stmt::Break | Stmt::Continue | Stmt::Block(_) => vec![],
        }
    }

    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Stmt::Let(_, _, e) | Stmt::Return(e) | Stmt::While(e, _) | Stmt::For(_, Iterable::List(e), _) => {
                vec![e]
            }
            Stmt::Assign(a, _, b) | Stmt::For(_, Iterable::Below(a, b) | Iterable::UpTo(a, b), _) => vec![a, b],
            Stmt::If(arms, _) => arms.iter_mut().map(|(c, _)| c).collect(),
            Stmt::Break | Stmt::Continue | Stmt::Block(_) => vec![],
        }
    }

    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Stmt::If(arms, otherwise) => arms.iter().map(|(_, b)| b).chain(otherwise).collect(),
            Stmt::While(_, b) | Stmt::For(_, _, b) | Stmt::Block(b) => vec![b],
            _ => vec![],
        }
    }

    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Stmt::If(arms, otherwise) => arms.iter_mut().map(|(_, b)| b).chain(otherwise).collect(),
            Stmt::While(_, b) | Stmt::For(_, _, b) | Stmt::Block(b) => vec![b],
            _ => vec![],
        }
    }

    /// Returns whether `is` holds for the statement or any nested statement.
    pub fn any(&self, is: &mut dyn FnMut(&Stmt) -> bool) -> bool {
        is(self) || self.blocks().into_iter().flatten().any(|s| s.any(is))
    }

    /// Returns whether control never continues after the statement, by the checker's rules.
    pub fn ends(&self) -> bool {
        match self {
            Stmt::Return(_) | Stmt::Break | Stmt::Continue => true,
            Stmt::If(arms, Some(otherwise)) => arms.iter().all(|(_, b)| block_ends(b)) && block_ends(otherwise),
            Stmt::While(Expr::Bool(true), body) => !body.iter().any(breaks),
            Stmt::Block(b) => block_ends(b),
            _ => false,
        }
    }
}

/// Returns whether control never reaches the end of the block.
pub fn block_ends(block: &[Stmt]) -> bool {
    block.iter().any(Stmt::ends)
}

/// Returns whether the statement contains a `break` of the loop around it.
fn breaks(statement: &Stmt) -> bool {
    match statement {
        Stmt::Break => true,
        Stmt::While(..) | Stmt::For(..) => false,
        other => other.blocks().into_iter().flatten().any(breaks),
    }
}

impl Function {
    /// Renames the variables for which `to` returns a name.
    pub fn rename(&mut self, to: &dyn Fn(&Name) -> Option<Name>) {
        for (name, _) in &mut self.params {
            to(name).into_iter().for_each(|new| *name = new);
        }
        self.body.iter_mut().for_each(|s| rename(s, to));
    }

    /// Replaces calls of `old` by calls of `new`.
    pub fn redirect(&mut self, old: &str, new: &Name) {
        self.body.iter_mut().for_each(|s| redirect_in(s, old, new));
    }

    /// Returns whether the function calls a function for which `is` holds.
    pub fn calls(&self, is: &dyn Fn(&Name) -> bool) -> bool {
        let mut called = |e: &Expr| matches!(e, Expr::Call(name, _) if is(name));
        self.body.iter().any(|s| s.any(&mut |s| s.expressions().into_iter().any(|e| e.any(&mut called))))
    }
}

fn rename(statement: &mut Stmt, to: &dyn Fn(&Name) -> Option<Name>) {
    if let Stmt::Let(name, ..) | Stmt::For(name, ..) = statement {
        to(name).into_iter().for_each(|new| *name = new);
    }
    for e in statement.expressions_mut() {
        rename_in(e, to);
    }
    for s in statement.blocks_mut().into_iter().flatten() {
        rename(s, to);
    }
}

fn rename_in(e: &mut Expr, to: &dyn Fn(&Name) -> Option<Name>) {
    if let Expr::Var(name) = e {
        to(name).into_iter().for_each(|new| *name = new);
    }
    for child in e.children_mut() {
        rename_in(child, to);
    }
}

fn redirect_in(statement: &mut Stmt, old: &str, new: &Name) {
    for e in statement.expressions_mut() {
        redirect(e, old, new);
    }
    for s in statement.blocks_mut().into_iter().flatten() {
        redirect_in(s, old, new);
    }
}

fn redirect(e: &mut Expr, old: &str, new: &Name) {
    if let Expr::Call(name, _) = e
        && &**name == old
    {
        *name = new.clone();
    }
    for child in e.children_mut() {
        redirect(child, old, new);
    }
}

//! The names in scope while a function is generated, and the types of expressions.

use super::tree::{Expr, Function, Iterable, Name, Ty};
use crate::lang::token::{COMPARISON_STRENGTH, TokenKind};

/// A known property of a variable.
#[derive(Clone, PartialEq, Debug)]
pub enum Property {
    Nothing,
    /// Its value is in `0 .. len` of this list while neither is assigned to.
    IndexOf(Name),
    /// It controls the length of a loop: only the loop itself may assign to it.
    Counter,
    /// A named constant, which cannot be assigned to.
    Constant,
}

#[derive(Clone, Debug)]
pub struct ScopeVariable {
    pub name: Name,
    pub ty: Ty,
    pub known: Property,
}

/// The signature of a function that may be called.
#[derive(Clone, Debug)]
pub struct Signature {
    pub name: Name,
    pub params: Vec<Ty>,
    pub result: Ty,
}

impl Signature {
    pub fn of(function: &Function) -> Signature {
        Signature {
            name: function.name.clone(),
            params: function.params.iter().map(|(_, ty)| ty.ty).collect(),
            result: function.result.ty,
        }
    }
}

/// Variables, innermost last, and functions.
#[derive(Clone, Default, Debug)]
pub struct Scope {
    pub variables: Vec<ScopeVariable>,
    pub functions: Vec<Signature>,
    /// Number of names generated so far.
    made: u32,
}

impl Scope {
    /// Creates a scope in which these functions may be called.
    pub fn of_functions(functions: &[Function]) -> Scope {
        Scope { functions: functions.iter().map(Signature::of).collect(), ..Scope::default() }
    }

    pub fn declare(&mut self, name: &Name, ty: Ty, known: Property) {
        self.variables.push(ScopeVariable { name: name.clone(), ty, known });
    }

    pub fn find(&self, name: &str) -> Option<&ScopeVariable> {
        self.variables.iter().rev().find(|v| &*v.name == name)
    }

    pub fn function(&self, name: &str) -> Option<&Signature> {
        self.functions.iter().find(|f| &*f.name == name)
    }

    /// Returns an unused name. Names in templates never end in `_` and a number.
    pub fn fresh(&mut self) -> Name {
        self.made += 1;
        format!("v_{}", self.made).into()
    }

    /// Returns the visible variables of a type.
    pub fn of(&self, ty: Ty) -> Vec<&ScopeVariable> {
        let hidden = |at: usize, name: &str| self.variables[at + 1..].iter().any(|v| &*v.name == name);
        let all = self.variables.iter().enumerate();
        all.filter(|(i, v)| v.ty == ty && !hidden(*i, &v.name)).map(|(_, v)| v).collect()
    }

    /// Returns the type of a well-typed expression. An empty list counts as a list of ints.
    pub fn ty(&self, e: &Expr) -> Ty {
        match e {
            Expr::Int(_) => Ty::Int,
            Expr::Bool(_) => Ty::Bool,
            Expr::Str(_) => Ty::Ints,
            Expr::Var(name) => self.find(name).map_or(Ty::Int, |v| v.ty),
            Expr::Call(name, _) => match self.function(name) {
                Some(f) => f.result,
                None => Ty::Int,
            },
            Expr::Group(inside) => self.ty(inside),
            Expr::Index(list, _) => self.ty(list).element(),
            Expr::Slice(list, ..) => self.ty(list),
            Expr::List(list) => list.first().map_or(Ty::Ints, |first| self.ty(first).list()),
            Expr::Repeat(element, _) => self.ty(element).list(),
            Expr::Unary(TokenKind::Bang, _) => Ty::Bool,
            Expr::Unary(..) => Ty::Int,
            Expr::Binary(op, left, right) => {
                if op.infix_strength() <= COMPARISON_STRENGTH {
                    return Ty::Bool;
                }
                match &**left {
                    Expr::List(list) if list.is_empty() => self.ty(right),
                    left => self.ty(left),
                }
            }
        }
    }
}

/// Returns the type of a loop's variable, and its known property.
pub fn loop_variable(over: &Iterable, scope: &Scope) -> (Ty, Property) {
    match over {
        Iterable::List(list) => (scope.ty(list).element(), Property::Counter),
        Iterable::Below(Expr::Int(lo), Expr::Call(len, of)) if *lo >= 0 && &**len == "len" => {
            match of.first() {
                Some(Expr::Var(list)) => (Ty::Int, Property::IndexOf(list.clone())),
                _ => (Ty::Int, Property::Counter),
            }
        }
        _ => (Ty::Int, Property::Counter),
    }
}

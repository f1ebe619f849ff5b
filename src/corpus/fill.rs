//! Fills the holes of templates; `templates` documents each kind of hole.

use super::expressions::{Expressions, ORDERS};
use super::scope::{Property, Scope, loop_variable};
use super::statements::Statements;
use super::tree::{Block, Expr, Function, Iterable, Name, Program, Stmt, Ty, binary};
use crate::lang::random::Rng;
use crate::lang::token::TokenKind::{self, *};

/// Weights of the numbers of operators of a free expression in a template.
const ROOM: &[u32] = &[8, 30, 24, 14, 6, 3];
const WORDS: &[&str] = &[
    "abc",
    "aeiou",
    "AEIOU",
    "0123456789",
    "xyz",
    "hello",
    "no",
    "yes",
    "fizz",
    "buzz",
    "-",
    ".,;",
    "one",
    "AB",
];

/// Returns a program of the template's shape.
pub fn template(template: &Program, rng: &mut Rng) -> Program {
    let mut fill = Fill { rng, scope: Scope::of_functions(&template.functions) };
    let mut program = Program::default();
    for (name, value) in &template.constants {
        let value = fill.expr(value);
        let ty = fill.scope.ty(&value);
        fill.scope.declare(name, ty, Property::Constant);
        program.constants.push((name.clone(), value));
    }
    for function in &template.functions {
        program.functions.push(fill.function(function));
    }
    program
}

struct Fill<'a> {
    rng: &'a mut Rng,
    scope: Scope,
}

impl Fill<'_> {
    fn function(&mut self, function: &Function) -> Function {
        let outer = self.scope.variables.len();
        for (name, ty) in &function.params {
            self.scope.declare(name, ty.ty, Property::Nothing);
        }
        let body = self.block(&function.body);
        self.scope.variables.truncate(outer);
        Function { body, ..function.clone() }
    }

    /// Fills a block, which has a scope of its own.
    fn block(&mut self, block: &Block) -> Block {
        let outer = self.scope.variables.len();
        let mut out = vec![];
        self.statements(block, &mut out);
        self.scope.variables.truncate(outer);
        out
    }

    fn statements(&mut self, block: &Block, out: &mut Block) {
        for statement in block {
            self.statement(statement, out);
        }
    }

    fn statement(&mut self, statement: &Stmt, out: &mut Block) {
        match statement {
            Stmt::Let(name, ty, value) => {
                let value = self.expr(value);
                let of = ty.as_ref().map_or_else(|| self.scope.ty(&value), |ty| ty.ty);
                self.scope.declare(name, of, Property::Nothing);
                out.push(Stmt::Let(name.clone(), ty.clone(), value));
            }
            Stmt::Assign(Expr::Var(name), _, Expr::Int(n)) if &**name == "STATEMENTS" => {
                let count = self.rng.below(*n as usize + 1);
                let functions = std::mem::take(&mut self.scope.functions);
                let mut free = Statements {
                    rng: self.rng,
                    scope: &mut self.scope,
                    depth: 2,
                    result: None,
                    looping: false,
                    accumulator: None,
                };
                free.some(count, out);
                self.scope.functions = functions;
            }
            Stmt::Assign(target, op, value) => {
                let target = self.expr(target);
                out.push(Stmt::Assign(target, *op, self.expr(value)));
            }
            Stmt::If(arms, otherwise) => match hole(&arms[0].0) {
                Some("MAYBE") => match otherwise {
                    _ if self.rng.chance(50) => self.statements(&arms[0].1, out),
                    Some(other) => self.statements(other, out),
                    None => {}
                },
                Some("ALT") => {
                    let of: Vec<&Block> = arms.iter().map(|(_, b)| b).chain(otherwise).collect();
                    if let Some(block) = self.rng.pick(&of) {
                        self.statements(block, out);
                    }
                }
                Some("SHUFFLE") => {
                    let mut list = arms[0].1.clone();
                    self.rng.shuffle(&mut list);
                    self.statements(&list, out);
                }
                _ => {
                    let arms = arms.iter().map(|(c, b)| (self.expr(c), self.block(b))).collect();
                    let otherwise = otherwise.as_ref().map(|b| self.block(b));
                    out.push(Stmt::If(arms, otherwise));
                }
            },
            Stmt::While(condition, body) => {
                let condition = self.expr(condition);
                out.push(Stmt::While(condition, self.block(body)));
            }
            Stmt::For(name, over, body) => {
                let over = match over {
                    Iterable::Below(lo, hi) => Iterable::Below(self.expr(lo), self.expr(hi)),
                    Iterable::UpTo(lo, hi) => Iterable::UpTo(self.expr(lo), self.expr(hi)),
                    Iterable::List(list) => Iterable::List(self.expr(list)),
                };
                let (ty, known) = loop_variable(&over, &self.scope);
                let outer = self.scope.variables.len();
                self.scope.declare(name, ty, known);
                let body = self.block(body);
                self.scope.variables.truncate(outer);
                out.push(Stmt::For(name.clone(), over, body));
            }
            Stmt::Return(value) => out.push(Stmt::Return(self.expr(value))),
            Stmt::Block(block) => out.push(Stmt::Block(self.block(block))),
            Stmt::Break | Stmt::Continue => out.push(statement.clone()),
        }
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        if let Expr::Call(name, arguments) = e
            && name.bytes().all(|b| b.is_ascii_uppercase())
        {
            return self.hole(name, arguments);
        }
        let mut out = e.clone();
        for child in out.children_mut() {
            *child = self.expr(child);
        }
        out
    }

    fn hole(&mut self, name: &Name, arguments: &[Expr]) -> Expr {
        let pair = |s: &mut Self, of: &[TokenKind]| {
            let op = *s.rng.pick(of).unwrap_or(&Plus);
            let (a, b) = (arguments.first(), arguments.get(1));
            binary(op, a.map_or(Expr::Int(0), |a| s.expr(a)), b.map_or(Expr::Int(0), |b| s.expr(b)))
        };
        let number = |i: usize| match arguments.get(i) {
            Some(Expr::Int(n)) => *n,
            _ => 0,
        };
        match &**name {
            "INT" => self.free(Ty::Int, arguments),
            "BOOL" => self.free(Ty::Bool, arguments),
            "INTS" => self.free(Ty::Ints, arguments),
            "BOOLS" => self.free(Ty::Bools, arguments),
            "LIT" => Expr::Int(self.rng.within(number(0), number(1))),
            "POWER" => Expr::Int(1 << self.rng.below(12)),
            "LETTER" => {
                Expr::Int(self.rng.within('a' as i32, 'z' as i32) - if self.rng.chance(25) { 32 } else { 0 })
            }
            "STRING" => Expr::Str(self.rng.pick(WORDS).unwrap_or(&"").bytes().collect()),
            "LITERALS" => Expr::List((0..number(0)).map(|_| Expr::Int(self.rng.within(0, 40))).collect()),
            "PICK" => {
                let one = self.rng.below(arguments.len());
                arguments.get(one).map_or(Expr::Int(0), |e| self.expr(e))
            }
            "CMP" => pair(self, &[Less, LessEqual, Greater, GreaterEqual, EqualEqual, BangEqual]),
            "ORD" => pair(self, ORDERS),
            "EQ" => pair(self, &[EqualEqual, EqualEqual, BangEqual]),
            "OP" => pair(self, &[Plus, Plus, Minus, Star, Star, Ampersand, Bar, Caret]),
            "SUM" => pair(self, &[Plus, Minus]),
            "BIT" => pair(self, &[Ampersand, Bar, Caret]),
            "LOGIC" => pair(self, &[AmpersandAmpersand, BarBar]),
            "TWEAK" => {
                let inside = arguments.first().map_or(Expr::Int(0), |a| self.expr(a));
                match self.rng.below(10) {
                    0 => binary(Plus, inside, Expr::Int(1)),
                    1 => binary(Minus, inside, Expr::Int(1)),
                    2 => binary(Star, inside, Expr::Int(self.rng.within(2, 10))),
                    3 => binary(Plus, inside, Expr::Int(self.rng.within(2, 10))),
                    4 => Expr::Unary(Minus, Box::new(Expr::Group(Box::new(inside)))),
                    _ => inside,
                }
            }
            _ => Expr::Int(0),
        }
    }

    fn free(&mut self, ty: Ty, focus: &[Expr]) -> Expr {
        let focus: Vec<Expr> = focus.iter().map(|e| self.expr(e)).collect();
        let room = self.rng.weighted(ROOM);
        // Free expressions of templates contain no calls, because a template writes its calls itself.
        let functions = std::mem::take(&mut self.scope.functions);
        let e = Expressions { rng: self.rng, scope: &self.scope, focus: &focus }.expr(ty, room);
        self.scope.functions = functions;
        e
    }
}

/// Returns the name of a condition that is a hole.
fn hole(condition: &Expr) -> Option<&str> {
    match condition {
        Expr::Call(name, _) => Some(name),
        _ => None,
    }
}

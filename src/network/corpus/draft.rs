//! Where programs come from: a template, a free function, or two templates one behind the other.

use super::functions::{self, Size};
use super::rng::Rng;
use super::scope::{Scope, Signature};
use super::templates::{TEMPLATES, Template};
use super::tree::{Expr, Function, Name, Program, Stmt, Ty, TypeNode, binary, block_ends, var};
use super::{Level, fill, function_words, sense, vary};
use crate::lang::token::TokenKind::{Minus, Plus, Star};

/// A program, and which of its functions is to be learned.
pub fn program(level: Level, rng: &mut Rng) -> (Program, usize) {
    let weights = match level {
        Level::Simple => [48, 52, 0],
        Level::Medium => [46, 42, 12],
        Level::Full => [40, 36, 24],
    };
    let size = match (level, rng.below(10)) {
        (Level::Simple, _) | (Level::Medium, 0..=1) | (Level::Full, 0) => Size::Small,
        (Level::Medium, _) | (Level::Full, 1..=4) => Size::Medium,
        (Level::Full, _) => Size::Large,
    };
    let drafted = match rng.weighted(&weights) {
        0 => template(rng),
        1 => None,
        _ => chained(rng),
    };
    drafted.unwrap_or_else(|| free(size, rng))
}

/// A template; those that work on lists are picked more often than others, as they are written more often.
fn pick(rng: &mut Rng) -> Option<&'static Template> {
    let lists = |f: &Function| f.result.ty.is_list() || f.params.iter().any(|(_, ty)| ty.ty.is_list());
    let one = rng.pick(&TEMPLATES)?;
    if rng.chance(60) || one.program.functions.iter().any(lists) { Some(one) } else { rng.pick(&TEMPLATES) }
}

/// A template, mostly changed a little. One time in three, of those with helpers, a helper is what is to be learned.
fn template(rng: &mut Rng) -> Option<(Program, usize)> {
    let mut picked = pick(rng)?;
    // Functions that call themselves are a kind of their own, of which there are few.
    if rng.chance(12) {
        let recursive =
            |t: &&Template| t.program.functions.last().is_some_and(|f| f.calls(&|name| *name == f.name));
        picked = (0..8).filter_map(|_| rng.pick(&TEMPLATES)).find(recursive).unwrap_or(picked);
    }
    let mut program = fill::template(&picked.program, rng);
    let last = program.functions.len().checked_sub(1)?;
    let function = if last > 0 && rng.chance(30) { rng.below(last) } else { last };
    if rng.chance(70) {
        let changes = 1 + rng.below(3);
        vary::function(&mut program, function, changes, rng);
    }
    Some((program, function))
}

/// A function alone from a template of one function, with all of its variables' names ending in `suffix`.
fn alone(suffix: &str, rng: &mut Rng) -> Option<Function> {
    let Template { program } = pick(rng)?;
    if program.functions.len() > 1 || !program.constants.is_empty() {
        return None;
    }
    let mut program = fill::template(program, rng);
    if rng.chance(50) {
        vary::function(&mut program, 0, 1, rng);
    }
    let mut function = program.functions.pop()?;
    function.rename(&|name| Some(format!("{name}{suffix}").into()));
    Some(function)
}

/// A free function, with functions to call in one case of three.
fn free(size: Size, rng: &mut Rng) -> (Program, usize) {
    let (mut program, mut scope) = (Program::default(), Scope::default());
    if rng.chance(35) {
        for i in 0..1 + rng.weighted(&[60, 30, 10]) {
            let helper = helper(&format!("g{i}").into(), rng, &mut scope);
            scope.functions.push(Signature::of(&helper));
            program.functions.push(helper);
        }
    }
    let called = |f: &Function| program.functions.is_empty() || f.calls(&|name| name.starts_with('g'));
    let mut function = functions::function("f", size, rng, &mut scope);
    for _ in 0..10 {
        if sense::everything_is_used(&function) && called(&function) {
            break;
        }
        function = functions::function("f", size, rng, &mut scope);
    }
    let at = rng.below(program.functions.len() + 1);
    program.functions.insert(at, function);
    (program, at)
}

fn helper(name: &Name, rng: &mut Rng, scope: &mut Scope) -> Function {
    if rng.chance(50)
        && let Some(mut function) = alone("", rng)
        && function_words(&function) < 70
    {
        function.redirect("f", name);
        function.name = name.clone();
        return function;
    }
    functions::function(name, Size::Small, rng, scope)
}

/// Two templates one behind the other, the second working on what the first was given or has found.
fn chained(rng: &mut Rng) -> Option<(Program, usize)> {
    let itself = |name: &Name| &**name == "f";
    let (first, mut second) = (alone("_a", rng)?, alone("_b", rng)?);
    if first.calls(&itself) || second.calls(&itself) {
        return None;
    }
    let Function { mut params, mut body, result, .. } = first;
    // A return in the middle ends the whole: it must give what the whole gives.
    let Some(Stmt::Return(found)) = body.pop() else { return None };
    let returns = body.iter().any(|s| s.any(&mut |s| matches!(s, Stmt::Return(_))));
    if block_ends(&body) || returns && result.ty != second.result.ty {
        return None;
    }
    let between: Name = "found_".into();
    let declared =
        result.ty.is_list().then(|| TypeNode { ty: result.ty, capacity: Some(Box::new(Expr::Int(64))) });
    body.push(Stmt::Let(between.clone(), declared, found));
    // What the second is given: the first's finding, the first's parameters, or parameters of its own.
    let mut given: Vec<(Name, Ty)> = params.iter().map(|(name, ty)| (name.clone(), ty.ty)).collect();
    given.push((between.clone(), result.ty));
    let mut used = false;
    for (name, ty) in std::mem::take(&mut second.params) {
        let of: Vec<&Name> = given.iter().filter(|(_, t)| *t == ty.ty).map(|(name, _)| name).collect();
        let last = of.last().filter(|n| !used && ***n == between);
        match last.copied().or_else(|| rng.pick(&of).copied()).filter(|_| rng.chance(85)).cloned() {
            Some(of) => {
                used |= of == between;
                given.retain(|(name, _)| *name != of);
                second.rename(&|n| (*n == name).then(|| of.clone()));
            }
            None => params.push((name, ty)),
        }
    }
    body.append(&mut second.body);
    if !used {
        // The finding goes into the result, if it can.
        match body.last_mut() {
            Some(Stmt::Return(value)) if result.ty == Ty::Int && second.result.ty == Ty::Int => {
                let op = *rng.pick(&[Plus, Minus, Star]).unwrap_or(&Plus);
                let old = std::mem::replace(value, Expr::Bool(false));
                *value = if rng.chance(50) {
                    binary(op, old, var(&between))
                } else {
                    binary(op, var(&between), old)
                };
            }
            _ => return None,
        }
    }
    let function = Function { name: "f".into(), params, result: second.result, body };
    Some((Program { constants: vec![], functions: vec![function] }, 0))
}

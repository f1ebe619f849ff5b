//! Drafts of programs: a template, a free function, or two templates chained into one function.

use super::functions::{self, Size};
use super::scope::{Scope, Signature};
use super::templates::{TEMPLATES, Template};
use super::tree::{Expr, Function, Name, Program, Stmt, Ty, TypeNode, binary, block_ends, var};
use super::{Level, fill, function_words, sense, vary};
use crate::lang::random::Rng;
use crate::lang::token::TokenKind::{Minus, Plus, Star};

/// Returns a program and the index of the function to be learned.
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

/// Picks a template. Templates with lists are picked more often, because people write such functions more
/// often.
fn pick(rng: &mut Rng) -> Option<&'static Template> {
    let lists = |f: &Function| f.result.ty.is_list() || f.params.iter().any(|(_, ty)| ty.ty.is_list());
    let one = rng.pick(&TEMPLATES)?;
    if rng.chance(60) || one.program.functions.iter().any(lists) { Some(one) } else { rng.pick(&TEMPLATES) }
}

/// Returns a template, usually slightly changed. If it has helpers, a helper is the function to be learned in
/// 30 % of the cases.
fn template(rng: &mut Rng) -> Option<(Program, usize)> {
    let mut picked = pick(rng)?;
    // Pick recursive functions more often, because they are a kind of their own with few templates.
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

/// Returns the function of a template that has only one, with `suffix` appended to the names of all its
/// variables.
fn single_function_template(suffix: &str, rng: &mut Rng) -> Option<Function> {
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

/// Returns a program with a free function, which has functions to call in 35 % of the cases.
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
        if sense::all_variables_used(&function) && called(&function) {
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
        && let Some(mut function) = single_function_template("", rng)
        && function_words(&function) < 70
    {
        function.redirect("f", name);
        function.name = name.clone();
        return function;
    }
    functions::function(name, Size::Small, rng, scope)
}

/// Chains two templates: the second works on the parameters or the result of the first.
fn chained(rng: &mut Rng) -> Option<(Program, usize)> {
    let itself = |name: &Name| &**name == "f";
    let (first, mut second) = (single_function_template("_a", rng)?, single_function_template("_b", rng)?);
    if first.calls(&itself) || second.calls(&itself) {
        return None;
    }
    let Function { mut params, mut body, result, .. } = first;
    // An early return ends the chained function, so it must have its result type.
    let Some(Stmt::Return(found)) = body.pop() else { return None };
    let returns = body.iter().any(|s| s.any(&mut |s| matches!(s, Stmt::Return(_))));
    if block_ends(&body) || returns && result.ty != second.result.ty {
        return None;
    }
    let between: Name = "found_".into();
    let declared =
        result.ty.is_list().then(|| TypeNode { ty: result.ty, capacity: Some(Box::new(Expr::Int(64))) });
    body.push(Stmt::Let(between.clone(), declared, found));
    // The arguments of the second: the first's result, the first's parameters, or parameters of its own.
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
        // Combine the first's result with the second's, if possible.
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

//! Replaces short circuits without side effects by selections.
//!
//! naga's front end compiles every `&&` and `||` to control flow: an `if` with one branch that computes the
//! right operand into a local variable and one that sets the variable to a literal. Shaders contain long
//! chains of such conditions about tokens and instructions. Drivers for processors pay for each branch:
//! SwiftShader takes 23.7 GB of memory to compile one of our entry points and never finishes others.
//!
//! If the right operand only reads and computes, this pass always evaluates it and selects the result. It may
//! then read out of the range that the left operand checks. Such reads are safe in every backend, because
//! bounds are checked or the access is robust, and their values are not used.

use std::collections::HashSet;

use wgpu::naga::{Block, Expression, Function, Handle, Literal, Module, Span, Statement};

/// Functions that only read and compute, in bounded time.
type Pure = HashSet<Handle<Function>>;

/// Rewrites all functions and entry points. Returns the number of replaced short circuits.
pub fn select_without_branches(module: &mut Module) -> usize {
    let (mut pure, mut made) = (Pure::new(), 0);
    let handles: Vec<Handle<Function>> = module.functions.iter().map(|(handle, _)| handle).collect();
    // Functions come after their callees.
    for handle in handles {
        let function = module.functions.get_mut(handle);
        if is_pure(&function.body, function, &pure) {
            pure.insert(handle);
        }
        made += rewrite_function(function, &pure);
    }
    for point in &mut module.entry_points {
        made += rewrite_function(&mut point.function, &pure);
    }
    made
}

/// Whether a block writes only local variables and has no loops.
fn is_pure(block: &Block, function: &Function, pure: &Pure) -> bool {
    block.iter().all(|statement| match statement {
        Statement::Emit(_) | Statement::Return { .. } | Statement::Break => true,
        Statement::Store { pointer, .. } => is_local(*pointer, function),
        Statement::Call { function: callee, .. } => pure.contains(callee),
        Statement::Block(block) => is_pure(block, function, pure),
        Statement::If { accept, reject, .. } => {
            is_pure(accept, function, pure) && is_pure(reject, function, pure)
        }
        Statement::Switch { cases, .. } => cases.iter().all(|case| is_pure(&case.body, function, pure)),
        _ => false,
    })
}

/// Whether a pointer leads into a local variable.
fn is_local(mut pointer: Handle<Expression>, function: &Function) -> bool {
    loop {
        match function.expressions[pointer] {
            Expression::LocalVariable(_) => return true,
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = base,
            _ => return false,
        }
    }
}

fn rewrite_function(function: &mut Function, pure: &Pure) -> usize {
    let mut body = std::mem::take(&mut function.body);
    let made = rewrite(&mut body, function, pure);
    function.body = body;
    made
}

/// Rewrites a block, inner statements first. Returns the number of replaced short circuits.
fn rewrite(block: &mut Block, function: &mut Function, pure: &Pure) -> usize {
    let mut made = 0;
    for (mut statement, span) in std::mem::take(block).span_into_iter() {
        match &mut statement {
            Statement::Block(inner) => made += rewrite(inner, function, pure),
            Statement::Loop { body, continuing, .. } => {
                made += rewrite(body, function, pure) + rewrite(continuing, function, pure);
            }
            Statement::Switch { cases, .. } => {
                made += cases.iter_mut().map(|case| rewrite(&mut case.body, function, pure)).sum::<usize>();
            }
            Statement::If { condition, accept, reject } => {
                made += rewrite(accept, function, pure) + rewrite(reject, function, pure);
                if let Some(found) = ShortCircuit::of(*condition, accept, reject, function, pure) {
                    found.select(block, function, span);
                    made += 1;
                    continue;
                }
            }
            _ => {}
        }
        block.push(statement, span);
    }
    made
}

/// An `if` compiled from `&&` or `||`, whose right operand has no side effects.
struct ShortCircuit {
    condition: Handle<Expression>,
    /// The variable for the result.
    variable: Handle<Expression>,
    /// The right operand, its statements, and whether they are in the branch of a true condition.
    value: Handle<Expression>,
    computing: Block,
    on_true: bool,
    /// The result if the right operand is not needed.
    literal: Handle<Expression>,
}

impl ShortCircuit {
    /// Recognizes an `if` as a short circuit, and takes the statements out of its branches.
    fn of(
        condition: Handle<Expression>,
        accept: &mut Block,
        reject: &mut Block,
        function: &Function,
        pure: &Pure,
    ) -> Option<ShortCircuit> {
        let on_true = literal_of(reject, function).is_some();
        let (computing, other) = if on_true { (accept, reject) } else { (reject, accept) };
        let (result, literal) = literal_of(other, function)?;
        let (variable, value) = computed(computing, function, pure)?;
        if temporary(variable, function) != Some(result) {
            return None;
        }
        // The last statement, which stores the operand, is dropped.
        let mut statements = Block::new();
        let count = computing.len().saturating_sub(1);
        for (statement, span) in std::mem::take(computing).span_into_iter().take(count) {
            statements.push(statement, span);
        }
        Some(ShortCircuit { condition, variable, value, computing: statements, on_true, literal })
    }

    /// Appends the operand's computation and a store of the selected value.
    fn select(mut self, block: &mut Block, function: &mut Function, span: Span) {
        block.append(&mut self.computing);
        let (accept, reject) =
            if self.on_true { (self.value, self.literal) } else { (self.literal, self.value) };
        let before = function.expressions.len();
        let value =
            function.expressions.append(Expression::Select { condition: self.condition, accept, reject }, span);
        block.push(Statement::Emit(function.expressions.range_from(before)), span);
        block.push(Statement::Store { pointer: self.variable, value }, span);
    }
}

type SelectionVariable = Handle<wgpu::naga::LocalVariable>;

/// Returns the local variable that an expression denotes, if the shader's text does not name it.
fn temporary(pointer: Handle<Expression>, function: &Function) -> Option<SelectionVariable> {
    match function.expressions[pointer] {
        Expression::LocalVariable(variable) if function.local_variables[variable].name.is_none() => {
            Some(variable)
        }
        _ => None,
    }
}

/// Returns the variable and the value of a branch that only sets a temporary variable to a literal.
fn literal_of(block: &Block, function: &Function) -> Option<(SelectionVariable, Handle<Expression>)> {
    let [Statement::Store { pointer, value }] = **block else { return None };
    let is_bool = matches!(function.expressions[value], Expression::Literal(Literal::Bool(_)));
    temporary(pointer, function).filter(|_| is_bool).map(|variable| (variable, value))
}

/// Returns the pointer and the value of the last store of a branch without side effects. Earlier statements
/// may only set temporary variables.
fn computed(
    block: &Block,
    function: &Function,
    pure: &Pure,
) -> Option<(Handle<Expression>, Handle<Expression>)> {
    let (Statement::Store { pointer, value }, before) = block.split_last()? else { return None };
    let harmless = |statement: &Statement| match statement {
        Statement::Emit(_) => true,
        Statement::Store { pointer, .. } => temporary(*pointer, function).is_some(),
        Statement::Call { function: callee, .. } => pure.contains(callee),
        _ => false,
    };
    before.iter().all(harmless).then_some((*pointer, *value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::naga::front::wgsl::parse_str;

    /// Returns how many short circuits are replaced, and how many branches remain in the entry point.
    fn rewritten(text: &str) -> (usize, usize) {
        let mut module = parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
        let made = select_without_branches(&mut module);
        (made, branches(&module.entry_points[0].function.body))
    }

    fn branches(block: &Block) -> usize {
        block
            .iter()
            .map(|statement| match statement {
                Statement::If { accept, reject, .. } => 1 + branches(accept) + branches(reject),
                Statement::Block(block) => branches(block),
                Statement::Loop { body, continuing, .. } => branches(body) + branches(continuing),
                _ => 0,
            })
            .sum()
    }

    fn entry(declarations: &str, condition: &str) -> String {
        format!(
            "@group(0) @binding(0) var<storage, read_write> words: array<u32>;\n{declarations}\n\
             @compute @workgroup_size(1) fn main() {{ let n = words[1]; words[0] = u32({condition}); }}"
        )
    }

    #[test]
    fn operands_that_only_read_become_selections() {
        let pure = "fn at(i: u32) -> bool { if i > 9u { return false; } return words[i] == 3u; }";
        for (condition, circuits) in [
            ("n > 1u && words[n] == 2u", 1),
            ("n > 1u || words[n] == 2u || n == 7u", 2),
            ("n == 1u || (n == 2u && words[n] > 1u) || (n != 3u && at(n) && !at(n + 1u))", 5),
        ] {
            assert_eq!(rewritten(&entry(pure, condition)), (circuits, 0), "{condition}");
        }
    }

    #[test]
    fn operands_with_effects_or_loops_stay_branches() {
        for declaration in [
            "fn f(i: u32) -> bool { words[2] = i; return true; }",
            "var<private> p: u32; fn f(i: u32) -> bool { p = i; return p == 1u; }",
            "var<workgroup> a: atomic<u32>; fn f(i: u32) -> bool { return atomicAdd(&a, i) == 0u; }",
            "fn f(i: u32) -> bool { for (var k = i; k < words[3]; k++) { if words[k] == 1u { return true; } } return false; }",
            "fn g(i: u32) { words[2] = i; } fn f(i: u32) -> bool { g(i); return true; }",
        ] {
            assert_eq!(rewritten(&entry(declaration, "n > 1u && f(n)")), (0, 1), "{declaration}");
        }
    }

    #[test]
    fn explicit_if_statement_stays_a_branch() {
        let text = entry("", "n > 1u").replace(
            "words[0] =",
            "var b = false; if n > 2u { b = words[n] > 1u; } else { b = true; } words[4] = u32(b); words[0] =",
        );
        assert_eq!(rewritten(&text), (0, 1));
    }
}

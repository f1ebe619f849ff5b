//! Explanations of the nodes of the syntax tree, which are the rules of the grammar.

use crate::compiler::program::Compiled;
use crate::lang::role::Role;

pub const SYNTAX: &str = "syntax";

/// Each node: a summary, and more about it.
const NODES: [(Role, &str, &str); 37] = [
    (
        Role::Fn,
        "a function: `fn NAME(PARAMETERS) -> TYPE { STATEMENTS }`",
        "A function returns a value on every path. Its result depends only on its arguments.",
    ),
    (
        Role::Const,
        "a constant: `const NAME = VALUE;`",
        "The value is computed when the program is compiled. Constants can be used before their declaration.",
    ),
    (
        Role::Test,
        "a test: `test \"NAME\": CONDITION;`",
        "The test passes if the condition is true. The name can be left out.",
    ),
    (
        Role::Prop,
        "a property: `prop \"NAME\": n in 0..9 if CONDITION => CLAIM;`",
        "The claim must be true for every value that the names take, if they meet the condition. The name and the condition can be left out.",
    ),
    (Role::Label, "the name of a test or property", "Results are listed under this name."),
    (
        Role::FnName,
        "the name of a function, where it is declared",
        "All functions of a program can be called from everywhere in it.",
    ),
    (
        Role::Param,
        "a parameter: `NAME: TYPE`",
        "It has the value of an argument of the call, and can be assigned like a variable. The caller's value stays as it is.",
    ),
    (
        Role::ConstName,
        "the name of a constant, where it is declared",
        "All constants of a program can be used everywhere in it.",
    ),
    (
        Role::LetName,
        "the name of a variable, where it is declared",
        "It can be used from the end of its `let` to the end of the block around it.",
    ),
    (
        Role::LoopVar,
        "the variable of a `for` loop",
        "It takes the next number or element in each round, and can be used in the loop's body.",
    ),
    (
        Role::Binder,
        "a name that a property ranges over: `n in 0..9`, or `xs in [0..9; 4]` for lists",
        "The property is run on many values within these bounds.",
    ),
    (
        Role::TypeInt,
        "the type of whole numbers",
        "They have 32 bits: the greatest is 2147483647, and one more is -2147483648.",
    ),
    (Role::TypeBool, "the type of `true` and `false`", "Comparisons have this type, and conditions need it."),
    (
        Role::TypeList,
        "the type of lists: `[int; 8]`",
        "The number is the capacity, the greatest length. Lists are values: an assignment copies them.",
    ),
    (Role::Block, "statements in braces", "A variable that is declared in a block ends with it."),
    (
        Role::Let,
        "the declaration of a variable: `let NAME = VALUE;`",
        "The type follows from the value, or is written after the name: `let xs: [int; 8] = [];`.",
    ),
    (
        Role::Assign,
        "an assignment: `a = VALUE;`, `xs[i] = VALUE;`, `a += VALUE;`",
        "The value is computed first, then stored.",
    ),
    (
        Role::If,
        "a choice: `if CONDITION { … } else { … }`",
        "Without `else`, nothing is done if the condition is false.",
    ),
    (
        Role::While,
        "a loop: `while CONDITION { … }`",
        "The condition is computed before each round. If it is never false, the run ends at the step limit.",
    ),
    (
        Role::For,
        "a loop over numbers or elements: `for i in 0..n { … }`, `for x in xs { … }`",
        "Bounds and list are computed once, before the first round. `..=` includes the upper bound.",
    ),
    (Role::Break, "leaves the innermost loop", "The run continues after the loop."),
    (Role::Continue, "ends this round of the innermost loop", "The next round follows, if there is one."),
    (Role::Return, "ends the function with a value: `return VALUE;`", "The run continues in the caller."),
    (Role::Broken, "a statement with an error", "It has no code. The Diagnostics panel says what is wrong."),
    (Role::Int, "a number, or a character such as `'a'`", "A character is its number in Unicode."),
    (Role::Bool, "`true` or `false`", "Conditions are compared with neither: `if found` is enough."),
    (Role::Str, "a string: the list of its characters' numbers", "`\"ab\"` is `[97, 98]`."),
    (
        Role::Var,
        "the use of a variable, parameter or constant",
        "The innermost declaration with this name that is in scope counts.",
    ),
    (
        Role::Call,
        "a call: `f(a, b)`",
        "The arguments are computed from left to right, then the function runs. `len`, `abs`, `min`, `max` and `int` are built in.",
    ),
    (
        Role::Group,
        "parentheses around an expression",
        "They say what belongs together, and have no code of their own.",
    ),
    (
        Role::Index,
        "an element of a list: `xs[i]`",
        "The first index is 0. An index that is negative, or not less than the length, is a trap.",
    ),
    (
        Role::Slice,
        "a part of a list: `xs[a..b]`",
        "It begins with element `a` and ends before element `b`. Bounds outside of the list are a trap.",
    ),
    (Role::List, "a list of its elements: `[a, b]`", "All elements have one type."),
    (Role::Repeat, "a list of equal elements: `[0; 3]`", "The number of elements is a constant."),
    (
        Role::Unary,
        "an operator before its operand: `-a`, `!a`, `~a`",
        "It binds more strongly than any operator between two operands.",
    ),
    (
        Role::Binary,
        "an operator between two operands: `a + b`",
        "The left operand is computed first. `&&` and `||` compute the right one only if the left one does not decide.",
    ),
    (
        Role::Hole,
        "an operand that is not written yet: `?`",
        "It has the type that its place requires. A run that arrives there ends: the test is unfinished.",
    ),
];

/// A program that is not finished, for what no other program has.
pub const UNFINISHED: &str = "fn f(a: int) -> int { return a + ?; }\n";
/// A program with an error, for the one node that no correct program has.
const BROKEN: &str = "fn f(a: int) -> int {\n    a + 1;\n    return a;\n}\n";

/// Returns the name, the summary and the text of each node.
pub fn nodes() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    NODES.iter().map(|(role, summary, text)| (role.ident(), *summary, *text))
}

pub fn names() -> impl Iterator<Item = &'static str> {
    NODES.iter().map(|(role, ..)| role.ident())
}

/// Returns the first program with a node of this name, and the node as written.
pub fn example(
    name: &str,
    programs: &[&'static str],
    compile: impl Fn(&str) -> Compiled,
) -> Option<(&'static str, String)> {
    let role = NODES.iter().map(|(role, ..)| *role).find(|role| role.ident() == name)?;
    let programs = programs.iter().copied().chain([UNFINISHED, BROKEN]);
    programs.into_iter().find_map(|text| {
        let program = compile(text);
        let view = program.view();
        let node = view.nodes().find(|t| view.is(*t, role))?;
        let span = view.extent_span(node)?;
        Some((text, format!("{}\n", text.get(span)?)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_a_page() {
        for role in Role::ALL.iter().filter(|role| **role != Role::None) {
            assert!(names().any(|name| name == role.ident()), "{} has no page", role.ident());
        }
    }
}

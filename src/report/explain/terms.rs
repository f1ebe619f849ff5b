//! Explanations of instructions, traps, mutation operators and nodes of the syntax tree for `myriad explain`. Their tables say what they are, and
//! the first of a few example programs that has one shows it.

use crate::compiler::program::Compiled;
use crate::compiler::stage::compile_at;
use crate::compiler::variants::Variants;
use crate::lang::index::{Index, MutantId};
use crate::lang::level::OptLevel;
use crate::lang::mutation::{Group, Operator};
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;
use crate::report::listing;

use super::syntax::{self, SYNTAX};

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct TermPage {
    pub kind: &'static str,
    pub name: &'static str,
    pub summary: String,
    /// More about it, as Markdown; may be empty.
    pub text: String,
    /// A program that has it; empty for an instruction that no program has.
    pub example: String,
    /// Where the example has it: code, or changed lines.
    pub shown: String,
}

/// Programs that together have all instructions and operators.
const EXAMPLES: [&str; 14] = [
    "fn f(a: int, b: int) -> int {\n    if a < b && b != 0 { return a / b; }\n    return (a + b) % 7 - a * 2;\n}\ntest f(6, 3) == -10;\n",
    "fn f(a: int, b: int) -> int {\n    if a <= b || a > 100000000 { return a & b; }\n    return (a | b) ^ (a << 2) ^ (b >> 1);\n}\ntest f(1, 3) == 1;\n",
    "fn f(a: int) -> int {\n    let r = 0;\n    for i in 0..a {\n        if i == 3 { continue; }\n        if r > 50 { break; } else { r += i; }\n    }\n    return r;\n}\ntest f(5) == 7;\n",
    "fn f(a: int) -> int {\n    let r = 0;\n    for i in 1..=a { r += min(i, abs(-i)); }\n    return max(r, ~a);\n}\ntest f(3) == 6;\n",
    "fn f(xs: [int; 8]) -> int {\n    let r = 0;\n    for x in xs { r += x; }\n    return r + len(xs);\n}\ntest f([1, 2]) == 5;\n",
    "fn f(xs: [int; 8], i: int) -> [int; 8] {\n    let ys = xs;\n    ys[i] += 1;\n    return ys[0..i + 1] + [9, 9];\n}\ntest f([1, 2, 3], 1) == [1, 3, 9, 9];\n",
    "fn f(a: int, b: int) -> bool {\n    let pair = [a, b];\n    if pair == [1, 2] || pair != [b, a] { return true; }\n    return !(a == b);\n}\ntest f(1, 2);\n",
    "fn square(a: int) -> int { return a * a; }\nfn f(a: int, b: int) -> int {\n    while a >= b { a -= square(b); }\n    return a;\n}\ntest f(9, 2) == 1;\n",
    "fn f(i: int) -> int {\n    let zeros = [0; 3];\n    zeros[i] = [5, 6, 7][i];\n    return zeros[i] + len(zeros + [1]) + len((zeros + zeros)[1..3]);\n}\ntest f(1) == 12;\n",
    "fn fill(n: int, a: int) -> [int; 8] { return [a; 4][0..n] + [n]; }\nfn f(n: int) -> int { return len(fill(n, 3)) + fill(n, 1)[0]; }\ntest f(2) == 4;\n",
    "fn is_vowel(letter: int) -> bool {\n    for v in \"aeiou\" { if v == letter { return true; } }\n    return false;\n}\ntest is_vowel('e');\n",
    "fn both(a: int, b: int) -> int { return a - b; }\nfn f(a: int, b: int) -> int {\n    let low = a;\n    let high = b;\n    if low > high { low = b; high = a; }\n    return both(high, low);\n}\ntest f(7, 3) == 4;\n",
    "fn f(xs: [int; 8], n: int) -> [int; 8] {\n    let out: [int; 8] = [];\n    let last = 0;\n    for x in xs {\n        last = x + n;\n        out = out + [last];\n    }\n    return out + xs[0..n];\n}\ntest f([1, 2], 1) == [2, 3, 1];\n",
    "const LIMIT = 3;\nfn least(a: int, b: bool) -> int {\n    if b == true { return a; }\n    return min(a, LIMIT);\n}\nprop \"bounded\": a in 0..9 if a > 1 => least(a, false) <= LIMIT;\n",
];

/// Each trap: when it happens, what to do about it, and a program that ends in it.
const TRAPS: [(Trap, &str, &str, &str); 7] = [
    (
        Trap::DivideByZero,
        "the divisor of `/` or `%` is 0",
        "Test the divisor first, as in `b != 0 && a / b > 2`: `&&` does not compute its right side if the left one is false.",
        "fn mean(sum: int, count: int) -> int { return sum / count; }\ntest mean(0, 0) == 0;\n",
    ),
    (
        Trap::IndexOutOfBounds,
        "an index is not in `0..len(xs)`, or a slice `a..b` is not within `0..=len(xs)` with `a <= b`",
        "Indices count from 0, and negative ones do not count from the end: the last element is `xs[len(xs) - 1]`.",
        "fn last(xs: [int; 4]) -> int { return xs[len(xs)]; }\ntest last([1, 2]) == 2;\n",
    ),
    (
        Trap::CapacityExceeded,
        "a list is longer than the capacity of the variable, parameter or result that takes it",
        "The capacity is the number in its type, `[int; 4]`, or the greatest one if the type is `[int]`. Take a larger one, or a slice of the list.",
        "fn twice(xs: [int; 4]) -> [int; 4] { return xs + xs; }\ntest len(twice([1, 2, 3])) == 6;\n",
    ),
    (
        Trap::RecursionTooDeep,
        "a call would be the 129th that has not returned yet",
        "Most often a condition that ends the recursion is missing. If not, a loop does the same without a limit.",
        "fn down(n: int) -> int { return down(n - 1); }\ntest down(3) == 0;\n",
    ),
    (
        Trap::OutOfMemory,
        "the variables of all calls that have not returned yet need more than 4,096 words",
        "A list variable takes one word more than its capacity. Lists with smaller capacities, or fewer nested calls, need less.",
        "fn deep(n: int, xs: [int; 64]) -> int {\n    let ys = xs;\n    if n == 0 { return len(ys); }\n    return deep(n - 1, ys);\n}\ntest deep(100, [1]) == 1;\n",
    ),
    (
        Trap::StepLimit,
        "the run has executed as many instructions as it may",
        "Most often a loop never ends: its condition stays true, or its variable does not change. The Run panel shows from which step on the run repeats itself.",
        "fn count(n: int) -> int {\n    let i = 0;\n    while i < n { n += 1; }\n    return i;\n}\ntest count(1) == 1;\n",
    ),
    (
        Trap::Hole,
        "the run arrives at a place that is not finished: a `?`, a statement with an error, or the end of a body that is not closed",
        "Finish the place. What the run does before it counts as usual.",
        "fn half(n: int) -> int { return n / ?; }\ntest half(4) == 2;\n",
    ),
];

impl TermPage {
    /// Returns the pages of all terms, without examples of instructions and operators.
    pub fn all() -> Vec<TermPage> {
        let instructions = Op::ALL.iter().map(|op| instruction(*op));
        let traps = TRAPS.iter().map(|entry| trap(*entry));
        let operators = Operator::ALL.iter().map(|own| operator(*own));
        instructions.chain(traps).chain(operators).chain(syntax::nodes().map(node)).collect()
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        let traps = TRAPS.iter().map(|(trap, ..)| trap.ident());
        let operators = Operator::ALL.iter().map(|own| own.name());
        Op::ALL.iter().map(|op| op.name()).chain(traps).chain(operators).chain(syntax::names())
    }

    /// Returns the pages of all terms with this name, in any case. An instruction and an operator may share one.
    pub fn of(name: &str) -> Vec<TermPage> {
        let mut pages: Vec<TermPage> =
            TermPage::all().into_iter().filter(|page| page.name.eq_ignore_ascii_case(name)).collect();
        for page in &mut pages {
            if page.example.is_empty()
                && let Some((example, shown)) = page.find_example()
            {
                (page.example, page.shown) = (example.into(), shown);
            }
        }
        pages
    }

    pub fn markdown(&self) -> String {
        let TermPage { kind, name, summary, text, example, shown } = self;
        let mut page = format!("# {name}, {kind}: {summary}\n\n");
        if !text.is_empty() {
            page += &format!("{text}\n\n");
        }
        if !example.is_empty() {
            page += &format!("```myr\n{example}```\n");
        }
        if !shown.is_empty() {
            page += &format!("\n```text\n{shown}```\n");
        }
        page
    }

    fn find_example(&self) -> Option<(&'static str, String)> {
        if self.kind == SYNTAX {
            return syntax::example(self.name, &EXAMPLES, |text| compile_at(OptLevel::Lowered, text));
        }
        let op = Op::ALL.iter().find(|op| self.kind == INSTRUCTION && op.name() == self.name);
        let own = Operator::ALL.iter().find(|own| self.kind == OPERATOR && own.name() == self.name);
        // The least level at which some example has the instruction.
        let programs = || EXAMPLES.into_iter().chain([syntax::UNFINISHED]);
        OptLevel::FIXED.iter().flat_map(|level| programs().map(|text| (*level, text))).find_map(
            |(level, text)| {
                let program = compile_at(level, text);
                let shown = match (op, own) {
                    (Some(op), _) => code_with(&program, *op)?,
                    (_, Some(own)) => change_by(program, *own)?,
                    _ => return None,
                };
                Some((text, shown))
            },
        )
    }
}

const INSTRUCTION: &str = "instruction";
const OPERATOR: &str = "mutation operator";

fn instruction(op: Op) -> TermPage {
    let summary = match op.note() {
        "" => format!("operands `{}`", op.effect_text()),
        note => note.into(),
    };
    let text = format!(
        "Operands on the stack, before `->` and after it: `{}`. [docs/bytecode.md](docs/bytecode.md) has all instructions.",
        op.effect_text()
    );
    TermPage { kind: INSTRUCTION, name: op.name(), summary, text, example: String::new(), shown: String::new() }
}

fn trap((trap, summary, text, example): (Trap, &str, &str, &str)) -> TermPage {
    TermPage {
        kind: "trap",
        name: trap.ident(),
        summary: summary.into(),
        text: text.into(),
        example: example.into(),
        shown: String::new(),
    }
}

fn operator(own: Operator) -> TermPage {
    let set = match own.group() {
        Group::Default => "It belongs to the default operators.".into(),
        group => format!("It belongs to the group {} (`mutate --operators {0}`).", group.name()),
    };
    TermPage {
        kind: OPERATOR,
        name: own.name(),
        summary: own.summary().into(),
        text: format!("{set} A mutant that survives says: {}", own.why()),
        example: String::new(),
        shown: String::new(),
    }
}

fn node((name, summary, text): (&'static str, &str, &str)) -> TermPage {
    TermPage {
        kind: SYNTAX,
        name,
        summary: summary.into(),
        text: text.into(),
        example: String::new(),
        shown: String::new(),
    }
}

/// Returns the listing of the first function that has an instruction.
fn code_with(program: &Compiled, op: Op) -> Option<String> {
    let lines = listing::bytecode(program);
    let at = lines.iter().position(|line| line.op == op.name())?;
    let from = lines[..=at].iter().rposition(|line| line.heading.is_some()).unwrap_or(0);
    let behind = lines[at + 1..].iter().position(|line| line.heading.is_some());
    Some(listing::page(&lines[from..behind.map_or(lines.len(), |n| at + 1 + n)]))
}

/// Returns the first change that an operator makes, as the lines before and after it.
fn change_by(mut program: Compiled, own: Operator) -> Option<String> {
    program.group = own.group();
    let variants = Variants::new(&program);
    let mut ids = (0..variants.first_order()).map(MutantId::new);
    let id = ids.find(|id| variants.edits(*id).is_some_and(|edits| edits.first.operator == own))?;
    let (before, after) = (variants.text().to_string(), variants.source(id)?);
    let diff = similar::TextDiff::from_lines(&before, &after);
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    Some(changed.map(|change| format!("{} {}", change.tag(), change.value())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::verdict::Outcome;
    use engine::Engine;
    use engine::cpu::CpuEngine;

    #[test]
    fn every_instruction_and_operator_has_an_example() {
        for page in TermPage::all() {
            let found =
                TermPage::of(page.name).into_iter().find(|own| own.kind == page.kind).expect("its page");
            // No program has it.
            if page.name == Op::Nop.name() {
                assert_eq!(found.example, "");
                continue;
            }
            assert!(!found.example.is_empty(), "no example has {}: add one to EXAMPLES", page.name);
            let markdown = found.markdown();
            assert!(markdown.contains(page.name) && markdown.contains(&found.example), "{markdown}");
            if page.kind != "trap" {
                assert!(!found.shown.is_empty(), "{}", page.name);
            }
        }
        assert!(TermPage::of("load_var").len() == 1 && TermPage::of("jump").len() == 2);
        assert!(TermPage::of("call").len() == 2 && TermPage::of("while").len() == 1);
        assert_eq!(TermPage::of("jumpp"), []);
    }

    #[test]
    fn examples_compile_and_pass_and_those_of_traps_end_in_them() {
        let mut engine = CpuEngine::new();
        let mut outcomes = |text: &str| -> Vec<Outcome> {
            let base = engine.base(&text.into(), &|| false).expect("not cancelled");
            base.entries.iter().map(|entry| entry.outcome).collect()
        };
        for text in EXAMPLES {
            assert_eq!(outcomes(text), [Outcome::Pass], "{text}");
        }
        assert_eq!(TRAPS.map(|(trap, ..)| trap)[..], Trap::ALL[1..], "each trap has an example");
        for (trap, _, _, text) in TRAPS {
            assert_eq!(outcomes(text), [Outcome::Trap(trap)], "{text}");
        }
    }
}

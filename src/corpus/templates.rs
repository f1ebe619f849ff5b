//! Templates: idioms written in the language itself, with holes.
//!
//! A file of `idioms/` holds programs separated by lines of `---`. The last function of each is the one to be
//! learned; the others are those that it calls. A hole is a call of a name in capitals. Its replacement is
//! drawn each time the template is used:
//!
//! | hole | replacement |
//! |---|---|
//! | `INT(a, …)`, `BOOL(a, …)`, `INTS(a, …)`, `BOOLS(a, …)` | a free expression of that type about the arguments, or anything in scope |
//! | `LIT(lo, hi)` | an int literal from `lo` to `hi` |
//! | `POWER()`, `LETTER()`, `STRING()`, `LITERALS(n)` | a power of two; a letter's code; a short string; a list of n ints |
//! | `PICK(a, b, …)` | one of the arguments |
//! | `CMP(a, b)`, `ORD(a, b)`, `EQ(a, b)` | a comparison of both: any, `< <= > >=`, `== !=` |
//! | `OP(a, b)`, `SUM(a, b)`, `BIT(a, b)`, `LOGIC(a, b)` | `+ - * & \| ^`; `+ -`; `& \| ^`; `&& \|\|` of both |
//! | `TWEAK(a)` | `a`, or sometimes `a + 1`, `a - 1`, `a * 2` … |
//! | `if MAYBE() { … }`, `if MAYBE() { … } else { … }` | the statements of its block or none; those of one of its blocks |
//! | `if ALT() { … } else if ALT() { … } … else { … }` | the statements of one of its blocks |
//! | `if SHUFFLE() { … }` | its statements in any order |
//! | `STATEMENTS = n;` | up to n free statements |

use std::sync::LazyLock;

use super::read;
use super::tree::Program;

#[derive(Debug)]
pub struct Template {
    pub program: Program,
}

const FILES: &[&str] = &[
    include_str!("idioms/branches.txt"),
    include_str!("idioms/loops.txt"),
    include_str!("idioms/lists.txt"),
    include_str!("idioms/text.txt"),
    include_str!("idioms/recursion.txt"),
    include_str!("idioms/puzzles.txt"),
    include_str!("idioms/forms.txt"),
    include_str!("idioms/records.txt"),
];

/// All templates, in the order of the files.
pub static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    let programs = FILES.iter().flat_map(|file| texts(file)).filter_map(read::program);
    programs.map(|program| Template { program }).collect()
});

fn texts(file: &str) -> impl Iterator<Item = &str> {
    file.split("\n---\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_parses_and_ends_in_a_function() {
        for text in FILES.iter().flat_map(|file| texts(file)) {
            let program = read::program(text);
            assert!(program.is_some_and(|p| !p.functions.is_empty()), "does not parse:\n{text}");
        }
    }
}

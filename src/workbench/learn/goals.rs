//! The table of goals: the syntax of each and when it is reached. Words in capitals in a form are placeholders.

use std::ops::Range;

use super::format::{FormatFault, HeaderLine};
use super::goal::{Goal, GoalCode, Pattern};
use super::own::LessonItems;
use super::words::{LearnWord, holes, likeness, words};
use crate::lang::diagnostic;
use crate::lang::role::Role;
use crate::lang::trap::Trap;
use crate::report::names::nearest;
use crate::report::steps;

/// A row of the table.
pub struct GoalKind {
    pub form: &'static str,
    /// When it is reached, as a sentence without a period.
    pub holds: &'static str,
    make: fn(&[&[LearnWord]], &LessonItems) -> GoalResult,
}

type GoalResult = Result<Goal, FormatFault>;

/// All kinds of goals. If one form is the beginning of another, the longer one comes first.
pub static KINDS: &[GoalKind] = &[
    GoalKind {
        form: "tests pass",
        holds: "every test and property passes, and there is at least one",
        make: |_, _| Ok(Goal::TestsPass),
    },
    GoalKind {
        form: "no diagnostics",
        holds: "the text has no error and no warning",
        make: |_, _| Ok(Goal::NoDiagnostics),
    },
    GoalKind {
        form: "diagnostic CODE",
        holds: "the text has a diagnostic with this code",
        make: |holes, _| {
            let word = one(holes, 0);
            let code = diagnostic::Code::from_code(word.text);
            code.map(Goal::Diagnostic).ok_or_else(|| {
                FormatFault::new(word.span.clone(), format!("there is no code `{}`", word.text))
                    .help("`myriad explain` lists all codes")
            })
        },
    },
    GoalKind {
        form: "at most N tokens in FUNCTION",
        holds: "the function has at most N tokens",
        make: |holes, own| {
            Ok(Goal::Tokens { most: number(one(holes, 0))?, function: function(one(holes, 1), own)? })
        },
    },
    GoalKind {
        form: "no token `TOKEN` in FUNCTION",
        holds: "the function does not contain this token",
        make: |holes, own| token(holes, own, false),
    },
    GoalKind {
        form: "token `TOKEN` in FUNCTION",
        holds: "the function contains this token",
        make: |holes, own| token(holes, own, true),
    },
    GoalKind {
        form: "`INNER` under `OUTER` in FUNCTION",
        holds: "in the function's tree, an operator INNER is an operand of an operator OUTER; brackets do not count",
        make: |holes, own| {
            let (inner, outer) = (sign(one(holes, 0))?, sign(one(holes, 1))?);
            Ok(Goal::Under { inner, outer, function: function(one(holes, 2), own)? })
        },
    },
    GoalKind {
        form: "lowered code of FUNCTION has no INSTRUCTION",
        holds: "the function's code has no such instruction before any pass of the optimizer",
        make: |holes, own| has(holes, own, GoalCode::Lowered, false),
    },
    GoalKind {
        form: "lowered code of FUNCTION has INSTRUCTION",
        holds: "the function's code has such an instruction before any pass of the optimizer",
        make: |holes, own| has(holes, own, GoalCode::Lowered, true),
    },
    GoalKind {
        form: "bytecode of FUNCTION has no INSTRUCTION",
        holds: "the function's bytecode has no such instruction",
        make: |holes, own| has(holes, own, GoalCode::Bytecode, false),
    },
    GoalKind {
        form: "bytecode of FUNCTION has INSTRUCTION",
        holds: "the function's bytecode has such an instruction; a number after its name requires that operand",
        make: |holes, own| has(holes, own, GoalCode::Bytecode, true),
    },
    GoalKind {
        form: "at most N instructions in FUNCTION",
        holds: "the function's bytecode has at most N instructions",
        make: |holes, own| {
            Ok(Goal::Instructions { most: number(one(holes, 0))?, function: function(one(holes, 1), own)? })
        },
    },
    GoalKind {
        form: "at most N blocks in FUNCTION",
        holds: "the function has at most N basic blocks, as the CFG panel shows them",
        make: |holes, own| {
            Ok(Goal::Blocks { most: number(one(holes, 0))?, function: function(one(holes, 1), own)? })
        },
    },
    GoalKind {
        form: "fact `FACT` in FUNCTION",
        holds: "where a block begins, this is known, in the words of the CFG panel, such as `n in 0..=9`",
        make: |holes, own| {
            Ok(Goal::Fact { text: sign(one(holes, 0))?, function: function(one(holes, 1), own)? })
        },
    },
    GoalKind {
        form: "no dead store in FUNCTION",
        holds: "every value that the function stores in a variable may be read later",
        make: |holes, own| Ok(Goal::NoDeadStore { function: function(one(holes, 0), own)? }),
    },
    GoalKind {
        form: "PASS changes FUNCTION",
        holds: "at level 2, this pass or expansion changes the function's code",
        make: |holes, own| {
            Ok(Goal::Changes { pass: pass(one(holes, 0))?, function: function(one(holes, 1), own)? })
        },
    },
    GoalKind {
        form: "at most N steps in \"TEST\"",
        holds: "the lesson's test or property with this label passes, and takes at most N steps",
        make: |holes, own| {
            let label = label(one(holes, 1), own, &[Role::Test, Role::Prop])?;
            Ok(Goal::Steps { most: number(one(holes, 0))?, label })
        },
    },
    GoalKind {
        form: "at least N rules are proved",
        holds: "at least N lines `//= RULE` are proved for all values, and no such line is wrong",
        make: |holes, _| Ok(Goal::Rules { least: number(one(holes, 0))? }),
    },
    GoalKind {
        form: "at most N steps with rules in \"TEST\"",
        holds: "after the rules of the text, the lesson's test or property with this label passes, and takes at most N steps at level 0",
        make: |holes, own| {
            let label = label(one(holes, 1), own, &[Role::Test, Role::Prop])?;
            Ok(Goal::RuleSteps { most: number(one(holes, 0))?, label })
        },
    },
    GoalKind {
        form: "at most N instructions of a group in \"PROPERTY\"",
        holds: "32 threads of a device, each with one of the first inputs of the lesson's property, execute at most N instructions; \
                at each step, they execute every different instruction once",
        make: |holes, own| {
            let label = label(one(holes, 1), own, &[Role::Prop])?;
            Ok(Goal::Group { most: number(one(holes, 0))?, label })
        },
    },
    GoalKind {
        form: "input that breaks \"PROPERTY\"",
        holds: "a test of the learner's, the property's expression with values in place of its names, does not pass",
        make: |holes, own| Ok(Goal::Breaks { label: label(one(holes, 0), own, &[Role::Prop])? }),
    },
    GoalKind {
        form: "test that traps TRAP",
        holds: "a test of the learner's, which calls functions of the lesson and no others, ends in this trap; functions and \
                constants of the lesson stay",
        make: |holes, _| {
            let word = one(holes, 0);
            let trap = Trap::ALL.iter().find(|trap| **trap != Trap::None && trap.ident() == word.text);
            trap.copied().map(Goal::Traps).ok_or_else(|| {
                let all: Vec<&str> = Trap::ALL.iter().skip(1).map(|trap| trap.ident()).collect();
                FormatFault::new(word.span.clone(), format!("there is no trap `{}`", word.text))
                    .help(format!("there are {}", all.join(", ")))
            })
        },
    },
    GoalKind {
        form: "no survivors in FUNCTION",
        holds: "a test notices every first-order mutant of the function, except those that no input was found to distinguish from \
                the program; none is ignored by a comment",
        make: |holes, own| Ok(Goal::NoSurvivors { function: Some(function(one(holes, 0), own)?) }),
    },
    GoalKind {
        form: "no survivors",
        holds: "likewise for all functions",
        make: |_, _| Ok(Goal::NoSurvivors { function: None }),
    },
    GoalKind {
        form: "property that notices N changes",
        holds: "properties that the learner wrote all pass, and are the first to notice N first-order mutants",
        make: |holes, _| Ok(Goal::PropertyNotices(number(one(holes, 0))?)),
    },
];

/// Parses a goal of a lesson; `own` has the lesson's items.
pub fn read(line: HeaderLine, own: &LessonItems) -> GoalResult {
    let line_words = words(line);
    for kind in KINDS {
        if let Some(holes) = holes(kind.form, &line_words) {
            return (kind.make)(&holes, own);
        }
    }
    let meant =
        KINDS.iter().max_by_key(|kind| (likeness(kind.form, &line_words), std::cmp::Reverse(kind.form.len())));
    let fault = FormatFault::new(line.span(), "no goal reads like this");
    let indistinguishable = meant.filter(|kind| likeness(kind.form, &line_words) > 0);
    Err(match indistinguishable {
        Some(kind) => fault.help(format!("the nearest is `{}`; docs/learn.md lists all", kind.form)),
        None => fault.help("docs/learn.md lists all goals, such as `tests pass`"),
    })
}

/// Returns the word in a placeholder that takes one word.
fn one<'w, 'a>(holes: &[&'w [LearnWord<'a>]], place: usize) -> &'w LearnWord<'a> {
    &holes[place][0]
}

fn number(word: &LearnWord) -> Result<u32, FormatFault> {
    word.text
        .parse()
        .map_err(|_| FormatFault::new(word.span.clone(), format!("`{}` is not a number", word.text)))
}

/// Reads the name of a function that the lesson's program declares or calls.
fn function(word: &LearnWord, own: &LessonItems) -> Result<String, FormatFault> {
    let names: Vec<&str> = own.names.iter().map(String::as_str).collect();
    if names.contains(&word.text) {
        return Ok(word.text.to_string());
    }
    let fault = FormatFault::new(word.span.clone(), format!("the program has no function `{}`", word.text));
    Err(match nearest(word.text, &names) {
        Some(name) => fault.help(format!("did you mean `{name}`?")),
        None => fault.help("a function that the learner is to write has to be called by a test"),
    })
}

/// Reads the label of a test or property of the lesson.
fn label(word: &LearnWord, own: &LessonItems, roles: &[Role]) -> Result<String, FormatFault> {
    let text =
        word.within('"').ok_or_else(|| FormatFault::new(word.span.clone(), "a label must be in quotes"))?;
    if own.labelled(text).is_some_and(|item| roles.contains(&item.role)) {
        return Ok(text.to_string());
    }
    let what = if roles.contains(&Role::Test) { "test" } else { "property" };
    let labels: Vec<&str> = own
        .items
        .iter()
        .filter(|item| roles.contains(&item.role))
        .filter_map(|item| item.name.as_deref())
        .collect();
    let fault = FormatFault::new(word.span.clone(), format!("the program has no {what} \"{text}\""));
    Err(match nearest(text, &labels) {
        Some(name) => fault.help(format!("did you mean \"{name}\"?")),
        None => fault.help(format!(
            "give a {what} this label: `{} \"{text}\": …;`",
            if what == "test" { "test" } else { "prop" }
        )),
    })
}

/// Reads a token between backticks.
fn sign(word: &LearnWord) -> Result<String, FormatFault> {
    let text = word.within('`').filter(|text| !text.is_empty());
    text.map(String::from)
        .ok_or_else(|| FormatFault::new(word.span.clone(), "a token must be between backticks"))
}

/// Reads the name of a pass or expansion.
fn pass(word: &LearnWord) -> Result<&'static str, FormatFault> {
    let all: Vec<&str> = steps::names().collect();
    steps::names().find(|name| *name == word.text).ok_or_else(|| {
        FormatFault::new(word.span.clone(), format!("there is no pass `{}`", word.text))
            .help(format!("the passes are {}", all.join(", ")))
    })
}

fn token(holes: &[&[LearnWord]], own: &LessonItems, wanted: bool) -> GoalResult {
    Ok(Goal::Token { text: sign(one(holes, 0))?, function: function(one(holes, 1), own)?, wanted })
}

fn has(holes: &[&[LearnWord]], own: &LessonItems, code: GoalCode, wanted: bool) -> GoalResult {
    let words = holes[1];
    let span: Range<usize> = words[0].span.start..words[words.len() - 1].span.end;
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let pattern = Pattern::read(&texts)
        .map_err(|why| FormatFault::new(span, why).help("docs/bytecode.md lists the instructions"))?;
    Ok(Goal::Has { code, function: function(one(holes, 0), own)?, pattern, wanted })
}

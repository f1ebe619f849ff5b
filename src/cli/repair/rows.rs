//! Repairs with their changes, and the question between them: as rows of a document, and as text.

use std::fmt::Write;

use super::names;
use crate::cli::args::Hint;
use crate::host::measure::numbers::plural;
use crate::report::document::Object;
use crate::report::places::Lines;
use crate::report::visible::{on_one_line, visible};
use crate::testing::mutation::repair::{Change, OtherUse, Repair, RepairQuestion};

/// The blanks before a line about a repair.
const INDENT: &str = "               ";

/// Returns a repair as the hint allows: its row, and its lines of text. `tests` is the number of tests and properties,
/// which all pass with it.
pub fn row(
    rank: usize,
    why: &str,
    repair: &Repair,
    hint: Hint,
    lines: &Lines,
    tests: usize,
) -> (Object, String) {
    let edits: Vec<(Object, String)> = repair
        .changes
        .iter()
        .map(|change| edit(change, change.mends > 0 && repair.changes.len() > 1, hint, lines))
        .collect();
    let why = (hint != Hint::Line).then_some(why);
    let other_use = repair.other_use.as_ref().map(OtherUse::text);
    let mut text = String::new();
    for (i, (_, edit)) in edits.iter().enumerate() {
        let rank = if i == 0 { format!("{rank}.") } else { "&".into() };
        let _ = writeln!(text, "  {rank:>3} {edit}");
    }
    let callers = (!repair.other_callers.is_empty()).then(|| {
        let callers = names(&repair.other_callers);
        format!("also changes what {callers} calls; no failing test enters it")
    });
    let shown = other_use.as_deref().map(visible);
    for line in [why.map(String::from), repair.likeness(), shown, callers].into_iter().flatten() {
        let _ = writeln!(text, "{INDENT}{line}");
    }
    let row = Object::new()
        .field("rank", rank)
        .option("why", why)
        .list("edits", edits.into_iter().map(|(row, _)| row))
        // The calls inside the domain of the tests that end otherwise than before, and all that were tried.
        .field("changed", repair.changed)
        .field("calls", repair.calls)
        .field("tests_passed", tests)
        // Other repairs that behave the same on all inputs tried, and those of them that are proved equal.
        .field("alike", repair.alike)
        .field("alike_proved", repair.proved)
        .option("other_use", other_use)
        .unless_empty("other_callers", &repair.other_callers);
    (row, text)
}

/// Returns a change. `mends_alone`: it is one of several and mends some failing tests without the others.
fn edit(change: &Change, mends_alone: bool, hint: Hint, lines: &Lines) -> (Object, String) {
    let span = lines.span(change.lo..change.hi);
    if hint == Hint::Line {
        return (Object::new().field("line", span.line), format!("look at line {}", span.line));
    }
    let (rule, original) = (change.rule.name(), lines.text().get(change.lo..change.hi).unwrap_or(""));
    let replacement = Some(&change.replacement).filter(|_| hint == Hint::Fix);
    let mut text =
        format!("{:>7}  {rule:<11} {}", format!("{}:{}", span.line, span.column), on_one_line(original));
    if let Some(replacement) = replacement {
        let _ = write!(text, " → {}", on_one_line(replacement));
    }
    if mends_alone {
        let _ = write!(text, "  (alone mends {})", plural(change.mends.into(), "test"));
    }
    let row = Object::new()
        .field("rule", rule)
        .join(span)
        .field("original", original)
        .option("replacement", replacement)
        .option("mends", mends_alone.then_some(change.mends));
    (row, text)
}

/// Returns a call with the values that the repairs return for it, each as a test to be added if it is right.
/// `what` is what is asked about.
pub fn question(asked: &RepairQuestion, what: &str) -> (Object, String) {
    let outside = format!(" (no call like those of the tests separates the {what}s)");
    let outside = if asked.inside { "" } else { &outside };
    let mut text = format!("  what should {} return?{outside}\n", visible(&asked.call));
    let by = |ranks: &[usize]| {
        let plural = if ranks.len() == 1 { "" } else { "s" };
        let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
        format!("by {what}{plural} {}", ranks.join(", "))
    };
    for (test, ranks) in &asked.answers {
        let _ = writeln!(text, "    {}  {}", visible(test), by(ranks));
    }
    if !asked.traps.is_empty() {
        let _ = writeln!(text, "    a trap  {}", by(&asked.traps));
    }
    let answer = |(test, ranks): &(String, Vec<usize>)| Object::new().field("test", test).field("ranks", ranks);
    // Whether the arguments are like those of the file's tests and properties.
    let row = Object::new().field("call", &asked.call).field("inside", asked.inside);
    let row = row.list("answers", asked.answers.iter().map(answer));
    (row.unless_empty("traps", &asked.traps), text)
}

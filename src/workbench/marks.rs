//! The one table of marks: the panels draw them from here, the help explains them, `docs/workbench.md` lists them.

use crate::lang::verdict::{MutantStatus, Outcome};
use crate::workbench::learn::judge;
use crate::workbench::theme::Look;

/// A mark on screen, or a word or a look that stands for something.
#[derive(Debug, PartialEq, Eq)]
pub struct Mark {
    /// What is drawn; empty for what has a word alone.
    pub glyph: &'static str,
    /// What stands beside it where there is room, or what people call it.
    pub word: &'static str,
    pub look: Look,
    /// What it says, in plain words.
    pub means: &'static str,
}

const fn mark(glyph: &'static str, word: &'static str, look: Look, means: &'static str) -> Mark {
    Mark { glyph, word, look, means }
}
const fn status(status: MutantStatus, glyph: &'static str, look: Look, means: &'static str) -> Mark {
    mark(glyph, status.name(), look, means)
}

// In the gutter and behind the text.
pub static FEW: Mark = mark(
    "1–9",
    "",
    Look::Warning,
    "so many single changes of this line survive: no test notices them; pairs are not counted here",
);
pub static MANY: Mark = mark("+", "", Look::Warning, "ten or more of them survive");
pub static ERROR: Mark = mark("✗", "error", Look::Bad, "why the program does not compile");
pub static WARNING: Mark = mark("⚠", "warning", Look::Warning, "it compiles, but this is hardly meant");
pub static MESSAGE: Mark = mark("◂", "", Look::Bad, "what is wrong in the line that it stands behind");
pub static CUT: Mark = mark("›", "", Look::Dim, "the line goes on to the right");

// Mutants.
pub static SURVIVED: Mark = status(
    MutantStatus::Survived,
    "✗",
    Look::Bad,
    "no test notices the change: a question that the tests do not ask",
);
pub static KILLED: Mark =
    status(MutantStatus::Killed, "✓", Look::Good, "a test notices the change; behind `by` stands which");
pub static TIMEOUT: Mark = status(
    MutantStatus::Timeout,
    "◷",
    Look::Good,
    "a test notices the change, because it runs 16 times longer than without it",
);
pub static EQUIVALENT: Mark = status(
    MutantStatus::Equivalent,
    "=",
    Look::Dim,
    "the bytecode is the program's own, so no test can notice the change",
);
pub static DUPLICATE: Mark = status(
    MutantStatus::Duplicate,
    "≡",
    Look::Dim,
    "the bytecode is that of an earlier mutant; behind `of` stands which",
);
pub static INVALID: Mark =
    status(MutantStatus::Invalid, "∅", Look::Dim, "the program with this change does not compile");
pub static IGNORED: Mark = status(
    MutantStatus::Ignored,
    "⊘",
    Look::Dim,
    "a comment takes it out of the count: `// myriad: ignore`, perhaps with operators and a reason",
);
pub static NEWLY_NOTICED: Mark = mark(
    "▲",
    "newly noticed",
    Look::Good,
    "so many survived before the last edit, and a test notices them now",
);
pub static NEWLY_SURVIVES: Mark = mark(
    "▼",
    "newly survive",
    Look::Bad,
    "so many were noticed before the last edit, or are of code that it brought, and no test notices them now",
);
pub static HIDDEN: Mark =
    mark("?", "hidden", Look::Warning, "somebody predicts: it shows once it is guessed; alt-g asks");
pub static PENDING: Mark = status(MutantStatus::Pending, "…", Look::Dim, "not judged yet");
pub static SINGLES: Mark =
    mark("", "singles", Look::Text, "mutants with one small change; score and gutter are of these alone");
pub static PAIRS: Mark = mark(
    "",
    "pairs",
    Look::Text,
    "mutants with two of these changes at once, as many as the budget has room for; they have no part in the score",
);
pub static SCORE: Mark = mark(
    "",
    "score",
    Look::Text,
    "of single changes, 100 × (killed + timeout) / (killed + timeout + survived); – where none of them counts",
);
pub static NO_SCORE: Mark = mark("–", "", Look::Text, "no score: no single change counts");

// Tests.
pub static PASSES: Mark = mark("✓", "passes", Look::Good, "the test or property is true");
pub static FAILS: Mark =
    mark("✗", "fails", Look::Bad, "it is false; below stand the values, and a property's counterexample");
pub static TRAPS: Mark =
    mark("!", "traps", Look::Bad, "it ends in a trap, which the row names; below stands where");
pub static DISCARDED: Mark =
    mark("–", "discarded", Look::Warning, "no input meets the property's condition, so it says nothing");

// The matrix.
pub static LEAST: Mark = mark(
    "●",
    "kept",
    Look::Good,
    "a test of the smallest set that notices every change that any test notices; of a change, a test that notices it",
);
pub static DISPENSABLE: Mark = mark("○", "spare", Look::Dim, "the set notices as much without this test");
pub static IDLE: Mark = mark("–", "idle", Look::Warning, "the test passes, and notices no change at all");
pub static NOTICES_NOT: Mark = mark("·", "", Look::Dim, "a test that does not notice the change");

// Goals of a lesson.
pub static REACHED: Mark = mark("✓", "", Look::Good, "the goal is reached");
pub static OPEN: Mark =
    mark("○", "", Look::Text, "the goal is not reached yet; behind it stands how far it is");
pub static UNKNOWN: Mark = mark("…", "", Look::Dim, "not known yet: the engine is at it");
pub static GONE: Mark =
    mark("!", "", Look::Bad, "of the lesson this has to stay as it was; without it the lesson is not done");

// Rows.
pub static SELECTED: Mark =
    mark("▶", "", Look::CurrentNumber, "the selected row; enter goes to its place in the source");
pub static LINKED: Mark = mark("›", "", Look::CurrentNumber, "the row of the element under the cursor");
pub static PART: Mark = mark("·", "", Look::CurrentNumber, "a row of a part of that element");
pub static VIEW: Mark = mark("▐", "", Look::Rule, "which part of all rows shows");

// A run.
pub static NEXT: Mark = mark("→", "", Look::CurrentNumber, "the instruction that is executed next");
pub static TAKEN: Mark = mark("‹", "", Look::CurrentNumber, "an operand that the next instruction takes");
pub static WAITS: Mark =
    mark("┊", "", Look::CurrentNumber, "an operand that waits on the stack until the call has ended");
pub static FRESH: Mark = mark("✱", "", Look::Warning, "a variable or an element that has just been set");
pub static MADE: Mark = mark("⇐", "", Look::Good, "the value that is followed was made here, or handed on");
pub static HERE: Mark = mark("◆", "", Look::CurrentNumber, "where in the run the step is; the mouse drags it");
pub static TURNS: Mark = mark("↻", "", Look::Bad, "from here on a run that never ends repeats itself");
pub static BREAK: Mark = mark("◉", "", Look::Bad, "a breakpoint, in the gutter and where the run comes to it");
pub static RUNS: Mark = mark("12×", "", Look::Dim, "in the gutter: so often the run has come to the line");
pub static PARTS: Mark = mark("≠", "", Look::Warning, "from here on two runs side by side differ");
pub static UNFOLDED: Mark = mark("▾", "", Look::Dim, "a call whose own calls show; space folds it");
pub static FOLDED: Mark = mark("▸", "", Look::Dim, "a call whose own calls do not show; space unfolds it");
pub static LEAF: Mark = mark("∙", "", Look::Dim, "a call that calls nothing");

// Tabs.
pub static UNSAVED: Mark = mark("●", "", Look::Text, "the text is not saved");
pub static TABS_BEFORE: Mark =
    mark("‹2", "", Look::Dim, "so many tabs before these have no room; shift-F6 or a click leads there");
pub static TABS_BEHIND: Mark =
    mark("5›", "", Look::Dim, "so many tabs after these have no room; F6 or a click leads there");
pub static STALE: Mark = mark(
    "",
    "stale",
    Look::Warning,
    "the text on screen has errors: what is dimmed is of the last one that compiled",
);
pub static AWAITED: Mark = mark("…", "", Look::Warning, "the engine has not answered the last keystroke yet");
pub static BEHIND: Mark = mark("~", "", Look::Warning, "one of both, where there is no room to say which");
pub static DIMMED: Mark = mark(
    "",
    "dimmed",
    Look::Dim,
    "panels, the gutter's digits and the gauge's mutants while they are stale; in the help what cannot be done now",
);

// Gauge and status bar.
pub static NOTICED: Mark =
    mark("✓", "0 survived", Look::Good, "the tests notice every single change that counts");
pub static SOME_SURVIVED: Mark =
    mark("✗", "3 survived", Look::Bad, "so many single changes that no test notices");
pub static UNDECIDED: Mark =
    mark("…", "0 survived", Look::Dim, "none survives so far, and not all verdicts are in");
pub static NONE_COUNTS: Mark =
    mark("–", "0 survived", Look::Dim, "no single change counts, so there is no score either");
pub static TIMES: Mark = mark(
    "→",
    "",
    Look::Number,
    "behind it the time from the key to the last verdict; before it from the key to the panels",
);
pub static HISTORY: Mark =
    mark("▁▅█", "", Look::Bar, "the last keystrokes' times from the key to the last verdict");
pub static DONE: Mark = mark("✓", "", Look::Good, "in the status bar: it is done");
pub static ALAS: Mark = mark("!", "", Look::Bad, "in the status bar: it could not be done, and why");

/// All marks, by where they stand.
pub static TABLE: [(&str, &[&Mark]); 9] = [
    ("Marks in the editor's gutter and text", &[&FEW, &MANY, &ERROR, &WARNING, &MESSAGE, &CUT]),
    (
        "Marks of mutants",
        &[
            &SURVIVED,
            &KILLED,
            &TIMEOUT,
            &EQUIVALENT,
            &DUPLICATE,
            &INVALID,
            &IGNORED,
            &PENDING,
            &HIDDEN,
            &NEWLY_NOTICED,
            &NEWLY_SURVIVES,
            &SINGLES,
            &PAIRS,
            &SCORE,
        ],
    ),
    ("Marks of tests", &[&PASSES, &FAILS, &TRAPS, &DISCARDED, &HIDDEN]),
    ("Marks in the matrix", &[&LEAST, &DISPENSABLE, &IDLE, &NOTICES_NOT]),
    ("Marks of goals", &[&REACHED, &OPEN, &UNKNOWN, &GONE]),
    ("Marks of rows", &[&SELECTED, &LINKED, &PART, &VIEW]),
    (
        "Marks of a run",
        &[
            &NEXT, &TAKEN, &WAITS, &FRESH, &MADE, &HERE, &TURNS, &BREAK, &RUNS, &PARTS, &UNFOLDED, &FOLDED,
            &LEAF,
        ],
    ),
    (
        "Marks in tabs, and what is dimmed",
        &[&UNSAVED, &TABS_BEFORE, &TABS_BEHIND, &STALE, &AWAITED, &BEHIND, &DIMMED],
    ),
    (
        "Marks in the last two lines",
        &[&NOTICED, &SOME_SURVIVED, &UNDECIDED, &NONE_COUNTS, &TIMES, &HISTORY, &DONE, &ALAS],
    ),
];

/// The mark of this many tabs that are hidden at the left.
pub fn tabs_before(count: usize) -> String {
    format!("‹{count}")
}
/// The mark of this many tabs that are hidden at the right.
pub fn tabs_behind(count: usize) -> String {
    format!("{count}›")
}

/// How a mutant's status is marked.
pub fn of_status(status: MutantStatus) -> &'static Mark {
    match status {
        MutantStatus::Pending => &PENDING,
        MutantStatus::Killed => &KILLED,
        MutantStatus::Timeout => &TIMEOUT,
        MutantStatus::Survived => &SURVIVED,
        MutantStatus::Equivalent => &EQUIVALENT,
        MutantStatus::Duplicate => &DUPLICATE,
        MutantStatus::Invalid => &INVALID,
        MutantStatus::Ignored => &IGNORED,
    }
}

/// How a test's or property's outcome is marked.
pub fn of_outcome(outcome: Outcome) -> &'static Mark {
    match outcome {
        Outcome::Pass => &PASSES,
        Outcome::Fail => &FAILS,
        Outcome::Trap(_) => &TRAPS,
        Outcome::Discarded => &DISCARDED,
    }
}

/// How a goal's state is marked.
pub fn of_goal(state: judge::State) -> &'static Mark {
    match state {
        judge::State::Reached => &REACHED,
        judge::State::Missing => &OPEN,
        judge::State::Unknown => &UNKNOWN,
    }
}

/// How a diagnostic is marked.
pub fn of_problem(is_error: bool) -> &'static Mark {
    if is_error { &ERROR } else { &WARNING }
}

impl Mark {
    /// Glyph and word, as far as it has them.
    pub fn shown(&self) -> String {
        [self.glyph, self.word].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// The marks that all words of a filter are found in, each with the title that it stands under.
pub fn matching(filter: &str) -> Vec<(&'static str, &'static Mark)> {
    let wanted = filter.to_lowercase();
    let all = TABLE.iter().flat_map(|(title, marks)| marks.iter().map(move |mark| (*title, *mark)));
    all.filter(|(title, mark)| {
        let text = format!("{} {} {title}", mark.shown(), mark.means).to_lowercase();
        wanted.split_whitespace().all(|word| text.contains(word))
    })
    .collect()
}

/// The table as the last part of a page of Markdown.
pub fn markdown() -> String {
    let mut page =
        String::from("## Marks\n\n`F1` shows these tables, too; type `mark` there to see nothing else.\n");
    for (title, marks) in TABLE {
        page.push_str(&format!("\n### {title}\n\n| mark | says |\n|---|---|\n"));
        for mark in marks {
            page.push_str(&format!("| `{}` | {} |\n", mark.shown(), mark.means));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_means_one_thing_in_each_place() {
        for (title, marks) in TABLE {
            for (i, mark) in marks.iter().enumerate() {
                assert!(!mark.shown().is_empty() && !mark.means.is_empty(), "{mark:?}");
                assert!(
                    !marks[..i].iter().any(|other| other.shown() == mark.shown()),
                    "{title}: {mark:?} twice"
                );
            }
        }
    }

    #[test]
    fn every_status_is_explained() {
        use MutantStatus::*;
        for status in [Pending, Killed, Timeout, Survived, Equivalent, Duplicate, Invalid] {
            let mark = of_status(status);
            assert_eq!(mark.word, status.name());
            assert!(TABLE.iter().any(|(_, marks)| marks.contains(&mark)), "{mark:?}");
        }
    }

    /// `MYRIAD_BLESS=1 cargo test` writes the page's tables anew.
    #[test]
    fn the_page_of_marks_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/workbench.md");
        let mut page = std::fs::read_to_string(path).unwrap_or_default();
        let prose = page.find("## Marks\n").unwrap_or(page.len());
        if std::env::var_os("MYRIAD_BLESS").is_some() {
            page.truncate(prose);
            page.push_str(&markdown());
            std::fs::write(path, &page).expect("docs/workbench.md can be written");
        }
        assert_eq!(page[prose..], markdown(), "run MYRIAD_BLESS=1 cargo test --lib marks");
    }
}

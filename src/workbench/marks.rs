//! The table of marks, used by the panels and the help.

use crate::lang::verdict::{MutantStatus, Outcome};
use crate::workbench::learn::judge;
use crate::workbench::theme::Look;

/// A mark on screen: a glyph, a word or a look with a meaning.
#[derive(Debug, PartialEq, Eq)]
pub struct Mark {
    /// The glyph drawn; empty if the mark is only a word.
    pub glyph: &'static str,
    /// The word drawn next to the glyph where there is room, or the mark's name.
    pub word: &'static str,
    pub look: Look,
    /// The meaning in plain words.
    pub means: &'static str,
}

const fn mark(glyph: &'static str, word: &'static str, look: Look, means: &'static str) -> Mark {
    Mark { glyph, word, look, means }
}
const fn status(status: MutantStatus, glyph: &'static str, look: Look, means: &'static str) -> Mark {
    mark(glyph, status.name(), look, means)
}

// In the gutter and after the text.
pub static FEW: Mark = mark(
    "1–9",
    "",
    Look::Warning,
    "this many first-order mutants on the line survive: no test notices them; second-order mutants are not counted here",
);
pub static MANY: Mark = mark("+", "", Look::Warning, "ten or more first-order mutants on the line survive");
pub static ERROR: Mark = mark("✗", "error", Look::Bad, "why the program does not compile");
pub static WARNING: Mark =
    mark("⚠", "warning", Look::Warning, "the program compiles, but this is probably a mistake");
pub static MESSAGE: Mark = mark("◂", "", Look::Bad, "what is wrong in the line that it follows");
pub static NOT_EXPANDED: Mark = mark(
    "◃",
    "",
    Look::Dim,
    "what level 2 does not expand in the line that it follows, and why; alt-h shows these",
);
pub static CUT: Mark = mark("›", "", Look::Dim, "the line goes on to the right");

// Mutants.
pub static SURVIVED: Mark = status(
    MutantStatus::Survived,
    "✗",
    Look::Bad,
    "no test notices the change: a question that the tests do not ask",
);
pub static KILLED: Mark =
    status(MutantStatus::Killed, "✓", Look::Good, "a test notices the change; `by` names the test");
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
    "the program does the same with this change, so no test can notice it",
);
pub static DUPLICATE: Mark =
    status(MutantStatus::Duplicate, "≡", Look::Dim, "an earlier mutant does the same; `of` names it");
pub static INVALID: Mark =
    status(MutantStatus::Invalid, "∅", Look::Dim, "the program with this change does not compile");
pub static IGNORED: Mark = status(
    MutantStatus::Ignored,
    "⊘",
    Look::Dim,
    "a comment excludes it from the count: `// myriad: ignore`, optionally with operators and a reason",
);
pub static NEWLY_NOTICED: Mark = mark(
    "▲",
    "newly noticed",
    Look::Good,
    "this many mutants survived before the last edit, and a test notices them now",
);
pub static NEWLY_SURVIVES: Mark = mark(
    "▼",
    "newly survive",
    Look::Bad,
    "this many mutants were noticed before the last edit, or are in code that it added, and no test notices them now",
);
pub static HIDDEN: Mark =
    mark("?", "hidden", Look::Warning, "hidden while you predict, until you guess it; alt-g asks");
pub static PENDING: Mark = status(MutantStatus::Pending, "…", Look::Dim, "not judged yet");
pub static SINGLES: Mark = mark(
    "",
    "first-order",
    Look::Text,
    "mutants with one small change; the number of mutants, the score and the gutter count only these",
);
pub static PAIRS: Mark = mark(
    "",
    "second-order",
    Look::Text,
    "mutants with two of these changes at once, as many as the budget allows; the score does not count them",
);
pub static SCORE: Mark = mark(
    "",
    "score",
    Look::Text,
    "over first-order mutants, 100 × (killed + timeout) / (killed + timeout + survived); – if none of them counts",
);
pub static NO_SCORE: Mark = mark("–", "", Look::Text, "no score: no first-order mutant counts");

// Tests.
pub static PASSES: Mark = mark("✓", "passes", Look::Good, "the test or property is true");
pub static FAILS: Mark =
    mark("✗", "fails", Look::Bad, "it is false; the values and a property's counterexample follow below");
pub static TRAPS: Mark =
    mark("!", "traps", Look::Bad, "it ends in a trap, which the row names; the place follows below");
pub static DISCARDED: Mark =
    mark("–", "discarded", Look::Warning, "no input meets the property's condition, so nothing was tested");

// The matrix.
pub static LEAST: Mark = mark(
    "●",
    "kept",
    Look::Good,
    "a test of the smallest set that notices every change that any test notices; of a change, a test that notices it",
);
pub static DISPENSABLE: Mark = mark("○", "spare", Look::Dim, "the set notices as much without this test");
pub static IDLE: Mark = mark("–", "idle", Look::Warning, "the test passes, and notices no change at all");
pub static NOT_NOTICED: Mark = mark("·", "", Look::Dim, "a test that does not notice the change");

// Goals of a lesson.
pub static REACHED: Mark = mark("✓", "", Look::Good, "the goal is reached");
pub static OPEN: Mark = mark("○", "", Look::Text, "the goal is not reached yet; its progress follows");
pub static UNKNOWN: Mark = mark("…", "", Look::Dim, "not known yet: the engine is working on it");
pub static GONE: Mark =
    mark("!", "", Look::Bad, "this part of the lesson must stay unchanged; the lesson is not done without it");

// Rows.
pub static SELECTED: Mark =
    mark("▶", "", Look::CurrentNumber, "the selected row; enter goes to its place in the source");
pub static LINKED: Mark = mark("›", "", Look::CurrentNumber, "the row of the element under the cursor");
pub static PART: Mark = mark("·", "", Look::CurrentNumber, "a row of a part of the element under the cursor");
pub static VIEW: Mark = mark("▐", "", Look::Rule, "the part of the rows that is visible");

// A run.
pub static NEXT: Mark = mark("→", "", Look::CurrentNumber, "the instruction that is executed next");
pub static TAKEN: Mark = mark("‹", "", Look::CurrentNumber, "an operand that the next instruction takes");
pub static WAITS: Mark =
    mark("┊", "", Look::CurrentNumber, "an operand that waits on the stack until the call has ended");
pub static FRESH: Mark = mark("✱", "", Look::Warning, "a variable or an element that has just been set");
pub static MADE: Mark = mark("⇐", "", Look::Good, "the followed value was made here, or passed on");
pub static HERE: Mark =
    mark("◆", "", Look::CurrentNumber, "the step's position in the run; drag it with the mouse");
pub static TURNS: Mark = mark("↻", "", Look::Bad, "from here on a run that never ends repeats itself");
pub static BREAK: Mark = mark("◉", "", Look::Bad, "a breakpoint, in the gutter and where the run reaches it");
pub static RUNS: Mark = mark("12×", "", Look::Dim, "in the gutter: how many times the run reaches the line");
pub static DIVERGES: Mark = mark("≠", "", Look::Warning, "from here on the two compared runs differ");
pub static UNFOLDED: Mark = mark("▾", "", Look::Dim, "a call whose own calls show; space folds it");
pub static FOLDED: Mark = mark("▸", "", Look::Dim, "a call whose own calls do not show; space unfolds it");
pub static LEAF: Mark = mark("∙", "", Look::Dim, "a call that calls nothing");

// Tabs.
pub static UNSAVED: Mark = mark("●", "", Look::Text, "the text is not saved");
pub static OTHER_FILES: Mark = mark(
    "+2",
    "",
    Look::Text,
    "this many other files are open; ctrl-o lists them, and alt-left goes to the one before",
);
pub static TABS_BEFORE: Mark =
    mark("‹2", "", Look::Dim, "this many tabs on the left have no room; shift-F6 or a click goes to them");
pub static TABS_AFTER: Mark =
    mark("5›", "", Look::Dim, "this many tabs on the right have no room; F6 or a click goes to them");
pub static STALE: Mark = mark(
    "",
    "stale",
    Look::Warning,
    "the text on screen has errors: dimmed content belongs to the last text that compiled",
);
pub static AWAITED: Mark = mark("…", "", Look::Warning, "the engine has not answered the last keystroke yet");
pub static NOT_CURRENT: Mark =
    mark("~", "", Look::Warning, "stale or not answered yet, where there is no room for either mark");
pub static DIMMED: Mark = mark(
    "",
    "dimmed",
    Look::Dim,
    "panels, gutter digits and the gauge's mutants while they are stale; in the help, keys that do nothing now",
);

// Gauge and status bar.
pub static NOTICED: Mark =
    mark("✓", "0 survived", Look::Good, "the tests notice every first-order mutant that counts");
pub static SOME_SURVIVED: Mark =
    mark("✗", "3 survived", Look::Bad, "the number of first-order mutants that no test notices");
pub static UNDECIDED: Mark =
    mark("…", "0 survived", Look::Dim, "none survives so far, but some verdicts are missing");
pub static NONE_COUNTS: Mark =
    mark("–", "0 survived", Look::Dim, "no first-order mutant counts, so there is no score either");
pub static TIMES: Mark = mark(
    "→",
    "",
    Look::Number,
    "before it, the time from the key to the panels; after it, the time to the last verdict",
);
pub static HISTORY: Mark =
    mark("▁▅█", "", Look::Bar, "the last keystrokes' times from the key to the last verdict");
pub static DONE: Mark = mark("✓", "", Look::Good, "in the status bar: it succeeded");
pub static FAILED: Mark = mark("!", "", Look::Bad, "in the status bar: it failed, and why");

/// All marks, by where they appear.
pub static TABLE: [(&str, &[&Mark]); 9] = [
    ("Marks in the editor's gutter and text", &[&FEW, &MANY, &ERROR, &WARNING, &MESSAGE, &NOT_EXPANDED, &CUT]),
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
    ("Marks in the matrix", &[&LEAST, &DISPENSABLE, &IDLE, &NOT_NOTICED]),
    ("Marks of goals", &[&REACHED, &OPEN, &UNKNOWN, &GONE]),
    ("Marks of rows", &[&SELECTED, &LINKED, &PART, &VIEW]),
    (
        "Marks of a run",
        &[
            &NEXT, &TAKEN, &WAITS, &FRESH, &MADE, &HERE, &TURNS, &BREAK, &RUNS, &DIVERGES, &UNFOLDED, &FOLDED,
            &LEAF,
        ],
    ),
    (
        "Marks in tabs, and what is dimmed",
        &[&UNSAVED, &OTHER_FILES, &TABS_BEFORE, &TABS_AFTER, &STALE, &AWAITED, &NOT_CURRENT, &DIMMED],
    ),
    (
        "Marks in the last two lines",
        &[&NOTICED, &SOME_SURVIVED, &UNDECIDED, &NONE_COUNTS, &TIMES, &HISTORY, &DONE, &FAILED],
    ),
];

/// Returns the mark for tabs hidden on the left.
pub fn tabs_before(count: usize) -> String {
    format!("‹{count}")
}
/// Returns the mark for tabs hidden on the right.
pub fn tabs_after(count: usize) -> String {
    format!("{count}›")
}

/// Returns the mark of a mutant's status.
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

/// Returns the mark of a test's or property's outcome.
pub fn of_outcome(outcome: Outcome) -> &'static Mark {
    match outcome {
        Outcome::Pass => &PASSES,
        Outcome::Fail => &FAILS,
        Outcome::Trap(_) => &TRAPS,
        Outcome::Discarded => &DISCARDED,
    }
}

/// Returns the mark of a goal's state.
pub fn of_goal(state: judge::State) -> &'static Mark {
    match state {
        judge::State::Reached => &REACHED,
        judge::State::Missing => &OPEN,
        judge::State::Unknown => &UNKNOWN,
    }
}

/// Returns the mark of a diagnostic.
pub fn of_problem(is_error: bool) -> &'static Mark {
    if is_error { &ERROR } else { &WARNING }
}

impl Mark {
    /// Returns the glyph and the word, omitting empty ones.
    pub fn shown(&self) -> String {
        [self.glyph, self.word].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the marks that contain all words of a filter, each with its table's title.
pub fn matching(filter: &str) -> Vec<(&'static str, &'static Mark)> {
    let wanted = filter.to_lowercase();
    let all = TABLE.iter().flat_map(|(title, marks)| marks.iter().map(move |mark| (*title, *mark)));
    all.filter(|(title, mark)| {
        let text = format!("{} {} {title}", mark.shown(), mark.means).to_lowercase();
        wanted.split_whitespace().all(|word| text.contains(word))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_is_unique_within_its_table() {
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
    fn every_mutant_status_has_a_mark_in_the_table() {
        use MutantStatus::*;
        for status in [Pending, Killed, Timeout, Survived, Equivalent, Duplicate, Invalid] {
            let mark = of_status(status);
            assert_eq!(mark.word, status.name());
            assert!(TABLE.iter().any(|(_, marks)| marks.contains(&mark)), "{mark:?}");
        }
    }
}

//! The table of marks, used by the panels and the help.

use crate::lang::trap::Trap;
use crate::lang::verdict::{MutantStatus, Outcome};
use crate::workbench::fuzzy::contains_words;
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

macro_rules! marks {
    ($($title:literal $([$($also:ident),*])? { $($name:ident = $mark:expr;)* })*) => {
        $($(pub static $name: Mark = $mark;)*)*

        /// All marks, by where they appear.
        pub static TABLE: &[(&str, &[&Mark])] = &[$(($title, &[$(&$name,)* $($(&$also,)*)?])),*];
    };
}

marks! {
    "Marks in the editor's gutter and text" [PASSES, FAILS, TRAPS, DISCARDED] {
        FEW = mark("1–9", "", Look::Warning, "this many first-order mutants on the line survive: no test notices them; second-order mutants are not counted here");
        MANY = mark("9+", "", Look::Warning, "ten or more first-order mutants on the line survive; + where the text is too near");
        ERROR = mark("✗", "error", Look::Bad, "why the program does not compile");
        WARNING = mark("⚠", "warning", Look::Warning, "the program compiles, but this is probably a mistake");
        UNFINISHED = mark("…", "", Look::Dim, "not finished: an error where you type that more typing can mend, a call that waits for its function, or a test that waits until the text compiles");
        MESSAGE = mark("◂", "", Look::Bad, "what is wrong in the line that it follows");
        PROBE = mark("", "//? f(3)", Look::Dim, "a probe: the value of its expression follows; alt-t makes a test of it");
        PROVED = mark("✓", "//= x + 0 => x", Look::Good, "a rule that is right for all values; where it fires in the program, and the steps that it saves at level 0, follow");
        WRONG = mark("✗", "wrong", Look::Bad, "a rule that is wrong, or not proved; values for which it is wrong follow");
        NOT_EXPANDED = mark("◃", "", Look::Dim, "what level 2 does not expand in the line that it follows, and why; alt-h shows these");
        REPAIRED = mark("→", "", Look::Added, "the line, or the lines up to it, after the repair that is chosen in the Repairs panel; enter applies it");
        VALUE = mark("", "t = 12", Look::Dim, "after a line: a value that it sets in the test that the editor's title names");
        CONDITION = mark("", "true ×3, false", Look::Dim, "after a line: how its condition ended each time");
        RETURNED = mark("→", "6", Look::Dim, "after a line: what the call returned");
        ROUND = mark("", "round 1 of 3", Look::Dim, "the round of the loop whose values are shown; alt-. shows the next one");
        NOT_RUN = mark("·", "", Look::Dim, "the run whose values are shown does not reach the line");
        CUT = mark("›", "", Look::Dim, "the line goes on to the right");
        CUT_BEFORE = mark("‹", "", Look::Dim, "the line begins further left");
    }
    "Marks of mutants" {
        SURVIVED = status(MutantStatus::Survived, "✗", Look::Bad, "no test notices the change: a question that the tests do not ask");
        MASKED = mark("", "same result, though a value differs", Look::Comment, "why a mutant survives: in a run of a test something changed, but not what the test compares");
        ALIKE = mark("", "always the same value, 73 times", Look::Comment, "why a mutant survives: the changed code had the program's value each time that a test ran it");
        KILLED = status(MutantStatus::Killed, "✓", Look::Good, "a test notices the change; `by` names the test");
        TIMEOUT = status(MutantStatus::Timeout, "◷", Look::Good, "a test notices the change, because it runs 16 times longer than without it");
        EQUIVALENT = status(MutantStatus::Equivalent, "=", Look::Dim, "the program does the same with this change, so no test can notice it");
        DUPLICATE = status(MutantStatus::Duplicate, "≡", Look::Dim, "an earlier mutant does the same; `of` names it");
        INVALID = status(MutantStatus::Invalid, "∅", Look::Dim, "the program with this change does not compile");
        IGNORED = status(MutantStatus::Ignored, "⊘", Look::Dim, "a comment excludes it from the count: `// myriad: ignore`, optionally with operators and a reason");
        NOT_FINISHED = status(MutantStatus::Unfinished, "…", Look::Dim, "the change leads to a line that is not finished, and no test notices it");
        PENDING = status(MutantStatus::Pending, "…", Look::Dim, "not judged yet");
        HIDDEN = mark("?", "hidden", Look::Warning, "hidden while you predict, until you guess it; alt-g asks");
        NEWLY_NOTICED = mark("▲", "newly noticed", Look::Good, "this many mutants survived before the last edit, and a test notices them now");
        NEWLY_SURVIVES = mark("▼", "newly survive", Look::Bad, "this many mutants were noticed before the last edit, or are in code that it added, and no test notices them now");
        SINGLES = mark("", "first-order", Look::Text, "mutants with one small change; the number of mutants, the score and the gutter count only these");
        PAIRS = mark("", "second-order", Look::Text, "mutants with two of these changes at once, as many as the budget allows; the score does not count them");
        SCORE = mark("", "score", Look::Text, "over first-order mutants, 100 × (killed + timeout) / (killed + timeout + survived); – if none of them counts");
    }
    "Marks of tests" [HIDDEN] {
        PASSES = mark("✓", "passes", Look::Good, "the test or property is true");
        FAILS = mark("✗", "fails", Look::Bad, "it is false; the values and a property's counterexample follow below");
        TRAPS = mark("!", "traps", Look::Bad, "it ends in a trap, which the row names; the place follows below");
        HOLE = mark("…", "unfinished", Look::Dim, "its run arrives at a place that has an error, or is not written yet, or does not leave the loop in which you type");
        STEPS = mark("", "44 steps", Look::Dim, "the instructions that the test's run executes");
        INPUTS = mark("", "all 18 inputs", Look::Dim, "the inputs that a property was tested on; all, if it has no others; on input 18, if that one is the first to fail");
        DISCARDED = mark("–", "discarded", Look::Warning, "no input meets the property's condition, so nothing was tested");
    }
    "Marks in the matrix" {
        LEAST = mark("●", "kept", Look::Good, "a test of the smallest set that notices every change that any test notices; of a change, a test that notices it");
        DISPENSABLE = mark("○", "spare", Look::Dim, "the set notices as much without this test");
        IDLE = mark("–", "idle", Look::Warning, "the test passes, and notices no change at all");
        NOT_NOTICED = mark("·", "", Look::Dim, "a test that does not notice the change");
    }
    "Marks of goals" {
        REACHED = mark("✓", "", Look::Good, "the goal is reached");
        OPEN = mark("○", "", Look::Text, "the goal is not reached yet; its progress follows");
        UNKNOWN = mark("…", "", Look::Dim, "not known yet: the engine is working on it");
        GONE = mark("!", "", Look::Bad, "this part of the lesson must stay unchanged; the lesson is not done without it");
    }
    "Marks of rows" {
        SELECTED = mark("▶", "", Look::CurrentNumber, "the selected row; enter goes to its place in the source");
        LINKED = mark("›", "", Look::CurrentNumber, "the row of the element under the cursor");
        PART = mark("·", "", Look::CurrentNumber, "a row of a part of the element under the cursor");
        VIEW = mark("▐", "", Look::Rule, "the part of the rows that is visible");
    }
    "Marks of a run" {
        NEXT = mark("→", "", Look::CurrentNumber, "the instruction that is executed next");
        TAKEN = mark("‹", "", Look::CurrentNumber, "an operand that the next instruction takes");
        WAITS = mark("┊", "", Look::CurrentNumber, "an operand that waits on the stack until the call has ended");
        FRESH = mark("✱", "", Look::Warning, "a variable or an element that has just been set");
        MADE = mark("⇐", "", Look::Good, "the followed value was made here, or passed on");
        HERE = mark("◆", "", Look::CurrentNumber, "the step's position in the run; drag it with the mouse");
        TURNS = mark("↻", "", Look::Bad, "from here on a run that never ends repeats itself");
        BREAK = mark("◉", "", Look::Bad, "a breakpoint, in the gutter and where the run reaches it");
        RUNS = mark("12×", "", Look::Dim, "in the gutter: how many times the run reaches the line");
        DIVERGES = mark("≠", "", Look::Warning, "from here on the two compared runs differ");
        UNFOLDED = mark("▾", "", Look::Dim, "a call whose own calls show; space folds it");
        FOLDED = mark("▸", "", Look::Dim, "a call whose own calls do not show; space unfolds it");
        LEAF = mark("∙", "", Look::Dim, "a call that calls nothing");
    }
    "Marks in tabs, and what is dimmed" {
        UNSAVED = mark("●", "", Look::Text, "the text is not saved");
        OTHER_FILES = mark("+2", "", Look::Text, "this many other files are open; ctrl-o lists them, and alt-left goes to the one before");
        TABS_BEFORE = mark("‹2", "", Look::Dim, "this many tabs on the left have no room; shift-F6 or a click goes to them");
        TABS_AFTER = mark("5›", "", Look::Dim, "this many tabs on the right have no room; F6 or a click goes to them");
        STALE = mark("", "stale", Look::Warning, "dimmed content belongs to an earlier text, because the one on screen is too large to be compiled");
        AWAITED = mark("…", "", Look::Warning, "the engine has not answered for half a second");
        NOT_CURRENT = mark("~", "", Look::Warning, "stale or not answered yet, where there is no room for either mark");
        DIMMED = mark("", "dimmed", Look::Dim, "panels, gutter digits and the gauge's mutants while they are stale; in the help, keys that do nothing now");
    }
    "Marks in the last two lines" {
        NOTICED = mark("✓", "0 survived", Look::Good, "the tests notice every first-order mutant that counts");
        SOME_SURVIVED = mark("✗", "3 survived", Look::Bad, "the number of first-order mutants that no test notices");
        UNDECIDED = mark("…", "0 survived", Look::Dim, "none survives so far, but some verdicts are missing");
        NONE_COUNTS = mark("–", "0 survived", Look::Dim, "no first-order mutant counts, so there is no score either");
        TIMES = mark("→", "", Look::Number, "before it, the time from the key to the panels; after it, the time to the last verdict");
        HISTORY = mark("▁▅█", "", Look::Bar, "the last keystrokes' times from the key to the last verdict");
        DONE = mark("✓", "", Look::Good, "in the status bar: it succeeded");
        FAILED = mark("!", "", Look::Bad, "in the status bar: it failed, and why");
    }
}

pub static NO_SCORE: Mark = mark("–", "", Look::Text, "no score: no first-order mutant counts");

/// Returns the mark for tabs hidden on the left.
pub fn tabs_before(count: usize) -> String {
    format!("‹{count}")
}
/// Returns the mark for tabs hidden on the right.
pub fn tabs_after(count: usize) -> String {
    format!("{count}›")
}

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
        MutantStatus::Unfinished => &NOT_FINISHED,
    }
}

/// Returns the mark of a test's or property's outcome.
pub fn of_outcome(outcome: Outcome) -> &'static Mark {
    match outcome {
        Outcome::Pass => &PASSES,
        Outcome::Fail => &FAILS,
        Outcome::Trap(Trap::Hole) => &HOLE,
        Outcome::Trap(_) => &TRAPS,
        Outcome::Discarded => &DISCARDED,
    }
}

pub fn of_goal(state: judge::JudgeState) -> &'static Mark {
    match state {
        judge::JudgeState::Reached => &REACHED,
        judge::JudgeState::Missing => &OPEN,
        judge::JudgeState::Unknown => &UNKNOWN,
    }
}

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
    let all = TABLE.iter().flat_map(|(title, marks)| marks.iter().map(move |mark| (*title, *mark)));
    { all }
        .filter(|(title, mark)| contains_words(filter, &format!("{} {} {title}", mark.shown(), mark.means)))
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
        for status in [Pending, Killed, Timeout, Survived, Equivalent, Duplicate, Invalid, Unfinished] {
            let mark = of_status(status);
            assert_eq!(mark.word, status.name());
            assert!(TABLE.iter().any(|(_, marks)| marks.contains(&mark)), "{mark:?}");
        }
    }
}

//! The Why panel: the mutant chosen in the list, its change in the source and in the code, why it
//! survives, and a test that would notice it.

use crate::host::measure::numbers::plural;
use crate::lang::index::{Index, MutantId};
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::report::code_diff::CodeDiffRow;
use crate::session::{Proofs, Survivors};
use crate::testing::mutation::{KillReason, QuestionAnswer};
use crate::workbench::facts::{FactMutant, FactSite};
use crate::workbench::marks;
use crate::workbench::panels::Panel;
use crate::workbench::panels::mutants::{self, NEVER_ENDS, word};
use crate::workbench::panels::page::Page;
use crate::workbench::predict::VERDICTS;
use crate::workbench::results::{MutantView, Shown};
use crate::workbench::state::State;
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::Look;

/// The maximum number of lines shown for each side of a change.
const LINES: usize = 4;
/// The cells for a line's number and sign.
const SIGNS: usize = 6;

pub fn lines(state: &State, page: &mut Page) {
    let Some(shown) = state.results.judged.as_ref() else { return };
    let Some((id, verdict)) = state.chosen_mutant() else {
        return page.prose(Look::Dim, mutants::empty(state));
    };
    let Some(mutant) = shown.mutant(id) else { return };
    let (mark, found) = (marks::of_status(verdict.status), &state.results.mutants.examined);
    if state.hides_verdict(id) {
        return guessed_first(shown, id, &mutant, page);
    }
    let word = word(id, verdict, found);
    page.row([
        (mark.look, format!("{} {word}", mark.glyph)),
        (Look::Comment, format!("  #{id} {}", mutant.operator)),
    ]);
    mutant.edits.iter().for_each(|edit| change(shown, edit, page));
    page.blank();
    match verdict {
        Verdict { status: MutantStatus::Survived, .. } if id.number() < state.results.mutants.first_order => {
            // The test first: it is what somebody does.
            let (answer, unproved) = (found.answer(id), state.unproved(id));
            let has_key = [Panel::MUTANTS, Panel::MUTANT].contains(&state.screen.focus);
            match shown.fails_in(id) {
                true => page.prose(
                    Look::Text,
                    "repair the failing tests first (alt-m): what the program returns here may be wrong",
                ),
                false => offer(answer, unproved.and_then(|(_, test)| test), has_key, page),
            }
            page.blank();
            reason(shown, found.why.get(&id).map(|why| &**why), page);
            // Once a test is known, a proof is not wanted.
            if !matches!(answer, Some(QuestionAnswer::Found(_))) {
                prover(state, unproved.map(|(said, _)| said), page);
            }
        }
        Verdict { killer: Some(killer), .. } => {
            page.prose(Look::Text, format!("noticed by {}", visible(shown.label(killer))));
            if word == NEVER_ENDS {
                page.prose(Look::Dim, "it returns to an earlier state, so it would run forever");
            }
        }
        _ if let Some(equality) = state.results.mutants.proved.equal.get(&id) => {
            page.prose(Look::Text, equality.text());
            page.prose(Look::Dim, STEPS);
        }
        Verdict { original: Some(original), .. } => {
            page.prose(Look::Text, format!("its bytecode equals that of #{original}"));
        }
        _ => page.prose(Look::Text, mark.means),
    }
    if let Some(apart) = state.mutants.view.of(shown.revision, id) {
        code("IR", &apart.ir, page);
        code("bytecode", &apart.bytecode, page);
    }
}

/// Builds the page with the change only, while the verdict is hidden.
fn guessed_first(shown: &Shown, id: MutantId, mutant: &FactMutant, page: &mut Page) {
    let mark = &marks::HIDDEN;
    page.row([(mark.look, mark.shown()), (Look::Comment, format!("  #{id} {}", mutant.operator))]);
    mutant.edits.iter().for_each(|edit| change(shown, edit, page));
    page.blank();
    page.prose(Look::Text, "alt-g: guess its verdict");
    for status in VERDICTS {
        let mark = marks::of_status(status);
        page.row([
            (mark.look, format!("{} {:<11}", mark.glyph, mark.word)),
            (Look::Dim, mark.means.to_string()),
        ]);
    }
}

/// Adds the difference between its code and the program's, in one form.
fn code(form: &str, rows: &[CodeDiffRow], page: &mut Page) {
    if rows.is_empty() {
        return;
    }
    page.blank();
    page.prose(Look::Heading, form);
    for row in rows {
        let (look, text) = match row {
            CodeDiffRow::Heading(heading) => (Look::Dim, heading.clone()),
            CodeDiffRow::Equal(text) => (Look::Dim, format!("  {text}")),
            CodeDiffRow::Removed(text) => (Look::Removed, format!("- {text}")),
            CodeDiffRow::Added(text) => (Look::Added, format!("+ {text}")),
            CodeDiffRow::Gap => (Look::Dim, "…".to_string()),
        };
        page.row([(look, visible(&text))]);
    }
}

/// Adds the lines of an edit, before and after it.
fn change(shown: &Shown, edit: &FactSite, page: &mut Page) {
    let text = &shown.compiled.text;
    let (lo, hi) = (edit.lo as usize, edit.lo as usize + edit.original.len());
    let start = text[..lo].rfind('\n').map_or(0, |at| at + 1);
    let end = text[hi..].find('\n').map_or(text.len(), |at| hi + at);
    let first = shown.place(edit.lo).0;
    let after = [&text[start..lo], &edit.replacement, &text[hi..end]].concat();
    for (look, sign, part) in [(Look::Removed, '-', &text[start..end]), (Look::Added, '+', &*after)] {
        for (number, line) in (first..).zip(part.lines()).take(LINES) {
            let mut number = if sign == '-' { number.to_string() } else { String::new() };
            // Each row of a wrapped line has the sign.
            for row in wrap(&visible(line.trim_start()), page.room().saturating_sub(SIGNS).max(1)) {
                page.prose(look, format!("{number:>3} {sign} {row}"));
                number.clear();
            }
        }
        if part.lines().count() > LINES {
            page.prose(Look::Dim, format!("{:>3} {sign} …", ""));
        }
    }
}

/// Adds why the mutant survives, and the first run in which a difference appears.
fn reason(shown: &Shown, why: Option<&KillReason>, page: &mut Page) {
    let Some(why) = why else { return };
    let is_passing = why.reached > 0 || shown.entries.iter().all(|entry| entry.outcome == Outcome::Pass);
    let text = why.text(&shown.compiled);
    page.prose(Look::Text, if is_passing { text } else { text.replacen("no test", "no passing test", 1) });
    let Some(differing) = &why.infection else { return };
    let input = shown.input(differing.entry, differing.input);
    let input = if input.is_empty() { String::new() } else { format!(" with {input}") };
    let line = shown.compiled.view().line(differing.diverges_at);
    page.prose(
        Look::Dim,
        format!("first in `{}`{input}: the runs diverge in line {line}", visible(shown.label(differing.entry))),
    );
}

/// A hint at the key that shows a proof.
const STEPS: &str = "p shows the proof step by step";

/// Adds the prover's answer, which is not a proof.
fn prover(state: &State, said: Option<&str>, page: &mut Page) {
    page.blank();
    match (said, state.results.findings.current::<Proofs>()) {
        (Some(said), _) => {
            page.prose(Look::Text, format!("prover: {}", visible(said)));
            page.prose(Look::Dim, STEPS);
        }
        (None, Some(Proofs { left, .. })) if *left > 0 => {
            page.prose(Look::Dim, format!("prover: {} to examine", plural(*left as u64, "survivor")));
        }
        _ if state.results.judged.as_ref().is_some_and(|judged| judged.has_errors()) => {
            page.prose(Look::Dim, "prover: waiting until the text compiles");
        }
        _ => {}
    }
}

/// Adds the test that would notice the mutant: of the search, or else of the prover. `has_key` says whether `t` is a command where the
/// focus is.
fn offer(answer: Option<&QuestionAnswer>, proved: Option<&str>, has_key: bool, page: &mut Page) {
    let takes = if has_key {
        "t adds this test, if it is right:"
    } else {
        "alt-y, then t, adds this test, if it is right:"
    };
    match answer {
        None | Some(QuestionAnswer::Alike { .. }) if let Some(test) = proved => {
            page.prose(Look::Text, takes);
            page.prose(Look::Added, test);
        }
        None => page.prose(Look::Dim, "searching for a test that would notice it, and why none does"),
        Some(QuestionAnswer::Found(question)) => {
            page.prose(Look::Text, takes);
            page.prose(Look::Added, &question.test);
            page.prose(Look::Dim, format!("the mutant {}", question.mutant.text()));
        }
        Some(alike) => page.prose(Look::Text, alike.text()),
    }
}

/// Why no test is offered yet.
pub const SEARCHING: &str = "still searching for a test that would notice it";

impl State {
    /// Recomputes the code difference if the user opened the panel, it is visible and another mutant is chosen. On the first
    /// screen the panel has none, because each keystroke would wait for it.
    pub fn refresh_mutant(&mut self) {
        if self.screen.recency(Panel::MUTANT) == 0 || self.layout().slot(Panel::MUTANT).is_none() {
            return;
        }
        let Some(shown) = self.results.judged.as_ref() else { return };
        let Some((id, _)) = self.chosen_mutant() else { return };
        let key = Some((shown.revision, id));
        if self.mutants.view.key != key {
            let apart = shown.apart(id).unwrap_or_default();
            self.mutants.view = MutantView { key, apart };
        }
    }

    /// Returns whether the verdicts on screen are of the text on screen.
    pub fn is_text_judged(&self) -> bool {
        self.results.judged.as_ref().is_some_and(|judged| judged.revision == self.document.revision)
    }

    /// Returns the mutant chosen in the list, if it is judged.
    pub fn chosen_mutant(&self) -> Option<(MutantId, Verdict)> {
        let id = self.listed_mutants().get(self.list(Panel::MUTANTS).selected)?;
        Some((id, *self.results.mutants.verdicts.get(id.position())?))
    }

    /// Returns the test that would notice the chosen mutant, or why none is offered.
    pub fn offered_test(&self) -> Result<&str, &'static str> {
        let current = self.is_text_judged();
        let (id, verdict) = self.chosen_mutant().ok_or("no mutant is chosen")?;
        let found = self.results.findings.current::<Survivors>();
        let proved = self.unproved(id).and_then(|(_, test)| test);
        let fails = self.results.judged.as_ref().is_some_and(|shown| shown.fails_in(id));
        match found.and_then(|found| found.answer(id)) {
            _ if self.hides_verdict(id) => Err("guess its verdict first: alt-g"),
            _ if !current => Err("the text on screen is not judged yet"),
            _ if verdict.status != MutantStatus::Survived => Err("this mutant does not survive"),
            _ if id.number() >= self.results.mutants.first_order => {
                Err("tests are offered for first-order mutants")
            }
            _ if fails => Err("a test of this function fails: repair it first (alt-m)"),
            None | Some(QuestionAnswer::Alike { .. }) if let Some(test) = proved => Ok(test),
            None => Err(SEARCHING),
            Some(QuestionAnswer::Alike { .. }) => {
                Err("no test to add: no input was found on which it differs from the program")
            }
            Some(QuestionAnswer::Found(question)) => Ok(&question.test),
        }
    }
}

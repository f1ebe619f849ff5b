//! The page of a survivor's proof: each step with its region, facts, terms and verdict.

use crate::lang::index::{Index, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::session::{Proof, Proofs};
use crate::workbench::marks;
use crate::workbench::panels::mutants::edits;
use crate::workbench::panels::page::Page;
use crate::workbench::state::State;
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// The indent of a step's lines, in cells.
const INDENT: usize = 3;

/// Why there is no proof to show yet.
const PENDING: &str = "the prover has not examined it yet: it works while nothing else is to be done";

/// Returns the lines of the chosen mutant's proof.
pub fn lines(state: &State, page: &mut Page) {
    let (Ok((id, verdict)), Some(shown)) = (state.chosen_proof(), state.results.judged.as_ref()) else {
        return page.prose(Look::Dim, "this mutant is gone: the text was judged again");
    };
    let mark = marks::of_status(verdict.status);
    if let Some(mutant) = shown.mutant(id) {
        let change: String =
            edits(shown, &mutant, page.room(), &Theme::plain()).iter().map(|span| &*span.content).collect();
        page.row([
            (mark.look, format!("{} {}  ", mark.glyph, mark.word)),
            (Look::Text, change),
            (Look::Comment, format!("  #{id} {}", mutant.operator)),
        ]);
        page.blank();
    }
    let proof = proof(state, id);
    for (number, step) in (1..).zip(proof.iter().flat_map(|proof| &proof.steps)) {
        page.prose(Look::Heading, format!("{number}. {}", visible(&step.title)));
        step.lines.iter().for_each(|line| indented(&visible(line), page));
    }
    let (look, said) = answer(state, id, verdict);
    page.prose(look, format!("Verdict: {}", visible(&said)));
}

/// Adds a line of a step. Continuation lines are indented further.
fn indented(line: &str, page: &mut Page) {
    let mut indent = INDENT + line.len() - line.trim_start().len();
    for part in wrap(line.trim_start(), page.room().saturating_sub(indent + INDENT).max(1)) {
        page.prose(Look::Text, format!("{:indent$}{part}", ""));
        indent = 2 * INDENT + line.len() - line.trim_start().len();
    }
}

/// Returns the prover's answer about a mutant.
fn proof(state: &State, id: MutantId) -> Option<&Proof> {
    state.results.findings.current::<Proofs>()?.found.get(&id).map(|proof| &**proof)
}

fn answer(state: &State, id: MutantId, verdict: Verdict) -> (Look, String) {
    if let Some(equality) = state.results.mutants.proved.equal.get(&id)
        && verdict.status != MutantStatus::Survived
    {
        return (Look::Good, equality.text());
    }
    match proof(state, id).and_then(|proof| proof.open.as_ref()) {
        Some(open) => (if open.test.is_some() { Look::Added } else { Look::Warning }, open.text.clone()),
        None => (Look::Dim, PENDING.into()),
    }
}

impl State {
    /// Returns the chosen mutant if the prover answers about it, or why it does not.
    pub fn chosen_proof(&self) -> Result<(MutantId, Verdict), &'static str> {
        let (id, verdict) = self.chosen_mutant().ok_or("no mutant is chosen")?;
        let proved = self.results.mutants.proved.equal.contains_key(&id);
        match verdict.status {
            _ if self.hides_verdict(id) => Err("guess its verdict first: alt-g"),
            MutantStatus::Survived if id.number() >= self.results.mutants.first_order => {
                Err("only first-order mutants are proved")
            }
            MutantStatus::Survived => match proof(self, id) {
                Some(_) => Ok((id, verdict)),
                None => Err(PENDING),
            },
            _ if proved => Ok((id, verdict)),
            _ => Err("only survivors are proved"),
        }
    }

    /// Returns what is known about a survivor without a proof: a sentence, and a test that notices it.
    pub fn unproved(&self, id: MutantId) -> Option<(&str, Option<&str>)> {
        let open = self.results.mutants.proofs.found.get(&id)?.open.as_ref()?;
        Some((&open.text, open.test.as_deref()))
    }
}

//! The panels of code show the program, or on request the chosen mutant's own program.

use std::sync::Arc;

use crate::lang::index::TokenId;
use crate::report::diagnostics::Diagnostic;
use crate::workbench::marks::Mark;
use crate::workbench::panels::Panel;
use crate::workbench::results::{Shown, TextDelta};
use crate::workbench::state::{OwnProgram, State, Tone};

/// The panels that show it.
const PANELS: [Panel; 4] = [Panel::TOKENS, Panel::AST, Panel::IR, Panel::BYTECODE];

impl State {
    /// Returns the program that the panels of code show.
    pub fn inspected(&self) -> Option<&Arc<Shown>> {
        self.mutants.own.as_ref().map(|own| &own.shown).or_else(|| self.shown())
    }

    /// Returns the mark of what is wrong at a token.
    pub fn flaw_of(&self, token: TokenId) -> Option<&'static Mark> {
        let span = self.shown().filter(|_| self.mutants.own.is_none() && !self.stale())?.span(token)?;
        let is_here = |problem: &&Diagnostic| {
            span.contains(&problem.span.start) || problem.span.is_empty() && problem.span.start == span.end
        };
        let number = self.results.problems.iter().position(|problem| is_here(&problem))?;
        Some(self.results.mark_of(number))
    }

    /// Returns the program's token for a token of the inspected program, or the first that a mutant replaces.
    pub fn base_token(&self, token: TokenId) -> Option<TokenId> {
        let Some(own) = &self.mutants.own else { return Some(token) };
        let start = own.shown.span(token)?.start;
        self.shown()?.token_at(own.delta.back_or_start(start))
    }

    /// Returns the inspected program's token for a token of the program.
    pub fn inspected_token(&self, token: TokenId) -> Option<TokenId> {
        let Some(own) = &self.mutants.own else { return Some(token) };
        let start = self.shown()?.span(token)?.start;
        own.shown.token_at(own.delta.forward(start))
    }

    /// Returns the end of a panel's title that names the mutant; empty if the panel shows the program.
    pub fn own_title(&self, panel: Panel) -> String {
        let own = self.mutants.own.as_ref().filter(|_| PANELS.contains(&panel));
        own.map_or(String::new(), |own| format!("of #{}", own.key.1))
    }

    /// Shows the chosen mutant's own program in the panels of code, or the program again.
    pub fn toggle_own(&mut self) {
        self.mutants.wants_own = !self.mutants.wants_own;
        self.refresh_own();
        let names = PANELS.map(|panel| panel.title()).join(", ");
        match (&self.mutants.own, self.mutants.wants_own) {
            (Some(own), _) => {
                let said = format!("{names}: of mutant #{}; v shows the program's again", own.key.1);
                self.say(Tone::Plain, said);
            }
            (None, true) => {
                self.mutants.wants_own = false;
                self.say(Tone::Bad, "the chosen mutant has no text: its two changes overlap");
            }
            (None, false) => self.say(Tone::Plain, format!("{names}: of the program again")),
        }
    }

    /// Compiles the chosen mutant if the choice has changed. An edit and predicting end the view.
    pub fn refresh_own(&mut self) {
        if !self.mutants.wants_own {
            self.mutants.own = None;
            return;
        }
        let shown = self.shown().filter(|_| self.results.is_judged() && self.predict.is_none()).cloned();
        let (Some(shown), Some((id, _))) = (shown, self.chosen_mutant()) else {
            (self.mutants.wants_own, self.mutants.own) = (false, None);
            return;
        };
        let key = (shown.revision, id);
        match &self.mutants.own {
            Some(own) if own.key == key => {}
            Some(own) if own.key.0 != shown.revision => {
                (self.mutants.wants_own, self.mutants.own) = (false, None);
            }
            _ => {
                self.mutants.own = shown.own_program(id).map(|own| {
                    let delta = TextDelta::between(&shown.compiled.text, &own.compiled.text);
                    OwnProgram { key, shown: Arc::new(own), delta }
                });
            }
        }
    }
}

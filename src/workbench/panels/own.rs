//! The panels of code show the program, or on request the chosen mutant's own program, or the code after the text's rules.

use std::sync::Arc;

use crate::lang::index::TokenId;
use crate::report::diagnostics::Diagnostic;
use crate::testing::rules::AppliedRules;
use crate::workbench::marks::Mark;
use crate::workbench::panels::Panel;
use crate::workbench::results::{Shown, TextDelta};
use crate::workbench::state::{IrView, OwnProgram, State, Tone};

/// The panels that show it.
const PANELS: [Panel; 4] = [Panel::TOKENS, Panel::AST, Panel::IR, Panel::BYTECODE];
/// Those that show the code after rules.
const CODE: [Panel; 2] = [Panel::IR, Panel::BYTECODE];

impl State {
    /// Returns the program that the panels of code show.
    pub fn inspected(&self) -> Option<&Arc<Shown>> {
        let own = self.mutants.own.as_ref().map(|own| &own.shown);
        own.or(self.rules.shown.as_ref()).or_else(|| self.shown())
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

    /// Returns the end of a panel's title that names the mutant, or the rules; empty if the panel shows the program.
    pub fn own_title(&self, panel: Panel) -> String {
        match &self.mutants.own {
            Some(own) if PANELS.contains(&panel) => format!("of #{}", own.key.1),
            None if self.rules.shown.is_some() && CODE.contains(&panel) => "with rules".to_string(),
            _ => String::new(),
        }
    }

    /// Shows the code after the rules in the panels of code, or the program's again.
    pub fn toggle_rules(&mut self) {
        self.rules.is_on = !self.rules.is_on;
        // The first pass: the first rule that fires.
        self.screen.ir_view = if self.rules.is_on { IrView::Pass(0) } else { IrView::Optimized };
        self.refresh_rules();
        self.reveal_step();
        let said = match self.rules.is_on {
            true => "IR, Bytecode: after the proved rules, each a pass, run on the processor; r: without",
            false => "IR, Bytecode: of the program without its rules again",
        };
        self.say(Tone::Plain, said);
    }

    /// Takes the code after the rules once it is known. A newer text and predicting end the view until then.
    pub fn refresh_rules(&mut self) {
        let is_on = self.rules.is_on && self.predict.is_none();
        let found = self.results.findings.current::<AppliedRules>().filter(|_| is_on);
        let found = found.filter(|_| self.shown().is_some_and(|shown| shown.is_lowered()));
        let ruled = self.rules.shown.as_ref().and_then(|shown| shown.ruled.as_ref());
        let is_same = match (found, ruled) {
            (Some(AppliedRules(rules)), Some(ruled)) => Arc::ptr_eq(rules, &ruled.rules),
            (found, ruled) => found.is_none() && ruled.is_none(),
        };
        if !is_same {
            let shown = found.zip(self.shown());
            self.rules.shown = shown.map(|(found, shown)| Arc::new(shown.with_rules(found.0.clone())));
            self.screen.steps.key = None;
        }
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

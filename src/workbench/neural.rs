//! What neural compilation has said of the function under the cursor.

use std::sync::Arc;

use crate::neural::sampling::Candidate;
use crate::session::{Finding, Wish};
use crate::synthesis::compile::Compilation;
use crate::workbench::event::Effect;
use crate::workbench::panels;
use crate::workbench::panels::Panel;
use crate::workbench::results::Shown;
use crate::workbench::router::RouterView;
use crate::workbench::state::State;

/// The function that was asked for, and the answer as far as it is in.
#[derive(Clone, Debug)]
pub struct View {
    pub revision: u64,
    pub function: u32,
    pub name: String,
    /// In the order of their coming.
    pub candidates: Vec<Candidate>,
    pub done: Option<Arc<Compilation>>,
    /// Why there is no answer.
    pub refused: Option<String>,
}

impl View {
    fn new(shown: &Shown, function: u32) -> View {
        View {
            revision: shown.revision,
            function,
            name: shown.function_name(function),
            candidates: Vec::new(),
            done: None,
            refused: None,
        }
    }
}

impl State {
    /// The function that the cursor is in, from its `fn` to its closing brace, whatever stands there; where a list has the
    /// focus, that of the selected row.
    pub fn function_under_cursor(&self) -> Option<u32> {
        let shown = self.shown()?;
        if self.focus.is_list()
            && let Some(token) = panels::token(self, self.focus, self.list(self.focus).selected)
        {
            return shown.function_of(token);
        }
        let byte = self.buffer.byte_of(self.buffer.head());
        let drift = self.results.shown_drift;
        match drift.back(byte) {
            Some(byte) => shown.function_at(byte),
            // What is new belongs to what it was written into.
            None => shown.function_around(drift.replaced()),
        }
    }

    /// Whether there are functions, and the cursor is in none of them.
    pub fn outside_functions(&self) -> bool {
        self.shown().is_some_and(|shown| shown.is_good() && shown.compiled.facts.functions > 0)
            && self.function_under_cursor().is_none()
    }

    /// The function to be compiled neurally or routed: that under the cursor while the panel shows.
    fn neural_wish(&self) -> Option<Wish> {
        let layout = self.layout();
        let routed = layout.slot(Panel::NEURAL).is_none();
        if routed {
            layout.slot(Panel::ROUTER)?;
        }
        self.shown().filter(|shown| shown.is_good())?;
        let function = self.function_under_cursor()?;
        Some(Wish { function, routed })
    }

    /// Asks the engine for another function, or for none, where that is due.
    pub(super) fn neural_wish_changed(&mut self) -> Option<Effect> {
        let wish = self.neural_wish();
        if wish == self.wish {
            return None;
        }
        self.wish = wish;
        if let (Some(wish), Some(shown)) = (wish, self.results.shown.clone()) {
            let shown = &shown;
            match wish.routed {
                true => self.results.router = Some(RouterView::new(shown, wish.function)),
                false => self.results.neural = Some(View::new(shown, wish.function)),
            }
        }
        Some(Effect::Neural(wish))
    }

    /// Takes the engine's word on a function of the program that is shown.
    pub(super) fn neural_finding(&mut self, revision: u64, function: u32, finding: Finding) {
        if let Finding::Routed(routing) = finding {
            return self.routing_finding(revision, function, routing);
        }
        let Some(shown) = self.results.shown.clone().filter(|shown| shown.revision == revision) else { return };
        let view = &mut self.results.neural;
        let fits = view.as_ref().is_some_and(|view| view.revision == revision && view.function == function);
        if !fits || matches!(finding, Finding::Begun) {
            *view = Some(View::new(&shown, function));
        }
        let Some(view) = view else { return };
        match finding {
            Finding::Begun | Finding::Routed(_) => {}
            Finding::Candidate(candidate) => view.candidates.push(candidate),
            Finding::Done(done) => view.done = Some(done),
            Finding::Refused(why) => view.refused = Some(why),
        }
    }
}

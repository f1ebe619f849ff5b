//! What the hybrid compiler's router has said of the function under the cursor.

use std::sync::Arc;

use crate::hybrid::Outcome;
use crate::session::Routing;
use crate::workbench::results::Shown;
use crate::workbench::state::State;

/// The function that was asked for, and the answer as far as it is in.
#[derive(Clone, Debug)]
pub struct RouterView {
    pub revision: u64,
    pub function: u32,
    pub name: String,
    /// What algorithm 3 made of it.
    pub outcome: Option<Arc<Outcome>>,
    /// The first candidate that passed the tests: shown until the final result is there.
    pub provisional: bool,
    /// What the neural path makes of it, where algorithm 3 did not take it.
    pub other: Option<Arc<Outcome>>,
    /// Whether there is more to come.
    pub waits: bool,
}

impl RouterView {
    pub fn new(shown: &Shown, function: u32) -> RouterView {
        RouterView {
            revision: shown.revision,
            function,
            name: shown.function_name(function),
            outcome: None,
            provisional: false,
            other: None,
            waits: true,
        }
    }
}

impl State {
    /// Takes the engine's word on a function of the program that is shown.
    pub(super) fn routing_finding(&mut self, revision: u64, function: u32, finding: Routing) {
        let Some(shown) = self.results.shown.clone().filter(|shown| shown.revision == revision) else { return };
        let view = &mut self.results.router;
        let fits = view.as_ref().is_some_and(|view| view.revision == revision && view.function == function);
        if !fits || matches!(finding, Routing::Begun) {
            *view = Some(RouterView::new(&shown, function));
        }
        let Some(view) = view else { return };
        match finding {
            Routing::Begun => {}
            Routing::Provisional => view.provisional = true,
            Routing::Final(outcome) => view.outcome = Some(outcome),
            Routing::Counterfactual(other) => view.other = Some(other),
            Routing::Done => view.waits = false,
        }
    }
}

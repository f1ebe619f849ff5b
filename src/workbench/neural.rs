//! What neural compilation has said of the function under the cursor.

use std::sync::Arc;

use super::event::Effect;
use super::panels::Panel;
use super::results::Shown;
use super::router::RouterView;
use super::state::State;
use crate::engine::session::{Finding, Wish};
use crate::neural::compile::Compilation;
use crate::neural::sampling::Candidate;

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
    /// The function to be compiled neurally or routed: that under the cursor while the panel shows, the last one asked for
    /// while the cursor is in none. Nothing while the panel is hidden.
    fn neural_wish(&self) -> Option<Wish> {
        let layout = self.layout();
        let routed = layout.slot(Panel::Neural).is_none();
        if routed {
            layout.slot(Panel::Router)?;
        }
        let shown = self.shown().filter(|shown| shown.is_good())?;
        let count = shown.compiled.facts.functions;
        let under = self.followed.and_then(|link| shown.function_of(link.token));
        let last = match routed {
            true => self.results.router.as_ref().map(|view| view.function),
            false => self.results.neural.as_ref().map(|view| view.function),
        };
        let function = under.or(last).filter(|&function| function < count).or((count > 0).then_some(0))?;
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

impl Shown {
    /// The function whose source a token belongs to.
    pub fn function_of(&self, token: u32) -> Option<u32> {
        let functions = 0..self.compiled.facts.functions;
        functions.into_iter().find(|&function| {
            let head = self.compiled.routines.token[function as usize];
            let (lo, hi) = self.extent_tokens(head);
            lo <= token && token < hi
        })
    }

    /// A function's name.
    pub fn function_name(&self, function: u32) -> String {
        let head = self.compiled.routines.token.get(function as usize);
        let span = head.and_then(|&head| self.span(head + 1));
        span.and_then(|span| self.compiled.text.get(span)).unwrap_or("").to_string()
    }
}

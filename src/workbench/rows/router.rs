//! Router: where hybrid compilation sends the function under the cursor, why, and what the other path would cost.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::draw::wrap;
use super::super::router::RouterView;
use super::super::state::State;
use crate::hybrid::features::Feature;
use crate::hybrid::router::{K, Path, threshold, with_prefix};
use crate::hybrid::{Outcome, Times};
use crate::report::origin::Origin;

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(view) = &state.results.router else { return Vec::new() };
    let mut page = Page { theme, width, lines: Vec::new() };
    match &view.outcome {
        Some(outcome) => page.outcome(view, outcome),
        None if view.provisional => {
            page.push(Look::Warning, format!("{}: provisional: it passes the tests", view.name))
        }
        None => {
            page.push(Look::Heading, format!("{}: waits until the engine has nothing else to do", view.name))
        }
    }
    page.lines
}

/// Lines that grow.
struct Page<'a> {
    theme: &'a Theme,
    width: usize,
    lines: Vec<Line<'static>>,
}

impl Page<'_> {
    fn push(&mut self, look: Look, text: String) {
        self.lines.push(Line::from(Span::styled(text, self.theme.style(look))));
    }
    /// Sentences, broken between words where a line is full.
    fn prose(&mut self, look: Look, text: &str) {
        for line in wrap(text, self.width.saturating_sub(2)) {
            self.push(look, line);
        }
    }

    fn outcome(&mut self, view: &RouterView, outcome: &Outcome) {
        let decision = &outcome.decision;
        self.push(Look::Heading, format!("{}: {}", view.name, outcome.path.ident()));
        let look = if outcome.path == Path::Neural { Look::Good } else { Look::Text };
        self.prose(look, &outcome.reason);
        self.prose(Look::Dim, &outcome.evidence.to_string());
        self.prose(
            Look::Text,
            &format!(
                "score {}, θ {}; success within {K}: p {:.2} ({})",
                decision.score,
                threshold(decision.theta),
                decision.probability(),
                Origin::Modelled
            ),
        );
        self.lines.push(Line::default());
        self.costs(view, outcome);
        self.lines.push(Line::default());
        for feature in Feature::ALL {
            let value = outcome.features[*feature as usize];
            let room = self.width.saturating_sub(20).min(32);
            let bar = (value as usize).min(room);
            let spans = [
                (Look::Dim, format!("{:<10}", feature.name())),
                (Look::Number, format!("{value:>5}  ")),
                (Look::Bar, "▆".repeat(bar)),
            ];
            let style = |(look, text)| Span::styled(text, self.theme.style(look));
            self.lines.push(Line::from(spans.map(style).to_vec()));
        }
    }

    /// What it took, and what the other path takes.
    fn costs(&mut self, view: &RouterView, outcome: &Outcome) {
        let decision = &outcome.decision;
        self.prose(Look::Text, &format!("took {} ({})", took(&outcome.times), Origin::Measured));
        match (&view.other, view.waits) {
            (Some(other), _) => {
                let best = other.compilation.as_ref().and_then(|compilation| compilation.found.best());
                let found = match (&other.compilation, best) {
                    (None, _) => other.reason.clone(),
                    (_, None) => "no correct candidate".to_string(),
                    (_, Some(best)) => best.evidence.to_string(),
                };
                self.prose(
                    Look::Text,
                    &format!("the neural path takes {} ({}): {found}", took(&other.times), Origin::Measured),
                );
            }
            (None, true) if outcome.times.neural.is_none() => self.prose(Look::Dim, "trying the neural path …"),
            _ => {}
        }
        self.prose(
            Look::Dim,
            &format!(
                "expected {}; by the other path {} ({})",
                decision.amount(decision.expected()),
                decision.amount(decision.counterfactual()),
                Origin::Modelled
            ),
        );
    }
}

/// Times in words.
fn took(times: &Times) -> String {
    let seconds = |time: std::time::Duration| with_prefix(time.as_secs_f64(), "s");
    let mut parts = vec![format!("routing {}", seconds(times.routing))];
    for (name, time) in [("neural", times.neural), ("traditional", times.traditional)] {
        parts.extend(time.map(|time| format!("{name} {}", seconds(time))));
    }
    parts.join(", ")
}

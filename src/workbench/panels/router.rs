//! The Router panel: where hybrid compilation sends the function under the cursor, why, and the cost of the
//! other path.

use crate::compiler::stage::route::features::Feature;
use crate::host::measure::numbers::grouped;
use crate::host::measure::origin::Origin;
use crate::learned::hybrid::objective::{Executions, Way};
use crate::learned::hybrid::router::{Path, SKILL, threshold, with_prefix};
use crate::learned::hybrid::{CompileOutcome, Decision, Times};
use crate::session::Routing;
use crate::workbench::panels::figures::{ms, short_time};
use crate::workbench::panels::function;
use crate::workbench::panels::page::{Page, WAITS};
use crate::workbench::state::State;
use crate::workbench::theme::Look;

/// The value of a feature with the longest bar; each unit is one cell.
const LONGEST: usize = 32;

pub fn lines(state: &State, page: &mut Page) {
    function::lines(state, page, |name, found, page| match found {
        Some(Routing { outcome: Some(found), other, done, .. }) => {
            outcome(name, found, other.as_deref(), *done, page)
        }
        Some(Routing { provisional: true, .. }) => {
            page.prose(Look::Warning, format!("{name}: provisional: it passes the tests"))
        }
        _ => page.prose(Look::Heading, format!("{name}: {WAITS}")),
    })
}

/// Adds a function's outcome, and the other path's if known. `done` means that no more will arrive.
fn outcome(name: &str, outcome: &CompileOutcome, other: Option<&CompileOutcome>, done: bool, page: &mut Page) {
    let decision = &outcome.decision;
    page.prose(Look::Heading, format!("{name}: {}", outcome.path.ident()));
    let look = if outcome.path == Path::Neural { Look::Good } else { Look::Text };
    page.prose(look, &outcome.reason);
    page.prose(Look::Dim, outcome.evidence.to_string());
    page.prose(Look::Text, format!("θ {}, {}", threshold(decision.theta), decision.prediction()));
    if decision.refused.is_none() {
        page.prose(Look::Dim, SKILL);
    }
    page.blank();
    ways(decision, page);
    costs(outcome, other, done, page);
    page.blank();
    for feature in Feature::ALL {
        let value = outcome.features[*feature as usize];
        let parts = [(Look::Dim, format!("{:<10}", feature.name())), (Look::Number, format!("{value:>5}  "))];
        page.bar(parts, f64::from(value) / LONGEST as f64, LONGEST);
    }
}

/// Adds the expected cost of each way: compiling, and executing the code.
fn ways(decision: &Decision, page: &mut Page) {
    let Some(all) = &decision.comparison else { return };
    let Executions { tests, mutants, .. } = all.executions;
    page.prose(
        Look::Text,
        format!(
            "{} executions by tests and properties, {} by mutants of other functions; a step costs {}",
            grouped(tests.round() as u64),
            grouped(mutants.round() as u64),
            decision.amount(all.step)
        ),
    );
    page.row([(Look::Dim, format!("{:<8} {:>9}  {:>9} + {:<9}", "way", "cost", "compile", "execute"))]);
    for way in Way::ALL.into_iter().filter(|way| all.allowed[way.place()]) {
        let look = if way == all.best() { Look::Good } else { Look::Text };
        let terms = all.ways[way.place()];
        page.row([
            (look, format!("{way:<8} {:>9}", decision.amount(all.total(way)))),
            (
                Look::Dim,
                format!(
                    "  {:>9} + {:<9} {:.1} steps",
                    decision.amount(terms.compile.value),
                    decision.amount(all.execution(way)),
                    terms.steps.value
                ),
            ),
        ]);
    }
    page.blank();
}

/// Adds the time taken, and the time of the other path.
fn costs(outcome: &CompileOutcome, other: Option<&CompileOutcome>, done: bool, page: &mut Page) {
    let decision = &outcome.decision;
    page.prose(Look::Text, format!("took {} ({})", took(&outcome.times), Origin::Measured));
    match (other, done) {
        (Some(other), _) => {
            let best = other.compilation.as_ref().and_then(|compilation| compilation.found.leading());
            let found = match (&other.compilation, best) {
                (None, _) => other.reason.clone(),
                (_, None) => "no correct candidate".to_string(),
                (_, Some(best)) => best.evidence.to_string(),
            };
            page.prose(
                Look::Text,
                format!("the neural path takes {} ({}): {found}", took(&other.times), Origin::Measured),
            );
        }
        (None, false) if outcome.times.neural.is_none() => page.prose(Look::Dim, "trying the neural path …"),
        _ => {}
    }
    let expected = decision.amount(decision.expected());
    let other = decision
        .counterfactual()
        .map_or(String::new(), |cost| format!("; by the other path {}", decision.amount(cost)));
    page.prose(Look::Dim, format!("expected {expected}{other} ({})", Origin::Modelled));
}

/// Describes times. The candidates' own time is part of the search's.
fn took(times: &Times) -> String {
    let seconds = |time: std::time::Duration| with_prefix(time.as_secs_f64(), "s");
    let mut parts = vec![format!("routing {}", seconds(times.routing))];
    if let Some(search) = times.neural {
        let candidates = times.candidates.map_or(String::new(), |time| {
            format!(" (of it T_neural({}) {})", time.k, short_time(ms(time.total())))
        });
        parts.push(format!("a search to its evidence {}{candidates}", short_time(ms(search))));
    }
    parts.extend(times.traditional.map(|time| format!("traditional {}", seconds(time))));
    parts.join(", ")
}

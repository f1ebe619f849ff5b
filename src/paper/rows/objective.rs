//! The cost of each way to get the functions' code by the router's objective, next to the decisions of algorithm 3.

use super::super::measured::Measured;
use super::super::objective::{Totals, Ways};
use super::super::table::{Row, Section};
use crate::host::measure::quantity::Unit;
use crate::learned::hybrid::objective::Way;
use crate::learned::hybrid::regret::Case;
use crate::learned::hybrid::router::threshold;

pub fn section(m: &Measured) -> Section {
    let section = Section {
        formula: "cost = compile + executions · steps · time of a step",
        ..Section::named("objective", "the router's objective, all functions together")
    };
    let Some(ways) = m.ways.as_ref().filter(|ways| !ways.cases.is_empty()) else {
        return section.row(Row::new("cost", Unit::Milliseconds).note("not measured"));
    };
    let fixed = m.hybrid.map(|hybrid| hybrid.theta);
    section
        .rows(Way::ALL.map(|way| of_way(ways, way)))
        .row(
            cost("the router's choices", ways.total(&Case::chosen))
                .note("the least expected cost of each function"),
        )
        .row(by_threshold(ways, "algorithm 3, tuned θ", ways.tuned))
        .rows(fixed.map(|theta| by_threshold(ways, "algorithm 3, p_simple as in (14)", theta)))
        .row(
            Row::new("best choices in hindsight", Unit::Milliseconds)
                .measured_once(1e3 * ways.total(&|case| case.actual.best()).measured),
        )
        .rows(ways.cases.iter().map(|case| of_function(ways, case)))
        .finding(finding(ways))
}

fn cost(name: &str, totals: Totals) -> Row {
    Row::new(name, Unit::Milliseconds).modelled(1e3 * totals.expected).measured_once(1e3 * totals.measured)
}

fn of_way(ways: &Ways, way: Way) -> Row {
    let row = cost(&format!("{way} for all"), ways.of_way(way));
    match ways.cases.iter().filter(|case| !case.actual.allowed[way.place()]).count() {
        0 => row,
        all if all == ways.cases.len() => Row::new(row.name, row.unit).note("not measured"),
        without => {
            row.note(format!("{without} of {} functions at level {}", ways.cases.len(), ways.own.number()))
        }
    }
}

fn by_threshold(ways: &Ways, name: &str, theta: f64) -> Row {
    cost(name, ways.total(&|case| case.by_threshold(theta, ways.own))).note(format!(
        "θ {}: {} of {} to the network",
        threshold(theta),
        ways.sent(theta),
        ways.cases.len()
    ))
}

/// The choices for a function: the router's as modelled, the best in hindsight as measured.
fn of_function(ways: &Ways, case: &Case) -> Row {
    let path = case.by_threshold(ways.tuned, ways.own).path().ident();
    Row::new(case.function.clone(), Unit::Count)
        .modelled_as(case.chosen().to_string())
        .measured_as(format!("best: {}", case.actual.best()))
        .note(format!("algorithm 3: {path}"))
}

/// Compares the router's choices with those of algorithm 3.
fn finding(ways: &Ways) -> String {
    let own = ways.total(&Case::chosen).measured;
    let paper = ways.total(&|case| case.by_threshold(ways.tuned, ways.own)).measured;
    let ms = |seconds: f64| Unit::Milliseconds.show(1e3 * seconds);
    let less = if own <= paper { "no more than" } else { "more than" };
    format!(
        "The router's choices cost {} here, {less} those of algorithm 3 ({}). Algorithm 3 compares times to compile only, and does not count \
         executions.",
        ms(own),
        ms(paper)
    )
}

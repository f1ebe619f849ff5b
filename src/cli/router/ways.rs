//! The costs of all ways to get a function's code.

use std::fmt::Write;

use serde::Serialize;

use crate::host::measure::origin::Origin;
use crate::learned::hybrid::objective::{Comparison, Figure, Way, workload};
use crate::learned::hybrid::router::{Objective, with_prefix};

/// The costs of a function, in the unit of the document's costs.
#[derive(Serialize)]
pub struct Costs {
    executions: Executions,
    /// The cost of a step.
    step: f64,
    ways: Vec<Row>,
}

#[derive(Serialize)]
struct Executions {
    /// By tests and all inputs of properties.
    tests: f64,
    /// By mutants of other functions.
    mutants: f64,
    /// By the user's call.
    calls: f64,
}

/// One way.
#[derive(Serialize)]
struct Row {
    way: &'static str,
    /// Whether it can be chosen.
    allowed: bool,
    compile: f64,
    compile_origin: Origin,
    /// Of an execution.
    steps: f64,
    steps_origin: Origin,
    /// The cost of all executions, and with that of compiling.
    execution: f64,
    total: f64,
}

impl Costs {
    pub fn new(all: &Comparison) -> Costs {
        let row = |way: Way| {
            let terms = all.ways[way.place()];
            let Figure { value: compile, origin: compile_origin } = terms.compile;
            let Figure { value: steps, origin: steps_origin } = terms.steps;
            Row {
                way: way.ident(),
                allowed: all.allowed[way.place()],
                compile,
                compile_origin,
                steps,
                steps_origin,
                execution: all.execution(way),
                total: all.total(way),
            }
        };
        let workload::Executions { tests, mutants, calls } = all.executions;
        let executions = Executions { tests, mutants, calls };
        Costs { executions, step: all.step, ways: Way::ALL.map(row).into() }
    }
}

/// The table of a function's costs.
pub fn table(all: &Comparison, objective: Objective) -> String {
    let amount = |value: f64| with_prefix(value, objective.unit());
    let mut page = format!(
        "  {:.0} executions: {:.0} by tests and properties, {:.0} by mutants of other functions; a step costs {} ({})\n",
        all.executions.all(),
        all.executions.tests,
        all.executions.mutants,
        amount(all.step),
        if objective == Objective::Time { Origin::Measured } else { Origin::Modelled }
    );
    page.push_str("  way       to compile      steps   execution       cost\n");
    for way in Way::ALL.into_iter().filter(|way| all.allowed[way.place()]) {
        let terms = all.ways[way.place()];
        let _ = write!(
            page,
            "  {:<8} {:>11} {:>10.1} {:>11} {:>10}",
            way.to_string(),
            amount(terms.compile.value),
            terms.steps.value,
            amount(all.execution(way)),
            amount(all.total(way))
        );
        page.push_str(if way == all.best() { "  least expected\n" } else { "\n" });
    }
    page
}

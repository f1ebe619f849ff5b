//! The costs of all ways to get a function's code.

use crate::host::measure::origin::Origin;
use crate::learned::hybrid::objective::{Comparison, Way};
use crate::learned::hybrid::router::{Objective, with_prefix};
use crate::report::document::Object;
use crate::report::table::{Table, number, words};

/// Returns the costs of a function, in the unit of the document's costs.
pub fn costs(all: &Comparison) -> Object {
    // By tests and all inputs of properties, by mutants of other functions, and by the user's call.
    let executions = Object::new()
        .field("tests", all.executions.tests)
        .field("mutants", all.executions.mutants)
        .field("calls", all.executions.calls);
    let row = |way: Way| {
        let terms = all.ways[way.place()];
        Object::new()
            .field("way", way.ident())
            // Whether it can be chosen.
            .field("allowed", all.allowed[way.place()])
            .field("compile", terms.compile.value)
            .field("compile_origin", terms.compile.origin)
            // Of an execution.
            .field("steps", terms.steps.value)
            .field("steps_origin", terms.steps.origin)
            // The cost of all executions, and with that of compiling.
            .field("execution", all.execution(way))
            .field("total", all.total(way))
    };
    Object::new().field("executions", executions).field("step", all.step).list("ways", Way::ALL.map(row))
}

/// The table of a function's costs.
pub fn table(all: &Comparison, objective: Objective) -> String {
    let amount = |value: f64| with_prefix(value, objective.unit());
    let page = format!(
        "  {:.0} executions: {:.0} by tests and properties, {:.0} by mutants of other functions; a step costs {} ({})\n",
        all.executions.all(),
        all.executions.tests,
        all.executions.mutants,
        amount(all.step),
        if objective == Objective::Time { Origin::Measured } else { Origin::Modelled }
    );
    let numbers = ["to compile", "steps", "execution", "cost"].map(number);
    let mut table = Table::new([words("way")].into_iter().chain(numbers).chain([words("")]));
    for way in Way::ALL.into_iter().filter(|way| all.allowed[way.place()]) {
        let terms = all.ways[way.place()];
        let [compile, execution, cost] = [terms.compile.value, all.execution(way), all.total(way)].map(amount);
        let least = if way == all.best() { "least expected" } else { "" };
        table.row(&[&way, &compile, &format!("{:.1}", terms.steps.value), &execution, &cost, &least]);
    }
    page + &table.text("  ")
}

//! Parses the operators that a call names, and lists all of them.

use crate::cli::args::Common;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::lang::mutation::Operator;
use crate::report::document::Object;
use crate::report::table::{Table, words};
use crate::report::visible::visible;

/// Parses the operator names; without names, returns all operators.
pub fn operators(names: &[String]) -> Result<Vec<Operator>, Failure> {
    if names.is_empty() {
        return Ok(Operator::ALL.to_vec());
    }
    let known = |name: &String| {
        Operator::from_name(name.trim()).ok_or_else(|| {
            Failure::call(
                format!("there is no mutation operator `{}`", visible(name.trim())),
                format!("these are the operators:\n{}", operators_text().trim_end()),
            )
        })
    };
    names.iter().map(known).collect()
}

/// Formats all operators with their changes, one per line.
fn operators_text() -> String {
    let mut table = Table::new([words(""), words(""), words("")]);
    for operator in Operator::ALL {
        table.row(&[&operator.name(), &operator.group().name(), &operator.summary()]);
    }
    table.text("  ")
}

pub fn list_operators(common: Common) -> Result<Exit, Failure> {
    let row = |operator: &Operator| {
        let name = Object::new().field("name", operator.name()).field("group", operator.group().name());
        name.field("changes", operator.summary())
    };
    let document = Object::of_call().list("operators", Operator::ALL.iter().map(row));
    output::print_result(common.format, &operators_text(), &document)
}

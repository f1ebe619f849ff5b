//! Parses the operators that a call names, and lists all of them.

use std::fmt::Write;

use serde::Serialize;

use crate::cli::args::{Common, Format};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::lang::mutation::Operator;
use crate::report::document;
use crate::report::visible::visible;

/// The list of operators in JSON.
#[derive(Serialize)]
struct OperatorsDocument {
    version: u32,
    /// Always empty: operators concern no file.
    files: [(); 0],
    operators: Vec<OperatorRow>,
}

#[derive(Serialize)]
struct OperatorRow {
    name: &'static str,
    group: &'static str,
    changes: &'static str,
}

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
    let width = Operator::ALL.iter().map(|operator| operator.name().len()).max().unwrap_or(0);
    Operator::ALL.iter().fold(String::new(), |mut text, operator| {
        let group = operator.group().name();
        let _ = writeln!(text, "  {:<width$}  {group:<7}  {}", operator.name(), operator.summary());
        text
    })
}

pub fn list_operators(common: Common) -> Result<Exit, Failure> {
    let text = match common.format {
        Format::Text => operators_text(),
        Format::Json => {
            let row = |operator: &Operator| OperatorRow {
                name: operator.name(),
                group: operator.group().name(),
                changes: operator.summary(),
            };
            let operators = Operator::ALL.iter().map(row).collect();
            document::json(&OperatorsDocument { version: document::VERSION, files: [], operators }) + "\n"
        }
    };
    output::print(&text)?;
    Ok(Exit::Good)
}

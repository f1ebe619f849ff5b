//! `myriad explain NAME`: diagnostics, passes, instructions, traps, mutation operators, repair rules, syntax and marks.

use super::args::Common;
use super::exit::{Exit, Failure};
use super::output;
use crate::lang::diagnostic::Code;
use crate::report::document::Object;
use crate::report::explain;
use crate::report::explain::PassPage;
use crate::report::names::nearest;
use crate::report::visible::visible;
use crate::testing::mutation::repair::Rule;
use crate::workbench::explained::ExplainedPlace;
use crate::workbench::marks::Mark;

/// Returns a line for each name, by kind.
fn list(found: &ExplainedPlace) -> String {
    let codes = found.codes.iter().map(|code| ("Diagnostics", code.code(), code.title().to_string()));
    let passes =
        found.passes.iter().map(|page| ("Passes of the optimizer", page.name, page.summary.to_string()));
    let terms = found.terms.iter().map(|page| (page.kind, page.name, page.summary.clone()));
    let marks = found.marks.iter().map(|(place, mark)| {
        (*place, if mark.glyph.is_empty() { mark.word } else { mark.glyph }, mark.means.to_string())
    });
    let mut page = String::new();
    let mut kind = "";
    for (own, name, summary) in codes.chain(passes).chain(terms).chain(marks) {
        if own != kind {
            let heading = match own {
                "instruction" => "Instructions",
                "trap" => "Traps",
                "mutation operator" => "Mutation operators",
                "repair rule" => "Repair rules",
                "syntax" => "Nodes of the syntax tree",
                other => other,
            };
            page += &format!("{}{heading}:\n\n", if page.is_empty() { "" } else { "\n" });
            kind = own;
        }
        page += &format!("{name:<24}  {summary}\n");
    }
    page
}

/// Explains everything with a name, or lists all names.
pub fn explain(common: Common, name: Option<&str>) -> Result<Exit, Failure> {
    let found = name.map_or_else(ExplainedPlace::all, ExplainedPlace::named);
    if found.is_empty() {
        return Err(unknown(name.unwrap_or_default()));
    }
    let text = if name.is_some() { found.pages() } else { list(&found) };
    output::print_result(common.format, &text, &document(&found))
}

fn document(found: &ExplainedPlace) -> Object {
    let code = |code: &Code| {
        Object::new()
            .field("code", code.code())
            .field("severity", if code.is_error() { "error" } else { "warning" })
            .field("title", code.title())
            .field("text", explain::text(*code))
    };
    let pass = |page: &PassPage| {
        Object::new()
            .field("name", page.name)
            // The lowest level that runs it.
            .field("level", page.level.number())
            .field("summary", page.summary)
            .field("text", page.text.trim())
            .field("example", page.example)
            .field("before", &page.before)
            .field("after", &page.after)
    };
    let mark = |(place, mark): &(&str, &Mark)| {
        let glyph = Object::new().field("glyph", mark.glyph).field("word", mark.word);
        glyph.field("place", place).field("means", mark.means)
    };
    Object::of_call()
        .list("explain", found.codes.iter().map(code))
        .list("passes", found.passes.iter().map(pass))
        .list("terms", &found.terms)
        .list("marks", found.marks.iter().map(mark))
}

fn unknown(text: &str) -> Failure {
    let names: Vec<&str> = explain::names().chain(Rule::ALL.iter().map(|rule| rule.name())).collect();
    let lists =
        "`myriad explain` lists all codes, passes, instructions, traps, operators, rules, syntax and marks";
    let help = match nearest(text, &names) {
        Some(name) => format!("did you mean `myriad explain {name}`? {lists}"),
        None => lists.to_string(),
    };
    Failure::call(format!("nothing is named `{}`", visible(text)), help)
}

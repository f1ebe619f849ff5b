//! `myriad explain NAME`: diagnostics, passes, instructions, traps, mutation operators, repair rules, syntax and marks.

use serde::Serialize;

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::output;
use crate::lang::diagnostic::Code;
use crate::report::explain::{PassPage, TermPage};
use crate::report::names::nearest;
use crate::report::visible::visible;
use crate::report::{document, explain};
use crate::testing::mutation::repair::Rule;
use crate::workbench::explained::Found;
use crate::workbench::marks;

#[derive(Serialize)]
struct Document {
    version: u32,
    /// Always empty: explanations concern no file.
    files: [(); 0],
    explain: Vec<Entry>,
    passes: Vec<Pass>,
    terms: Vec<Term>,
    marks: Vec<Mark>,
}

#[derive(Serialize)]
struct Entry {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    text: String,
}

#[derive(Serialize)]
struct Pass {
    name: &'static str,
    /// The lowest level that runs it.
    level: u32,
    summary: &'static str,
    text: &'static str,
    example: &'static str,
    before: String,
    after: String,
}

#[derive(Serialize)]
struct Term {
    kind: &'static str,
    name: &'static str,
    summary: String,
    text: String,
    example: String,
    shown: String,
}

/// A mark on screen.
#[derive(Clone, Serialize)]
struct Mark {
    glyph: &'static str,
    word: &'static str,
    /// Where it appears.
    place: &'static str,
    means: &'static str,
}

impl From<(&'static str, &'static marks::Mark)> for Mark {
    fn from((place, mark): (&'static str, &'static marks::Mark)) -> Mark {
        Mark { glyph: mark.glyph, word: mark.word, place, means: mark.means }
    }
}

impl From<TermPage> for Term {
    fn from(page: TermPage) -> Term {
        let TermPage { kind, name, summary, text, example, shown } = page;
        Term { kind, name, summary, text, example, shown }
    }
}

impl From<PassPage> for Pass {
    fn from(page: PassPage) -> Pass {
        let PassPage { name, summary, level, text, example, before, after } = page;
        Pass { name, level: level.number(), summary, text: text.trim(), example, before, after }
    }
}

/// Returns a line for each name, by kind.
fn list(found: &Found) -> String {
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
    let found = name.map_or_else(Found::all, Found::named);
    if found.is_empty() {
        return Err(unknown(name.unwrap_or_default()));
    }
    let page = match common.format {
        Format::Json => document(found),
        Format::Text if name.is_some() => found.pages(),
        Format::Text => list(&found),
    };
    output::print(&page)?;
    Ok(Exit::Good)
}

fn document(found: Found) -> String {
    let entry = |code: Code| Entry {
        code: code.code(),
        severity: if code.is_error() { "error" } else { "warning" },
        title: code.title(),
        text: explain::text(code),
    };
    let document = Document {
        version: document::VERSION,
        files: [],
        explain: found.codes.into_iter().map(entry).collect(),
        passes: found.passes.into_iter().map(Pass::from).collect(),
        terms: found.terms.into_iter().map(Term::from).collect(),
        marks: found.marks.into_iter().map(Mark::from).collect(),
    };
    document::json(&document) + "\n"
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

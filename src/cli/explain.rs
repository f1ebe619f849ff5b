//! `myriad explain CODE`.

use serde::Serialize;

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::output;
use crate::lang::diagnostic::Code;
use crate::report::{document, explain};

#[derive(Serialize)]
struct Document {
    version: u32,
    /// Always empty: explanations concern no file.
    files: [(); 0],
    explain: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    text: String,
}

/// Explains one code, or lists all.
pub fn explain(common: Common, code: Option<&str>) -> Result<Exit, Failure> {
    let all: Vec<Code> = Code::ALL.iter().copied().filter(|code| *code != Code::None).collect();
    let wanted = match code {
        None => all,
        Some(text) => vec![Code::from_code(text).ok_or_else(|| unknown(text))?],
    };
    match common.format {
        Format::Json => {
            let entries = wanted.iter().map(|code| Entry {
                code: code.code(),
                severity: if code.is_error() { "error" } else { "warning" },
                title: code.title(),
                text: explain::text(*code),
            });
            let document = Document { version: document::VERSION, files: [], explain: entries.collect() };
            output::print(&(document::json(&document) + "\n"))?;
        }
        Format::Text if code.is_some() => {
            output::print(&explain::text(wanted[0]))?;
        }
        Format::Text => {
            let lines = wanted.iter().map(|code| format!("{}  {}\n", code.code(), code.title()));
            output::print(&lines.collect::<String>())?;
        }
    }
    Ok(Exit::Good)
}

fn unknown(text: &str) -> Failure {
    Failure::call(format!("there is no code `{text}`"), "`myriad explain` lists all codes, such as E0401")
}

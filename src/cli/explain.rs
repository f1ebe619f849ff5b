//! `myriad explain CODE` and `myriad explain PASS`.

use serde::Serialize;

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::output;
use crate::lang::diagnostic::Code;
use crate::report::explain::PassPage;
use crate::report::names::nearest;
use crate::report::visible::visible;
use crate::report::{document, explain, steps};

#[derive(Serialize)]
struct Document {
    version: u32,
    /// Always empty: explanations concern no file.
    files: [(); 0],
    explain: Vec<Entry>,
    passes: Vec<Pass>,
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

impl From<PassPage> for Pass {
    fn from(page: PassPage) -> Pass {
        let PassPage { name, summary, level, text, example, before, after } = page;
        Pass { name, level: level.number(), summary, text: text.trim(), example, before, after }
    }
}

/// Explains one code or pass, or lists all.
pub fn explain(common: Common, name: Option<&str>) -> Result<Exit, Failure> {
    let (codes, passes) = match name {
        None => {
            let codes = Code::ALL.iter().copied().filter(|code| *code != Code::None).collect();
            (codes, steps::names().filter_map(PassPage::of).collect())
        }
        Some(text) => find(text).ok_or_else(|| unknown(text))?,
    };
    let page = match common.format {
        Format::Json => {
            let entry = |code: Code| Entry {
                code: code.code(),
                severity: if code.is_error() { "error" } else { "warning" },
                title: code.title(),
                text: explain::text(code),
            };
            let explain = codes.into_iter().map(entry).collect();
            let passes = passes.into_iter().map(Pass::from).collect();
            document::json(&Document { version: document::VERSION, files: [], explain, passes }) + "\n"
        }
        Format::Text if name.is_some() => {
            let codes = codes.into_iter().map(explain::text);
            codes.chain(passes.iter().map(PassPage::markdown)).collect()
        }
        Format::Text => {
            let codes = codes.iter().map(|code| format!("{}  {}\n", code.code(), code.title()));
            let passes = passes.iter().map(|page| format!("{:<11}  {}\n", page.name, page.summary));
            codes.chain(["\nPasses of the optimizer:\n\n".to_string()]).chain(passes).collect()
        }
    };
    output::print(&page)?;
    Ok(Exit::Good)
}

/// Returns the code or the pass with this name.
fn find(text: &str) -> Option<(Vec<Code>, Vec<PassPage>)> {
    match Code::from_code(text) {
        Some(code) => Some((vec![code], vec![])),
        None => PassPage::of(&text.to_lowercase()).map(|page| (vec![], vec![page])),
    }
}

fn unknown(text: &str) -> Failure {
    let codes = Code::ALL.iter().filter(|code| **code != Code::None).map(|code| code.code());
    let names: Vec<&str> = steps::names().chain(codes).collect();
    let lists = "`myriad explain` lists all codes and passes, such as E0401 and inline";
    let help = match nearest(text, &names) {
        Some(name) => format!("did you mean `myriad explain {name}`? {lists}"),
        None => lists.to_string(),
    };
    Failure::call(format!("there is no code and no pass `{}`", visible(text)), help)
}

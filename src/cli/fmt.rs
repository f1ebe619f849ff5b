//! `myriad fmt`: writes programs in the standard layout.

use serde::Serialize;

use super::args::{Common, FmtArgs, Format};
use super::exit::{Exit, Failure};
use super::input::{self, Source};
use super::session::Session;
use super::{FileReport, each_file};
use crate::host::files;
use crate::report::diagnostics::diagnostics;
use crate::report::format::format;

#[derive(Serialize)]
struct Document {
    /// Whether the text differs from the standard layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
    /// The text in the standard layout; only of standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    formatted: Option<String>,
}

/// Formats each file in place; prints the text of standard input.
pub fn fmt(common: Common, args: &FmtArgs) -> Result<Exit, Failure> {
    let mut session = Session::for_single_program(common)?;
    each_file(&args.files.files, common, |source| {
        let Some(formatted) = format(&source.text) else {
            let (program, _) = session.compile(source)?;
            let mut report = FileReport::new(source, &diagnostics(&program));
            report.add_document(Document { changed: None, formatted: None }, None);
            return Ok(report);
        };
        // Whatever else is wrong with the program does not matter here.
        let mut report = FileReport::new(source, &[]);
        let changed = formatted != *source.text;
        let is_stdin = source.word() == "-";
        if args.check && changed {
            let help = format!("`myriad fmt {}` writes it", source.word());
            report.add_failure(format!("{} is not in the standard layout", source.shown()), help);
        } else if !args.check && changed && !is_stdin {
            write(source, &formatted)?;
            report.text = format!("{} formatted\n", source.shown());
        }
        let printed = (!args.check && is_stdin).then_some(formatted);
        if common.format == Format::Json {
            report.add_document(Document { changed: Some(changed), formatted: printed }, None);
        } else if let Some(text) = printed {
            (report.text, report.is_data) = (text, true);
        }
        Ok(report)
    })
}

/// Writes the formatted text to the file, unless the file has changed since it was read.
fn write(source: &Source, text: &str) -> Result<(), Failure> {
    if input::read(source.path().as_os_str())?.text != source.text {
        return Err(Failure::call(
            format!("{} has just been changed by another program", source.shown()),
            "it has not been formatted: call `myriad fmt` again",
        ));
    }
    files::write(source.path(), text.as_bytes()).map_err(|error| {
        Failure::call(
            format!("{}: cannot be written: {}", source.shown(), files::message(&error)),
            "check that the file is writable and that there is space; it has not been changed",
        )
    })
}

//! `myriad fmt`: writes programs in the standard layout.

use super::args::{Common, FmtArgs, Format};
use super::exit::{Exit, Failure};
use super::input::{self, InputSource};
use super::session::Session;
use super::writing::rewrite;
use super::{FileReport, each_file};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::format::format;

/// Formats each file in place; prints the text of standard input.
pub fn fmt(common: Common, args: &FmtArgs) -> Result<Exit, Failure> {
    let mut session = Session::for_single_program(common)?;
    each_file(&args.files.files, common, |source| {
        let Some(formatted) = format(&source.text) else {
            let (program, _) = session.compile(source)?;
            let mut report = FileReport::new(source, &diagnostics(&program));
            report.add_document(Object::new(), None);
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
            report.add_document(Object::new().field("changed", changed).option("formatted", printed), None);
        } else if let Some(text) = printed {
            (report.text, report.is_data) = (text, true);
        }
        Ok(report)
    })
}

/// Writes the formatted text to the file, unless the file has changed since it was read.
fn write(source: &InputSource, text: &str) -> Result<(), Failure> {
    if input::read(source.path().as_os_str())?.text != source.text {
        return Err(Failure::call(
            format!("{} has just been changed by another program", source.shown()),
            "it has not been formatted: call `myriad fmt` again",
        ));
    }
    rewrite(source, text)
}

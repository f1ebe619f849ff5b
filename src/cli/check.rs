//! `myriad check`: compiles programs and shows their diagnostics.

use serde::Serialize;

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::session::Session;
use super::{FileReport, each_file, output};
use crate::report::diagnostics::diagnostics;
use crate::report::draw;

/// No fields beyond those of every file's entry.
#[derive(Serialize)]
struct Document {}

/// Checks each file.
pub fn check(common: Common, files: &[std::ffi::OsString]) -> Result<Exit, Failure> {
    let mut session = Session::for_single_program(common)?;
    let colours = output::colours(&std::io::stdout());
    each_file(files, common, |source| {
        let (program, timings) = session.compile(source)?;
        let found = diagnostics(&program);
        let mut report = FileReport::new(source, &found);
        if common.format == Format::Text {
            // Diagnostics are the result of this command, so they go to standard output.
            report.findings.clear();
            report.text = draw::draw(&source.name, &source.text, &found, colours);
            report.add_timings(timings.as_ref());
        } else {
            report.add_document(Document {}, timings);
        }
        Ok(report)
    })
}

//! `myriad check`: compile, and show what is wrong.

use serde::Serialize;

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::session::Session;
use super::{FileReport, each_file, output};
use crate::report::diagnostics::diagnostics;
use crate::report::draw;

/// Nothing but what all commands say of a file.
#[derive(Serialize)]
struct Document {}

/// Checks each file.
pub fn check(common: Common, files: &[std::ffi::OsString]) -> Result<Exit, Failure> {
    let mut session = Session::of_one_program(common)?;
    let colours = output::colours(&std::io::stdout());
    each_file(files, common, |source| {
        let (program, timings) = session.compile(source)?;
        let found = diagnostics(&program);
        let mut report = FileReport::new(source, &found);
        if common.format == Format::Text {
            // What is wrong is this command's result, so it goes where results go.
            report.findings.clear();
            report.text = draw::draw(&source.name, &source.text, &found, colours);
            report.add_timings(timings.as_ref());
        } else {
            report.tell(Document {}, timings);
        }
        Ok(report)
    })
}

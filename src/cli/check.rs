//! `myriad check`: compiles programs and shows their diagnostics.

use super::args::Common;
use super::exit::{Exit, Failure};
use super::session::Session;
use super::{FileReport, each_file, output};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::draw;

pub fn check(common: Common, files: &[std::ffi::OsString]) -> Result<Exit, Failure> {
    let mut session = Session::for_single_program(common)?;
    let colours = output::colours(&std::io::stdout());
    each_file(files, common, |source| {
        let (program, timings) = session.compile(source)?;
        let found = diagnostics(&program);
        let mut report = FileReport::new(source, &found);
        // Diagnostics are the result of this command, so they go to standard output.
        report.findings.clear();
        let drawn = draw::draw(&source.name, &source.text, &found, colours);
        report.complete(Object::new(), Some(drawn), timings);
        Ok(report)
    })
}

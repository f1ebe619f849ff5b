//! `myriad check`: compiles programs and shows their diagnostics.

use super::args::{CheckArgs, Common};
use super::exit::{Exit, Failure};
use super::holes::HoleRow;
use super::session::Session;
use super::{FileReport, each_file, holes, output};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::draw;

pub fn check(common: Common, args: &CheckArgs) -> Result<Exit, Failure> {
    let mut session = Session::for_single_program(common)?;
    session.make_holes(args.partial);
    let colours = output::colours(&std::io::stdout());
    each_file(&args.files.files, common, |source| {
        let (program, timings) = session.compile(source)?;
        let found = diagnostics(&program);
        let mut report = FileReport::new(source, &found);
        // Diagnostics are the result of this command, so they go to standard output.
        report.findings.clear();
        let mut text = draw::draw(&source.name, &source.text, &found, colours);
        let listed: Vec<HoleRow> = holes::all(&program);
        for hole in &listed {
            text += &format!("{}:{hole}\n", source.shown());
        }
        report.complete(Object::new().unless_empty("holes", listed), Some(text), timings);
        Ok(report)
    })
}

//! `myriad export`: writes the program with its tests for another compiler.

use super::args::{Common, ExportArgs, Format, Language};
use super::exit::{Exit, Failure};
use super::session::Session;
use super::{FileReport, each_file};
use crate::compiler::export::c::{self, Unit};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;

pub fn export(common: Common, args: &ExportArgs) -> Result<Exit, Failure> {
    let mut session = Session::for_single_program(common)?;
    each_file(std::slice::from_ref(&args.file), common, |source| {
        let (program, _) = session.compile(source)?;
        let mut report = FileReport::new(source, &diagnostics(&program));
        report.refuse_any_hole(source, &program);
        let Language::C = args.to;
        let exported = (report.exit == Exit::Good).then(|| {
            let entries = c::all_entries(&program);
            c::source(&[Unit { program: &program, entries: &entries, stop_at_first_failure: false }])
        });
        if common.format == Format::Json {
            report.add_document(Object::new().field("to", "c").option("source", exported), None);
        } else {
            (report.text, report.is_data) = (exported.unwrap_or_default(), true);
        }
        Ok(report)
    })
}

//! The programs that are measured: the files of the call, or samples if it names none.

use std::ffi::OsStr;

use super::Bench;
use super::table::{BenchRow, Section};
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::{self, InputSource};
use crate::cli::output;
use crate::compiler::stage::Compiler;
use crate::lang::samples::{self, Sample};
use crate::report::diagnostics::diagnostics;
use crate::report::draw;

/// The sample used by benchmarks that need only one program.
const SAMPLE: &str = "gcd.myr";

/// Returns the sample `SAMPLE` as a source.
pub fn sample() -> InputSource {
    samples::named(SAMPLE).map_or_else(|| InputSource::new(OsStr::new(SAMPLE), "".into()), source)
}

fn source(sample: Sample) -> InputSource {
    InputSource::new(OsStr::new(&format!("samples/{}", sample.name)), sample.text.into())
}

/// Returns a list of the sample `SAMPLE` only.
pub fn one() -> Vec<InputSource> {
    vec![sample()]
}

/// Returns all samples that compile.
pub fn all() -> Vec<InputSource> {
    let compiles = |sample: &Sample| {
        let mut compiler = Compiler::default();
        compiler.compile(sample.text);
        compiler.compiles()
    };
    samples::all().into_iter().filter(compiles).map(source).collect()
}

impl Bench {
    /// Reads the files of the call, or returns `otherwise` if there are none. Unreadable files are reported.
    pub fn sources(&mut self, otherwise: fn() -> Vec<InputSource>) -> Result<Vec<InputSource>, Failure> {
        if self.effort.files.is_empty() {
            return Ok(otherwise());
        }
        input::refuse_repeated_stdin(&self.effort.files)?;
        let read: Vec<_> = self.effort.files.iter().map(|file| input::read(file)).collect();
        Ok(read
            .into_iter()
            .filter_map(|source| source.map_err(|failure| self.report_failure(&failure)).ok())
            .collect())
    }

    /// Measures each program that compiles; errors of the others are reported.
    pub fn each(
        &mut self,
        otherwise: fn() -> Vec<InputSource>,
        mut measure: impl FnMut(&InputSource) -> Result<Vec<BenchRow>, Failure>,
    ) -> Result<Vec<Section>, Failure> {
        let mut sections = Vec::new();
        for source in self.sources(otherwise)? {
            let mut section = Section { file: source.name.clone(), rows: vec![] };
            if self.compiles(&source) {
                match measure(&source) {
                    Ok(rows) => section.rows = rows,
                    // An engine that failed cannot measure the next program either.
                    Err(failure) if failure.exit == Exit::Engine => return Err(failure),
                    Err(failure) => self.report_failure(&failure),
                }
            }
            sections.push(section);
        }
        Ok(sections)
    }

    /// Returns whether a program compiles; its errors are reported otherwise.
    fn compiles(&mut self, source: &InputSource) -> bool {
        let mut compiler = Compiler::default();
        compiler.compile(&source.text);
        if compiler.compiles() {
            return true;
        }
        let found = diagnostics(&compiler.compiled(&source.text));
        let colours = output::colours(&std::io::stderr());
        output::print_error(&draw::draw(&source.name, &source.text, &found, colours));
        let message = format!("{} does not compile", source.shown());
        self.report_failure(&Failure {
            exit: Exit::ProgramFailed,
            message,
            help: "fix the program, or leave it out".into(),
        });
        false
    }

    pub fn report_failure(&mut self, failure: &Failure) {
        output::report_failure(failure);
        self.exit = self.exit.max(failure.exit);
    }
}

//! What is measured: the files of the call, or samples where it names none.

use std::ffi::OsStr;

use super::Bench;
use super::table::{Row, Section};
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::{self, Source};
use crate::cli::output;
use crate::compiler::stage::Compiler;
use crate::lang::samples::{self, Sample};
use crate::report::diagnostics::diagnostics;
use crate::report::draw;

/// The sample that is measured where one program is enough.
const SAMPLE: &str = "gcd.myr";

/// That sample as a source.
pub fn sample() -> Source {
    samples::named(SAMPLE).map_or_else(|| Source::new(OsStr::new(SAMPLE), "".into()), source)
}

fn source(sample: Sample) -> Source {
    Source::new(OsStr::new(&format!("samples/{}", sample.name)), sample.text.into())
}

/// The one sample.
pub fn one() -> Vec<Source> {
    vec![sample()]
}

/// All samples that compile.
pub fn all() -> Vec<Source> {
    let compiles = |sample: &Sample| {
        let mut compiler = Compiler::default();
        compiler.compile(sample.text);
        compiler.compiles()
    };
    samples::all().into_iter().filter(compiles).map(source).collect()
}

impl Bench {
    /// The files of the call, or else these; who cannot be read is complained about.
    pub fn sources(&mut self, otherwise: fn() -> Vec<Source>) -> Result<Vec<Source>, Failure> {
        if self.effort.files.is_empty() {
            return Ok(otherwise());
        }
        input::refuse_repeated_stdin(&self.effort.files)?;
        let read: Vec<_> = self.effort.files.iter().map(|file| input::read(file)).collect();
        Ok(read
            .into_iter()
            .filter_map(|source| source.map_err(|failure| self.complain(&failure)).ok())
            .collect())
    }

    /// Measures each program that compiles; of the others what is wrong is told.
    pub fn each(
        &mut self,
        otherwise: fn() -> Vec<Source>,
        mut measure: impl FnMut(&Source) -> Result<Vec<Row>, Failure>,
    ) -> Result<Vec<Section>, Failure> {
        let mut sections = Vec::new();
        for source in self.sources(otherwise)? {
            let mut section = Section { file: source.name.clone(), rows: vec![] };
            if self.compiles(&source) {
                match measure(&source) {
                    Ok(rows) => section.rows = rows,
                    // An engine that broke has nothing to say of the next program either.
                    Err(failure) if failure.exit == Exit::Engine => return Err(failure),
                    Err(failure) => self.complain(&failure),
                }
            }
            sections.push(section);
        }
        Ok(sections)
    }

    /// Whether a program compiles; else what is wrong is told.
    fn compiles(&mut self, source: &Source) -> bool {
        let mut compiler = Compiler::default();
        compiler.compile(&source.text);
        if compiler.compiles() {
            return true;
        }
        let found = diagnostics(&compiler.compiled(&source.text));
        let colours = output::colours(&std::io::stderr());
        output::print_error(&draw::draw(&source.name, &source.text, &found, colours));
        let message = format!("{} does not compile", source.shown());
        self.complain(&Failure {
            exit: Exit::Short,
            message,
            help: "mend the program, or leave it out".into(),
        });
        false
    }

    /// Tells what went wrong, and goes on.
    pub fn complain(&mut self, failure: &Failure) {
        output::complain(failure);
        self.exit = self.exit.max(failure.exit);
    }
}

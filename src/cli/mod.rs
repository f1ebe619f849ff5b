//! The command line: parse the call, do the work file by file, print, and end with the right exit code.
//!
//! A command makes a [`FileReport`] of each file; everything that is common to them (reading, JSON around the
//! documents, complaints, which exit code wins) is here.

mod args;
mod exit;
mod explain;
mod input;
mod output;
mod workbench;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Args, Command, Common, Format};
use exit::{Exit, Failure};
use input::Source;

use crate::report::document;

/// The whole program: what `main` calls.
pub fn main() -> ExitCode {
    let args = match Args::try_parse_from(args::words(std::env::args_os())) {
        Ok(args) => args,
        Err(error) => {
            // Help and version are no errors; clap knows, and prints to the right stream. Nobody may be reading.
            let _ = error.print();
            return if error.exit_code() == 0 { Exit::Good } else { Exit::Call }.into();
        }
    };
    if args.command.is_none() {
        return workbench::open(args.common, args.file);
    }
    // A fault of this program is none of the program under test. The hook has told where it happened.
    catch_unwind(AssertUnwindSafe(|| dispatch(args))).unwrap_or(Exit::Engine).into()
}

fn dispatch(args: Args) -> Exit {
    let common = args.common;
    let done = match args.command {
        // The workbench, opened by `main`.
        None => Ok(Exit::Good),
        Some(Command::Explain { code }) => explain::explain(common, code.as_deref()),
        Some(Command::Completions { shell }) => completions(shell),
        Some(_) => Ok(Exit::Good),
    };
    exit_of(done)
}

/// The exit code of a whole command; a failure is complained about.
fn exit_of(done: Result<Exit, Failure>) -> Exit {
    done.unwrap_or_else(|failure| {
        output::complain(&failure);
        failure.exit
    })
}

/// What a command has to say about one file.
struct FileReport {
    /// For people; printed as it stands.
    text: String,
    /// For machines: one JSON object.
    document: String,
    exit: Exit,
    /// What fell short, where something did.
    complaint: Option<Failure>,
}

/// Does `work` on each file and prints what it reports; the highest exit code wins. Files that cannot be read are
/// complained about, the others still reported.
fn each_file(
    files: &[OsString],
    common: Common,
    mut work: impl FnMut(&Source) -> Result<FileReport, Failure>,
) -> Result<Exit, Failure> {
    input::refuse_repeated_stdin(files)?;
    let mut exit = Exit::Good;
    let mut documents = Vec::new();
    for path in files {
        let report = match input::read(path).and_then(|source| work(&source)) {
            Ok(report) => report,
            Err(failure) => {
                output::complain(&failure);
                exit = exit.max(failure.exit);
                continue;
            }
        };
        exit = exit.max(report.exit);
        match common.format {
            Format::Json => documents.push(report.document),
            Format::Text => {
                if !output::print(&report.text) {
                    return Ok(exit);
                }
            }
        }
        if let Some(complaint) = &report.complaint {
            output::complain(complaint);
        }
    }
    if common.format == Format::Json {
        output::print(&format!("{{\"version\":{},\"files\":[{}]}}\n", document::VERSION, documents.join(",")));
    }
    Ok(exit)
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    // Into memory first: the generator would panic on a reader that goes away.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "myriad", &mut script);
    output::print(&String::from_utf8_lossy(&script));
    Ok(Exit::Good)
}

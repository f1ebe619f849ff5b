//! The command line: parses the call, does the work file by file, prints the results, and returns the exit
//! code.
//!
//! A command returns a [`FileReport`] for each file. Everything shared by the commands (reading, JSON
//! documents, error messages, the exit code) is in this module.

mod args;
mod batch;
mod bench;
mod check;
mod config;
mod demo;
mod engines;
mod evaluate;
mod exit;
mod explain;
mod export;
mod feedback;
mod fill;
mod fmt;
mod holes;
mod improve;
mod input;
mod learn;
mod limit;
mod live;
mod lsp;
mod matrix;
mod merge;
mod model;
mod mutate;
mod network;
mod neural;
mod noise;
mod output;
mod page;
mod plot;
mod progress;
mod progress_line;
mod prove;
mod race;
mod repair;
mod router;
mod routing;
mod rules;
mod run;
mod session;
mod since;
mod stages;
mod stopping;
mod suggestions;
mod test;
mod test_watch;
mod titles;
mod trace;
mod train;
mod values;
mod watch;
mod why;
mod workbench;
mod writing;

use std::ffi::{OsStr, OsString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use serde::Serialize;

use args::{Command, Common, Format, Look};
use exit::{Exit, Failure};
use input::InputSource;
use limit::{Limit, Partial};
use session::Timings;

use crate::engine::gpu::subgroups;
use crate::engine::time_limit;
use crate::host::measure::numbers::plural;
use crate::lang::level::OptLevel;
use crate::report::diagnostics::Diagnostic;
use crate::report::document::{Finding, Object};
use crate::report::shard::ShardRecord;
use crate::report::visible::{escape_hidden_lines, visible};
use crate::report::{document, draw};

/// The whole program, called by `main`.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(output::report_panic));
    let words = args::words(std::env::args_os());
    let args = match args::parse(&words) {
        Ok(args) => args,
        Err(error) => {
            if error.exit_code() != 0
                && let Some(failure) = suggestions::instead_of_a_command(&words)
            {
                output::report_failure(&failure);
                return failure.exit.into();
            }
            answer(&error, &words);
            return if error.exit_code() == 0 { Exit::Good } else { Exit::Call }.into();
        }
    };
    let command = match args.command {
        None => return workbench::open(args.common, args.file, args.look, args.record),
        Some(Command::Learn(learn)) if args.file.is_none() && args.record.is_none() && learn.opens() => {
            return learn::open(args.common, &learn, args.look);
        }
        Some(command) => command,
    };
    // A panic is reported with an exit code of its own, so that it is not taken for a fault of the program
    // under test. The hook has already printed it.
    let Look { present, lab } = args.look;
    let only = [("--present", present), ("--lab", lab), ("--record", args.record.is_some())];
    let only = only.into_iter().find_map(|(option, is_given)| is_given.then_some(option));
    let exit = catch_unwind(AssertUnwindSafe(|| dispatch(args.common, args.file, only, command)))
        .unwrap_or(Exit::Engine);
    #[cfg(unix)]
    if time_limit::is_busy() {
        // The reader may be gone.
        let _ = std::io::Write::flush(&mut std::io::stdout());
        // SAFETY: `_exit` has no conditions.
        unsafe { libc::_exit(exit as i32) }
    }
    exit.into()
}

/// Prints clap's answer to a call: help, the version, or an error.
fn answer(error: &clap::Error, words: &[OsString]) {
    // Error messages quote words of the call, so the call is parsed again with these escaped.
    let shown = |word: &OsStr| OsString::from(visible(&word.to_string_lossy()));
    let again: Vec<OsString> = words.iter().map(|word| shown(word)).collect();
    let again = args::parse(&again).err();
    let same = again.filter(|again| again.kind() == error.kind());
    let to_error = error.use_stderr();
    let colours =
        if to_error { output::colours(&std::io::stderr()) } else { output::colours(&std::io::stdout()) };
    let text = match same {
        Some(again) if colours => again.render().ansi().to_string(),
        Some(again) => again.render().to_string(),
        // The escaped call may fail differently; then the original message is printed without colours.
        None => escape_hidden_lines(&error.render().to_string()).into_owned(),
    };
    if to_error {
        output::print_error(&text);
    } else {
        // The reader may be gone.
        let _ = output::print(&text);
    }
}

/// Returns the declaration of the command line: all commands and their options.
pub fn command() -> clap::Command {
    args::declaration()
}

/// Returns the tasks with their commands, as `myriad --help` lists them.
pub fn tasks() -> impl Iterator<Item = args::ArgTask> {
    args::TASKS.into_iter()
}

/// Returns the exit codes with their meanings, as listed in `docs/cli.md`.
pub fn exit_codes() -> impl Iterator<Item = (u8, &'static str)> {
    Exit::TABLE.iter().map(|(code, _, full)| (*code, *full))
}

/// Runs a command. `only_workbench` is a given option that commands do not have.
fn dispatch(common: Common, file: Option<OsString>, only_workbench: Option<&str>, command: Command) -> Exit {
    if let Some(option) = only_workbench {
        return exit_of(Err(Failure::call(
            format!("`{option}` applies to the workbench, not to commands"),
            "`myriad --present FILE` opens a program in presenter's mode; `myriad FILE --record TAPE` records the session",
        )));
    }
    if let Some(file) = file {
        return exit_of(Err(Failure::call(
            format!("`{}` comes before the command", file.to_string_lossy()),
            "put files after it: `myriad check FILE`",
        )));
    }
    exit_of(run_command(common, command))
}

fn run_command(common: Common, command: Command) -> Result<Exit, Failure> {
    // A wrong configuration stops only commands that need one.
    let needs_none = matches!(
        command,
        Command::Explain { .. } | Command::Completions { .. } | Command::Config | Command::Merge(_)
    );
    let common = if needs_none { common } else { common.configured(config::read()?) };
    subgroups::allow(common.config.engine.subgroups);
    if common.level() == OptLevel::Learned {
        improve::use_store(true);
    }
    match command {
        Command::Explain { name } => explain::explain(common, name.as_deref()),
        Command::Completions { shell } => completions(shell),
        Command::Man { command } => man(command.as_deref()),
        Command::Config => config::config(common),
        Command::Check(args) => check::check(common, &args),
        Command::Fmt(args) => fmt::fmt(common, &args),
        Command::Lsp => lsp::lsp(common),
        Command::Watch(files) => watch::watch(common, &files.files),
        Command::Run(call) => run::run(common, &call),
        Command::Stages(args) => stages::stages(common, &args),
        Command::Test(args) => test::test(common, &args),
        Command::Bench(args) => bench::bench(common, &args),
        Command::Mutate(args) => mutate::mutate(common, &args),
        Command::Page(args) => page::page(common, &args),
        Command::Prove(args) => prove::prove(common, &args),
        Command::Rules(args) => rules::rules(common, &args),
        Command::Improve(args) => improve::improve(common, &args),
        Command::Batch(args) => batch::batch(common, &args),
        Command::Merge(args) => merge::merge(&args),
        Command::Repair(args) => repair::repair(common, &args),
        Command::Fill(args) => fill::fill(common, &args),
        Command::Neural(args) if args.feedback => feedback::feedback(common, &args),
        Command::Neural(args) if args.eval => evaluate::evaluate(common, &args),
        Command::Neural(args) => neural::neural(common, &args),
        Command::Router(args) => router::router(common, &args),
        Command::Noise(args) => noise::noise(common, &args),
        Command::Train(args) => train::train(common, &args),
        Command::Model(args) => model::model(common, &args),
        Command::Export(args) => export::export(common, &args),
        Command::Race(args) => race::race(common, &args),
        Command::Learn(args) if args.check => learn::check(common, &args),
        Command::Learn(args) if args.grade => learn::grade(common, &args),
        Command::Learn(_) => learn::list(common),
        Command::Demo(args) => demo::demo(common, &args),
        Command::Engines => engines::engines(common),
    }
}

/// Returns the exit code of a whole command; reports a failure.
fn exit_of(done: Result<Exit, Failure>) -> Exit {
    done.unwrap_or_else(|failure| {
        output::report_failure(&failure);
        failure.exit
    })
}

#[derive(Default)]
struct FileReport {
    /// Text output: the command's result, for standard output.
    text: String,
    /// Whether `text` is data for another program, such as source.
    is_data: bool,
    /// Text output: the file's diagnostics, drawn, for standard error.
    findings: String,
    /// JSON output: objects that precede the document, one per line.
    lines: String,
    /// JSON output: the file's entry, in pieces.
    document: Vec<String>,
    /// The file's name and its diagnostics, for that entry.
    file: String,
    diagnostics: Vec<Finding>,
    exit: Exit,
    /// Failures of the program under test.
    complaints: Vec<Failure>,
    /// Set if the work was cut short, so that the result is incomplete.
    partial: Option<Partial>,
}

impl FileReport {
    /// Returns a report with the diagnostics only.
    fn new(source: &InputSource, found: &[Diagnostic]) -> FileReport {
        let findings = draw::draw(&source.name, &source.text, found, output::colours(&std::io::stderr()));
        let (file, diagnostics) = (source.name.clone(), document::findings(found));
        let mut report = FileReport { findings, file, diagnostics, ..FileReport::default() };
        let errors: Vec<_> = found.iter().filter(|diagnostic| diagnostic.code.is_error()).collect();
        if let Some(first) = errors.first() {
            let help = format!("fix the program; `myriad explain {}` explains the code", first.code.code());
            report
                .add_failure(format!("{} has {}", source.shown(), plural(errors.len() as u64, "error")), help);
        }
        report
    }

    /// Records that the program under test fails.
    fn add_failure(&mut self, message: String, help: impl Into<String>) {
        self.exit = Exit::ProgramFailed;
        self.complaints.push(Failure { exit: Exit::ProgramFailed, message, help: help.into() });
    }

    /// Records that the work was cut short. `done` says how much is done, such as "12 of 40 mutants are
    /// judged".
    fn is_partial(&mut self, source: &InputSource, partial: Partial, done: &str) {
        self.partial = Some(partial);
        self.add_failure(
            format!("{} is partial, {}: {done}", source.shown(), partial.text()),
            "the printed results are valid; `--seconds` sets the limit",
        );
    }

    /// Returns the report for a file whose tests did not end before the limit. `done` says what was not done.
    fn unended(source: &InputSource, limit: &Limit, done: &str, own: impl Serialize) -> FileReport {
        let mut report = FileReport::new(source, &[]);
        if let Some(partial) = limit.reached() {
            report.is_partial(source, partial, done);
        }
        report.add_document(own, None);
        report
    }

    /// Completes the report: the entry, and the text unless the command prints none for such a program.
    fn complete(&mut self, own: impl Serialize, text: Option<String>, timings: Option<Timings>) {
        if let Some(text) = text {
            self.text = text;
            self.add_timings(timings.as_ref());
        }
        self.add_document(own, timings);
    }

    fn add_timings(&mut self, timings: Option<&Timings>) {
        self.text.push_str(&timings.map_or(String::new(), Timings::line));
    }

    /// Builds the file's entry from the command's own fields and the common ones.
    fn add_document(&mut self, own: impl Serialize, timings: Option<Timings>) {
        self.document = vec![document::json(&self.head().join(own).option("timings", timings))];
    }

    /// Like [`Self::add_document`], for an entry that starts with a long array. Each piece holds some of its rows as
    /// JSON, separated by commas.
    fn set_document_with_rows(
        &mut self,
        name: &str,
        rows: Vec<String>,
        own: impl Serialize,
        timings: Option<Timings>,
    ) {
        let head = document::json(&self.head());
        let tail = document::json(&Object::new().join(own).option("timings", timings));
        let head = head.strip_suffix('}').unwrap_or(&head);
        let tail = tail.strip_prefix('{').unwrap_or(&tail);
        self.document = vec![format!("{head},\"{name}\":[")];
        let last = rows.len().saturating_sub(1);
        for (place, mut piece) in rows.into_iter().enumerate() {
            if place < last {
                piece.push(',');
            }
            self.document.push(piece);
        }
        self.document.push(format!("],{tail}"));
    }

    /// Returns the fields of an entry that all commands share.
    fn head(&self) -> Object {
        let head = Object::new().field("file", &self.file).field("diagnostics", &self.diagnostics);
        head.option("partial", self.partial).flag("stopped", self.partial.is_some())
    }
}

/// Runs `work` on each file and prints the reports. Files that cannot be read are reported; the others are
/// processed all the same. Returns the highest exit code.
fn each_file(
    files: &[OsString],
    common: Common,
    work: impl FnMut(&InputSource) -> Result<FileReport, Failure>,
) -> Result<Exit, Failure> {
    each_file_of(files, common, None, work)
}

/// Like [`each_file`], for a shard, which is recorded in the document.
fn each_file_of(
    files: &[OsString],
    common: Common,
    shard: Option<ShardRecord>,
    work: impl FnMut(&InputSource) -> Result<FileReport, Failure>,
) -> Result<Exit, Failure> {
    input::refuse_repeated_stdin(files)?;
    each_source(files.iter().map(|path| input::read(path)), common, shard, work)
}

/// Like [`each_file_of`], with sources that have been read already or are not files.
fn each_source(
    sources: impl IntoIterator<Item = Result<InputSource, Failure>>,
    common: Common,
    shard: Option<ShardRecord>,
    mut work: impl FnMut(&InputSource) -> Result<FileReport, Failure>,
) -> Result<Exit, Failure> {
    let mut exit = Exit::Good;
    let mut documents = Vec::new();
    for source in sources {
        let report = match source.and_then(|source| work(&source)) {
            Ok(report) => report,
            Err(failure) => {
                output::report_failure(&failure);
                exit = exit.max(failure.exit);
                continue;
            }
        };
        exit = exit.max(report.exit);
        match common.format {
            Format::Json => {
                documents.push(report.document);
                if !report.lines.is_empty() && !output::print_data(&report.lines)? {
                    return Ok(exit);
                }
            }
            Format::Text => {
                output::print_error(&report.findings);
                let print = if report.is_data { output::print_data } else { output::print };
                if !print(&report.text)? {
                    return Ok(exit);
                }
            }
        }
        report.complaints.iter().for_each(output::report_failure);
    }
    if common.format == Format::Json {
        let count = documents.len() as u64;
        let said = |shard: ShardRecord| document::json(&ShardRecord { files: Some(count), ..shard });
        let shard = shard.map_or(String::new(), |shard| format!("\"shard\":{},", said(shard)));
        let mut pieces = vec![format!("{}{shard}\"files\":[", document::head(common.level()))];
        for (place, document) in documents.into_iter().enumerate() {
            pieces.extend((place > 0).then(|| ",".to_string()));
            pieces.extend(document);
        }
        pieces.push("]}\n".to_string());
        output::print_pieces(&pieces)?;
    }
    Ok(exit)
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    // Generated in memory first, because the generator panics if the reader is gone.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::declaration(), "myriad", &mut script);
    output::print_data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Good)
}

fn man(name: Option<&str>) -> Result<Exit, Failure> {
    let mut all = args::declaration();
    all.build();
    let command = match name {
        None => all,
        Some(name) => { all.find_subcommand(name).cloned() }
            .ok_or_else(|| suggestions::no_such_command(&OsStr::new(name).to_string_lossy()))?,
    };
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(command).render(&mut page);
    output::print_data(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Good)
}

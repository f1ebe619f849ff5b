//! `myriad batch`: judges candidates, one per line; verdicts are written one per line, in the same order.

mod progress;
mod resume;

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use super::args::{BatchArgs, Common};
use super::exit::{Exit, Failure};
use super::input::{self, InputSource};
use super::limit::{Limit, Limits};
use super::{FileReport, output, session};
use crate::compiler::program::Watch;
use crate::engine::choose::{Preference, Work};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError, EngineSettings, open};
use crate::host::files;
use crate::host::measure::numbers::{grouped, plural};
use crate::report::diagnostics::diagnostics;
use crate::report::document::{self, Object};
use crate::report::shard::{By, Shard, ShardMark, ShardRecord};
use crate::report::visible::visible;
use crate::testing::batch::input::{InputEntry, InputPiece, reader};
use crate::testing::batch::pass::Groups;
use crate::testing::batch::record::{BatchRecord, Status};
use crate::testing::batch::tasks::{GroupFiles, parses};
use crate::testing::batch::{CandidateBatch, near};
use progress::BatchProgress;
use resume::Records;

/// Time limit of a wait for input, so that interrupts are noticed.
const WAIT: Duration = Duration::from_millis(50);
/// Number of lines judged at once; it is adapted so that a chunk takes about `CHUNK`. `FIRST` is the initial
/// number, `BYTES` limits the size.
const LINES: std::ops::RangeInclusive<usize> = 16..=2_048;
const FIRST: usize = 256;
const BYTES: usize = 8 << 20;
const CHUNK: Duration = Duration::from_millis(60);
/// If the lines are for several tasks: the number of lines for each that a chunk should have, and the limits of the
/// chunk.
const EACH: usize = 48;
const MIXED: usize = 16_384;
const MIXED_CHUNK: Duration = Duration::from_millis(800);

/// Counts of the lines judged so far.
#[derive(Default)]
struct BatchCounts {
    candidates: u64,
    short: u64,
    bad: u64,
    first_bad: u64,
    /// The candidates without a group, and whether others have one.
    lone: u64,
    grouped: bool,
    groups: Groups,
    /// Whether it was said that candidates may replace more than one function.
    warned: bool,
}

pub fn batch(common: Common, args: &BatchArgs) -> Result<Exit, Failure> {
    let started = Instant::now();
    let limits = Limits::new(args.seconds);
    let limit = limits.whole();
    for file in [&args.base, &args.tests].into_iter().flatten() {
        if file == "-" && args.file == "-" {
            return Err(Failure::call("`-` is given more than once", "standard input has the candidates"));
        }
    }
    let files = group_files(args)?;
    let tests = args.tests.as_deref().filter(|_| files.tests.is_none()).map(input::read).transpose()?;
    if let Some(tests) = &tests {
        refuse_broken(tests)?;
    }
    let text = tests.as_ref().map_or("", |tests| &tests.text);
    let mut batch = CandidateBatch::with_files(engine(common, args.threads)?, text.to_string(), files);
    let mut out = args.resume.as_deref().map_or(Ok(Records::printed()), Records::resumed)?;
    if let Some(base) = &args.base {
        let source = input::read(base)?;
        if !take_base(&mut batch, &source, text, &limit)? {
            return cut_short(&limit, &BatchCounts::default(), &mut out);
        }
    }
    let (stream, size) = stream(&args.file)?;
    let pieces = reader(stream, args.shard).map_err(unreadable(&args.file))?;
    let mut seen = BatchCounts::default();
    let mark = |lines| {
        let mark = |shard: Shard| ShardMark { shard: ShardRecord { lines, ..shard.record(By::Lines) } };
        args.shard.map_or(String::new(), |shard| document::json(&mark(shard)) + "\n")
    };
    if !out.begin(&mark(None))? {
        return Ok(Exit::Good);
    }
    let mut progress =
        BatchProgress::new(size.map(|size| size / args.shard.map_or(1, |shard| shard.of.into())));
    let end = judge(&mut batch, &pieces, args, &limit, (&mut seen, &mut out, &mut progress));
    drop(progress);
    let exit = seen.exit();
    match end {
        Ok(BatchEnd::PipeClosed) => return Ok(exit),
        Ok(BatchEnd::Whole) => {
            out.end()?;
            out.print(&mark(Some(seen.lines())))?;
            if !args.pass_at.is_empty() {
                out.print(&seen.groups.summary(&args.pass_at).line())?;
            }
        }
        Ok(BatchEnd::Cut) | Err(_) => {}
    }
    if common.timings {
        let seconds = started.elapsed().as_secs_f64();
        let rate = grouped((seen.candidates as f64 / seconds.max(1e-9)) as u64);
        let all = plural(seen.candidates, "candidate");
        output::print_error(&format!("{all} in {seconds:.3} s, {rate} a second\n"));
    }
    if matches!(end, Ok(BatchEnd::Whole)) && seen.lines() == 0 {
        output::print_error("there were no lines to judge\n");
    }
    seen.report_failure(!args.pass_at.is_empty());
    match end? {
        BatchEnd::Cut => cut_short(&limit, &seen, &mut out).map(|short| exit.max(short)),
        BatchEnd::Whole | BatchEnd::PipeClosed => Ok(exit),
    }
}

/// Returns the folders that have a file for each group.
fn group_files(args: &BatchArgs) -> Result<GroupFiles, Failure> {
    let folder = |path: &OsString| Some(PathBuf::from(path)).filter(|path| path.is_dir());
    let bases = args.bases.as_ref().map(|path| {
        folder(path).ok_or_else(|| {
            let message = format!("{} is not a folder", visible(&path.to_string_lossy()));
            Failure::call(
                message,
                "`--bases` names a folder with GROUP.myr for each group; `--base` names one file",
            )
        })
    });
    Ok(GroupFiles { bases: bases.transpose()?, tests: args.tests.as_ref().and_then(folder) })
}

enum BatchEnd {
    Whole,
    /// The limit was reached.
    Cut,
    /// The output pipe was closed.
    PipeClosed,
}

/// Writes the record that marks the output as partial.
fn cut_short(limit: &Limit, seen: &BatchCounts, out: &mut Records) -> Result<Exit, Failure> {
    if let Some(partial) = limit.reached() {
        let lines = seen.lines();
        // The number of lines that have a record.
        let record = Object::new().field("partial", Object::new().join(partial).field("lines", lines));
        out.print(&(document::json(&record) + "\n"))?;
        output::report_failure(&Failure {
            exit: Exit::ProgramFailed,
            message: format!("{}: {} judged", partial.text(), plural(lines, "line")),
            help: "the printed verdicts are valid; later lines were not judged".into(),
        });
    }
    Ok(Exit::ProgramFailed)
}

/// Opens the requested engine, by default the CPU engine. For similar programs, the CPU engine compiles only
/// the differences, where a device compiles each one completely.
fn engine(common: Common, threads: Option<u16>) -> Result<Box<dyn Engine>, Failure> {
    let choice = common.engine.filter(|choice| choice.is_named()).unwrap_or(Preference::Cpu);
    if let Some(threads) = threads {
        // Sets the threads that parse and format lines. If the pool exists already, it is kept.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    let mut engine: Box<dyn Engine> = match (choice, threads) {
        (Preference::Cpu, Some(threads)) => Box::new(CpuEngine::with_threads(threads.into())),
        _ => open::open(choice, Work::Programs, &session::news())?,
    };
    let (exact, level) = (common.exact, common.level().of_variants());
    engine.configure(EngineSettings { exact, level, ..EngineSettings::default() });
    Ok(engine)
}

/// Refuses tests that do not parse, since they would make every candidate invalid.
fn refuse_broken(tests: &InputSource) -> Result<(), Failure> {
    if parses(&tests.text) {
        return Ok(());
    }
    Err(Failure::call(
        format!("{} does not parse", tests.shown()),
        format!("`myriad check {}` shows its errors", tests.word()),
    ))
}

/// Sets the base program; returns `false` if the limit was reached before its tests ended.
fn take_base(
    batch: &mut CandidateBatch,
    source: &InputSource,
    tests: &str,
    limit: &Limit,
) -> Result<bool, Failure> {
    let base = match batch.base(&source.text, limit) {
        Err(EngineError::Cancelled) => return Ok(false),
        base => base?,
    };
    if base.compiled.facts.compiles() {
        return Ok(true);
    }
    let whole = InputSource::new(OsStr::new(&source.name), near::joined(&source.text, tests).into());
    let report = FileReport::new(&whole, &diagnostics(&base.compiled));
    output::print_error(&report.findings);
    let help = "a base must compile together with the added tests";
    Err(Failure::call(format!("{} cannot be a base: it has errors", source.shown()), help))
}

/// Judges lines as they arrive.
fn judge(
    batch: &mut CandidateBatch,
    pieces: &Receiver<InputPiece>,
    args: &BatchArgs,
    limit: &Limit,
    (seen, out, progress): (&mut BatchCounts, &mut Records, &mut BatchProgress),
) -> Result<BatchEnd, Failure> {
    let least = batch.at_once().clamp(*LINES.start(), *LINES.end());
    let (mut waiting, mut size) = (Vec::new(), FIRST.max(least));
    let mut open = true;
    while open || !waiting.is_empty() {
        if limit.cancelled() {
            return Ok(BatchEnd::Cut);
        }
        let fault = gather(pieces, &mut waiting, size, &mut open);
        let mut lines: Vec<InputEntry> = waiting.drain(..waiting.len().min(size)).collect();
        let bytes = lines.iter().map(|line| line.size() as u64 + 1).sum();
        let known = out.known(&lines)?;
        // The records of another call, with other tests say, differ in the first lines already.
        if seen.lines() == 0 && !known.is_empty() {
            let again = match batch.judge(lines[..known.len()].to_vec(), limit) {
                Err(EngineError::Cancelled) => return Ok(BatchEnd::Cut),
                records => records?,
            };
            out.compare(&lines, &known, &again)?;
        }
        lines.drain(..known.len());
        known.iter().for_each(|(record, _)| seen.add(record, !args.pass_at.is_empty()));
        let (from, count) = (Instant::now(), lines.len());
        if count > 0 {
            let records = match batch.judge(lines, limit) {
                Err(EngineError::Cancelled) => return Ok(BatchEnd::Cut),
                records => records?,
            };
            let text: String = records.iter().map(BatchRecord::line).collect();
            records.iter().for_each(|record| seen.add(record, !args.pass_at.is_empty()));
            if !out.print(&text)? {
                return Ok(BatchEnd::PipeClosed);
            }
            if let Some(name) = batch.exposed().filter(|_| !std::mem::replace(&mut seen.warned, true)) {
                output::print_error(&format!(
                    "warning: tests also call `{}`, and a candidate without `replaces` may replace it instead: \
                     name the function in `replaces`, or move `{}` to --tests\n",
                    visible(name),
                    visible(name)
                ));
            }
            let rate = count as f64 / from.elapsed().as_secs_f64().max(1e-6);
            let within = |time: Duration| (rate * time.as_secs_f64()) as usize;
            let mixed = within(MIXED_CHUNK).min(batch.different_tasks() * EACH).min(MIXED);
            size = within(CHUNK).clamp(least, *LINES.end()).max(mixed);
        }
        progress.update(bytes, count as u64, seen.candidates, seen.candidates - seen.short);
        if let Some(error) = fault {
            return Err(unreadable(&args.file)(error));
        }
    }
    Ok(BatchEnd::Whole)
}

/// Collects lines until a chunk is full; waits only if there are none. Returns the error that ended the input,
/// if any.
fn gather(
    pieces: &Receiver<InputPiece>,
    waiting: &mut Vec<InputEntry>,
    size: usize,
    open: &mut bool,
) -> Option<io::Error> {
    let bytes = |waiting: &[InputEntry]| waiting.iter().map(InputEntry::size).sum::<usize>();
    while *open && waiting.len() < size && bytes(waiting) < BYTES {
        let piece = match waiting.is_empty() {
            true => match pieces.recv_timeout(WAIT) {
                Ok(piece) => piece,
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => {
                    *open = false;
                    return None;
                }
            },
            false => match pieces.try_recv() {
                Ok(piece) => piece,
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    *open = false;
                    return None;
                }
            },
        };
        match piece {
            Ok(found) => waiting.extend(found),
            Err(error) => {
                *open = false;
                return Some(error);
            }
        }
    }
    None
}

/// Opens the candidates as a stream, since the file may have any length.
/// Also returns its size in bytes, if that is known.
fn stream(path: &OsStr) -> Result<(Box<dyn Read + Send>, Option<u64>), Failure> {
    let file = Path::new(path);
    let opened = if path == "-" {
        return Ok((Box::new(io::stdin()), None));
    } else if input::is_descriptor(file) {
        File::open(file).map_err(files::ReadError::System)
    } else {
        files::open(file)
    };
    match opened {
        Ok(file) => {
            let size = file.metadata().ok().filter(Metadata::is_file).map(|meta| meta.len());
            Ok((Box::new(file), size))
        }
        Err(why) => Err(input::unreadable(&path.to_string_lossy(), &why)),
    }
}

fn unreadable(path: &OsStr) -> impl Fn(io::Error) -> Failure {
    let name = if path == "-" { "<stdin>".into() } else { path.to_string_lossy().into_owned() };
    move |error| input::unreadable(&name, &files::ReadError::System(error))
}

impl BatchCounts {
    /// Returns the number of lines that have a record.
    fn lines(&self) -> u64 {
        self.candidates + self.bad
    }

    fn add(&mut self, record: &BatchRecord, summed: bool) {
        match (&record.wrong, record.status) {
            (Some((line, _)), _) => {
                if self.bad == 0 {
                    self.first_bad = *line;
                }
                self.bad += 1;
            }
            (None, status) => {
                self.candidates += 1;
                self.short += u64::from(status != Status::Pass);
            }
        }
        if record.wrong.is_none() {
            self.lone += u64::from(record.group.is_none());
            self.grouped |= record.group.is_some();
        }
        if summed {
            self.groups.add(record);
        }
    }

    fn exit(&self) -> Exit {
        match (self.bad, self.short) {
            (0, 0) => Exit::Good,
            (0, _) => Exit::ProgramFailed,
            _ => Exit::Call,
        }
    }

    /// Reports candidates that do not pass and invalid lines.
    fn report_failure(&self, summed: bool) {
        output::report_left_out(if self.grouped && summed { self.lone } else { 0 });
        if self.short > 0 {
            output::report_failure(&Failure {
                exit: Exit::ProgramFailed,
                message: format!(
                    "{} of {} do not pass",
                    grouped(self.short),
                    plural(self.candidates, "candidate")
                ),
                help: "the `status` of their records is not \"pass\"".into(),
            });
        }
        if self.bad > 0 {
            output::report_failure(&Failure::call(
                format!("{} invalid, the first is line {}", lines_are(self.bad), self.first_bad),
                "a candidate is a line such as {\"id\": 1, \"source\": \"…\"}; records with the status \"error\" show the reason",
            ));
        }
    }
}

fn lines_are(count: u64) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{} {verb}", plural(count, "line"))
}

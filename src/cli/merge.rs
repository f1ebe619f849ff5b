//! `myriad merge`: merges the output of the shards of one call into the output of the whole call.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, Seek};
use std::path::Path;

use super::args::MergeArgs;
use super::exit::{Exit, Failure};
use super::{input, output};
use crate::host::files;
use crate::report::mutants::LOW_SCORE;
use crate::report::visible::visible;
use crate::testing::merge::{documents, lines, shard};

/// Size limit of a document, in bytes.
const LONGEST: u64 = 1 << 30;
/// Number of bytes of lines that are printed at once.
const PRINTED: usize = 256 << 10;

const HELP: &str = "name what each shard of one call printed, each once: `myriad merge part-*.json`";

/// Merges documents or lines.
pub fn merge(args: &MergeArgs) -> Result<Exit, Failure> {
    let name = |path: &OsString| visible(&path.to_string_lossy());
    let mut shards = Vec::new();
    let mut first_fault = None;
    for path in &args.files {
        let mut file = open(path)?;
        match lines::shard_record(BufReader::new(&mut file)) {
            Ok(record) => shards.push((name(path), record, path)),
            Err(why) => first_fault = first_fault.or(Some(format!("{}: {why}", name(path)))),
        }
    }
    if shards.is_empty() {
        return whole(args, first_fault);
    }
    if let Some(fault) = first_fault {
        return Err(Failure::call(fault, HELP));
    }
    if args.min_score.is_some() {
        return Err(Failure::call("lines of a batch have no score", "`--pass-at 1` says how many pass"));
    }
    let mut streams = Vec::new();
    for (name, record, path) in shards {
        let mut file = open(path)?;
        file.rewind().map_err(|error| input::unreadable(&name, &files::ReadError::System(error)))?;
        streams.push((name, record, BufReader::new(file)));
    }
    let (mut text, mut fault) = (String::new(), None);
    let mut print = |text: &mut String, least: usize| {
        if text.len() < least {
            return true;
        }
        let printed = output::print_data(text);
        text.clear();
        match printed {
            Ok(read) => read,
            Err(failure) => {
                fault = Some(failure);
                false
            }
        }
    };
    let grouped = !args.pass_at.is_empty();
    let summary = lines::merge(streams, grouped, &mut |line| {
        text.push_str(line);
        text.push('\n');
        print(&mut text, PRINTED)
    });
    print(&mut text, 0);
    if let Some(failure) = fault {
        return Err(failure);
    }
    let told = summary.map_err(|why| Failure::call(why, HELP))?;
    if grouped {
        output::print_data(&told.groups.summary(&args.pass_at).line())?;
        output::report_left_out(told.groups.left_out());
    }
    Ok(match (told.bad, told.short) {
        (true, _) => Exit::Call,
        (false, true) => Exit::ProgramFailed,
        (false, false) => Exit::Good,
    })
}

/// Merges documents. `lines` is the reason why the files are not lines of a batch.
fn whole(args: &MergeArgs, lines: Option<String>) -> Result<Exit, Failure> {
    let mut texts = Vec::new();
    for path in &args.files {
        let name = path.to_string_lossy();
        let bytes = files::read(Path::new(path), LONGEST).map_err(|why| input::unreadable(&name, &why))?;
        let text =
            String::from_utf8(bytes).map_err(|_| Failure::call(format!("{name} is not valid UTF-8"), HELP))?;
        texts.push((visible(&name), text));
    }
    // If no file is a document, they are more likely truncated lines of a batch.
    if let Some(why) = lines.filter(|_| texts.iter().all(|(_, text)| shard::shard_record(text).is_none())) {
        return Err(Failure::call(why, HELP));
    }
    let merged = documents::merge(&texts).map_err(|why| Failure::call(why, HELP))?;
    if !args.pass_at.is_empty() {
        return Err(Failure::call(
            "documents have no candidates",
            "--pass-at is for what `myriad batch` printed",
        ));
    }
    output::print_data(&merged.text)?;
    let mut short = merged.short;
    for (file, tally) in &merged.tallies {
        if let Some(missed) = tally.missed_score(args.min_score) {
            let message = format!("{}: {missed}", visible(file));
            output::report_failure(&Failure { exit: Exit::ProgramFailed, message, help: LOW_SCORE.into() });
            short = true;
        }
    }
    Ok(if short { Exit::ProgramFailed } else { Exit::Good })
}

fn open(path: &OsString) -> Result<File, Failure> {
    files::open(Path::new(path)).map_err(|why| input::unreadable(&path.to_string_lossy(), &why))
}

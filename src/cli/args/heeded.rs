//! Which commands take the options that are declared for all: those on which an option can have an effect. The others
//! refuse it, as clap refuses an unknown option. Every command takes `--format`.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches};

use super::{Args, Command};

/// An option, by its name on the command line.
type HeededName = &'static str;

const ENGINE: HeededName = "engine";
const LEVEL: HeededName = "opt";
const EXACT: HeededName = "exact";
const TIMINGS: HeededName = "timings";

/// The options that some commands refuse.
const ALL: [HeededName; 4] = [ENGINE, LEVEL, EXACT, TIMINGS];

/// Returns the options that have an effect on a command.
fn heeded(command: &str) -> &'static [HeededName] {
    match command {
        "mutate" | "batch" | "repair" | "neural" | "router" | "noise" | "model" => &ALL,
        "check" | "run" | "stages" | "test" => &[ENGINE, LEVEL, TIMINGS],
        "page" | "demo" | "learn" | "bench" => &[ENGINE, LEVEL, EXACT],
        "prove" | "export" => &[ENGINE, LEVEL],
        // All contestants compile at the default level.
        "race" => &[ENGINE, EXACT],
        // Their engine is the CPU's.
        "watch" | "lsp" => &[LEVEL, EXACT],
        "rules" => &[LEVEL],
        "engines" | "fill" => &[ENGINE],
        _ => &[],
    }
}

/// Returns the options that have an effect on a call.
fn heeded_by(args: &Args, command: &str) -> &'static [HeededName] {
    match &args.command {
        Some(Command::Learn(learn)) if !learn.opens() && !learn.grade && !learn.check => &[],
        Some(_) => heeded(command),
        None => &[ENGINE, LEVEL, EXACT],
    }
}

/// Returns the declaration of the command line. Help and completions of a command leave out what it refuses.
pub fn declaration() -> clap::Command {
    let mut all = Args::command();
    let hidden: Vec<clap::Arg> =
        all.get_arguments().filter(|arg| ALL.contains(&arg.get_id().as_str())).cloned().collect();
    let names: Vec<String> = all.get_subcommands().map(|command| command.get_name().to_string()).collect();
    for name in names {
        let refused = hidden.iter().filter(|arg| !heeded(&name).contains(&arg.get_id().as_str()));
        let refused: Vec<clap::Arg> = refused.map(|arg| arg.clone().global(false).hide(true)).collect();
        // A negative number is a wrong value of an option, not an unknown option.
        let valued = |arg: clap::Arg| match arg.get_action().takes_values() && !arg.is_positional() {
            true => arg.allow_negative_numbers(true),
            false => arg,
        };
        all = all.mut_subcommand(name, |command| command.args(refused).mut_args(valued));
    }
    all
}

/// Replaces `+LINE FILE`, which programs pass to `$EDITOR`, by `FILE:LINE`.
fn with_place(words: &[OsString]) -> Vec<OsString> {
    let line = words.get(1).and_then(|word| word.to_str()?.strip_prefix('+'));
    let mut words = words.to_vec();
    if let Some(line) = line.filter(|line| line.parse::<u32>().is_ok())
        && words.len() > 2
    {
        let place = format!(":{line}");
        words.remove(1);
        // A place is read from a name in UTF-8 only.
        if words[1].to_str().is_some() {
            words[1].push(place);
        }
    }
    words
}

/// Parses a call.
///
/// # Errors
/// If it is wrong, or has an option that cannot have an effect; also for help and the version.
pub fn parse(words: &[OsString]) -> Result<Args, clap::Error> {
    let mut all = declaration();
    let matches = all.try_get_matches_from_mut(with_place(words))?;
    let args = Args::from_arg_matches(&matches)?;
    let command = matches.subcommand_name().unwrap_or_default();
    let heeded = heeded_by(&args, command);
    let given = |name: &&HeededName| matches.value_source(name) == Some(ValueSource::CommandLine);
    let refused = ALL.iter().filter(|name| !heeded.contains(name)).find(given);
    match refused {
        None => Ok(args),
        Some(name) => {
            let message = format!("unexpected argument '--{name}' found");
            let own = all.find_subcommand_mut(command);
            Err(match own {
                Some(own) => own.error(ErrorKind::UnknownArgument, message),
                None => all.error(ErrorKind::UnknownArgument, message),
            })
        }
    }
}

//! Suggestions for mistyped commands and names.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;

use super::args::Args;
use super::exit::Failure;
use crate::compiler::program::Compiled;
use crate::lang::index::RoutineId;
use crate::report::names::nearest;
use crate::report::visible::visible;
use crate::workbench::open::names_a_file;

/// Options before the command that take a value.
const WITH_VALUE: [&str; 4] = ["--engine", "--format", "--opt", "--record"];

fn commands() -> Vec<String> {
    Args::command().get_subcommands().map(|command| command.get_name().to_string()).collect()
}

/// Returns the command that was probably meant.
fn meant(word: &str) -> Option<String> {
    let all = commands();
    let names: Vec<&str> = all.iter().map(String::as_str).collect();
    let mut begun = names.iter().filter(|name| word.len() >= 3 && name.starts_with(word));
    let only = begun.next().filter(|_| begun.next().is_none());
    nearest(word, &names).or(only.copied()).map(str::to_string)
}

/// Returns the failure for a word that is neither a file nor a command.
pub fn no_such_command(word: &str) -> Failure {
    let help = match meant(word) {
        Some(command) => format!("did you mean `myriad {command}`? `myriad --help` lists the commands"),
        None => "see the commands with `myriad --help`; `myriad NAME.myr` on a terminal starts a new program"
            .to_string(),
    };
    Failure::call(format!("there is no file and no command `{}`", visible(word)), help)
}

/// Returns the failure for a call whose first word is neither a command nor a file.
pub fn instead_of_a_command(words: &[OsString]) -> Option<Failure> {
    let mut rest = words.iter().skip(1).map(|word| word.to_string_lossy());
    let word = loop {
        let word = rest.next()?;
        if WITH_VALUE.contains(&&*word) {
            rest.next()?;
        } else if !word.starts_with('-') {
            break word;
        }
    };
    let path = Path::new(&*word);
    let known = commands().iter().any(|name| *name == word) || path.is_file() || names_a_file(path);
    (!known).then(|| no_such_command(&word))
}

/// Returns the functions of a program, or the one with a name.
///
/// # Errors
/// If there is none of this name; the failure lists the functions of the file.
pub fn functions(program: &Compiled, name: Option<&str>) -> Result<Vec<RoutineId>, Failure> {
    let all: Vec<RoutineId> = program.functions().iter().collect();
    let Some(name) = name else { return Ok(all) };
    if let Some(found) = all.iter().find(|function| program.function_name(**function) == name) {
        return Ok(vec![*found]);
    }
    let known: Vec<String> =
        all.iter().take(20).map(|function| format!("`{}`", program.function_name(*function))).collect();
    let help = match known.is_empty() {
        true => "the file has no functions".to_string(),
        false => format!("its functions are {}", known.join(", ")),
    };
    Err(Failure::call(format!("there is no function `{}` in the file", visible(name)), help))
}

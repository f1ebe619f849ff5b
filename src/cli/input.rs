//! Reads programs from files and standard input.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use super::exit::Failure;

/// More than this is no program by any measure, and is not read to its end.
const READ_LIMIT: u64 = 64 * 1024 * 1024;

/// A program as it was given.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as given, or `<stdin>`.
    pub name: String,
    pub text: Arc<str>,
}

/// Reads one file; `-` is standard input.
pub fn read(path: &OsStr) -> Result<Source, Failure> {
    let (name, bytes) = if path == "-" {
        ("<stdin>".to_string(), limited(io::stdin().lock()))
    } else {
        (path.to_string_lossy().into_owned(), File::open(path).and_then(limited))
    };
    let bytes = bytes.map_err(|error| unreadable(&name, &error))?;
    if bytes.len() as u64 > READ_LIMIT {
        return Err(Failure::call(
            format!("{name} is longer than 64 MiB"),
            "a program has at most 64 KiB: check the path",
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source { name, text: text.into() }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
            Err(Failure::call(
                format!("{name} is not valid UTF-8: byte {at}, on line {line}"),
                "save it as UTF-8, for example with `iconv -f latin1 -t utf-8`",
            ))
        }
    }
}

fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(READ_LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    let help = match error.kind() {
        io::ErrorKind::NotFound => "check the path; `-` reads a program from standard input",
        io::ErrorKind::PermissionDenied => "give yourself the right to read it, for example with `chmod u+r`",
        io::ErrorKind::IsADirectory => "name the files in it, for example with `DIR/*.myr`",
        _ => "check that the file can be read, for example with `cat`",
    };
    let what = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "reading it is not permitted".to_string(),
        io::ErrorKind::IsADirectory => "it is a directory".to_string(),
        _ => error.to_string(),
    };
    Failure::call(format!("cannot read {name}: {what}"), help)
}

/// Standard input can be read only once.
pub fn refuse_repeated_stdin(files: &[OsString]) -> Result<(), Failure> {
    if files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(Failure::call(
            "`-` is given more than once",
            "standard input can be read once: give `-` once",
        ));
    }
    Ok(())
}

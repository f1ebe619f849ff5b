//! Reads programs from files and standard input.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::exit::Failure;
use crate::host::files::{self, ReadError};
use crate::report::visible::{shell_word, visible};

/// Size limit for reading, in bytes; far above that of any program.
const READ_LIMIT: u64 = 64 << 20;

/// A program's text with its name.
#[derive(Clone, Debug)]
pub struct InputSource {
    /// The path as given, or `<stdin>`; for JSON documents, so it is not escaped.
    pub name: String,
    /// The path as given on the command line.
    path: OsString,
    pub text: Arc<str>,
}

impl InputSource {
    /// Returns a program with this name.
    pub fn new(path: &OsStr, text: Arc<str>) -> InputSource {
        InputSource { name: name(path), path: path.to_owned(), text }
    }

    /// Returns a source of this name with another text.
    pub fn with_text(&self, text: &Arc<str>) -> InputSource {
        InputSource { name: self.name.clone(), path: self.path.clone(), text: text.clone() }
    }

    /// Returns its name, escaped for display.
    pub fn shown(&self) -> String {
        visible(&self.name)
    }

    /// Returns its name, quoted for a command line that can be pasted into a shell.
    pub fn word(&self) -> String {
        if self.path == "-" { "-".into() } else { shell_word(&self.path) }
    }

    /// Returns the path of its file, or of standard input.
    pub fn path(&self) -> &Path {
        Path::new(if self.path == "-" { OsStr::new("/dev/stdin") } else { &self.path })
    }
}

fn name(path: &OsStr) -> String {
    if path == "-" { "<stdin>".into() } else { path.to_string_lossy().into_owned() }
}

/// Reads one file; `-` is standard input.
pub fn read(path: &OsStr) -> Result<InputSource, Failure> {
    let file = Path::new(path);
    let bytes = if path == "-" {
        files::read_stream(io::stdin().lock(), READ_LIMIT)
    } else if is_descriptor(file) {
        // A file that the shell has opened for the program, such as `<(…)`, is read like standard input.
        File::open(file).map_err(ReadError::System).and_then(|file| files::read_stream(file, READ_LIMIT))
    } else {
        files::read(file, READ_LIMIT)
    };
    let name = name(path);
    let bytes = bytes.map_err(|why| unreadable(&name, &why))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(InputSource::new(path, text.into())),
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

/// Returns whether a path names a file descriptor that is already open.
pub fn is_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

/// Returns the failure for a file that cannot be read.
pub fn unreadable(name: &str, why: &ReadError) -> Failure {
    let (what, help) = match why {
        ReadError::Longer(_) => {
            return Failure::call(
                format!("{name} is longer than {}", files::size(READ_LIMIT)),
                "a program has at most 64 KiB: check the path",
            );
        }
        ReadError::Other("a directory") => {
            (why.to_string(), "name the files in it, for example with `DIR/*.myr`")
        }
        ReadError::Other(_) => {
            (format!("{why}, not a file"), "`-` reads a program from standard input, which may be a pipe")
        }
        ReadError::System(error) => match error.kind() {
            io::ErrorKind::NotFound => {
                (why.to_string(), "check the path; `-` reads a program from standard input")
            }
            io::ErrorKind::PermissionDenied => {
                (why.to_string(), "make it readable, for example with `chmod u+r`")
            }
            io::ErrorKind::IsADirectory => {
                ("it is a directory".to_string(), "name the files in it, for example with `DIR/*.myr`")
            }
            _ => (why.to_string(), "check that the file can be read, for example with `cat`"),
        },
    };
    Failure::call(format!("cannot read {name}: {what}"), help)
}

/// The maximum number of files of a folder, and of folders within each other.
const FILES: usize = 10_000;
const DEPTH: usize = 16;

/// Replaces folders by the programs in them, sorted by path. Links are not followed.
pub fn with_folders(paths: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        if !Path::new(path).is_dir() {
            all.push(path.clone());
            continue;
        }
        let mut found = Vec::new();
        programs(Path::new(path), DEPTH, &mut found)
            .map_err(|error| unreadable(&name(path), &ReadError::System(error)))?;
        if found.is_empty() {
            let message = format!("there is no program in {}", name(path));
            return Err(Failure::call(message, "programs in folders have names that end in `.myr`"));
        }
        found.sort();
        all.append(&mut found);
    }
    Ok(all)
}

fn programs(folder: &Path, depth: usize, found: &mut Vec<OsString>) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && depth > 0 {
            programs(&path, depth - 1, found)?;
        } else if path.extension().is_some_and(|end| end == "myr") && found.len() < FILES {
            found.push(path.into());
        }
    }
    Ok(())
}

/// Returns an error if standard input is named twice, since it can be read only once.
pub fn refuse_repeated_stdin(files: &[OsString]) -> Result<(), Failure> {
    if files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(Failure::call(
            "`-` is given more than once",
            "standard input can be read only once: name `-` once",
        ));
    }
    Ok(())
}

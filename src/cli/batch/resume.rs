//! Where the records of a batch go: standard output, or after the records of a call that ended early.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use crate::cli::exit::Failure;
use crate::cli::output;
use crate::host::files::{self, ReadError};
use crate::report::raw;
use crate::report::visible::visible;
use crate::testing::batch::input::InputEntry;
use crate::testing::batch::line::Label;
use crate::testing::batch::record::{BatchRecord, Status};

const HELP: &str = "`--resume` continues the output of the same call; name another file to begin again";

pub enum Records {
    Printed,
    Resumed(Resumed),
}

/// A file of records that grows.
pub struct Resumed {
    name: String,
    file: BufReader<File>,
    /// The size of the records that are known to be whole, in bytes.
    size: u64,
    /// Whether all whole records have been read. New ones are then appended.
    read: bool,
}

impl Records {
    pub fn printed() -> Records {
        Records::Printed
    }

    /// Opens a file to continue; it is created if it does not exist.
    pub fn resumed(path: &OsStr) -> Result<Records, Failure> {
        let name = visible(&path.to_string_lossy());
        let failed =
            |why: &dyn std::fmt::Display| Failure::call(format!("{name} cannot be continued: {why}"), HELP);
        let path = Path::new(path);
        let file = match files::open(path) {
            Ok(_) => files::open_read_write(path),
            Err(why) if why.is_missing() => {
                let new = OpenOptions::new().read(true).write(true).create_new(true).open(path);
                new.map_err(ReadError::System)
            }
            Err(why) => Err(why),
        };
        let file = BufReader::new(file.map_err(|why| failed(&why))?);
        Ok(Records::Resumed(Resumed { name, file, size: 0, read: false }))
    }

    /// Writes the first line, which may be empty. Returns `false` if the pipe is closed.
    pub fn begin(&mut self, mark: &str) -> Result<bool, Failure> {
        if let Records::Resumed(resumed) = self
            && !mark.is_empty()
            && let Some(line) = resumed.next()?
        {
            return if line == mark.trim_end() { Ok(true) } else { Err(resumed.foreign("its first line")) };
        }
        self.print(mark)
    }

    /// Writes a text. Returns `false` if the pipe is closed.
    pub fn print(&mut self, text: &str) -> Result<bool, Failure> {
        match self {
            Records::Printed => output::print_data(text),
            Records::Resumed(resumed) => {
                let written = resumed.file.get_mut().write_all(text.as_bytes());
                written.map(|()| true).map_err(|error| resumed.failed(&error))
            }
        }
    }

    /// Returns the records of the first of these lines, as far as the file has them.
    pub fn known(&mut self, lines: &[InputEntry]) -> Result<Vec<BatchRecord>, Failure> {
        let Records::Resumed(resumed) = self else { return Ok(Vec::new()) };
        let mut known = Vec::new();
        for line in lines {
            let Some(text) = resumed.next()? else { break };
            known.push(
                record(&text, line)
                    .ok_or_else(|| resumed.foreign(&format!("the record for line {}", line.number)))?,
            );
        }
        Ok(known)
    }

    /// Checks that the file has no records without a line.
    pub fn end(&mut self) -> Result<(), Failure> {
        let Records::Resumed(resumed) = self else { return Ok(()) };
        if resumed.next()?.is_some() {
            return Err(resumed.foreign("a record after the last line"));
        }
        Ok(())
    }
}

impl Resumed {
    /// Returns the next whole record. At the end, removes what follows the records: a part of a line, and the record of
    /// pass@k or of a partial result.
    fn next(&mut self) -> Result<Option<String>, Failure> {
        if self.read {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.file.read_until(b'\n', &mut bytes).map_err(|error| self.failed(&error))?;
        let line = bytes.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
        let first = self.size == 0;
        let own = |line: &&str| {
            raw::is_json(line)
                && (raw::member(line, "status").is_some() || (first && raw::member(line, "shard").is_some()))
        };
        if let Some(line) = line.filter(own) {
            self.size += bytes.len() as u64;
            return Ok(Some(line.to_string()));
        }
        let last = ["pass_at", "partial", "shard"];
        let ends = |line: &str| raw::is_json(line) && last.iter().any(|name| raw::member(line, name).is_some());
        if line.is_some_and(|line| !ends(line)) {
            return Err(self.foreign("a line that is not a record"));
        }
        self.read = true;
        let file = self.file.get_mut();
        let cut = file.set_len(self.size).and_then(|()| file.seek(SeekFrom::Start(self.size)));
        cut.map(|_| None).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        let why = files::message(error);
        Failure::call(format!("{} cannot be continued: {why}", self.name), "check that there is space for it")
    }

    fn foreign(&self, what: &str) -> Failure {
        Failure::call(format!("{} is not the output of this call: it has {what}", self.name), HELP)
    }
}

/// Reads the record of a line. Returns `None` if it belongs to another line.
fn record(text: &str, line: &InputEntry) -> Option<BatchRecord> {
    let status: String = serde_json::from_str(raw::member(text, "status")?).ok()?;
    let status = Status::ALL.iter().copied().find(|known| known.name() == status)?;
    let number = line.number;
    if status == Status::Error {
        let own = raw::member(text, "line") == Some(&number.to_string());
        return own.then(|| BatchRecord::bad(number, None, None, ""));
    }
    let read = line.clone().read().ok()?;
    let own = Label::read(raw::member(text, "id")?).ok()? == read.id;
    own.then(|| BatchRecord { status, id: Some(read.id), group: read.group, ..BatchRecord::default() })
}

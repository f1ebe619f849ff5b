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
    /// What follows the whole records: a part of a line. It is removed if the text that is written next begins with it.
    rest: Vec<u8>,
}

/// How the lines begin that follow all records.
const LAST: [&str; 3] = ["{\"pass_at\":", "{\"partial\":", "{\"shard\":"];

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
        Ok(Records::Resumed(Resumed { name, file, size: 0, read: false, rest: Vec::new() }))
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
            // A call that ends before it has read all records leaves them as they are.
            Records::Resumed(resumed) if !resumed.read || text.is_empty() => Ok(true),
            Records::Resumed(resumed) => resumed.write(text).map(|()| true),
        }
    }

    /// Returns the records of the first of these lines, as far as the file has them, and their texts.
    pub fn known(&mut self, lines: &[InputEntry]) -> Result<Vec<(BatchRecord, String)>, Failure> {
        let Records::Resumed(resumed) = self else { return Ok(Vec::new()) };
        let mut known = Vec::new();
        for line in lines {
            let Some(text) = resumed.next()? else { break };
            let own = record(&text, line).ok_or_else(|| resumed.foreign_record(line.number))?;
            known.push((own, text));
        }
        Ok(known)
    }

    /// Compares known records with those of the same lines that were judged again.
    pub fn compare(
        &self,
        lines: &[InputEntry],
        known: &[(BatchRecord, String)],
        again: &[BatchRecord],
    ) -> Result<(), Failure> {
        let Records::Resumed(resumed) = self else { return Ok(()) };
        let differs = known.iter().zip(again).position(|((_, known), again)| known != again.line().trim_end());
        differs.map_or(Ok(()), |place| Err(resumed.foreign_record(lines[place].number)))
    }

    /// Checks that the file has no records without a line.
    pub fn end(&mut self) -> Result<(), Failure> {
        let Records::Resumed(resumed) = self else { return Ok(()) };
        if resumed.next()?.is_some() {
            return Err(resumed.foreign("a record after the last line"));
        }
        resumed.write("")
    }
}

impl Resumed {
    /// Returns the next whole record. After them may come the records of pass@k, of a shard or of a partial result, and a
    /// part of a line; `write` removes them.
    fn next(&mut self) -> Result<Option<String>, Failure> {
        if self.read {
            return Ok(None);
        }
        let mut bytes = self.line()?;
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
        while bytes.ends_with(b"\n") {
            if !LAST.iter().any(|begin| bytes.starts_with(begin.as_bytes())) {
                return Err(self.foreign("a line that is not a record"));
            }
            bytes = self.line()?;
        }
        (self.read, self.rest) = (true, bytes);
        Ok(None)
    }

    fn line(&mut self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.file.read_until(b'\n', &mut bytes).map_err(|error| self.failed(&error))?;
        Ok(bytes)
    }

    /// Writes a text after the whole records, in place of what follows them.
    fn write(&mut self, text: &str) -> Result<(), Failure> {
        let rest = &self.rest;
        let is_last = |begin: &&str| rest.iter().zip(begin.as_bytes()).all(|(own, other)| own == other);
        if !text.as_bytes().starts_with(rest) && !LAST.iter().any(is_last) {
            return Err(self.foreign("a line that is not a record"));
        }
        self.rest.clear();
        let (size, file) = (self.size, self.file.get_mut());
        let cut = file.set_len(size).and_then(|()| file.seek(SeekFrom::Start(size)));
        let written = cut.and_then(|_| file.write_all(text.as_bytes()));
        self.size += text.len() as u64;
        written.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        let why = files::message(error);
        Failure::call(format!("{} cannot be continued: {why}", self.name), "check that there is space for it")
    }

    fn foreign_record(&self, line: u64) -> Failure {
        self.foreign(&format!("another record for line {line}"))
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

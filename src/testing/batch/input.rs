//! Reads batch lines on a separate thread, so that available lines are judged while more input is awaited.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::line::BatchLine;
use super::record::BatchRecord;
use crate::host::files;
use crate::report::shard::Shard;

/// The maximum length of a line in bytes. A program has at most 64 KiB, or six times that if every character is
/// escaped.
pub const LONGEST: usize = 1 << 20;
/// The number of bytes per read, and the number of read pieces that may wait to be judged.
const PIECE: usize = 64 << 10;
const WAITING: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputEntry {
    /// The line number, counted from 1 and including blank lines.
    pub number: u64,
    /// The line's bytes, or `None` if the line is longer than [`LONGEST`].
    pub bytes: Option<Vec<u8>>,
}

/// One message from the reader: the lines that one read completed, or the error that ended the stream.
pub type InputPiece = io::Result<Vec<InputEntry>>;

impl InputEntry {
    /// Returns the length of the line in bytes.
    pub fn size(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::len)
    }

    /// Parses the line as a candidate.
    ///
    /// # Errors
    /// Returns the record to print if the line is not a candidate.
    pub fn read(self) -> Result<BatchLine, Box<BatchRecord>> {
        let InputEntry { number, bytes } = self;
        let Some(bytes) = bytes else {
            let why = format!("the line is longer than {}", files::size(LONGEST as u64));
            return Err(Box::new(BatchRecord::bad(number, None, None, &why)));
        };
        BatchLine::read(number, &bytes).map_err(|bad| Box::new(BatchRecord::of(number, bad)))
    }
}

/// Reads a stream on a new thread. The thread ends with the stream, or when the receiver is dropped.
///
/// # Errors
/// If the thread cannot be started.
pub fn reader(stream: impl Read + Send + 'static, shard: Option<Shard>) -> io::Result<Receiver<InputPiece>> {
    let (sender, receiver) = sync_channel(WAITING);
    let lines = Lines { shard, ..Lines::default() };
    thread::Builder::new().name("lines".into()).spawn(move || read(stream, lines, &sender))?;
    Ok(receiver)
}

fn read(mut stream: impl Read, mut lines: Lines, sender: &SyncSender<InputPiece>) {
    let mut piece = vec![0; PIECE];
    loop {
        let found = match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => lines.add(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                // The lines before the error are still judged.
                let _ =
                    sender.send(Ok(lines.last().into_iter().collect())).and_then(|()| sender.send(Err(error)));
                return;
            }
        };
        if !found.is_empty() && sender.send(Ok(found)).is_err() {
            return;
        }
    }
    let _ = sender.send(Ok(lines.last().into_iter().collect()));
}

/// Splits a byte stream into lines.
#[derive(Default)]
struct Lines {
    /// The number of complete lines.
    ended: u64,
    /// The beginning of the current line.
    begun: Vec<u8>,
    /// Whether the current line is too long. Its remaining bytes are dropped.
    long: bool,
    /// The shard to select lines for, if any, and the number of non-blank lines so far.
    shard: Option<Shard>,
    found: u64,
}

impl Lines {
    fn add(&mut self, mut bytes: &[u8]) -> Vec<InputEntry> {
        let mut found = Vec::new();
        while let Some(at) = bytes.iter().position(|byte| *byte == b'\n') {
            self.grow(&bytes[..at]);
            found.extend(self.end());
            bytes = &bytes[at + 1..];
        }
        self.grow(bytes);
        found
    }

    fn grow(&mut self, bytes: &[u8]) {
        self.long |= self.begun.len() + bytes.len() > LONGEST;
        match self.long {
            true => self.begun = Vec::new(),
            false => self.begun.extend_from_slice(bytes),
        }
    }

    /// Ends the current line and returns it, unless it is blank or outside the shard.
    fn end(&mut self) -> Option<InputEntry> {
        self.ended += 1;
        let number = self.ended;
        if std::mem::take(&mut self.long) {
            return self.wanted().then_some(InputEntry { number, bytes: None });
        }
        let mut bytes = std::mem::take(&mut self.begun);
        if number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        (!bytes.trim_ascii().is_empty() && self.wanted()).then_some(InputEntry { number, bytes: Some(bytes) })
    }

    /// Counts a non-blank line and returns whether it belongs to the shard.
    fn wanted(&mut self) -> bool {
        self.found += 1;
        self.shard.is_none_or(|shard| shard.takes(self.found - 1))
    }

    /// Ends the last line, which may lack a line terminator.
    fn last(&mut self) -> Option<InputEntry> {
        self.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(stream: impl Read + Send + 'static) -> Vec<(u64, Option<Vec<u8>>)> {
        let pieces = reader(stream, None).expect("a thread");
        let entries = pieces.iter().flat_map(|piece| piece.expect("no fault"));
        entries.map(|entry| (entry.number, entry.bytes)).collect()
    }

    fn some(text: &str) -> Option<Vec<u8>> {
        Some(text.as_bytes().to_vec())
    }

    #[test]
    fn batch_lines_are_numbered_and_overlong_ones_dropped() {
        assert_eq!(all(io::empty()), []);
        assert_eq!(all(&b"\n \r\n\n"[..]), []);
        assert_eq!(all(&b"\xef\xbb\xbfa\r\n\nb"[..]), [(1, some("a\r")), (3, some("b"))]);
        let long = vec![b'x'; LONGEST];
        let text = [&long[..], b"\n", &long, b"y\nz\n", &long, &long].concat();
        let found = all(io::Cursor::new(text));
        assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(found[0].1.as_ref().map(Vec::len), Some(LONGEST));
        assert_eq!((&found[1].1, &found[2].1, &found[3].1), (&None, &some("z"), &None));
    }
}

//! Lines, as they come: read by a thread of their own, so that what is there is judged while more is awaited.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::line::Line;
use super::record::Record;
use crate::host::files;
use crate::report::shard::Shard;

/// The longest line. A program has 64 KiB at most, six times as much where all of it is escaped.
pub const LONGEST: usize = 1 << 20;
/// Bytes that are asked for at once, and such pieces that wait to be judged.
const PIECE: usize = 64 << 10;
const WAITING: usize = 16;

/// A line that is not blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// From 1, blank lines counted.
    pub number: u64,
    /// `None` where it is too long to be kept.
    pub bytes: Option<Vec<u8>>,
}

/// What the reader has found: lines that came together, or why there are no more.
pub type Piece = io::Result<Vec<Entry>>;

impl Entry {
    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::len)
    }

    /// The candidate that it is, or the record that says why it is none.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(self) -> Result<Line, Box<Record>> {
        let Entry { number, bytes } = self;
        let Some(bytes) = bytes else {
            let why = format!("the line is longer than {}", files::size(LONGEST as u64));
            return Err(Box::new(Record::bad(number, None, None, &why)));
        };
        Line::read(number, &bytes).map_err(|bad| Box::new(Record::of(number, bad)))
    }
}

/// Reads a stream on a thread. The thread ends with the stream, or when nobody listens any more.
///
/// # Errors
/// If there is no thread to be had.
pub fn reader(stream: impl Read + Send + 'static, shard: Option<Shard>) -> io::Result<Receiver<Piece>> {
    let (sender, receiver) = sync_channel(WAITING);
    let lines = Lines { shard, ..Lines::default() };
    thread::Builder::new().name("lines".into()).spawn(move || read(stream, lines, &sender))?;
    Ok(receiver)
}

fn read(mut stream: impl Read, mut lines: Lines, sender: &SyncSender<Piece>) {
    let mut piece = vec![0; PIECE];
    loop {
        let found = match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => lines.add(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                // What came before is judged.
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

/// Cuts bytes into lines.
#[derive(Default)]
struct Lines {
    /// Lines that have ended.
    ended: u64,
    /// The beginning of the line under way.
    begun: Vec<u8>,
    /// It is too long: the rest of it is not kept.
    long: bool,
    /// Where only some are wanted; and how many were no blank lines.
    shard: Option<Shard>,
    found: u64,
}

impl Lines {
    fn add(&mut self, mut bytes: &[u8]) -> Vec<Entry> {
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

    /// Ends the line under way; tells it unless it is blank.
    fn end(&mut self) -> Option<Entry> {
        self.ended += 1;
        let number = self.ended;
        if std::mem::take(&mut self.long) {
            return self.wanted().then_some(Entry { number, bytes: None });
        }
        let mut bytes = std::mem::take(&mut self.begun);
        if number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        (!bytes.trim_ascii().is_empty() && self.wanted()).then_some(Entry { number, bytes: Some(bytes) })
    }

    /// Counts a line that is not blank, and says whether it is asked for.
    fn wanted(&mut self) -> bool {
        self.found += 1;
        self.shard.is_none_or(|shard| shard.takes(self.found - 1))
    }

    /// The last line, which no line end may end.
    fn last(&mut self) -> Option<Entry> {
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
    fn lines_have_numbers() {
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

//! Another program that writes the same file, and records what it replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// A text written by the other program.
#[derive(Clone, Debug)]
pub struct Edit {
    /// A text that occurs in no other text.
    pub mark: String,
    pub how: How,
    /// The file's text just before.
    pub replaced: String,
    /// Whether `replaced` is certain: the file may have been replaced between reading and writing.
    pub certain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Opened, truncated and written, like a shell's `>`.
    InPlace,
    /// The same, with a pause of some milliseconds.
    Slowly,
    /// A new file is renamed over it, like most editors do.
    Renamed,
}

impl Edit {
    /// Writes the text with a mark; `beside` is a folder that is not watched.
    pub fn make(file: &Path, beside: &Path, mark: String, how: How) -> Edit {
        let text = text(&mark);
        let (replaced, certain) = match how {
            How::InPlace => in_place(file, &text, Duration::ZERO),
            How::Slowly => in_place(file, &text, Duration::from_millis(3)),
            How::Renamed => (renamed(file, beside, &text), true),
        };
        Edit { mark, how, replaced, certain }
    }
}

/// Returns the text with a mark.
pub fn text(mark: &str) -> String {
    format!("// {mark}\n{}", super::scene::PROGRAM)
}

fn in_place(file: &Path, text: &str, pause: Duration) -> (String, bool) {
    let mut replaced = String::new();
    // Held open, so that its inode number is not reused meanwhile.
    let seen = File::open(file).and_then(|mut from| from.read_to_string(&mut replaced).map(|_| from));
    let mut to = OpenOptions::new().write(true).create(true).truncate(true).open(file).expect("opened");
    std::thread::sleep(pause);
    to.write_all(text.as_bytes()).expect("written");
    let number = |file: &File| file.metadata().expect("there").ino();
    let certain = seen.is_ok_and(|seen| number(&seen) == number(&to));
    (replaced, certain)
}

fn renamed(file: &Path, beside: &Path, text: &str) -> String {
    let fresh = beside.join("fresh");
    fs::write(&fresh, text).expect("written");
    renameat_with(CWD, &fresh, CWD, file, RenameFlags::EXCHANGE).expect("exchanged");
    let replaced = fs::read_to_string(&fresh).expect("what was there is text");
    fs::remove_file(&fresh).expect("removed");
    replaced
}

//! Another program that writes the same file, and knows what it replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// A text that was written from outside.
#[derive(Clone, Debug)]
pub struct Edit {
    /// What is found in no other text.
    pub mark: String,
    pub how: How,
    /// What was in the file just before.
    pub replaced: String,
    /// Whether that is for sure: another file may have taken the name between a look at it and the write.
    pub certain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Opened, emptied and written, as a shell's `>` does it.
    InPlace,
    /// The same, by a program that takes some milliseconds for it.
    Slowly,
    /// A new file takes the name, as most editors do it.
    Renamed,
}

impl Edit {
    /// Writes the text with a mark; `beside` is a folder that nobody watches.
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

/// The text with a mark.
pub fn text(mark: &str) -> String {
    format!("// {mark}\n{}", super::scene::PROGRAM)
}

fn in_place(file: &Path, text: &str, pause: Duration) -> (String, bool) {
    let mut replaced = String::new();
    // Held open, so that its number belongs to no other file meanwhile.
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

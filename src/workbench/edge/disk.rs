//! Reading the file.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::super::event::Disk;

/// A file larger than this is no program of ours.
pub const LARGEST: u64 = 16 << 20;

const BOM: &str = "\u{feff}";

/// What is at a path now. `Gone` where there is nothing.
pub fn read(path: &Path) -> Disk {
    match try_read(path) {
        Ok(disk) => disk,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Disk::Gone
        }
        Err(error) => Disk::Unreadable(error.to_string()),
    }
}

fn try_read(path: &Path) -> io::Result<Disk> {
    let mut options = OpenOptions::new();
    options.read(true);
    let (mut file, meta) = open(&mut options, path)?;
    if meta.is_dir() {
        return Ok(Disk::Unreadable("it is a directory".to_string()));
    }
    if !meta.is_file() {
        return Ok(Disk::Unreadable("it is no regular file".to_string()));
    }
    let mut bytes = Vec::new();
    (&mut file).take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Ok(Disk::Unreadable("it is larger than 16 MiB".to_string()));
    }
    Ok(decode(bytes))
}

/// A regular file that is there, to be read and written to.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match open(&mut options, path)? {
        (file, meta) if meta.is_file() => Ok(file),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")),
    }
}

/// Opens without waiting, as for somebody at the other end of a pipe, and without taking a terminal.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<(File, Metadata)> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits() as i32);
    }
    let file = options.open(path)?;
    let meta = file.metadata()?;
    Ok((file, meta))
}

/// Text from a file's bytes; a leading byte order mark is taken off and remembered.
fn decode(bytes: Vec<u8>) -> Disk {
    match String::from_utf8(bytes) {
        Ok(text) => match text.strip_prefix(BOM) {
            Some(rest) => Disk::Text { text: Arc::from(rest), bom: true },
            None => Disk::Text { text: Arc::from(text), bom: false },
        },
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Disk::Unreadable(format!("it is not UTF-8 (byte {at})"))
        }
    }
}

/// A text as the bytes of a file.
pub fn encode(text: &str, bom: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() + BOM.len());
    if bom {
        bytes.extend_from_slice(BOM.as_bytes());
    }
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

//! Reading the file.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::super::event::Disk;

/// A file larger than this is no program of ours.
const LARGEST: u64 = 16 << 20;

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
    let meta = fs::metadata(path)?;
    if meta.is_dir() {
        return Ok(Disk::Unreadable("it is a directory".to_string()));
    }
    if !meta.is_file() {
        return Ok(Disk::Unreadable("it is no regular file".to_string()));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Ok(Disk::Unreadable("it is larger than 16 MiB".to_string()));
    }
    Ok(decode(bytes))
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

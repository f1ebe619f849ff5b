//! Reads and encodes files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::host::files::{self, ReadError};
use crate::workbench::event::FileContents;

/// Larger files are not programs.
pub const LARGEST: u64 = 16 << 20;

const BOM: &str = "\u{feff}";

/// Reads the contents at a path; `Gone` if nothing is there.
pub fn read(path: &Path) -> FileContents {
    match files::read(path, LARGEST) {
        Ok(bytes) => decode(bytes),
        Err(ReadError::System(error))
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            FileContents::Gone
        }
        Err(why) => FileContents::ReadError(why.to_string()),
    }
}

/// Decodes a file's bytes; a leading byte order mark is removed and reported.
fn decode(bytes: Vec<u8>) -> FileContents {
    match String::from_utf8(bytes) {
        Ok(text) => match text.strip_prefix(BOM) {
            Some(rest) => FileContents::Text { text: Arc::from(rest), bom: true },
            None => FileContents::Text { text: Arc::from(text), bom: false },
        },
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            FileContents::ReadError(format!("it is not UTF-8 (byte {at})"))
        }
    }
}

/// Encodes a text as the bytes of a file.
pub fn encode(text: &str, bom: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() + BOM.len());
    if bom {
        bytes.extend_from_slice(BOM.as_bytes());
    }
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

//! An unsaved text as a file: a line of JSON that says what it is, then the text as it is.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// What the first line of such a file says of itself.
const KIND: &str = "myriad unsaved text";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    kind: String,
    version: u32,
    /// The file that the text is of; its name as far as it is text.
    path: Option<String>,
    /// The length of the text.
    bytes: usize,
    /// Seconds since 1970.
    written: u64,
}

/// What an entry holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub path: Option<PathBuf>,
    pub text: String,
    pub written: SystemTime,
}

/// The bytes of an entry.
pub fn encode(path: Option<&Path>, text: &str, written: SystemTime) -> Vec<u8> {
    let header = Header {
        kind: KIND.to_string(),
        version: VERSION,
        path: path.map(|path| path.to_string_lossy().into_owned()),
        bytes: text.len(),
        written: written.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    };
    // A header has nothing that JSON has not.
    let mut bytes = serde_json::to_vec(&header).unwrap_or_default();
    bytes.push(b'\n');
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// What some bytes hold, if they are an entry, whole.
pub fn decode(bytes: &[u8]) -> Option<Entry> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let header: Header = serde_json::from_slice(&bytes[..end]).ok()?;
    let text = std::str::from_utf8(&bytes[end + 1..]).ok()?;
    let sound = header.kind == KIND && header.version == VERSION && header.bytes == text.len();
    sound.then(|| Entry {
        path: header.path.map(PathBuf::from),
        text: text.to_string(),
        written: UNIX_EPOCH + Duration::from_secs(header.written),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let written = UNIX_EPOCH + Duration::from_secs(1_000);
        for path in [None, Some(Path::new("/a/b\n\".myr"))] {
            for text in ["", "one\ntwo", "\n{}\n"] {
                let expected = Entry { path: path.map(Path::to_path_buf), text: text.to_string(), written };
                assert_eq!(decode(&encode(path, text, written)), Some(expected));
            }
        }
    }

    #[test]
    fn what_is_cut_or_foreign_is_none() {
        let bytes = encode(None, "text", UNIX_EPOCH);
        for end in 0..bytes.len() {
            assert_eq!(decode(&bytes[..end]), None);
        }
        assert_eq!(
            decode(b"{\"kind\":\"another\",\"version\":1,\"path\":null,\"bytes\":0,\"written\":0}\n"),
            None
        );
        assert_eq!(decode(b"\xff\n\xff"), None);
    }
}

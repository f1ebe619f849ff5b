//! The file format of an unsaved text: a header line of JSON, then the text.
//!
//! Fields added to the header are optional, so all releases can read the entries of all others.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::lang::hash::fnv64;
use crate::workbench::unsaved::Base;

/// The `kind` field of every header.
const KIND: &str = "myriad unsaved text";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    kind: String,
    version: u32,
    /// The file that the text belongs to, with replacement characters if its name is not UTF-8.
    path: Option<String>,
    /// The bytes of a name that is not UTF-8, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    raw_path: Option<String>,
    /// The length of the text in bytes.
    bytes: usize,
    /// Seconds since 1970.
    written: u64,
    /// The content of the file that the text is based on; entries of older releases have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<Base>,
    /// The checksum of name and text, in hexadecimal; entries of older releases have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
}

/// An unsaved text read from the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    pub path: Option<PathBuf>,
    pub text: String,
    /// The content of the file that the text is based on, if it is known.
    pub base: Option<Base>,
    pub written: SystemTime,
    /// Whether the bytes differ from those written.
    pub damaged: bool,
}

impl JournalEntry {
    /// Returns whether the text belongs to the file with this absolute name. Older releases did not store the
    /// bytes of a name that is not UTF-8.
    pub fn is_of(&self, name: &Path) -> bool {
        self.path.as_deref().is_some_and(|path| {
            path == name || (name.to_str().is_none() && path.as_os_str() == &*name.to_string_lossy())
        })
    }
}

/// Writes an entry. The text is not copied, because entries are also written when memory is short.
///
/// # Errors
/// If writing fails.
pub fn encode(
    out: &mut impl Write,
    path: Option<&Path>,
    text: &str,
    base: Option<Base>,
    written: SystemTime,
) -> io::Result<()> {
    let mut header = Header {
        kind: KIND.to_string(),
        version: VERSION,
        path: path.map(|path| path.to_string_lossy().into_owned()),
        raw_path: path.filter(|path| path.to_str().is_none()).and_then(raw::digits),
        bytes: text.len(),
        written: written.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
        base,
        checksum: None,
    };
    header.checksum = Some(header.sum(text.as_bytes()));
    let mut head = serde_json::to_vec(&header)?;
    head.push(b'\n');
    out.write_all(&head)?;
    out.write_all(text.as_bytes())
}

/// Decodes an entry; `None` if the bytes are not a complete entry. Damage to the text is reported but does
/// not reject it: a text with a wrong character is better than none.
pub fn decode(bytes: &[u8]) -> Option<JournalEntry> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let header: Header = serde_json::from_slice(&bytes[..end]).ok()?;
    let text = &bytes[end + 1..];
    if header.kind != KIND || header.version != VERSION || header.bytes != text.len() {
        return None;
    }
    let damaged = header.checksum.as_ref().is_some_and(|sum| *sum != header.sum(text));
    let text = match std::str::from_utf8(text) {
        Ok(text) => text.to_string(),
        Err(_) if damaged => String::from_utf8_lossy(text).into_owned(),
        Err(_) => return None,
    };
    let raw_path = header.raw_path.as_deref().and_then(raw::path);
    let path = raw_path.or(header.path.map(PathBuf::from));
    let written = UNIX_EPOCH.checked_add(Duration::from_secs(header.written)).unwrap_or(UNIX_EPOCH);
    Some(JournalEntry { path, text, base: header.base, written, damaged })
}

impl Header {
    /// Returns the 64-bit FNV-1a hash of the name, its bytes and the text, with a zero byte after each of the
    /// first two.
    fn sum(&self, text: &[u8]) -> String {
        let name = self.path.iter().flat_map(|name| name.bytes()).chain([0]);
        let raw = self.raw_path.iter().flat_map(|digits| digits.bytes()).chain([0]);
        format!("{:016x}", fnv64(name.chain(raw).chain(text.iter().copied())))
    }
}

/// Conversion of file names to and from bytes.
#[cfg(unix)]
mod raw {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::{Path, PathBuf};

    pub fn digits(path: &Path) -> Option<String> {
        Some(path.as_os_str().as_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    pub fn path(digits: &str) -> Option<PathBuf> {
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
        Some(OsString::from_vec(bytes?).into())
    }
}
/// On other systems, names are not bytes.
#[cfg(not(unix))]
mod raw {
    use std::path::{Path, PathBuf};

    pub fn digits(_: &Path) -> Option<String> {
        None
    }

    pub fn path(_: &str) -> Option<PathBuf> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(path: Option<&Path>, text: &str, written: SystemTime) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(&mut bytes, path, text, Some(Base::of(None)), written).expect("written");
        bytes
    }

    #[test]
    fn journal_entry_round_trips() {
        let written = UNIX_EPOCH + Duration::from_secs(1_000);
        for path in [None, Some(Path::new("/a/b\n\".myr"))] {
            for text in ["", "one\ntwo", "\n{}\n"] {
                let expected = JournalEntry {
                    path: path.map(Path::to_path_buf),
                    text: text.to_string(),
                    base: Some(Base::of(None)),
                    written,
                    damaged: false,
                };
                assert_eq!(decode(&encoded(path, text, written)), Some(expected));
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_utf8_is_kept_to_the_byte() {
        use std::os::unix::ffi::OsStrExt;
        let name = |bytes| Path::new(std::ffi::OsStr::from_bytes(bytes));
        let (one, other) = (name(b"/a/\xff.myr"), name(b"/a/\xfe.myr"));
        let entry = decode(&encoded(Some(one), "text", UNIX_EPOCH)).expect("an entry");
        assert_eq!(entry.path.as_deref(), Some(one));
        assert!(entry.is_of(one) && !entry.is_of(other));
        // Older releases wrote the name with replacement characters only.
        let old = b"{\"kind\":\"myriad unsaved text\",\"version\":1,\"path\":\"/a/\xef\xbf\xbd.myr\",\"bytes\":4,\"written\":7}\ntext";
        assert!(decode(old).expect("an entry").is_of(one));
    }

    #[test]
    fn damage_is_reported_and_older_entries_are_read() {
        let bytes = encoded(Some(Path::new("/a.myr")), "one two", UNIX_EPOCH);
        let end = bytes.len();
        for (at, byte) in [(end - 1, b'x'), (end - 7, b'O'), (end - 2, 0xff)] {
            let mut changed = bytes.clone();
            changed[at] = byte;
            let entry = decode(&changed).expect("still an entry");
            assert!(entry.damaged, "{entry:?}");
        }
        let old = b"{\"kind\":\"myriad unsaved text\",\"version\":1,\"path\":\"/a.myr\",\"bytes\":4,\"written\":7}\ntext";
        let entry = decode(old).expect("an entry");
        assert_eq!((entry.text.as_str(), entry.damaged, entry.base), ("text", false, None));
        assert_eq!(entry.path.as_deref(), Some(Path::new("/a.myr")));
    }

    #[test]
    fn truncated_or_foreign_files_are_not_decoded() {
        let bytes = encoded(None, "text", UNIX_EPOCH);
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

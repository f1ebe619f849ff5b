//! Shows: a tape of keys with pauses, played inside the workbench or recorded.
//!
//! [`tape`] reads one. [`play`] does what its commands say, one after the other, with a [`play::Hall`]: the terminal that somebody
//! looks at ([`live`]), or a recorder ([`record`]), whose time is the tape's own. What was recorded becomes a cast ([`cast`]) or
//! stills ([`svg`]).

pub mod ansi;
pub mod cast;
pub mod commands;
mod line;
pub mod live;
pub mod play;
pub mod record;
pub mod svg;
pub mod tape;

use std::path::{Path, PathBuf};

use crate::host::files;
use crate::lang::samples;

/// Bytes of a program that a tape opens, at most.
const LARGEST: u64 = 16 << 20;

/// The text of a program that a tape names: a file beside the tape, one from where the program was started, or a sample.
///
/// # Errors
/// Why there is none.
pub fn find(name: &str, beside: &Path) -> Result<String, String> {
    let named: PathBuf = name.into();
    let places = [beside.join(&named), named.clone()];
    if let Some(path) = places.iter().find(|path| path.exists()) {
        return files::read_text(path, LARGEST).map_err(|why| why.to_string());
    }
    let within = named.strip_prefix("samples").unwrap_or(&named);
    let sample = within.to_str().and_then(samples::named);
    sample
        .map(|sample| sample.text.to_string())
        .ok_or_else(|| "there is no such file, and no such sample".to_string())
}

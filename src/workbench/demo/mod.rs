//! Tapes are played inside the workbench, or recorded.
//!
//! [`play`] runs the commands of a [tape](crate::workbench::tape) on a [`play::TapeTarget`]: the user's terminal ([`live`]), or a
//! recorder ([`record`]) whose clock is the tape's own. A recording is written as a cast ([`cast`]), as
//! stills ([`svg`]), as a film ([`svg::film`]) or as slides ([`slides`]).

pub mod ansi;
pub mod cast;
pub mod live;
pub mod play;
pub mod race;
pub mod record;
pub mod slides;
pub mod svg;

use std::path::{Path, PathBuf};

use crate::host::files;
use crate::lang::samples;

/// The tape of the README's film, which `myriad demo` plays.
pub const FIRST_LOOK: &str = include_str!("../../../assets/tapes/first-look.tape");

/// Size limit of a program that a tape opens, in bytes.
const LARGEST: u64 = 16 << 20;

/// The stored race of the README's film.
const FIRST_RACE: (&str, &str) = ("assets/races/above.json", include_str!("../../../assets/races/above.json"));

/// Returns the text of a program or a stored race that a tape names: a file relative to `beside`, a file relative to the
/// working directory, or a part of this program, such as a sample.
///
/// # Errors
/// If the file is not found or cannot be read.
pub fn find(name: &str, beside: &Path) -> Result<String, String> {
    let named: PathBuf = name.into();
    let places = [beside.join(&named), named.clone()];
    if let Some(path) = places.iter().find(|path| path.exists()) {
        return files::read_text(path, LARGEST).map_err(|why| why.to_string());
    }
    if name == FIRST_RACE.0 {
        return Ok(FIRST_RACE.1.to_string());
    }
    let within = named.strip_prefix("samples").unwrap_or(&named);
    let sample = within.to_str().and_then(samples::named);
    sample
        .map(|sample| sample.text.to_string())
        .ok_or_else(|| "no file and no sample has this name".to_string())
}

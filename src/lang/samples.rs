//! The samples, as part of the program: they can be opened, and measured, wherever it is installed.

use include_dir::{Dir, include_dir};

static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR/samples");

/// A program to play with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The name of its file, without a folder.
    pub name: &'static str,
    pub text: &'static str,
}

impl Sample {
    /// What it is about: its first comment, up to the end of the line.
    pub fn about(&self) -> &'static str {
        self.text.lines().next().unwrap_or("").trim_start_matches('/').trim()
    }
}

/// All samples, by name.
pub fn all() -> Vec<Sample> {
    let sample = |file: &'static include_dir::File<'static>| {
        Some(Sample { name: file.path().file_name()?.to_str()?, text: file.contents_utf8()? })
    };
    let mut samples: Vec<Sample> = FOLDER.files().filter_map(sample).collect();
    samples.retain(|sample| sample.name.ends_with(".myr"));
    samples.sort_by_key(|sample| sample.name);
    samples
}

/// The sample of this name.
pub fn named(name: &str) -> Option<Sample> {
    all().into_iter().find(|sample| sample.name == name)
}

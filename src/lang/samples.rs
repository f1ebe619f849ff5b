//! The sample programs, embedded in the executable so that they can be opened and measured wherever it is
//! installed.

use include_dir::{Dir, include_dir};

static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../samples");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// File name, without a folder.
    pub name: &'static str,
    pub text: &'static str,
}

impl Sample {
    /// Returns the sample's description: the first line, which is a comment.
    pub fn about(&self) -> &'static str {
        self.text.lines().next().unwrap_or("").trim_start_matches('/').trim()
    }
}

/// Returns all samples, sorted by name.
pub fn all() -> Vec<Sample> {
    let sample = |file: &'static include_dir::File<'static>| {
        Some(Sample { name: file.path().file_name()?.to_str()?, text: file.contents_utf8()? })
    };
    let mut samples: Vec<Sample> = FOLDER.files().filter_map(sample).collect();
    samples.retain(|sample| sample.name.ends_with(".myr"));
    samples.sort_by_key(|sample| sample.name);
    samples
}

pub fn named(name: &str) -> Option<Sample> {
    all().into_iter().find(|sample| sample.name == name)
}

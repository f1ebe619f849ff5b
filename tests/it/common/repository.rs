//! The folder of the repository, whichever member a test belongs to.

use std::path::{Path, PathBuf};

pub fn repository() -> &'static Path {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.into_iter().find(|folder| folder.join("Cargo.lock").exists()).expect("the workspace has a lock file")
}

/// Returns the paths of the samples, sorted.
pub fn samples() -> Vec<PathBuf> {
    let folder = repository().join("samples");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("samples").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

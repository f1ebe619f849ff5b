//! The layer that injects faults, compiled once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::extent;

const NAME: &str = "VK_LAYER_MYRIAD_faults";

/// The folder of the compiled layer. `None` if it cannot be compiled here; the calling test is then recorded as skipped.
fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let folder = FOLDER.get_or_init(compile).as_ref().map(tempfile::TempDir::path);
    if folder.is_none() {
        extent::skip("the Vulkan layer that injects faults needs Linux and a C compiler");
    }
    folder
}

fn compile() -> Option<tempfile::TempDir> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/faults/layer.c");
    let library = folder.path().join("libfaults.so");
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).status();
    match compiled {
        Ok(status) => assert!(status.success(), "{source} does not compile"),
        Err(error) => {
            println!("no C compiler: {error}");
            return None;
        }
    }
    let description = format!(
        r#"{{"file_format_version": "1.1.2", "layer": {{"name": "{NAME}", "type": "GLOBAL", "library_path": "./libfaults.so",
        "api_version": "1.3.0", "implementation_version": "1", "description": "faults"}}}}"#
    );
    std::fs::write(folder.path().join("faults.json"), description).expect("written");
    Some(folder)
}

/// Returns the environment that loads the layer and configures the faults; `None` if the layer is not
/// available.
pub fn environment(faults: &[(&str, &str)]) -> Option<Vec<(String, PathBuf)>> {
    let folder = folder()?;
    let own = [("VK_LAYER_PATH", folder), ("VK_INSTANCE_LAYERS", Path::new(NAME))];
    let faults = faults.iter().map(|(name, value)| (*name, Path::new(*value)));
    Some(own.into_iter().chain(faults).map(|(name, value)| (name.to_string(), value.to_path_buf())).collect())
}

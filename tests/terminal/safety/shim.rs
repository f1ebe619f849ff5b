//! Faults of system calls: `faults.c`, compiled once, and its rules.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::scene::Scene;

/// The compilers to try, in order.
const COMPILERS: [&str; 3] = ["cc", "gcc", "tcc"];

/// Returns the library to preload.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal/safety/faults.c");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let fresh = folder.join(format!("faults-{}.so", std::process::id()));
        let compiled = |compiler: &str| {
            let mut command = Command::new(compiler);
            command.args(["-shared", "-fPIC", "-o"]).arg(&fresh).arg(&source).arg("-ldl");
            command.output().is_ok_and(|output| output.status.success())
        };
        let found = COMPILERS.iter().any(|compiler| compiled(compiler));
        assert!(found, "faults need a C compiler that makes libraries: one of {COMPILERS:?}");
        // Another run of the tests may be using the library.
        let library = folder.join("faults.so");
        std::fs::rename(&fresh, &library).expect("renamed");
        library
    })
}

/// Faults in a scene. They occur only while armed.
pub struct Faults {
    rules: String,
    armed: PathBuf,
    log: PathBuf,
}

impl Faults {
    /// Rules in the syntax of `faults.c`, `CALL:WHICH:WHAT@PART;…`.
    pub fn new(scene: &Scene, rules: &str) -> Faults {
        let beside = scene.place.beside();
        Faults { rules: rules.to_string(), armed: beside.join("armed"), log: beside.join("faults.log") }
    }

    /// Returns the environment of a session with these faults.
    pub fn environment(&self) -> Vec<(&str, &str)> {
        let text = |path: &'static Path| path.to_str().expect("UTF-8");
        vec![
            ("LD_PRELOAD", text(library())),
            ("MYRIAD_FAULTS", &self.rules),
            ("MYRIAD_FAULTS_WHEN", self.armed.to_str().expect("UTF-8")),
            ("MYRIAD_FAULT_LOG", self.log.to_str().expect("UTF-8")),
        ]
    }

    pub fn arm(&self) {
        std::fs::write(&self.armed, "").expect("armed");
    }

    pub fn disarm(&self) {
        let _ = std::fs::remove_file(&self.armed);
    }

    /// Returns the faults that occurred: rule, function and path on one line.
    pub fn struck(&self) -> Vec<String> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().map(str::to_string).collect()
    }
}

//! The C compiler of this machine.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The compilers to look for, the fastest first.
const NAMES: [&str; 3] = ["tcc", "gcc", "cc"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportCompiler {
    pub name: &'static str,
    path: PathBuf,
}

impl ExportCompiler {
    /// Returns the first of tcc, gcc and cc on the search path.
    pub fn find() -> Option<ExportCompiler> {
        NAMES.into_iter().find_map(ExportCompiler::named)
    }

    /// Returns the compiler with this name if it is on the search path.
    pub fn named(name: &'static str) -> Option<ExportCompiler> {
        let paths = std::env::var_os("PATH")?;
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let path =
            std::env::split_paths(&paths).map(|folder| folder.join(&file)).find(|path| path.is_file())?;
        Some(ExportCompiler { name, path })
    }

    /// Returns the first line of the compiler's version message, or its name.
    pub fn version(&self) -> String {
        let flag = if self.name == "tcc" { "-v" } else { "--version" };
        let output = Command::new(&self.path).arg(flag).stdin(Stdio::null()).output();
        let said = output.map_or_else(|_| Vec::new(), |output| output.stdout);
        String::from_utf8_lossy(&said).lines().next().unwrap_or(self.name).trim().to_string()
    }

    /// Returns the command that compiles `source` to the executable `program`.
    pub fn command(&self, source: &Path, program: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.arg(source).arg("-o").arg(program).stdin(Stdio::null());
        command
    }

    /// Returns the command that compiles and runs `source` without an output file. Only tcc supports it.
    pub fn run_command(&self, source: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.arg("-run").arg(source).stdin(Stdio::null());
        command
    }

    /// Compiles `source` to `program` with additional flags.
    ///
    /// # Errors
    /// If the compiler cannot be started, fails, or prints a warning: exported code must compile without
    /// warnings.
    pub fn compile(&self, source: &Path, program: &Path, flags: &[&str]) -> io::Result<()> {
        let output = self.command(source, program).args(flags).output()?;
        if output.status.success() && output.stderr.is_empty() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(io::Error::other(format!("{}: {} {said}", self.name, output.status)))
    }
}

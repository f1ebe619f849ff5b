//! The external compiler: each variant is exported as C, compiled in a separate process, and run in another.
//!
//! Variants are processed in sequence, as in the conventional loop. The C is generated from the checked tree, so this
//! program's front end detects variants that do not compile.

use std::io;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::process::Processes;
use super::{Fate, Field, NoScore, Ready, Resource, Track};
use crate::compiler::export::c::{self, ExportedEntry, Unit};
use crate::compiler::export::compiler::ExportCompiler;
use crate::compiler::stage::Compiler as FrontEnd;
use crate::engine::oracles::Oracle;
use crate::lang::index::MutantId;

struct External {
    compiler: ExportCompiler,
    front: FrontEnd,
    entries: Vec<ExportedEntry>,
    source: PathBuf,
    program: PathBuf,
    /// The folder of both files.
    _folder: TempDir,
}

pub fn prepare(field: &Field) -> Result<Box<dyn Ready>, NoScore> {
    let Some(compiler) = ExportCompiler::find() else {
        return Err(NoScore::LeftOut("none of tcc, gcc and cc is installed".into()));
    };
    let folder = tempfile::tempdir().map_err(|error| failed("no temporary folder", error))?;
    let entry = |judge: &Oracle| ExportedEntry { id: judge.entry, fuel: judge.fuel };
    Ok(Box::new(External {
        compiler,
        front: FrontEnd::default(),
        entries: field.oracles.iter().map(entry).collect(),
        source: folder.path().join("variant.c"),
        program: folder.path().join("variant"),
        _folder: folder,
    }))
}

fn failed(what: &str, error: io::Error) -> NoScore {
    NoScore::Failed(format!("{what}: {error}"))
}

impl Ready for External {
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, NoScore> {
        let flag = track.start(Resource::OneCore);
        let all = |processes: &Processes| self.all(field, processes, track);
        Processes::with(flag, all).map_err(|error| failed("no thread for processes", error))??;
        let name = self.compiler.name;
        Ok(format!("{name}; a process to compile and one to run, one after the other"))
    }
}

impl External {
    fn all(&mut self, field: &Field, processes: &Processes, track: &mut Track) -> Result<(), NoScore> {
        for id in field.ids() {
            let written = track.timed("front end", || self.write(field, id));
            let Some(written) = written else {
                track.report(id, Fate::Invalid);
                continue;
            };
            let compiled = track.timed("compiler", || {
                std::fs::write(&self.source, written)?;
                processes.run(self.compiler.command(&self.source, &self.program))
            });
            match compiled.map_err(|error| failed(self.compiler.name, error))? {
                Some((status, _)) if status.success() => {}
                // A variant that the C compiler rejects is not judged.
                Some(_) => {
                    track.report(id, Fate::NoAnswer);
                    continue;
                }
                None => break,
            }
            let ran = track.timed("run", || self.judge(processes));
            match ran.map_err(|error| failed("the compiled variant", error))? {
                Some(fate) => track.report(id, fate),
                None => break,
            }
        }
        Ok(())
    }

    /// Exports a variant as C. Returns `None` if it does not compile.
    fn write(&mut self, field: &Field, id: MutantId) -> Option<String> {
        let text = field.text(id)?;
        self.front.compile(&text);
        let compiled = self.front.compiles().then(|| self.front.compiled(&text.into()))?;
        Some(c::source(&[Unit { program: &compiled, entries: &self.entries, stop_at_first_failure: true }]))
    }

    /// Runs a compiled variant. Returns `None` if the race ends first.
    fn judge(&self, processes: &Processes) -> io::Result<Option<Fate>> {
        let Some((status, said)) = processes.run(Command::new(&self.program))? else { return Ok(None) };
        Ok(Some(Fate::of_process(status, &said)))
    }
}

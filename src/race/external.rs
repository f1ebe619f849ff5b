//! The external compiler: each variant written as C, compiled in a process of its own, and run in another.
//!
//! One after the other, as the conventional loop has it. The C is written of the checked tree, so this program's front end takes
//! part: it is what finds that a variant does not compile.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::{Absent, Fate, Field, Flag, Track};
use crate::engine::Kind;
use crate::engine::cpu::Compiler as FrontEnd;
use crate::engine::judges::Judge;
use crate::export::c::{self, Entry, Unit};
use crate::export::compiler::Compiler;

pub fn run(field: &Field, track: &mut Track) -> Result<String, Absent> {
    let Some(compiler) = Compiler::find() else {
        return Err(Absent::LeftOut("none of tcc, gcc and cc is installed".into()));
    };
    let failed = |what: &str, error: std::io::Error| Absent::Failed(format!("{what}: {error}"));
    let folder = tempfile::tempdir().map_err(|error| failed("no temporary folder", error))?;
    let (source, program) = (folder.path().join("variant.c"), folder.path().join("variant"));
    let entry = |judge: &Judge| Entry { index: judge.entry, fuel: judge.fuel };
    let entries: Vec<Entry> = field.judges.iter().map(entry).collect();
    let mut front = FrontEnd::default();
    let flag = track.start(Kind::Cpu);
    for id in 0..field.k {
        if flag.is_up() {
            break;
        }
        let written = track.timed("front end", || {
            let text = field.text(id)?;
            front.text(&text);
            let compiled = front.compiles().then(|| front.compiled(&text.into()))?;
            Some(c::source(&[Unit { program: &compiled, entries: &entries, first_failure_ends: true }]))
        });
        let Some(written) = written else {
            track.report(id, Fate::Invalid);
            continue;
        };
        let compiled = track.timed("compiler", || {
            std::fs::write(&source, written)?;
            finish(compiler.command(&source, &program), flag)
        });
        match compiled.map_err(|error| failed(compiler.name, error))? {
            Some((status, _)) if status.success() => {}
            // What a compiler does not take is not judged.
            Some(_) => {
                track.report(id, Fate::NoAnswer);
                continue;
            }
            None => break,
        }
        let ran = track.timed("run", || judge(&program, flag));
        match ran.map_err(|error| failed("the compiled variant", error))? {
            Some(fate) => track.report(id, fate),
            None => break,
        }
    }
    Ok(format!("{}; a process to compile and one to run, one after the other", compiler.name))
}

/// Runs a compiled variant; `None` where the race ends before it does.
fn judge(program: &Path, flag: Flag) -> std::io::Result<Option<Fate>> {
    let Some((status, said)) = finish(Command::new(program), flag)? else { return Ok(None) };
    let fate = match (status.code(), said.lines().last().unwrap_or("")) {
        (Some(0), _) => Fate::Survived,
        (Some(1), line) if line.ends_with("trap StepLimit") => Fate::Timeout,
        (Some(1), _) => Fate::Killed,
        // A signal ended it.
        _ => Fate::NoAnswer,
    };
    Ok(Some(fate))
}

/// Waits for a process and takes what it says; ends it where the race does.
fn finish(mut command: Command, flag: Flag) -> std::io::Result<Option<(ExitStatus, String)>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = Ended(command.spawn()?);
    let mut pause = Duration::from_micros(20);
    // What it says fits the pipe: a line for each test, of which there are few.
    let status = loop {
        if let Some(status) = child.0.try_wait()? {
            break status;
        }
        if flag.is_up() {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 3 / 2).min(Duration::from_millis(2));
    };
    let mut said = String::new();
    if let Some(mut stdout) = child.0.stdout.take() {
        stdout.read_to_string(&mut said)?;
    }
    Ok(Some((status, said)))
}

/// A process that does not outlive its owner.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

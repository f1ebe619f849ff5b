//! `peers`: the same variants with the same tests, compiled by common C compilers, in the same run as the
//! engines.
//!
//! Each variant is written to a C file beforehand, so that the time of this program's front end is not
//! included. One process compiles and runs it (`tcc -run`), or one compiles it and another runs it. The
//! measuring thread sleeps until a process has ended. An engine's time is that from the program's text to the
//! last verdict.

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::measuring::{self, Engines, Opened};
use super::table::{BenchRow, BenchSubject, Contender, Section};
use super::{Bench, programs};
use crate::cli::args::Effort;
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::InputSource;
use crate::cli::progress::CliProgress;
use crate::compiler::export::c::{self, ExportedEntry, Unit};
use crate::compiler::export::compiler::ExportCompiler;
use crate::compiler::stage;
use crate::lang::index::{Index, MutantId};
use crate::paper::race::{Fate, Field, Flag, Population, Processes};

/// A way to compile and run C.
struct Peer {
    name: &'static str,
    compiler: &'static str,
    flags: &'static [&'static str],
    /// Whether the compiler runs the program in its own process.
    runs: bool,
}

const PEERS: [Peer; 3] = [
    Peer { name: "tcc -run", compiler: "tcc", flags: &[], runs: true },
    Peer { name: "gcc -O0", compiler: "gcc", flags: &["-O0"], runs: false },
    Peer { name: "gcc -O2", compiler: "gcc", flags: &["-O2"], runs: false },
];

/// Measures each program, and the mean ratios over all programs.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    let mut engines = Engines::new(bench.common)?;
    let folder = tempfile::tempdir().map_err(|error| broken("a temporary folder", &error))?;
    let mut sections = bench.each(programs::all, |source| {
        let mut rows = engines.measure(|opened| Ok(vec![engine(opened, source, &effort)?]))?;
        let field = Field::new(&source.text, effort.k).map_err(|why| Failure {
            exit: Exit::ProgramFailed,
            message: format!("{}: {why}", source.shown()),
            help: "the program needs a passing test and something to change".into(),
        })?;
        let variants = Variants::new(&field, folder.path().join("variant.c"), folder.path().join("variant"));
        for peer in &PEERS {
            rows.extend(variants.measure(peer, source, &effort)?);
        }
        let faster = faster(&rows);
        rows.extend(faster);
        Ok(rows)
    })?;
    let means = means(&sections);
    sections.push(Section { file: "all".into(), rows: means });
    Ok(sections)
}

/// Measures an engine's time per variant, over all k.
fn engine(opened: &mut Opened, source: &InputSource, effort: &Effort) -> Result<BenchRow, Failure> {
    let (mut judged, mut tests) = (0, 0);
    let times = measuring::repeat(effort, || {
        let (count, entries, seconds) = measuring::judge(opened.engine.as_mut(), &source.text, effort.k)?;
        (judged, tests) = (count, entries);
        Ok(seconds * 1e6 / f64::from(count.max(1)))
    })?;
    Ok(BenchRow::new("variant", "µs", opened.subject(source, tests, judged), &opened.who, times))
}

/// The variants of a program, which are written as C one by one.
struct Variants<'a> {
    field: &'a Field,
    /// The CPU engine's verdicts on them.
    population: Population,
    entries: Vec<ExportedEntry>,
    source: PathBuf,
    program: PathBuf,
}

/// Result of a pass over some variants.
struct Pass {
    /// Number of variants that compile and were therefore handed to the peer.
    done: u32,
    seconds: f64,
    differ: u32,
}

impl Variants<'_> {
    fn new(field: &Field, source: PathBuf, program: PathBuf) -> Variants<'_> {
        let entry =
            |oracle: &crate::engine::oracles::Oracle| ExportedEntry { id: oracle.entry, fuel: oracle.fuel };
        let entries = field.oracles.iter().map(entry).collect();
        Variants { field, population: Population::of(field), entries, source, program }
    }

    fn measure(&self, peer: &Peer, source: &InputSource, effort: &Effort) -> Result<Vec<BenchRow>, Failure> {
        let subject =
            |k: u32| BenchSubject { k: k.into(), bytes: source.text.len(), tests: self.field.entries.len() };
        let who = Contender { engine: peer.name.into(), adapter: "one process after the other".into() };
        let Some(compiler) = ExportCompiler::named(peer.compiler) else {
            let why = format!("{} is not installed", peer.compiler);
            return Ok(vec![BenchRow::missing("variant", "µs", subject(0), &who, why)]);
        };
        let mut progress = CliProgress::new("variants");
        progress.say(&format!("{}: {}", source.shown(), peer.name));
        // The first pass runs for a share of the time; it determines how many variants each later pass takes.
        let share = Duration::from_secs_f64(effort.seconds / f64::from(effort.repetitions));
        let first = self.pass(peer, &compiler, self.field.k, Some(share))?;
        if first.done == 0 {
            return Ok(vec![BenchRow::missing(
                "variant",
                "µs",
                subject(0),
                &who,
                "no variant compiles".into(),
            )]);
        }
        let per_variant = |pass: &Pass| pass.seconds * 1e6 / f64::from(pass.done.max(1));
        let (done, differ, mut times) = (first.done, first.differ, vec![per_variant(&first)]);
        let started = Instant::now();
        while (times.len() as u32) < effort.repetitions && started.elapsed().as_secs_f64() < effort.seconds {
            times.push(per_variant(&self.pass(peer, &compiler, done, None)?));
        }
        let row = |name: &str, unit, values| BenchRow::new(name, unit, subject(done), &who, values);
        Ok(vec![row("variant", "µs", times), row("differs", "count", vec![f64::from(differ)])])
    }

    /// Hands variants to a peer, evenly spaced over all ids, until `most` have compiled or the time is over.
    fn pass(
        &self,
        peer: &Peer,
        compiler: &ExportCompiler,
        most: u32,
        limit: Option<Duration>,
    ) -> Result<Pass, Failure> {
        let nobody = AtomicBool::new(false);
        // Variants end when their fuel runs out, so a hanging process would be a bug; the flag ends it after an
        // hour.
        let flag = Flag::new(&nobody, Duration::from_secs(3_600));
        let mut front = stage::Compiler::default();
        let run = |processes: &Processes| {
            let (started, mut pass) = (Instant::now(), Pass { done: 0, seconds: 0.0, differ: 0 });
            for id in evenly_spread_ids(self.field.k) {
                if pass.done >= most || pass.done > 0 && limit.is_some_and(|limit| started.elapsed() > limit) {
                    break;
                }
                let Some(text) = self.write(&mut front, id) else { continue };
                std::fs::write(&self.source, text)?;
                let (fate, seconds) = measuring::timed(|| self.one(peer, compiler, processes));
                let (fate, engine) = (fate?, self.population.fate(id));
                pass.done += 1;
                pass.seconds += seconds;
                pass.differ += u32::from(fate.is_none() || fate != engine);
            }
            Ok(pass)
        };
        let ran = Processes::with(flag, run).and_then(|ran: io::Result<Pass>| ran);
        ran.map_err(|error| broken(peer.name, &error))
    }

    /// Returns a variant as C; `None` if it does not compile.
    fn write(&self, front: &mut stage::Compiler, id: MutantId) -> Option<String> {
        let text = self.field.text(id)?;
        front.compile(&text);
        let compiled = front.compiles().then(|| front.compiled(&text.into()))?;
        Some(c::source(&[Unit { program: &compiled, entries: &self.entries, stop_at_first_failure: true }]))
    }

    /// Compiles and runs the variant that was written.
    fn one(&self, peer: &Peer, compiler: &ExportCompiler, processes: &Processes) -> io::Result<Option<Fate>> {
        let command = if peer.runs {
            compiler.run_command(&self.source)
        } else {
            let mut command = compiler.command(&self.source, &self.program);
            command.args(peer.flags);
            match processes.run(command)? {
                Some((status, _)) if status.success() => Command::new(&self.program),
                _ => return Ok(None),
            }
        };
        Ok(processes.run(command)?.map(|(status, said)| Fate::of_process(status, &said)))
    }
}

/// Returns all ids so that any prefix is spread evenly over them: in the order of their reversed bits.
fn evenly_spread_ids(k: u32) -> impl Iterator<Item = MutantId> {
    let bits = u32::BITS - k.saturating_sub(1).leading_zeros();
    let turned = move |n: u64| if bits == 0 { 0 } else { (n as u32).reverse_bits() >> (u32::BITS - bits) };
    (0..1u64 << bits).map(turned).filter(move |id| *id < k).map(MutantId::new)
}

/// Returns for each engine and each peer how many times faster the engine is, from the rows of a program.
fn faster(rows: &[BenchRow]) -> Vec<BenchRow> {
    let is_peer = |row: &&BenchRow| PEERS.iter().any(|peer| peer.name == row.who.engine);
    let variants = || rows.iter().filter(|row| row.name == "variant");
    let mut found = Vec::new();
    for peer in variants().filter(is_peer) {
        for engine in variants().filter(|row| !is_peer(row)) {
            if let (Some(slow), Some(fast)) = (peer.median(), engine.median()) {
                let name = format!("faster than {}", peer.who.engine);
                found.push(BenchRow::new(name, "times", engine.subject, &engine.who, vec![slow / fast]));
            }
        }
    }
    found
}

/// Returns the geometric means of these ratios over all programs measured.
fn means(sections: &[Section]) -> Vec<BenchRow> {
    let all: Vec<&BenchRow> =
        sections.iter().flat_map(|section| &section.rows).filter(|row| row.unit == "times").collect();
    let mut found: Vec<BenchRow> = Vec::new();
    for row in &all {
        if found.iter().any(|known| known.name == row.name && known.who == row.who) {
            continue;
        }
        let same = all.iter().filter(|other| other.name == row.name && other.who == row.who);
        let logarithms: Vec<f64> = same.filter_map(|row| row.median()).map(f64::ln).collect();
        let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
        let subject = BenchSubject { k: row.subject.k, ..BenchSubject::default() };
        found.push(BenchRow::new(row.name.clone(), "times", subject, &row.who, vec![mean]));
    }
    found
}

fn broken(what: &str, error: &io::Error) -> Failure {
    let help = "check that there is space for temporary files and that the compiler runs";
    Failure { exit: Exit::Engine, message: format!("{what}: {error}"), help: help.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenly_spread_ids_contain_each_id_once() {
        for k in [1, 2, 5, 8, 100] {
            let order: Vec<u32> = evenly_spread_ids(k).map(MutantId::number).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..k).collect::<Vec<_>>());
        }
        assert_eq!(evenly_spread_ids(8).map(MutantId::number).collect::<Vec<_>>(), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(evenly_spread_ids(0).count(), 0);
    }

    #[test]
    fn speedups_are_averaged_geometrically() {
        let row = |engine: &str, median| {
            let who = Contender { engine: engine.into(), adapter: String::new() };
            BenchRow::new("variant", "µs", BenchSubject::default(), &who, vec![median])
        };
        let section = |peer| {
            let rows = faster(&[row("cpu", 1.0), row("tcc -run", peer)]);
            Section { file: String::new(), rows }
        };
        let found = means(&[section(2.0), section(8.0)]);
        assert_eq!(found.len(), 1);
        assert!((found[0].median().unwrap() - 4.0).abs() < 1e-9, "{found:?}");
        assert_eq!(found[0].name, "faster than tcc -run");
    }
}

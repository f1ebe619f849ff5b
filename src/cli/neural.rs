//! `myriad neural`: compiles functions with the neural network and reports the confidence in the result.

use std::cell::RefCell;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::args::{Common, Format, NeuralArgs, SamplingArgs};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::limit::{Limit, Limits};
use super::progress::Progress;
use super::run::no_such_function;
use super::session::Session;
use super::{FileReport, each_file};
use crate::compiler::program::{self, Compiled, Instructions, Watch};
use crate::engine::EngineError;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::RoutineId;
use crate::lang::opcode::Shape;
use crate::learned::synthesis::compile::{self, Compilation, Refusal};
use crate::learned::synthesis::search::{Evidence, Settings};
use crate::network::sampling::Sampling;
use crate::network::weights::{self, Unavailable, Weights};
use crate::report::diagnostics::diagnostics;
use crate::report::listing;
use crate::testing::decide::{Decision, Ways};

/// Default number of candidates.
const K: u32 = 1_000;

#[derive(Serialize)]
struct Document {
    functions: Vec<Function>,
}

/// The result for one function.
#[derive(Serialize)]
#[serde(untagged)]
enum Function {
    Compiled(Box<Row>),
    Unsupported { function: String, out_of_reach: String },
}

#[derive(Serialize)]
struct Row {
    function: String,
    k: u32,
    seed: u32,
    temperature: f32,
    top_p: f32,
    valid: u32,
    correct: u32,
    p_correct: f64,
    p_correct_low: f64,
    p_correct_high: f64,
    p_success: Vec<Success>,
    #[serde(skip_serializing_if = "Option::is_none")]
    k_for_99: Option<u64>,
    rounds: Vec<RoundRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Best>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bytecode: Vec<Instruction>,
    inputs_spent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs_uniform: Option<u64>,
    /// Text output.
    #[serde(skip)]
    page: String,
}

#[derive(Serialize)]
struct Success {
    k: u64,
    model: f64,
    unbiased: f64,
}

#[derive(Serialize)]
struct RoundRow {
    temperature: f32,
    top_p: f32,
    invalid: u32,
    trap: u32,
    wrong: u32,
    timeout: u32,
    refuted: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_differing: Option<u32>,
}

#[derive(Serialize)]
struct Best {
    steps: u64,
    base_steps: u64,
    evidence: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    inputs: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    deciding_inputs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<Branches>,
}

/// Branch directions and comparison outcomes in both codes: those covered and all.
#[derive(Serialize)]
struct Branches {
    taken: u32,
    all: u32,
}

/// An instruction, as in `stages`.
#[derive(Serialize)]
struct Instruction {
    address: u32,
    op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operand: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<u32>,
}

/// Compiles the functions of each file.
pub fn neural(common: Common, args: &NeuralArgs) -> Result<Exit, Failure> {
    // clap waives requirements that conflict with given options, and files conflict with `--eval`.
    if args.functions.is_some() {
        return Err(Failure::call(
            "`--functions` goes with `--eval`",
            "`--function F` compiles one function of a file",
        ));
    }
    let weights = open_weights(&args.drawing)?;
    let settings = settings(&args.drawing, K);
    let mut session = Session::of_network(common)?;
    let limits = Limits::new(args.seconds);
    each_file(&args.files, common, |source| {
        one_file(&mut session, common, args, &weights, &settings, source, &limits.start())
    })
}

fn one_file(
    session: &mut Session,
    common: Common,
    args: &NeuralArgs,
    weights: &Arc<Weights>,
    settings: &Settings,
    source: &Source,
    limit: &Limit,
) -> Result<FileReport, Failure> {
    let started = std::time::Instant::now();
    let Some(base) = session.watched(source, limit)? else {
        let mut report = FileReport::new(source, &[]);
        if let Some(partial) = limit.reached() {
            report.is_partial(source, partial, "its tests did not end, and no function is compiled");
        }
        report.tell(Document { functions: vec![] }, None);
        return Ok(report);
    };
    let program = base.compiled;
    let mut report = FileReport::new(source, &diagnostics(&program));
    let mut functions = Vec::new();
    let mut missed = Vec::new();
    if report.exit == Exit::Good {
        let all = wanted(&program, args.function.as_deref())?;
        let mut cut = None;
        for function in all.iter().copied() {
            let name = program.function_name(function).to_string();
            match compile_one(session, &program, function, weights, settings, limit) {
                Ok(compilation) => {
                    if compilation.found.best.is_none() {
                        missed.push(format!("`{name}`"));
                    }
                    let row = row(&program, function, &name, &compilation, settings);
                    functions.push(Function::Compiled(Box::new(row)));
                }
                Err(Refusal::Unsupported(why)) => {
                    let out_of_reach = why.to_string();
                    if args.function.is_some() {
                        report.add_failure(
                            format!("`{name}` is out of the model's reach: {out_of_reach}"),
                            "`myriad run` compiles it by the deterministic compiler",
                        );
                    }
                    functions.push(Function::Unsupported { function: name, out_of_reach });
                }
                Err(Refusal::Engine(EngineError::Cancelled)) => {
                    cut = limit.reached();
                    break;
                }
                Err(Refusal::Engine(error)) => return Err(error.into()),
            }
        }
        if !missed.is_empty() {
            report.add_failure(
                format!("no correct candidate was found for {}", missed.join(", ")),
                "draw more candidates with -k, or different ones with --seed or --temperature",
            );
        }
        if let Some(partial) = cut {
            let all = plural(all.len() as u64, "function");
            report.is_partial(source, partial, &format!("{} of {all} are done", functions.len()));
        }
    }
    let mut timings = base.timings;
    timings.wall = started.elapsed();
    let timings = session.timings(&timings);
    if common.format == Format::Json {
        report.tell(Document { functions }, timings);
    } else if program.facts.errors == 0 {
        report.text = page(&source.shown(), &functions);
        report.add_timings(timings.as_ref());
    }
    Ok(report)
}

/// Opens the weights that the call names, or else those of this build.
pub fn open_weights(drawing: &SamplingArgs) -> Result<Arc<Weights>, Failure> {
    weights::open(drawing.weights.as_deref()).map_err(|why| {
        let exit = if drawing.weights.is_some() { Exit::Call } else { Exit::Engine };
        let help = match why {
            Unavailable::NoWeights => "name a weights file with --weights; everything else works without it",
            _ => "name matching weights with --weights; everything else works without them",
        };
        Failure { exit, message: format!("neural compilation is not available: {why}"), help: help.to_string() }
    })
}

/// Returns the search settings; `k` is the default number of candidates.
pub fn settings(drawing: &SamplingArgs, k: u32) -> Settings {
    let SamplingArgs { temperature, top_p, seed, risk, confidence, .. } = *drawing;
    let sampling = Sampling { k: drawing.k.unwrap_or(k), first: 0, seed, temperature, top_p };
    Settings { sampling, risk, confidence, ..Settings::default() }
}

/// Returns the search settings of `myriad run`.
pub fn run_settings(drawing: &SamplingArgs) -> Settings {
    settings(drawing, K)
}

/// Returns the requested functions.
fn wanted(program: &Compiled, name: Option<&str>) -> Result<Vec<RoutineId>, Failure> {
    let mut all = program.functions().iter();
    let Some(name) = name else { return Ok(all.collect()) };
    match all.find(|function| program.function_name(*function) == name) {
        Some(function) => Ok(vec![function]),
        None => {
            let names: Vec<&str> =
                program.functions().iter().map(|function| program.function_name(function)).collect();
            Err(no_such_function(name, &names))
        }
    }
}

/// Compiles one function of the session's base.
pub fn compile_one(
    session: &mut Session,
    program: &Compiled,
    function: RoutineId,
    weights: &Arc<Weights>,
    settings: &Settings,
    watch: &dyn Watch,
) -> Result<Compilation, Refusal> {
    // The engine polls `watch` between steps, so the progress line is updated while candidates are drawn.
    let progress = RefCell::new((Progress::new("candidates judged"), 0u64));
    let (name, started) = (program.function_name(function), Instant::now());
    let show = |judged: u32| {
        let (progress, done) = &mut *progress.borrow_mut();
        *done += u64::from(judged);
        let (done, seconds) = (grouped(*done), started.elapsed().as_secs());
        progress.follow(&format!("{name}: {done} candidates judged, {seconds} s"));
    };
    let watch = || {
        show(0);
        watch.cancelled()
    };
    compile::function(session.engine(), program, function, weights, settings, &watch, &mut |candidate| {
        show(candidate.samples);
    })
}

/// Returns error bound and confidence of the evidence, for JSON documents.
pub fn claim(evidence: Evidence) -> (Option<f64>, Option<f64>) {
    match evidence {
        Evidence::Verified { error_bound, confidence } => (Some(error_bound), Some(confidence)),
        _ => (None, None),
    }
}

fn row(
    program: &Compiled,
    function: RoutineId,
    name: &str,
    compilation: &Compilation,
    settings: &Settings,
) -> Row {
    let found = &compilation.found;
    let interval = found.interval();
    let origin = program.executable.code.word.len() as u32;
    let best = found.best();
    let sampling = settings.sampling;
    Row {
        function: name.to_string(),
        k: found.drawn(),
        seed: sampling.seed,
        temperature: sampling.temperature,
        top_p: sampling.top_p,
        valid: found.valid(),
        correct: found.correct(),
        p_correct: found.p_correct(),
        p_correct_low: interval.low,
        p_correct_high: interval.high,
        p_success: found
            .curve()
            .iter()
            .map(|point| Success { k: point.k, model: point.model, unbiased: point.unbiased })
            .collect(),
        k_for_99: found.k_for_99(),
        rounds: found
            .rounds
            .iter()
            .map(|round| RoundRow {
                temperature: round.sampling.temperature,
                top_p: round.sampling.top_p,
                invalid: round.failures.invalid,
                trap: round.failures.trap,
                wrong: round.failures.wrong,
                timeout: round.failures.timeout,
                refuted: round.failures.refuted,
                first_differing: round.failures.sharpest().map(|(test, _)| test),
            })
            .collect(),
        best: best.map(|judged| {
            let (error_bound, confidence) = claim(judged.evidence);
            let ways = judged.decision.as_ref().map(Decision::ways);
            Best {
                steps: judged.steps(),
                base_steps: found.base_steps,
                evidence: judged.evidence.ident(),
                error_bound,
                confidence,
                inputs: judged.inputs,
                deciding_inputs: judged.decision.as_ref().map(|decision| decision.inputs),
                branches: ways.map(|Ways { taken, all }| Branches { taken, all }),
            }
        }),
        bytecode: best.map_or(vec![], |judged| instructions(&judged.candidate.code, origin)),
        inputs_spent: found.spent,
        inputs_uniform: found.uniform,
        page: function_page(program, function, name, compilation, settings),
    }
}

fn instructions(code: &[u32], origin: u32) -> Vec<Instruction> {
    let row = |instruction: program::Instruction| {
        let program::Instruction { at, op, operand, second } = instruction;
        let shape = op.shape();
        Instruction {
            address: origin + at as u32,
            op: op.name(),
            operand: match shape {
                Shape::Plain => None,
                Shape::Value | Shape::Wide => Some(i64::from(operand as i32)),
                _ => Some(i64::from(operand)),
            },
            capacity: (shape == Shape::SlotCapacity).then_some(second),
            target: (shape == Shape::SlotTarget).then_some(second),
        }
    };
    Instructions::of(code).map(row).collect()
}

/// Formats a file's functions as text.
fn page(name: &str, functions: &[Function]) -> String {
    let compiled = |function: &&Function| matches!(function, Function::Compiled(row) if row.best.is_some());
    let count = functions.iter().filter(compiled).count();
    let mut page = format!("{name}: {count} of {} functions compiled\n", functions.len());
    for function in functions {
        match function {
            Function::Compiled(row) => page.push_str(&row.page),
            Function::Unsupported { function, out_of_reach } => {
                let _ = writeln!(page, "\n{function}: out of the model's reach: {out_of_reach}");
            }
        }
    }
    if count > 0 {
        page.push_str(WHY_TWO);
    }
    page
}

const WHY_TWO: &str = "
Equation 7, 1 − (1 − p)^k, takes p for known and draws for independent; with the p that these draws gave it is
biased, and averaged over unlike functions it promises too much. The unbiased estimate, 1 − C(n−c, k) / C(n, k), counts what k of
these very draws would have found.
";

fn function_page(
    program: &Compiled,
    function: RoutineId,
    name: &str,
    compilation: &Compilation,
    settings: &Settings,
) -> String {
    let found = &compilation.found;
    let mut page = String::new();
    let _ = writeln!(
        page,
        "\n{name}: {} drawn, {} valid, {} correct",
        found.drawn(),
        found.valid(),
        found.correct()
    );
    let interval = found.interval();
    let _ = writeln!(
        page,
        "  p of a correct draw {:.3}, from {:.3} to {:.3} at {} % (temperature {}, top-p {})",
        found.p_correct(),
        interval.low,
        interval.high,
        rounded(100.0 * settings.confidence),
        settings.sampling.temperature,
        settings.sampling.top_p,
    );
    let points = found.curve();
    let cells = |text: &dyn Fn(usize) -> String| (0..points.len()).map(text).collect::<Vec<_>>().join(" ");
    let _ = writeln!(page, "  success within  {}", cells(&|i| format!("{:>6}", points[i].k)));
    let _ = writeln!(page, "    equation 7    {}", cells(&|i| format!("{:>6.3}", points[i].model)));
    let _ = writeln!(page, "    unbiased      {}", cells(&|i| format!("{:>6.3}", points[i].unbiased)));
    if let Some(k) = found.k_for_99() {
        let _ = writeln!(page, "  99 % within {k} by equation 8");
    }
    for (number, round) in found.rounds.iter().enumerate() {
        let failures = &round.failures;
        if failures.total() == 0 {
            continue;
        }
        let _ = write!(
            page,
            "  failed in round {} at temperature {}: {} invalid, {} trap, {} wrong, {} timeout, {} differ on inputs",
            number + 1,
            rounded(round.sampling.temperature.into()),
            failures.invalid,
            failures.trap,
            failures.wrong,
            failures.timeout,
            failures.refuted,
        );
        if let Some((test, samples)) = failures.sharpest() {
            let _ = write!(page, "; test {test} noticed {samples} of them first");
        }
        page.push('\n');
    }
    let Some(best) = found.best() else { return page };
    let _ = writeln!(page, "  best: {}", best.evidence);
    let _ = writeln!(
        page,
        "    {} steps; the deterministic compiler's code takes {}",
        best.steps(),
        found.base_steps
    );
    if let Some(decision) = &best.decision {
        let _ = writeln!(page, "    {}", decision.text());
    }
    let _ = write!(page, "    {} fresh random inputs; {} in all", best.inputs, found.spent);
    let _ = match found.uniform {
        Some(uniform) => writeln!(page, ", {uniform} if all passing candidates were verified equally"),
        None => writeln!(page),
    };
    let lines = listing::replacement(
        program,
        function,
        &best.candidate.code,
        program.executable.code.word.len() as u32,
    );
    for line in listing::page(&lines).lines().skip(1) {
        let _ = writeln!(page, "  {line}");
    }
    page
}

/// Removes the digits that are left by rounding to f32 or by a product.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

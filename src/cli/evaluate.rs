//! `myriad neural --eval`: measures the model on functions that it was not trained on.

use std::fmt::Write;
use std::time::Instant;

use serde::Serialize;

use super::args::{Common, Format, NeuralArgs};
use super::exit::{Exit, Failure};
use super::network::{open_weights, settings};
use super::output::{print, print_error};
use super::progress::PeriodicLines;
use super::session::Workers;
use crate::host::measure::share::percent;
use crate::learned::synthesis::evaluation::{self, Measured, Summary};
use crate::report::document;

/// Default number of candidates.
const K: u32 = 100;
/// Default number of generated functions.
pub const FUNCTIONS: u32 = 2_000;
/// Number of names per class in text output; documents contain all.
const NAMED: usize = 30;

#[derive(Serialize)]
struct Document {
    version: u32,
    opt: u32,
    /// Always empty: the functions belong to no file of the call.
    files: [(); 0],
    k: u32,
    seed: u32,
    temperature: f32,
    top_p: f32,
    weights: WeightsRow,
    classes: Vec<ClassRow>,
    failed: Vec<FailedRow>,
}

#[derive(Serialize)]
struct WeightsRow {
    parameters: usize,
    steps: u64,
    examples: u64,
}

#[derive(Serialize)]
struct ClassRow {
    set: &'static str,
    class: &'static str,
    functions: u32,
    k: u32,
    p_correct: f64,
    success: f64,
    valid: f64,
    faster_than_level_1: f64,
    faster_than_level_2: f64,
    out_of_reach: u32,
}

/// A function for which no correct candidate was drawn.
#[derive(Serialize)]
struct FailedRow {
    set: &'static str,
    class: &'static str,
    program: String,
    function: String,
    valid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    out_of_reach: Option<String>,
}

/// Measures both sets of functions.
pub fn evaluate(common: Common, args: &NeuralArgs) -> Result<Exit, Failure> {
    let weights = open_weights(&args.drawing)?;
    let sampling = settings(&args.drawing, K).sampling;
    let workers = Workers::new(common)?;
    let mut tasks = evaluation::written();
    tasks.extend(evaluation::generated(args.functions.unwrap_or(FUNCTIONS)));
    let started = Instant::now();
    let mut pace = PeriodicLines::new("programs measured");
    let mut told = |done: usize| pace.update(done, tasks.len());
    let measured =
        evaluation::measure_all(&tasks, &weights, &sampling, workers.count, &|| workers.open(), &mut told)
            .map_err(|failed| Failure { message: failed.to_string(), ..Failure::from(failed.error) })?;
    let summaries = evaluation::summaries(&measured, sampling.k);
    let failed: Vec<&Measured> = measured.iter().filter(|row| row.correct == 0).collect();
    if common.format == Format::Json {
        let document = Document {
            version: document::VERSION,
            opt: common.level().of_variants().number(),
            files: [],
            k: sampling.k,
            seed: sampling.seed,
            temperature: sampling.temperature,
            top_p: sampling.top_p,
            weights: WeightsRow {
                parameters: weights.config.parameters(),
                steps: weights.steps,
                examples: weights.examples,
            },
            classes: summaries.iter().map(class_row).collect(),
            failed: failed.iter().map(|row| failed_row(row)).collect(),
        };
        print(&(document::json(&document) + "\n"))?;
    } else {
        print(&page(&summaries, &failed))?;
        print_error(&format!("measured in {:.0} s\n", started.elapsed().as_secs_f64()));
    }
    Ok(Exit::Good)
}

fn class_row(row: &Summary) -> ClassRow {
    ClassRow {
        set: row.set.ident(),
        class: row.class.ident(),
        functions: row.functions,
        k: row.k,
        p_correct: row.p_correct,
        success: row.success,
        valid: row.valid,
        faster_than_level_1: row.faster_than_local,
        faster_than_level_2: row.faster,
        out_of_reach: row.out_of_reach,
    }
}

fn failed_row(row: &Measured) -> FailedRow {
    FailedRow {
        set: row.set.ident(),
        class: row.class.ident(),
        program: row.program.clone(),
        function: row.function.clone(),
        valid: row.valid,
        out_of_reach: row.out_of_reach.clone(),
    }
}

/// Formats the table and the failures as text.
fn page(summaries: &[Summary], failed: &[&Measured]) -> String {
    let mut page = String::from(
        "set        class    functions     k  p correct  success    valid  faster: level 1  level 2\n",
    );
    for row in summaries {
        let _ = writeln!(
            page,
            "{:<9}  {:<7}  {:>9} {:>5}  {:>9.3} {:>7} % {:>6} %         {:>6} % {:>6} %",
            row.set.ident(),
            row.class.ident(),
            row.functions,
            row.k,
            row.p_correct,
            percent(row.success, 1),
            percent(row.valid, 1),
            percent(row.faster_than_local, 1),
            percent(row.faster, 1),
        );
    }
    for summary in summaries {
        let of_class = |row: &&&Measured| row.set == summary.set && row.class == summary.class;
        let names: Vec<&&Measured> = failed.iter().filter(of_class).collect();
        if names.is_empty() {
            continue;
        }
        let _ = writeln!(page, "\n{} {}, without a correct draw:", summary.set.ident(), summary.class.ident());
        for row in names.iter().take(NAMED) {
            let why = match &row.out_of_reach {
                Some(why) => format!("out of reach: {why}"),
                None => format!("{} of {} valid", row.valid, summary.k),
            };
            let _ = writeln!(page, "  {} {} ({why})", row.program, row.function);
        }
        if names.len() > NAMED {
            let _ = writeln!(page, "  and {} more; `--format json` names all", names.len() - NAMED);
        }
    }
    page
}

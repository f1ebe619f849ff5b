//! `myriad neural --eval`: measures the model on functions that it was not trained on.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use super::args::{Common, Format, NeuralArgs};
use super::exit::{Exit, Failure};
use super::network::{open_weights, settings};
use super::output::{print_error, print_result};
use super::progress::PeriodicLines;
use super::session::Workers;
use crate::host::measure::share::percent;
use crate::learned::synthesis::evaluation::{self, EvaluationTask, Measured, Summary};
use crate::network::sampling::Sampling;
use crate::network::weights::Weights;
use crate::report::document::{Object, VERSION};
use crate::report::table::{Table, number, words};

/// Default number of candidates.
const K: u32 = 100;
/// Default number of generated functions.
const FUNCTIONS: u32 = 2_000;
/// Number of names per class in text output; documents contain all.
const NAMED: usize = 30;

/// Inputs of an evaluation of the model.
pub struct ModelTrial {
    common: Common,
    pub weights: Arc<Weights>,
    pub sampling: Sampling,
    pub workers: Workers,
    pub tasks: Vec<EvaluationTask>,
    started: Instant,
}

impl ModelTrial {
    /// Opens the weights, and takes both sets of functions. `k` is the default number of candidates.
    pub fn new(common: Common, args: &NeuralArgs, k: u32) -> Result<ModelTrial, Failure> {
        let weights = open_weights(&args.drawing)?;
        let sampling = settings(&args.drawing, k).sampling;
        let workers = Workers::new(common)?;
        let mut tasks = evaluation::written();
        tasks.extend(evaluation::generated(args.functions.unwrap_or(FUNCTIONS)));
        Ok(ModelTrial { common, weights, sampling, workers, tasks, started: Instant::now() })
    }

    /// Returns what prints the progress: the number of tasks done.
    pub fn progress(&self, what: &'static str) -> impl FnMut(usize) {
        let mut pace = PeriodicLines::new(what);
        move |done| pace.update(done, self.tasks.len())
    }

    /// Returns the fields with which a document begins.
    pub fn document(&self) -> Object {
        let level = self.common.level().of_variants().number();
        Object::new().field("version", VERSION).field("opt", level).field("files", [(); 0])
    }

    pub fn print(&self, text: &str, document: &Object) -> Result<Exit, Failure> {
        print_result(self.common.format, text, document)?;
        if self.common.format == Format::Text {
            print_error(&format!("measured in {:.0} s\n", self.started.elapsed().as_secs_f64()));
        }
        Ok(Exit::Good)
    }
}

/// Measures both sets of functions.
pub fn evaluate(common: Common, args: &NeuralArgs) -> Result<Exit, Failure> {
    let trial = ModelTrial::new(common, args, K)?;
    let ModelTrial { weights, sampling, workers, tasks, .. } = &trial;
    let mut told = trial.progress("programs measured");
    let measured =
        evaluation::measure_all(tasks, weights, sampling, workers.count, &|| workers.open(), &mut told)?;
    let summaries = evaluation::summaries(&measured, sampling.k);
    let failed: Vec<&Measured> = measured.iter().filter(|row| row.correct == 0).collect();
    let weights = Object::new()
        .field("parameters", weights.config.parameters())
        .field("steps", weights.steps)
        .field("examples", weights.examples);
    let document = trial
        .document()
        .field("k", sampling.k)
        .field("seed", sampling.seed)
        .field("temperature", sampling.temperature)
        .field("top_p", sampling.top_p)
        .field("weights", weights)
        .list("classes", summaries.iter().map(class_row))
        .list("failed", failed.iter().map(|row| failed_row(row)));
    trial.print(&page(&summaries, &failed), &document)
}

fn class_row(row: &Summary) -> Object {
    Object::new()
        .field("set", row.set.ident())
        .field("class", row.class.ident())
        .field("functions", row.functions)
        .field("k", row.k)
        .field("p_correct", row.p_correct)
        .field("success", row.success)
        .field("valid", row.valid)
        .field("faster_than_level_1", row.faster_than_local)
        .field("faster_than_level_2", row.faster)
        .field("out_of_reach", row.out_of_reach)
}

/// A function for which no correct candidate was drawn.
fn failed_row(row: &Measured) -> Object {
    Object::new()
        .field("set", row.set.ident())
        .field("class", row.class.ident())
        .field("program", &row.program)
        .field("function", &row.function)
        .field("valid", row.valid)
        .option("out_of_reach", row.out_of_reach.as_ref())
}

/// Formats the table and the failures as text.
fn page(summaries: &[Summary], failed: &[&Measured]) -> String {
    let shares = ["success", "valid", "faster than level 1", "than level 2"].map(number);
    let titles = [words("set"), words("class"), number("functions"), number("k"), number("p correct")];
    let mut table = Table::new(titles.into_iter().chain(shares));
    for row in summaries {
        let [success, valid, local, whole] =
            [row.success, row.valid, row.faster_than_local, row.faster].map(|share| percent(share, 1) + " %");
        let (set, class, p) = (row.set.ident(), row.class.ident(), format!("{:.3}", row.p_correct));
        table.row(&[&set, &class, &row.functions, &row.k, &p, &success, &valid, &local, &whole]);
    }
    let mut page = table.text("");
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

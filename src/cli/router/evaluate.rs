//! `myriad router --eval`: measures how well the router predicts, and what hybrid compilation costs.

use std::fmt::Write;

use serde::Serialize;

use super::super::progress::PeriodicLines;
use super::super::routing::settings;
use super::super::session::{news, preference};
use super::{Common, Exit, Failure, Format, RouterArgs, Theta, open_weights};
use super::{print, print_error, threshold, with_prefix};
use crate::engine::choose::Work;
use crate::engine::open;
use crate::host::measure::origin::Origin;
use crate::host::measure::share::percent;
use crate::host::measure::statistics::Interval;
use crate::learned::hybrid::evaluation::{self, Evaluation, Prediction, ThresholdResult};
use crate::learned::hybrid::model::Model;
use crate::learned::synthesis::evaluation as neural;
use crate::learned::synthesis::search::Level;
use crate::report::document;

/// Default number of generated functions.
const FUNCTIONS: u32 = 400;

#[derive(Serialize)]
struct Document {
    version: u32,
    opt: u32,
    /// Always empty: the functions belong to no file of the call.
    files: [(); 0],
    evidence: &'static str,
    k: u32,
    functions: usize,
    out_of_reach: usize,
    prediction: Vec<PredictionRow>,
    thresholds: Vec<ThresholdRow>,
    /// Mean times per function, in seconds.
    times: Times,
}

#[derive(Serialize)]
struct Times {
    routing: f64,
    neural: f64,
    traditional: f64,
    origin: Origin,
}

#[derive(Serialize)]
struct PredictionRow {
    set: &'static str,
    functions: usize,
    successes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    area_under_curve: Option<f64>,
    /// At 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    area_interval: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    brier: Option<f64>,
    /// Brier score of always predicting the fraction that succeeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    brier_of_constant: Option<f64>,
    /// 1 - `brier` / `brier_of_constant`, and its interval at 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    skill: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skill_interval: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    calibration: Vec<BinRow>,
}

#[derive(Serialize)]
struct BinRow {
    from: f64,
    to: f64,
    functions: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    succeeded: Option<f64>,
}

#[derive(Serialize)]
struct ThresholdRow {
    theta: Theta,
    tuned: bool,
    neural: f64,
    accepted: f64,
    measured: f64,
    modelled: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    median_error: Option<f64>,
}

/// Measures both sets of functions.
pub fn evaluate(common: Common, args: &RouterArgs) -> Result<Exit, Failure> {
    let weights = open_weights(&args.drawing)?;
    let settings = settings(&common.config, &args.routing, &args.drawing, Level::Tested);
    let mut engine = open::open(preference(common.engine), Work::Network, &news())?;
    let mut tasks = neural::written();
    let functions = args.functions.unwrap_or(FUNCTIONS);
    tasks.extend(neural::generated(functions));
    tasks.extend(neural::hard(functions));
    let mut pace = PeriodicLines::new("compilations of programs");
    let mut told = |done: usize, total: usize| pace.update(done, total);
    let coefficients = Model::shipped().coefficients();
    let found =
        evaluation::evaluate(engine.as_mut(), &tasks, &weights, &settings, coefficients, &|| false, &mut told)?;
    if common.format == Format::Json {
        let document = Document {
            version: document::VERSION,
            opt: engine.settings().level.number(),
            files: [],
            evidence: settings.evidence.ident(),
            k: settings.sampling.k,
            functions: found.cases.len(),
            out_of_reach: found.out_of_reach,
            prediction: found.by_set.iter().map(prediction_row).collect(),
            thresholds: found.thresholds.iter().enumerate().map(threshold_row).collect(),
            times: Times {
                routing: found.routing,
                neural: found.neural,
                traditional: found.traditional,
                origin: Origin::Measured,
            },
        };
        print(&(document::json(&document) + "\n"))?;
    } else {
        print(&page(&found, settings.evidence))?;
    }
    print_error(&format!("measured on {}\n", engine.describe()));
    Ok(Exit::Good)
}

fn set_name(prediction: &Prediction) -> &'static str {
    prediction.set.map_or("all", |set| set.ident())
}

fn prediction_row(prediction: &Prediction) -> PredictionRow {
    let bin = |(number, bin): (usize, &crate::learned::hybrid::measures::Bin)| {
        let some = bin.count > 0;
        BinRow {
            from: number as f64 / 10.0,
            to: (number + 1) as f64 / 10.0,
            functions: bin.count,
            predicted: some.then_some(bin.predicted),
            succeeded: some.then_some(bin.succeeded),
        }
    };
    PredictionRow {
        set: set_name(prediction),
        functions: prediction.functions,
        successes: prediction.successes,
        area_under_curve: prediction.area,
        area_interval: prediction.area_interval.map(|Interval { low, high }| [low, high]),
        brier: prediction.brier,
        brier_of_constant: prediction.constant,
        skill: prediction.skill,
        skill_interval: prediction.skill_interval.map(|Interval { low, high }| [low, high]),
        verdict: prediction.verdict(),
        calibration: prediction.bins.iter().enumerate().map(bin).collect(),
    }
}

fn threshold_row((number, at): (usize, &ThresholdResult)) -> ThresholdRow {
    ThresholdRow {
        theta: at.theta.into(),
        tuned: number == 0,
        neural: at.neural,
        accepted: at.accepted,
        measured: at.measured,
        modelled: at.modelled,
        median_error: at.error,
    }
}

/// Formats the tables as text.
fn page(found: &Evaluation, evidence: Level) -> String {
    let mut page = String::from("success within 100 candidates, predicted and measured\n");
    page.push_str("set        functions  succeed   area under ROC (95 %)     Brier   constant  skill (95 %)\n");
    for row in &found.by_set {
        let number = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{value:.3}"));
        let range = |value: Option<Interval>| {
            value.map_or(String::new(), |Interval { low, high }| format!("({low:.3} to {high:.3})"))
        };
        let score = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{value:.4}"));
        let _ = writeln!(
            page,
            "{:<9}  {:>9}  {:>5} %   {:>5} {:<16}  {:>6}   {:>8}  {:>6} {}",
            set_name(row),
            row.functions,
            percent(row.successes as f64 / row.functions.max(1) as f64, 1),
            number(row.area),
            range(row.area_interval),
            score(row.brier),
            score(row.constant),
            number(row.skill),
            range(row.skill_interval)
        );
    }
    for row in &found.by_set {
        if let Some(verdict) = row.verdict() {
            let _ = writeln!(page, "{}: {verdict}", set_name(row));
        }
    }
    page.push_str("constant: the Brier score of always predicting the fraction that succeeds; skill: 1 - Brier / constant\n");
    if found.out_of_reach > 0 {
        let _ = writeln!(page, "{} more functions are out of the model's reach", found.out_of_reach);
    }
    if let Some(all) = found.by_set.first() {
        page.push_str("\np          functions  predicted  succeeded\n");
        for (number, bin) in all.bins.iter().enumerate().filter(|(_, bin)| bin.count > 0) {
            let _ = writeln!(
                page,
                "{:.1} – {:.1}  {:>9}  {:>9.3}  {:>9.3}",
                number as f64 / 10.0,
                (number + 1) as f64 / 10.0,
                bin.count,
                bin.predicted,
                bin.succeeded
            );
        }
    }
    let seconds = |time: f64| with_prefix(time, "s");
    let _ = writeln!(
        page,
        "\nmean time per function ({}): routing {}, neural path {}, traditional path {}",
        Origin::Measured,
        seconds(found.routing),
        seconds(found.neural),
        seconds(found.traditional)
    );
    let _ = writeln!(page, "\nhybrid, evidence {}", evidence.ident());
    page.push_str("θ               neural  accepted   measured   equation 14   median error\n");
    for (number, at) in found.thresholds.iter().enumerate() {
        let error = at.error.map_or("-".to_string(), |error| format!("{:.1} %", 100.0 * error));
        let name = if number == 0 { "tuned" } else { "fixed" };
        let _ = writeln!(
            page,
            "{:<5} {:>8}  {:>5} %   {:>5} %  {:>9}   {:>11}   {:>12}",
            name,
            threshold(at.theta),
            percent(at.neural, 1),
            percent(at.accepted, 1),
            seconds(at.measured),
            seconds(at.modelled),
            error
        );
    }
    if found.thresholds.first().is_some_and(|at| at.neural == 0.0) {
        let _ = writeln!(
            page,
            "\nThe tuned router sends nothing through the neural path: it takes {:.0} times as long as the traditional one here.",
            found.neural / found.traditional.max(f64::MIN_POSITIVE)
        );
    }
    page
}

//! `myriad router --regret`: the cost of the router's choices, compared with level 2 for all functions and with the best
//! choices in hindsight. `--fit-ways` counts the steps that the router expects of each way.

use std::fmt::Write;

use serde::Serialize;

use super::super::progress::PeriodicLines;
use super::super::routing::settings;
use super::super::session::{news, preference};
use super::{Common, Exit, Failure, Format, RouterArgs, open_weights, print, print_error, with_prefix};
use crate::engine::choose::Work;
use crate::engine::{Engine, open};
use crate::host::measure::numbers::grouped;
use crate::host::measure::share::percent;
use crate::learned::hybrid::Router;
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::objective::history::Counted;
use crate::learned::hybrid::objective::{Executions, History, Way};
use crate::learned::hybrid::regret::{self, Case, Point, Ratio, Regret, Subject};
use crate::learned::synthesis::evaluation::Set;
use crate::learned::synthesis::search::Level;
use crate::report::document;

/// Default numbers of generated functions, to measure and to learn from.
const HARD: u32 = 200;
const TRAINING: u32 = 400;

#[derive(Serialize)]
struct Document {
    version: u32,
    /// Always empty: the functions belong to no file of the call.
    files: [(); 0],
    evidence: &'static str,
    k: u32,
    /// The measured seconds of a step.
    step: f64,
    /// The executions of a function of the samples: quartiles.
    executions: [f64; 5],
    sets: Vec<SetRow>,
    curve: Vec<PointRow>,
}

#[derive(Serialize)]
struct SetRow {
    set: &'static str,
    functions: usize,
    /// Whole costs in seconds.
    router: f64,
    level_2: f64,
    best_in_hindsight: f64,
    /// Ratios with 95 % intervals.
    to_best_in_hindsight: RatioRow,
    to_level_2: RatioRow,
    /// The best in hindsight in relation to level 2.
    limit: RatioRow,
    ways: Vec<WayRow>,
}

#[derive(Serialize)]
struct RatioRow {
    value: f64,
    low: f64,
    high: f64,
}

impl From<Ratio> for RatioRow {
    fn from(Ratio { value, low, high }: Ratio) -> RatioRow {
        RatioRow { value, low, high }
    }
}

#[derive(Serialize)]
struct WayRow {
    way: &'static str,
    chosen: usize,
    best: usize,
}

#[derive(Serialize)]
struct PointRow {
    executions: f64,
    router: f64,
    level_2: f64,
    best_in_hindsight: f64,
    /// The whole cost of each way for all functions.
    ways: Vec<f64>,
}

/// The functions of one run, and what it needs.
struct Run {
    engine: Box<dyn Engine>,
    router: Router,
    executions: Vec<Executions>,
}

impl Run {
    fn new(common: Common, args: &RouterArgs) -> Result<Run, Failure> {
        let settings = settings(&common.config, &args.routing, &args.drawing, Level::Tested);
        let mut engine = open::open(preference(common.engine), Work::Network, &news())?;
        let executions = regret::executions_of_samples(engine.as_mut(), &|| false)?;
        let router = Router::new(settings, Model::shipped().coefficients());
        Ok(Run { engine, router, executions })
    }

    fn gather(&mut self, args: &RouterArgs, subjects: &[Subject]) -> Result<Vec<Case>, Failure> {
        let weights = open_weights(&args.drawing)?;
        let mut pace = PeriodicLines::new("programs measured");
        let mut done = |done: usize, all: usize| pace.update(done, all);
        let Run { engine, router, .. } = self;
        let cases = regret::gather(engine.as_mut(), subjects, Some(&weights), router, &|| false, &mut done)?;
        Ok(cases)
    }
}

/// Measures the regret on the written functions and on hard generated ones.
pub fn regret(common: Common, args: &RouterArgs) -> Result<Exit, Failure> {
    let mut run = Run::new(common, args)?;
    let mut subjects = regret::written();
    subjects.extend(regret::hard(args.functions.unwrap_or(HARD), &run.executions));
    let cases = run.gather(args, &subjects)?;
    let sets: Vec<(&str, Regret)> = [None, Some(Set::Written), Some(Set::Generated)]
        .into_iter()
        .map(|set| {
            let own: Vec<Case> =
                cases.iter().filter(|case| set.is_none_or(|set| case.set == set)).cloned().collect();
            (set.map_or("all", Set::ident), Regret::of(&own))
        })
        .collect();
    let curve = regret::curve(&cases);
    let step = cases.first().map_or(0.0, |case| case.actual.step);
    let executions = quartiles(&run.executions);
    if common.format == Format::Json {
        let document = Document {
            version: document::VERSION,
            files: [],
            evidence: run.router.settings.evidence.ident(),
            k: run.router.settings.sampling.k,
            step,
            executions,
            sets: sets.iter().map(|(name, own)| set_row(name, own)).collect(),
            curve: curve.iter().map(point_row).collect(),
        };
        print(&(document::json(&document) + "\n"))?;
    } else {
        print(&page(&sets, &curve, step, executions))?;
    }
    print_error(&format!("measured on {}\n", run.engine.describe()));
    Ok(Exit::Good)
}

/// Counts the steps of each way on functions of the corpus and of the samples, and prints the file that a build ships.
pub fn fit_ways(common: Common, args: &RouterArgs) -> Result<Exit, Failure> {
    let mut run = Run::new(common, args)?;
    let functions = args.functions.unwrap_or(TRAINING);
    let subjects = regret::training(functions, &run.executions);
    let cases = run.gather(args, &subjects)?;
    let counted: Vec<Counted> = cases.iter().filter_map(Case::counted).collect();
    print(&History::fit(&format!("myriad router --fit-ways --functions {functions}"), &counted).text())?;
    print_error(&format!("fitted to {} functions\n", counted.len()));
    Ok(Exit::Good)
}

/// The least, the quartiles and the greatest number of executions.
fn quartiles(executions: &[Executions]) -> [f64; 5] {
    let mut all: Vec<f64> = executions.iter().map(Executions::all).collect();
    all.sort_by(f64::total_cmp);
    let last = all.len().saturating_sub(1);
    [0, 1, 2, 3, 4].map(|quarter: usize| all.get(last * quarter / 4).copied().unwrap_or(0.0))
}

fn set_row(set: &'static str, own: &Regret) -> SetRow {
    SetRow {
        set,
        functions: own.functions,
        router: own.costs.router,
        level_2: own.costs.usual,
        best_in_hindsight: own.costs.best,
        to_best_in_hindsight: own.regret.into(),
        to_level_2: own.to_usual.into(),
        limit: own.limit.into(),
        ways: Way::ALL
            .map(|way| WayRow {
                way: way.ident(),
                chosen: own.chosen[way.place()],
                best: own.best[way.place()],
            })
            .into(),
    }
}

fn point_row(point: &Point) -> PointRow {
    PointRow {
        executions: point.executions,
        router: point.costs.router,
        level_2: point.costs.usual,
        best_in_hindsight: point.costs.best,
        ways: point.ways.into(),
    }
}

fn page(sets: &[(&str, Regret)], curve: &[Point], step: f64, executions: [f64; 5]) -> String {
    let seconds = |time: f64| with_prefix(time, "s");
    let mut page = format!(
        "cost = time to compile + executions × steps × time of a step; a step takes {} (measured)\n",
        seconds(step)
    );
    let [least, low, median, high, most] = executions.map(|number| grouped(number.round() as u64));
    let _ = writeln!(
        page,
        "executions of a function of the samples: {least} to {most}, quartiles {low}, {median}, {high}\n"
    );
    page.push_str("set        functions     router    level 2  hindsight   router / hindsight     router / level 2       hindsight / level 2\n");
    for (name, own) in sets {
        let ratio = |Ratio { value, low, high }: Ratio| format!("{value:.3} ({low:.3} – {high:.3})");
        let _ = writeln!(
            page,
            "{name:<9}  {:>9} {:>10} {:>10} {:>10}   {:<22} {:<22} {}",
            own.functions,
            seconds(own.costs.router),
            seconds(own.costs.usual),
            seconds(own.costs.best),
            ratio(own.regret),
            ratio(own.to_usual),
            ratio(own.limit)
        );
    }
    page.push_str("\nway         chosen   best in hindsight\n");
    if let Some((_, all)) = sets.first() {
        let part = |count: usize| percent(count as f64 / all.functions.max(1) as f64, 1);
        for way in Way::ALL {
            let (chosen, best) = (all.chosen[way.place()], all.best[way.place()]);
            let _ = writeln!(page, "{way:<9} {:>6} %   {:>15} %", part(chosen), part(best));
        }
    }
    page.push_str("\nall functions with the same number of executions\nexecutions      router  hindsight");
    for way in Way::ALL {
        let _ = write!(page, " {:>10}", way.to_string());
    }
    page.push_str("   router / level 2\n");
    for point in curve {
        let _ = write!(
            page,
            "{:>11} {:>10} {:>10}",
            grouped(point.executions as u64),
            seconds(point.costs.router),
            seconds(point.costs.best)
        );
        for cost in point.ways {
            let _ = write!(page, " {:>10}", seconds(cost));
        }
        let _ = writeln!(page, "   {:.3}", point.costs.to_usual());
    }
    page
}

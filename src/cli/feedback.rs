//! `myriad neural --eval --feedback`: compares draws with feedback with plain draws.

use std::fmt::Write;
use std::time::Instant;

use serde::Serialize;

use super::args::{Common, Format, NeuralArgs};
use super::evaluate::FUNCTIONS;
use super::exit::{Exit, Failure};
use super::network::{open_weights, settings};
use super::output::{print, print_error};
use super::progress::PeriodicLines;
use super::session::Workers;
use crate::learned::synthesis::evaluation::{
    self, ARMS, Compared, Contrast, DRAWS, GAVE_UP, Group, WITHIN, contrasts, given_up,
};
use crate::report::document;

#[derive(Serialize)]
struct Document {
    version: u32,
    opt: u32,
    /// Always empty: the functions belong to no file of the call.
    files: [(); 0],
    /// The draws of each way.
    draws: u32,
    seed: u32,
    groups: Vec<GroupRow>,
    functions: Vec<FunctionRow>,
}

#[derive(Serialize)]
struct GroupRow {
    group: &'static str,
    functions: usize,
    success: Vec<SuccessRow>,
    draws_to_success: Option<ContrastRow>,
    giving_up: Vec<GivenUpRow>,
}

#[derive(Serialize)]
struct SuccessRow {
    within: u32,
    #[serde(flatten)]
    contrast: ContrastRow,
}

#[derive(Serialize)]
struct ContrastRow {
    plain: f64,
    feedback: f64,
    ratio: f64,
    ratio_low: f64,
    ratio_high: f64,
}

/// Searches that would have ended so.
#[derive(Serialize)]
struct GivenUpRow {
    search: &'static str,
    searches: u32,
    gave_up: u32,
    mean_draws: f64,
}

#[derive(Serialize)]
struct FunctionRow {
    set: &'static str,
    class: &'static str,
    program: String,
    function: String,
    p: f64,
    /// For each repetition: the number of draws up to the first correct one.
    plain: Vec<Option<u32>>,
    feedback: Vec<Option<u32>>,
}

/// Compares both ways on both sets of functions.
pub fn feedback(common: Common, args: &NeuralArgs) -> Result<Exit, Failure> {
    let weights = open_weights(&args.drawing)?;
    let sampling = settings(&args.drawing, DRAWS).sampling;
    let workers = Workers::new(common)?;
    let mut tasks = evaluation::written();
    tasks.extend(evaluation::generated(args.functions.unwrap_or(FUNCTIONS)));
    let started = Instant::now();
    let mut pace = PeriodicLines::new("programs drawn");
    let mut told = |done: usize| pace.update(done, tasks.len());
    let compared =
        evaluation::compare_all(&tasks, &weights, &sampling, workers.count, &|| workers.open(), &mut told)
            .map_err(|failed| Failure { message: failed.to_string(), ..Failure::from(failed.error) })?;
    let groups = Group::ALL.map(|group| {
        let of_group = |row: &&Compared| Group::of(row.p) == Some(group);
        (group, compared.iter().filter(of_group).collect::<Vec<_>>())
    });
    if common.format == Format::Json {
        let document = Document {
            version: document::VERSION,
            opt: common.level().of_variants().number(),
            files: [],
            draws: DRAWS,
            seed: sampling.seed,
            groups: groups.iter().map(|(group, rows)| group_row(*group, rows)).collect(),
            functions: compared.iter().map(function_row).collect(),
        };
        print(&(document::json(&document) + "\n"))?;
    } else {
        print(&groups.iter().map(|(group, rows)| section(*group, rows)).collect::<String>())?;
        print_error(&format!("measured in {:.0} s\n", started.elapsed().as_secs_f64()));
    }
    Ok(Exit::Good)
}

fn group_row(group: Group, rows: &[&Compared]) -> GroupRow {
    let all = contrasts(rows);
    let success = WITHIN.iter().zip(&all).map(|(&within, one)| SuccessRow { within, contrast: row(one) });
    let giving_up = GAVE_UP
        .iter()
        .zip(given_up(rows))
        .map(|(&search, (gave_up, searches, mean_draws))| GivenUpRow { search, searches, gave_up, mean_draws });
    GroupRow {
        group: group.ident(),
        functions: rows.len(),
        success: success.collect(),
        draws_to_success: all.last().map(row),
        giving_up: giving_up.collect(),
    }
}

fn row(contrast: &Contrast) -> ContrastRow {
    let Contrast { means: [plain, feedback], ratio, interval } = *contrast;
    ContrastRow { plain, feedback, ratio, ratio_low: interval.low, ratio_high: interval.high }
}

fn function_row(row: &Compared) -> FunctionRow {
    let way = |way: usize| row.first.iter().map(|first| first[way]).collect();
    FunctionRow {
        set: row.set.ident(),
        class: row.class.ident(),
        program: row.program.clone(),
        function: row.function.clone(),
        p: row.p,
        plain: way(0),
        feedback: way(1),
    }
}

/// Formats a group as text.
fn section(group: Group, rows: &[&Compared]) -> String {
    let mut page = format!("{} functions with {}, {DRAWS} draws in each way\n", rows.len(), group.range());
    if rows.is_empty() {
        return page + "\n";
    }
    let [plain, feedback] = ARMS;
    let _ = writeln!(page, "  {:<20} {plain:>9} {feedback:>9}  ratio, from, to at 95 %", "success within");
    let all = contrasts(rows);
    let names = WITHIN.iter().map(|draws| format!("{draws} draws"));
    for (name, one) in names.chain(["draws to success".to_string()]).zip(&all) {
        let Contrast { means: [plain, feedback], ratio, interval } = one;
        let _ = writeln!(
            page,
            "  {name:<20} {plain:>9.3} {feedback:>9.3}  {ratio:.3}, {:.3}, {:.3}",
            interval.low, interval.high
        );
    }
    for (search, (gave_up, searches, mean)) in GAVE_UP.iter().zip(given_up(rows)) {
        let _ = writeln!(
            page,
            "  of {searches} searches whose last draw {search}, {gave_up} gave up early, after {mean:.0} draws on average"
        );
    }
    page + "\n"
}

//! `myriad neural --eval --feedback`: compares draws with feedback with plain draws.

use std::fmt::Write;

use super::args::{Common, NeuralArgs};
use super::evaluate::ModelTrial;
use super::exit::{Exit, Failure};
use crate::learned::synthesis::evaluation::{
    self, ARMS, Compared, Contrast, DRAWS, GAVE_UP, Group, WITHIN, contrasts, given_up,
};
use crate::report::document::Object;
use crate::report::table::{Table, number, words};

/// Compares both ways on both sets of functions.
pub fn feedback(common: Common, args: &NeuralArgs) -> Result<Exit, Failure> {
    let trial = ModelTrial::new(common, args, DRAWS)?;
    let ModelTrial { weights, sampling, workers, tasks, .. } = &trial;
    let mut told = trial.progress("programs drawn");
    let compared =
        evaluation::compare_all(tasks, weights, sampling, workers.count, &|| workers.open(), &mut told)?;
    let groups = Group::ALL.map(|group| {
        let of_group = |row: &&Compared| Group::of(row.p) == Some(group);
        (group, compared.iter().filter(of_group).collect::<Vec<_>>())
    });
    let document = trial
        .document()
        // The draws of each way.
        .field("draws", DRAWS)
        .field("seed", sampling.seed)
        .list("groups", groups.iter().map(|(group, rows)| group_row(*group, rows)))
        .list("functions", compared.iter().map(function_row));
    let text: String = groups.iter().map(|(group, rows)| section(*group, rows)).collect();
    trial.print(&text, &document)
}

fn group_row(group: Group, rows: &[&Compared]) -> Object {
    let all = contrasts(rows);
    let success =
        WITHIN.iter().zip(&all).map(|(within, one)| Object::new().field("within", within).join(row(one)));
    // Searches that would have ended so.
    let giving_up = GAVE_UP.iter().zip(given_up(rows)).map(|(search, (gave_up, searches, mean_draws))| {
        let search = Object::new().field("search", search).field("searches", searches);
        search.field("gave_up", gave_up).field("mean_draws", mean_draws)
    });
    Object::new()
        .field("group", group.ident())
        .field("functions", rows.len())
        .list("success", success)
        .field("draws_to_success", all.last().map(row))
        .list("giving_up", giving_up)
}

fn row(contrast: &Contrast) -> Object {
    let Contrast { means: [plain, feedback], ratio, interval } = *contrast;
    let means = Object::new().field("plain", plain).field("feedback", feedback);
    means.field("ratio", ratio).field("ratio_low", interval.low).field("ratio_high", interval.high)
}

fn function_row(row: &Compared) -> Object {
    // For each repetition: the number of draws up to the first correct one.
    let way = |way: usize| row.first.iter().map(move |first| first[way]);
    Object::new()
        .field("set", row.set.ident())
        .field("class", row.class.ident())
        .field("program", &row.program)
        .field("function", &row.function)
        .field("p", row.p)
        .list("plain", way(0))
        .list("feedback", way(1))
}

/// Formats a group as text.
fn section(group: Group, rows: &[&Compared]) -> String {
    let mut page = format!("{} functions with {}, {DRAWS} draws in each way\n", rows.len(), group.range());
    if rows.is_empty() {
        return page + "\n";
    }
    let [plain, feedback] = ARMS.map(number);
    let mut table = Table::new([words("success within"), plain, feedback, words("ratio, from, to at 95 %")]);
    let all = contrasts(rows);
    let names = WITHIN.iter().map(|draws| format!("{draws} draws"));
    for (name, one) in names.chain(["draws to success".to_string()]).zip(&all) {
        let Contrast { means, ratio, interval } = one;
        let [plain, feedback] = means.map(|mean| format!("{mean:.3}"));
        let ratio = format!("{ratio:.3}, {:.3}, {:.3}", interval.low, interval.high);
        table.row(&[&name, &plain, &feedback, &ratio]);
    }
    page.push_str(&table.text("  "));
    for (search, (gave_up, searches, mean)) in GAVE_UP.iter().zip(given_up(rows)) {
        let _ = writeln!(
            page,
            "  of {searches} searches whose last draw {search}, {gave_up} gave up early, after {mean:.0} draws on average"
        );
    }
    page + "\n"
}

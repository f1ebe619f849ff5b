//! Text output of `myriad mutate`.

use std::fmt::Write;

use super::rows::{Mutant, Shown};
use crate::cli::why::WhyDocument;
use crate::engine::BaseResult;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::verdict::{MutantStatus, Outcome};
use crate::report::mutants::Tally;
use crate::report::visible::{escape_hidden_lines, visible};

/// Formats the result: the counts and survivors of first-order mutants, then of second-order ones. `proved` is the number
/// of survivors that `--prove` has proved equivalent.
pub fn page(name: &str, base: &BaseResult, rows: &[Mutant], tally: &Tally, proved: u32) -> String {
    let mut page = format!("{name}: {}", plural(tally.first_order.judged().into(), "first-order mutant"));
    if let Some(score) = tally.first_order.score_text(proved) {
        let _ = write!(page, ", score {score}");
    }
    let _ = writeln!(page, "\n  {}", tally.first_order.text());
    let endless = rows.iter().filter_map(|row| row.why.as_ref()).filter(|why| why.never_ends()).count() as u64;
    if endless > 0 {
        let timeouts = plural(tally.first_order.timeout.into(), "timeout");
        let _ = writeln!(page, "  {} of {timeouts} never end", grouped(endless));
    }
    let failing = base.entries.iter().filter(|entry| entry.outcome != Outcome::Pass).count() as u64;
    if failing > 0 {
        let all = plural(base.entries.len() as u64, "test");
        let verbs = if failing == 1 { "does not pass and judges" } else { "do not pass and judge" };
        let _ = writeln!(page, "  {} of {all} {verbs} nothing", grouped(failing));
    }
    let survived = |mutant: &&Mutant| mutant.verdict == MutantStatus::Survived;
    let (pairs, singles): (Vec<&Mutant>, Vec<&Mutant>) =
        rows.iter().filter(survived).partition(|mutant| mutant.pair.is_some());
    singles.into_iter().for_each(|mutant| survivor(&mut page, mutant));
    // Only `--prove` shows the changes of a proved mutant.
    let proved = rows.iter().filter(|row| row.proof.is_some() && !row.changes.is_empty());
    proved.for_each(|mutant| write_changes(&mut page, "  proved    ", mutant));
    if tally.second_order.judged() > 0 {
        let _ = writeln!(
            page,
            "  and {}, which do not count in the score",
            plural(tally.second_order.judged().into(), "second-order mutant")
        );
        let _ = writeln!(page, "  {}", tally.second_order.text());
    }
    pairs.into_iter().for_each(|mutant| survivor(&mut page, mutant));
    page
}

/// Lists all mutants without verdicts.
pub fn listing(name: &str, rows: &[Mutant]) -> String {
    let mut page = format!("{name}: {}\n", plural(rows.len() as u64, "mutant"));
    rows.iter()
        .for_each(|mutant| write_changes(&mut page, &format!("{:>8}  ", format!("#{}", mutant.id)), mutant));
    page
}

fn survivor(page: &mut String, mutant: &Mutant) {
    write_changes(page, "  survived  ", mutant);
}

/// Writes all changes of a mutant on one line, and findings below it.
fn write_changes(page: &mut String, first: &str, mutant: &Mutant) {
    let mut before = first;
    for Shown { line, column, operator, original, replacement } in &mutant.changes {
        let place = format!("{line}:{column}");
        let _ = write!(page, "{before}{place:>7}  {operator:<15}  {original} → {replacement}");
        before = "  & ";
    }
    page.push('\n');
    for line in mutant
        .why
        .iter()
        .flat_map(WhyDocument::lines)
        .chain(mutant.unproved.as_deref())
        .chain(mutant.proof.as_deref())
    {
        let _ = writeln!(page, "{:22}{}", "", visible(line));
    }
    for line in mutant.diff.iter().flat_map(|diff| diff.lines()) {
        let _ = writeln!(page, "    {}", escape_hidden_lines(line));
    }
}

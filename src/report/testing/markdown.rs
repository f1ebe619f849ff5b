//! The report for a review: a table of files, and below it each survivor as a difference.

use std::fmt::Write;

use super::{Judged, Mutant};
use crate::measure::numbers::{grouped, plural};
use crate::report::mutants::percent;
use crate::report::visible::{visible, visible_lines};

/// Survivors of a file that are shown; a comment on a change has room for few.
const SHOWN: usize = 40;

pub fn page(files: &[Judged]) -> String {
    let mut page = String::from(
        "## Mutation testing\n\n| file | score | noticed | survived | single changes |\n|---|---:|---:|---:|---:|\n",
    );
    for file in files {
        let counts = &file.tally.singles;
        let score = counts.score().map_or("–".into(), percent);
        let [noticed, survived] =
            [counts.killed + counts.timeout, counts.survived].map(|count| grouped(count.into()));
        let all = file.count();
        let _ = writeln!(page, "| {} | {score} | {noticed} | {survived} | {all} |", cell(&file.name));
    }
    for file in files.iter().filter(|file| file.survivors().next().is_some()) {
        let count = file.survivors().count();
        let _ = writeln!(
            page,
            "\n<details><summary>{}: {}</summary>\n",
            cell(&file.name),
            plural(count as u64, "survivor")
        );
        file.survivors().take(SHOWN).for_each(|mutant| survivor(&mut page, mutant));
        if count > SHOWN {
            let _ = writeln!(page, "and {}\n", plural((count - SHOWN) as u64, "other"));
        }
        page.push_str("</details>\n");
    }
    page
}

fn survivor(page: &mut String, mutant: &Mutant) {
    let line = mutant.span.line;
    let _ = writeln!(
        page,
        "Line {line}, {}: {}\n",
        mutant.operator,
        mutant.reason.as_deref().unwrap_or("no test notices it")
    );
    if let Some(diff) = &mutant.diff {
        let _ = writeln!(page, "```diff\n{}\n```\n", visible_lines(diff).trim_end());
    }
    if let Some(test) = &mutant.test {
        let _ = writeln!(page, "This test notices it, if it is right: `{}`\n", visible(test));
    }
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    visible(text).replace('|', "\\|").replace('<', "&lt;")
}

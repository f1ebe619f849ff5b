//! The HTML report: one self-contained file without scripts, for wide and narrow screens, in light and dark
//! mode.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{JudgedFile, TestingMutant, scores, total};
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::Index;
use crate::lang::verdict::MutantStatus;
use crate::report::html::{STYLE, escaped, head};
use crate::report::mutants::Counts;
use crate::report::visible::on_one_line;

/// The number of tests named for a mutant.
const NAMED: usize = 12;

pub fn page(files: &[JudgedFile]) -> String {
    let mut page = head("Mutation testing – Myriad", &[STYLE]) + "<h1>Mutation testing</h1>\n";
    overview(&mut page, files);
    files.iter().enumerate().for_each(|(number, file)| section(&mut page, number, file));
    page.push_str("</body>\n</html>\n");
    page
}

/// Writes a table of all files, with their totals.
fn overview(page: &mut String, files: &[JudgedFile]) {
    page.push_str(
        "<table>\n<tr><th>file</th><th>score</th><th>noticed</th><th>survived</th><th>changes</th></tr>\n",
    );
    for (number, file) in files.iter().enumerate() {
        let name = format!("<a href=\"#file{number}\">{}</a>", escaped(&file.name));
        row(page, &name, &file.tally.first_order, &file.count());
    }
    if files.len() > 1 {
        let counts = total(files);
        row(page, "<b>all</b>", &counts, &grouped(counts.judged().into()));
    }
    page.push_str("</table>\n");
}

fn row(page: &mut String, name: &str, counts: &Counts, all: &str) {
    let [score, noticed, survived] = scores(counts);
    let _ = writeln!(
        page,
        "<tr><td>{name}</td><td>{score}</td><td>{noticed}</td><td>{survived}</td><td>{all}</td></tr>"
    );
}

/// Writes the tables of a file's functions and tests, folded.
fn tables(page: &mut String, file: &JudgedFile) {
    let functions = file.by_function();
    if functions.len() > 1 {
        let _ = writeln!(
            page,
            "<details><summary>{}</summary>\n<table>\n<tr><th>function</th><th>score</th><th>noticed</th><th>survived</th><th>changes</th></tr>",
            plural(functions.len() as u64, "function")
        );
        for (name, counts) in functions {
            row(page, &escaped(name), &counts, &grouped(counts.judged().into()));
        }
        page.push_str("</table>\n</details>\n");
    }
    let tests = file.by_test();
    if !tests.is_empty() {
        let _ = writeln!(
            page,
            "<details><summary>{}</summary>\n<table>\n<tr><th>test</th><th>line</th><th>notices</th></tr>",
            plural(tests.len() as u64, "test")
        );
        for (test, count) in tests {
            let (title, count) = (escaped(&test.title), grouped(count));
            let _ =
                writeln!(page, "<tr><td><code>{title}</code></td><td>{}</td><td>{count}</td></tr>", test.line);
        }
        page.push_str("</table>\n</details>\n");
    }
}

/// Writes a file's source, with its mutants after each line.
fn section(page: &mut String, number: usize, file: &JudgedFile) {
    let _ = writeln!(page, "<section id=\"file{number}\">\n<h2>{}</h2>", escaped(&file.name));
    let _ = writeln!(page, "<p>{}</p>", escaped(&file.tally.first_order.text()));
    tables(page, file);
    page.push_str("<ol class=\"source\">\n");
    let mut by_line: BTreeMap<u32, Vec<&TestingMutant>> = BTreeMap::new();
    file.mutants.iter().for_each(|mutant| by_line.entry(mutant.span.line).or_default().push(mutant));
    for (line, text) in (1..).zip(file.text.lines()) {
        let mutants = by_line.remove(&line).unwrap_or_default();
        let survive = mutants.iter().any(|mutant| mutant.status == MutantStatus::Survived);
        let look = match (survive, mutants.iter().any(|mutant| is_noticed(mutant))) {
            (true, _) => " class=\"survived\"",
            (false, true) => " class=\"noticed\"",
            (false, false) => "",
        };
        let _ = write!(page, "<li{look}><code>{}</code>", escaped(text));
        // Survivors are always visible, the others can be expanded.
        let (survivors, others): (Vec<&TestingMutant>, Vec<&TestingMutant>) =
            mutants.into_iter().partition(|mutant| mutant.status == MutantStatus::Survived);
        list(page, file, &survivors);
        if !others.is_empty() {
            let _ = write!(page, "\n<details><summary>{}</summary>", summary(&others));
            list(page, file, &others);
            page.push_str("</details>\n");
        }
        page.push_str("</li>\n");
    }
    page.push_str("</ol>\n</section>\n");
}

pub fn list(page: &mut String, file: &JudgedFile, mutants: &[&TestingMutant]) {
    if mutants.is_empty() {
        return;
    }
    page.push_str("\n<ul>\n");
    mutants.iter().for_each(|mutant| item(page, file, mutant));
    page.push_str("</ul>");
}

fn is_noticed(mutant: &TestingMutant) -> bool {
    matches!(mutant.status, MutantStatus::Killed | MutantStatus::Timeout)
}

/// Summarizes how many mutants are noticed, and how many do not count.
fn summary(mutants: &[&TestingMutant]) -> String {
    let noticed = mutants.iter().filter(|mutant| is_noticed(mutant)).count() as u64;
    let others = mutants.len() as u64 - noticed;
    let counts: Vec<String> = { [(noticed, "noticed"), (others, "not counted")].into_iter() }
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", grouped(count)))
        .collect();
    counts.join(", ")
}

/// Writes a mutant: its status, the change, and the tests that notice it or why none does.
fn item(page: &mut String, file: &JudgedFile, mutant: &TestingMutant) {
    let (original, replacement) = (on_one_line(&mutant.original), on_one_line(&mutant.replacement));
    let status = mutant.status.name();
    let _ = write!(
        page,
        "<li class=\"{status}\"><b>{status}</b> {}:{} <span>{}</span> <del>{}</del> → <ins>{}</ins>",
        mutant.span.line,
        mutant.span.column,
        mutant.operator,
        escaped(&original),
        escaped(&replacement)
    );
    if !mutant.reached {
        page.push_str("<p>no test reaches it</p>");
    }
    if let Some(copied) = mutant.copy_of.and_then(|id| file.mutants.iter().find(|other| other.id == id)) {
        let change = format!("{} → {}", on_one_line(&copied.original), on_one_line(&copied.replacement));
        let (line, column) = (copied.span.line, copied.span.column);
        let _ = write!(page, "<p>same code as {line}:{column} <code>{}</code></p>", escaped(&change));
    }
    if let Some(reason) = &mutant.reason {
        let _ = write!(page, "<p>{}</p>", escaped(reason));
    }
    if let Some(test) = &mutant.test {
        let _ =
            write!(page, "<p>This test would notice it, if it is right: <code>{}</code></p>", escaped(test));
    }
    let names: Vec<String> = { mutant.noticed_by.iter().take(NAMED) }
        .filter_map(|index| file.tests.get(index.position()))
        .map(|test| format!("<code>{}</code>", escaped(&test.title)))
        .collect();
    if !names.is_empty() {
        let tests = plural(mutant.noticed_by.len() as u64, "test");
        let more = if mutant.noticed_by.len() > NAMED { ", …" } else { "" };
        let _ = write!(page, "<p>noticed by {tests}: {}{more}</p>", names.join(", "));
    }
    page.push_str("</li>\n");
}

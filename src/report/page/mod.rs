//! A page to share: one HTML file with a program's source, phases, tests, mutants, and recorded runs to step through.
//!
//! Every element that comes from a token names it in `data-t`; the page's script marks all elements of one token when the
//! mouse is over one of them. Without scripts, everything but the runs can be read.

mod phases;
mod source;

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::html::{STYLE, escaped, escaped_line, head, json_in_script};
use super::testing::{self, JudgedFile, TestingMutant};
use crate::compiler::program::Compiled;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::verdict::MutantStatus;

const OWN_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub struct Page<'a> {
    pub program: &'a Compiled,
    pub tests: Vec<TestRow>,
    /// The program's first-order mutants.
    pub judged: &'a JudgedFile,
    pub runs: Vec<PageRun>,
    /// The words after the lines of probes, which a page without runs shows.
    pub probes: BTreeMap<u32, String>,
}

/// The result of a test or property.
pub struct TestRow {
    /// Its name or its expression.
    pub title: String,
    pub line: u32,
    /// `pass`, `fail`, `discarded`, or the name of a trap.
    pub result: &'static str,
    pub passes: bool,
    /// The values that show why it does not pass, one a line.
    pub reasons: Vec<String>,
    pub steps: u64,
}

/// A recorded run.
#[derive(Serialize)]
pub struct PageRun {
    /// The test, property or call, with its input.
    pub title: String,
    pub end: String,
    /// The words after the lines, by their numbers.
    pub values: BTreeMap<u32, String>,
    /// The number of steps before the first one in `steps`.
    pub skipped: u32,
    /// The number of steps of the whole run.
    pub total: u32,
    pub steps: Vec<RunStep>,
}

/// A step of a run: the state before it.
#[derive(Serialize)]
pub struct RunStep {
    pub token: Option<u32>,
    pub line: u32,
    /// The instruction with its operands.
    pub op: String,
    /// The value that the step leaves; empty if none.
    pub left: String,
    /// The active calls, innermost first: the function, and its variables with their values.
    pub frames: Vec<(String, Vec<(String, String)>)>,
}

impl Page<'_> {
    pub fn html(&self) -> String {
        let name = &self.judged.name;
        let mut page = head(&format!("{name} – Myriad"), &[STYLE, OWN_STYLE]);
        let _ = writeln!(page, "<header><h1>{}</h1>\n<p>{}</p>", escaped(name), self.summary());
        page.push_str(
            "<nav aria-label=\"Sections\"><a href=\"#source\">source</a> <a href=\"#run\">run</a> \
             <a href=\"#tests\">tests</a> <a href=\"#mutants\">mutants</a> <a href=\"#tokens\">tokens</a> \
             <a href=\"#ast\">AST</a> <a href=\"#ir\">IR</a> <a href=\"#bytecode\">bytecode</a></nav></header>\n<main>\n",
        );
        let survivors = self.judged.mutants.iter().filter(|mutant| mutant.status == MutantStatus::Survived);
        let values = self.runs.get(self.first_run()).map_or(&self.probes, |run| &run.values);
        source::section(&mut page, self.program, survivors.map(|mutant| mutant.span.line), values);
        page.push_str("<div>\n");
        self.run_section(&mut page);
        self.test_section(&mut page);
        self.mutant_section(&mut page);
        phases::sections(&mut page, self.program);
        page.push_str("</div>\n</main>\n");
        let runs = serde_json::to_string(&self.runs).unwrap_or_default();
        let _ =
            writeln!(page, "<script type=\"application/json\" id=\"runs\">{}</script>", json_in_script(&runs));
        let _ = writeln!(page, "<script>\n{SCRIPT}</script>\n</body>\n</html>");
        page
    }

    fn summary(&self) -> String {
        let passed = self.tests.iter().filter(|test| test.passes).count() as u64;
        let tests = format!("{} of {} pass", grouped(passed), plural(self.tests.len() as u64, "test"));
        match self.judged.tally.score() {
            Some(score) => format!("{tests}; mutation score {score}: {}", self.judged.tally.first_order.text()),
            None => tests,
        }
    }

    /// Returns the run that is shown first: of the first test that does not pass.
    fn first_run(&self) -> usize {
        let failing = self.tests.iter().position(|test| !test.passes);
        failing.filter(|run| *run < self.runs.len()).unwrap_or(0)
    }

    /// Writes the controls of the runs; the script fills the rest.
    fn run_section(&self, page: &mut String) {
        page.push_str("<section id=\"run\" aria-label=\"Run\" tabindex=\"-1\">\n<h2>Run</h2>\n");
        if self.runs.is_empty() {
            page.push_str("<p>No run is recorded: the program has no tests.</p>\n</section>\n");
            return;
        }
        page.push_str(
            "<noscript><p>Stepping needs scripts.</p></noscript>\n<p><label>Run <select id=\"which\">",
        );
        let first = self.first_run();
        for (number, run) in self.runs.iter().enumerate() {
            let chosen = if number == first { " selected" } else { "" };
            let _ = write!(page, "<option value=\"{number}\"{chosen}>{}</option>", escaped_line(&run.title));
        }
        page.push_str(
            "</select></label></p>\n<p class=\"buttons\">\
             <button type=\"button\" id=\"first\" aria-label=\"First step\">|◀</button>\
             <button type=\"button\" id=\"back\" aria-label=\"Step back\">◀</button>\
             <button type=\"button\" id=\"next\" aria-label=\"Step forward\">▶</button>\
             <button type=\"button\" id=\"last\" aria-label=\"Last step\">▶|</button>\
             <input type=\"range\" id=\"slider\" min=\"0\" value=\"0\" aria-label=\"Step\"></p>\n\
             <p class=\"dim\">Keys: ← → a step, home and end the first and last.</p>\n\
             <div id=\"step\" role=\"status\" aria-live=\"polite\"></div>\n</section>\n",
        );
    }

    fn test_section(&self, page: &mut String) {
        page.push_str("<section id=\"tests\">\n<h2>Tests</h2>\n");
        if self.tests.is_empty() {
            page.push_str("<p>The program has no tests.</p>\n");
        } else {
            page.push_str("<table>\n<tr><th>test</th><th>line</th><th>result</th><th>steps</th></tr>\n");
        }
        for test in &self.tests {
            let (mark, look) = if test.passes { ("✓", "good") } else { ("✗", "bad") };
            let reasons: String = test
                .reasons
                .iter()
                .map(|reason| format!("<br><span class=\"dim\">{}</span>", escaped_line(reason)))
                .collect();
            let _ = writeln!(
                page,
                "<tr><td><code>{}</code>{reasons}</td><td>{}</td><td class=\"{look}\">{mark} {}</td><td>{}</td></tr>",
                escaped_line(&test.title),
                test.line,
                escaped(test.result),
                grouped(test.steps)
            );
        }
        page.push_str(if self.tests.is_empty() { "</section>\n" } else { "</table>\n</section>\n" });
    }

    fn mutant_section(&self, page: &mut String) {
        let all: Vec<&TestingMutant> = self.judged.mutants.iter().collect();
        let (survivors, others): (Vec<&TestingMutant>, Vec<&TestingMutant>) =
            all.into_iter().partition(|mutant| mutant.status == MutantStatus::Survived);
        page.push_str("<section id=\"mutants\">\n<h2>Mutants</h2>\n");
        let _ = write!(page, "<p>{}</p>", escaped(&self.judged.tally.first_order.text()));
        testing::html::list(page, self.judged, &survivors);
        if !others.is_empty() {
            let _ = write!(page, "\n<details><summary>{} more</summary>", grouped(others.len() as u64));
            testing::html::list(page, self.judged, &others);
            page.push_str("</details>");
        }
        page.push_str("\n</section>\n");
    }
}

//! The Markdown report for a code review: a table of files, and below it each survivor as a diff.

use std::fmt::Write;

use super::{JudgedFile, TestingMutant, scores, total};
use crate::host::measure::numbers::{grouped, plural};
use crate::report::mutants::Counts;
use crate::report::table::{Table, number, words};
use crate::report::visible::{shortened, visible};

/// The size limit of a page in bytes: a comment on a pull request takes 65,536.
const BYTES: usize = 58_000;
/// Maximum numbers of files, of functions and of tests in a table, and of survivors of a file.
const FILES: usize = 100;
const FUNCTIONS: usize = 15;
const TESTS: usize = 10;
const SHOWN: usize = 40;
/// Maximum length of a name, in characters.
const NAME: usize = 81;

pub fn page(files: &[JudgedFile]) -> String {
    let titles = ["score", "noticed", "survived", "first-order mutants"].map(number);
    let mut table = Table::new([words("file")].into_iter().chain(titles));
    let mut row = |name: &str, counts: &Counts, all: &str| {
        let [score, noticed, survived] = scores(counts);
        table.row(&[&name, &score, &noticed, &survived, &all]);
    };
    for file in files.iter().take(FILES) {
        row(&cell(&file.name), &file.tally.first_order, &file.count());
    }
    if files.len() > 1 {
        let counts = total(files);
        row("**all**", &counts, &grouped(counts.judged().into()));
    }
    let mut page = format!("## Mutation testing\n\n{}", table.markdown());
    if files.len() > FILES {
        let _ = writeln!(page, "\nand {}", plural((files.len() - FILES) as u64, "other file"));
    }
    let with_survivors: Vec<&JudgedFile> =
        files.iter().filter(|file| file.survivors().next().is_some()).collect();
    for (place, file) in with_survivors.iter().enumerate() {
        // The remaining files share the remaining space.
        let left = with_survivors.len() - place;
        let bytes = BYTES.saturating_sub(page.len()) / left;
        section(&mut page, file, bytes);
    }
    page
}

/// Writes a file's functions, tests and survivors, in at most this number of bytes.
fn section(page: &mut String, file: &JudgedFile, bytes: usize) {
    let count = file.survivors().count();
    let end = "</details>\n";
    let mut own = format!(
        "\n<details><summary><code>{}</code>: {}</summary>\n\n",
        html(&shortened(&file.name, NAME)),
        plural(count as u64, "survivor")
    );
    if own.len() + end.len() + 40 > bytes {
        return;
    }
    let fits = |own: &String, more: &str| own.len() + more.len() + end.len() + 40 <= bytes;
    for table in [functions(file), tests(file)] {
        if fits(&own, &table) {
            own.push_str(&table);
        }
    }
    let mut shown = 0;
    for mutant in file.survivors().take(SHOWN) {
        let text = survivor(mutant);
        if fits(&own, &text) {
            own.push_str(&text);
            shown += 1;
        }
    }
    if count > shown {
        let _ = writeln!(own, "and {}\n", plural((count - shown) as u64, "other"));
    }
    page.push_str(&(own + end));
}

/// Returns the table of functions, if there are several.
fn functions(file: &JudgedFile) -> String {
    let rows = file.by_function();
    if rows.len() < 2 {
        return String::new();
    }
    let titles = ["score", "noticed", "survived"].map(number);
    let mut table = Table::new([words("function")].into_iter().chain(titles));
    for (name, counts) in rows.iter().take(FUNCTIONS) {
        let [score, noticed, survived] = scores(counts);
        table.row(&[&cell(name), &score, &noticed, &survived]);
    }
    let more = match rows.len().saturating_sub(FUNCTIONS) as u64 {
        0 => String::new(),
        more => format!("\nand {}\n", plural(more, "other function")),
    };
    format!("{}{more}\n", table.markdown())
}

/// Returns the tests with the number of mutants that each is known to notice.
fn tests(file: &JudgedFile) -> String {
    let rows = file.by_test();
    let mut text = String::new();
    for (test, count) in rows.iter().take(TESTS).filter(|(_, count)| *count > 0) {
        let noticed = plural(*count, "mutant");
        let _ =
            writeln!(text, "- line {}, {} notices {noticed}", test.line, code(&shortened(&test.title, NAME)));
    }
    match rows.len().saturating_sub(TESTS) as u64 {
        _ if text.is_empty() => text,
        0 => text + "\n",
        more => format!("{text}- and {}\n\n", plural(more, "other test")),
    }
}

fn survivor(mutant: &TestingMutant) -> String {
    let line = mutant.span.line;
    let unseen = if mutant.reached { "no test notices it" } else { "no test reaches it" };
    let reason = plain(mutant.reason.as_deref().unwrap_or(unseen));
    let mut text = format!("Line {line}, {}: {reason}\n\n", mutant.operator);
    if let Some(diff) = &mutant.diff {
        let lines = diff.lines().map(|line| visible(line) + "\n").collect::<String>();
        let _ = writeln!(text, "```diff\n{lines}```\n");
    }
    if let Some(test) = &mutant.test {
        let _ = writeln!(text, "This test would notice it, if it is right: {}\n", code(test));
    }
    text
}

/// Formats text as code in a table cell, so that nothing in it is a link, a mention or markup.
fn cell(text: &str) -> String {
    code(&shortened(text, NAME)).replace('|', "\\|")
}

/// Formats text as code, fenced by more backticks than it contains in a row.
fn code(text: &str) -> String {
    let text = visible(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // Blanks separate backticks at the ends from the fence; Markdown does not show one blank at each end.
    let blank = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Escapes text for a line of Markdown, with every character that could be markup.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        match c {
            '&' | '<' | '>' => out.push_str(&html(c.encode_utf8(&mut [0; 4]))),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '|' | '#' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// Escapes text for HTML inside Markdown.
fn html(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_escaped_in_markdown() {
        assert_eq!(cell("samples/gcd.myr"), "`samples/gcd.myr`");
        assert_eq!(cell("a|b_c_*d*[x](y)<i>.myr"), "`a\\|b_c_*d*[x](y)<i>.myr`");
        assert_eq!(cell("`a``b`"), "``` `a``b` ```");
        assert_eq!(cell("a\nb\u{1b}"), "`a␊b␛`");
        assert_eq!(html("<b>&amp;`*"), "&lt;b&gt;&amp;amp;`*");
        assert_eq!(plain("a_b <i> `x` #1"), "a\\_b &lt;i&gt; \\`x\\` \\#1");
    }
}

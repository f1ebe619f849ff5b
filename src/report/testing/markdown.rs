//! The Markdown report for a code review: a table of files, and below it each survivor as a diff.

use std::fmt::Write;

use super::{JudgedFile, Mutant};
use crate::host::measure::numbers::{grouped, plural};
use crate::report::visible::visible;

/// Maximum number of survivors shown per file, since a review comment has limited space.
const SHOWN: usize = 40;

pub fn page(files: &[JudgedFile]) -> String {
    let mut page = String::from(
        "## Mutation testing\n\n| file | score | noticed | survived | first-order mutants |\n|---|---:|---:|---:|---:|\n",
    );
    for file in files {
        let counts = &file.tally.first_order;
        let score = counts.score().map_or("–".into(), |score| score.to_string());
        let [noticed, survived] =
            [counts.killed + counts.timeout, counts.survived].map(|count| grouped(count.into()));
        let all = file.count();
        let _ = writeln!(page, "| {} | {score} | {noticed} | {survived} | {all} |", cell(&file.name));
    }
    for file in files.iter().filter(|file| file.survivors().next().is_some()) {
        let count = file.survivors().count();
        let _ = writeln!(
            page,
            "\n<details><summary><code>{}</code>: {}</summary>\n",
            html(&file.name),
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
        plain(mutant.reason.as_deref().unwrap_or("no test notices it"))
    );
    if let Some(diff) = &mutant.diff {
        let lines = diff.lines().map(|line| visible(line) + "\n").collect::<String>();
        let _ = writeln!(page, "```diff\n{lines}```\n");
    }
    if let Some(test) = &mutant.test {
        let _ = writeln!(page, "This test would notice it, if it is right: {}\n", code(test));
    }
}

/// Formats text as code in a table cell, so that nothing in it is a link, a mention or markup.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
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

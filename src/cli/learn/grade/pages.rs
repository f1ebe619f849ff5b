//! The pages of a class: an index with the table and the groups, and a page for each file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::groups::{Group, Groups};
use super::{Grade, GradeOutcome};
use crate::cli::exit::Failure;
use crate::cli::writing::{unwritable, write};
use crate::host::measure::numbers::plural;
use crate::report::html::{STYLE, escaped, escaped_line, head};
use crate::workbench::learn::Lesson;
use crate::workbench::learn::judge::JudgeState;

const INDEX: &str = "index.html";
const MARKS: &str = "li.reached::marker { content: '✓ '; } li.open::marker { content: '○ '; }\n";

/// Writes all pages of a class.
pub fn write_pages(folder: &Path, lesson: &Lesson, grades: &[Grade], groups: &Groups) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    for (number, grade) in grades.iter().enumerate() {
        write(&folder.join(name(number, grade)), &page(lesson, grade))?;
    }
    let index: PathBuf = folder.join(INDEX);
    write(&index, &index_page(lesson, grades, groups))
}

/// Returns the name of a file's page: its number and the letters of its name.
fn name(number: usize, grade: &Grade) -> String {
    let stem = Path::new(&grade.file).file_stem().unwrap_or_default().to_string_lossy();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let plain: String = stem.chars().filter(is_plain).take(60).collect();
    format!("{:03}-{plain}.html", number + 1)
}

fn link(number: usize, grade: &Grade) -> String {
    format!("<a href=\"{}\">{}</a>", name(number, grade), escaped_line(&grade.file))
}

fn index_page(lesson: &Lesson, grades: &[Grade], groups: &Groups) -> String {
    let mut page = head(&lesson.title, &[STYLE, MARKS]);
    let done = grades.iter().filter(|grade| grade.result == GradeOutcome::Reached).count();
    let (title, all) = (escaped_line(&lesson.title), plural(grades.len() as u64, "file"));
    let _ = writeln!(page, "<h1>{title}</h1>\n<p>{done} of {all} reach every goal.</p>");
    page.push_str("<table>\n<tr><th>file</th><th>goals</th><th>result</th><th></th></tr>\n");
    for (number, grade) in grades.iter().enumerate() {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{} of {}</td><td>{}</td><td>{}</td></tr>",
            link(number, grade),
            grade.reached(),
            lesson.aims.len(),
            grade.result.name(),
            escaped_line(grade.note.as_deref().unwrap_or(""))
        );
    }
    page.push_str("</table>\n");
    let mut list = |title: &str, said: &str, groups: &[Group]| {
        if groups.is_empty() {
            return;
        }
        let _ = writeln!(page, "<h2>{title}</h2>\n<p>{said}</p>\n<ul>");
        for group in groups {
            let about: Vec<String> =
                group.about.iter().map(|about| format!("<code>{}</code>", escaped_line(about))).collect();
            let files: Vec<String> = group.files.iter().map(|file| link(*file, &grades[*file])).collect();
            let count = plural(files.len() as u64, "file");
            let _ = writeln!(page, "<li>{}<br>{count}: {}</li>", about.join("<br>"), files.join(", "));
        }
        page.push_str("</ul>\n");
    };
    list("Mistakes", "Files that fail on the same inputs.", &groups.mistakes);
    list("Missed by tests", "Changes that the tests of these files do not notice.", &groups.missed);
    page + "</body>\n</html>\n"
}

fn page(lesson: &Lesson, grade: &Grade) -> String {
    let mut page = head(&grade.file, &[STYLE, MARKS]);
    let (file, result) = (escaped_line(&grade.file), grade.result.name());
    let _ = writeln!(
        page,
        "<p><a href=\"{INDEX}\">{}</a></p>\n<h1>{file}</h1>\n<p>{} of {}: {result}. {}</p>",
        escaped_line(&lesson.title),
        grade.reached(),
        plural(lesson.aims.len() as u64, "goal"),
        escaped_line(grade.note.as_deref().unwrap_or(""))
    );
    if !grade.goals.is_empty() {
        page.push_str("<h2>Goals</h2>\n<ul>\n");
        for (aim, (state, text)) in lesson.aims.iter().zip(&grade.goals) {
            let class = if *state == JudgeState::Reached { "reached" } else { "open" };
            let (aim, text) = (escaped_line(&aim.text), escaped_line(text));
            let _ = writeln!(page, "<li class=\"{class}\">{aim} <small>{text}</small></li>");
        }
        page.push_str("</ul>\n");
    }
    if !grade.fails.is_empty() {
        page.push_str("<h2>Tests that do not pass</h2>\n<ul>\n");
        for fail in &grade.fails {
            let reasons: Vec<String> = fail.reasons.iter().map(|reason| escaped_line(reason)).collect();
            let input = escaped_line(&fail.input);
            let _ = writeln!(page, "<li><code>{input}</code><br>{}</li>", reasons.join("<br>"));
        }
        page.push_str("</ul>\n");
    }
    if !grade.missed.is_empty() {
        let said = "A program with one of these changes passes all tests of this file. The test after it would notice.";
        let _ = writeln!(page, "<h2>Missed by tests</h2>\n<p>{said}</p>\n<ul>");
        for missed in &grade.missed {
            let (line, change) = (missed.line, escaped_line(&missed.change));
            let test = escaped_line(&missed.test);
            let _ = writeln!(page, "<li>line {line}: <code>{change}</code><br><code>{test}</code></li>");
        }
        page.push_str("</ul>\n");
    }
    if !grade.text.is_empty() {
        page.push_str("<h2>Program</h2>\n<ol class=\"source\">\n");
        for line in grade.text.lines() {
            let _ = writeln!(page, "<li><code>{}</code></li>", escaped(line));
        }
        page.push_str("</ol>\n");
    }
    page + "</body>\n</html>\n"
}

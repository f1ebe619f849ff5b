//! `docs/learn.md` matches the tables, and its examples are correct.

use super::judged;
use myriad::workbench::learn::{FIELDS, KINDS, Lesson};

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/learn.md")).expect("the page")
}

#[test]
fn every_goal_and_field_is_on_the_page() {
    let page = page();
    let lacks: Vec<String> = KINDS
        .iter()
        .map(|kind| {
            let form = if kind.form.contains('`') {
                format!("`` {} ``", kind.form)
            } else {
                format!("`{}`", kind.form)
            };
            format!("- {form}: {}", kind.holds)
        })
        .chain(FIELDS.iter().map(|(name, about)| format!("- `{name}`: {about}")))
        .filter(|row| !page.lines().any(|line| line == row))
        .collect();
    assert!(lacks.is_empty(), "docs/learn.md lacks\n{}", lacks.join("\n"));
}

#[test]
fn learn_page_example_is_solved_by_its_solution() {
    let page = page();
    let mut examples =
        page.split("```myr\n").skip(1).filter_map(|rest| rest.split_once("```")).map(|(text, _)| text);
    let (lesson, solution) = (examples.next().expect("a lesson"), examples.next().expect("a solution"));
    let lesson = Lesson::read(lesson).unwrap_or_else(|faults| panic!("{faults:?}"));
    assert!(!judged(&lesson, &lesson.code).is_done());
    let done = judged(&lesson, solution);
    assert!(done.is_done(), "{done:?}");
}

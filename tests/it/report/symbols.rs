//! The table of names.

use myriad::compiler::stage::compile;
use myriad::lang::samples;
use myriad::report::symbols::{declaration, page, rows};
use serde_json::json;

use crate::common::command::call_with;

const PROGRAM: &str = "\
const LIMIT = 4;
fn sum(xs: [int; 4]) -> int {
    let total = 0;
    for x in xs {
        let twice = x * 2;
        total += twice;
    }
    return total;
}
test \"small\": sum([1]) == 2;
prop \"any\": n in 0..LIMIT => sum([n, n]) == n * 4;
";

#[test]
fn names_have_kinds_types_scopes_places_and_uses() {
    let table = page(&rows(&compile(PROGRAM)));
    let wanted = "\
name     kind       type                   scope  place  uses
LIMIT    constant   int                    1–11   1:7    1
sum      function   (xs: [int; 4]) -> int  1–11   2:4    2
  xs     parameter  [int; 4]               2–9    2:8    1
  total  variable   int                    3–9    3:9    2
  x      variable   int                    4–7    4:9    1
  twice  variable   int                    5–7    5:13   1
small    test       bool                   –      10:6   0
any      property   bool                   –      11:6   0
  n      binder     int                    11     11:13  3
";
    assert_eq!(table, wanted, "{table}");
}

/// Each use of a name is within its scope, and all uses are counted.
#[test]
fn uses_of_all_samples_are_within_the_scopes() {
    for sample in samples::all() {
        let program = compile(sample.text);
        let (view, rows) = (program.view(), rows(&program));
        let mut uses = 0;
        for token in view.all().iter().filter(|t| !view.role(*t).declares()) {
            let Some(declared) = declaration(view, token) else { continue };
            let row = rows.iter().find(|row| row.token == declared).expect("a declared name has a row");
            let scope = row.scope.expect("names that are used have a scope");
            assert!((scope.first..=scope.last).contains(&view.line(token)), "{}: {row:?}", sample.name);
            uses += 1;
        }
        assert_eq!(rows.iter().map(|row| row.uses).sum::<u32>(), uses, "{}", sample.name);
    }
}

#[test]
fn a_program_with_errors_has_its_known_names() {
    let rows = rows(&compile("fn f(a: int) -> { return b; }\nconst C = ;\ntest \"t\n"));
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert!(names.starts_with(&["f", "a"]), "{names:?}");
}

#[test]
fn stages_prints_the_names_as_text_and_json() {
    let text = call_with("stages - --stage symbols --engine cpu", PROGRAM).stdout;
    assert!(text.contains("== -: symbols") || text.contains("symbols\nname"), "{text}");
    assert!(text.contains("  twice  variable"), "{text}");
    let file = call_with("stages - --stage symbols --engine cpu --format json", PROGRAM).file();
    let row = &file["symbols"][3];
    assert_eq!(
        (&row["name"], &row["kind"], &row["item"], &row["scope"]),
        (&json!("total"), &json!("variable"), &json!("fn sum"), &json!({"first": 3, "last": 9}))
    );
    assert!(file["symbols"][6].get("scope").is_none() && file["symbols"][0].get("item").is_none());
    assert!(file.get("tokens").is_none() && file.get("calls").is_none());
}

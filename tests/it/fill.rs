//! Filling a `?` whose answer is known.

mod blanked;

use crate::common::command::call;
use crate::common::extent::thorough;

/// Tasks of Hacker's Delight that take well below a second, and those that take seconds.
const FAST: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
const SLOW: [u32; 7] = [9, 10, 11, 12, 13, 14, 17];

#[test]
fn known_answers_of_hackers_delight_are_found_and_proved() {
    let tasks = FAST.iter().chain(SLOW.iter().filter(|_| thorough()));
    for task in tasks {
        let called =
            call(&format!("bench fill tests/fill/hd{task:02}.myr --repetitions 1 --seconds 100 --format json"));
        assert_eq!(called.code, 0, "{called:?}");
        let rows = called.file()["rows"].as_array().expect("rows").clone();
        let figure = |name: &str| {
            let row =
                rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} in {rows:?}"));
            row["median"].as_f64().expect("a figure")
        };
        for grammar in ["operators", "needed"] {
            let of = |name: &str| figure(&format!("{grammar}, {name}"));
            assert_eq!((of("found"), of("proved")), (1.0, 1.0), "{task}, {grammar}");
            assert!(
                of("size") >= 4.0 && of("tried") > of("rows") && of("memory") > of("rows"),
                "{task}: {rows:?}"
            );
        }
        assert!(figure("needed, tried") < figure("operators, tried"), "{task}: {rows:?}");
    }
}

#[test]
fn hole_without_a_known_answer_is_filled_with_all_operations() {
    let text = call("bench fill --repetitions 1 --seconds 100").stdout;
    let heads = text.lines().nth(1).expect("the heads of the columns");
    assert!(text.contains("average, all operations") && !heads.contains("questions"), "{text}");
}

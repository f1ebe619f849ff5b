//! `bench live`: what is known of a program at each key while it is typed.

use super::{bench, rows};
use crate::common::command::call;

/// A program of 55 keys: 27, 14 and 12 in its lines, and two line ends. Its second test does not reach the function.
const TYPED: &str = "fn f() -> int { return 7; }\ntest f() == 7;\ntest 1 == 2;\n";

#[test]
fn keys_with_results_are_counted_while_a_program_is_typed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("typed.myr");
    std::fs::write(&path, TYPED).expect("it is written");
    let called = bench(&format!("live {} --engine cpu --check", path.display()));
    let files = rows(&called);
    let names: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(names, [path.display().to_string().as_str(), "all"]);
    let figure = |file: usize, name: &str| {
        let row = files[file].1.iter().find(|row| row["name"] == name)?;
        Some((row["median"].as_f64()?, row["of"].as_u64()?))
    };
    for (order, expected) in [
        (
            "top-down",
            [
                ("keys", Some((55.0, 1))),
                ("tree", Some((100.0, 55))),
                // The last character of the first test, a line end, and the second test.
                ("verdicts", Some((100.0, 14))),
                ("other tests", None),
                ("differ", Some((0.0, 1))),
            ],
        ),
        (
            "tests first",
            [
                ("keys", Some((55.0, 1))),
                ("tree", Some((100.0, 55))),
                // The first test waits for the function, the second does not need it.
                ("verdicts", Some((100.0 * 29.0 / 42.0, 42))),
                ("waits", Some((100.0, 56))),
                ("verdicts after a function", None),
            ],
        ),
        (
            "bodies",
            [
                // Erased, and typed without its blanks.
                ("keys", Some((10.0, 1))),
                ("verdicts", Some((100.0, 10))),
                ("other tests", Some((100.0, 10))),
                // The value is there when the statement is, before its `;`.
                ("with values", Some((20.0, 10))),
                ("at the limit", Some((0.0, 1))),
            ],
        ),
    ] {
        for (name, expected) in expected {
            let found = figure(0, &format!("{order}, {name}"));
            let close = |(a, of): (f64, u64), (b, other): (f64, u64)| (a - b).abs() < 1e-3 && of == other;
            let agree = found.zip(expected).map_or(found == expected, |(a, b)| close(a, b));
            assert!(agree, "{order}, {name}: {found:?}, not {expected:?}");
            assert_eq!(figure(1, &format!("{order}, {name}")), found);
        }
        let [base, values] =
            ["base", "to values"].map(|name| figure(0, &format!("{order}, {name}")).expect(name));
        assert!(0.0 < base.0 && base.0 <= values.0 && base.1 == values.1, "{base:?} {values:?}");
    }
    assert_eq!(figure(1, "every order, keys"), Some((120.0, 1)));
    let text = call("bench live samples/gcd.myr --engine cpu").stdout;
    assert!(text.contains("samples/gcd.myr, bodies") && text.contains("verdicts %"), "{text}");
}

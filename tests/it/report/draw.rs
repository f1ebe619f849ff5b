//! Diagnostics drawn below their lines.

use std::ops::Range;

use crate::common::extent::HANG;
use myriad::lang::diagnostic::Code;
use myriad::report::diagnostics::Diagnostic;
use myriad::report::draw::draw;
use myriad::report::places::Lines;

fn diagnostic(text: &str, span: Range<usize>) -> Diagnostic {
    let lines = Lines::new(text);
    Diagnostic {
        code: Code::UnexpectedToken,
        start: lines.place(span.start),
        end: lines.place(span.end),
        span,
        message: "message".into(),
        help: Some("do this".into()),
        secondary: None,
        lacks: None,
    }
}

#[test]
fn carets_are_drawn_below_the_span() {
    let text = "one\ntwo three\n";
    let drawn = draw("a.myr", text, &[diagnostic(text, 8..13)], false);
    let wanted = "\
error[E0201]: message
 --> a.myr:2:5
  |
2 | two three
  |     ^^^^^
  |
  = help: do this

";
    assert_eq!(drawn, wanted);
}

#[test]
fn carets_and_columns_account_for_placeholders() {
    let text = "one\n\u{9b}\u{202e}x \u{1b}y\n";
    let drawn = draw("a\n\u{9b}.myr", text, &[diagnostic(text, 12..13)], false);
    let wanted = "\
error[E0201]: message
 --> a␊‹9b›.myr:2:6
  |
2 | ‹9b›‹202e›x ␛y
  |              ^
  |
  = help: do this

";
    assert_eq!(drawn, wanted);
    let coloured = draw("a.myr", text, &[diagnostic(text, 12..13)], true);
    assert!(coloured.contains("a.myr:2:6\n") && !coloured.contains('\u{9b}'), "{coloured}");
}

#[test]
fn long_line_is_drawn_in_part() {
    let text = format!("ok\n{}\u{9b}here{}\nok\n", "é ".repeat(20_000), " ö".repeat(20_000));
    let at = text.find("here").unwrap();
    let mut one = diagnostic(&text, at..at + 4);
    one.secondary = Some((0..2, "far away".into()));
    let drawn = draw("a.myr", &text, &[one.clone()], false);
    assert!(drawn.contains(" --> a.myr:2:40002\n") && drawn.len() < 2_000, "{drawn}");
    let lines: Vec<&str> = drawn.lines().collect();
    let column = |line: &str, what: &str| line[..line.find(what).unwrap()].chars().count();
    assert_eq!(column(lines[3], "here"), column(lines[4], "^^^^"), "{drawn}");
    let started = std::time::Instant::now();
    assert!(draw("a.myr", &text, &vec![one; 2_000], false).len() > 100_000);
    assert!(started.elapsed() < HANG, "{:?}", started.elapsed());
    // A word as long as the line.
    let text = "a\u{202e}".repeat(30_000);
    let drawn = draw("a.myr", &text, &[diagnostic(&text, 0..text.len())], false);
    assert!(drawn.len() < 10_000, "{}", drawn.len());
}

#[test]
fn any_span_of_any_text_can_be_drawn() {
    for text in ["", "\n", "a", "\u{feff}", "\u{feff}a\r\n\u{1b}[31m é\r\n", "é", "\t\ta\n\n"] {
        for lo in 0..=text.len() + 1 {
            for hi in lo..=text.len() + 1 {
                let mut diagnostic = diagnostic(text, lo..hi);
                diagnostic.secondary = Some((hi..hi + 1, "here".into()));
                let drawn = draw("a.myr", text, &[diagnostic], false);
                assert!(!drawn.contains('\u{1b}'), "{drawn}");
            }
        }
    }
}

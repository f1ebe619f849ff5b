//! Brackets that close themselves.

use crate::harness::{check as plain, marked, state, type_keys};
use myriad::workbench::event::Event;

#[track_caller]
fn check(before: &str, script: &str, after: &str) {
    let mut s = state(before);
    s.document.options.close_brackets = true;
    type_keys(&mut s, script);
    assert_eq!(marked(&s), after, "{before:?} with {script}");
}

#[test]
fn opening_bracket_brings_its_closing_one() {
    check("‸", "(", "(‸)");
    check("f‸", "(a[1", "f(a[1‸])");
    check("‸x", "(", "(‸x");
    check("(‸)", "[", "([‸])");
    check("«ab‸»", "(", "(‸");
    check("‸", "(<backspace>", "‸");
    check("‸", "(<ctrl-u>", "‸");
    check("a‸\nb", "<shift-f8>(1)", "a(1)\nb(1)‸");
    plain("‸", "(", "(‸");
}

#[test]
fn closing_bracket_is_typed_over_only_where_it_was_automatic() {
    check("‸", "()", "()‸");
    check("‸", "([1])", "([1])‸");
    check("(‸)", ")", "()‸)");
    check("‸", "(<right>)", "())‸");
    check("‸", "(<left><right>)", "()‸)");
}

#[test]
fn text_typed_key_by_key_is_the_same_as_without() {
    let text = "fn f(xs: [int], n: int) -> int {<enter>if (n > xs[0]) {<enter>return (1);<enter>}<enter>return n;<enter>}<enter>test f([1], 2) == 1;";
    let (mut with, mut without) = (state("‸"), state("‸"));
    with.document.options.close_brackets = true;
    type_keys(&mut with, text);
    type_keys(&mut without, text);
    assert_eq!(marked(&with), marked(&without));
    assert!(
        marked(&with).contains("\n        return (1);\n    }\n    return n;\n}\ntest"),
        "{}",
        marked(&with)
    );
}

#[test]
fn burst_brings_its_own_closing_brackets() {
    let mut s = state("‸");
    s.document.options.close_brackets = true;
    type_keys(&mut s, "fn f(");
    s.apply(Event::Burst { text: "a: int) -> int { return a; }".to_string(), is_continuation: false });
    assert_eq!(marked(&s), "fn f(a: int) -> int { return a; }‸");
    let mut s = state("‸");
    s.document.options.close_brackets = true;
    type_keys(&mut s, "(");
    s.apply(Event::Burst { text: "one, two, three, (4)".to_string(), is_continuation: false });
    assert_eq!(marked(&s), "(one, two, three, (4)‸)");
}

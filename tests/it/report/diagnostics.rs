//! Suggestions for misspelt names.

use myriad::report::names::nearest;

#[test]
fn slips_are_found_and_strangers_are_not() {
    assert_eq!(nearest("totl", &["total", "toad", "x"]), Some("total"));
    assert_eq!(nearest("a", &["something"]), None);
    assert_eq!(nearest("same", &["same"]), None);
}

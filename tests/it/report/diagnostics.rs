//! Suggestions for misspelt names.

use myriad::report::names::nearest;

#[test]
fn misspelt_names_are_matched_and_distant_names_are_not() {
    assert_eq!(nearest("totl", &["total", "toad", "x"]), Some("total"));
    assert_eq!(nearest("a", &["something"]), None);
    assert_eq!(nearest("same", &["same"]), None);
}

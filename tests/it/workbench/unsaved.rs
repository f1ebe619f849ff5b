//! What is unsaved, in words.

use std::time::Duration;

use myriad::workbench::unsaved::{Difference, age};

#[test]
fn what_differs_is_counted_in_lines() {
    let difference = Difference::between("a\nb\nc\n", "a\nB\nc\nd");
    assert_eq!((difference.added, difference.removed), (2, 1));
    let said: Vec<(bool, &str)> = difference.lines.iter().map(|(a, l)| (*a, l.as_str())).collect();
    assert_eq!(said, [(false, "b"), (true, "B"), (true, "d")]);
    assert_eq!(difference.counts(), "+2 −1 lines");
    assert_eq!(Difference::between("a", "a"), Difference::default());
}

#[test]
fn ages_are_in_words() {
    let said = [0, 59, 60, 7_199, 7_200, 86_400 * 3].map(|s| age(Duration::from_secs(s)));
    assert_eq!(said, ["just now", "just now", "1 minute ago", "1 hour ago", "2 hours ago", "3 days ago"]);
}

//! Formatting of numbers.

use myriad::host::measure::numbers::{grouped, grouped_digits, plural};

#[test]
fn thousands_are_separated_by_commas() {
    for (n, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(grouped(n), text);
    }
    assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
    assert_eq!(grouped_digits(&"9".repeat(21)), "999,999,999,999,999,999,999");
}

#[test]
fn plural_uses_the_singular_only_for_one() {
    for (n, one, text) in [
        (0, "mutant", "0 mutants"),
        (1, "mutant", "1 mutant"),
        (1_024, "mutant", "1,024 mutants"),
        (1, "property", "1 property"),
        (2, "property", "2 properties"),
        (2, "key", "2 keys"),
        (3, "pass", "3 passes"),
        (3, "match", "3 matches"),
        (2, "first-order mutant", "2 first-order mutants"),
    ] {
        assert_eq!(plural(n, one), text);
    }
}

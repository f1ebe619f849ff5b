//! Lines and columns.

use myriad::report::places::{Lines, Place};

#[test]
fn columns_count_characters() {
    let lines = Lines::new("\u{feff}aé\nb");
    assert_eq!(lines.place(3), Place { line: 1, column: 1 });
    assert_eq!(lines.place(4), Place { line: 1, column: 2 });
    assert_eq!(lines.place(6), Place { line: 1, column: 3 });
    assert_eq!(lines.place(7), Place { line: 2, column: 1 });
    assert_eq!(lines.place(100), Place { line: 2, column: 2 });
}

//! Lines and columns.

use myriad::report::places::{Lines, ReportPlace};

#[test]
fn columns_count_characters() {
    let lines = Lines::new("\u{feff}aé\nb");
    assert_eq!(lines.place(3), ReportPlace { line: 1, column: 1 });
    assert_eq!(lines.place(4), ReportPlace { line: 1, column: 2 });
    assert_eq!(lines.place(6), ReportPlace { line: 1, column: 3 });
    assert_eq!(lines.place(7), ReportPlace { line: 2, column: 1 });
    assert_eq!(lines.place(100), ReportPlace { line: 2, column: 2 });
}

//! The sizes of a batch that are measured.

use myriad::paper::measure::sizes;

#[test]
fn sizes_grow_by_tens_up_to_k() {
    assert_eq!(sizes(1000), [1, 10, 100, 1000]);
    assert_eq!(sizes(250), [1, 10, 100, 250]);
    assert_eq!(sizes(1), [1]);
    assert!(sizes(0).is_empty());
}

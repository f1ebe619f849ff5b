//! Quantities derived from measurements.

use super::machine::measured;
use myriad::paper::measured::cores_in_effect;

#[test]
fn effective_cores_are_fitted_to_a_separate_batch() {
    let batches = measured().traditional.batches;
    // 100 programs take (0.5 + 40) / 4 ms, one 0.11 ms.
    let (cores, fitted) = cores_in_effect(0.11, &batches).unwrap();
    assert_eq!(fitted, 100);
    assert!((cores - 100.0 * 0.11 / 10.125).abs() < 1e-9, "{cores}");
    // With one batch alone nothing can be fitted.
    assert_eq!(cores_in_effect(0.11, &batches[..2]).map(|(_, fitted)| fitted), Some(10));
    assert_eq!(cores_in_effect(0.11, &batches[..1]), None);
}

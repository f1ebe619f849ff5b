//! Checks that a training run fits into memory, because the system kills a process that exceeds it without a message.

use super::TrainError;
use crate::network::vocabulary::{SOURCE_MAX, TARGETS};
use crate::network::weights::Config;

/// Numbers stored per weight: the weight, gradient, moments, average, and copies during the update.
const COPIES: u128 = 10;
/// Numbers stored per word and layer for the backward pass, as a multiple of the width: norms, q, k, v, feed-forward
/// activations.
const KEPT: u128 = 40;
/// The number of score matrices that a layer stores.
const SCORES: u128 = 6;

/// Rejects a training run that cannot fit into the free memory.
///
/// # Errors
/// If the free memory is known and too small.
pub fn check(config: Config, budget: usize) -> Result<(), TrainError> {
    let needed = needed(config, budget);
    match free() {
        Some(free) if needed > free => Err(TrainError::Memory { needed, free }),
        _ => Ok(()),
    }
}

/// Estimates the bytes that a step needs.
fn needed(config: Config, budget: usize) -> u64 {
    let [width, layers, heads, words] = [config.width, config.layers, config.heads, budget].map(|n| n as u128);
    let activations = words * width * KEPT * 2 * layers;
    // Each word attends to the words of its own row.
    let scores = words * SOURCE_MAX as u128 * heads * SCORES * 2 * layers / 4;
    let logits = words * TARGETS as u128 * 4;
    let bytes = 4 * (config.parameters() as u128 * COPIES + activations + scores + logits);
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Returns the available memory in bytes, if the system reports it.
#[cfg(target_os = "linux")]
fn free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(not(target_os = "linux"))]
fn free() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_size_fits_into_memory_and_oversized_ones_do_not() {
        let shipped = needed(Config::new(128, 3), 2_000);
        assert!((100 << 20..4 << 30).contains(&shipped), "{shipped}");
        assert!(
            matches!(check(Config::new(2_048, 32), 1 << 40), Err(TrainError::Memory { .. }))
                || free().is_none()
        );
    }
}

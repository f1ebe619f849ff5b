//! Whether a training fits the memory: a process that asks for too much is ended by the system without a word.

use super::TrainError;
use crate::network::vocabulary::{SOURCE_MAX, TARGETS};
use crate::network::weights::Config;

/// Numbers kept for each weight: itself, gradient, moments, average, and copies while it is moved.
const COPIES: u128 = 10;
/// Numbers kept of a word in a layer for the way back, as a multiple of the width: of norms, q, k, v, the feed-forward's inside.
const KEPT: u128 = 40;
/// Score matrices that a layer keeps.
const SCORES: u128 = 6;

/// Refuses a training that cannot fit the memory that is free.
///
/// # Errors
/// If it is known how much that is, and it is too little.
pub fn check(config: Config, budget: usize) -> Result<(), TrainError> {
    let needed = needed(config, budget);
    match free() {
        Some(free) if needed > free => Err(TrainError::Memory { needed, free }),
        _ => Ok(()),
    }
}

/// About how many bytes a step needs.
fn needed(config: Config, budget: usize) -> u64 {
    let [width, layers, heads, words] = [config.width, config.layers, config.heads, budget].map(|n| n as u128);
    let activations = words * width * KEPT * 2 * layers;
    // Each word attends to the words of its own row.
    let scores = words * SOURCE_MAX as u128 * heads * SCORES * 2 * layers / 4;
    let logits = words * TARGETS as u128 * 4;
    let bytes = 4 * (config.parameters() as u128 * COPIES + activations + scores + logits);
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Bytes that may still be taken, where the system says so.
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
    fn the_shipped_size_fits_and_absurd_ones_do_not() {
        let shipped = needed(Config::new(128, 3), 2_000);
        assert!((100 << 20..4 << 30).contains(&shipped), "{shipped}");
        assert!(
            matches!(check(Config::new(2_048, 32), 1 << 40), Err(TrainError::Memory { .. }))
                || free().is_none()
        );
    }
}

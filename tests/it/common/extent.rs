//! How much the tests try. Three environment variables decide, here and in `tests/terminal`:
//!
//! - `MYRIAD_THOROUGH=1`: what CI tries: twice as many random inputs, and the tests that take seconds.
//! - `MYRIAD_SCALE=N`: implies it, and tries N times as many as CI. From [`EXHAUSTIVE`] on, no list is sampled.
//! - `MYRIAD_SEED=N`: another part of each sampled list, and other random keys in `tests/terminal`.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;
use std::{env, fs, thread};

/// A call that takes longer does not end, or takes more than linear time. No test asserts a shorter time: machines differ, and may be busy.
pub const HANG: Duration = Duration::from_secs(120);

/// The share of the usual number that CI tries, and that a run without variables tries.
const CI: u64 = 2;
const DEFAULT: u64 = 4;

/// The scale from which on sampled lists are tried whole.
const EXHAUSTIVE: usize = 10;

/// Returns half of `n` in CI, `MYRIAD_SCALE` times as much if that variable is set, otherwise a quarter of `n`.
pub fn scaled(n: u64) -> u64 {
    if thorough() { (n * scale() as u64).div_ceil(CI) } else { n.div_ceil(DEFAULT) }
}

/// Returns every `2 * n`th item of a list in CI, and every `4 * n`th if no variable is set. `MYRIAD_SEED` chooses the first item.
pub fn one_in<T>(n: usize, items: impl IntoIterator<Item = T>) -> Vec<T> {
    let n = match (exhaustive(), thorough()) {
        (true, _) => 1,
        (false, true) => (n * CI as usize).div_ceil(scale()),
        (false, false) => n * DEFAULT as usize,
    };
    items.into_iter().skip(seed() as usize % n).step_by(n).collect()
}

/// The seed of random inputs and sampled lists; 1 unless `MYRIAD_SEED` is set.
pub fn seed() -> u64 {
    number("MYRIAD_SEED").unwrap_or(1)
}

/// The value of `MYRIAD_SCALE`, or 1.
pub fn scale() -> usize {
    number("MYRIAD_SCALE").unwrap_or(1)
}

/// Whether sampled lists are tried whole.
pub fn exhaustive() -> bool {
    scale() >= EXHAUSTIVE
}

/// Whether as much is tried as in CI.
pub fn thorough() -> bool {
    env::var_os("MYRIAD_SCALE").is_some() || env::var_os("MYRIAD_THOROUGH").is_some()
}

/// Returns `true` and records the calling test as skipped, unless the run is thorough.
pub fn skip_unless_thorough() -> bool {
    if !thorough() {
        skip("takes seconds; MYRIAD_THOROUGH=1 runs it");
    }
    !thorough()
}

/// Records that the calling test was skipped. `tests/run` lists the skipped tests in its last lines.
pub fn skip(reason: &str) {
    let test = thread::current().name().unwrap_or("main").replace("::", ".");
    println!("SKIPPED {test}: {reason}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped");
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(test), reason));
    written.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
}

fn number<T: FromStr>(variable: &str) -> Option<T> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

#[test]
fn default_seed_selects_the_expected_sample() {
    if env::var_os("MYRIAD_SEED").is_some() || scale() > 1 {
        return;
    }
    match thorough() {
        true => assert_eq!((one_in(3, 0..14), one_in(1, 0..6), scaled(5)), (vec![1, 7, 13], vec![1, 3, 5], 3)),
        false => assert_eq!((one_in(3, 0..14), one_in(1, 0..6), scaled(5)), (vec![1, 13], vec![1, 5], 2)),
    }
}

//! Selects how much the tests try. Most tests use only a part of the files and some random programs, so that a
//! run does not take too long; one test compares everything on every file. The run before a change is taken
//! (`.ci/run`, `MYRIAD_THOROUGH`) tries four times as much as a run by hand, `MYRIAD_WHOLE` tries everything,
//! and `MYRIAD_SEED` selects another part.

/// A run by hand tries this fraction of what a thorough run tries.
const BY_HAND: u64 = 4;

/// Returns one of `n` items, evenly spaced, starting at the seed; fewer in a run by hand.
pub fn one_in<T>(n: usize, items: impl IntoIterator<Item = T>) -> Vec<T> {
    let n = if whole() {
        1
    } else if thorough() {
        n
    } else {
        n * BY_HAND as usize
    };
    let seed: usize = std::env::var("MYRIAD_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    items.into_iter().skip(seed % n).step_by(n).collect()
}

/// Returns `n` in a thorough run, and fewer in a run by hand.
pub fn some(n: u64) -> u64 {
    if thorough() { n } else { n.div_ceil(BY_HAND) }
}

/// Returns whether to skip a slow test because the run is not thorough; prints a note if so.
pub fn left_out() -> bool {
    if !thorough() {
        println!("left out: `MYRIAD_THOROUGH` asks for it");
    }
    !thorough()
}

/// Returns the number in an environment variable, or else [`some`] of the usual number.
pub fn wanted(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or_else(|| some(usual))
}

/// Returns whether this is a thorough run.
pub fn thorough() -> bool {
    whole() || std::env::var_os("MYRIAD_THOROUGH").is_some()
}

/// Returns whether everything is to be tried.
pub fn whole() -> bool {
    std::env::var_os("MYRIAD_WHOLE").is_some()
}

#[test]
fn all_seeds_together_take_everything_once() {
    if std::env::var_os("MYRIAD_SEED").is_some() {
        return;
    }
    match (whole(), thorough()) {
        (true, _) => assert_eq!((one_in(3, 0..5), some(5)), (vec![0, 1, 2, 3, 4], 5)),
        (false, true) => assert_eq!((one_in(3, 0..8), one_in(4, 0..2), some(5)), (vec![1, 4, 7], vec![1], 5)),
        (false, false) => {
            assert_eq!((one_in(3, 0..14), one_in(1, 0..6), some(5)), (vec![1, 13], vec![1, 5], 2))
        }
    }
}

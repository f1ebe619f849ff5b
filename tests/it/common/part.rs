//! How much is tried. What one test compares to the last word of every file, others try on a part of the files, and of random programs each tries
//! some, so that a run takes no longer than people wait. Before a change is taken (`.ci/run`) twice as much is tried as by hand: `MYRIAD_THOROUGH`
//! asks for that, `MYRIAD_WHOLE` for all, and `MYRIAD_SEED` for another part.

/// One of `n` items, evenly over the list: those from the seed on. By hand one of twice as many.
pub fn one_in<T>(n: usize, items: impl IntoIterator<Item = T>) -> Vec<T> {
    let n = if whole() {
        1
    } else if thorough() {
        n
    } else {
        2 * n
    };
    let seed: usize = std::env::var("MYRIAD_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    items.into_iter().skip(seed % n).step_by(n).collect()
}

/// So many before a change is taken, and half as many by hand.
pub fn some(n: u64) -> u64 {
    if thorough() { n } else { n.div_ceil(2) }
}

/// As many as a variable of the environment says; else [`some`].
pub fn wanted(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or_else(|| some(usual))
}

/// Whether as much is to be tried as before a change is taken.
pub fn thorough() -> bool {
    whole() || std::env::var_os("MYRIAD_THOROUGH").is_some()
}

/// Whether all is asked for.
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
        (false, false) => assert_eq!((one_in(3, 0..8), one_in(1, 0..4), some(5)), (vec![1, 7], vec![1, 3], 3)),
    }
}

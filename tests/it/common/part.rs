//! How much is tried. What one test compares to the last word of every file, others try on a part of the files, and of random programs each tries
//! some, so that a run takes no longer than people wait. Before a change is taken (`.ci/run`) four times as much is tried as by hand:
//! `MYRIAD_THOROUGH` asks for that, `MYRIAD_WHOLE` for all, and `MYRIAD_SEED` for another part.

/// What is tried by hand is such a part of what is tried before a change is taken.
const BY_HAND: u64 = 4;

/// One of `n` items, evenly over the list: those from the seed on. Fewer by hand.
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

/// So many before a change is taken, and fewer by hand.
pub fn some(n: u64) -> u64 {
    if thorough() { n } else { n.div_ceil(BY_HAND) }
}

/// Whether a test that takes seconds is for the run before a change is taken; if it is left out, that is said.
pub fn left_out() -> bool {
    if !thorough() {
        println!("left out: `MYRIAD_THOROUGH` asks for it");
    }
    !thorough()
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
        (false, false) => {
            assert_eq!((one_in(3, 0..14), one_in(1, 0..6), some(5)), (vec![1, 13], vec![1, 5], 2))
        }
    }
}

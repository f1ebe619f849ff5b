//! Parts of long lists. What one test compares to the last word of every file, others try on a part of the files, so that a run takes no longer than
//! people wait; `MYRIAD_WHOLE` asks for all, and `MYRIAD_SEED` for another part.

/// One of `n` items, evenly over the list: those from the seed on.
pub fn one_in<T>(n: usize, items: impl IntoIterator<Item = T>) -> Vec<T> {
    if whole() {
        return items.into_iter().collect();
    }
    let seed: usize = std::env::var("MYRIAD_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    items.into_iter().skip(seed % n).step_by(n).collect()
}

/// Whether all is asked for.
pub fn whole() -> bool {
    std::env::var_os("MYRIAD_WHOLE").is_some()
}

#[test]
fn all_seeds_together_take_everything_once() {
    assert_eq!(one_in(1, 0..5), [0, 1, 2, 3, 4]);
    if !whole() && std::env::var_os("MYRIAD_SEED").is_none() {
        assert_eq!((one_in(3, 0..8), one_in(4, 0..2)), (vec![1, 4, 7], vec![1]));
    }
}

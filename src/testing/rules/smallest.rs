//! Makes an input on which two codes differ smaller.

/// Makes the words at some places smaller, as long as the codes differ: first their largest size, then their sum.
pub fn smallest(mut words: Vec<u32>, places: &[usize], differs: &mut dyn FnMut(&[u32]) -> bool) -> Vec<u32> {
    let size = |words: &[u32]| {
        let all = || words.iter().map(|word| u64::from((*word as i32).unsigned_abs()));
        let signs = words.iter().filter(|word| (**word as i32) < 0).count();
        (all().max(), all().sum::<u64>(), signs)
    };
    loop {
        let before = words.clone();
        // All places with large values at once, then each one.
        let large = places.iter().copied().filter(|place| (words[*place] as i32).unsigned_abs() > 1);
        let groups = std::iter::once(large.collect()).chain(places.iter().map(|place| vec![*place]));
        for group in groups.collect::<Vec<Vec<usize>>>() {
            for start in group.iter().map(|place| i64::from(words[*place] as i32)).collect::<Vec<i64>>() {
                let with = |value: i64| {
                    let mut changed = words.clone();
                    group.iter().for_each(|place| changed[*place] = value as u32);
                    changed
                };
                // A bisection between 0 and the value: right where a bound decides.
                let (mut below, mut above) = (0, start.abs());
                while above - below > 1 {
                    let middle = below + (above - below) / 2;
                    if differs(&with(start.signum() * middle)) { above = middle } else { below = middle }
                }
                let powers = (0..31).map(|power| 1 << power);
                let values = [0, -1, -2, above, -above].into_iter().chain(powers);
                let smaller = values
                    .filter(|value| i32::try_from(*value).is_ok())
                    .map(with)
                    .filter(|changed| size(changed) < size(&words));
                words = smaller.filter(|changed| differs(changed)).min_by_key(|w| size(w)).unwrap_or(words);
            }
        }
        if words == before {
            return words;
        }
    }
}

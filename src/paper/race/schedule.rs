//! Divides the time among contestants.

use std::time::Duration;

/// Returns one contestant's share of the remaining time. `wishes` are the maximum times of the others, if they have run
/// before. A contestant that wishes for less than an equal share leaves the rest to the others.
pub fn share(left: Duration, wishes: &[Option<Duration>]) -> Duration {
    let mut wishes_left = wishes.len() as u32;
    let mut left = left;
    let mut known: Vec<Duration> = wishes.iter().copied().flatten().collect();
    known.sort_unstable();
    for wish in known {
        if wish >= left / (wishes_left + 1) {
            break;
        }
        left -= wish;
        wishes_left -= 1;
    }
    left / (wishes_left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_unused_by_other_contestants_is_redistributed() {
        let seconds = |n: u64| Duration::from_secs(n);
        let known = |n: u64| Some(seconds(n));
        assert_eq!(share(seconds(40), &[]), seconds(40));
        // Nothing is known about the others, so all have equal shares.
        assert_eq!(share(seconds(40), &[None, None, None]), seconds(10));
        assert_eq!(share(seconds(40), &[known(4), None, None]), seconds(12));
        assert_eq!(share(seconds(40), &[known(100), known(4), known(0)]), seconds(18));
        // No contestant takes more than an equal share from the others.
        assert_eq!(share(seconds(40), &[known(100), known(100), known(100)]), seconds(10));
        assert_eq!(share(Duration::ZERO, &[known(1), None]), Duration::ZERO);
    }
}

//! Who may take how long.

use std::time::Duration;

/// The time of one of several contestants, of all that is left. Of the others it is known what they wish for at most, if they have run
/// before: who wishes for less than an equal part leaves the rest to those who need more.
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
    fn who_needs_little_leaves_the_rest() {
        let seconds = |n: u64| Duration::from_secs(n);
        let known = |n: u64| Some(seconds(n));
        assert_eq!(share(seconds(40), &[]), seconds(40));
        // Nothing is known of them: equal parts.
        assert_eq!(share(seconds(40), &[None, None, None]), seconds(10));
        assert_eq!(share(seconds(40), &[known(4), None, None]), seconds(12));
        assert_eq!(share(seconds(40), &[known(100), known(4), known(0)]), seconds(18));
        // Nobody takes more than an equal part from the others.
        assert_eq!(share(seconds(40), &[known(100), known(100), known(100)]), seconds(10));
        assert_eq!(share(Duration::ZERO, &[known(1), None]), Duration::ZERO);
    }
}

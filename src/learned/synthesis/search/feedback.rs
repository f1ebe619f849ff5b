//! Feedback: failed candidates refute the words that made them fail, and later draws avoid these words.
//!
//! A wrong candidate's run is compared with that of the function's own code. The candidate's words up to the furthest
//! instruction that was executed when the two parted determine this difference. So all candidates that begin with these
//! words are refuted, and later draws have the model's distribution under the condition that they begin with no refuted
//! prefix. They keep the words before the difference as often as the model does, and the nearest right prefix of
//! several candidates most often. The function's own code is never refuted. Other right codes are not refuted if they
//! compute the same values in each statement.

use crate::compiler::program::{Instructions, Watch};
use crate::host::measure::share::percent;
use crate::network::refuted::Refuted;
use crate::network::sampling::{Candidate, Sampled, Status};
use crate::network::vocabulary::{EOS, Family};
use crate::testing::decide::Decide;

/// The number of draws before failed candidates are analysed for the first time, and the minimum number between analyses.
const FIRST: u32 = 16;
const LEAST: u32 = 8;
/// A search gives up if the estimated probability of success with all draws that remain is lower.
const IMPROBABLE: f64 = 0.05;

/// The reason why a search ended before its last draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GivenUp {
    /// The number of draws, and of those that remained.
    pub drawn: u32,
    pub remained: u32,
    /// The estimated probability that one of the remaining draws is correct.
    pub success: f64,
}

impl GivenUp {
    /// Returns the reason for people.
    pub fn text(&self) -> String {
        let GivenUp { drawn, remained, success } = *self;
        let success = percent(success, 1);
        format!("gave up after {drawn} draws: {remained} more would succeed with an estimated {success} %")
    }
}

/// Returns the number of draws until the next analysis. It grows, since an analysis costs as much as some draws.
pub fn batch(drawn: u32) -> u32 {
    if drawn == 0 { FIRST } else { LEAST.max(drawn / 4) }
}

/// Refutes a candidate that is not correct. Returns `None` if the work was cancelled.
pub fn refute(
    refuted: &mut Refuted,
    decider: &mut dyn Decide,
    candidate: &Candidate,
    watch: &dyn Watch,
) -> Option<()> {
    let Candidate { words, code, shares, status, .. } = candidate;
    let parting = match status {
        Status::Invalid => None,
        _ => decider.parting(code, watch)?,
    };
    // Without a known difference, only these words are refuted.
    let kept = parting.map_or(words.len(), |offset| words_up_to(words, code, offset));
    refuted.add(words.get(..kept).unwrap_or(words), shares);
    Some(())
}

/// Returns the number of words up to the one that made the instruction at an offset in the code.
fn words_up_to(words: &[u16], code: &[u32], offset: u32) -> usize {
    let number = Instructions::of(code).take_while(|instruction| instruction.at <= offset as usize).count();
    let makes = |word: u16| word != EOS && !matches!(Family::of(word), Some((Family::Label, _)));
    let mut makers = words.iter().enumerate().filter(|(_, word)| makes(**word));
    makers.nth(number.saturating_sub(1)).map_or(words.len(), |(at, _)| at + 1)
}

/// Estimates the probability that a draw is correct, before its correctness is known: the mean probability of the draws
/// under the condition that they begin with no prefix refuted before. This is the probability that two draws are equal,
/// thus that a draw equals the right code if the model's doubt is justified.
pub fn mean_share(sampled: &Sampled, left: f32) -> f64 {
    let (mut sum, mut draws) = (0.0, 0u64);
    for candidate in &sampled.candidates {
        let share: f64 = candidate.shares.iter().map(|&share| f64::from(share)).product();
        sum += f64::from(candidate.samples) * share;
        draws += u64::from(candidate.samples);
    }
    (sum / draws.max(1) as f64 / f64::from(left).max(f64::MIN_POSITIVE)).min(1.0)
}

/// Returns why a search gives up, if success is improbable: `p` is the estimated probability that a draw is correct.
pub fn gives_up(p: f64, drawn: u32, remained: u32) -> Option<GivenUp> {
    let success = 1.0 - (1.0 - p).powf(remained.into());
    (remained > 0 && success < IMPROBABLE).then_some(GivenUp { drawn, remained, success })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::opcode::{Op, word};
    use crate::network::vocabulary::plain;

    #[test]
    fn a_prefix_ends_with_the_word_of_the_instruction() {
        let words = [
            Family::Load.word(0),
            Family::Label.word(0),
            Family::Copy.word(3),
            plain(Op::Add).unwrap(),
            plain(Op::Return).unwrap(),
            EOS,
        ];
        // The constant takes two words of code.
        let code =
            [word(Op::LoadVar, 0), word(Op::LoadConstWide, 0), 1 << 30, word(Op::Add, 0), word(Op::Return, 0)];
        let of = |offset| words_up_to(&words, &code, offset);
        assert_eq!([0, 1, 2, 3, 4, 9].map(of), [1, 3, 3, 4, 5, 5]);
    }

    #[test]
    fn improbable_success_ends_a_search() {
        assert_eq!(gives_up(0.01, 32, 300), None);
        assert_eq!(gives_up(1e-6, 32, 0), None);
        let given_up = gives_up(1e-4, 32, 300).unwrap();
        assert!((given_up.success - 0.0296).abs() < 1e-3);
        assert_eq!((given_up.drawn, given_up.remained), (32, 300));
        assert!(gives_up(0.0, 32, 300).is_some_and(|given_up| given_up.success == 0.0));
    }
}

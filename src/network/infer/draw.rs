//! Draws the next word (`docs/neural.md`, "Drawing candidates").

use crate::compiler::stage::execute::mix;
use crate::network::assembler::Mask;
use crate::network::refuted::Edge;

use super::ops::exponentials;

/// Returns the number in [0, 1) with which candidate `number` draws the word at `position`.
pub fn uniform(seed: u32, number: u32, position: u32) -> f32 {
    let bits = mix(mix(mix(seed).wrapping_add(number)).wrapping_add(position)) >> 8;
    bits as f32 / (1 << 24) as f32
}

/// The distribution of a row's next word. One value is refilled for each row.
#[derive(Default)]
pub struct Distribution {
    /// The allowed words, in order.
    words: Vec<u16>,
    /// The logit of each word, minus the greatest logit.
    logits: Vec<f32>,
    /// Cumulative sums of the probabilities, in which words outside the nucleus count 0.
    cumulated: Vec<f32>,
    /// Divides a logit, and the sum of the probabilities before refuted words lose theirs.
    scale: f32,
    total: f32,
    /// Scratch: allowed words by falling probability.
    order: Vec<u16>,
    /// The natural logarithm of the sum of exp over `logits`.
    log_sum_exp: f32,
}

impl Distribution {
    /// Loads the logits of a row's allowed words. Returns false if no word is allowed.
    pub fn fill(&mut self, logits: &[f32], allowed: &Mask) -> bool {
        self.words.clear();
        for (group, &bits) in allowed.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                self.words.push((64 * group) as u16 + bits.trailing_zeros() as u16);
                bits &= bits - 1;
            }
        }
        self.logits.clear();
        self.logits.extend(self.words.iter().map(|&word| logits[word as usize]));
        let greatest = self.logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        self.logits.iter_mut().for_each(|logit| *logit -= greatest);
        self.cumulated.resize(self.logits.len(), 0.0);
        exponentials(&mut self.cumulated, &self.logits, 1.0);
        self.log_sum_exp = self.cumulated.iter().sum::<f32>().ln();
        !self.words.is_empty()
    }

    /// Prepares for [`Self::draw`]: applies the temperature, leaves out what is refuted after these words, and limits
    /// the words to the nucleus. Returns false if nothing is left.
    pub fn temper(&mut self, temperature: f32, top_p: f32, refuted: &[Edge]) -> bool {
        let scale = 1.0 / temperature.max(1e-6);
        let cumulated = &mut self.cumulated;
        exponentials(cumulated, &self.logits, scale);
        (self.scale, self.total) = (scale, cumulated.iter().sum());
        for edge in refuted {
            if let Ok(index) = self.words.binary_search(&edge.word) {
                cumulated[index] *= edge.left;
            }
        }
        if top_p < 1.0 {
            self.order.clear();
            self.order.extend(0..cumulated.len() as u16);
            let of = |&i: &u16| cumulated[i as usize];
            self.order.sort_unstable_by(|a, b| of(b).total_cmp(&of(a)).then(a.cmp(b)));
            let wanted = top_p * cumulated.iter().sum::<f32>();
            let mut sum = 0.0;
            let reaches = |i: &u16| {
                sum += of(i);
                sum >= wanted
            };
            let last = self.order.iter().position(reaches).unwrap_or(self.order.len());
            for &i in self.order.get(last + 1..).unwrap_or_default() {
                cumulated[i as usize] = 0.0;
            }
        }
        let mut sum = 0.0;
        for p in cumulated {
            sum += *p;
            *p = sum;
        }
        sum > 0.0
    }

    /// Returns the probability of the word at an index at the temperature of [`Self::temper`], among the allowed words.
    pub fn share(&self, index: usize) -> f32 {
        (self.logits[index] * self.scale).exp() / self.total
    }

    /// Returns the index, among the allowed words, of the word that a number in [0, 1) draws.
    pub fn draw(&self, uniform: f32) -> usize {
        let total = self.cumulated.last().copied().unwrap_or(0.0);
        let index = self.cumulated.partition_point(|&sum| sum <= uniform * total);
        // Rounding may make the product equal to the total; then return the last word with a nonzero
        // probability.
        if index < self.words.len() { index } else { self.cumulated.partition_point(|&sum| sum < total) }
    }

    /// Returns the index of the word with the greatest logit, the least word among equals.
    pub fn greedy(&self) -> usize {
        self.logits.iter().position(|&logit| logit == 0.0).unwrap_or(0)
    }

    pub fn word(&self, index: usize) -> u16 {
        self.words[index]
    }

    /// Returns the natural logarithm of the word's probability at temperature 1.
    pub fn log_p(&self, index: usize) -> f32 {
        self.logits[index] - self.log_sum_exp
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::refuted::Refuted;
    use crate::network::vocabulary::TARGETS;

    /// Creates a distribution of words 0, 1, 2 … with these probabilities.
    fn of(probabilities: &[f32]) -> Distribution {
        let mut logits = vec![9.0; TARGETS];
        let mut allowed = Mask::default();
        for (word, p) in probabilities.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            logits[word] = p.ln() + 3.0;
            allowed[word / 64] |= 1 << (word % 64);
        }
        let mut distribution = Distribution::default();
        assert!(distribution.fill(&logits, &allowed));
        distribution
    }

    fn shares(distribution: &Distribution) -> Vec<f32> {
        let mut counts = vec![0.0; 6];
        for i in 0..20_000 {
            counts[usize::from(distribution.word(distribution.draw(uniform(1, i, 7))))] += 1.0 / 20_000.0;
        }
        counts
    }

    #[track_caller]
    fn close(found: &[f32], expected: [f32; 6]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.012), "{found:?}, not {expected:?}");
    }

    #[test]
    fn words_are_drawn_with_their_probabilities() {
        let mut distribution = of(&[0.1, 0.0, 0.4, 0.3, 0.15, 0.05]);
        assert!(distribution.temper(1.0, 1.0, &[]));
        close(&shares(&distribution), [0.1, 0.0, 0.4, 0.3, 0.15, 0.05]);
        distribution.temper(0.5, 1.0, &[]);
        close(&shares(&distribution), [0.035, 0.0, 0.561, 0.316, 0.079, 0.009]);
        distribution.temper(1.0, 0.7, &[]);
        close(&shares(&distribution), [0.0, 0.0, 4.0 / 7.0, 3.0 / 7.0, 0.0, 0.0]);
        distribution.temper(1.0, 0.71, &[]);
        close(&shares(&distribution), [0.0, 0.0, 0.4 / 0.85, 0.3 / 0.85, 0.15 / 0.85, 0.0]);
        assert_eq!(distribution.word(distribution.greedy()), 2);
        let third = distribution.words.binary_search(&3).unwrap();
        assert!((distribution.log_p(third) - 0.3f32.ln()).abs() < 1e-5);
    }

    #[test]
    fn extreme_random_numbers_draw_the_first_and_last_word() {
        let mut distribution = of(&[0.2, 0.2, 0.2, 0.2, 0.2]);
        distribution.temper(1.0, 1.0, &[]);
        assert_eq!(distribution.draw(0.0), 0);
        assert_eq!(distribution.draw(f32::from_bits(0x3f7f_ffff)), 4);
        assert_eq!(distribution.greedy(), 0, "the least word among equals");
        distribution.temper(0.0, 1.0, &[]);
        assert!(distribution.draw(0.5) < 5);
    }

    #[test]
    fn refuted_words_are_drawn_less_or_not_at_all() {
        let mut distribution = of(&[0.1, 0.0, 0.4, 0.3, 0.15, 0.05]);
        let mut refuted = Refuted::default();
        refuted.add(&[2], &[0.4]);
        refuted.add(&[3, 1], &[0.3, 0.5]);
        assert!(distribution.temper(1.0, 1.0, refuted.edges(0)));
        close(&shares(&distribution), [0.1 / 0.45, 0.0, 0.0, 0.15 / 0.45, 0.15 / 0.45, 0.05 / 0.45]);
        let fourth = distribution.words.binary_search(&4).unwrap();
        assert!((distribution.share(fourth) - 0.15).abs() < 1e-5, "the model's own probability");
        for (word, share) in [(0, 0.1), (3, 0.3), (4, 0.15), (5, 0.05)] {
            refuted.add(&[word], &[share]);
        }
        assert!(!distribution.temper(1.0, 1.0, refuted.edges(0)));
    }

    #[test]
    fn empty_mask_allows_no_word() {
        assert!(!Distribution::default().fill(&[0.0; TARGETS], &Mask::default()));
    }
}

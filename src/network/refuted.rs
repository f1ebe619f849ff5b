//! Prefixes of words that no further candidate may begin with (`docs/neural.md`, "Feedback").
//!
//! The prefixes form a tree. Each edge stores the probability with which the model draws its word at that place. So
//! the probability below every node is known, and the part of it that is refuted. Samplers multiply the probability of
//! a word by the part that is left. Thus a draw has the model's distribution under the condition that it begins with no
//! refuted prefix. (Shi, Bieber and Singh, "Incremental Sampling Without Replacement for Sequence Models", 2020, do this
//! for whole sequences.)

/// The maximum size of the tree, in words of [`Refuted::words`]. Devices reserve this space.
pub const REFUTED_WORDS: usize = 1 << 16;
/// A smaller part of a probability does not count, because sums of probabilities are rounded.
const LEAST: f32 = 1e-6;

/// A word after a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    pub word: u16,
    /// The probability of the word at this place, among the allowed words.
    share: f32,
    /// The part of its probability that is not refuted: 0 if the prefix that ends here is refuted.
    pub left: f32,
    /// The node after the word; 0, the root, if no longer prefix is refuted.
    pub node: u32,
}

/// A set of refuted prefixes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refuted {
    /// The edges of each node; the first node is the root.
    nodes: Vec<Vec<Edge>>,
    edges: usize,
}

/// The empty set.
pub static NOTHING_REFUTED: Refuted = Refuted { nodes: Vec::new(), edges: 0 };

impl Refuted {
    /// Adds the prefix `words`. `shares` has the probability of each word, at the temperature of the draws. Returns
    /// false if the prefix is refuted already, is empty, or does not fit.
    pub fn add(&mut self, words: &[u16], shares: &[f32]) -> bool {
        if words.is_empty() || words.len() > shares.len() || self.edges_left() < 2 * words.len() {
            return false;
        }
        if self.nodes.is_empty() {
            self.nodes.push(Vec::new());
        }
        // The way down: nodes and the index of the edge that leaves each.
        let mut way: Vec<(usize, usize)> = Vec::with_capacity(words.len());
        let mut node = 0;
        for (at, (&word, &share)) in words.iter().zip(shares).enumerate() {
            let index = match self.nodes[node].iter().position(|edge| edge.word == word) {
                Some(index) if self.nodes[node][index].left == 0.0 => return false,
                Some(index) => index,
                None => {
                    self.edges += 1;
                    self.nodes[node].push(Edge { word, share, left: 1.0, node: 0 });
                    self.nodes[node].len() - 1
                }
            };
            way.push((node, index));
            if at + 1 == words.len() {
                self.nodes[node][index].left = 0.0;
            } else if self.nodes[node][index].node == 0 {
                let next = self.nodes.len();
                self.nodes.push(Vec::new());
                self.nodes[node][index].node = next as u32;
                node = next;
            } else {
                node = self.nodes[node][index].node as usize;
            }
        }
        for pair in way.windows(2).rev() {
            let ((node, index), (below, _)) = (pair[0], pair[1]);
            self.nodes[node][index].left = self.left_of(below);
        }
        true
    }

    /// Returns the edges of a node; none if it does not exist.
    pub fn edges(&self, node: u32) -> &[Edge] {
        self.nodes.get(node as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the node after a word, or `None` if no refuted prefix begins so.
    pub fn after(&self, node: u32, word: u16) -> Option<u32> {
        let edge = self.edges(node).iter().find(|edge| edge.word == word)?;
        (edge.node != 0).then_some(edge.node)
    }

    /// Returns the probability of all programs that begin with no refuted prefix.
    pub fn left(&self) -> f32 {
        self.left_of(0)
    }

    /// Returns the tree as words for a device: for each node the number of its edges, and for each edge its word, the
    /// bits of [`Edge::left`], and the index of its node's words (0 for none).
    pub fn words(&self) -> Vec<u32> {
        if self.nodes.is_empty() {
            return vec![0];
        }
        let mut places = Vec::with_capacity(self.nodes.len());
        let mut place = 0;
        for node in &self.nodes {
            places.push(place);
            place += 1 + 3 * node.len() as u32;
        }
        let mut words = Vec::with_capacity(place as usize);
        for node in &self.nodes {
            words.push(node.len() as u32);
            for edge in node {
                words.extend([edge.word.into(), edge.left.to_bits(), places[edge.node as usize]]);
            }
        }
        words
    }

    /// Returns how many more edges and nodes fit, if each takes four words.
    fn edges_left(&self) -> usize {
        (REFUTED_WORDS / 4).saturating_sub(self.nodes.len().max(self.edges) + 1)
    }

    fn left_of(&self, node: usize) -> f32 {
        let refuted: f32 = self.edges(node as u32).iter().map(|edge| edge.share * (1.0 - edge.left)).sum();
        let left = 1.0 - refuted;
        if left < LEAST { 0.0 } else { left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuted_prefixes_reduce_the_probability_of_the_words_before_them() {
        let mut refuted = Refuted::default();
        assert_eq!((refuted.left(), refuted.words()), (1.0, vec![0]));
        assert!(refuted.add(&[3, 5], &[0.5, 0.25, 0.1]));
        assert!((refuted.left() - 0.875).abs() < 1e-6);
        let [edge] = *refuted.edges(0) else { panic!() };
        assert!(edge.word == 3 && (edge.left - 0.75).abs() < 1e-6);
        assert_eq!((refuted.after(0, 3), refuted.after(0, 5), refuted.after(1, 5)), (Some(1), None, None));
        assert_eq!(refuted.edges(1)[0].left, 0.0);
        // A longer prefix adds nothing; a shorter one includes it.
        assert!(!refuted.add(&[3, 5, 9], &[0.5, 0.25, 0.5]));
        assert!(refuted.add(&[3, 6, 1], &[0.5, 0.5, 0.5]));
        assert!((refuted.left() - 0.75).abs() < 1e-6);
        assert!(refuted.add(&[3], &[0.5]));
        assert!((refuted.left() - 0.5).abs() < 1e-6);
        assert!(!refuted.add(&[3, 7], &[0.5, 0.25]));
        // What is left after rounding does not count.
        assert!(refuted.add(&[4], &[0.499_999_9]));
        assert_eq!(refuted.left(), 0.0);
        assert!(!refuted.add(&[], &[]));
    }

    #[test]
    fn words_for_a_device_have_all_nodes() {
        let mut refuted = Refuted::default();
        refuted.add(&[3, 5], &[0.5, 0.5]);
        refuted.add(&[4], &[0.25]);
        let [half, none] = [0.5f32, 0.0].map(f32::to_bits);
        assert_eq!(refuted.words(), [2, 3, half, 7, 4, none, 0, 1, 5, none, 0]);
    }

    #[test]
    fn a_full_tree_takes_no_more_prefixes() {
        let mut refuted = Refuted::default();
        let added =
            (0..u16::MAX).take_while(|&i| refuted.add(&[i / 200, i % 200, i % 7, i % 11], &[0.001; 4])).count();
        assert!(added > 1_000 && refuted.words().len() <= REFUTED_WORDS, "{added}");
    }
}

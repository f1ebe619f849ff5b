//! Training examples, and batches of examples of similar length.

use crate::lang::random::Rng;
use crate::network::source::Source;
use crate::network::vocabulary::{BOS, PAD};

#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    pub source: Source,
    /// The target words, with `<eos>` and without `<bos>`.
    pub target: Vec<u16>,
    /// The weight of its words in the loss: 1, or an advantage.
    pub weight: f32,
}

/// Examples padded with `<pad>` to equal lengths. Columns are row-major.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainingBatch {
    pub rows: usize,
    /// The lengths of the longest source and the longest target in words.
    pub source: usize,
    pub target: usize,
    /// The length of each source in words.
    pub lengths: Vec<usize>,
    /// The sources' words, types, depths, statements and heights.
    pub columns: [Vec<i32>; 5],
    /// The decoder's input: `<bos>` and the target without its last word.
    pub given: Vec<i32>,
    /// The expected output: the target.
    pub wanted: Vec<i32>,
    /// The example's weight for each target word, and 0 for padding.
    pub weight: Vec<f32>,
    /// The number of target words, without padding.
    pub words: usize,
}

impl TrainingBatch {
    pub fn new(examples: &[&Example]) -> TrainingBatch {
        let longest = |length: fn(&Example) -> usize| examples.iter().map(|e| length(e)).max().unwrap_or(0);
        let (source, target) = (longest(|e| e.source.words.len()), longest(|e| e.target.len()));
        let mut batch = TrainingBatch { rows: examples.len(), source, target, ..TrainingBatch::default() };
        let fill = |column: &mut Vec<i32>, width: usize, fill: i32| {
            let rows = column.len().div_ceil(width.max(1));
            column.resize(rows * width, fill);
        };
        for Example { source: read, target: written, weight } in examples {
            batch.lengths.push(read.words.len());
            let features = [&read.ty, &read.depth, &read.statement, &read.height];
            batch.columns[0].extend(read.words.iter().map(|&word| i32::from(word)));
            for (column, feature) in batch.columns[1..].iter_mut().zip(features) {
                column.extend(feature.iter().map(|&value| i32::from(value)));
            }
            for column in &mut batch.columns {
                fill(column, source, 0);
            }
            batch.wanted.extend(written.iter().map(|&word| i32::from(word)));
            fill(&mut batch.wanted, target, i32::from(PAD));
            let given = std::iter::once(BOS).chain(written[..written.len().saturating_sub(1)].iter().copied());
            batch.given.extend(given.map(i32::from));
            fill(&mut batch.given, target, i32::from(PAD));
            batch.weight.extend(std::iter::repeat_n(*weight, written.len()));
            batch.weight.resize(batch.wanted.len(), 0.0);
            batch.words += written.len();
        }
        batch
    }
}

/// Groups examples into lists of similar length and at most `budget` words each, including padding, in random order.
pub fn bucket(examples: &[Example], budget: usize, rng: &mut Rng) -> Vec<Vec<usize>> {
    let length = |i: usize| (examples[i].source.words.len(), examples[i].target.len());
    // Shuffling first varies the neighbours of each example among those of the same length.
    let mut order: Vec<usize> = (0..examples.len()).collect();
    rng.shuffle(&mut order);
    order.sort_by_key(|&i| (length(i).0 + length(i).1).div_ceil(4));
    let mut lists: Vec<Vec<usize>> = Vec::new();
    let (mut source, mut target) = (0, 0);
    for i in order {
        let (wide, high) = (source.max(length(i).0), target.max(length(i).1));
        match lists.last_mut() {
            Some(list) if (list.len() + 1) * (wide + high) <= budget => {
                list.push(i);
                (source, target) = (wide, high);
            }
            _ => {
                lists.push(vec![i]);
                (source, target) = length(i);
            }
        }
    }
    rng.shuffle(&mut lists);
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(source: usize, target: usize) -> Example {
        let column = |value: u8| vec![value; source];
        let source = Source {
            words: vec![400; source],
            ty: column(1),
            depth: column(2),
            statement: column(3),
            height: column(4),
            ..Source::default()
        };
        Example { source, target: vec![7; target], weight: 1.0 }
    }

    #[test]
    fn batch_rows_are_padded_and_decoder_inputs_are_shifted() {
        let batch = TrainingBatch::new(&[&example(2, 3), &example(4, 1)]);
        assert_eq!((batch.rows, batch.source, batch.target, batch.words), (2, 4, 3, 4));
        assert_eq!(batch.columns[0], [400, 400, 0, 0, 400, 400, 400, 400]);
        assert_eq!(batch.columns[4], [4, 4, 0, 0, 4, 4, 4, 4]);
        assert_eq!(batch.given, [1, 7, 7, 1, 0, 0]);
        assert_eq!(batch.wanted, [7, 7, 7, 7, 0, 0]);
        assert_eq!(batch.weight, [1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn buckets_keep_to_the_budget_and_contain_each_example_once() {
        let mut rng = Rng::new(1, 2);
        let examples: Vec<Example> = (0..500).map(|_| example(1 + rng.below(100), 1 + rng.below(90))).collect();
        let lists = bucket(&examples, 2_000, &mut rng);
        let mut seen: Vec<usize> = lists.concat();
        seen.sort();
        assert_eq!(seen, (0..500).collect::<Vec<_>>());
        let mut words = (0, 0);
        for list in lists {
            let batch = TrainingBatch::new(&list.iter().map(|&i| &examples[i]).collect::<Vec<_>>());
            assert!(batch.rows == 1 || batch.rows * (batch.source + batch.target) <= 2_000);
            words.0 += batch.rows * (batch.source + batch.target);
            words.1 += batch.lengths.iter().sum::<usize>() + batch.words;
        }
        assert!(words.0 < 2 * words.1, "{words:?}: most is filling");
    }
}

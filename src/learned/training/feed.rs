//! The stream of training data: generated, compiled, converted to words and batched on a separate thread.
//!
//! Examples come in *pools*. The seed and the pool's number determine its batches and their order. A [`Position`]
//! therefore suffices for a checkpoint to resume with the next batch.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use serde::{Deserialize, Serialize};

use super::batch::{Example, TrainingBatch, bucket};
use super::schedule::{LEVELS, Phase, phase};
use crate::compiler::stage::Compiler;
use crate::corpus::{self, Level};
use crate::lang::hash::fnv64;
use crate::lang::index::{Index, Indices, RoutineId};
use crate::lang::random::Rng;
use crate::network::source::{self, Source};
use crate::network::target;

/// The number of examples that are sorted by length together.
pub const POOL: u64 = 4_096;
/// The number of batches prepared in advance.
const AHEAD: usize = 8;
/// Separates the random draws of a pool's levels and order from those of its programs.
const ORDER: u64 = 0x6f72_6465_7221;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub pool: u64,
    pub batch: usize,
}

/// A batch, and the position after it.
pub struct FedBatch {
    pub batch: TrainingBatch,
    pub next: Position,
    pub phase: &'static Phase,
}

#[derive(Clone)]
pub struct Stream {
    pub seed: u64,
    /// The number of words of a batch, including padding.
    pub budget: usize,
    /// The functions excluded from training, by [`normal_form`].
    pub held: Arc<HashSet<u64>>,
    /// Whether to draw only simple examples, for models too small for others.
    pub simple: bool,
}

impl Stream {
    /// Starts a thread that sends the batches from `position` on. The thread ends when the receiver is dropped.
    pub fn start(&self, position: Position) -> std::io::Result<Receiver<FedBatch>> {
        let (send, receive) = sync_channel(AHEAD);
        let stream = self.clone();
        thread::Builder::new().name("corpus".into()).spawn(move || {
            let mut maker = ExampleBuilder::default();
            let mut at = position;
            loop {
                let (examples, lists) = stream.pool(at.pool, &mut maker);
                for (number, list) in lists.iter().enumerate().skip(at.batch) {
                    let rows: Vec<&Example> = list.iter().map(|&i| &examples[i]).collect();
                    let last = number + 1 == lists.len();
                    let next = match last {
                        true => Position { pool: at.pool + 1, batch: 0 },
                        false => Position { pool: at.pool, batch: number + 1 },
                    };
                    let phase = phase(at.pool * POOL);
                    if send.send(FedBatch { batch: TrainingBatch::new(&rows), next, phase }).is_err() {
                        return;
                    }
                }
                at = Position { pool: at.pool + 1, batch: 0 };
            }
        })?;
        Ok(receive)
    }

    /// Returns the examples of a pool and its batches.
    fn pool(&self, pool: u64, maker: &mut ExampleBuilder) -> (Vec<Example>, Vec<Vec<usize>>) {
        let mut rng = Rng::new(self.seed ^ ORDER, pool);
        let first = pool * POOL;
        let mut examples = Vec::with_capacity(POOL as usize);
        for index in first..first + POOL {
            let level = match self.simple {
                true => Level::Simple,
                false => LEVELS[rng.weighted(&phase(index).mix)],
            };
            let example = maker.example(self.seed, index, level);
            examples.extend(example.filter(|example| !self.held.contains(&normal_form(&example.source))));
        }
        let lists = bucket(&examples, self.budget, &mut rng);
        (examples, lists)
    }
}

/// Converts programs of the corpus to examples, reusing a compiler's memory.
#[derive(Default)]
pub struct ExampleBuilder {
    compiler: Compiler,
}

impl ExampleBuilder {
    /// Returns example `index` of a stream of programs, or `None` if the program does not compile or is out of the
    /// model's reach.
    pub fn example(&mut self, seed: u64, index: u64, level: Level) -> Option<Example> {
        let generated = corpus::generate(seed, index, level);
        self.of_text(&generated.source, Some(RoutineId::at(generated.function))).pop()
    }

    /// Returns the examples of one function of a program, or of all: source words and the compiler's target words.
    /// Functions that do not compile or are out of reach are left out.
    pub fn of_text(&mut self, text: &str, function: Option<RoutineId>) -> Vec<Example> {
        let compiler = &mut self.compiler;
        compiler.compile(text);
        if !compiler.compiles() {
            return Vec::new();
        }
        let program = compiler.program(text);
        let functions = function.map_or_else(|| program.functions, Indices::one);
        let example = |function| {
            let source = source::read(&program, function).ok()?;
            let target = target::write(&program, function, &source.tables).ok()?;
            Some(Example { source, target, weight: 1.0 })
        };
        functions.iter().filter_map(example).collect()
    }
}

/// Returns a hash of a function that ignores the names and values the model does not see (FNV-1a over its words).
pub fn normal_form(source: &Source) -> u64 {
    fnv64(source.words.iter().flat_map(|word| word.to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream() -> Stream {
        Stream { seed: 5, budget: 2_000, held: Arc::default(), simple: false }
    }

    #[test]
    fn stream_resumes_at_a_position_with_the_next_batch() {
        let whole = stream().start(Position::default()).unwrap();
        let first: Vec<FedBatch> = whole.iter().take(6).collect();
        let rest = stream().start(first[2].next).unwrap();
        for (fed, again) in first[3..].iter().zip(rest.iter()) {
            assert_eq!(fed.batch, again.batch);
            assert_eq!(fed.next, again.next);
        }
    }

    #[test]
    fn held_out_functions_are_not_drawn() {
        let mut maker = ExampleBuilder::default();
        let (examples, _) = stream().pool(0, &mut maker);
        assert!(examples.len() > POOL as usize / 2, "{} of {POOL} are of use", examples.len());
        let held: HashSet<u64> = examples.iter().take(500).map(|e| normal_form(&e.source)).collect();
        let without = Stream { held: Arc::new(held.clone()), ..stream() };
        let (others, _) = without.pool(0, &mut maker);
        assert!(others.len() < examples.len());
        assert!(others.iter().all(|e| !held.contains(&normal_form(&e.source))));
    }
}

//! Collects samples into candidates. Samples of equal code are one candidate, and so are all invalid samples.

use std::collections::HashMap;

use super::CandidateVerdict;
use crate::lang::index::Address;
use crate::network::assembler::assemble;
use crate::network::infer::Ended;
use crate::network::sampling::{Candidate, Sampled, Status};
use crate::network::source::Tables;

/// The candidates of one round so far.
#[derive(Debug)]
pub struct Collector<'a> {
    tables: &'a Tables,
    /// The address of the candidates' code.
    origin: Address,
    candidates: Vec<Candidate>,
    /// The index of the candidate with this code.
    by_code: HashMap<Vec<u32>, usize>,
    /// Candidates from this index on have not been judged yet.
    judged: usize,
}

impl<'a> Collector<'a> {
    /// Creates a collector for a function with these tables, whose code is placed at `origin`.
    pub fn new(tables: &'a Tables, origin: Address) -> Collector<'a> {
        Collector { tables, origin, candidates: Vec::new(), by_code: HashMap::new(), judged: 0 }
    }

    /// Adds samples that have written all their words.
    pub fn add(&mut self, ended: Ended) {
        let Some((&number, samples)) = ended.numbers.first().zip(u32::try_from(ended.numbers.len()).ok())
        else {
            return;
        };
        let code = match ended.whole {
            true => assemble(self.tables, ended.words, self.origin).unwrap_or_default(),
            false => Vec::new(),
        };
        match self.by_code.get(&code) {
            Some(&index) => {
                let candidate = &mut self.candidates[index];
                candidate.samples += samples;
                if number < candidate.number {
                    candidate.number = number;
                    candidate.log_p = ended.log_p;
                    ended.words.clone_into(&mut candidate.words);
                    ended.shares.clone_into(&mut candidate.shares);
                }
            }
            None => {
                self.by_code.insert(code.clone(), self.candidates.len());
                self.candidates.push(Candidate {
                    number,
                    samples,
                    words: ended.words.to_vec(),
                    code,
                    log_p: ended.log_p,
                    shares: ended.shares.to_vec(),
                    status: Status::Invalid,
                    differing: None,
                    passed: 0,
                    steps: 0,
                });
            }
        }
    }

    /// Returns the candidates that have not been judged.
    pub fn unjudged(&self) -> &[Candidate] {
        &self.candidates[self.judged..]
    }

    /// Records the verdicts on [`Self::unjudged`], one for each and `None` for invalid ones, and passes the
    /// candidates to `sink`.
    pub fn judge(&mut self, verdicts: Vec<Option<CandidateVerdict>>, sink: &mut dyn FnMut(&Candidate)) {
        for (candidate, verdict) in self.candidates[self.judged..].iter_mut().zip(verdicts) {
            if let Some(CandidateVerdict { status, differing, passed, steps }) = verdict {
                (candidate.status, candidate.differing) = (status, differing);
                (candidate.passed, candidate.steps) = (passed, steps);
            }
            sink(candidate);
            self.judged += 1;
        }
    }

    /// Returns all candidates, sorted by number.
    pub fn finish(mut self, oracles: u32, base_steps: u64) -> Sampled {
        self.candidates.sort_unstable_by_key(|candidate| candidate.number);
        Sampled { candidates: self.candidates, oracles, base_steps, ..Sampled::default() }
    }
}

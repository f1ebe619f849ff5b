//! The facts about variables and values at the beginning of each block, as columns.

use super::constants;
use super::ranges;
use super::sweeps::Rows;
use super::transfer::Code;
use super::values;
use crate::compiler::program::columns;
use crate::lang::NONE;
use std::ops::Range;

columns! {
    /// Per routine: its first row in the other columns.
    pub struct FactSpans {
        /// In [`Constants`] and [`Ranges`]: a row for each block and variable.
        variables,
        /// In [`Values`].
        value,
        /// Number of its values.
        values,
        /// In [`Available`]: as many rows for each block as words have a bit for each value.
        words,
    }
}

columns! {
    /// Per block: whether control may arrive there, as far as the analysis knows. If not, the block's rows are 0.
    pub struct Arrivals {
        constants,
        ranges,
        values,
    }
}

columns! {
    /// Constants and copies. Per block and variable of its routine.
    pub struct Constants {
        /// 1 if the variable has only one value.
        known,
        /// This value, or 0.
        value,
        /// The least variable of the routine that equals it: its own number if no other one does.
        same,
    }
}

columns! {
    /// Ranges and known bits. Per block and variable of its routine.
    pub struct Ranges {
        /// The least value, as an i32; of a list, the least length.
        lo,
        /// The greatest one.
        hi,
        /// The bits that are 0.
        zeros,
        /// The bits that are 1.
        ones,
    }
}

columns! {
    /// The different values of expressions. Per value of a routine, in order of the code.
    pub struct Values {
        /// The first instruction that computes it …
        begin,
        /// … and one past the last.
        end,
    }
}

columns! {
    /// Per instruction.
    pub struct Numbers {
        /// The value that it pushes: its number in the routine, or `NONE`.
        value,
    }
}

columns! {
    /// The available values. Per block and word.
    pub struct Available {
        /// A bit for each value, the first one lowest.
        bits,
    }
}

/// The facts of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub spans: FactSpans,
    pub arrivals: Arrivals,
    pub constants: Constants,
    pub ranges: Ranges,
    pub values: Values,
    pub numbers: Numbers,
    pub available: Available,
}

/// Finds all facts of a program.
pub fn run(code: Code, out: &mut Facts) {
    *out = Facts::default();
    out.arrivals.reset(code.flow.blocks.len(), 0);
    out.numbers.reset(code.ir.op.len(), NONE);
    for routine in 0..code.routines.ir.len() {
        out.spans.variables.push(out.constants.known.len() as u32);
        out.spans.value.push(out.values.begin.len() as u32);
        out.spans.words.push(out.available.bits.len() as u32);
        let blocks = code.flow.spans.blocks(routine);
        let variables = code.flow.spans.variables(routine).len();
        out.constants(&constants::find(code, routine), blocks.clone(), variables);
        out.ranges(&ranges::find(code, routine), blocks.clone(), variables);
        let numbered = values::number(code, routine);
        out.spans.values.push(numbered.code.len() as u32);
        let first = code.flow.blocks.first[blocks.start] as usize;
        out.numbers.value[first..first + numbered.value.len()].copy_from_slice(&numbered.value);
        out.available(&values::available(code, routine, &numbered), blocks, numbered.code.len().div_ceil(32));
        for span in numbered.code {
            out.values.begin.push(span.start as u32);
            out.values.end.push(span.end as u32);
        }
    }
}

impl Facts {
    fn constants(&mut self, rows: &Rows<constants::Constant>, blocks: Range<usize>, variables: usize) {
        let out = &mut self.constants;
        for (row, block) in blocks.enumerate() {
            let facts = rows.get(row);
            self.arrivals.constants[block] = facts.is_some().into();
            for variable in 0..variables {
                let fact = facts.map(|facts| facts[variable]);
                out.known.push(fact.is_some_and(|fact| fact.value.is_some()).into());
                out.value.push(fact.and_then(|fact| fact.value).unwrap_or(0));
                out.same.push(fact.map_or(0, |fact| fact.same));
            }
        }
    }

    fn ranges(&mut self, rows: &Rows<ranges::Range>, blocks: Range<usize>, variables: usize) {
        let out = &mut self.ranges;
        for (row, block) in blocks.enumerate() {
            let facts = rows.get(row);
            self.arrivals.ranges[block] = facts.is_some().into();
            for variable in 0..variables {
                let [lo, hi, zeros, ones] = facts.map_or([0; 4], |facts| facts[variable].words());
                out.lo.push(lo);
                out.hi.push(hi);
                out.zeros.push(zeros);
                out.ones.push(ones);
            }
        }
    }

    fn available(&mut self, rows: &Rows<u32>, blocks: Range<usize>, words: usize) {
        for (row, block) in blocks.enumerate() {
            let facts = rows.get(row);
            self.arrivals.values[block] = facts.is_some().into();
            self.available.bits.extend((0..words).map(|word| facts.map_or(0, |facts| facts[word])));
        }
    }
}

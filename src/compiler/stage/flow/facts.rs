//! The facts about variables and values at the beginning of each block, as columns.

use super::transfer::Code;
use super::{Flow, constants, ranges, values};
use crate::compiler::program::{Ir, Routines, columns};
use crate::lang::NONE;

columns! {
    /// Per routine: its first row in the columns of variables.
    pub struct Cells {
        /// In [`Constants`] and [`Ranges`]: a row for each block and variable.
        first,
    }
}

columns! {
    /// Per routine: its first row in the other columns of values.
    pub struct ValueSpans {
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

/// The values of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub spans: ValueSpans,
    pub values: Values,
    pub numbers: Numbers,
    pub available: Available,
}

/// Finds the constants and ranges of a program.
pub fn variables(ir: &Ir, routines: &Routines, flow: &mut Flow) {
    let (mut cells, mut arrivals) = (Cells::default(), Arrivals::default());
    let (mut constants, mut ranges) = (Constants::default(), Ranges::default());
    let code = Code { ir, routines, flow };
    for routine in 0..routines.ir.len() {
        cells.first.push(constants.known.len() as u32);
        let (blocks, count) = (flow.spans.blocks(routine).len(), flow.spans.variables(routine).len());
        let rows = constants::find(code, routine);
        for facts in (0..blocks).map(|block| rows.get(block)) {
            arrivals.constants.push(facts.is_some().into());
            (0..count).for_each(|variable| constants.add(facts.map(|facts| facts[variable])));
        }
        let rows = ranges::find(code, routine);
        for facts in (0..blocks).map(|block| rows.get(block)) {
            arrivals.ranges.push(facts.is_some().into());
            (0..count).for_each(|variable| ranges.add(facts.map(|facts| facts[variable])));
        }
    }
    (flow.cells, flow.arrivals, flow.constants, flow.ranges) = (cells, arrivals, constants, ranges);
}

/// Numbers the values of a program, and finds those that are available.
pub fn values(code: Code) -> Facts {
    let mut out = Facts::default();
    out.numbers.reset(code.ir.op.len(), NONE);
    for routine in 0..code.routines.ir.len() {
        out.spans.value.push(out.values.begin.len() as u32);
        out.spans.words.push(out.available.bits.len() as u32);
        let blocks = code.flow.spans.blocks(routine);
        let numbered = values::number(code, routine);
        out.spans.values.push(numbered.code.len() as u32);
        let first = code.flow.blocks.first[blocks.start] as usize;
        out.numbers.value[first..first + numbered.value.len()].copy_from_slice(&numbered.value);
        let rows = values::available(code, routine, &numbered);
        let nothing = vec![0; numbered.code.len().div_ceil(32)];
        out.available.bits.extend((0..blocks.len()).flat_map(|block| rows.get(block).unwrap_or(&nothing)));
        for span in numbered.code {
            out.values.begin.push(span.start as u32);
            out.values.end.push(span.end as u32);
        }
    }
    out
}

impl Constants {
    fn add(&mut self, fact: Option<constants::Constant>) {
        self.known.push(fact.is_some_and(|fact| fact.value.is_some()).into());
        self.value.push(fact.and_then(|fact| fact.value).unwrap_or(0));
        self.same.push(fact.map_or(0, |fact| fact.same));
    }
}

impl Ranges {
    fn add(&mut self, fact: Option<ranges::Range>) {
        let [lo, hi, zeros, ones] = fact.map_or([0; 4], ranges::Range::words);
        self.lo.push(lo);
        self.hi.push(hi);
        self.zeros.push(zeros);
        self.ones.push(ones);
    }

    /// The fact in a row.
    pub fn at(&self, row: usize) -> ranges::Range {
        ranges::Range::from_words([&self.lo, &self.hi, &self.zeros, &self.ones].map(|column| column[row]))
    }
}

//! The facts about variables and values at the beginning of each block, as columns.

use super::transfer::Code;
use super::{
    Arrivals, Available, Cells, Constants, Flow, Numbers, Ranges, ValueSpans, Values, constants, ranges, values,
};
use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;

/// Finds the constants and ranges of a program.
pub fn variables(ir: &Ir, routines: &Routines, flow: &mut Flow) {
    let (mut cells, mut arrivals) = (Cells::default(), Arrivals::default());
    let (mut constants, mut ranges) = (Constants::default(), Ranges::default());
    let code = Code { ir, routines, flow };
    // The blocks of routines are in the order of the code, which may differ from that of the routines.
    arrivals.reset(flow.blocks.len(), 0);
    for routine in 0..routines.ir.len() {
        cells.first.push(constants.known.len() as u32);
        let (span, count) = (flow.spans.blocks(routine), flow.spans.variables(routine).len());
        let rows = constants::find(code, routine);
        for (block, facts) in span.clone().zip((0..).map(|block| rows.get(block))) {
            arrivals.constants[block] = facts.is_some().into();
            (0..count).for_each(|variable| constants.add(facts.map(|facts| facts[variable])));
        }
        let rows = ranges::find(code, routine);
        for (block, facts) in span.zip((0..).map(|block| rows.get(block))) {
            arrivals.ranges[block] = facts.is_some().into();
            (0..count).for_each(|variable| ranges.add(facts.map(|facts| facts[variable])));
        }
    }
    (flow.cells, flow.arrivals, flow.constants, flow.ranges) = (cells, arrivals, constants, ranges);
}

/// Numbers the values of a program, and finds those that are available.
pub fn values(ir: &Ir, routines: &Routines, flow: &mut Flow) {
    let (mut spans, mut values, mut available) =
        (ValueSpans::default(), Values::default(), Available::default());
    let mut numbers = Numbers::default();
    numbers.reset(ir.op.len(), NONE);
    let code = Code { ir, routines, flow };
    for routine in 0..routines.ir.len() {
        spans.value.push(values.begin.len() as u32);
        spans.words.push(available.bits.len() as u32);
        let blocks = flow.spans.blocks(routine);
        let numbered = values::number(code, routine);
        spans.values.push(numbered.code.len() as u32);
        let first = flow.blocks.first[blocks.start] as usize;
        numbers.value[first..first + numbered.value.len()].copy_from_slice(&numbered.value);
        let rows = values::available(code, routine, &numbered);
        let nothing = vec![0; numbered.code.len().div_ceil(32)];
        available.bits.extend((0..blocks.len()).flat_map(|block| rows.get(block).unwrap_or(&nothing)));
        for span in numbered.code {
            values.begin.push(span.start as u32);
            values.end.push(span.end as u32);
        }
    }
    (flow.value_spans, flow.values, flow.numbers, flow.available) = (spans, values, numbers, available);
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

    pub fn at(&self, row: usize) -> ranges::Range {
        ranges::Range::from_words([&self.lo, &self.hi, &self.zeros, &self.ones].map(|column| column[row]))
    }
}

//! Conditions of which only whole runs are known: for each run, the values of one of several ways.

use super::{Search, SearchLimits};
use crate::fill::backward::Bits;
use crate::fill::operation::Word;
use crate::fill::space::Space;
use crate::fill::target::Target;
use crate::lang::ty::Type;

/// Values for some inputs: both are bits by input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Way {
    pub inputs: u64,
    /// 0 elsewhere.
    pub values: u64,
}

/// The number of inputs with a known value from which sizes that are not kept are searched: fewer would exclude too little.
const KNOWN: usize = 6;

impl Way {
    /// Whether two ways have no different values.
    pub fn agrees(self, other: Way) -> bool {
        (self.values ^ other.values) & self.inputs & other.inputs == 0
    }

    /// The values of both; those of `other` where they differ.
    #[must_use]
    pub fn and(self, other: Way) -> Way {
        let values = self.values & !other.inputs | other.values;
        Way { inputs: self.inputs | other.inputs, values }
    }

    /// The values that all ways have; `None` if there is no way.
    pub fn shared(ways: &[Way]) -> Option<Way> {
        let both = |one: Way, other: &Way| {
            let inputs = one.inputs & other.inputs & !(one.values ^ other.values);
            Way { inputs, values: one.values & inputs }
        };
        Some(ways.iter().skip(1).fold(*ways.first()?, both))
    }
}

impl Search {
    /// Starts a search for conditions that have the values of one way of each run.
    pub fn along(space: Space, runs: Vec<Vec<Way>>, limits: SearchLimits) -> Search {
        let known = runs.iter().filter_map(|ways| Way::shared(ways)).fold(Way::default(), Way::and);
        let bits = |input: usize| match known.inputs >> input & 1 {
            0 => Bits::NONE,
            _ => Bits::all((known.values >> input & 1) as u32),
        };
        let target = Target { ty: Type::BOOL, bits: (0..space.required).map(bits).collect() };
        let mut search = Search::new(space, Type::BOOL, &[], limits);
        search.sharpest = target.sharpest();
        Search { target, runs, ..search }
    }

    /// Whether an expression has the values of one way of each run.
    pub(super) fn follows(&self, value: impl Fn(usize) -> Word) -> bool {
        if self.runs.is_empty() {
            return true;
        }
        let mut own = Way::default();
        for input in 0..self.space.required {
            if let Some(word) = value(input) {
                own.inputs |= 1 << input;
                own.values |= u64::from(word != 0) << input;
            }
        }
        let holds = |way: &Way| way.inputs & !own.inputs == 0 && way.agrees(own);
        self.runs.iter().all(|ways| ways.iter().any(holds))
    }

    /// Whether so little is known that most expressions would have to be tried.
    pub(super) fn is_vague(&self) -> bool {
        !self.runs.is_empty() && self.target.bits.iter().filter(|bits| bits.mask != 0).count() < KNOWN
    }
}

//! Ranges with known bits: the lattice.

/// The values of an int or bool, or the lengths of a list: those from `lo` to `hi` whose bits include `ones` and none
/// of `zeros`. A range is never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub lo: i32,
    pub hi: i32,
    /// The bits that are 0 in all values.
    pub zeros: u32,
    /// The bits that are 1 in all values.
    pub ones: u32,
}

const SIGN: u32 = 1 << 31;

impl Range {
    pub const ANY: Range = Range { lo: i32::MIN, hi: i32::MAX, zeros: 0, ones: 0 };
    pub const BOOL: Range = Range { lo: 0, hi: 1, zeros: !1, ones: 0 };

    /// The only value.
    pub const fn of(value: i32) -> Range {
        Range { lo: value, hi: value, zeros: !value as u32, ones: value as u32 }
    }

    /// The values from `lo` to `hi`; any if there are none.
    pub fn between(lo: i32, hi: i32) -> Range {
        Range { lo, hi, ..Range::ANY }.reduced().unwrap_or(Range::ANY)
    }

    /// The values with known bits.
    pub fn bits(zeros: u32, ones: u32) -> Range {
        Range { zeros, ones, ..Range::ANY }.reduced().unwrap_or(Range::ANY)
    }

    /// Bounds and bits as words of columns.
    pub fn words(self) -> [u32; 4] {
        [self.lo as u32, self.hi as u32, self.zeros, self.ones]
    }

    pub fn from_words([lo, hi, zeros, ones]: [u32; 4]) -> Range {
        Range { lo: lo as i32, hi: hi as i32, zeros, ones }
    }

    /// The value, if there is only one.
    pub fn value(self) -> Option<i32> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub fn contains(self, value: i32) -> bool {
        let bits = value as u32;
        (self.lo..=self.hi).contains(&value) && bits & self.zeros == 0 && !bits & self.ones == 0
    }

    /// The mask of the known bits.
    pub fn known(self) -> u32 {
        self.zeros | self.ones
    }

    /// The greatest absolute value.
    pub fn magnitude(self) -> u32 {
        self.lo.unsigned_abs().max(self.hi.unsigned_abs())
    }

    /// The smallest range with the values of both.
    pub fn union(self, other: Range) -> Range {
        Range {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    /// The values in both, or `None` if there are none.
    pub fn meet(self, other: Range) -> Option<Range> {
        let Range { lo, hi, zeros, ones } = self;
        let both = Range {
            lo: lo.max(other.lo),
            hi: hi.min(other.hi),
            zeros: zeros | other.zeros,
            ones: ones | other.ones,
        };
        both.reduced()
    }

    /// Whether every value of `other` is one of these.
    pub fn covers(self, other: Range) -> bool {
        self.union(other) == self
    }

    /// The values in both; those of `self` if there are none.
    pub fn within(self, other: Range) -> Range {
        self.meet(other).unwrap_or(self)
    }

    /// Transfers knowledge between bounds and bits. Returns `None` if no value is left.
    pub fn reduced(self) -> Option<Range> {
        self.with_common_bits()?.with_bounds_of_bits()?.with_common_bits()
    }

    /// Adds the upper bits that both bounds have in common.
    fn with_common_bits(self) -> Option<Range> {
        let Range { lo, hi, .. } = self;
        let common = !below((lo ^ hi) as u32);
        let (zeros, ones) = (self.zeros | !lo as u32 & common, self.ones | lo as u32 & common);
        (lo <= hi && zeros & ones == 0).then_some(Range { zeros, ones, ..self })
    }

    /// Moves the bounds to the nearest values that the known bits allow: within those of the sign and the upper bits,
    /// and equal to the lower bits.
    fn with_bounds_of_bits(self) -> Option<Range> {
        let unknown = !self.known();
        let least = (self.ones | unknown & SIGN) as i32;
        let greatest = (self.ones | unknown & !SIGN) as i32;
        let (lo, hi) = (self.lo.max(least), self.hi.min(greatest));
        let lower = trailing(self.known());
        let up = self.ones.wrapping_sub(lo as u32) & lower;
        let down = (hi as u32).wrapping_sub(self.ones) & lower;
        let (above, under) = (lo.wrapping_add(up as i32), hi.wrapping_sub(down as i32));
        (lo <= above && under <= hi && above <= under).then_some(Range { lo: above, hi: under, ..self })
    }

    /// Widens a fact that moved: a bound that moved becomes the next of `stops`, which ascend, or that of the type, and
    /// the bits from the lowest one that was lost become unknown.
    pub fn widened(self, old: Range, stops: &[i32]) -> Range {
        let down = || stops.iter().rev().find(|stop| **stop <= self.lo).copied().unwrap_or(i32::MIN);
        let up = || stops.iter().find(|stop| **stop >= self.hi).copied().unwrap_or(i32::MAX);
        let lost = old.known() & !self.known();
        let kept = if lost == 0 { !0 } else { trailing(!lost) };
        let wide = Range {
            lo: if self.lo < old.lo { down() } else { self.lo },
            hi: if self.hi > old.hi { up() } else { self.hi },
            zeros: self.zeros & kept,
            ones: self.ones & kept,
        };
        wide.reduced().unwrap_or(Range::ANY)
    }
}

/// The mask of all bits up to the highest one that is set.
fn below(word: u32) -> u32 {
    !(!0u32).checked_shl(32 - word.leading_zeros()).unwrap_or(0)
}

/// The mask of the lowest bits that are all set.
pub fn trailing(word: u32) -> u32 {
    word & !word.wrapping_add(1)
}

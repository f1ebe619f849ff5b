//! Shrinks one number, measured by its distance from the goal. It tries small distances in order, halves,
//! clears digits and bits, then tries the distances just below. Halving alone would stop at the first number
//! whose neighbours pass.

use super::{Shrinker, Spot};

/// Small distances tried in order, divided among the numbers of an input; and the minimum for each number.
const SMALL: i64 = 256;
const LEAST: i64 = 4;
/// Distances tried above each power of two, divided likewise.
const ABOVE: i64 = 8;
/// Distances tried below the one reached by halving.
const BELOW: i64 = 32;

impl Shrinker<'_, '_> {
    /// Shrinks one number until no step reduces it further.
    pub(super) fn shrink_number(&mut self, spot: Spot) {
        let distance = self.distance(spot).abs();
        if distance == 0 {
            return;
        }
        let numbers = self.input.iter().map(Vec::len).sum::<usize>() as i64;
        let small = (SMALL / numbers).max(LEAST);
        let above = |power: u32| (1 << power..(1 << power) + ABOVE / numbers).filter(move |n| *n >= small);
        self.first(spot, (0..small).chain((0..32).flat_map(above)));
        loop {
            let distance = self.distance(spot);
            self.slide(&[(spot, distance.signum())], distance.abs());
            let left = self.distance(spot).abs();
            let cleared = self.clear(spot, 10) | self.clear(spot, 2);
            let left = if cleared { self.distance(spot).abs() } else { left };
            let lower = self.first(spot, (1..=BELOW.min(small)).map(|less| left - less));
            if !(cleared || lower) || self.spent() {
                return;
            }
        }
    }

    /// Takes the first of the given smaller distances at which the property still fails, on the number's side
    /// of the goal or on the other. It spends at most a quarter of the remaining steps.
    fn first(&mut self, spot: Spot, distances: impl Iterator<Item = i64>) -> bool {
        let (distance, least) = (self.distance(spot), self.steps - self.steps / 4);
        for next in distances.filter(|next| (0..distance.abs()).contains(next)) {
            if self.spent() || self.steps < least {
                return false;
            }
            let side = distance.signum();
            if self.set(spot, side * next) || (next != 0 && self.set(spot, -side * next)) {
                return true;
            }
        }
        false
    }

    /// Clears the digits, in `base`, of a number's distance, highest first. Returns whether any digit was
    /// cleared.
    fn clear(&mut self, spot: Spot, base: i64) -> bool {
        let mut cleared = false;
        let mut unit = 1;
        while unit <= self.distance(spot).abs() / base {
            unit *= base;
        }
        while unit > 0 && !self.spent() {
            let distance = self.distance(spot);
            let digit = distance / unit % base;
            cleared |= digit != 0 && self.set(spot, distance - digit * unit);
            unit /= base;
        }
        cleared
    }

    /// Moves a number to a distance from its goal if the property still fails there. Returns whether it did.
    fn set(&mut self, spot: Spot, distance: i64) -> bool {
        let bounds = &self.bounds[spot.binder];
        let number = bounds.goal + distance;
        if !(bounds.lo..=bounds.last).contains(&number) {
            return false;
        }
        let mut next = self.input.clone();
        next[spot.binder][spot.element] = number as i32 as u32;
        self.accept(next)
    }
}

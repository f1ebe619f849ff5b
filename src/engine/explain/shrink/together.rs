//! Shrinks parts of an input that the property ties together, so that none can change alone.

use super::{Shrinker, Spot};

impl Shrinker<'_, '_> {
    /// Removes the same range from several lists, or from one list while a number follows its length or sum;
    /// then shrinks numbers together.
    pub(super) fn together(&mut self) {
        let (lists, ints): (Vec<usize>, Vec<usize>) =
            (0..self.input.len()).partition(|binder| self.bounds[*binder].list);
        if lists.len() > 2 {
            self.cut(&lists, |_, _| ());
        }
        for (i, one) in lists.iter().enumerate() {
            for other in &lists[i + 1..] {
                self.cut(&[*one, *other], |_, _| ());
            }
        }
        for list in &lists {
            for int in &ints {
                let lose = |next: &mut [Vec<u32>], by: u32| {
                    next[*int].iter_mut().for_each(|number| *number = number.wrapping_sub(by));
                };
                self.cut(&[*list], |next, lost| lose(next, lost.len() as u32));
                self.cut(&[*list], |next, lost| lose(next, lost.iter().fold(0, |a, b| a.wrapping_add(*b))));
            }
        }
        self.all();
        self.pairs(|one, other| one.binder != other.binder && one.element == other.element);
        self.pairs(|one, other| one.binder == other.binder || one.element != other.element);
    }

    fn spots(&self) -> Vec<Spot> {
        let elements = self.input.iter().map(Vec::len).enumerate();
        elements.flat_map(|(binder, len)| (0..len).map(move |element| Spot { binder, element })).collect()
    }

    /// Moves all numbers that are not at their goal by the same amount, then in proportion.
    fn all(&mut self) {
        let moves = self.away();
        if moves.len() > 2 {
            let reach = moves.iter().map(|(_, distance)| distance.abs()).max().unwrap_or(0);
            let units: Vec<_> = moves.iter().map(|(spot, distance)| (*spot, distance.signum())).collect();
            self.slide(&units, reach);
            self.scale(&self.away());
        }
    }

    /// Returns the numbers that are not at their goal, with their distances.
    fn away(&self) -> Vec<(Spot, i64)> {
        let distances = self.spots().into_iter().map(|spot| (spot, self.distance(spot)));
        distances.filter(|(_, distance)| *distance != 0).collect()
    }

    /// Shrinks numbers in proportion to their distances, by the greatest common divisor of these.
    fn scale(&mut self, moves: &[(Spot, i64)]) {
        let share = moves.iter().fold(0, |share, (_, distance)| divisor(share, distance.abs()));
        if share > 0 {
            let units: Vec<_> = moves.iter().map(|(spot, distance)| (*spot, distance / share)).collect();
            self.slide(&units, share);
        }
    }

    /// Shrinks two numbers at a time, for all pairs that `wanted` accepts.
    fn pairs(&mut self, wanted: impl Fn(Spot, Spot) -> bool) {
        let spots = self.spots();
        for (i, one) in spots.iter().enumerate() {
            for other in spots[i + 1..].iter().filter(|other| wanted(*one, **other)) {
                if self.spent() {
                    return;
                }
                self.pair(*one, *other);
            }
        }
    }

    /// Shrinks two numbers: each towards its goal while their difference or sum stays equal, then in
    /// proportion. In a list, the number nearer to its goal moves to the front.
    fn pair(&mut self, one: Spot, other: Spot) {
        for (one, other, sign) in [(one, other, 1), (one, other, -1), (other, one, 1), (other, one, -1)] {
            let distance = self.distance(one);
            let unit = distance.signum();
            self.slide(&[(one, unit), (other, sign * unit)], distance.abs());
        }
        let (distance, beside) = (self.distance(one), self.distance(other));
        if distance != 0 && beside != 0 {
            self.scale(&[(one, distance), (other, beside)]);
        }
        if one.binder == other.binder && self.distance(one).abs() > self.distance(other).abs() {
            self.swap(one, other);
        }
    }

    /// Exchanges two elements of a list.
    fn swap(&mut self, one: Spot, other: Spot) {
        let mut next = self.input.clone();
        next[one.binder].swap(one.element, other.element);
        self.take(next);
    }
}

/// Returns the greatest common divisor; that of 0 and n is n.
fn divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

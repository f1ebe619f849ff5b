//! The alignment of two listings. Addresses do not count: the targets of two jumps are equal if their instructions are
//! aligned. An inserted instruction therefore moves later ones, and does not change the jumps to them.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The part of a line that an alignment compares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparable {
    /// The text; for an instruction without its address and target.
    pub text: String,
    /// The address of an instruction, or the number of a label.
    pub at: Option<u32>,
    /// The address or the label that an instruction jumps to.
    pub target: Option<u32>,
}

impl Comparable {
    /// Returns a line that is not an instruction.
    pub fn of(text: String) -> Comparable {
        Comparable { text, ..Comparable::default() }
    }
}

/// A row of a difference, by the indices of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aligned {
    Equal(usize, usize),
    Removed(usize),
    Added(usize),
}

/// Aligns two listings; rows are in the order of both.
pub fn align(old: &[Comparable], new: &[Comparable]) -> Vec<Aligned> {
    let [before, after] = [old, new].map(|lines| lines.iter().map(|line| &*line.text).collect::<Vec<_>>());
    let mut rows = Vec::with_capacity(old.len().max(new.len()));
    for operation in capture_diff_slices(Algorithm::Myers, &before, &after) {
        match operation {
            DiffOp::Equal { old_index, new_index, len } => {
                rows.extend((0..len).map(|i| Aligned::Equal(old_index + i, new_index + i)));
            }
            other => {
                rows.extend(other.old_range().map(Aligned::Removed));
                rows.extend(other.new_range().map(Aligned::Added));
            }
        }
    }
    let targets = Targets::new(old, new, &rows);
    let row = |row: Aligned| match row {
        Aligned::Equal(one, other) if !targets.are_equal(old[one].target, new[other].target) => {
            vec![Aligned::Removed(one), Aligned::Added(other)]
        }
        row => vec![row],
    };
    rows.into_iter().flat_map(row).collect()
}

/// Returns the changes with `around` equal rows before and after each; `None` where equal rows in between are omitted.
/// Empty if nothing differs.
pub fn changes(rows: &[Aligned], around: usize) -> Vec<Option<Aligned>> {
    let is_equal = |row: &Aligned| matches!(row, Aligned::Equal(..));
    let is_near = |at: usize| {
        let (from, to) = (at.saturating_sub(around), (at + around + 1).min(rows.len()));
        !rows[from..to].iter().all(is_equal)
    };
    let mut shown: Vec<Option<Aligned>> = Vec::new();
    let mut last = None;
    for (at, row) in rows.iter().enumerate().filter(|(at, _)| is_near(*at)) {
        if last.is_some_and(|last| last + 1 < at) {
            shown.push(None);
        }
        shown.push(Some(*row));
        last = Some(at);
    }
    shown
}

/// The lines of both listings by address, and the lines that are aligned.
struct Targets {
    lines: [HashMap<u32, usize>; 2],
    /// For each old line the aligned new one.
    partner: HashMap<usize, usize>,
    /// For each line of both the number of aligned lines before it.
    before: [Vec<usize>; 2],
    /// Whether each new line is aligned.
    is_aligned: Vec<bool>,
}

impl Targets {
    fn new(old: &[Comparable], new: &[Comparable], rows: &[Aligned]) -> Targets {
        let lines = [old, new]
            .map(|lines| lines.iter().enumerate().filter_map(|(line, own)| Some((own.at?, line))).collect());
        let (mut partner, mut count, mut before) =
            (HashMap::new(), 0, [vec![0; old.len()], vec![0; new.len()]]);
        let mut is_aligned = vec![false; new.len()];
        for row in rows {
            match *row {
                Aligned::Equal(one, other) => {
                    partner.insert(one, other);
                    (before[0][one], before[1][other], is_aligned[other]) = (count, count, true);
                    count += 1;
                }
                Aligned::Removed(one) => before[0][one] = count,
                Aligned::Added(other) => before[1][other] = count,
            }
        }
        Targets { lines, partner, before, is_aligned }
    }

    /// Returns whether two targets are aligned, or are replaced at the same place. Targets outside of both listings are
    /// compared as numbers.
    fn are_equal(&self, old: Option<u32>, new: Option<u32>) -> bool {
        let (Some(old), Some(new)) = (old, new) else { return old == new };
        match (self.lines[0].get(&old), self.lines[1].get(&new)) {
            (Some(one), Some(other)) => match self.partner.get(one) {
                Some(partner) => partner == other,
                None => !self.is_aligned[*other] && self.before[0][*one] == self.before[1][*other],
            },
            (None, None) => old == new,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a listing: one instruction per line, `JUMP @3` jumps to address 3.
    fn listing(text: &str) -> Vec<Comparable> {
        let line = |(at, line): (usize, &str)| {
            let (text, target) = line.split_once(" @").map_or((line, None), |(op, target)| (op, Some(target)));
            let target = target.map(|target| target.parse().expect("an address"));
            Comparable { text: text.to_string(), at: Some(at as u32), target }
        };
        text.split("; ").enumerate().map(line).collect()
    }

    fn changed(old: &str, new: &str) -> Vec<Aligned> {
        changes(&align(&listing(old), &listing(new)), 0).into_iter().flatten().collect()
    }

    #[test]
    fn inserted_instruction_changes_no_jump_across_it() {
        let old = "LOAD 1; IF @5; LOAD 2; STORE; JUMP @0; RETURN";
        let new = "LOAD 1; IF @6; LOAD 2; NEGATE; STORE; JUMP @0; RETURN";
        assert_eq!(changed(old, new), [Aligned::Added(3)]);
        assert_eq!(changed(new, old), [Aligned::Removed(3)]);
    }

    #[test]
    fn jump_to_another_instruction_is_a_change() {
        let old = "LOAD 1; IF @3; LOAD 2; STORE; RETURN";
        let new = "LOAD 1; IF @4; LOAD 2; STORE; RETURN";
        assert_eq!(changed(old, new), [Aligned::Removed(1), Aligned::Added(1)]);
        // The inserted instruction is at the old address of the target.
        let new = "LOAD 1; IF @3; LOAD 2; NEGATE; STORE; RETURN";
        assert_eq!(changed(old, new), [Aligned::Removed(1), Aligned::Added(1), Aligned::Added(3)]);
    }

    #[test]
    fn jump_to_a_replaced_instruction_is_equal() {
        let old = "IF @2; LOAD 1; LOAD 2; RETURN";
        let new = "NEGATE; IF @3; LOAD 1; LOAD 9; RETURN";
        assert_eq!(changed(old, new), [Aligned::Added(0), Aligned::Removed(2), Aligned::Added(3)]);
    }

    #[test]
    fn equal_rows_between_changes_are_omitted() {
        let rows = align(&listing("A; B; C; D; E; F"), &listing("A; X; C; D; E; Y; F"));
        let shown = changes(&rows, 1);
        use Aligned::*;
        let first = [Equal(0, 0), Removed(1), Added(1), Equal(2, 2)].map(Some);
        let last = [Equal(4, 4), Added(5), Equal(5, 6)].map(Some);
        assert_eq!(shown, [&first[..], &[None], &last[..]].concat());
        assert_eq!(changes(&align(&listing("A; B"), &listing("A; B")), 1), []);
    }

    #[test]
    fn rows_reproduce_both_listings() {
        let (old, new) = ("A; B @0; C; D @9; E", "B @1; C; A; D @8; E; E");
        let rows = align(&listing(old), &listing(new));
        let of = |side: fn(&Aligned) -> Option<usize>| rows.iter().filter_map(side).collect::<Vec<_>>();
        let olds = of(|row| match row {
            Aligned::Equal(one, _) | Aligned::Removed(one) => Some(*one),
            Aligned::Added(_) => None,
        });
        let news = of(|row| match row {
            Aligned::Equal(_, other) | Aligned::Added(other) => Some(*other),
            Aligned::Removed(_) => None,
        });
        assert_eq!((olds, news), ((0..5).collect(), (0..6).collect()));
    }
}

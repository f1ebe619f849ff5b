//! The values of all expressions up to a size. Of expressions with equal values only the first is kept.
//!
//! Two rows count as equal if their hashes of 64 bits are; a row is one word for each input.

use std::ops::Range;

use rayon::prelude::*;

use crate::fill::blocks::{self, BLOCK, Hashes, Known, SEED, Step};
use crate::fill::operation::{Meaning, Operation};
use crate::fill::seen::Seen;
use crate::fill::space::Space;
use crate::lang::ty::Type;

/// The number of a kept row: its place in the order of candidates, among those that are kept.
pub type Rank = u32;

/// How a kept row is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    Leaf(u32),
    /// The index of the operation in the space; a unary one has its operand on the right, and 0 on the left.
    Apply {
        operation: u8,
        left: Rank,
        right: Rank,
    },
}

impl Node {
    /// Whether two nodes have the operation and the left operand in common.
    fn shares_left(&self, other: &Node) -> bool {
        let shared = |node: &Node| match *node {
            Node::Leaf(_) => None,
            Node::Apply { operation, left, .. } => Some((operation, left)),
        };
        shared(self) == shared(other)
    }

    fn right(&self) -> Rank {
        match *self {
            Node::Leaf(_) => 0,
            Node::Apply { right, .. } => right,
        }
    }
}

/// Candidates that share the operation and the left operand.
#[derive(Clone, Debug)]
struct Segment {
    operation: u8,
    left: Rank,
    rights: Range<Rank>,
}

/// Number of candidates that are made at once.
const BATCH: usize = 1 << 14;

pub struct Rows {
    required: usize,
    pub nodes: Vec<Node>,
    /// For each input, the words of all rows.
    pub columns: Vec<Vec<u32>>,
    /// For each row, the inputs that trap.
    pub traps: Vec<u64>,
    /// For each size from 0, the first int, the first bool, and the end.
    sizes: Vec<[Rank; 3]>,
    seen: Seen,
    /// Whether rows of a size that was stopped are at the end. To forget them takes long, and few stopped searches go on.
    has_part: bool,
}

fn seed(ty: Type) -> [u32; 2] {
    [SEED[0] ^ ty.0, SEED[1]]
}

/// The hash of a row from that of its words and the inputs that trap; never 0.
fn finished(hash: [u32; 2], traps: u64) -> u64 {
    let hash =
        if traps == 0 { hash } else { blocks::mix(blocks::mix(hash, traps as u32), (traps >> 32) as u32) };
    blocks::joined(hash).max(1)
}

/// How the making of a size's rows ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grown {
    Whole,
    /// The rows have no room. No more can be made.
    Full,
    Stopped,
}

impl Rows {
    /// Makes the rows of size 1: the leaves.
    pub fn new(space: &Space) -> Rows {
        let mut rows = Rows {
            required: space.required,
            nodes: Vec::new(),
            columns: vec![Vec::new(); space.inputs],
            traps: Vec::new(),
            sizes: vec![[0; 3]],
            seen: Seen::of_slots(1 << 12),
            has_part: false,
        };
        let ints = space.leaves.iter().filter(|leaf| leaf.ty == Type::INT).count() as Rank;
        for (at, leaf) in space.leaves.iter().enumerate() {
            let words = leaf.values.iter().map(|word| word.unwrap_or(0));
            let hash = words.clone().fold(seed(leaf.ty), blocks::mix);
            let traps =
                (0..).zip(&leaf.values).fold(0, |traps, (i, word)| traps | u64::from(word.is_none()) << i);
            rows.seen.insert(finished(hash, traps));
            rows.nodes.push(Node::Leaf(at as u32));
            rows.traps.push(traps);
            rows.columns.iter_mut().zip(words).for_each(|(column, word)| column.push(word));
        }
        rows.sizes.push([0, ints, rows.nodes.len() as Rank]);
        rows
    }

    /// The largest size whose rows are kept.
    pub fn largest(&self) -> usize {
        self.sizes.len() - 1
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The bytes of all rows, with their hashes.
    pub fn bytes(&self) -> usize {
        let row = size_of::<Node>() + size_of::<u64>() + self.columns.len() * size_of::<u32>();
        self.len() * row + self.seen.bytes()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The rows of a size and type; none if the size is not kept.
    pub fn of_size(&self, size: usize, ty: Type) -> Range<Rank> {
        match self.sizes.get(size) {
            None => 0..0,
            Some([ints, bools, _]) if ty == Type::INT => *ints..*bools,
            Some([_, bools, end]) => *bools..*end,
        }
    }

    /// The size of a row's expression.
    pub fn size_of(&self, rank: Rank) -> usize {
        self.sizes.partition_point(|[_, _, end]| *end <= rank)
    }

    /// The ranges of operands with which an operation makes a size: for each size of the left one, all lefts and
    /// all rights. A unary operation has no lefts.
    fn splits(&self, operation: Operation, size: usize) -> Vec<(Range<Rank>, Range<Rank>)> {
        if !operation.reaches(size) {
            return Vec::new();
        }
        if operation.is_unary() {
            return vec![(0..0, self.of_size(size - 1, operation.operand))];
        }
        let of = |size| self.of_size(size, operation.operand);
        (1..=operation.largest_left(size)).map(|left| (of(left), of(size - 1 - left))).collect()
    }

    /// Makes the rows of the next size, and returns the number of candidates tried. Where there would be more than `limit` rows,
    /// or `stop` is true, it keeps none of that size.
    pub fn grow(&mut self, space: &Space, limit: usize, stop: &(dyn Fn() -> bool + Sync)) -> (u64, Grown) {
        if stop() {
            return (0, Grown::Stopped);
        }
        let size = self.sizes.len();
        if std::mem::take(&mut self.has_part) {
            let whole = self.sizes.last().map_or(0, |[.., end]| *end);
            self.cut(whole as usize, false);
        }
        let begin = self.nodes.len();
        let mut tried = 0;
        let mut bools = None;
        for (at, operation) in space.operations.iter().enumerate() {
            if operation.result != Type::INT {
                bools.get_or_insert(self.nodes.len());
            }
            let mut batch: Vec<Segment> = Vec::new();
            let (mut waiting, mut cost) = (0, 0);
            for (lefts, rights) in self.splits(*operation, size) {
                let lefts = if operation.is_unary() { 0..1 } else { lefts };
                for left in lefts {
                    let from = if operation.commutes() { rights.start.max(left) } else { rights.start };
                    for first in (from..rights.end).step_by(BLOCK) {
                        let rights = first..rights.end.min(first + BLOCK as Rank);
                        waiting += rights.len() as u64;
                        cost += rights.len() * operation.cost();
                        batch.push(Segment { operation: at as u8, left, rights });
                    }
                    if cost >= BATCH {
                        tried += waiting;
                        self.make(space, &batch);
                        batch.clear();
                        (waiting, cost) = (0, 0);
                        let is_full = self.nodes.len() > limit;
                        if is_full {
                            self.cut(begin, true);
                            return (tried, Grown::Full);
                        }
                        if stop() {
                            self.has_part = true;
                            return (tried, Grown::Stopped);
                        }
                    }
                }
            }
            tried += waiting;
            self.make(space, &batch);
        }
        if self.nodes.len() > limit {
            self.cut(begin, true);
            return (tried, Grown::Full);
        }
        let end = self.nodes.len();
        self.sizes.push([begin, bools.unwrap_or(end), end].map(|at| at as Rank));
        (tried, Grown::Whole)
    }

    /// Forgets the rows from `begin`, and which were seen if no more are made.
    fn cut(&mut self, begin: usize, is_full: bool) {
        self.nodes.truncate(begin);
        self.traps.truncate(begin);
        self.columns.iter_mut().for_each(|column| column.truncate(begin));
        self.seen = Seen::of_slots(if is_full { 0 } else { self.seen.slots() });
        for rank in 0..if is_full { 0 } else { begin } {
            let ty = if self.is_int(rank as Rank) { Type::INT } else { Type::BOOL };
            let hash = self.columns.iter().fold(seed(ty), |hash, column| blocks::mix(hash, column[rank]));
            self.seen.insert(finished(hash, self.traps[rank]));
        }
    }

    /// Tries candidates in their order and keeps those with new values.
    fn make(&mut self, space: &Space, batch: &[Segment]) {
        let hashes: Vec<Vec<u64>> = batch
            .par_iter()
            .with_min_len(8)
            .map(|segment| {
                let mut hashes = self.hashes(space, segment);
                // Most candidates have been seen; this is found out side by side.
                self.seen.mark(&mut hashes);
                hashes
            })
            .collect();
        let begin = self.nodes.len();
        for (segment, hashes) in batch.iter().zip(hashes) {
            for (right, hash) in segment.rights.clone().zip(hashes) {
                if hash != 0 && self.seen.insert(hash) {
                    self.nodes.push(Node::Apply { operation: segment.operation, left: segment.left, right });
                }
            }
        }
        let new = &self.nodes[begin..];
        let given = |node: &Node| match *node {
            Node::Leaf(_) => 0,
            Node::Apply { operation, left, right } => {
                let operation = space.operations[operation as usize];
                self.given_traps(operation, left)(self.traps[right as usize])
            }
        };
        let mut traps: Vec<u64> = new.iter().map(given).collect();
        // The values of a column, and the new rows for which an operation traps.
        let extend = |(input, column): (usize, &mut Vec<u32>)| {
            let mut trapped: Vec<usize> = Vec::new();
            column.reserve(new.len());
            let (mut others, mut words, mut own) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
            let mut at = 0;
            for run in new.chunk_by(|one, next| one.shares_left(next)).flat_map(|run| run.chunks(BLOCK)) {
                let Node::Apply { operation, left, .. } = run[0] else { continue };
                for (other, node) in others.iter_mut().zip(run) {
                    *other = column[node.right() as usize];
                }
                let (count, given) = (run.len(), &traps[at..at + run.len()]);
                own[..count].copy_from_slice(given);
                let step =
                    space.step(space.operations[operation as usize], Known::Left, column[left as usize], input);
                blocks::values_of(step, &others[..count], input as u32, &mut own[..count], &mut words[..count]);
                column.extend_from_slice(&words[..count]);
                let is_new = |i: &usize| (own[*i] ^ given[*i]) >> input & 1 == 1;
                trapped.extend((0..count).filter(is_new).map(|i| at + i));
                at += count;
            }
            trapped
        };
        let trapped: Vec<Vec<usize>> = self.columns.par_iter_mut().enumerate().map(extend).collect();
        for (input, at) in
            trapped.iter().enumerate().flat_map(|(input, own)| own.iter().map(move |at| (input, *at)))
        {
            traps[at] |= 1 << input;
        }
        self.traps.extend(traps);
    }

    /// For the traps of a right operand: the inputs for which an operation traps since an operand does.
    fn given_traps(&self, operation: Operation, left: Rank) -> impl Fn(u64) -> u64 + use<> {
        let left_traps = if operation.is_unary() { 0 } else { self.traps[left as usize] };
        let evaluated = match operation.meaning {
            Meaning::Logical { stops_at } => {
                let bit = |column: &Vec<u32>| u64::from((column[left as usize] != 0) != stops_at);
                self.columns.iter().zip(0..).fold(0, |bits, (column, i)| bits | bit(column) << i)
            }
            _ => u64::MAX,
        };
        move |right_traps| left_traps | right_traps & evaluated
    }

    /// The hashes of a segment's candidates.
    fn hashes(&self, space: &Space, segment: &Segment) -> Vec<u64> {
        let operation = space.operations[segment.operation as usize];
        let rights = segment.rights.start as usize..segment.rights.end as usize;
        let left = segment.left as usize;
        let (mut traps, given) = ([0; BLOCK], self.given_traps(operation, segment.left));
        for (traps, right) in traps.iter_mut().zip(&self.traps[rights.clone()]) {
            *traps = given(*right);
        }
        let may_trap = operation.may_trap() || traps.iter().any(|traps| *traps != 0);
        let mut hashes = Hashes::new(seed(operation.result));
        for (input, column) in self.columns.iter().enumerate() {
            let (step, others) =
                (space.step(operation, Known::Left, column[left], input), &column[rights.clone()]);
            match may_trap {
                true => blocks::mix_trapping(step, others, input as u32, &mut traps, &mut hashes),
                false => blocks::mix_values(step, others, &mut hashes),
            }
        }
        (0..rights.len()).map(|at| finished(hashes.at(at), traps[at])).collect()
    }

    /// The inputs with a required result.
    pub fn required_mask(&self) -> u64 {
        u64::MAX >> (64 - self.required.max(1))
    }

    /// The hash of a row of ints in an [`Index`], begun.
    pub fn required_seed() -> Hashes {
        Hashes::new(seed(Type::INT))
    }

    /// The same, finished.
    pub fn required_hash(hash: [u32; 2]) -> u64 {
        finished(hash, 0)
    }
}

/// The rows by their values for the required inputs. Rows that trap on one of these are not in it.
pub struct Index {
    /// For each value of the upper bits, the place in `entries` where its hashes begin.
    starts: Vec<u32>,
    entries: Vec<(u64, Rank)>,
    shift: u32,
}

impl Index {
    pub fn new(rows: &Rows) -> Index {
        let required = rows.required;
        let hashes: Vec<u64> = (0..rows.len().div_ceil(BLOCK))
            .into_par_iter()
            .flat_map_iter(|block| {
                let own = block * BLOCK..rows.len().min((block + 1) * BLOCK);
                let mut hashes = Hashes::new([0; 2]);
                for (at, rank) in own.clone().enumerate() {
                    let ty = if rows.is_int(rank as Rank) { Type::INT } else { Type::BOOL };
                    [hashes.first[at], hashes.second[at]] = seed(ty);
                }
                for column in &rows.columns[..required] {
                    blocks::mix_values(Step::NONE, &column[own.clone()], &mut hashes);
                }
                own.enumerate().map(move |(at, _)| finished(hashes.at(at), 0)).collect::<Vec<_>>()
            })
            .collect();
        let bits = (rows.len().max(2) as u32).ilog2();
        let shift = 64 - bits;
        let mut entries: Vec<(u64, Rank)> = (0..).zip(&hashes).map(|(rank, hash)| (*hash, rank)).collect();
        entries.retain(|(_, rank)| rows.traps[*rank as usize] & rows.required_mask() == 0);
        entries.par_sort_unstable();
        let mut starts = vec![0; (1 << bits) + 1];
        for (hash, _) in &entries {
            starts[(hash >> shift) as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Index { starts, entries, shift }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.entries[..]) + size_of_val(&self.starts[..])
    }

    /// The rows with a hash, in order.
    pub fn find(&self, hash: u64) -> impl Iterator<Item = Rank> + '_ {
        let bucket = (hash >> self.shift) as usize;
        let own = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
        self.entries[own].iter().filter(move |(other, _)| *other == hash).map(|(_, rank)| *rank)
    }
}

impl Rows {
    pub fn is_int(&self, rank: Rank) -> bool {
        let size = self.size_of(rank);
        rank < self.sizes[size][1]
    }
}

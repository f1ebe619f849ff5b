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
const BATCH: usize = 1 << 12;
/// Number of rows from which room for all is made.
pub const FEW: usize = 1 << 15;

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
    /// Where the making of a size that was stopped goes on. Its rows are at the end.
    stopped: Option<Growing>,
    is_full: bool,
}

/// The candidates of a size, of which some are made.
struct Growing {
    /// An operation with all lefts and all rights for one size of each. A unary operation has one left, which counts for nothing.
    splits: Vec<(u8, Range<Rank>, Range<Rank>)>,
    next: Next,
    /// The first bool.
    bools: Option<Rank>,
}

/// The next candidate: the index of its split, and its operands.
#[derive(Clone, Copy, Default)]
struct Next {
    split: usize,
    left: Rank,
    right: Rank,
}

impl Growing {
    /// Returns the next candidates, all of one operation; none if all are made.
    fn batch(&mut self, space: &Space) -> Vec<Segment> {
        let (mut batch, mut cost) = (Vec::<Segment>::new(), 0);
        while let Some((number, lefts, rights)) = self.splits.get(self.next.split) {
            if cost >= BATCH || batch.first().is_some_and(|first| first.operation != *number) {
                break;
            }
            let operation = space.operations[*number as usize];
            let left = self.next.left.max(lefts.start);
            let least = if operation.commutes() { rights.start.max(left) } else { rights.start };
            let from = self.next.right.max(least);
            let end = rights.end.min(from + BLOCK as Rank);
            if left < lefts.end && from < end {
                batch.push(Segment { operation: *number, left, rights: from..end });
                cost += (end - from) as usize * operation.cost();
            }
            self.next = match () {
                () if left < lefts.end && end < rights.end && from < end => Next { right: end, ..self.next },
                () if left + 1 < lefts.end => Next { left: left + 1, right: 0, ..self.next },
                () => Next { split: self.next.split + 1, ..Next::default() },
            };
        }
        batch
    }
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
            stopped: None,
            is_full: false,
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

    /// Whether the rows of the next size have no room.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The candidates of the next size.
    fn growing(&self, space: &Space) -> Growing {
        let size = self.sizes.len();
        let mut splits = Vec::new();
        for (number, operation) in (0..).zip(&space.operations).filter(|(_, own)| own.reaches(size)) {
            let of = |size| self.of_size(size, operation.operand);
            if operation.is_unary() {
                splits.push((number, 0..1, of(size - 1)));
            } else {
                let sizes = 1..=operation.largest_left(size);
                splits.extend(sizes.map(|left| (number, of(left), of(size - 1 - left))));
            }
        }
        Growing { splits, next: Next::default(), bools: None }
    }

    /// Makes the rows of the next size, and returns the number of candidates tried. If there would be more than `limit` rows, none of
    /// that size is kept. After a stop, the next call goes on.
    pub fn grow(&mut self, space: &Space, limit: usize, stop: &(dyn Fn() -> bool + Sync)) -> (u64, Grown) {
        let mut growing = self.stopped.take().unwrap_or_else(|| self.growing(space));
        let begin = self.sizes.last().map_or(0, |[.., end]| *end);
        let mut tried = 0;
        loop {
            let next = growing.next;
            let batch = growing.batch(space);
            let Some(first) = batch.first() else { break };
            if space.operations[first.operation as usize].result != Type::INT {
                growing.bools.get_or_insert(self.nodes.len() as Rank);
            }
            if self.nodes.len() >= FEW {
                self.reserve_one(limit + BATCH);
            }
            if stop() || self.make(space, &batch, stop).is_none() {
                self.stopped = Some(Growing { next, ..growing });
                return (tried, Grown::Stopped);
            }
            tried += batch.iter().map(|segment| segment.rights.len() as u64).sum::<u64>();
            if self.nodes.len() > limit {
                self.fill(begin as usize);
                return (tried, Grown::Full);
            }
        }
        let end = self.nodes.len() as Rank;
        self.sizes.push([begin, growing.bools.unwrap_or(end), end]);
        (tried, Grown::Whole)
    }

    /// Makes room for some rows in one of the columns, or in the rest. To move all at once would take too long without a stop.
    fn reserve_one(&mut self, count: usize) {
        match self.columns.iter_mut().find(|column| column.capacity() < count) {
            Some(column) => column.reserve(count - column.len()),
            None => {
                self.nodes.reserve(count.saturating_sub(self.nodes.len()));
                self.traps.reserve(count.saturating_sub(self.traps.len()));
            }
        }
    }

    /// Forgets the rows from `begin`, and which were seen, since no more are made.
    fn fill(&mut self, begin: usize) {
        self.is_full = true;
        self.nodes.truncate(begin);
        self.traps.truncate(begin);
        self.columns.iter_mut().for_each(|column| column.truncate(begin));
        free(std::mem::replace(&mut self.seen, Seen::of_slots(0)));
    }

    /// Tries candidates in their order and keeps those with new values; `None` if it was stopped, and then none was kept.
    fn make(&mut self, space: &Space, batch: &[Segment], stop: &(dyn Fn() -> bool + Sync)) -> Option<()> {
        let hashes: Option<Vec<Vec<u64>>> = batch
            .par_iter()
            .with_min_len(2)
            .map(|segment| {
                let mut hashes = self.hashes(space, segment, stop)?;
                // Most candidates have been seen; this is found out side by side.
                self.seen.mark(&mut hashes);
                Some(hashes)
            })
            .collect();
        let hashes = hashes.filter(|_| !stop())?;
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
        Some(())
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

    /// The hashes of a segment's candidates; `None` if it was stopped.
    fn hashes(&self, space: &Space, segment: &Segment, stop: &dyn Fn() -> bool) -> Option<Vec<u64>> {
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
            // Calls take long.
            if operation.cost() > 1 && stop() {
                return None;
            }
            match may_trap {
                true => blocks::mix_trapping(step, others, input as u32, &mut traps, &mut hashes),
                false => blocks::mix_values(step, others, &mut hashes),
            }
        }
        Some((0..rights.len()).map(|at| finished(hashes.at(at), traps[at])).collect())
    }

    /// The hashes of at most [`BLOCK`] rows for the required inputs; 0 for those that trap on one of these.
    pub fn required_hashes(&self, begin: usize, out: &mut [u64]) {
        let own = begin..begin + out.len();
        let mut hashes = Hashes::new([0; 2]);
        for (at, rank) in own.clone().enumerate() {
            let ty = if self.is_int(rank as Rank) { Type::INT } else { Type::BOOL };
            [hashes.first[at], hashes.second[at]] = seed(ty);
        }
        for column in &self.columns[..self.required] {
            blocks::mix_values(Step::NONE, &column[own.clone()], &mut hashes);
        }
        for (at, (out, traps)) in out.iter_mut().zip(&self.traps[own]).enumerate() {
            *out = if traps & self.required_mask() == 0 { finished(hashes.at(at), 0) } else { 0 };
        }
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

/// Frees memory on a thread of its own, since to return many pages to the system takes long.
pub fn free<T: Send + 'static>(memory: T) {
    // Without a thread, it is freed at once.
    let _ = std::thread::Builder::new().name("free".into()).spawn(move || drop(memory));
}

impl Drop for Rows {
    fn drop(&mut self) {
        use std::mem::take;
        if self.len() >= FEW {
            free((take(&mut self.columns), take(&mut self.nodes), take(&mut self.traps), take(&mut self.seen)));
        }
    }
}

impl Rows {
    pub fn is_int(&self, rank: Rank) -> bool {
        let size = self.size_of(rank);
        rank < self.sizes[size][1]
    }
}

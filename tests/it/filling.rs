//! Both engines find the same expressions for examples, and try the same number.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::common::extent::scaled;
use crate::common::gpu::lend;
use crate::common::rng::Rng;
use myriad::compiler::layout::numbers::{fill_count, fill_piece};
use myriad::engine::Abilities;
use myriad::engine::gpu::device::Gpu;
use myriad::engine::gpu::{GpuEngine, adapter::AdapterQuery, filling, shaders, trial};
use myriad::fill::backward::{self, Bits};
use myriad::fill::blocks::Known;
use myriad::fill::operation::{OPERATIONS, Operation, Word};
use myriad::fill::pieces::Piece;
use myriad::fill::scanner::{Kept, Scanned, Scanner};
use myriad::fill::search::{Search, SearchLimits};
use myriad::fill::space::{Call, Function, Leaf, List, Space};
use myriad::fill::tree::Tree;
use myriad::lang::NONE;
use myriad::lang::ty::Type;

const EXTREMES: [u32; 8] = [0, 1, 2, 31, 32, u32::MAX, 1 << 31, (1 << 31) - 1];

fn word(random: &mut Rng) -> u32 {
    match random.below(3) {
        0 => *random.pick(&EXTREMES),
        1 => random.below(40) as u32,
        _ => random.next() as u32,
    }
}

/// A space of some operations with variables and a constant; the kept rows are those of two or three sizes.
fn space(random: &mut Rng) -> (Space, SearchLimits) {
    // More than 32 inputs need two words for their traps and their bools.
    let required = 1 + if random.one_in(4) { 32 + random.below(20) } else { random.below(6) };
    let inputs = required + random.below(3);
    let mut leaf = |name: &str, ty: Type, is_constant: bool| {
        let mut value = || if ty == Type::BOOL { random.below(2) as u32 } else { word(random) };
        let values: Vec<Word> = if is_constant {
            vec![Some(value()); inputs]
        } else {
            (0..inputs).map(|_| Some(value())).collect()
        };
        Leaf { text: name.to_string(), ty, values, is_constant }
    };
    let leaves = vec![
        leaf("a", Type::INT, false),
        leaf("b", Type::INT, false),
        leaf("p", Type::BOOL, false),
        leaf("c", Type::INT, true),
    ];
    let mut operations: Vec<Operation> = OPERATIONS.to_vec();
    while operations.len() > 7 {
        operations.remove(random.below(operations.len()));
    }
    let words = inputs * [40, 300, 2_000][random.below(3)];
    let limits = SearchLimits { words, size: 6, solutions: 8, depth: 1 + random.below(3) };
    let (mut lists, mut functions) = (Vec::new(), Vec::new());
    if random.one_in(2) {
        let mut list = || (0..random.below(6)).map(|_| word(random) & 63).collect();
        let values = (0..inputs).map(|_| list()).collect();
        lists.push(List { text: "xs".into(), ty: Type::INT, values });
    }
    if random.one_in(3) {
        let is_unary = random.one_in(2);
        let one = move |&[a, b]: &[u32; 2]| {
            let a = if is_unary { 0 } else { a };
            ((a ^ b) & 7 != 5).then(|| a.wrapping_mul(3) ^ b.wrapping_mul(b))
        };
        let call = Call(Arc::new(move |arguments| arguments.iter().map(one).collect()));
        let (text, operand, result) = ("f".into(), Type::INT, Type::INT);
        functions.push(Function { text, operand, is_unary, result, largest: 4, call });
    }
    (Space::new(leaves, operations, required, inputs).with(lists, functions), limits)
}

/// The results that are required: random ones, or the values of an expression of size 4 or 5.
fn wanted(random: &mut Rng, space: &Space, ty: Type) -> Vec<u32> {
    let mut row: Vec<Tree> = Vec::new();
    let limits = SearchLimits { words: 1 << 16, size: 4, solutions: 1, depth: 0 };
    let mut search = Search::new(Space { required: 0, ..space.clone() }, ty, &[], limits);
    while search.next_size().is_some() {
        row.extend(search.step(&|| false).unwrap_or_default());
    }
    if !row.is_empty() && !random.one_in(4) {
        let tree = &row[random.below(row.len())];
        let words: Option<Vec<u32>> =
            (0..space.required).map(|input| tree.value(&search.space, &search.rows, input)).collect();
        if let Some(words) = words {
            return words;
        }
    }
    (0..space.required).map(|_| if ty == Type::BOOL { random.below(2) as u32 } else { word(random) }).collect()
}

/// The work that a device did.
#[derive(Default)]
struct Work {
    pieces: AtomicU64,
    hits: AtomicU64,
    overflowed: AtomicU64,
}

/// A scanner whose work is counted.
struct Counted(Box<dyn Scanner>, Arc<Work>);

impl Scanner for Counted {
    fn keep(&mut self, kept: &Kept) -> Result<(), String> {
        self.0.keep(kept)
    }

    fn budget(&self) -> u64 {
        // Batches of some pieces, so that there are several.
        500
    }

    fn scan(&mut self, pieces: &[&Piece], meanwhile: &mut dyn FnMut()) -> Result<Scanned, String> {
        let scanned = self.0.scan(pieces, meanwhile)?;
        self.1.pieces.fetch_add(pieces.len() as u64, Relaxed);
        self.1.hits.fetch_add(scanned.hits.len() as u64, Relaxed);
        self.1.overflowed.fetch_add(scanned.overflowed.len() as u64, Relaxed);
        Ok(scanned)
    }
}

fn scanner(engine: &mut GpuEngine, work: &Arc<Work>) -> Box<dyn Scanner> {
    let own = engine.fill_scanner(0).expect("the device works").expect("it searches");
    Box::new(Counted(own, work.clone()))
}

/// All sizes of a search: the solutions of each, and the number tried.
type Ended = (Vec<Vec<Tree>>, u64, usize);

fn all(search: &mut Search, stop: &(dyn Fn() -> bool + Sync)) -> Ended {
    let mut sizes = Vec::new();
    while search.next_size().is_some() {
        sizes.extend(search.step(stop));
    }
    (sizes, search.progress.tried.load(Relaxed), search.rows.len())
}

#[test]
fn engines_find_the_same_expressions() {
    let mut random = Rng::new(51);
    let mut engine = lend();
    let work = Arc::new(Work::default());
    let mut device = Some(scanner(&mut engine, &work));
    let (mut solved, mut wide) = (0, 0);
    for case in 0..scaled(500) {
        let (space, limits) = space(&mut random);
        let ty = if random.one_in(3) { Type::BOOL } else { Type::INT };
        let words = wanted(&mut random, &space, ty);
        let mut cpu = Search::new(space.clone(), ty, &words, limits);
        let mut gpu = Search::new(space.clone(), ty, &words, limits);
        gpu.set_scanner(device.take());
        let (expected, found) = (all(&mut cpu, &|| false), all(&mut gpu, &|| false));
        assert_eq!(gpu.failure(), None, "case {case}");
        assert_eq!(expected, found, "case {case}: {space:?} {words:?} {limits:?}");
        wide += u64::from(gpu.is_wide());
        solved += u64::from(found.0.iter().any(|trees| !trees.is_empty()));
        device = gpu.take_scanner();
    }
    let [pieces, hits, overflowed] =
        [&work.pieces, &work.hits, &work.overflowed].map(|number| number.load(Relaxed));
    println!("{wide} wide, {solved} solved; {pieces} pieces, {hits} hits, {overflowed} overflowed");
    assert!(wide * 2 > scaled(500) && solved * 4 > scaled(500), "{wide} wide, {solved} solved");
    assert!(hits > 100, "{pieces} pieces, {hits} hits, {overflowed} overflowed");
}

/// Half of all comparisons are solutions, more than a device holds.
#[test]
fn pieces_with_too_many_hits_are_searched_by_the_processor() {
    let (space, limits) = sums(1);
    let work = Arc::new(Work::default());
    let mut gpu = Search::new(space.clone(), Type::BOOL, &[1], limits);
    gpu.set_scanner(Some(scanner(&mut lend(), &work)));
    let found = all(&mut gpu, &|| false);
    assert_eq!(all(&mut Search::new(space, Type::BOOL, &[1], limits), &|| false), found);
    assert!(work.overflowed.load(Relaxed) > 0, "{} pieces, {} rows", work.pieces.load(Relaxed), gpu.rows.len());
}

#[test]
fn a_search_goes_on_after_stops_and_after_its_device_is_lost() {
    let mut random = Rng::new(52);
    let mut engine = GpuEngine::new(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
    let work = Arc::new(Work::default());
    let mut device = Some(scanner(&mut engine, &work));
    let mut stops = 0;
    for case in 0..scaled(40) {
        let (space, limits) = if case % 4 == 0 { sums(2 + case as usize / 4) } else { space(&mut random) };
        let words = wanted(&mut random, &space, Type::INT);
        let expected = all(&mut Search::new(space.clone(), Type::INT, &words, limits), &|| false);
        let mut gpu = Search::new(space.clone(), Type::INT, &words, limits);
        gpu.set_scanner(device.take());
        let asked = AtomicU64::new(0);
        // Stops more and more rarely, so that the search ends.
        let stop = || {
            let square = 8 * asked.fetch_add(1, Relaxed) + 1;
            square.isqrt().pow(2) == square
        };
        let mut sizes = Vec::new();
        while gpu.next_size().is_some() {
            let is_wide = gpu.is_wide();
            match gpu.step(if is_wide { &stop } else { &|| false }) {
                Some(trees) => sizes.push(trees),
                None => stops += 1,
            }
        }
        let found = (sizes, gpu.progress.tried.load(Relaxed), gpu.rows.len());
        assert_eq!(expected, found, "case {case}: {space:?} {words:?} {limits:?}");
        device = gpu.take_scanner();
    }
    assert!(stops > 30, "{stops} stops");
    // It is lost while it searches.
    let (space, limits) = sums(2);
    let words = [7, 9];
    let expected = all(&mut Search::new(space.clone(), Type::INT, &words, limits), &|| false);
    let mut gpu = Search::new(space, Type::INT, &words, limits);
    gpu.set_scanner(device);
    let lose = engine.device_destroyer();
    let before = work.pieces.load(Relaxed);
    let found = all(&mut gpu, &|| {
        if work.pieces.load(Relaxed) > before {
            lose();
        }
        false
    });
    assert_eq!(expected, found);
    let why = gpu.failure();
    assert!(why.is_some_and(|why| why.contains("lost")) && !gpu.has_scanner(), "{why:?}");
}

/// A space of sums and comparisons.
fn sums(required: usize) -> (Space, SearchLimits) {
    let inputs = 12;
    let mut random = Rng::new(54);
    let leaf = |name: &str| {
        let values = (0..inputs).map(|_| Some(random.next() as u32)).collect();
        Leaf { text: name.to_string(), ty: Type::INT, values, is_constant: false }
    };
    let leaves = ["a", "b", "c", "d", "e", "f"].map(leaf).to_vec();
    let operations = |op: &&Operation| {
        ["Invert", "Sub", "And", "Xor", "Lt"].iter().any(|name| format!("{op:?}").contains(name))
    };
    let operations = OPERATIONS.iter().filter(operations).copied().collect();
    let limits = SearchLimits { words: inputs * 1_500, size: 7, solutions: 8, depth: 1 };
    (Space::new(leaves, operations, required, inputs), limits)
}

/// The bits that the device requires of operands, for one input, are those of the processor.
#[test]
fn required_bits_of_the_shader_match_its_twin() {
    let mut random = Rng::new(53);
    let gpu = Gpu::open(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
    const KNOWN: u32 = fill_piece::KNOWN_MOST;
    let (mut pieces, mut targets, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let ints: Vec<u32> = (0..KNOWN).map(|_| word(&mut random)).collect();
    let bools: Vec<u32> = (0..KNOWN).map(|_| random.below(2) as u32).collect();
    let mut refused = 0;
    for operation in OPERATIONS {
        for side in [Known::Left, Known::Right] {
            for _ in 0..scaled(160) {
                let mask = match random.below(3) {
                    0 => u32::MAX >> random.below(32),
                    1 => random.next() as u32,
                    _ => u32::MAX,
                };
                let (mask, value) = match operation.result {
                    Type::BOOL => (u32::MAX, random.below(2) as u32),
                    _ => (mask, word(&mut random) & mask),
                };
                let is_bools = operation.operand == Type::BOOL;
                let (known, first) = if is_bools { (&bools, KNOWN) } else { (&ints, 0) };
                let piece = targets.len() as u32 / 2;
                let mut record = [0; fill_piece::WORDS as usize];
                for (word, value) in [
                    (fill_piece::CODE, filling::code(*operation, side)),
                    (fill_piece::KNOWN, first),
                    (fill_piece::COUNT, KNOWN),
                    (fill_piece::TARGET, 2 * piece),
                    (fill_piece::STEPS, piece * KNOWN),
                ] {
                    record[word as usize] = value;
                }
                pieces.extend(record);
                targets.extend([mask, value]);
                let bits =
                    known.iter().map(|known| backward::operand(*operation, side, *known, Bits { mask, value }));
                let own: Vec<Option<Bits>> = bits.collect();
                refused += own.iter().filter(|bits| bits.is_none()).count();
                expected.push((operation, side, own));
            }
        }
    }
    let count = expected.len() as u32;
    // No operand knows too little.
    let params = vec![2 * KNOWN, 1, 0, 0, 0, 0, 0, 7];
    let buffers = vec![
        params,
        [ints, bools].concat(),
        vec![0; 2 * KNOWN as usize],
        pieces,
        targets,
        vec![0; 4],
        vec![0; (4 * count * KNOWN) as usize],
        vec![0; (fill_count::PIECES + fill_count::WORDS * count) as usize],
        vec![0; 4],
    ];
    let left = trial::run(&gpu, &shaders::FILL, "conclude", &buffers, [count, 1])
        .unwrap_or_else(|error| panic!("{error}"));
    let [.., steps, counts, _] = &left[..] else { panic!("all buffers come back") };
    assert_eq!(counts[fill_count::EPOCH as usize], 7);
    for ((piece, (operation, side, own)), counts) in expected
        .iter()
        .enumerate()
        .zip(counts[fill_count::PIECES as usize..].chunks(fill_count::WORDS as usize))
    {
        let steps = &steps[4 * piece * KNOWN as usize..][..4 * counts[fill_count::STEPS as usize] as usize];
        let is_bools = operation.operand == Type::BOOL;
        let mut found = vec![None; KNOWN as usize];
        for step in steps.chunks(4) {
            assert_ne!(step[1], NONE);
            found[(step[0] - if is_bools { KNOWN } else { 0 }) as usize] = Some((step[2], step[3]));
        }
        // Of a bool, the device has one bit.
        let bit = if is_bools { 1 } else { u32::MAX };
        let own: Vec<Option<(u32, u32)>> =
            own.iter().map(|bits| bits.map(|bits| (bits.mask & bit, bits.value & bit))).collect();
        assert_eq!(found, own, "{operation:?} {side:?}");
    }
    assert!(refused > 1_000);
}

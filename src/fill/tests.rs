//! The search against a plain enumeration of all expressions, which shares only the arithmetic with it.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::fill::backward::{self, Bits};
use crate::fill::blocks::Known;
use crate::fill::operation::{Meaning, OPERATIONS, Operation, Word};
use crate::fill::search::{Search, SearchLimits};
use crate::fill::space::{Call, Function, Leaf, List, Space};
use crate::lang::random::Rng;
use crate::lang::ty::Type;

const EXTREMES: [u32; 8] = [0, 1, 2, 31, 32, u32::MAX, 1 << 31, (1 << 31) - 1];

fn word(random: &mut Rng) -> u32 {
    match random.below(3) {
        0 => EXTREMES[random.below(8)],
        1 => random.below(40) as u32,
        _ => random.word(),
    }
}

/// An expression of the enumeration, by its values.
#[derive(Clone)]
struct Plain {
    ty: Type,
    values: Vec<Word>,
}

/// All expressions of each size, in the order of candidates; operands of commuting operations in one order only.
fn enumerate(space: &Space, largest: usize) -> Vec<Vec<Plain>> {
    let leaf = |leaf: &Leaf| Plain { ty: leaf.ty, values: leaf.values.clone() };
    let mut sizes = vec![Vec::new(), space.leaves.iter().map(leaf).collect::<Vec<_>>()];
    for size in 2..=largest {
        let mut own = Vec::new();
        for operation in space.operations.iter().filter(|own| own.reaches(size)) {
            let mut add = |left: Option<&Plain>, right: &Plain| {
                let value = |i: usize| {
                    space.value(*operation, left.and_then(|left| left.values[i]), right.values[i], i)
                };
                own.push(Plain { ty: operation.result, values: (0..space.inputs).map(value).collect() });
            };
            let fits = |plain: &&Plain| plain.ty == operation.operand;
            if operation.is_unary() {
                sizes[size - 1].iter().filter(fits).for_each(|right| add(None, right));
                continue;
            }
            for left_size in 1..size - 1 {
                let right_size = size - 1 - left_size;
                for (left_at, left) in sizes[left_size].iter().enumerate().filter(|(_, own)| fits(own)) {
                    let commuted =
                        |right_at: usize| operation.commutes() && (right_size, right_at) < (left_size, left_at);
                    for (right_at, right) in sizes[right_size].iter().enumerate().filter(|(_, own)| fits(own)) {
                        if !commuted(right_at) {
                            add(Some(left), right);
                        }
                    }
                }
            }
        }
        sizes.push(own);
    }
    sizes
}

fn space(random: &mut Rng, operations: usize) -> Space {
    let (required, inputs) = (1 + random.below(5), 7);
    let variable = |name: &str, ty, random: &mut Rng| Leaf {
        text: name.to_string(),
        ty,
        // One in eight traps.
        values: (0..inputs)
            .map(|_| {
                let word = if ty == Type::BOOL { random.below(2) as u32 } else { word(random) };
                (random.below(8) > 0).then_some(word)
            })
            .collect(),
        is_constant: false,
    };
    let mut leaves = vec![variable("a", Type::INT, random), variable("p", Type::BOOL, random)];
    let constant = word(random);
    leaves.push(Leaf {
        text: constant.to_string(),
        ty: Type::INT,
        values: vec![Some(constant); inputs],
        is_constant: true,
    });
    let mut own: Vec<Operation> = Vec::new();
    while own.len() < operations {
        let operation = OPERATIONS[random.below(OPERATIONS.len())];
        if !own.contains(&operation) {
            own.push(operation);
        }
    }
    own.sort_by_key(|own| OPERATIONS.iter().position(|other| other == own));
    let (mut lists, mut functions) = (Vec::new(), Vec::new());
    if random.below(2) == 0 {
        let ty = [Type::INT, Type::BOOL][random.below(2)];
        let mut list =
            || (0..random.below(5)).map(|_| word(random) & if ty == Type::BOOL { 1 } else { 63 }).collect();
        lists.push(List { text: "xs".into(), ty, values: (0..inputs).map(|_| list()).collect() });
    }
    if random.below(2) == 0 {
        let is_unary = random.below(2) == 0;
        // A function that traps for some arguments.
        let one = move |&[a, b]: &[u32; 2]| {
            let a = if is_unary { 0 } else { a };
            ((a ^ b) & 7 != 5).then(|| a.wrapping_mul(3) ^ b.wrapping_mul(b))
        };
        let call = Call(Arc::new(move |arguments| arguments.iter().map(one).collect()));
        let (text, operand, result) = ("f".into(), Type::INT, Type::INT);
        functions.push(Function { text, operand, is_unary, result, largest: 4, call });
    }
    Space::new(leaves, own, required, inputs).with(lists, functions)
}

/// Searches until a size has solutions; returns the size and the values of those that differ.
fn solve(space: &Space, ty: Type, words: &[u32], limits: SearchLimits) -> (usize, Vec<Vec<Word>>) {
    let mut search = Search::new(space.clone(), ty, words, limits);
    while let Some(size) = search.next_size() {
        let found = search.step(&|| false).unwrap();
        if !found.is_empty() {
            let found = search.different(&found);
            let row = |tree: &crate::fill::tree::Tree| {
                (0..space.inputs).map(|i| tree.value(&search.space, &search.rows, i)).collect()
            };
            assert!(search.progress.tried.load(Relaxed) > 0 || size == 1);
            return (size, found.iter().map(row).collect());
        }
    }
    (0, Vec::new())
}

#[test]
fn solutions_are_those_of_a_plain_enumeration() {
    let mut random = Rng::new(41, 0);
    let mut sizes = [0; 7];
    for case in 0..1_000 {
        let space = space(&mut random, 5);
        let largest = 6;
        let plain = enumerate(&space, largest);
        // The values of a random expression are required.
        let own = &plain[2 + random.below(largest - 1)];
        let without_trap = |plain: &&Plain| plain.values[..space.required].iter().all(|word| word.is_some());
        let usable: Vec<&Plain> = own.iter().filter(without_trap).collect();
        let Some(chosen) = usable.get(random.below(usable.len().max(1))) else { continue };
        let words: Vec<u32> = chosen.values[..space.required].iter().flatten().copied().collect();
        let fits = |plain: &&Plain| {
            plain.ty == chosen.ty && plain.values[..space.required] == chosen.values[..space.required]
        };
        let (size, first) =
            (1..=largest).find_map(|size| Some((size, plain[size].iter().find(fits)?))).unwrap();
        let mut rows: Vec<Vec<Word>> = Vec::new();
        for plain in plain[size].iter().filter(fits) {
            if !rows.contains(&plain.values) {
                rows.push(plain.values.clone());
            }
        }
        assert_eq!(rows[0], first.values);
        // All sizes kept; only leaves and size 2 kept, so that operands are computed.
        for words_kept in [1 << 25, space.inputs * plain[1].len() * 12] {
            let limits = SearchLimits { words: words_kept, size: largest, solutions: 1 << 16, depth: 4 };
            let (own_size, own_rows) = solve(&space, chosen.ty, &words, limits);
            assert_eq!((own_size, &own_rows), (size, &rows), "case {case}, {words_kept} words, {:?}", space);
        }
        sizes[size] += 1;
    }
    assert!(sizes[2..=5].iter().all(|count| *count > 5), "{sizes:?}");
}

#[test]
fn an_operand_has_the_bits_that_the_result_requires() {
    let mut random = Rng::new(42, 0);
    let (mut exact, mut refused) = (0, 0);
    for _ in 0..400_000 {
        let operation = OPERATIONS[random.below(OPERATIONS.len())];
        let mut operand =
            || if operation.operand == Type::BOOL { random.below(2) as u32 } else { word(&mut random) };
        let (known, other, elsewhere) = (operand(), operand(), operand());
        let side = if random.below(2) == 0 && !operation.is_unary() { Known::Right } else { Known::Left };
        let of = |other| match side {
            Known::Left => operation.value(Some(known), Some(other)),
            Known::Right => operation.value(Some(other), Some(known)),
        };
        let mask = match random.below(3) {
            _ if operation.result == Type::BOOL => u32::MAX,
            0 => u32::MAX,
            1 => u32::MAX >> random.below(32),
            _ => random.word(),
        };
        let Some(result) = of(other) else { continue };
        let required = Bits { mask, value: result & mask };
        let bits = backward::operand(operation, side, known, required);
        let bits = bits.unwrap_or_else(|| panic!("{operation:?} {side:?} {known:#x} {other:#x} {required:x?}"));
        assert!(bits.fit(other), "{operation:?} {side:?} {known:#x} {other:#x} {required:x?} {bits:x?}");
        exact += u32::from(bits.is_exact());
        // Another operand with another result is often refused.
        let differs = of(elsewhere).is_some_and(|word| !required.fit(word));
        refused += u32::from(differs && !bits.fit(elsewhere));
    }
    assert!(exact > 50_000 && refused > 50_000, "{exact} {refused}");
}

/// A search that is stopped again and again finds the same.
#[test]
fn a_stopped_search_goes_on() {
    use std::sync::atomic::AtomicU32;
    let mut random = Rng::new(43, 0);
    let mut stopped = 0;
    for _ in 0..40 {
        let space = space(&mut random, 7);
        let words: Vec<u32> = (0..space.required).map(|_| word(&mut random)).collect();
        let limits = SearchLimits { words: 7 * 20_000, size: 6, solutions: 64, depth: 2 };
        let whole = solve(&space, Type::INT, &words, limits);
        let mut search = Search::new(space.clone(), Type::INT, &words, limits);
        let mut found = (0, Vec::new());
        let mut patience = 0;
        while let Some(size) = search.next_size() {
            let asked = AtomicU32::new(0);
            match search.step(&|| asked.fetch_add(1, Relaxed) >= patience) {
                None => {
                    patience += 1;
                    stopped += 1;
                }
                Some(trees) if trees.is_empty() => {}
                Some(trees) => {
                    let row = |tree: &crate::fill::tree::Tree| {
                        (0..space.inputs).map(|i| tree.value(&search.space, &search.rows, i)).collect()
                    };
                    found = (size, search.different(&trees).iter().map(row).collect());
                    break;
                }
            }
        }
        assert_eq!(found, whole);
    }
    assert!(stopped > 20, "{stopped}");
}

#[test]
fn conditions_follow_a_way_of_each_run() {
    use crate::fill::search::Way;
    let mut random = Rng::new(44, 0);
    let (mut found, mut loose) = (0, 0);
    for case in 0..300 {
        let space = Space { required: 7, ..space(&mut random, 6) };
        let plain = enumerate(&space, 5);
        let bools: Vec<&Plain> = plain.iter().flatten().filter(|plain| plain.ty == Type::BOOL).collect();
        let chosen = bools[random.below(bools.len())];
        let mut way = |of: Option<&Plain>| {
            let mut way = Way::default();
            for input in 0..space.inputs {
                let own = of.map_or(Some(random.below(2) as u32), |of| of.values[input]);
                // Some visits are on no way.
                if let Some(word) = own.filter(|_| random.below(3) > 0) {
                    way.inputs |= 1 << input;
                    way.values |= u64::from(word) << input;
                }
            }
            way
        };
        let runs: Vec<Vec<Way>> = (0..2).map(|_| vec![way(None), way(Some(chosen))]).collect();
        let has = |plain: &Plain, way: &Way| {
            let fits = |input: usize| plain.values[input].map(u64::from) == Some(way.values >> input & 1);
            (0..7).all(|input| way.inputs >> input & 1 == 0 || fits(input))
        };
        let fits = |plain: &&Plain| {
            plain.ty == Type::BOOL && runs.iter().all(|ways| ways.iter().any(|way| has(plain, way)))
        };
        let (size, _) = (1..=5).find_map(|size| Some((size, plain[size].iter().find(fits)?))).unwrap();
        let mut rows: Vec<Vec<Word>> = Vec::new();
        let before: Vec<&Plain> = plain[..size].iter().flatten().collect();
        for plain in plain[size].iter().filter(fits) {
            let is_new = before.iter().all(|own| (own.ty, &own.values) != (plain.ty, &plain.values));
            if is_new && !rows.contains(&plain.values) {
                rows.push(plain.values.clone());
            }
        }
        let limits = SearchLimits { words: 1 << 25, size: 5, solutions: 1 << 16, depth: 4 };
        let mut search = Search::along(space.clone(), runs.clone(), limits);
        let first = loop {
            let size = search.next_size().expect("a solution");
            let trees = search.step(&|| false).unwrap();
            if !trees.is_empty() {
                break (size, search.different(&trees));
            }
        };
        let row = |tree: &crate::fill::tree::Tree| {
            (0..7).map(|i| tree.value(&search.space, &search.rows, i)).collect::<Vec<Word>>()
        };
        assert_eq!(first.0, size, "case {case}: {space:?} {runs:?}");
        assert_eq!(first.1.iter().map(row).collect::<Vec<_>>(), rows, "case {case}: {space:?} {runs:?}");
        found += usize::from(size > 1);
        loose += usize::from(rows.len() > 1);
    }
    assert!(found > 50 && loose > 20, "{found} {loose}");
}

/// A space of three variables and a few operations, as the 19th task of Hacker's Delight needs it, and the values of the answer for
/// all inputs.
fn exchange(random: &mut Rng) -> (Space, Vec<u32>) {
    use crate::lang::opcode::Op;
    let (required, inputs) = (20, 28);
    let mut leaf = |text: &str, below: usize| {
        let values =
            (0..inputs).map(|_| Some(if below > 0 { random.below(below) as u32 } else { random.word() }));
        Leaf { text: text.into(), ty: Type::INT, values: values.collect(), is_constant: false }
    };
    let leaves = vec![leaf("x", 0), leaf("m", 0), leaf("k", 32)];
    let word = |leaf: usize, input: usize| leaves[leaf].values[input].unwrap_or_default();
    let answer = |input: usize| {
        let [x, m, k] = [0, 1, 2].map(|leaf| word(leaf, input));
        let t = (((x as i32) >> k) as u32 ^ x) & m;
        x ^ t ^ (t << k)
    };
    let answers = (0..inputs).map(answer).collect();
    let used = [Op::And, Op::Xor, Op::Shl, Op::Shr].map(Meaning::Binary);
    let operations = OPERATIONS.iter().filter(|own| used.contains(&own.meaning)).copied().collect();
    (Space::new(leaves, operations, required, inputs), answers)
}

#[test]
fn a_shared_part_is_found_though_the_search_is_stopped() {
    use std::sync::atomic::AtomicU32;
    let (space, answers) = exchange(&mut Rng::new(45, 0));
    let limits = SearchLimits { words: 1 << 22, size: 7, solutions: 16, depth: 2 };
    let search = |is_stopped: bool| {
        let mut search = Search::new(space.clone(), Type::INT, &answers[..space.required], limits);
        search.share(14);
        let (mut stops, mut patience) = (0, if is_stopped { 0 } else { u32::MAX });
        while let Some(size) = search.next_size() {
            let asked = AtomicU32::new(0);
            match search.step(&|| asked.fetch_add(1, Relaxed) >= patience) {
                None => (stops, patience) = (stops + 1, patience.saturating_mul(2).max(1)),
                Some(found) if found.is_empty() => {}
                Some(found) => return (size, stops, found, search),
            }
        }
        panic!("not found")
    };
    let (size, _, found, whole) = search(false);
    // The published answer has size 14, or 17 without sharing.
    assert!(size <= 14 && found[0].size(&whole.rows) > 14, "{size}");
    for (input, answer) in answers.iter().enumerate().take(space.inputs) {
        assert_eq!(found[0].value(&space, &whole.rows, input), Some(*answer));
    }
    let (_, stops, again, _) = search(true);
    assert!(stops > 10, "{stops}");
    assert_eq!(again, found);
}

#[test]
fn expressions_with_a_shared_part_are_found_up_to_their_size() {
    let mut random = Rng::new(46, 0);
    let (mut planted, mut shared) = (0, 0);
    for case in 0..400 {
        let space = Space { required: 7, ..space(&mut random, 5) };
        let plain = enumerate(&space, 3);
        let ints = |size: usize, random: &mut Rng| {
            let own: Vec<&Plain> = plain[size].iter().filter(|own| own.ty == Type::INT).collect();
            own.get(random.below(own.len().max(1))).map(|own| own.values.clone())
        };
        let usable = |own: &&Operation| {
            own.operand == Type::INT && own.result == Type::INT && !own.meaning.needs_space()
        };
        let usable: Vec<Operation> = space.operations.iter().filter(usable).copied().collect();
        // An addition or an exclusive or loses no bit of the other operand.
        let roots: Vec<Operation> = usable
            .iter()
            .filter(|own| own.infix().is_some_and(|kind| matches!(kind.spelling(), Some("+" | "^"))))
            .copied()
            .collect();
        let part_size = 2 + random.below(2);
        let (Some(part), Some(root)) = (ints(part_size, &mut random), roots.first()) else { continue };
        // A leaf is not a part.
        if plain[1].iter().any(|leaf| leaf.values == part) {
            continue;
        }
        let (mut chain, mut size) = (part.clone(), part_size + 2);
        let apply = |operation: &Operation, left: &[Word], right: &[Word]| -> Vec<Word> {
            (0..space.inputs).map(|i| space.value(*operation, left[i], right[i], i)).collect()
        };
        for step in 0..2 {
            let operation = usable[random.below(usable.len())];
            if operation.is_unary() {
                (chain, size) = (apply(&operation, &chain, &chain), size + 1);
                continue;
            }
            let own = 1 + step * random.below(2);
            let Some(other) = ints(own, &mut random) else { continue };
            let is_left = operation.commutes() || random.below(2) == 0;
            chain = if is_left { apply(&operation, &other, &chain) } else { apply(&operation, &chain, &other) };
            size += 1 + own;
        }
        let whole = apply(root, &part, &chain);
        let Some(words) = whole[..7].iter().copied().collect::<Option<Vec<u32>>>() else { continue };
        let limits = SearchLimits { words: 1 << 20, size: 3, solutions: 4, depth: 2 };
        let mut search = Search::new(space.clone(), Type::INT, &words, limits);
        search.share(size.max(4));
        let found = loop {
            let Some(next) = search.next_size() else { break None };
            let found = search.step(&|| false).unwrap();
            if let Some(first) = found.first() {
                break Some((next, first.clone()));
            }
        };
        let (at, tree) = found.unwrap_or_else(|| panic!("case {case}: size {size} of {space:?}"));
        assert!(at <= size.max(4), "case {case}: {at} for {size}");
        for (input, word) in words.iter().enumerate() {
            assert_eq!(tree.value(&search.space, &search.rows, input), Some(*word), "case {case}");
        }
        planted += 1;
        shared += usize::from(at > 3);
    }
    assert!(planted > 20 && shared > 5, "{planted} {shared}");
}

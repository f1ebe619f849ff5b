//! The larger groups of mutation operators behave the same on both engines: as many mutants, with the same
//! verdicts and killers.

use crate::common::extent::{exhaustive, one_in, skip_unless_thorough};
use crate::common::gpu::{Lent, lend};
use crate::common::{holed, twins, typed};
use crate::gpu::{compare, compare_base, compare_mutants};
use myriad::compiler::stage::mutate::{all, unrank_pair};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineSettings, MutantCounts};
use myriad::lang::index::{Index, MutantId};
use myriad::lang::mutation::Group;

/// A program with every kind of edit of the strong group, at the first and the last position, nested and
/// single.
pub const STRONG: &str = "\
fn first(xs: [int], x: int) -> int {
    for i in 0..len(xs) {
        if xs[i] < 0 { continue; } else if xs[i] == x { return i; } else { break; }
    }
    return -1;
}
fn within(n: int, low: int, high: int) -> bool {
    if n < low { return false; } else { if n > high { return !true; } }
    return n >= low && n <= high;
}
fn list(n: int) -> [int] {
    let all = [n, (n + 1), 3];
    let one = [[n][0]];
    return all + one + [];
}
fn between(a: int, xs: [int; 20], b: int) -> [int] {
    return xs[a | 1..min(b, len(xs)) - 0];
}
fn weigh(p: bool, a: int, b: int, q: bool) -> bool { return p == q || a < b; }
fn share(a: int, b: int) -> int {
    while weigh(false, a & 3, abs(b), a == b) { a += 1; if a > 9 { return b; } }
    for i in 0..3 { if i > a { continue; } b += i; continue; }
    for x in between(1, \"a\\n\\\"\" + \"b\" + \"\", 2) { b += x; }
    return b;
}
test between(1, [1, 2, 3], 2) == [2];
test weigh(true, 1, 2, true) && weigh(true, 1, 2, false) && !weigh(true, 2, 1, false);
test share(1, 2) == 15;
test first([-1, 2, 3], 2) == 1;
test within(2, 1, 3) && !within(0, 1, 3);
test list(4) == [4, 5, 3, 4];
";

/// A program with every kind of edit of the repair group: names that hide each other and are visible in part of
/// a function, statements at every position of a block, operands that need brackets, functions of the same
/// type.
pub const REPAIR: &str = "\
const MOST = 3 + 1;
fn less(a: int, b: int) -> bool { return a < b; }
fn near(a: int, b: int) -> bool { return abs(a - b) < MOST; }
fn same(p: bool, q: bool) -> bool { return p == q; }
fn sum(xs: [int; 20], low: int) -> int {
    let total = 0;
    let ys = [0; 3];
    for x in xs {
        if less(x, low) || x == MOST { continue; }
        if x > 1 {
            let x = x & low | 1;
            total += x * 2;
            ys[abs(total) % 3] = -x;
        }
    }
    while total > 9 && same(total > low, true) {
        if total % 2 == 0 { total -= 1; low = low + 1; } else if total > 20 { total /= 2; } else { total -= 3; }
        let odd = [total != 7, false];
        if odd[0] == odd[1] { break; }
        total = max(total - low - ys[2], min(total, -2));
    }
    total += len(ys[0..2]);
    return total;
}
fn name(n: int) -> [int] {
    let text = \"a\";
    let found = near(n, 2);
    for i in 0..=n {
        let text = \"bc\" + text;
        found = !found && i > 1;
        if found { return text[i - 1..len(text)]; }
    }
    if n > 0 { text = text + \"d\"; }
    n += 1;
    return text;
}
fn spin(n: int) -> int {
    while true {
        n -= 1;
        if n < 0 { return n; }
    }
}
test sum([1, 5, 12, 4, 30], 5) == 8;
test name(0) == \"a\" && name(3) == \"ca\";
test spin(4) == -1 && !near(9, 1);
prop a in -3..9, b in -3..9 => less(a, b) || !near(a, b) || a >= b;
";

/// Returns the number of first-order mutants of a text.
fn singles(engine: &mut CpuEngine, text: &str) -> u32 {
    engine.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
    engine.variants().first_order
}

/// Returns engines that use a group of operators.
fn engines(group: Group) -> (CpuEngine, Lent) {
    let (mut cpu, mut gpu) = (CpuEngine::new(), lend());
    cpu.configure(EngineSettings { group, ..cpu.settings() });
    gpu.configure(EngineSettings { group, ..EngineSettings::default() });
    (cpu, gpu)
}

#[test]
fn each_operator_group_agrees_on_both_engines() {
    let mut counts = Vec::new();
    for group in [Group::Default, Group::Strong, Group::Repair] {
        let (mut cpu, mut gpu) = engines(group);
        for text in [STRONG, REPAIR] {
            let count = singles(&mut cpu, text);
            // Mutants from all over the program are compared where they are spliced.
            let judged = if exhaustive() || count < 120 { count + 40 } else { 120 };
            compare(&mut cpu, &mut gpu, text, judged);
            counts.push(count);
        }
    }
    let [default, _, strong, before, repair, after] = counts[..] else { panic!("{counts:?}") };
    assert!(strong > default + 40 && repair > strong + 500 && after > before + 500, "{counts:?}");
}

#[test]
fn mutants_of_programs_with_question_marks_agree_on_both_engines() {
    let of_strong = STRONG.replace("b += x;", "b += ?;").replace("[n, (n + 1), 3]", "[n, (n + ?), 3]");
    let of_repair = REPAIR.replace("= -x;", "= ?;").replace("total - low - ys[2]", "total - ?");
    let mut fewer = 0;
    for group in [Group::Default, Group::Strong, Group::Repair] {
        let (mut cpu, mut gpu) = engines(group);
        let texts = [of_strong.clone(), of_repair.clone()].into_iter().chain((0..6).map(holed::program));
        for text in texts {
            let count = singles(&mut cpu, &text);
            compare(&mut cpu, &mut gpu, &text, count.min(if exhaustive() { count } else { 40 }));
        }
        fewer += singles(&mut cpu, STRONG) - singles(&mut cpu, &of_strong);
    }
    assert!(fewer > 20, "{fewer}");
}

/// Second-order mutants are numbered up to the largest 32-bit id.
#[test]
fn second_order_ids_end_at_the_largest_word() {
    assert_eq!([all(0), all(1), all(2), all(3)], [0, 1, 3, 6]);
    assert_eq!((all(92_681), all(92_682), all(1 << 22)), (4_294_930_221, u32::MAX, u32::MAX));
    for n in [92_681, 92_682, 400_000] {
        let (i, j) = unrank_pair(n, MutantId::new(all(n) - 1)).expect("a pair");
        assert!(i < j && j.number() < n);
    }
}

/// Compares counts and verdicts on files: by default the first mutants of some files; on request every
/// first-order mutant and some second-order ones of all files.
#[test]
fn mutants_of_files_agree_on_both_engines() {
    let mut pairs = 0;
    for group in [Group::Strong, Group::Repair] {
        let (mut cpu, mut gpu) = engines(group);
        for text in one_in(20, twins::files()) {
            let count = singles(&mut cpu, &text);
            let (judged, more) = if exhaustive() { (count, 120) } else { (count.min(24), 0) };
            compare(&mut cpu, &mut gpu, &text, judged + more);
            pairs += if cpu.variants().all > count { more } else { 0 };
        }
    }
    println!("{pairs} pairs");
}

/// Likewise for random programs: the first first-order mutants, and second-order ones if they are not too many,
/// since all preceding mutants are compiled to find duplicates.
#[test]
fn mutants_of_random_programs_agree_on_both_engines() {
    if skip_unless_thorough() {
        return;
    }
    let (programs, most, before, more) = if exhaustive() { (500, 400, 800, 40) } else { (6, 20, 400, 4) };
    let mut pairs = 0;
    for group in [Group::Default, Group::Strong, Group::Repair] {
        let (mut cpu, mut gpu) = engines(group);
        for seed in 0..programs {
            let text = typed::program(seed);
            compare_base(&mut cpu, &mut gpu, &text);
            let MutantCounts { first_order, all } = cpu.variants();
            compare_mutants(&mut cpu, &mut gpu, &text, 0..first_order.min(most));
            if first_order <= before {
                let last = all.min(first_order + more);
                compare_mutants(&mut cpu, &mut gpu, &text, first_order..last);
                pairs += last - first_order;
            }
        }
    }
    println!("{pairs} pairs");
    assert!(pairs > 0, "no program has pairs");
}

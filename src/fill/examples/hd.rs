use fill::operation::{Meaning, OPERATIONS};
use fill::search::{Search, SearchLimits};
use fill::space::{Leaf, Space};
use lang::opcode::Op;
use lang::ty::Type;
use std::time::Instant;

fn main() {
    let only: Option<usize> = std::env::args().nth(1).and_then(|a| a.parse().ok());
    let words: usize = std::env::args().nth(2).and_then(|a| a.parse().ok()).unwrap_or(22);
    type F = fn(i32, i32) -> i32;
    let tasks: Vec<(usize, usize, bool, F)> = vec![
        (1, 1, false, |x, _| x & x.wrapping_sub(1)),
        (2, 1, false, |x, _| x & x.wrapping_add(1)),
        (3, 1, false, |x, _| x & x.wrapping_neg()),
        (4, 1, false, |x, _| x ^ x.wrapping_sub(1)),
        (5, 1, false, |x, _| x | x.wrapping_sub(1)),
        (6, 1, false, |x, _| x | x.wrapping_add(1)),
        (7, 1, false, |x, _| !x & x.wrapping_add(1)),
        (8, 1, false, |x, _| !x & x.wrapping_sub(1)),
        (9, 1, false, |x, _| (x ^ (x >> 31)).wrapping_sub(x >> 31)),
        (10, 2, true, |x, y| ((x ^ y) <= (x & y)) as i32),
        (11, 2, true, |x, y| (y < (x & !y)) as i32),
        (12, 2, true, |x, y| ((y & !x) <= x) as i32),
        (13, 1, false, |x, _| (x >> 31).wrapping_sub(x.wrapping_neg() >> 31)),
        (14, 2, false, |x, y| (x & y).wrapping_add((x ^ y) >> 1)),
        (15, 2, false, |x, y| (x | y).wrapping_sub((x ^ y) >> 1)),
        (16, 2, false, |x, y| x.max(y)),
        (17, 1, false, |x, _| (x & x.wrapping_neg()).wrapping_add(x) & x),
        (18, 1, true, |x, _| ((x & x.wrapping_sub(1)) == 0 && x != 0) as i32),
    ];
    for (number, arity, is_bool, f) in tasks {
        if only.is_some_and(|only| only != 0 && only != number) {
            continue;
        }
        let n = 24;
        let mut state = 12345u32;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        let mut xs: Vec<u32> = (0..n)
            .map(|_| {
                let v = next() >> (next() % 32);
                if next() % 3 == 0 { v.wrapping_neg() } else { v }
            })
            .collect();
        let ys: Vec<u32> = (0..n)
            .map(|_| {
                let v = next() >> (next() % 32);
                if next() % 3 == 0 { v.wrapping_neg() } else { v }
            })
            .collect();
        xs[0] = 0;
        xs[1] = 1;
        xs[2] = 1 << 31;
        xs[3] = u32::MAX;
        xs[4] = 16;
        let required = 20;
        let words_wanted: Vec<u32> = (0..required).map(|i| f(xs[i] as i32, ys[i] as i32) as u32).collect();
        let mut leaves = vec![Leaf { text: "x".into(), ty: Type::INT, values: xs, is_constant: false }];
        if arity == 2 {
            leaves.push(Leaf { text: "y".into(), ty: Type::INT, values: ys, is_constant: false });
        }
        for c in [0i32, 1, -1, 2, 31, 8] {
            leaves.push(Leaf {
                text: c.to_string(),
                ty: Type::INT,
                values: vec![c as u32; n],
                is_constant: true,
            });
        }
        let drop = [Meaning::Unary(Op::Abs), Meaning::Binary(Op::Min), Meaning::Binary(Op::Max)];
        let operations = OPERATIONS.iter().copied().filter(|o| !drop.contains(&o.meaning)).collect();
        let space = Space::new(leaves, operations, required, n);
        let ty = if is_bool { Type::BOOL } else { Type::INT };
        let start = Instant::now();
        let mut search =
            Search::new(space, ty, &words_wanted, SearchLimits { words: 1 << words, ..Default::default() });
        print!("{number:2}: ");
        while search.next_size().is_some() && start.elapsed().as_secs() < 60 {
            let at = Instant::now();
            let found = search.step(&|| start.elapsed().as_secs() > 60).unwrap_or_default();
            let size = search.progress.size.load(std::sync::atomic::Ordering::Relaxed);
            if at.elapsed().as_millis() > 50 {
                print!("[{size}: {:.2}] ", at.elapsed().as_secs_f32());
            }
            if !found.is_empty() {
                let found = search.different(&found);
                print!("size {size}, {} different; ", found.len());
                for tree in found.iter().take(3) {
                    print!("  {}", tree.text(&search.space, &search.rows));
                }
                break;
            }
        }
        println!(
            "   kept {} to {}, tried {:.1} M, {:.2} s",
            search.rows.len(),
            search.rows.largest(),
            search.progress.tried.load(std::sync::atomic::Ordering::Relaxed) as f64 / 1e6,
            start.elapsed().as_secs_f64()
        );
    }
}

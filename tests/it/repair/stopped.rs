//! A search for a `?` that is stopped again and again finds the same.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::testing::mutation::repair::Search;

const TEXTS: [&str; 3] = [
    "fn squares(n: int) -> int { let s = 0; for i in 0..n { s = s + ?; } return s; }
     test squares(3) == 5; test squares(1) == 0; test squares(5) == 30;",
    "fn f(a: int, b: int) -> int { if ? { return ?; } return b; }
     test f(1, 2) == 2; test f(5, 3) == 5; test f(-1, -4) == -1; test f(0, 7) == 7;",
    "fn g(a: int, b: int) -> int { return ?; }
     test g(3, 5) == 34; test g(2, 9) == 85; test g(-4, 1) == 17; test g(7, 0) == 49;",
];

#[test]
fn stopped_search_for_a_hole_finds_the_same() {
    let mut engine = CpuEngine::new();
    let mut stops = 0;
    for text in TEXTS {
        let base = engine.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
        let mut ends = |mut patience: u64| {
            let mut search = Search::new(base.compiled.clone(), &base.entries, &|| false).expect("a search");
            while !search.is_done() {
                let asked = AtomicU64::new(0);
                if search.step(&|| asked.fetch_add(1, Relaxed) >= patience).is_none() {
                    (stops, patience) = (stops + 1, patience + 1 + patience / 16);
                }
            }
            let found: Vec<_> = search.repairs(&|| false).into_iter().map(|repair| repair.changes).collect();
            (found, search.searched(), search.fill().map(|fill| (fill.tried(), fill.size())))
        };
        let (whole, stopped) = (ends(u64::MAX), ends(0));
        assert_eq!(whole, stopped, "{text}");
        assert!(!whole.0.is_empty(), "{text}");
    }
    assert!(stops > 50, "{stops}");
}

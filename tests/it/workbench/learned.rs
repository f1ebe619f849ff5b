//! The Learned panel: what level 3 saves, the rules' hits, moves without success, costs, and ignored files.

use std::time::Duration;

use myriad::host::measure::energy::Energy;
use myriad::lang::level::OptLevel;
use myriad::learned::improve::Tried;
use myriad::learned::improve::savings::Day;
use myriad::session::Learning;
use myriad::workbench::panels::{self, Panel};
use myriad::workbench::theme::Theme;

use super::engine::{answered, answered_at, found};
use super::harness::{picture_at, type_keys};

const PROGRAM: &str = "fn sum(n: int) -> int {
    let s = ‸0;
    for i in 0..n { s += i; }
    return s;
}
test sum(4) == 6;
";

fn learning() -> Learning {
    Learning {
        better: vec![("sum".into(), [4_000, 1_500])],
        done: 2,
        all: 2,
        failed: None,
        revisions: vec![[4_000, 4_000], [4_000, 3_000], [4_000, 1_500]],
        days: vec![
            Day { day: 20_784, programs: 1, steps: [1_000, 900] },
            Day { day: 20_785, programs: 3, steps: [9_000, 4_500] },
        ],
        rules: vec![("store-load".into(), 12, true), ("const-add".into(), 1, true), ("off".into(), 0, false)],
        tried: Tried { moves: 1_234, memory: 1, differs: 2, no_gain: 1_000, unproved: 31 },
        skipped: 1,
        energy: Some(Energy::estimate(65.0, Duration::from_secs(2))),
        time: Duration::from_millis(2_500),
        ignored: vec!["00.code is ignored: it is damaged".into()],
    }
}

#[test]
fn learned_panel_matches_its_snapshots_at_two_sizes() {
    let mut state = answered_at(PROGRAM, OptLevel::Learned);
    found(&mut state, None, learning());
    type_keys(&mut state, "<alt-L>");
    for (width, height) in [(80, 24), (160, 50)] {
        insta::assert_snapshot!(format!("learned_{width}x{height}"), picture_at(&mut state, width, height));
    }
}

#[test]
fn learned_panel_reports_all_numbers() {
    let mut state = answered_at(PROGRAM, OptLevel::Learned);
    let page = |state: &myriad::workbench::state::State, panel: Panel| {
        let lines = panels::prose(state, panel, 100, &Theme::plain());
        lines.iter().map(|line| line.to_string() + "\n").collect::<String>()
    };
    assert!(page(&state, Panel::LEARNED).contains("waiting"), "no search yet");
    found(&mut state, None, learning());
    let text = page(&state, Panel::LEARNED);
    for said in [
        "level 3 saves 62.5 % of the tests' steps: 1,500 instead of 4,000",
        "2 of 2 routines searched, 1 of them before: unchanged",
        "2026-11-28   50.0 %  3 programs",
        "2026-11-27   10.0 %  1 program",
        "1,234 moves tried",
        "1,000  the tests take no fewer steps",
        "31  no proof was found",
        "12  store-load",
        "0 rules without a hit, 1 switched off",
        "00.code is ignored",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let mut off = answered(PROGRAM);
    type_keys(&mut off, "<alt-L>");
    assert!(page(&off, Panel::LEARNED).contains("level 3 is off"));
}

#[test]
fn energy_panel_includes_the_searches() {
    let mut state = answered(PROGRAM);
    found(&mut state, None, learning());
    let lines = panels::prose(&state, Panel::ENERGY, 80, &Theme::plain());
    let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
    let is_row = |line: &str| line.contains("searches ") && line.contains("130") && line.contains("modelled");
    assert!(text.lines().any(is_row), "{text}");
}

//! The gauge, the status bar, and progress.

use super::PROGRAM;
use crate::engine::{answered, device, found};
use crate::harness::{picture, picture_at, type_keys, words};
use myriad::lang::index::{EntryId, Index};
use myriad::lang::limits;
use myriad::workbench::state::State;

#[test]
fn status_bar_shows_a_truncated_row_in_full() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-7>");
    let last = |state: &mut State| picture_at(state, 80, 24).lines().last().unwrap_or_default().to_string();
    assert!(last(&mut state).contains("survived 3:11 b → -b #1 unary-insertion"), "{}", last(&mut state));
    type_keys(&mut state, "<f7>");
    assert!(last(&mut state).contains("CPU engine"), "shown alone the row is whole: {}", last(&mut state));
}

#[test]
fn status_bar_says_which_limit_a_text_exceeds() {
    let mut state =
        answered(&format!("‸\nfn f() -> int {{ return 0{}; }}\n", " + 0".repeat(limits::TOKENS / 2)));
    let last = picture_at(&mut state, 80, 24).lines().last().unwrap_or_default().to_string();
    assert!(last.contains("tokens, but the limit is"), "{last}");
}

#[test]
fn narrow_gauge_shortens_without_truncation() {
    let mut state = answered(PROGRAM);
    for (width, gauge) in [
        (
            120,
            " ✗ 3 of 5 tests fail  29 mutants, score 89.3 %  ✗ 3 survived   after the key: tests 2.00 ms mutants 42 ms",
        ),
        (80, " ✗ 3 of 5 tests fail  29 mutants 89.3 %  ✗ 3 survived   2.00 ms → 42 ms"),
        (70, " ✗ 3 of 5 fail  29 mutants 89.3 %  ✗ 3 survived   2.00 ms → 42 ms"),
        (50, " ✗ 3 of 5 fail  89.3 %  ✗ 3   2.00 ms → 42 ms"),
        (40, " ✗ 3 of 5 fail  89.3 %  ✗ 3"),
    ] {
        let screen = picture_at(&mut state, width, 24);
        assert!(screen.lines().any(|line| line.starts_with(gauge)), "{gauge}\n{screen}");
    }
    let mut state = answered("fn f() -> int {\n    return 1;‸\n}\n");
    assert!(picture(&state).contains(" no tests"), "{}", picture(&state));
    assert!(!picture_at(&mut state, 40, 24).contains("0/0"));
}

#[test]
fn small_screens_show_the_verdict() {
    let mut state = answered(PROGRAM);
    for (width, height) in [(40, 12), (40, 8), (59, 11), (80, 12)] {
        let screen = picture_at(&mut state, width, height);
        assert!(screen.contains("3 of 5") && screen.contains("✗ 3"), "{width}×{height}:\n{screen}");
    }
}

#[test]
fn idle_comparison_status_is_shown() {
    use myriad::session::{Compared, Progress};

    let mut state = answered("‸fn f(a: int) -> int { return a + 1; }\ntest f(1) == 2;\n");
    let mut said = |progress, checked, of, difference: Option<&str>| {
        let compared = Compared {
            other: "llvmpipe (LLVM 15)".into(),
            progress,
            checked,
            of,
            total: 1024,
            difference: difference.map(String::from),
            energy: None,
        };
        found(&mut state, None, compared);
        picture_at(&mut state, 160, 50).lines().last().unwrap_or_default().to_string()
    };
    let contains = |line: String, words: &str| assert!(line.contains(words), "{words}: {line}");
    contains(said(Progress::Preparing, 0, 0, None), "in the background: preparing llvmpipe");
    contains(said(Progress::Preparing, 12, 43, None), "in the background: preparing llvmpipe, 12 of 43");
    assert!(
        !said(Progress::Waiting, 12, 43, None).contains("idle"),
        "while it waits for the processor nothing is done"
    );
    contains(said(Progress::Running, 24, 128, None), "agrees on 24 of a sample of 128");
    contains(said(Progress::Running, 64, 1024, None), "agrees on 64 of 1,024");
    contains(said(Progress::Done, 128, 128, None), "agrees on 128 of 1,024");
    contains(said(Progress::TooSlow, 0, 128, None), "llvmpipe is too slow to compare");
    contains(said(Progress::Done, 8, 128, Some("mutant 3")), "DIFFERS: mutant 3");
}

#[test]
fn a_test_that_runs_long_is_named() {
    use myriad::session::Update;
    use myriad::workbench::event::Event;
    use std::time::Duration;

    let text = "test 1 == 1;\nprop \"it commutes\": a in 0..9 => a + 1 == 1 + a;\n‸";
    let mut state = answered(text);
    let compiled = state.shown().expect("a program").compiled.clone();
    let taken = Duration::from_millis(2_100);
    let update = Update::Running {
        revision: state.document.revision,
        compiled,
        entry: EntryId::new(1),
        inputs: 11,
        taken,
    };
    state.apply(Event::Engine { update: update.into(), since: Duration::ZERO });
    let picture = picture_at(&mut state, 100, 30);
    assert!(picture.contains("it commutes runs long, input 12: 2.1 s"), "{picture}");
}

#[test]
fn rounds_panel_shows_shader_preparation_progress() {
    use crate::engine::software;
    use myriad::engine::Kind;
    use myriad::session::{Compared, Device, Found, Progress, Update};
    use myriad::workbench::event::Event;
    use std::time::Duration;
    let mut state = answered("‸test 1 == 1;\n");
    let preparing = Found { name: "llvmpipe".to_string(), preferred: false, reason: String::new() };
    device(&mut state, Device::Found(preparing));
    type_keys(&mut state, "<alt-i>");
    assert!(picture_at(&mut state, 120, 40).contains("the shaders are being prepared"));
    for progress in [Progress::Preparing, Progress::Waiting] {
        let (other, difference, energy) = ("llvmpipe".to_string(), None, None);
        let compared = Compared { other, progress, checked: 12, of: 43, total: 1, difference, energy };
        found(&mut state, None, compared);
        let screen = words(&picture_at(&mut state, 120, 40));
        assert!(screen.contains("12 of 43 are ready"), "{screen}");
    }
    // Then what it does at the moment, and for how long.
    let now = "compiling and recording parse, stage 2 of 9, 41 s so far";
    let update = Update::Engine {
        kind: Kind::Cpu,
        description: "CPU engine".to_string(),
        reason: String::new(),
        meter: String::new(),
        device: software(),
        preparing: now.to_string(),
    };
    state.apply(Event::Engine { update: update.into(), since: Duration::ZERO });
    type_keys(&mut state, "<f7>");
    let screen = words(&picture_at(&mut state, 80, 24));
    assert!(screen.contains(now) && screen.contains("records the rounds with them"), "{screen}");
}

#[test]
fn gauge_says_in_colour_whether_tests_fail_and_dims_the_score_then() {
    use crate::harness::colour;
    use myriad::workbench::theme::{Depth, Look, Theme};

    let fg = |look| Theme::new(Depth::True).style(look).fg.expect("a colour");
    let mut fails = answered(PROGRAM);
    picture_at(&mut fails, 100, 24);
    assert_eq!(colour(&fails, "✗ 3 of 5 tests fail"), fg(Look::Bad));
    assert_eq!(colour(&fails, "89.3 %"), fg(Look::Dim));
    let mut passes =
        answered("fn f(n: int) -> int {\n    return n + 1;‸\n}\ntest f(1) == 2;\ntest f(2) == 3;\n");
    picture_at(&mut passes, 100, 24);
    assert_eq!(colour(&passes, "✓ 2 tests pass"), fg(Look::Good));
    assert_ne!(colour(&passes, " mutants"), fg(Look::Dim));
    // The tabs, too.
    for state in [&mut fails, &mut passes] {
        type_keys(state, "<alt-7>");
        picture_at(state, 160, 50);
    }
    assert_eq!(colour(&fails, "score 89.3 %"), fg(Look::Tabs));
    assert_ne!(colour(&passes, "score "), fg(Look::Tabs));
    assert!(picture(&fails).contains("  3 of 5 fail ") && picture(&passes).contains("  2 pass "));
}

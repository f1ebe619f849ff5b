//! Figures of the latency and energy panels: rows add up, there is no transfer without a device, only typing
//! counts as a keystroke, and an energy is divided by its own programs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineSettings, Kind, Timings, Transfer};
use myriad::host::measure::energy::Energy;
use myriad::lang::index::Indices;
use myriad::lang::level::OptLevel;
use myriad::session::{Device, Update};
use myriad::workbench::event::{Effect, Event, FileContents};
use myriad::workbench::state::State;

use super::harness::{picture_at, state, type_keys, words};
use crate::common::repository::samples;

const PROGRAM: &str =
    "fn f(a: int) -> int {\n    return a + 1;‸\n}\ntest f(1) == 2;\nprop a in 0..50 => f(a) > a;\n";

const STAGES: [&str; 9] = ["lex", "parse", "check", "lower", "optimize", "emit", "execute", "judge", "mutate"];

fn tell(state: &mut State, update: Update, since: u64) {
    state.apply(Event::Engine { update: update.into(), since: Duration::from_millis(since) });
}

fn announce(state: &mut State, kind: Kind, description: &str) {
    let (reason, meter, device) = (String::new(), String::new(), Device::Unknown);
    tell(
        state,
        Update::Engine {
            kind,
            description: description.to_string(),
            reason,
            meter,
            device,
            preparing: String::new(),
        },
        0,
    );
}

/// Sends the base's answer, with the times of two threads; `timed` may change them.
fn base(state: &mut State, since: u64, timed: impl Fn(&mut Timings)) -> CpuEngine {
    let mut engine = CpuEngine::with_threads(2);
    let mut result =
        engine.base(state.document.buffer.text(), &|| false).expect("the CPU engine does not fail");
    timed(&mut result.timings);
    let revision = state.document.revision;
    tell(state, Update::Base { revision, at: Instant::now(), result }, since);
    engine
}

/// Sends verdicts on `count` mutants, or on all if there are fewer.
fn verdicts(state: &mut State, engine: &mut CpuEngine, count: u32, timed: impl Fn(&mut Timings)) {
    let (revision, variants) = (state.document.revision, engine.variants());
    let total = count.min(variants.all);
    let mut parts = Vec::new();
    engine
        .mutants(Indices::first(total), &|| false, &mut |part| parts.push(part))
        .expect("the CPU engine does not fail");
    for mut part in parts {
        timed(&mut part.timings);
        let first_order = variants.first_order;
        tell(state, Update::Mutants { revision, total, first_order, part }, 20);
    }
}

fn done(state: &mut State, joules: f64, since: u64) {
    let energy = Energy::estimate(1.0, Duration::from_secs_f64(joules));
    let revision = state.document.revision;
    tell(state, Update::Done { revision, at: Instant::now(), wall: Duration::from_millis(1), energy }, since);
}

/// Judges the text on screen completely.
fn judged(state: &mut State, since: u64, timed: impl Fn(&mut Timings)) {
    let mut engine = base(state, since, &timed);
    verdicts(state, &mut engine, 40, &timed);
    done(state, 0.9, since + 40);
}

/// Returns a zoomed panel, on a screen large enough for all of it.
fn panel(state: &mut State, key: char) -> String {
    type_keys(state, &format!("<alt-{key}>"));
    state.screen.zoomed = true;
    picture_at(state, 130, 60)
}

/// Splits the screen at the row of eq. 16.
fn tables(screen: &str) -> (&str, &str) {
    screen.split_once("T = T_gen + 2·T_transfer + T_compile + T_exec").expect("both tables")
}

/// Returns the text of the row with this name.
#[track_caller]
fn row<'a>(table: &'a str, name: &str) -> &'a str {
    let behind = |line: &'a str| line.trim_start().strip_prefix(name).filter(|rest| rest.starts_with(' '));
    table.lines().find_map(behind).unwrap_or_else(|| panic!("no row {name}:\n{table}"))
}

/// Returns the times of a row in milliseconds, each with its maximum rounding error.
fn times(row: &str) -> Vec<(f64, f64)> {
    let cells: Vec<&str> = row.split_whitespace().collect();
    let scale = |unit: &str| match unit {
        "ns" => Some(1e-6),
        "µs" => Some(1e-3),
        "ms" => Some(1.0),
        "s" => Some(1e3),
        _ => None,
    };
    let time = |(i, cell): (usize, &&str)| {
        let number: f64 = cell.parse().ok()?;
        // Zero has no unit.
        let scale = cells.get(i + 1).and_then(|unit| scale(unit)).unwrap_or(0.0);
        let decimals = cell.split_once('.').map_or(0, |(_, behind)| behind.len());
        Some((number * scale, 0.51 * scale / 10f64.powi(decimals as i32)))
    };
    cells.iter().enumerate().filter_map(time).collect()
}

/// Checks that rows add up: the stages' to both walls, the terms to T, and T is the wall.
#[track_caller]
fn adds_up(screen: &str, name: &str, others: &[&str]) {
    let (stages, terms) = tables(screen);
    let walls = times(row(stages, "wall"));
    for (column, (wall, rounded)) in walls.iter().enumerate() {
        let parts: Vec<(f64, f64)> =
            STAGES.iter().chain(others).map(|name| times(row(stages, name))[column]).collect();
        assert!(
            parts.iter().all(|(part, by)| *part <= wall + by + rounded),
            "{name}: above the wall\n{screen}"
        );
        let (sum, by) = parts.iter().fold((0.0, 1e-9), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        assert!((sum - wall).abs() <= by + rounded, "{name}: {parts:?} of {wall}\n{screen}");
    }
    // The last two columns: all programs, and each.
    let of = |name: &str, column: usize| {
        let cells: Vec<&str> = row(terms, name).split_whitespace().collect();
        cells[cells.len() - 2 + column].parse::<f64>().unwrap_or(0.0)
    };
    for column in [0, 1] {
        let rounding = 0.035 + 0.005 * of("T", column);
        let sum: f64 =
            ["gen", "2·transfer", "compile", "exec", "other"].iter().map(|name| of(name, column)).sum();
        assert!((sum - of("T", column)).abs() < rounding, "{name}: {sum} is not T\n{screen}");
    }
    let rounded = if of("T", 0) < 1000.0 { 0.051 } else { 0.51 };
    let (walls, by) = walls.iter().fold((0.0, rounded), |sum, wall| (sum.0 + wall.0, sum.1 + wall.1));
    assert!((of("T", 0) - walls).abs() <= by, "{name}: T is not the wall {walls}\n{screen}");
}

#[test]
fn latency_rows_of_samples_add_up_to_wall_time() {
    let mut seen = 0;
    for path in samples() {
        if path.extension().is_none_or(|extension| extension != "myr") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a sample");
        let mut state = state(&format!("‸{text}"));
        judged(&mut state, 5, |_| {});
        let screen = panel(&mut state, '9');
        adds_up(&screen, &path.display().to_string(), &["other"]);
        assert!(words(&screen).contains("where 2 threads work at once modelled"), "{screen}");
        seen += 1;
    }
    assert!(seen >= 12, "only {seen} samples");
}

/// The engine shows a program with long tests at two levels, and judges its mutants once.
#[test]
fn verdicts_of_a_program_shown_at_two_levels_have_a_time() {
    let mut state = state(PROGRAM);
    let mut engine = base(&mut state, 5, |_| {});
    let mut whole = CpuEngine::with_threads(2);
    whole.configure(EngineSettings { level: OptLevel::Whole, ..EngineSettings::default() });
    let result = whole.base(state.document.buffer.text(), &|| false).expect("the CPU engine does not fail");
    let revision = state.document.revision;
    tell(&mut state, Update::Base { revision, at: Instant::now(), result }, 6);
    verdicts(&mut state, &mut engine, 40, |_| {});
    done(&mut state, 0.9, 45);
    let (_, answer) = state.results.last_answer().expect("an answer");
    assert_eq!((answer.base.as_millis(), answer.all.map(|all| all.as_millis())), (5, Some(45)));
}

#[test]
fn transfers_without_a_device_have_no_figure() {
    let mut state = state(PROGRAM);
    judged(&mut state, 5, |_| {});
    let (latency, energy) = (panel(&mut state, '9'), panel(&mut state, '0'));
    let (stages, terms) = tables(&latency);
    assert!(!stages.contains("transfer"), "{latency}");
    // The paper's two milliseconds, and none measured.
    let cells: Vec<&str> = row(terms, "2·transfer").split_whitespace().collect();
    assert_eq!(cells, ["2", "–", "–"], "{latency}");
    assert!(words(&latency).contains("no device, no transfer"), "{latency}");
    let cells: Vec<&str> = row(&energy, "transfer here").split_whitespace().collect();
    assert_eq!(cells, ["–", "no", "device"], "{energy}");
    for screen in [&latency, &energy] {
        let papers = |line: &&str| ["quoted", "T_transfer", "2·transfer"].iter().any(|own| line.contains(own));
        for line in screen.lines().filter(|line| line.contains("transfer") && !papers(line)) {
            assert!(!line.contains(|c: char| c.is_ascii_digit()), "{line}\n{screen}");
        }
    }
}

#[test]
fn device_transfers_are_part_of_wall_time() {
    for software in [false, true] {
        let mut state = state(PROGRAM);
        // An eighth of the wall, in place of one stage.
        judged(&mut state, 5, |timings| {
            let time = timings.wall / 8;
            timings.transfer = Transfer::Measured { time, software };
            timings.parts = [timings.wall / 16; 9];
        });
        let latency = panel(&mut state, '9');
        adds_up(&latency, "a device", &["transfer", "other"]);
        let (_, terms) = tables(&latency);
        assert!(!row(terms, "2·transfer").contains('–'), "{latency}");
        assert_eq!(words(&latency).contains("copies within the host's memory"), software, "{latency}");
        // The bus power applies only to a bus.
        let energy = panel(&mut state, '0');
        let here = row(&energy, "transfer here");
        let said = if software { "no bus: a software adapter" } else { "there and back" };
        assert!(here.contains(said) && here.contains("modelled") != software, "{energy}");
        // Transfers are charged for their own time, like stages.
        let charged = |line: &str| line.trim().starts_with("transfer ") && line.contains(" %");
        assert!(energy.lines().any(charged), "{energy}");
    }
    let mut state = state(PROGRAM);
    judged(&mut state, 5, |timings| timings.transfer = Transfer::Untimed);
    let screens = [panel(&mut state, '9'), panel(&mut state, '0')];
    for (screen, said) in screens.iter().zip(["transfer: not timed", "the device has no timer"]) {
        assert!(words(screen).contains(said), "{screen}");
    }
}

#[test]
fn long_times_keep_to_their_columns() {
    let mut state = state(PROGRAM);
    judged(&mut state, 5, |timings| {
        timings.wall = Duration::from_secs(17);
        timings.parts = [timings.wall / 10; 9];
    });
    adds_up(&panel(&mut state, '9'), "seconds", &["other"]);
}

#[test]
fn only_typing_counts_as_a_keystroke() {
    let mut state = state(PROGRAM);
    announce(&mut state, Kind::Cpu, "CPU engine, 2 threads");
    judged(&mut state, 23_000, |_| {});
    assert!(state.results.history.is_empty(), "opening is not typing");
    assert!(panel(&mut state, '9').contains("nothing was typed yet"));
    type_keys(&mut state, "<alt-1>");

    // A device becomes ready and judges again; then the engine is switched.
    announce(&mut state, Kind::Gpu, "an adapter");
    judged(&mut state, 24_000, |_| {});
    assert!(type_keys(&mut state, "<f9>").iter().any(|effect| matches!(effect, Effect::Use(_))));
    judged(&mut state, 25_000, |_| {});
    assert!(state.results.history.is_empty(), "warming up and switching are not typing");

    type_keys(&mut state, " ");
    judged(&mut state, 3, |_| {});
    let typed = state.results.history.clone();
    assert_eq!(typed.iter().map(|answer| answer.base).collect::<Vec<_>>(), [Duration::from_millis(3)]);
    assert_eq!(typed[0].all, Some(Duration::from_millis(43)));
    let screen = panel(&mut state, '9');
    assert!(screen.contains("mid 3.00 ms, max 3.00 ms") && screen.contains("mid 43 ms, max 43 ms"), "{screen}");
    // An opened text has its own name.
    assert!(row(&screen, "opened").contains("23.00 s measured"), "{screen}");
    type_keys(&mut state, "<alt-1>");

    // The same text again on another engine, and a text from the file.
    type_keys(&mut state, "<f9>");
    judged(&mut state, 3_450, |_| {});
    assert_eq!(state.results.history, typed, "judged again is not typed again");
    let saved = state.document.buffer.text().clone();
    state.apply(Event::Saved { path: "sample.myr".into(), text: saved, note: None });
    state.apply(Event::FileContents(FileContents::Text { text: Arc::from("test true;\n"), bom: false }));
    judged(&mut state, 700, |_| {});
    assert_eq!(state.results.history, typed, "what others wrote is not typed");
    assert_eq!(state.results.opened.map(|answer| answer.base), Some(Duration::from_millis(700)));

    // Pasting, bursts and undoing count as typing.
    for event in
        [Event::Burst { text: "// so\n".into(), is_continuation: false }, Event::Paste("// too\n".into())]
    {
        state.apply(event);
        judged(&mut state, 4, |_| {});
    }
    type_keys(&mut state, "<ctrl-u>");
    judged(&mut state, 4, |_| {});
    assert_eq!(state.results.history.len(), typed.len() + 3);
}

#[test]
fn keystroke_answered_by_another_engine_is_not_timed() {
    // Judged again before all verdicts were in: these verdicts are not the keystroke's.
    let mut state = state(PROGRAM);
    announce(&mut state, Kind::Cpu, "CPU engine, 2 threads");
    judged(&mut state, 5, |_| {});
    type_keys(&mut state, " ");
    let mut engine = base(&mut state, 3, |_| {});
    verdicts(&mut state, &mut engine, 10, |_| {});
    announce(&mut state, Kind::Gpu, "an adapter");
    judged(&mut state, 3_450, |_| {});
    let last = *state.results.history.last().expect("its panels were timed");
    assert_eq!((last.base, last.all), (Duration::from_millis(3), None));
    let screen = panel(&mut state, '9');
    assert!(row(&screen, "key → verdicts").trim_start().starts_with('–'), "{screen}");

    // A text that crashed the engine, judged by the next one.
    type_keys(&mut state, "<alt-1> ");
    state.apply(Event::EngineStopped("the engine thread ended".into()));
    assert!(type_keys(&mut state, "<f9>").contains(&Effect::RestartEngine));
    judged(&mut state, 900, |_| {});
    assert_eq!(state.results.history.last(), Some(&last));
}

#[test]
fn energy_is_divided_by_its_own_programs() {
    let mut state = state(PROGRAM);
    judged(&mut state, 5, |_| {});
    let programs = |screen: &str, name: &str| {
        let cells: Vec<String> = row(screen, name).split_whitespace().map(String::from).collect();
        let at = cells.iter().position(|cell| cell.starts_with("program")).expect("programs");
        cells[at - 1].parse::<f64>().expect("a number")
    };
    let millijoules = |screen: &str| {
        let cells: Vec<&str> = row(screen, "each program").split_whitespace().collect();
        assert_eq!(cells[1], "mJ", "{screen}");
        cells[0].parse::<f64>().expect("a number")
    };
    // Opened, not typed.
    assert!(programs(&panel(&mut state, '0'), "opened") > 10.0);
    type_keys(&mut state, "<alt-1> ");
    judged(&mut state, 5, |_| {});
    let before = panel(&mut state, '0');
    let all = programs(&before, "last key");
    assert!(all > 10.0, "{before}");
    assert!((millijoules(&before) - 900.0 / all).abs() < 0.06, "{before}");

    // The next batch is running: of the finished one, only the name changes.
    type_keys(&mut state, "<alt-1> ");
    base(&mut state, 5, |_| {});
    let during = panel(&mut state, '0');
    assert_eq!(programs(&during, "last finished"), all, "{during}");
    assert_eq!(millijoules(&during), millijoules(&before), "{during}");
    assert!(during.contains("the next is running"), "{during}");

    // Judging again does not belong to a keystroke.
    done(&mut state, 0.5, 50);
    announce(&mut state, Kind::Cpu, "one engine");
    announce(&mut state, Kind::Cpu, "another engine");
    judged(&mut state, 5, |_| {});
    assert!(programs(&panel(&mut state, '0'), "judged again") > 10.0);
}

#[test]
fn gauge_shows_the_times_of_keys_only() {
    let mut state = state(PROGRAM);
    judged(&mut state, 12, |_| {});
    let gauge = |state: &mut State, width: u16| {
        let screen = picture_at(state, width, 24);
        screen.lines().rev().nth(1).unwrap_or_default().to_string()
    };
    let (long, short) = (gauge(&mut state, 160), gauge(&mut state, 80));
    assert!(long.contains("survived") && !long.contains(" ms"), "{long}");
    assert!(short.contains("survived") && !short.contains(" ms"), "{short}");
    // With errors there will be no verdicts, and the gauge does not wait for any.
    type_keys(&mut state, "!");
    base(&mut state, 2, |_| {});
    done(&mut state, 0.1, 3);
    let broken = gauge(&mut state, 130);
    assert!(broken.contains("after the key: tests 2.00 ms measured"), "{broken}");
}

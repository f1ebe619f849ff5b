//! The shaders' column of the Latency panel in all its states, its counterpart in the Energy panel, and the key
//! that selects engines.

use std::time::Duration;

use myriad::engine::choose::Preference;
use myriad::engine::{Clock, Kind, Transfer};
use myriad::session::{CompareExtent, Device, Found, Shaders, Update};
use myriad::workbench::event::{Effect, Event};
use myriad::workbench::state::State;

use super::engine::{ADAPTER, answer, answered, device, found, shaders, software};
use super::harness::{picture_at, type_keys, words};

const PROGRAM: &str =
    "fn f(a: int) -> int {\n    return a + 1;‸\n}\ntest f(1) == 2;\nprop a in 0..50 => f(a) > a;\n";

/// Returns a state whose text went through the shaders.
fn shaded() -> State {
    let mut state = answered(PROGRAM);
    device(&mut state, software());
    let what = shaders(&state);
    found(&mut state, None, what);
    state
}

/// Returns the zoomed Latency panel, on a screen large enough for all of it.
fn latency(state: &mut State) -> String {
    type_keys(state, "<alt-9>");
    state.screen.zoomed = true;
    picture_at(state, 130, 60)
}

#[test]
fn shaders_column_matches_its_snapshots() {
    let mut state = shaded();
    type_keys(&mut state, "<alt-9>");
    for (width, height) in [(80, 24), (160, 50), (40, 16)] {
        insta::assert_snapshot!(format!("shaders_{width}x{height}"), picture_at(&mut state, width, height));
    }
    // The next text has been judged, but has not gone through the shaders yet.
    type_keys(&mut state, "<alt-1> ");
    answer(&mut state);
    device(&mut state, software());
    type_keys(&mut state, "<alt-9>");
    insta::assert_snapshot!("shaders_awaited_80x24", picture_at(&mut state, 80, 24));
}

#[test]
fn shaders_column_shows_wall_time_and_transfer() {
    let screen = latency(&mut shaded());
    let titles = screen.lines().find(|line| line.contains("mutants")).expect("a heading");
    assert_eq!(titles.split_whitespace().collect::<Vec<_>>(), ["stage", "base", "shaders", "mutants"]);
    let wall = screen.lines().find(|line| line.trim_start().starts_with("wall")).expect("the wall");
    assert!(wall.contains("21 ms"), "{screen}");
    // No device transfers anything for base and mutants.
    let transfer = screen.lines().find(|line| line.trim_start().starts_with("transfer ")).expect("a transfer");
    let cells: Vec<&str> = transfer.split_whitespace().collect();
    assert_eq!(cells, ["transfer", "–", "0.31", "ms", "–"], "{screen}");
}

#[test]
fn shaders_line_names_the_adapter_or_the_reason() {
    let said = |change: &dyn Fn(&mut State)| {
        let mut state = shaded();
        change(&mut state);
        words(&latency(&mut state))
    };
    let has = |change: &dyn Fn(&mut State), column: bool, expected: &str| {
        let said = said(change);
        assert!(said.contains(expected), "{expected}: {said}");
        assert_eq!(said.contains("base shaders mutants"), column, "{expected}: {said}");
    };
    let tell = |state: &mut State, change: &dyn Fn(&mut Shaders)| {
        let mut what = shaders(state);
        change(&mut what);
        found(state, None, what);
    };
    has(
        &|_| (),
        true,
        &format!("shaders: {ADAPTER} (vulkan), no difference; the wall by stage: measured by the"),
    );
    let untimed = |what: &mut Shaders| {
        let timings = what.timings.as_mut().expect("times");
        (timings.clock, timings.transfer, timings.parts) = (Clock::Wall, Transfer::Untimed, Default::default());
    };
    has(
        &|state| tell(state, &untimed),
        true,
        "no difference; the wall: measured; not by stage, because the device",
    );
    let differs = |what: &mut Shaders| what.difference = Some("test 0: a and b".to_string());
    has(&|state| tell(state, &differs), true, "(vulkan) DIFFERS: test 0: a and b");
    let slow = |what: &mut Shaders| what.timings = None;
    has(&|state| tell(state, &slow), false, &format!("shaders: this takes too long on {ADAPTER}"));
    let anew = |state: &mut State| {
        answer(state);
        device(state, software());
    };
    has(&anew, true, &format!("shaders: {ADAPTER} (vulkan), for an earlier text"));
    let asked = |choice| move |state: &mut State| state.engine.wanted = choice;
    has(&asked(Preference::Cpu), false, "shaders: none, as the CPU engine was chosen by name");
    has(
        &|state| state.engine.shaders = false,
        false,
        "shaders: none, as `shaders` is false in the configuration",
    );
    has(&|state| device(state, Device::Unknown), false, "shaders: looking for adapters");
    let preparing = Found { name: ADAPTER.to_string(), preferred: false, reason: String::new() };
    has(
        &|state| device(state, Device::Found(preparing.clone())),
        false,
        &format!("shaders: {ADAPTER} is being prepared"),
    );
    let none = || Device::Failed("no adapter: none was found".to_string());
    has(&|state| device(state, none()), false, "shaders: none; no adapter: none was found");
    let serves = |choice| {
        move |state: &mut State| {
            state.engine.wanted = choice;
            state.engine.kind = Some(Kind::Gpu);
        }
    };
    has(&serves(Preference::Gpu), false, "shaders: no column, as they run base and mutants");
    has(&serves(Preference::All), false, "shaders: no column, as all engines share base and mutants");
    let mut fresh = answered(PROGRAM);
    device(&mut fresh, software());
    assert!(words(&latency(&mut fresh)).contains(&format!("shaders: {ADAPTER} (vulkan), awaited")));
}

#[test]
fn only_typed_texts_are_timed_from_the_key() {
    let mut state = shaded();
    assert_eq!(state.results.history.last().and_then(|last| last.shaders), Some(Duration::from_millis(29)));
    assert!(words(&latency(&mut state)).contains("key → shaders 29 ms measured mid 29 ms, max 29 ms"));
    // The time of judging again is not added to a keystroke.
    answer(&mut state);
    device(&mut state, software());
    let what = Shaders { since: Duration::from_secs(70), ..shaders(&state) };
    found(&mut state, None, what);
    assert_eq!(state.results.history.last().and_then(|last| last.shaders), Some(Duration::from_millis(29)));
}

#[test]
fn shader_difference_is_reported_on_every_screen() {
    let mut state = shaded();
    let what = Shaders { difference: Some("emit differs".to_string()), ..shaders(&state) };
    // For a text that does not compile, which no panel shows.
    type_keys(&mut state, "<alt-1>}}}");
    found(&mut state, None, what);
    let line = picture_at(&mut state, 100, 30).lines().last().unwrap_or_default().to_string();
    assert!(line.contains("DIFFERS: emit differs"), "{line}");
}

#[test]
fn shader_energy_is_in_the_energy_panel() {
    let mut state = shaded();
    type_keys(&mut state, "<alt-0>");
    state.screen.zoomed = true;
    let said = words(&picture_at(&mut state, 130, 60));
    assert!(said.contains("shaders 1.4 J modelled the last text; 16.4 J for all so far"), "{said}");
    assert!(said.contains("no mutants have been compared yet"), "{said}");
    state.engine.idle = CompareExtent::Off;
    assert!(words(&picture_at(&mut state, 130, 60)).contains("no comparison of mutants: `idle` is off"));
}

#[test]
fn key_cycles_through_engine_choices() {
    let mut state = shaded();
    let mut press = || {
        let effects = type_keys(&mut state, "<f9>");
        let line = picture_at(&mut state, 100, 30).lines().last().unwrap_or_default().to_string();
        (effects, line)
    };
    for (choice, name) in [
        (Preference::Cpu, "the CPU engine"),
        (Preference::Gpu, "the GPU engine"),
        (Preference::All, "all engines together"),
        (Preference::Auto, "the engine chosen automatically"),
    ] {
        let (effects, line) = press();
        assert!(effects.contains(&Effect::Use(choice)), "{effects:?}");
        assert!(line.contains(&format!("switching to {name}")), "{line}");
    }
    // If there is no space for all their names, a common name is shown.
    state.engine.wanted = Preference::All;
    state.status.message = None;
    let (description, reason) =
        (format!("{ADAPTER} (vulkan) + CPU engine, 2 threads"), "asked for".to_string());
    let update = Update::Engine {
        kind: Kind::Gpu,
        description,
        reason,
        meter: String::new(),
        device: software(),
        preparing: String::new(),
    };
    state.apply(Event::Engine { update: update.into(), since: Duration::ZERO });
    let mut last = |width| picture_at(&mut state, width, 24).lines().last().unwrap_or_default().to_string();
    assert!(last(220).contains("+ CPU engine, 2 threads (asked for)"));
    assert!(last(80).contains(" llvmpipe + CPU engine, 2 threads "));
}

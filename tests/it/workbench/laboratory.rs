//! The tabs of the first screen, the laboratory, and the help by task.

use myriad::workbench::event::Event;
use myriad::workbench::modal::{KeySet, Modal};
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;

use super::engine::answered;
use super::harness::{picture, picture_at, type_keys};

const PROGRAM: &str = "fn twice(n: int) -> int {\n    return n + ‸n;\n}\ntest twice(2) == 4;\n";

/// The panels of the laboratory, with their keys.
const LABORATORY: [(Panel, &str); 5] = [
    (Panel::NEURAL, "<alt-n>"),
    (Panel::ROUTER, "<alt-r>"),
    (Panel::PAPER, "<alt-q>"),
    (Panel::NOISE, "<alt-o>"),
    (Panel::LEARNED, "<alt-L>"),
];

fn tabs(state: &State) -> Vec<&'static str> {
    Panel::all().filter(|panel| state.has_tab(*panel)).map(Panel::title).collect()
}

/// Returns the lines of the whole help, without the marks.
fn help(state: &mut State) -> Vec<String> {
    state.apply(Event::Resize(200, 400));
    type_keys(state, "<f1>");
    let page = picture(state);
    type_keys(state, "<esc>");
    let keys = page.lines().skip(1).take_while(|line| !line.contains("Marks in the editor's gutter"));
    keys.map(|line| line.replace('▶', " ").trim_end().to_string()).collect()
}

#[test]
fn first_screen_has_the_tabs_of_a_program_its_tests_and_its_phases() {
    let mut state = answered(PROGRAM);
    let first = [
        "Editor",
        "Tokens",
        "AST",
        "IR",
        "Bytecode",
        "Ladder",
        "Tests",
        "Mutants",
        "Why",
        "Diagnostics",
        "Latency",
        "Energy",
    ];
    assert_eq!(tabs(&state), first);
    for (width, height) in [(120, 40), (160, 50), (200, 60)] {
        state.apply(Event::Resize(width, height));
        let layout = state.layout();
        let places = layout.slots.iter().filter(|slot| slot.panels.contains(&Panel::LATENCY));
        assert!(places.into_iter().all(|slot| slot.panels.contains(&Panel::ENERGY)), "{width}×{height}");
    }
}

#[test]
fn laboratory_adds_tabs_and_keys_and_takes_none_away() {
    let mut state = answered(PROGRAM);
    let (before, without) = (tabs(&state), help(&mut state));
    type_keys(&mut state, "<alt-N>");
    let (after, with) = (tabs(&state), help(&mut state));
    let own: Vec<&str> = after.iter().filter(|tab| !before.contains(tab)).copied().collect();
    let mut wanted: Vec<&str> = LABORATORY.iter().map(|(panel, _)| panel.title()).collect();
    wanted.sort_by_key(|title| Panel::all().position(|panel| panel.title() == *title));
    assert_eq!(own, wanted);
    assert!(before.iter().all(|tab| after.contains(tab)));
    // The names of the other tabs are one text.
    assert!(without.iter().filter(|line| !line.contains("other tabs")).all(|line| with.contains(line)));
    let added: Vec<&String> = with.iter().filter(|line| !without.contains(line)).collect();
    for (panel, _) in LABORATORY {
        assert!(added.iter().any(|line| line.contains(panel.row().help)), "{} {added:?}", panel.title());
    }
    assert!(added.iter().any(|line| line.contains("race all ways of compiling")), "{added:?}");
    // The list after the prefix has them, too.
    type_keys(&mut state, "<ctrl-t>");
    assert!(picture_at(&mut state, 120, 40).contains("Neural"));
    type_keys(&mut state, "<esc><shift-f4>");
    assert_eq!(tabs(&state), before);
    type_keys(&mut state, "<ctrl-t>");
    assert!(!picture_at(&mut state, 120, 40).contains("Neural"));
}

#[test]
fn keys_of_the_hidden_laboratory_open_its_panels() {
    for (panel, key) in LABORATORY {
        let mut state = answered(PROGRAM);
        let closed = picture_at(&mut state, 160, 50);
        type_keys(&mut state, key);
        assert_eq!(state.screen.focus, panel);
        // The tab stays while the panel is in front of its place.
        type_keys(&mut state, "<esc>");
        let open = picture(&state);
        assert!(open.contains(panel.title()) && !closed.contains(panel.title()), "{open}");
        let slot = state.layout().slot(panel).cloned().expect("it is in front");
        let other = slot.panels.iter().copied().find(|other| *other != panel && state.has_tab(*other));
        state.focus_on(other.expect("another panel of the place"));
        assert!(!picture(&state).contains(panel.title()), "{}", picture(&state));
    }
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<f4>");
    assert!(state.race.shown().is_some());
    // A filter finds hidden keys.
    type_keys(&mut state, "<esc><f1>neural");
    assert!(picture(&state).contains("neural compilation of the function"), "{}", picture(&state));
}

#[test]
fn help_begins_with_a_dozen_keys_of_the_place_and_goes_on_by_task() {
    for (keys, place, own) in [
        ("", "Here, in the editor", "save the file"),
        ("<alt-7>", "Here, in the Mutants panel", "add the test that would notice the chosen survivor"),
        ("<alt-9>", "Here, in the Latency panel", "pin what the panel shows"),
        ("<alt-4>", "Here, in the IR panel", "to the next pass that changes this function"),
    ] {
        let mut state = answered(PROGRAM);
        type_keys(&mut state, keys);
        let lines = help(&mut state);
        // The panels on screen come first, each with what it shows.
        assert_eq!(lines[0].trim(), "On screen");
        let on_screen: Vec<&String> = lines.iter().skip(1).take_while(|line| line.trim() != place).collect();
        let panels: Vec<Panel> = state.layout().slots.iter().map(|slot| slot.active).collect();
        assert_eq!(on_screen.len(), panels.len() + 1, "{on_screen:#?}");
        assert!(on_screen[panels.len()].contains("other tabs"), "{on_screen:#?}");
        for (line, panel) in on_screen.iter().zip(panels) {
            assert!(line.trim().starts_with(panel.title()), "{on_screen:#?}");
        }
        let rest = lines.iter().skip_while(|line| line.trim() != place).skip(1);
        let first: Vec<&String> = rest.take_while(|line| line.trim() != "Write").collect();
        assert_eq!(first.len(), 12, "{first:#?}");
        assert!(first.iter().any(|line| line.contains(own)), "{own}: {first:#?}");
        let headings =
            ["Write", "Move and find", "Open and save", "Test your tests", "Look inside", "This program"];
        let mut rest = lines.iter().map(|line| line.trim());
        assert!(headings.iter().all(|heading| rest.any(|line| line == *heading)), "{lines:#?}");
    }
}

#[test]
fn help_in_the_editor_begins_with_the_keys_of_its_modes() {
    for (set, own) in [(KeySet::Vi, "the same with whole lines"), (KeySet::Helix, "select the line; again")] {
        let mut state = answered(PROGRAM);
        state.modal = Modal::new(set);
        let lines = help(&mut state);
        let here = |lines: &[String]| {
            lines.iter().position(|line| line.starts_with(" Here, in")).expect("keys of the place")
        };
        let first = here(&lines) + 1;
        assert!(lines[first..first + 12].iter().any(|line| line.contains(own)), "{lines:#?}");
        assert!(lines.iter().any(|line| line.contains("Outside insert mode")));
        type_keys(&mut state, "<alt-7>");
        let lines = help(&mut state);
        assert!(lines[here(&lines) + 1].contains("add the test"));
    }
}

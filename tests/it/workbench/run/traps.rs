//! Causes of traps, and the source of a run that has the screen to itself.

use myriad::workbench::event::Event;
use myriad::workbench::panels::{Panel, text_lines};
use myriad::workbench::run::RunKey;
use myriad::workbench::state::State;
use myriad::workbench::theme::{Depth, Look, Theme};

use unicode_width::UnicodeWidthStr;

use super::super::engine::answered;
use super::super::harness::{drawn, picture, picture_at, type_keys, words};
use super::{FAILING, recorded, snapshots};

const TRAPS: &str = "\
fn measure(length: int) -> int { return remeasure(length + 1); }
fn remeasure(length: int) -> int { return measure(length + 1) + 1; }
fn last(xs: [int; 8]) -> int { return xs[len(xs) - 3]; }
fn twice(xs: [int; 16]) -> [int; 16] { return xs + xs; }
test \"far\": last([5, 6]) == 6;
test \"long\": len(twice([1, 2, 3, 4, 5, 6, 7, 8, 9])) == 18;
test \"deep\": measure(3) == 4;
prop \"all\": n in 0..9 => 9 / (n - 4) < 100;
";

/// A cause continues on a further line, so that all of it is on the smallest usual screen, and in the list of tests.
#[test]
fn causes_of_traps_are_whole_on_a_small_screen() {
    for (test, cause) in [
        ("far", "index -1 of a list of 2"),
        ("long", "capacity 16 exceeded by 18"),
        ("deep", "128 calls deep: measure → remeasure → measure"),
        ("all", "division of 9 by 0"),
    ] {
        let mut state = answered(&TRAPS.replace(&format!("\"{test}\""), &format!("\"‸{test}\"")));
        type_keys(&mut state, "<alt-u>");
        recorded(&mut state);
        for (width, height) in [(80, 24), (60, 20), (160, 50)] {
            picture_at(&mut state, width, height);
            let top = state.run.scene.rows.iter().take_while(|row| row.key != RunKey::Slider);
            let lines: Vec<String> =
                top.map(|row| row.parts.iter().map(|(_, text)| text.as_str()).collect()).collect();
            is_whole(&state, Panel::RUN, &lines, cause);
        }
        for (width, height) in [(80, 24), (60, 20), (160, 50)] {
            type_keys(&mut state, "<alt-6>");
            picture_at(&mut state, width, height);
            let lines = text_lines(&state, Panel::TESTS);
            let is_row = |line: &&String| line.starts_with("    ") && !line.contains("alt-u");
            let lines: Vec<String> = lines.iter().filter(is_row).cloned().collect();
            is_whole(&state, Panel::TESTS, &lines, cause);
        }
    }
}

/// Checks that lines contain a cause and fit into a panel.
fn is_whole(state: &State, panel: Panel, lines: &[String], cause: &str) {
    let cells = usize::from(state.layout().content(panel).expect("it is visible").width) - 2;
    assert!(words(&lines.join(" ")).contains(cause), "{lines:?}");
    for line in lines {
        assert!(line.width() <= cells, "{line:?} in {cells} cells\n{}", picture(state));
    }
}

#[test]
fn a_run_with_the_screen_to_itself_shows_its_source() {
    let mut state = answered(&FAILING.replace("\"twice\"", "\"‸twice\""));
    type_keys(&mut state, "<alt-u>");
    recorded(&mut state);
    type_keys(&mut state, "<f7><home>");
    snapshots(&mut state, "with_source");
    // The executed line stays visible, and its number is drawn as that of the current line.
    for size in [(80, 24), (160, 50)] {
        state.apply(Event::Resize(size.0, size.1));
        for keys in ["<home>", "]", "]", "<end>"] {
            type_keys(&mut state, keys);
            let line = state.line_of_run().expect("a line");
            let area = state.layout().content(Panel::EDITOR).expect("the source is visible");
            let shown = state.screen.editor_top..state.screen.editor_top + usize::from(area.height);
            assert!(shown.contains(&line), "line {line} of {shown:?}");
            let number = Theme::new(Depth::True).style(Look::CurrentNumber).fg;
            let row = area.y + (line - state.screen.editor_top) as u16;
            let cell = &drawn(&state, &Theme::new(Depth::True))[(area.x + 2, row)];
            let digit = (line + 1).to_string().pop().map(String::from);
            assert_eq!((Some(cell.symbol()), Some(cell.fg)), (digit.as_deref(), number), "{}", picture(&state));
        }
    }
    // Another panel has the screen to itself.
    type_keys(&mut state, "<alt-6>");
    assert_eq!(state.layout().slots.len(), 1);
    type_keys(&mut state, "<alt-u><esc><f7>");
    assert!(state.layout().slots.len() > 2);
}

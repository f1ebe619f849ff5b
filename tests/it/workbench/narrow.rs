//! A screen of 80×24: hidden tabs, the gauge's figures in order, aligned rows.

use super::engine::answered;
use super::harness::{picture_at, type_keys};
use myriad::workbench::event::{Event, Mouse};
use myriad::workbench::panels::Panel;
use myriad::workbench::theme::Theme;

const TESTED: &str = "\
‸fn pick(a: bool, b: bool, xs: [int]) -> int {
    let sum = 0;
    for i in 0..=3 { sum += i; }
    if a && b || !a && len(xs) > 2 { return sum; }
    return xs[0];
}
test pick(true, true, [1]) == 6;
test pick(false, true, [1]) == 1;
";

#[test]
fn hidden_tabs_are_marked_and_reached() {
    let mut state = answered(TESTED);
    type_keys(&mut state, "<alt-N>");
    for key in ["<alt-x>", "<alt-4>", "<alt-o>"] {
        type_keys(&mut state, key);
        let screen = picture_at(&mut state, 80, 24);
        let layout = state.layout();
        let slot = layout.slots.iter().find(|slot| slot.active == state.screen.focus).expect("it shows");
        let row: Vec<char> = screen.lines().nth(slot.tabs.y.into()).unwrap_or_default().chars().collect();
        let (from, to) = (usize::from(slot.tabs.x), usize::from(slot.tabs.right()).min(row.len()));
        let tabs: String = row[from.min(to)..to].iter().collect();
        let hidden: usize = { tabs.split_whitespace() }
            .filter(|word| word.contains(['‹', '›']))
            .filter_map(|word| word.trim_matches(['‹', '›']).parse::<usize>().ok())
            .sum();
        assert!(hidden > 0, "{key}: {tabs:?}\n{screen}");
        // A click on the mark leads to the nearest hidden tab.
        if let Some(at) = tabs.chars().position(|c| c == '›') {
            let focus = state.screen.focus;
            let (column, row) = (slot.tabs.x + at as u16, slot.tabs.y);
            state.apply(Event::Mouse { what: Mouse::Click(1), column, row, shift: false });
            assert_ne!(state.screen.focus, focus, "{key}: {tabs:?}");
        }
    }
    // If all tabs fit, nothing is marked.
    type_keys(&mut state, "<alt-1>");
    let wide = picture_at(&mut state, 400, 50);
    assert!(!wide.contains('‹'), "{wide}");
}

#[test]
fn narrow_gauge_drops_times_before_the_score() {
    let mut state = answered(TESTED);
    let mut shown = Vec::new();
    for width in (20..=200).rev() {
        let screen = picture_at(&mut state, width, 24);
        let Some(gauge) = screen.lines().find(|line| line.contains("✓ 2 ")) else {
            continue;
        };
        let gauge = gauge.rsplit('│').next().unwrap_or(gauge);
        shown.push((
            gauge.contains("2 tests pass") || gauge.contains("2 pass"),
            gauge.contains(" %"),
            gauge.contains(" ms"),
            gauge.to_string(),
        ));
    }
    assert!(shown.iter().any(|(_, score, times, _)| *score && *times), "{shown:?}");
    for (verdict, score, times, gauge) in &shown {
        assert!(*verdict, "{gauge}");
        assert!(*score || !*times, "times without a score: {gauge}");
    }
}

/// Returns the columns at which source positions begin in a panel's rows.
fn places(state: &mut myriad::workbench::state::State, panel: Panel) -> Vec<usize> {
    type_keys(state, &format!("<{}>", panel.row().keys[0]));
    let screen = picture_at(state, 240, 50);
    let area = state.layout().content(panel).expect("it shows");
    let rows = screen.lines().skip(area.y.into()).take(area.height.into());
    let place = |row: &str| {
        let cells: Vec<char> = row.chars().skip(area.x.into()).take(area.width.into()).collect();
        let text: String = cells.iter().collect();
        let word = text.split_whitespace().find(|word| {
            word.split_once(':')
                .is_some_and(|(line, column)| line.parse::<u32>().is_ok() && column.parse::<u32>().is_ok())
        })?;
        text.find(&format!(" {word}")).map(|at| text[..at].chars().count())
    };
    rows.filter_map(place).collect()
}

#[test]
fn rows_with_long_names_are_aligned_or_whole() {
    let mut state = answered(TESTED);
    for panel in [Panel::TOKENS, Panel::IR, Panel::BYTECODE] {
        type_keys(&mut state, &format!("<{}>", panel.row().keys[0]));
        picture_at(&mut state, 80, 24);
        let width = usize::from(state.layout().content(panel).expect("it shows").width) - 2;
        let list = panel.list().expect("rows");
        let row = |row| list.line(&state, row, width, &Theme::plain()).to_string();
        // A row that is cut has no padding left after its number.
        let is_padded = |row: &String| row.chars().skip(7).collect::<String>().trim().contains("  ");
        let is_cut = |row: &String| row.chars().count() > width && is_padded(row);
        let cut: Vec<String> = (0..list.count(&state)).map(row).filter(is_cut).collect();
        assert!(cut.is_empty(), "{panel:?} at {width}: {cut:#?}");
    }
    for panel in [Panel::TOKENS, Panel::IR, Panel::BYTECODE] {
        let places = places(&mut state, panel);
        assert!(places.len() > 10, "{panel:?}: {places:?}");
        assert!(places.iter().all(|at| *at == places[0]), "{panel:?}: {places:?}");
    }
}

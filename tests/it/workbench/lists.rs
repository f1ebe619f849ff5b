//! Features that all panels share: filters, copying, pins, arrangements and borders.

use std::collections::BTreeSet;

use super::engine::answered;
use super::harness::{picture, picture_at, type_keys};
use myriad::workbench::event::{Effect, Event, Mouse};
use myriad::workbench::panels::{self, Panel};
use myriad::workbench::state::{Arrangement, Arrangements, State};
use myriad::workbench::theme::Theme;

const PROGRAM: &str =
    "fn double(x: int) -> int {\n    let y = x * 2;\n    return y;‸\n}\ntest double(2) == 4;\n";

fn clicked(state: &mut State, what: Mouse, (column, row): (u16, u16)) {
    state.apply(Event::Mouse { what, column, row, shift: false });
}

#[test]
fn filter_shows_the_rows_with_all_words() {
    let mut s = answered(PROGRAM);
    type_keys(&mut s, "<alt-2>");
    let all = panels::count(&s, Panel::TOKENS);
    type_keys(&mut s, "/doub");
    assert!(picture(&s).contains("filter: doub"), "{}", picture(&s));
    assert!(picture(&s).contains(&format!("2 of {all} ·")), "{}", picture(&s));
    type_keys(&mut s, "<enter>");
    assert!(picture(&s).contains(" /doub"), "{}", picture(&s));
    assert_eq!(panels::shown_count(&s, Panel::TOKENS), 2);
    // The keys move among the rows that are shown, and enter goes to the row's place.
    type_keys(&mut s, "<home><down><down><enter>");
    assert_eq!(s.document.buffer.place(s.document.buffer.head()).0, 4, "the test's line");
    // Esc shows all rows first, and leaves the panel then.
    type_keys(&mut s, "<alt-2><esc>");
    assert_eq!((panels::shown_count(&s, Panel::TOKENS), s.screen.focus), (all, Panel::TOKENS));
    type_keys(&mut s, "<esc>");
    assert_eq!(s.screen.focus, Panel::EDITOR);
}

#[test]
fn filter_without_a_match_says_so() {
    let mut s = answered(PROGRAM);
    type_keys(&mut s, "<alt-2>/nonsense");
    assert!(picture(&s).contains("no row contains"), "{}", picture(&s));
    type_keys(&mut s, "<esc>");
    assert!(!picture(&s).contains("no row contains"));
    // A page has no rows.
    type_keys(&mut s, "<alt-9>/");
    assert!(picture(&s).contains("this panel has no rows to filter"), "{}", picture(&s));
}

#[test]
fn filter_follows_the_list() {
    let mut s = answered(PROGRAM);
    type_keys(&mut s, "<alt-7>/return<enter>");
    let before = panels::shown_count(&s, Panel::MUTANTS);
    let all = panels::count(&s, Panel::MUTANTS);
    assert!(before < all, "{before} of {all}");
    for row in 0..before {
        let row = panels::row_in(&s, Panel::MUTANTS, row, all);
        let line = Panel::MUTANTS.list().expect("a list").line(
            &s,
            row,
            1_000,
            &myriad::workbench::theme::Theme::plain(),
        );
        assert!(line.to_string().contains("return"), "{line}");
    }
    type_keys(&mut s, "f");
    assert!(panels::shown_count(&s, Panel::MUTANTS) <= before);
}

#[test]
fn every_panel_can_be_copied() {
    let mut s = answered(PROGRAM);
    let effects = type_keys(&mut s, "<alt-2><ctrl-c>");
    assert!(matches!(&effects[..], [.., Effect::Copy(row)] if !row.contains('\n')), "{effects:?}");
    assert!(picture(&s).contains("copied: the selected row"));
    let effects = type_keys(&mut s, "<alt-9><ctrl-c>");
    assert!(matches!(&effects[..], [.., Effect::Copy(page)] if page.lines().count() > 3), "{effects:?}");
    assert!(picture(&s).contains("copied: the page"));
}

#[test]
fn pinned_panel_is_compared_with_what_it_shows_later() {
    let mut s = answered(PROGRAM);
    s.apply(Event::Resize(160, 50));
    type_keys(&mut s, "<alt-5>=");
    assert!(picture(&s).contains("pinned: Bytecode"), "{}", picture(&s));
    type_keys(&mut s, "<alt-j>");
    assert!(picture(&s).contains("both are equal"), "{}", picture(&s));
    type_keys(&mut s, "<alt-1><ctrl-home><down><end><backspace><backspace>3;");
    super::engine::answer(&mut s);
    type_keys(&mut s, "<alt-j>");
    let screen = picture(&s);
    assert!(screen.contains("- ") && screen.contains("+ ") && !screen.contains("both are equal"), "{screen}");
    type_keys(&mut s, "=");
    assert!(picture(&s).contains("nothing is pinned"), "{}", picture(&s));
}

/// Returns the changed lines of the Compare panel.
fn changed(s: &mut State) -> Vec<String> {
    type_keys(s, "<alt-j>");
    let lines = text_of_compare(s);
    lines.into_iter().skip(3).filter(|line| line.starts_with(['-', '+'])).collect()
}

fn text_of_compare(s: &State) -> Vec<String> {
    let theme = Theme::plain();
    panels::prose(s, Panel::COMPARE, 100, &theme).iter().map(|line| line.to_string()).collect()
}

#[test]
fn inserted_line_is_the_only_difference_of_compared_code() {
    for (keys, panel) in [("<alt-2>", "Tokens"), ("<alt-5>", "Bytecode"), ("<alt-4>", "IR")] {
        let text = "\
fn f(n: int) -> int {‸
    let sum = 0;
    while n > 0 {
        if n % 2 == 0 { sum += n; }
        n -= 1;
    }
    return sum;
}
test f(4) == 6;
";
        let mut s = answered(text);
        s.apply(Event::Resize(160, 50));
        type_keys(&mut s, &format!("{keys}=<alt-1> n = n * 3;"));
        super::engine::answer(&mut s);
        let changed = changed(&mut s);
        assert!(
            !changed.is_empty() && changed.iter().all(|line| line.starts_with('+')),
            "{panel}: {changed:?}"
        );
        let count = if panel == "Tokens" { 6 } else { 4 };
        assert_eq!(changed.len(), count, "{panel}: {changed:?}");
    }
}

#[test]
fn mutant_filter_shows_one_line() {
    let mut s = answered(PROGRAM);
    s.apply(Event::Resize(160, 50));
    let lines = |s: &State| -> BTreeSet<usize> {
        let rows = s.screen.filter(Panel::MUTANTS).map_or(&[][..], |filter| filter.rows());
        let buffer = &s.document.buffer;
        let target = |row: &usize| panels::target(s, Panel::MUTANTS, *row);
        rows.iter().filter_map(target).map(|byte| 1 + buffer.line_of(buffer.position_of_byte(byte))).collect()
    };
    for line in [2, 3] {
        type_keys(&mut s, &format!("<alt-7>/{line}:"));
        assert_eq!(lines(&s), BTreeSet::from([line]));
        type_keys(&mut s, "<esc>");
    }
}

#[test]
fn arrangements_bring_their_panels_to_the_front() {
    let mut s = answered(PROGRAM);
    let front = |s: &State| s.layout().slots.iter().map(|slot| slot.active).collect::<Vec<_>>();
    type_keys(&mut s, "<alt-Z><down><down><enter>");
    assert_eq!(front(&s), [Panel::EDITOR, Panel::MUTANT, Panel::MUTANTS]);
    type_keys(&mut s, "<alt-Z><down><enter>");
    assert_eq!(front(&s), [Panel::EDITOR, Panel::BYTECODE, Panel::LATENCY]);
    // The own one is kept for later runs.
    type_keys(&mut s, "<alt-4><alt-1>");
    let effects = type_keys(&mut s, "<alt-Z>k");
    let kept = effects.iter().find_map(|effect| match effect {
        Effect::KeepArrangements(kept) => Some(kept.clone()),
        _ => None,
    });
    let kept = kept.expect("it is kept");
    let mut later = answered(PROGRAM);
    assert_ne!(front(&later), front(&s));
    later.apply(Event::Arrangements(kept));
    assert_eq!(front(&later), front(&s));
    assert_eq!(later.arrangements.chosen, Arrangement::Own);
    later.apply(Event::Arrangements(Arrangements::default()));
    assert_eq!(later.arrangements.chosen, Arrangement::Standard);
}

#[test]
fn borders_are_dragged_by_the_mouse() {
    let mut s = answered(PROGRAM);
    for (width, height) in [(80, 24), (120, 40), (160, 50), (200, 60)] {
        picture_at(&mut s, width, height);
        for number in 0..s.layout().borders.len() {
            let border = s.layout().borders[number];
            let cell = (border.cells.right() - 1, border.cells.bottom() - 1);
            let to = if border.is_column { (cell.0 - 3, cell.1) } else { (cell.0, cell.1 - 2) };
            clicked(&mut s, Mouse::Click(1), cell);
            clicked(&mut s, Mouse::Drag, to);
            let moved =
                s.layout().borders.iter().find(|one| one.number == border.number).copied().expect("it stays");
            let place = if border.is_column { (moved.cells.x, cell.1) } else { (cell.0, moved.cells.y) };
            let off = place.0.abs_diff(to.0) + place.1.abs_diff(to.1);
            assert!(off <= 1, "{border:?} dragged to {to:?} is at {place:?}");
            // Nothing is lost beyond the edges.
            for to in [(0, 0), (width - 1, height - 1)] {
                clicked(&mut s, Mouse::Drag, to);
                assert!(s.layout().slots.iter().all(|slot| slot.tabs.width > 0 && slot.tabs.height > 0));
                picture(&s);
            }
            s.screen.borders = Default::default();
            clicked(&mut s, Mouse::Click(1), (1, 1));
        }
    }
}

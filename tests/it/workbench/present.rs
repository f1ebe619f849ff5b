//! Presenter's mode: keys in large letters that do not cover the cursor's line, and colours of high contrast.

use myriad::workbench::echo::{FADING, SHOWN};
use myriad::workbench::event::{Effect, Event};
use myriad::workbench::panels::Panel;
use ratatui::style::Color;

use super::engine::answered;
use super::harness::{colour, picture, picture_at, state, type_keys};

/// Returns a text whose lines are all different.
fn lines(count: usize) -> String {
    let line = |n: usize| format!("// line number {n} of them\n");
    format!("‸{}", (1..=count).map(line).collect::<String>())
}

#[test]
fn pressed_key_is_shown_with_its_action() {
    let mut state = answered("fn f() -> int { return 1; }‸\ntest f() == 1;\n");
    type_keys(&mut state, "<alt-e><f7>");
    let shown = picture(&state);
    assert!(shown.contains("F7  show only the focused panel, or all panels again"), "{shown}");
    assert!(shown.contains("█▀▀ ▀▀█"), "in large letters: {shown}");
    type_keys(&mut state, "<down><down><down>");
    let shown = picture(&state);
    assert!(shown.contains("down ×3  a line down") && shown.contains("before: F7"), "{shown}");
    // Typed text is shown as one.
    type_keys(&mut state, "let x");
    assert!(picture(&state).contains("let x  types"), "{}", picture(&state));
    // A capital letter is a letter with shift.
    type_keys(&mut state, "<alt-u>N");
    assert!(picture(&state).contains("shift-N  step back over"), "{}", picture(&state));
    type_keys(&mut state, "<alt-e>");
    assert!(state.status.echo.is_none() && !picture(&state).contains("before:"), "{}", picture(&state));
}

#[test]
fn shown_key_fades_unless_another_is_pressed() {
    let mut state = state("‸text\n");
    type_keys(&mut state, "<alt-e>");
    let number = |effects: Vec<Effect>, expected| match effects.as_slice() {
        [Effect::Fade { what, after }] if *after == expected => *what,
        other => panic!("{other:?}"),
    };
    let first = number(type_keys(&mut state, "<down>"), SHOWN);
    let second = number(type_keys(&mut state, "<up>"), SHOWN);
    assert_eq!(state.apply(Event::Fade(first)), [], "another key came");
    let fresh = colour(&state, "a line up");
    assert_eq!(number(state.apply(Event::Fade(second)), FADING), second);
    assert_ne!(colour(&state, "a line up"), fresh, "it fades");
    assert_eq!(state.apply(Event::Fade(second)), []);
    assert!(!picture(&state).contains("a line up"), "it is gone");
    assert_eq!(state.apply(Event::Fade(second)), [], "and nothing comes of it any more");
}

#[test]
fn the_line_of_the_cursor_stays_in_sight() {
    for (width, height) in [(20, 5), (40, 12), (80, 24), (120, 40), (160, 50)] {
        let mut state = state(&lines(70));
        picture_at(&mut state, width, height);
        type_keys(&mut state, "<alt-e>");
        for line in 2..=70 {
            type_keys(&mut state, "<down>");
            let shown = picture(&state);
            let wanted = format!(" {line}   // line");
            assert!(shown.contains(&wanted), "{width}×{height}, line {line}:\n{shown}");
            assert!(height < 12 || shown.contains("a line down"), "{width}×{height}, line {line}:\n{shown}");
        }
    }
}

#[test]
fn the_chosen_row_stays_in_sight() {
    let mut state = answered("fn f(a: int) -> int {‸ return a * 2 + a / 3 - 4 % a; }\ntest f(1) == 1;\n");
    picture_at(&mut state, 80, 24);
    type_keys(&mut state, "<alt-e><alt-7>");
    let rows = myriad::workbench::panels::count(&state, Panel::MUTANTS);
    for _ in 1..rows.min(60) {
        type_keys(&mut state, "<down>");
        assert!(picture(&state).contains("▶"), "{}", picture(&state));
    }
}

/// Returns the contrast ratio of two colours, as defined by WCAG 2.2: from 1 to 21.
fn contrast(one: Color, other: Color) -> f64 {
    let luminance = |colour| {
        let Color::Rgb(r, g, b) = colour else { panic!("{colour:?}") };
        let part = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn presenter_theme_has_high_contrast() {
    use myriad::workbench::theme::{Depth, Look, Theme};
    let theme = Theme::new(Depth::True).contrasting();
    let ground = theme.ground();
    let of = |look: Look| {
        let style = ground.patch(theme.style(look));
        contrast(style.fg.expect("a colour"), style.bg.expect("a colour"))
    };
    for look in [
        Look::Text,
        Look::Dim,
        Look::Keyword,
        Look::Type,
        Look::Number,
        Look::Str,
        Look::Comment,
        Look::Function,
        Look::Operator,
        Look::Good,
        Look::Bad,
        Look::Warning,
        Look::Heading,
        Look::Added,
        Look::Removed,
        Look::Bar,
        Look::Rule,
        Look::LineNumber,
        Look::CurrentNumber,
        Look::Selection,
        Look::Match,
        Look::CurrentLine,
        Look::Link,
        Look::Part,
        Look::Bracket,
        Look::Flawed,
        Look::Suspect,
        Look::SelectedRow,
        Look::Tabs,
        Look::Tab,
        Look::TabFocus,
        Look::Status,
        Look::Prompt,
    ] {
        // Level AAA for text.
        assert!(of(look) >= 7.0, "{look:?} has {:.1}", of(look));
    }
}

//! Every panel in every theme: the same text, a look for each cell, and no meaning in colour alone.

mod alone;
mod legend;

use std::fmt::Write;

use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;
use myriad::workbench::theme::{Depth, Palette, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::harness::{drawn, picture_at, type_keys};
use super::states::{self, CASES, SIZES};
use alone::Meanings;
use legend::Legend;

/// The number of themes.
const COUNT: usize = 5;

/// The themes by name. The first one has the most colours, the last one has none.
fn themes() -> [(&'static str, Theme); COUNT] {
    [
        ("dark", Theme::new(Depth::True)),
        ("light", Theme::new(Depth::True).with(Palette::Light)),
        ("contrast", Theme::new(Depth::True).with(Palette::Contrast)),
        ("16 colours", Theme::new(Depth::Ansi16)),
        ("NO_COLOR", Theme::plain()),
    ]
}

/// Draws a state in every theme, and checks that the text is the same in all.
fn in_all_themes(state: &State) -> [Buffer; COUNT] {
    let buffers = themes().map(|(_, theme)| drawn(state, &theme));
    for (buffer, (name, _)) in buffers.iter().zip(themes()) {
        let differs = (buffer.content().iter().zip(buffers[0].content()))
            .position(|(cell, first)| cell.symbol() != first.symbol());
        assert_eq!(differs, None, "the text in the theme {name} differs from that in the dark theme");
    }
    buffers
}

/// Returns the areas of a screen by name: each panel with its tabs, and the lines at the bottom.
fn areas(state: &State) -> Vec<(String, Rect)> {
    let layout = state.layout();
    let slots = layout.slots.iter().flat_map(|slot| {
        let title = slot.active.title();
        [(title.to_string(), slot.content), (format!("tabs of {title}"), slot.tabs)]
    });
    let lines = [("gauge", layout.gauge), ("goal", layout.goal), ("status bar", Some(layout.status))];
    let lines = lines.into_iter().filter_map(|(name, area)| Some((name.to_string(), area?)));
    slots.chain(lines).collect()
}

/// The states that a panel's picture shows.
const PICTURED: [&str; 3] = ["all found", "tests fail", "broken since"];

#[test]
fn every_panel_has_the_same_looks_in_every_theme_and_none_is_needed_to_read_it() {
    let (legend, mut meanings) = (Legend::new(), Meanings::default());
    for panel in Panel::all() {
        let (mut pictures, mut before) = (String::new(), String::new());
        for (name, make) in CASES {
            let mut state = make(panel);
            for (width, height) in SIZES {
                picture_at(&mut state, width, height);
                let buffers = in_all_themes(&state);
                let place = format!("{}: {name}, {width}×{height}", panel.title());
                for (area, cells) in areas(&state) {
                    meanings.learn(&area, &place, &buffers, cells);
                }
                if (width, height) != SIZES[0] || !PICTURED.contains(&name) {
                    continue;
                }
                let own = state.layout().slot(panel).map(|slot| slot.tabs.union(slot.content));
                let picture =
                    own.map_or("it does not show\n".to_string(), |own| legend.picture(&place, &buffers, own));
                if picture != before {
                    let _ = write!(pictures, "──── {name}\n{picture}");
                    before = picture;
                }
            }
        }
        insta::assert_snapshot!(format!("colours_{}", panel.title().to_lowercase()), pictures);
    }
    insta::assert_snapshot!("colours", legend.table());
    meanings.check();
}

/// Keys that open a prompt, a list or a view over the panels, or cause a message.
const OVER: [&str; 16] = [
    "<f1>",
    "<f1>mark",
    "<ctrl-o>",
    "<alt-w>",
    "<ctrl-f>a",
    "<ctrl-f>(",
    "<alt-s>",
    "<alt-c>x<ctrl-q>",
    "<alt-g>",
    "<alt-g><alt-7><alt-g>",
    "<alt-p>",
    "<f4>",
    "<ctrl-t>",
    "<alt-Z>",
    "<f12>",
    "<alt-j>",
];

#[test]
fn prompts_and_views_over_the_panels_need_no_colour() {
    let (legend, mut meanings) = (Legend::new(), Meanings::default());
    for keys in OVER {
        for panel in [Panel::EDITOR, Panel::MUTANTS] {
            let mut state = states::failing(panel);
            type_keys(&mut state, keys);
            for (width, height) in SIZES {
                picture_at(&mut state, width, height);
                let buffers = in_all_themes(&state);
                let screen = Rect::new(0, 0, width, height);
                let place = format!("{keys} in {panel:?}, {width}×{height}");
                legend.picture(&place, &buffers, screen);
                meanings.learn("screen", &place, &buffers, screen);
            }
        }
    }
    meanings.check();
}

/// The check finds a meaning in colour alone: a theme without weights and signs has many.
#[test]
fn meaning_in_colour_alone_is_found() {
    let mut meanings = Meanings::default();
    for look in [myriad::workbench::theme::Look::Good, myriad::workbench::theme::Look::Bad] {
        let area = Rect::new(0, 0, 8, 1);
        let buffers = themes().map(|(_, theme)| {
            let mut buffer = Buffer::empty(area);
            buffer.set_style(area, theme.ground());
            buffer.set_string(0, 0, "3 of 4", theme.style(look));
            buffer
        });
        meanings.learn("area", &format!("{look:?}"), &buffers, area);
    }
    // The line, and the part of it with that colour.
    let found = meanings.found();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|found| found.contains("Good") && found.contains("Bad")), "{found:?}");
}

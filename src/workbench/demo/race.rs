//! A race as a film, drawn as the workbench draws it.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::svg::film::Film;
use crate::paper::race::Race;
use crate::paper::race::forms::variants;
use crate::paper::race::replay::{FRAME, FRAMES};
use crate::workbench::edge::offscreen::Picture;
use crate::workbench::paint::race::{draw, height};
use crate::workbench::race::RaceView;
use crate::workbench::theme::{Depth, Theme};

/// The columns of the picture, and how long it shows the result before it begins again.
const WIDTH: u16 = 130;
const HOLD: Duration = Duration::from_secs(8);

/// Returns the frames of a race, each with its time.
pub fn frames(name: &str, race: &Race) -> impl Iterator<Item = (Duration, Picture)> {
    let mut view = RaceView::new(0, name.into(), "".into());
    (view.k, view.result, view.frame) = (race.k, Some(race.clone()), FRAMES);
    let (rows, theme) = (height(&view, WIDTH), Theme::new(Depth::True));
    (0..=FRAMES).map(move |frame| {
        view.frame = frame;
        let mut cells = Buffer::empty(Rect::new(0, 0, WIDTH, rows));
        draw(&view, "", Rect::new(0, 0, WIDTH, rows), &theme, &mut cells);
        // The last row lists keys.
        cells.resize(Rect::new(0, 0, WIDTH, rows - 1));
        (FRAME * frame, Picture { cells, cursor: None })
    })
}

/// Returns an SVG that plays without scripts.
pub fn film(name: &str, race: &Race) -> String {
    let mut film = Film::default();
    frames(name, race).for_each(|(at, picture)| film.add(at, &picture));
    film.svg(FRAME * FRAMES + HOLD, &format!("{name}: {}, seed {}", variants(race), race.seed))
}

//! The layout of the screen as a function of its size.
//!
//! A place ([`LayoutSlot`]) holds one or more panels: the one requested last is shown, the others are tabs. Small
//! screens have few places with many tabs, large ones have many places.

use ratatui::layout::Rect;

use crate::workbench::panels::{Panel, Place};
use crate::workbench::state::State;

/// The width of a line's run count in the editor's gutter, in cells.
pub const COUNT: usize = 6;

/// The minimum size of the screen.
pub const LEAST: (u16, u16) = (20, 5);

/// The maximum size that is drawn, at the upper left of a larger terminal. No display shows more legible
/// letters, and each cell costs memory and time in every frame.
pub const MOST: (u16, u16) = (1_000, 500);

/// Limits a size to the drawn part.
pub fn clamp_size((width, height): (u16, u16)) -> (u16, u16) {
    (width.min(MOST.0), height.min(MOST.1))
}

/// A place for panels: a row of tabs, and below it the content of the active panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutSlot {
    pub tabs: Rect,
    pub content: Rect,
    pub panels: Vec<Panel>,
    pub active: Panel,
}

/// A border between two places, which the mouse can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Border {
    /// Its index in the state's borders.
    pub number: usize,
    /// The cells of the border: a line between columns, or the row of tabs of the lower place.
    pub cells: Rect,
    pub area: Rect,
    /// Whether it divides columns, not rows.
    pub is_column: bool,
}

/// Returns the minimum length of a place next to a border, in cells: of a column, or of a row.
pub fn least_place(is_column: bool, length: u16) -> u16 {
    (if is_column { 12 } else { 4 }).min(length / 2)
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Empty if the screen is too small.
    pub slots: Vec<LayoutSlot>,
    /// The borders between places; those between columns are drawn as lines.
    pub borders: Vec<Border>,
    /// The line of the gauge.
    pub gauge: Option<Rect>,
    /// The line of the next goal, while the Lesson panel is hidden.
    pub goal: Option<Rect>,
    pub status: Rect,
}

impl Layout {
    /// Returns the place that currently shows a panel.
    pub fn slot(&self, panel: Panel) -> Option<&LayoutSlot> {
        self.slots.iter().find(|s| s.active == panel)
    }
    /// Returns the content area of a panel that is currently shown.
    pub fn content(&self, panel: Panel) -> Option<Rect> {
        self.slot(panel).map(|s| s.content)
    }
}

/// Groups of places that share one slot on smaller screens, or until a panel of each was asked for. The first panel is in
/// front at first.
const TESTS: &[Place] = &[Place::Tests, Place::Problems];
const CODE: &[Place] = &[Place::Why, Place::Source, Place::Code];
const MUTANTS: &[Place] = &[Place::Mutants, Place::Costs];
const UPPER: &[Place] = &[Place::Tests, Place::Source, Place::Code, Place::Why];
const LOWER: &[Place] = &[Place::Mutants, Place::Problems, Place::Costs];
const ALL: &[Place] =
    &[Place::Tests, Place::Mutants, Place::Why, Place::Problems, Place::Source, Place::Code, Place::Costs];

impl State {
    pub fn layout(&self) -> Layout {
        layout(self)
    }
}

fn layout(state: &State) -> Layout {
    let (w, h) = state.screen.size;
    if w < LEAST.0 || h < LEAST.1 {
        return Layout::default();
    }
    let status = Rect::new(0, h - 1, w, 1);
    let gauge = (h >= 8 && w >= 40).then(|| Rect::new(0, h - 2, w, 1));
    let body = Rect::new(0, 0, w, h - 1 - u16::from(gauge.is_some()));
    let out = Layout { gauge, status, ..Layout::default() };
    let all = arranged(state, body, out.clone());
    // While the text of a lesson is read on a small screen, its goals are below the end of the panel.
    let reads = state.screen.focus == Panel::LESSON && is_small(state.screen.size);
    let hides_goals = is_taught(state) && (reads || all.slot(Panel::LESSON).is_none());
    if gauge.is_none() || !hides_goals {
        return all;
    }
    let body = Rect { height: body.height - 1, ..body };
    let goal = Some(Rect::new(0, body.bottom(), w, 1));
    arranged(state, body, Layout { goal, ..out })
}

/// Arranges the places in an area.
fn arranged(state: &State, body: Rect, out: Layout) -> Layout {
    let (w, h) = state.screen.size;
    let mut make = LayoutBuilder { state, out };
    if state.screen.zoomed && state.screen.focus.row().with_source && w >= 60 && h >= 20 {
        with_source(&mut make, body);
    } else if state.screen.zoomed || w < 60 || h < 12 {
        make.slot_of(body, Panel::all().collect());
    } else if is_small((w, h)) && is_taught(state) {
        taught(&mut make, body);
    } else if is_small((w, h)) {
        small(&mut make, body);
    } else if w < 150 || h < 44 {
        medium(&mut make, body);
    } else {
        large(&mut make, body);
    }
    make.out
}

/// Lays out the editor and one panel: the editor at the left where there is room, else above it.
fn with_source(make: &mut LayoutBuilder, body: Rect) {
    let [source, panel] = match body.width >= 110 {
        true => make.columns(12, body, percent(body.width, 50)),
        false => make.rows(13, body, percent(body.height, 36)),
    };
    make.slot(source, &[Place::Editor]);
    make.slot_of(panel, Panel::all().filter(|panel| panel.row().place != Place::Editor).collect());
}

fn is_small((w, h): (u16, u16)) -> bool {
    w < 110 || h < 30
}

/// Returns whether a lesson or the tour is open.
fn is_taught(state: &State) -> bool {
    (Panel::LESSON.row().has_content)(state)
}

/// Lays out the editor above everything else, so that the lines of a lesson's program are whole.
fn taught(make: &mut LayoutBuilder, body: Rect) {
    let [editor, rest] = make.rows(14, body, percent(body.height, if make.tall().is_some() { 42 } else { 56 }));
    make.slot(editor, &[Place::Editor]);
    make.slot(rest, ALL);
}

/// Lays out the editor, one place for tests and code, and one for mutants.
fn small(make: &mut LayoutBuilder, body: Rect) {
    let tall = make.tall();
    let [left, right] = make.columns(0, body, percent(body.width, if tall.is_some() { 48 } else { 57 }));
    make.slot(left, &[Place::Editor]);
    if tall.is_some() {
        return make.slot(right, UPPER);
    }
    let [top, bottom] = make.rows(1, right, percent(right.height, 52));
    make.slot(top, UPPER);
    make.slot(bottom, LOWER);
}

/// Lays out the editor above the tests, with the reasons of mutants and code above the mutants on the right, and costs once
/// they were asked for.
fn medium(make: &mut LayoutBuilder, body: Rect) {
    let [left, right] = make.columns(2, body, percent(body.width, 54));
    let [editor, tests] = make.rows(3, left, left.height - percent(left.height, 28).max(8));
    make.slot(editor, &[Place::Editor]);
    match make.tall() {
        // A panel that needs the full height changes places with the code.
        Some(Place::Tests) => {
            make.slot(tests, CODE);
            return make.slot(right, TESTS);
        }
        Some(_) => {
            make.slot(tests, TESTS);
            return make.slot(right, CODE);
        }
        None => make.slot(tests, TESTS),
    }
    if !make.is_asked(Place::Costs) {
        let [code, mutants] = make.rows(11, right, percent(right.height, 56));
        make.slot(code, CODE);
        return make.slot(mutants, MUTANTS);
    }
    let [code, rest] = make.rows(4, right, percent(right.height, 44));
    make.slot(code, CODE);
    let [mutants, costs] = make.rows(5, rest, percent(rest.height, 46));
    make.slot(mutants, &[Place::Mutants]);
    make.slot(costs, &[Place::Costs]);
}

/// Lays out the editor with code on its right, in two places once tokens or the tree were asked for; below them tests,
/// mutants, and costs once they were asked for.
fn large(make: &mut LayoutBuilder, body: Rect) {
    let costs = if body.height >= 56 { 20 } else { 17 };
    let [upper, lower] = make.rows(6, body, body.height - costs);
    let [left, right] = make.columns(7, upper, percent(upper.width, 46));
    make.slot(left, &[Place::Editor]);
    let swapped = make.tall() == Some(Place::Tests);
    let rest: &[Place] = if make.is_asked(Place::Source) {
        let [first, second] = make.columns(8, right, right.width / 2);
        make.slot(first, &[Place::Source]);
        make.slot(second, if swapped { TESTS } else { &[Place::Why, Place::Code] });
        &[Place::Code, Place::Why]
    } else {
        make.slot(right, if swapped { TESTS } else { CODE });
        CODE
    };
    let [tests, right] = make.columns(9, lower, percent(lower.width, 29));
    make.slot(tests, if swapped { rest } else { TESTS });
    if !make.is_asked(Place::Costs) {
        return make.slot(right, MUTANTS);
    }
    let [mutants, costs] = make.columns(10, right, right.width.saturating_sub(48));
    make.slot(mutants, &[Place::Mutants]);
    make.slot(costs, &[Place::Costs]);
}

struct LayoutBuilder<'a> {
    state: &'a State,
    out: Layout,
}

impl LayoutBuilder<'_> {
    /// Returns the focused panel's place, if that panel needs the full height.
    fn tall(&self) -> Option<Place> {
        let row = self.state.screen.focus.row();
        row.tall.then_some(row.place)
    }

    /// Returns whether a panel of a place was asked for.
    fn is_asked(&self, place: Place) -> bool {
        let is_asked = |panel: Panel| self.state.screen.recency(panel) > 0;
        Panel::all().any(|panel| panel.row().place == place && is_asked(panel))
    }

    /// Adds a slot with the panels of some places, in this order.
    fn slot(&mut self, area: Rect, places: &[Place]) {
        let of = |place: Place| Panel::all().filter(move |panel| panel.row().place == place);
        let mut panels: Vec<Panel> = places.iter().flat_map(|place| of(*place)).collect();
        // The tab that comes when a test fails is the last.
        panels.sort_by_key(|panel| *panel == Panel::REPAIRS);
        self.slot_of(area, panels);
    }

    fn slot_of(&mut self, area: Rect, panels: Vec<Panel>) {
        let focus = self.state.screen.focus;
        let active = if panels.contains(&focus) {
            focus
        } else {
            // The panel requested last is active. No error changes this: panels stay while a text is being typed.
            let asked = |p: &Panel| self.state.screen.recency(*p);
            let latest = panels.iter().map(asked).max();
            panels.iter().copied().find(|p| Some(asked(p)) == latest).unwrap_or_default()
        };
        let tabs = Rect { height: 1.min(area.height), ..area };
        let content = Rect { y: area.y + tabs.height, height: area.height - tabs.height, ..area };
        self.out.slots.push(LayoutSlot { tabs, content, panels, active });
    }

    /// Returns the length of the first part of an area: as the user moved the border, or else `usual`.
    fn divided(&self, number: usize, is_column: bool, length: u16, usual: u16) -> u16 {
        let least = least_place(is_column, length);
        let moved = self.state.screen.borders[number].map(|part| u32::from(length) * u32::from(part) / 1_000);
        moved.map_or(usual, |moved| moved as u16).clamp(least, (length - least).max(least))
    }

    /// Splits an area into two columns with a line between them.
    fn columns(&mut self, number: usize, area: Rect, left: u16) -> [Rect; 2] {
        let left = self.divided(number, true, area.width, left);
        let cells = Rect { x: area.x + left, width: 1, ..area };
        self.out.borders.push(Border { number, cells, area, is_column: true });
        let right = Rect { x: area.x + left + 1, width: area.width - left - 1, ..area };
        [Rect { width: left, ..area }, right]
    }

    /// Splits an area into two rows; the lower row of tabs divides them.
    fn rows(&mut self, number: usize, area: Rect, top: u16) -> [Rect; 2] {
        let top = self.divided(number, false, area.height, top);
        let below = Rect { y: area.y + top, height: area.height - top, ..area };
        let cells = Rect { height: below.height.min(1), ..below };
        self.out.borders.push(Border { number, cells, area, is_column: false });
        [Rect { height: top, ..area }, below]
    }
}

fn percent(n: u16, percent: u16) -> u16 {
    (u32::from(n) * u32::from(percent) / 100) as u16
}

//! The arrangement of the screen: panels, their scroll positions, the focus.

use std::collections::BTreeMap;

use crate::lang::diagnostic::Code;
use crate::lang::index::{Indices, TokenId};
use crate::workbench::results::{Shown, StepsView};
use crate::workbench::state::filter::Filter;

/// The number of borders that can be moved, over all sizes of the screen.
pub const BORDERS: usize = 15;

/// A panel: its index in the table of panels. The editor is the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Panel(pub(in crate::workbench) u8);

impl Panel {
    /// The maximum number of panels; the state keeps a view for each.
    pub const MOST: usize = 32;

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A list's scroll position and selected row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListView {
    pub top: usize,
    pub selected: usize,
}

/// The form of the intermediate code on display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IrView {
    Lowered,
    /// After this many passes.
    Pass(usize),
    #[default]
    Optimized,
}

impl Link {
    /// Returns the element of a token of a program.
    pub fn of(shown: &Shown, token: TokenId) -> Link {
        let node = shown.node_of(token);
        Link { token, node, tokens: shown.extent_tokens(node) }
    }
}

/// The element under the cursor, as tokens of the shown program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The token itself.
    pub token: TokenId,
    /// The node that the token heads or belongs to.
    pub node: TokenId,
    /// The node's tokens.
    pub tokens: Indices<TokenId>,
}

#[derive(Debug, Default)]
pub struct Screen {
    /// Columns and rows.
    pub size: (u16, u16),
    pub focus: Panel,
    /// When each panel was last requested; among panels that share a place, the latest is shown.
    recency: [u32; Panel::MOST],
    pub zoomed: bool,
    /// The places of borders, in thousandths of the divided length; `None` for the usual place.
    pub borders: [Option<u16>; BORDERS],
    /// The border that the mouse moves.
    pub moving: Option<usize>,
    pub lists: [ListView; Panel::MOST],
    filters: BTreeMap<Panel, Filter>,
    /// The first visible line and column of the editor.
    pub editor_top: usize,
    /// The first visible row of that line if lines are wrapped.
    pub editor_top_row: usize,
    pub editor_left: usize,
    /// The diagnostic whose explanation is shown below it.
    pub explained: Option<Code>,
    pub ir_view: IrView,
    /// The function, test or property whose passes the IR panel shows.
    pub ir_routine: usize,
    /// The text whose graph the CFG panel has shown.
    pub cfg_revision: u64,
    /// Whether the IR panel shows the reasons for changes.
    pub ir_reasons: bool,
    /// Whether the editor shows what level 2 does not expand.
    pub remarks: bool,
    pub steps: StepsView,
    /// The last link followed; views scroll only when it changes.
    pub followed: Option<Link>,
    /// The list views and the size when the views were last settled.
    settled: [ListView; Panel::MOST],
    last_size: (u16, u16),
    /// The lines of the editor when the views were last settled; 0 while it was hidden.
    settled_lines: usize,
    /// The lines of the text then.
    settled_text: usize,
}

impl Screen {
    pub fn new() -> Screen {
        Screen { size: (80, 24), ..Screen::default() }
    }

    /// Takes over the arrangement of another file's screen: the size, the order of panels, and whether one covers the
    /// screen. The editor has the focus.
    pub fn take_arrangement(&mut self, other: &Screen) {
        (self.size, self.recency, self.zoomed, self.borders) =
            (other.size, other.recency, other.zoomed, other.borders);
        self.focus = Panel::default();
    }

    /// Focuses a panel, and brings it to the front of its place.
    pub fn bring_forward(&mut self, panel: Panel) {
        self.focus = panel;
        self.recency[panel.index()] = self.recency.iter().max().unwrap_or(&0) + 1;
    }

    /// Returns when a panel was last requested, as a number; 0 if never.
    pub fn recency(&self, panel: Panel) -> u32 {
        self.recency[panel.index()]
    }

    /// Forgets that a panel was requested.
    pub fn forget(&mut self, panel: Panel) {
        self.recency[panel.index()] = 0;
    }

    pub fn filter(&self, panel: Panel) -> Option<&Filter> {
        self.filters.get(&panel)
    }

    pub fn take_filter(&mut self, panel: Panel) -> Option<Filter> {
        self.filters.remove(&panel)
    }

    pub fn set_filter(&mut self, panel: Panel, filter: Option<Filter>) {
        match filter {
            Some(filter) => drop(self.filters.insert(panel, filter)),
            None => drop(self.filters.remove(&panel)),
        }
    }

    /// Forgets which panels were requested.
    pub fn forget_recency(&mut self) {
        self.recency = [0; Panel::MOST];
    }

    pub fn select(&mut self, panel: Panel, row: usize) {
        self.lists[panel.index()].selected = row;
    }

    /// Returns whether a list's view or the size has changed since the views were settled.
    pub fn has_moved(&self, panel: Panel, view: ListView) -> bool {
        self.was_resized() || view != self.settled[panel.index()]
    }

    /// Scrolls to the editor's cursor when the views are settled next.
    pub fn show_cursor(&mut self) {
        self.last_size = (0, 0);
    }

    pub fn was_resized(&self) -> bool {
        self.last_size != self.size
    }

    pub fn settle(&mut self, panel: Panel, view: ListView) {
        self.lists[panel.index()] = view;
        self.settled[panel.index()] = view;
    }

    pub fn settle_size(&mut self) {
        self.last_size = self.size;
    }

    /// Records the number of lines of the editor. Returns whether it has changed.
    pub fn settle_lines(&mut self, lines: usize) -> bool {
        std::mem::replace(&mut self.settled_lines, lines) != lines
    }

    /// Records the number of lines of the text. Returns whether it has become smaller.
    pub fn settle_text(&mut self, lines: usize) -> bool {
        std::mem::replace(&mut self.settled_text, lines) > lines
    }

    pub fn list(&self, panel: Panel) -> ListView {
        self.lists[panel.index()]
    }
}

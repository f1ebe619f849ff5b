//! The welcome: its choices, and the selected one.

use std::path::PathBuf;

use crate::lang::samples::{self, Sample};
use crate::workbench::learn::{SHIPPED, Shipped};

/// The introduction of the program.
pub const ABOUT: [&str; 2] = [
    "Myriad is a live compiler workbench: on every keystroke it compiles the program on screen, runs its tests, and shows \
     each phase.",
    "It also judges hundreds of mutants, which are small changes of the program, and so finds the mistakes that no test would notice.",
];

/// The maximum number of recent files shown.
const RECENT: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Tour,
    New,
    Open,
    Recent(PathBuf),
    Sample(Sample),
    Lesson(Shipped),
}

impl Item {
    /// Returns the heading above choices of this kind; empty if they have none.
    pub fn section(&self) -> &'static str {
        match self {
            Item::Tour | Item::New | Item::Open => "",
            Item::Recent(_) => "Recent files",
            Item::Sample(_) => "Samples",
            Item::Lesson(_) => "Lessons",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WelcomeView {
    /// The index of the selected choice.
    pub chosen: usize,
}

/// Returns all choices, in order.
pub fn items(recent: &[PathBuf]) -> Vec<Item> {
    let mut items = vec![Item::Tour, Item::Open, Item::New];
    items.extend(recent.iter().take(RECENT).cloned().map(Item::Recent));
    items.extend(samples::all().into_iter().map(Item::Sample));
    items.extend(SHIPPED.iter().copied().map(Item::Lesson));
    items
}

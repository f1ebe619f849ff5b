//! Arrangements of the screen: which panels are in front, and where the borders are.

use crate::workbench::state::screen::{BORDERS, Panel, Screen};

/// An arrangement that the user can choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    #[default]
    Standard,
    Teach,
    Test,
    Perf,
    /// The one that the user kept.
    Own,
}

impl Arrangement {
    pub const ALL: [Arrangement; 5] =
        [Arrangement::Standard, Arrangement::Teach, Arrangement::Test, Arrangement::Perf, Arrangement::Own];

    pub fn name(self) -> &'static str {
        match self {
            Arrangement::Standard => "standard",
            Arrangement::Teach => "teach",
            Arrangement::Test => "test",
            Arrangement::Perf => "perf",
            Arrangement::Own => "own",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Arrangement::Standard => "the tests, the mutants, why the chosen one survives",
            Arrangement::Teach => "the syntax tree, the intermediate code, the tests",
            Arrangement::Test => "the chosen mutant, the list of mutants, the matrix",
            Arrangement::Perf => "the bytecode, the latency, the energy",
            Arrangement::Own => "the panels and borders that you kept with k",
        }
    }

    pub fn named(name: &str) -> Option<Arrangement> {
        Arrangement::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// The panels in front, the most important last, and the borders, in thousandths of the divided length; `None` for the usual
/// place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    pub front: Vec<Panel>,
    pub borders: [Option<u16>; BORDERS],
}

/// The chosen arrangement, and the user's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangements {
    pub chosen: Arrangement,
    pub own: Option<Kept>,
}

impl Screen {
    /// Returns the panels that were requested, the last one last, and the borders.
    pub fn kept(&self) -> Kept {
        let mut front: Vec<Panel> =
            (0..Panel::MOST as u8).map(Panel).filter(|panel| self.recency(*panel) > 0).collect();
        front.sort_by_key(|panel| self.recency(*panel));
        Kept { front, borders: self.borders }
    }

    /// Brings panels to the front of their places, in this order, and no others. The focus stays.
    pub fn arrange(&mut self, kept: &Kept) {
        let focus = self.focus;
        self.forget_recency();
        kept.front.iter().for_each(|panel| self.bring_forward(*panel));
        self.bring_forward(focus);
        self.borders = kept.borders;
    }
}

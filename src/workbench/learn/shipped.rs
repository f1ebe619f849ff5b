//! The lessons that are part of the program.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

use crate::workbench::learn::progress::LearnProgress;

static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../assets/learn");
static SOLUTIONS: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../tests/learn");

/// A shipped lesson: `03-types.myr` has number 3 and name `types`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    pub number: u32,
    pub name: &'static str,
    pub text: &'static str,
    /// A program that reaches all goals.
    pub solution: &'static str,
}

/// All shipped lessons, in order.
pub static SHIPPED: LazyLock<Vec<Shipped>> = LazyLock::new(|| {
    let lesson = |file: &'static include_dir::File<'static>| {
        let (number, name) = file.path().file_name()?.to_str()?.strip_suffix(".myr")?.split_once('-')?;
        let solution = SOLUTIONS.get_file(file.path())?.contents_utf8()?;
        Some(Shipped { number: number.parse().ok()?, name, text: file.contents_utf8()?, solution })
    };
    let mut all: Vec<Shipped> = FOLDER.files().filter_map(lesson).collect();
    all.sort_by_key(|lesson| lesson.number);
    all
});

impl Shipped {
    /// Returns the lesson with this name or number.
    pub fn of(word: &str) -> Option<Shipped> {
        let number = word.parse().ok();
        SHIPPED.iter().copied().find(|lesson| lesson.name == word || Some(lesson.number) == number)
    }

    /// Returns its title: the first line, after the field's name.
    pub fn title(self) -> &'static str {
        let line = self.text.lines().next().unwrap_or("");
        line.split_once(':').map_or("", |(_, title)| title.trim())
    }

    /// The name of whatever lesson is not done.
    pub const UNDONE: &str = "";

    /// Returns the first lesson that is not done, if any.
    pub fn undone(progress: &LearnProgress) -> Option<Shipped> {
        SHIPPED.iter().copied().find(|lesson| progress.when(lesson.name).is_none())
    }

    /// Returns the following lesson.
    pub fn next(self) -> Option<Shipped> {
        SHIPPED.iter().copied().find(|lesson| lesson.number > self.number)
    }
}

//! The lessons that are part of the program.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/learn");

/// A lesson that is part of the program: `03-types.myr` is number 3, types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    pub number: u32,
    pub name: &'static str,
    pub text: &'static str,
}

/// All of them, in order.
pub static SHIPPED: LazyLock<Vec<Shipped>> = LazyLock::new(|| {
    let lesson = |file: &'static include_dir::File<'static>| {
        let (number, name) = file.path().file_name()?.to_str()?.strip_suffix(".myr")?.split_once('-')?;
        Some(Shipped { number: number.parse().ok()?, name, text: file.contents_utf8()? })
    };
    let mut all: Vec<Shipped> = FOLDER.files().filter_map(lesson).collect();
    all.sort_by_key(|lesson| lesson.number);
    all
});

impl Shipped {
    /// The lesson of this name or number.
    pub fn of(word: &str) -> Option<Shipped> {
        let number = word.parse().ok();
        SHIPPED.iter().copied().find(|lesson| lesson.name == word || Some(lesson.number) == number)
    }

    /// The one behind it.
    pub fn next(self) -> Option<Shipped> {
        SHIPPED.iter().copied().find(|lesson| lesson.number > self.number)
    }
}

//! Which function of a program something is in.

use std::ops::Range;

use crate::workbench::results::Shown;

impl Shown {
    /// The functions, each with the bytes of its source, from `fn` to its closing brace.
    fn functions(&self) -> impl Iterator<Item = (u32, Range<usize>)> {
        let functions = self.compiled.executable.routines().take(self.compiled.facts.functions as usize);
        functions.filter_map(|function| Some((function.index, self.extent(function.head())?)))
    }

    /// The function whose source a token belongs to.
    pub fn function_of(&self, token: u32) -> Option<u32> {
        let span = self.span(token)?;
        self.functions().find(|(_, extent)| extent.contains(&span.start)).map(|(function, _)| function)
    }

    /// The function that a byte of the text lies in; of two that meet there the one that begins.
    pub fn function_at(&self, byte: usize) -> Option<u32> {
        let holding = self.functions().filter(|(_, extent)| extent.start <= byte && byte <= extent.end);
        holding.max_by_key(|(_, extent)| extent.start).map(|(function, _)| function)
    }

    /// The function that some bytes of the text lie within.
    pub fn function_around(&self, bytes: Range<usize>) -> Option<u32> {
        let mut around = self.functions().filter(|(_, e)| e.start < bytes.start && bytes.end < e.end);
        around.next().map(|(function, _)| function)
    }

    /// A function's name.
    pub fn function_name(&self, function: u32) -> String {
        self.compiled.function_name(function).to_string()
    }
}

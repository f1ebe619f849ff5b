//! Which function of a program something is in.

use std::ops::Range;

use crate::workbench::results::Shown;

impl Shown {
    /// The functions, each with the bytes of its source, from `fn` to its closing brace.
    fn functions(&self) -> impl Iterator<Item = (u32, Range<usize>)> {
        let heads = self.compiled.executable.routines.token.iter().take(self.compiled.facts.functions as usize);
        (0..).zip(heads).filter_map(|(function, &head)| Some((function, self.extent(head)?)))
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
        let head = self.compiled.executable.routines.token.get(function as usize);
        let span = head.and_then(|&head| self.span(head + 1));
        span.and_then(|span| self.compiled.text.get(span)).unwrap_or("").to_string()
    }
}

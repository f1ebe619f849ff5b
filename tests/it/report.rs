//! Output formats, in unit tests.

mod calls;
mod diagnostics;
mod document;
mod draw;
mod places;
mod symbols;
mod words;

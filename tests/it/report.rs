//! Output formats, in unit tests.

mod diagnostics;
mod document;
mod draw;
mod places;
mod words;

//! What leaves the program, in small.

mod diagnostics;
mod document;
mod draw;
mod places;
mod words;

//! What leaves the program for people and machines: diagnostics, listings, documents.

pub mod diagnostics;
pub mod places;
pub mod warnings;

//! Output formats: diagnostics, listings, documents.

// A path begins with its room, in every member.
extern crate self as report;
use {::compiler, ::host, ::lang, ::network};

pub mod align;
pub mod calls;
pub mod cfg;
pub mod code_diff;
pub mod diagnostics;
pub mod document;
pub mod draw;
pub mod dump;
pub mod explain;
mod expression;
pub mod facts;
pub mod format;
pub mod html;
pub mod listing;
pub mod mutants;
pub mod names;
pub mod page;
pub mod places;
pub mod raw;
pub mod rounds;
pub mod shard;
pub mod stages;
pub mod steps;
pub mod symbols;
pub mod table;
pub mod testing;
pub mod visible;
pub mod warnings;
pub mod words;

//! Finds the code and the rules of level 3: proposes them, and keeps those that are proved (`docs/improve.md`).

mod enumerate;
mod function;
mod lanes;
mod learn;
mod moves;
mod rules;
pub mod store;
mod windows;

pub use enumerate::shorten;
pub use function::{Improved, Search, Tried, improve, with_code};
pub use learn::{Outcome, keyed, learn, name, routines, steps};
pub use rules::RuleSearch;
pub use windows::{Window, harvest};

//! Finds the code and the rules of level 3: proposes them, and keeps those that are proved (`docs/improve.md`).

mod enumerate;
mod function;
mod lanes;
mod learn;
mod moves;
mod rules;
pub mod savings;
pub mod store;
mod windows;

pub use enumerate::shorten;
pub use function::{FunctionSearch, Improved, Tried, improve, with_code};
pub use learn::{
    Identity, LearnOutcome, identities, keyed, learn, name, names_hash, routines, rule_hits, steps,
};
pub use rules::RuleSearch;
pub use windows::{Window, harvest};

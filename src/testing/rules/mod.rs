//! Rules that users write: an optimizer of their own (`docs/rules.md`). A file `NAME.rules` has one rule a line. Each is
//! proved for all values, or refuted by a counterexample; those that are proved apply to a program.

mod apply;
mod decide;
mod matches;
mod pattern;
mod program;
mod read;
mod smallest;
mod trace;
mod windows;

pub use apply::{Applied, Fired, RuleChange, SWEEPS, apply};
pub use decide::{Counterexample, UserVerdict, decide, decide_all, function};
pub use program::{AppliedRules, KnownRules, ProgramRules};
pub use read::{ExpressionRule, IN_PROGRAMS, Letter, RuleError, RuleLine, UserRule, as_program, read};
pub use windows::{WindowCounterexample, WindowEnd};

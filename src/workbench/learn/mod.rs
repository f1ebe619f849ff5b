//! Lessons: programs whose comments say what they teach and what is to be reached.
//!
//! A lesson is a `.myr` file. The comments at its top, `//! FIELD: …`, are its header: title, prose, goals, hints ([`Lesson`]); what follows
//! is the program that a learner begins with. A learner works on a copy without the header ([`place`]).
//!
//! Each goal is judged on what the engine says of the learner's text, by a pure function ([`judge`]). What the lesson asks about stays: all of its
//! tests and properties, and what it says it keeps, have to be in the learner's text token by token ([`Own`]), and goals that name a test mean
//! the lesson's own. So nobody is done by removing the question.

mod assess;
mod format;
mod goal;
mod goals;
pub mod judge;
mod lesson;
mod own;
pub mod place;
pub mod progress;
mod shipped;
mod words;

pub use assess::assess;
pub use format::{Cut, Fault, cut};
pub use goal::{Code, Goal, Pattern};
pub use goals::{KINDS, Kind};
pub use lesson::{Aim, FIELDS, HINTS, Key, Lesson};
pub use own::Own;
pub use place::{Begun, Course, Trouble};
pub use shipped::{SHIPPED, Shipped};

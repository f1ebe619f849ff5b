//! Lessons: programs with a header of comments that explain a topic and set goals.
//!
//! A lesson is a `.myr` file. The comments at its top, `//! FIELD: …`, form its header: title, prose, goals,
//! hints ([`Lesson`]). The rest is the program that a learner starts with. A learner edits a copy without the
//! header ([`workspace`]).
//!
//! Each goal is judged from the engine's results on the learner's text, by a pure function ([`judge`]).
//! Learners cannot pass by changing the task: all tests and properties of the lesson, and the items that it
//! keeps, must remain in the text token by token ([`LessonItems`]), and goals that name a test refer to the lesson's
//! own test.

mod assess;
mod format;
mod goal;
mod goals;
pub mod judge;
mod lesson;
mod own;
pub mod progress;
mod shipped;
mod words;
pub mod workspace;

pub use assess::{Assessment, assess, assess_with};
pub use format::{FormatFault, LessonFile, split_header};
pub use goal::{Goal, GoalCode, Pattern};
pub use goals::{GoalKind, KINDS};
pub use lesson::{FIELDS, HINTS, Lesson, LessonGoal, LessonKey};
pub use own::LessonItems;
pub use shipped::{SHIPPED, Shipped};
pub use workspace::{Course, CourseError, StartedCourse};

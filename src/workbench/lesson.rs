//! The state of the Lesson panel.

use crate::workbench::learn::judge::Judgement;

/// The user's progress in the lesson to which the file belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonView {
    /// The number of hints shown so far.
    pub hints: usize,
    /// The judgement of the goals for the newest text that has an answer.
    pub judged: Option<Judgement>,
}

impl LessonView {
    /// Returns whether every goal is reached.
    pub fn is_done(&self) -> bool {
        self.judged.as_ref().is_some_and(Judgement::is_done)
    }
}

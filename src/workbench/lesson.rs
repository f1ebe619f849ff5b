//! A lesson as it is looked at.

use crate::workbench::learn::judge::Judgement;

/// How far somebody is with the lesson that the file is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonView {
    /// Hints that show, the first ones.
    pub hints: usize,
    /// Which goals the newest text with an answer reaches.
    pub judged: Option<Judgement>,
}

impl LessonView {
    /// Whether every goal is reached.
    pub fn is_done(&self) -> bool {
        self.judged.as_ref().is_some_and(Judgement::is_done)
    }
}

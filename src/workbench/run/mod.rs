//! A run that is looked at: what is run, where in it somebody is, and what shows there.

mod beside;
mod calls;
mod scene;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::session::{Against, Breakpoint, Recorded, Wish};
use crate::testing::trace::{Again, Source, Subject, Trace};
pub use scene::{Key, Row, Scene};

/// Where somebody goes in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Forward,
    Back,
    Over,
    BackOver,
    Out,
    Caller,
    NextLine,
    LineBefore,
    /// To the line of the editor's cursor.
    NextVisit,
    VisitBefore,
    /// Of the variable in the chosen row.
    NextChange,
    ChangeBefore,
    /// To the next breakpoint.
    On,
    OnBack,
    Start,
    End,
    /// To what fails or traps.
    Failure,
    /// To who made the chosen value, and back from there.
    Maker,
    MakerBack,
    /// To where the chosen row leads.
    Row,
    /// To where the run parts from the one beside it.
    Parting,
}

/// The run that is looked at.
#[derive(Clone, Debug, Default)]
pub struct RunView {
    pub wish: Option<Arc<Wish>>,
    /// Wishes so far.
    wishes: u32,
    /// What was recorded last, perhaps of an older wish or text.
    pub recorded: Option<Recorded>,
    pub position: u32,
    /// The value that somebody follows, where it was made or handed on.
    pub asked: Option<Source>,
    /// Where it was asked for before, the last one last.
    pub trail: Vec<(u32, Option<Source>)>,
    /// Calls that are folded otherwise than they would be by themselves.
    pub toggled: BTreeSet<u32>,
    /// What it is compared with.
    pub against: Option<Against>,
    /// The same run of the text before.
    pub before: Option<Again>,
    /// The run of the same function or property on another input that was watched before this one, and what it is called.
    pub earlier: Option<(String, Again)>,
    /// Of the text on screen.
    pub breakpoints: Vec<Breakpoint>,
    /// The last call of each function that somebody asked for.
    pub calls: HashMap<String, String>,
    /// What shows.
    pub scene: Arc<Scene>,
    /// What is behind the position is hidden, as somebody predicts it.
    pub hides: bool,
    /// What can stand beside it, in a few words; nothing where that takes an edit or a mutant first.
    pub offers: &'static str,
    /// The slider has been taken by the mouse.
    pub sliding: bool,
}

impl RunView {
    /// Asks for a run; what was recorded of another one is no longer shown.
    pub fn want(&mut self, subject: Subject) {
        if let Subject::Call { function, .. } = &subject {
            self.calls.insert(function.clone(), subject.text());
        }
        if self.wish.as_ref().is_none_or(|wish| wish.subject != subject) {
            let same = self.wish.as_ref().is_some_and(|wish| wish.subject.name() == subject.name());
            self.earlier = self.title().zip(self.trace().and_then(|trace| trace.again())).filter(|_| same);
            self.recorded = None;
            (self.against, self.before) = (None, None);
        }
        self.wish_for(subject);
        self.look();
    }

    /// The same with the breakpoints that there are now.
    pub fn want_again(&mut self) {
        if let Some(subject) = self.wish.as_ref().map(|wish| wish.subject.clone()) {
            self.wish_for(subject);
        }
    }

    fn wish_for(&mut self, subject: Subject) {
        self.wishes += 1;
        let breakpoints = self.breakpoints.clone();
        let against = self.against.clone();
        self.wish = Some(Arc::new(Wish { number: self.wishes, subject, breakpoints, against }));
    }

    /// What the run is called.
    pub fn title(&self) -> Option<String> {
        self.recorded.as_ref()?.run.as_ref().ok().map(|(title, _)| title.clone())
    }

    /// The run, once it is recorded.
    pub fn trace(&self) -> Option<&Arc<Trace>> {
        self.recorded.as_ref()?.run.as_ref().ok().map(|(_, trace)| trace).filter(|trace| !trace.is_empty())
    }

    /// Takes what was recorded, and goes to the place in it that the one before in the old run is: the same instruction of the same
    /// token, the same time. `carried` says where a token of the old text is in the new one.
    pub fn take(&mut self, recorded: Recorded, carried: impl Fn(&Trace, u32) -> Option<u32>) {
        let Some(wish) = self.wish.clone().filter(|wish| wish.subject == recorded.wish.subject) else { return };
        let before = self.trace().cloned();
        let same_text = before.as_ref().zip(recorded.run.as_ref().ok());
        let same_text = same_text.is_some_and(|(old, (_, new))| Arc::ptr_eq(&old.compiled, &new.compiled));
        let place = before.filter(|_| !same_text).map(|old| {
            let token = old.token(self.position).and_then(|token| carried(&old, token));
            let op = old.instruction(self.position).map(|(instruction, _)| instruction.op);
            (token.zip(op), old.count(self.position))
        });
        let known = self.trace().is_some();
        if !same_text {
            self.before = self.trace().and_then(|trace| trace.again());
        }
        self.recorded = Some(Recorded { wish, ..recorded });
        if let Some(trace) = self.trace().cloned() {
            self.position = match place {
                Some((Some((token, op)), count)) => {
                    trace.find(token, op, count).unwrap_or_else(|| self.begin(&trace))
                }
                Some((None, _)) => self.begin(&trace),
                None if known => self.position.min(trace.last()),
                None => self.begin(&trace),
            };
        }
        if !same_text {
            self.asked = None;
            self.trail.clear();
            self.toggled.clear();
        }
        self.look();
    }

    /// Where a run opens: at what fails, unless that is to be predicted.
    fn begin(&self, trace: &Trace) -> u32 {
        if self.hides { 0 } else { trace.telling() }
    }

    /// Goes to a position.
    pub fn go(&mut self, position: u32) {
        let Some(trace) = self.trace() else { return };
        let position = position.min(trace.last());
        if position != self.position {
            self.position = position;
            self.asked = None;
        }
        self.look();
    }

    /// Makes what shows.
    pub fn look(&mut self) {
        self.scene = Arc::new(Scene::new(self));
    }

    /// The breakpoint of a line, from 1.
    pub fn breakpoint(&self, line: u32) -> Option<&Breakpoint> {
        self.breakpoints.iter().find(|breakpoint| breakpoint.line == line)
    }
}

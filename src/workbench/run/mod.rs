//! The state of the Run panel: the requested run, the position in it, and the rows on display.

mod beside;
mod breakpoints;
mod calls;
mod row;
mod scene;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::lang::index::{CallId, Index, Position, TokenId};
use crate::session::{Breakpoint, CompareWith, Recorded, RunRequest};
use crate::testing::trace::{ProvenanceSource, ReplayKey, Subject, Trace};
pub use row::{RunKey, RunRow};
pub use scene::Scene;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMove {
    Forward,
    Back,
    Over,
    BackOver,
    Out,
    Caller,
    NextLine,
    LineBefore,
    /// To the next execution of the line at the editor's cursor.
    NextVisit,
    VisitBefore,
    /// To the next change of the chosen row's variable.
    NextChange,
    ChangeBefore,
    /// To the next breakpoint.
    On,
    OnBack,
    Start,
    End,
    /// To the step that fails or traps.
    Failure,
    /// To the step that made the chosen value, and back.
    Maker,
    MakerBack,
    /// To the step of the chosen row.
    Row,
    /// To the step where the run diverges from the compared one.
    Divergence,
}

/// A place in a run: an execution of a line in a call, both counted from 0, the calls among those of the same function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAim {
    pub function: String,
    pub call: usize,
    pub line: u32,
    pub round: usize,
}

impl RunAim {
    /// Returns its position; if the code has no such call, the line's first execution.
    fn position(&self, trace: &Trace) -> Option<Position> {
        let all = (0..).map(CallId::at).zip(trace.calls());
        let own = all.filter(|(_, call)| trace.compiled.function_name(call.function) == self.function);
        let (visits, call) = (trace.visits(self.line), { own }.nth(self.call).map(|(id, _)| id));
        let of_call = visits.iter().filter(|visit| Some(trace.call_at(**visit)) == call);
        of_call.take(self.round + 1).last().or(visits.first()).copied()
    }
}

/// The state of the Run panel.
#[derive(Clone, Debug, Default)]
pub struct RunView {
    pub wish: Option<Arc<RunRequest>>,
    /// Where the next recording begins.
    pub aim: Option<RunAim>,
    /// The number of requests so far.
    wishes: u32,
    /// The last recording, possibly of an earlier request or text.
    pub recorded: Option<Recorded>,
    pub position: Position,
    /// Whether the user has moved in this run.
    pub has_moved: bool,
    /// The value that is followed, at the step that made it or passed it on.
    pub asked: Option<ProvenanceSource>,
    /// The positions from which values were followed, oldest first.
    pub trail: Vec<(Position, Option<ProvenanceSource>)>,
    /// Calls whose folding differs from the default.
    pub toggled: BTreeSet<CallId>,
    pub against: Option<CompareWith>,
    /// The same run of the previous text.
    pub before: Option<ReplayKey>,
    /// The previous run of the same function or property on another input, with its title.
    pub earlier: Option<(String, ReplayKey)>,
    /// Breakpoints in the text on screen.
    pub breakpoints: Vec<Breakpoint>,
    /// The last call requested for each function, by the function's name.
    pub calls: HashMap<String, String>,
    /// The rows on display.
    pub scene: Arc<Scene>,
    /// Whether everything after the position is hidden, because the user predicts it.
    pub hides: bool,
    /// The run offered for comparison, in a few words; empty if nothing can be compared before an
    /// edit or the choice of a mutant.
    pub offers: &'static str,
    /// Whether the mouse is dragging the slider.
    pub sliding: bool,
    /// The cells of a row; 0 before the panel is shown for the first time.
    pub cells: usize,
}

impl RunView {
    /// Requests a run. A recording of another run is no longer shown.
    pub fn want(&mut self, subject: Subject) {
        if let Subject::Call { function, .. } = &subject {
            self.calls.insert(function.clone(), subject.text());
        }
        if self.wish.as_ref().is_none_or(|wish| wish.subject != subject) {
            let same = self.wish.as_ref().is_some_and(|wish| wish.subject.name() == subject.name());
            self.earlier = self.title().zip(self.trace().and_then(|trace| trace.replay_key())).filter(|_| same);
            (self.recorded, self.has_moved) = (None, false);
            (self.against, self.before) = (None, None);
        }
        self.wish_for(subject);
        self.aim = None;
        self.look();
    }

    /// Requests the same run again, with the current breakpoints and comparison.
    pub fn repeat_request(&mut self) {
        if let Some(subject) = self.wish.as_ref().map(|wish| wish.subject.clone()) {
            self.wish_for(subject);
        }
    }

    fn wish_for(&mut self, subject: Subject) {
        self.wishes += 1;
        let breakpoints = self.breakpoints.clone();
        let against = self.against.clone();
        self.wish = Some(Arc::new(RunRequest { number: self.wishes, subject, breakpoints, against }));
    }

    pub fn title(&self) -> Option<String> {
        self.recorded.as_ref()?.run.as_ref().ok().map(|(title, _)| title.clone())
    }

    pub fn trace(&self) -> Option<&Arc<Trace>> {
        self.recorded.as_ref()?.run.as_ref().ok().map(|(_, trace)| trace).filter(|trace| !trace.is_empty())
    }

    /// Replaces the recording. The position moves to the same occurrence of the same instruction of the same
    /// token. `carried` maps a token of the old text to the new text.
    pub fn take(&mut self, recorded: Recorded, carried: impl Fn(&Trace, TokenId) -> Option<TokenId>) {
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
            self.before = self.trace().and_then(|trace| trace.replay_key());
        }
        self.recorded = Some(Recorded { wish, ..recorded });
        if let Some(trace) = self.trace().cloned() {
            let aim = self.aim.take().and_then(|aim| aim.position(&trace));
            self.position = match place {
                _ if let Some(position) = aim => position,
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

    /// Returns the initial position: the failing step, or 0 while the user predicts.
    fn begin(&self, trace: &Trace) -> Position {
        if self.hides { Position::default() } else { trace.failure_position() }
    }

    pub fn go(&mut self, position: Position) {
        let Some(trace) = self.trace() else { return };
        let position = position.min(trace.last());
        if position != self.position {
            self.position = position;
            self.has_moved = true;
            self.asked = None;
        }
        self.look();
    }

    /// Rebuilds the rows.
    pub fn look(&mut self) {
        self.scene = Arc::new(Scene::new(self));
    }
}

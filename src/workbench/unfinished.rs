//! Unfinished, not wrong: errors where somebody types, which more typing can mend, and runs that do not end there.

use std::iter::successors;
use std::ops::Range;
use std::time::Duration;

use crate::engine::EntryResult;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::role::Role;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::{Diagnostic, Mend, brief};
use crate::workbench::event::{Effect, Fading};
use crate::workbench::marks::{self, Mark};
use crate::workbench::results::Results;
use crate::workbench::state::State;

/// The time after an answer in which a loop without an end counts as unfinished: nobody types for longer.
const TYPING: Duration = Duration::from_secs(2);

/// The place where somebody types, in bytes of the text on screen.
struct TypingPlace {
    /// The byte of the text that was answered last; later keys mend nothing in that text.
    cursor: usize,
    line: Range<usize>,
    /// The item around the cursor.
    item: Range<usize>,
    /// Whether the text was edited, and the cursor has not left the line since.
    is_typing: bool,
}

impl Results {
    /// Returns the mark of a diagnostic: an error, a warning, or unfinished.
    pub fn mark_of(&self, number: usize) -> &'static Mark {
        match self.problems.get(number) {
            _ if self.unfinished.get(number).copied().unwrap_or(false) => &marks::UNFINISHED,
            problem => marks::of_problem(problem.is_some_and(|problem| problem.code.is_error())),
        }
    }

    /// Returns the number of diagnostics with a mark.
    pub fn marked(&self, mark: &Mark) -> usize {
        (0..self.problems.len()).filter(|number| self.mark_of(*number) == mark).count()
    }

    /// Returns the byte of the text on screen at which a diagnostic is shown: where something is missing at the end of an
    /// earlier line, that line's end.
    pub fn place_of(&self, problem: &Diagnostic) -> usize {
        self.latest_drift.forward(problem.lacks.unwrap_or(problem.span.start))
    }
}

impl State {
    /// Decides which diagnostics and which tests are unfinished. It runs after each event, because a movement of the cursor
    /// decides, too.
    pub fn refresh_unfinished(&mut self, effects: &mut Vec<Effect>) {
        let place = if self.results.problems.is_empty() { None } else { self.typing_place() };
        // Later keys may have mended an error, so it turns red with the next answer at the earliest.
        let pending = self.pending();
        let was = |number: usize| pending && self.results.unfinished.get(number).copied().unwrap_or(false);
        let is_unfinished = |(number, problem): (usize, &Diagnostic)| {
            was(number) || place.as_ref().is_some_and(|place| self.mends(problem, place))
        };
        self.results.unfinished = self.results.problems.iter().enumerate().map(is_unfinished).collect();
        let (without_end, revision) = (self.without_end(), self.document.revision);
        if without_end.is_some() && self.results.endless != revision {
            (self.results.endless, self.results.has_rested) = (revision, false);
            effects.push(Effect::Fade { what: Fading::Typing(revision), after: TYPING });
        }
        // Who rests in half a line is still typing it.
        let has_half = self.results.unfinished.contains(&true);
        let rests = self.results.has_rested && self.results.endless == revision && !has_half;
        self.results.without_end = without_end.filter(|_| !rests);
    }

    /// Returns the tests' results, in which a test is unfinished if it reaches the step limit in the loop where somebody
    /// types, or the depth limit by a call on that line. `None` if this changes no result.
    fn without_end(&self) -> Option<Vec<EntryResult>> {
        let shown = self.shown().filter(|_| self.document.revision != self.document.opened)?;
        let ends_late = |result: &EntryResult| {
            matches!(result.outcome, Outcome::Trap(Trap::StepLimit | Trap::RecursionTooDeep))
        };
        self.results.ended().iter().any(ends_late).then_some(())?;
        let mut own = self.results.ended().to_vec();
        let (buffer, view) = (&self.document.buffer, shown.compiled.view());
        let cursor = self.results.shown_drift.back_or_start(buffer.byte_of(buffer.head()));
        let line = self
            .results
            .shown_drift
            .back_or_start(buffer.byte_of(buffer.line_start(buffer.line_of(buffer.head()))));
        let is_here = |result: &EntryResult| {
            let token = TokenId::of(&shown.compiled.executable.code.token, result.trap_address?)?;
            let holds =
                |t: TokenId| view.extent_span(t).is_some_and(|span| (span.start..=span.end).contains(&cursor));
            Some(match result.outcome {
                Outcome::Trap(Trap::StepLimit) => successors(Some(token), |t| view.parent(*t))
                    .any(|t| matches!(view.role(t), Role::While | Role::For) && holds(t)),
                _ => self.typing && view.span(token).is_some_and(|span| (line..=cursor).contains(&span.start)),
            })
        };
        let is_here = |result: &EntryResult| ends_late(result) && is_here(result) == Some(true);
        let mut found = false;
        for result in own.iter_mut().filter(|result| is_here(result)) {
            (result.outcome, found) = (Outcome::Trap(Trap::Hole), true);
        }
        found.then_some(own)
    }

    fn typing_place(&self) -> Option<TypingPlace> {
        let (buffer, latest) = (&self.document.buffer, self.results.latest.as_ref()?);
        let (cursor, line) = (buffer.byte_of(buffer.head()), buffer.line_of(buffer.head()));
        let end = |line: usize| buffer.byte_of(buffer.line_start(line)) + buffer.line_text(line).len();
        let (view, drift) = (latest.compiled.view(), self.results.latest_drift);
        let start = |token: TokenId| view.span(token).map_or(0, |span| drift.forward(span.start));
        let mut items = view.all().iter().filter(|token| view.kind(*token).begins_item());
        let (mut first, mut next) = (None, None);
        for token in items.by_ref() {
            if start(token) > cursor {
                next = Some(token);
                break;
            }
            first = Some(token);
        }
        Some(TypingPlace {
            cursor: drift.back_or_start(cursor),
            line: buffer.byte_of(buffer.line_start(line))..end(line) + 1,
            item: first.map_or(0, start)..next.map_or(usize::MAX, start),
            is_typing: self.typing,
        })
    }

    /// Returns whether more typing at a place can mend an error.
    fn mends(&self, problem: &Diagnostic, place: &TypingPlace) -> bool {
        let Range { start, end } = problem.span.clone();
        let shown = self.results.place_of(problem);
        let is_inside = place.item.contains(&shown);
        // A warning comes and goes with each key of its function.
        let is_edited = self.document.revision != self.document.opened;
        if !problem.code.is_error() {
            return is_inside && is_edited;
        }
        match brief(problem.code).1 {
            Mend::Never => false,
            Mend::AtCursor => place.is_typing && is_inside && self.is_blank(end..place.cursor),
            Mend::BeforeCursor => place.is_typing && start <= place.cursor && self.is_blank(end..place.cursor),
            Mend::OnLine => place.is_typing && place.line.contains(&shown),
            Mend::InItem => is_edited && is_inside,
            // With a help, the name is a mistake, and no function of that name will come.
            Mend::ByFunction if problem.help.is_some() => {
                place.is_typing && ((start..=end).contains(&place.cursor) || self.types_name_of(problem))
            }
            // In a text that was only opened, nobody is about to write the function.
            Mend::ByFunction => is_edited,
        }
    }

    /// Returns whether only blanks of one line are in a range of the answered text, which may be empty.
    fn is_blank(&self, range: Range<usize>) -> bool {
        let text = || Some(&self.results.latest.as_ref()?.compiled.text);
        range.is_empty()
            || text().and_then(|text| text.get(range)).is_some_and(|text| text.bytes().all(|c| c == b' '))
    }

    /// Returns the name that a diagnostic is about.
    fn called(&self, problem: &Diagnostic) -> Option<&str> {
        self.results.latest.as_ref()?.compiled.text.get(problem.span.clone())
    }

    /// Returns whether the cursor is at the end of a function's new name that the name of a diagnostic begins with.
    fn types_name_of(&self, problem: &Diagnostic) -> bool {
        let (buffer, head) = (&self.document.buffer, self.document.buffer.head());
        let line = buffer.slice(buffer.line_start(buffer.line_of(head))..head);
        let name = line.trim_start().strip_prefix("fn ").map(str::trim_start);
        name.zip(self.called(problem)).is_some_and(|(name, called)| called.starts_with(name))
    }

    /// Returns whether a line without an end goes on with the next one, so that the message is about a later place.
    fn is_read_on(&self, problem: &Diagnostic) -> bool {
        let text = || Some(&self.results.latest.as_ref()?.compiled.text);
        let between = problem.lacks.and_then(|end| text()?.get(end..problem.span.start));
        between.and_then(|text| text.rsplit('\n').next()).is_some_and(|line| !line.trim().is_empty())
    }

    /// Returns texts that say on a line what is wrong in it, or what it waits for; the longest first.
    pub fn said(&self, problem: &Diagnostic, mark: &Mark) -> Vec<String> {
        let waits = || self.called(problem).map(|name| format!("waiting for `{name}`"));
        match mark == &marks::UNFINISHED {
            true => {
                let waits = waits().filter(|_| problem.code == Code::UnknownFunction && problem.help.is_none());
                waits.into_iter().chain([mark.glyph.to_string()]).collect()
            }
            false => {
                let short = if problem.lacks.is_some() { "incomplete" } else { brief(problem.code).0 };
                let code = problem.code.code();
                if self.is_read_on(problem) {
                    return ["an expression is missing", short, code].map(String::from).to_vec();
                }
                let (message, _) = problem.message.split_once(", found").unwrap_or((&problem.message, ""));
                [&problem.message, message, short, code].map(String::from).to_vec()
            }
        }
    }
}

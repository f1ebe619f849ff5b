//! Decides which goals are reached, from the engine's results on a text.

mod entries;
mod flow;
mod lanes;
mod mutants;
mod rules;
mod text;

use super::goal::Goal;
use super::lesson::Lesson;
use crate::compiler::program::{Compiled, Routine};
use crate::engine::EntryResult;
use crate::host::measure::numbers::plural;
use crate::lang::index::{EntryId, Index, MutantId, TokenId};
use crate::lang::role::Role;
use crate::lang::verdict::Verdict;
use crate::report::diagnostics::Diagnostic;
use crate::testing::rules::ProgramRules;

#[derive(Clone, Copy)]
pub struct EngineResults<'a> {
    pub compiled: &'a Compiled,
    /// Results of its tests and properties; empty if the text has errors.
    pub entries: &'a [EntryResult],
    pub diagnostics: &'a [Diagnostic],
    /// Results of its mutants, once all first-order mutants have been judged.
    pub mutants: Option<Mutants<'a>>,
    /// The rules of the text, once they have been decided.
    pub rules: Option<&'a ProgramRules>,
}

/// Results of first-order mutants.
#[derive(Clone, Copy)]
pub struct Mutants<'a> {
    /// By mutant id, with the mutants that comments ignore taken out.
    pub verdicts: &'a [Verdict],
    /// Returns whether no input was found that distinguishes a survivor from the program; `None` while this is
    /// not known.
    pub indistinguishable: &'a dyn Fn(MutantId) -> Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeState {
    Reached,
    Missing,
    /// The results that it depends on are not complete yet.
    Unknown,
}

impl JudgeState {
    /// Returns its name in JSON documents.
    pub fn name(self) -> &'static str {
        match self {
            JudgeState::Reached => "reached",
            JudgeState::Missing => "missing",
            JudgeState::Unknown => "unknown",
        }
    }
}

/// A goal's state, with a short text on its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalStatus {
    pub state: JudgeState,
    pub text: String,
}

impl GoalStatus {
    fn new(reached: bool, text: impl Into<String>) -> GoalStatus {
        let state = if reached { JudgeState::Reached } else { JudgeState::Missing };
        GoalStatus { state, text: text.into() }
    }

    fn missing(text: impl Into<String>) -> GoalStatus {
        GoalStatus::new(false, text)
    }

    fn unknown(text: impl Into<String>) -> GoalStatus {
        GoalStatus { state: JudgeState::Unknown, text: text.into() }
    }
}

/// The state of all goals of a lesson, and the items of the lesson that are missing from the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    pub standings: Vec<GoalStatus>,
    /// Items that must remain but are missing or changed.
    pub gone: Vec<String>,
    /// Whether only this is wrong: two functions that a test compares have both changed, so that the test may say nothing.
    pub is_refused: bool,
}

impl Judgement {
    pub fn reached(&self) -> usize {
        self.standings.iter().filter(|standing| standing.state == JudgeState::Reached).count()
    }

    /// Returns whether the lesson is completed.
    pub fn is_done(&self) -> bool {
        self.gone.is_empty() && self.reached() == self.standings.len()
    }
}

pub fn judge(lesson: &Lesson, given: EngineResults) -> Judgement {
    let case = Case { lesson, given };
    let (gone, unjudged): (Vec<String>, Vec<String>) = (case.gone().collect(), case.unjudged().collect());
    Judgement {
        standings: lesson.aims.iter().map(|aim| case.judge(&aim.goal)).collect(),
        is_refused: gone.is_empty() && !unjudged.is_empty(),
        gone: [gone, unjudged].concat(),
    }
}

/// A lesson and a text.
struct Case<'a> {
    lesson: &'a Lesson,
    given: EngineResults<'a>,
}

/// A test or property of the text.
struct JudgeEntry<'a> {
    id: EntryId,
    routine: Routine<'a>,
    result: &'a EntryResult,
    /// Whether it belongs to the lesson.
    own: bool,
}

impl<'a> Case<'a> {
    fn judge(&self, goal: &Goal) -> GoalStatus {
        match goal {
            Goal::NoDiagnostics => text::no_diagnostics(self),
            Goal::Diagnostic(code) => text::diagnostic(self, *code),
            Goal::Tokens { most, function } => text::tokens(self, *most, function),
            Goal::Token { text, function, wanted } => text::token(self, text, function, *wanted),
            Goal::Under { inner, outer, function } => text::under(self, inner, outer, function),
            // All other goals need a program that compiles.
            _ if !self.compiles() => GoalStatus::missing("the text does not compile"),
            Goal::Has { code, function, pattern, wanted } => text::has(self, *code, function, pattern, *wanted),
            Goal::Instructions { most, function } => text::instructions(self, *most, function),
            Goal::Blocks { most, function } => flow::blocks(self, *most, function),
            Goal::Fact { text, function } => flow::fact(self, text, function),
            Goal::NoDeadStore { function } => flow::no_dead_store(self, function),
            Goal::Changes { pass, function } => flow::changes(self, pass, function),
            Goal::TestsPass => entries::pass(self),
            Goal::Steps { most, label } => entries::steps(self, *most, label),
            Goal::Rules { least } => rules::proved(self, *least),
            Goal::RuleSteps { most, label } => rules::steps(self, *most, label),
            Goal::Group { most, label } => lanes::group(self, *most, label),
            Goal::Breaks { label } => entries::breaks(self, label),
            Goal::Traps(trap) => entries::traps(self, *trap),
            Goal::NoSurvivors { function } => mutants::no_survivors(self, function.as_deref()),
            Goal::PropertyNotices(count) => mutants::property_notices(self, *count),
        }
    }

    fn compiles(&self) -> bool {
        let facts = &self.given.compiled.facts;
        facts.compiles()
    }

    /// Returns the items that must remain but are missing.
    fn gone(&self) -> impl Iterator<Item = String> {
        let (own, view) = (&self.lesson.own, self.given.compiled.view());
        let kept = self.lesson.kept.iter().map(|item| &own.items[*item]);
        kept.filter(move |item| item.find(view).is_none()).map(|item| item.called())
    }

    /// Returns the pairs of functions that a test of the lesson compares, and that have both changed. If the lesson keeps
    /// one of them, [`Self::gone`] has it.
    fn unjudged(&self) -> impl Iterator<Item = String> {
        let (own, view) = (&self.lesson.own, self.given.compiled.view());
        let is_free = |item: &usize| !self.lesson.kept.contains(item);
        let pairs = own.compared.iter().filter(move |pair| pair.iter().all(is_free));
        let both = pairs.map(|pair| pair.map(|item| &own.items[item]));
        both.filter(move |pair| pair.iter().all(|item| item.find(view).is_none()))
            .map(|[one, other]| format!("{} or {}", one.called(), other.called()))
    }

    /// Returns tests and properties, in order.
    fn entries(&self) -> Vec<JudgeEntry<'a>> {
        let EngineResults { compiled, entries, .. } = self.given;
        let (own, view) = (&self.lesson.own, compiled.view());
        let places: Vec<TokenId> =
            own.items.iter().filter(|item| item.is_entry()).filter_map(|item| item.find(view)).collect();
        let of = |(id, result): (EntryId, &'a EntryResult)| {
            let routine = compiled.entry(id)?;
            let own = places.contains(&routine.head());
            Some(JudgeEntry { id, routine, result, own })
        };
        EntryId::all().zip(entries).filter_map(of).collect()
    }

    /// Returns the tests or properties that the learner has added.
    fn added(&self, role: Role) -> Vec<JudgeEntry<'a>> {
        let view = self.given.compiled.view();
        let mut entries = self.entries();
        entries.retain(|entry| !entry.own && view.is(entry.routine.head(), role));
        entries
    }

    /// Returns the `fn` token of a function.
    fn head(&self, function: &str) -> Option<TokenId> {
        let view = self.given.compiled.view();
        view.nodes().find(|t| view.is(*t, Role::Fn) && view.text(*t + 1) == function)
    }

    fn line(&self, token: TokenId) -> u32 {
        self.given.compiled.view().line(token)
    }
}

/// Formats line numbers without duplicates: `line 4`, `lines 4 and 7`, `lines 4, 7 and 3 more`.
fn lines(all: impl IntoIterator<Item = u32>) -> String {
    const NAMED: usize = 3;
    let mut all: Vec<u32> = all.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    let named: Vec<String> = all.iter().take(NAMED).map(u32::to_string).collect();
    match (&named[..], all.len() - named.len()) {
        ([], _) => "no line".into(),
        ([one], _) => format!("line {one}"),
        ([most @ .., last], 0) => format!("lines {} and {last}", most.join(", ")),
        (named, more) => format!("lines {} and {}", named.join(", "), plural(more as u64, "other")),
    }
}

fn no_function(name: &str) -> GoalStatus {
    GoalStatus::missing(format!("there is no function `{name}` yet"))
}

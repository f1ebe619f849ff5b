//! Probes: lines `//? E` outside of the items of a program, with the value of each E.
//!
//! To the lexer a probe is a comment, so nothing about the program depends on it. Its value is that of the left side of
//! `test (E) == ?;` in a second program, which begins with such tests and goes on as the program itself. The probes share
//! one such program.

use std::ops::Range;
use std::sync::Arc;

use crate::compiler::program::{Compiled, Tokens, View, Watch};
use crate::compiler::stage::chain::Compiler;
use crate::compiler::stage::lex;
use crate::engine::explain::{Value, left_side};
use crate::lang::diagnostic::Code;
use crate::lang::index::{EntryId, Index, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::token::TokenKind;
use crate::lang::trap::Trap;
use crate::report::diagnostics::brief;
use crate::report::places::{Lines, ReportPlace};
use crate::testing::trace::{Subject, short};

/// The beginning of a probe's line.
pub const MARK: &str = "//?";
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A line `//? E`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Counted from 1.
    pub line: u32,
    /// The bytes of the line, without its end.
    pub span: Range<usize>,
    /// Its expression as written, without a `;` at its end.
    pub expression: String,
    pub end: ProbeEnd,
}

/// The end of a probe's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeEnd {
    Value(Value),
    /// The trap, and its line unless that is the probe's own.
    Trap(Trap, Option<u32>),
    /// The place of the hole, unless it is in the probe.
    Unfinished(Option<ReportPlace>),
    /// The run has taken all steps that it may, fewer than those of a test.
    Cut,
    /// The expression has an error; the code if it is known.
    Error(Code),
}

/// The probes of a text; the result of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probes(pub Vec<Probe>);

impl Probes {
    /// Returns the probes of a compiled text, each run for at most `fuel` steps, or `None` if the work was cancelled. A text
    /// without probes costs a search for [`MARK`].
    pub fn run(base: &Compiled, fuel: u32, watch: &dyn Watch) -> Option<Probes> {
        let mut all = lines(base);
        let (mut whole, mut broken): (Vec<&mut Probe>, Vec<&mut Probe>) =
            all.iter_mut().partition(|probe| is_closed(&probe.expression));
        // An error that could reach over the end of a probe is found without the program.
        broken.iter_mut().try_for_each(|probe| run("", std::slice::from_mut(probe), 0, watch))?;
        run(&base.text, &mut whole, fuel, watch)?;
        Some(Probes(all))
    }

    /// Returns whether a text may have probes.
    pub fn are_in(text: &str) -> bool {
        text.contains(MARK)
    }

    /// Returns the words after the line of each probe.
    pub fn words(&self) -> impl Iterator<Item = (u32, String)> {
        self.0.iter().filter_map(|probe| Some((probe.line, format!("◂ {}", probe.texts().first()?))))
    }

    /// Returns whether some run needs more steps.
    pub fn is_cut(&self) -> bool {
        self.0.iter().any(|probe| probe.end == ProbeEnd::Cut)
    }
}

impl Probe {
    /// Returns the end of the run in words, the longest text first.
    pub fn texts(&self) -> Vec<String> {
        match &self.end {
            ProbeEnd::Value(value) => vec![value.to_string(), short(value)],
            ProbeEnd::Trap(trap, line) => {
                let long = line.map(|line| format!("{} on line {line}", trap.ident()));
                long.into_iter().chain([trap.ident().to_string()]).collect()
            }
            ProbeEnd::Unfinished(place) => {
                let long = place.map(|place| format!("unfinished at {}:{}", place.line, place.column));
                long.into_iter().chain(["unfinished".to_string()]).collect()
            }
            ProbeEnd::Cut => vec!["…".to_string()],
            ProbeEnd::Error(_) if self.expression.is_empty() => vec!["no expression".to_string()],
            ProbeEnd::Error(code) => vec![brief(*code).0.to_string()],
        }
    }

    /// Returns a test that expects the probe's value, if it has one.
    pub fn test(&self) -> Option<String> {
        let ProbeEnd::Value(value) = &self.end else { return None };
        let claim = &self.expression;
        Some(match value {
            Value::Bool(true) => format!("test {claim};"),
            Value::Bool(false) if self.call().is_some() => format!("test !{claim};"),
            Value::Bool(false) => format!("test !({claim});"),
            value => format!("test {claim} == {value};"),
        })
    }

    /// Returns the call that the expression is, if it is one.
    pub fn call(&self) -> Option<Subject> {
        let is_name =
            |subject: &Subject| subject.name().bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        Subject::of_call(&self.expression).ok().filter(is_name)
    }
}

/// Returns the probes of a text, without their ends: the lines that begin with [`MARK`] and are not in an item.
pub fn lines(base: &Compiled) -> Vec<Probe> {
    let text = base.text.as_ref();
    if !Probes::are_in(text) || base.facts.stopped() {
        return Vec::new();
    }
    let view = base.view();
    let items = view.all().iter().filter(|token| view.kind(*token).begins_item());
    let items: Vec<Range<usize>> = items.filter_map(|token| view.extent_span(token)).collect();
    let (mut found, mut start) = (Vec::new(), 0);
    for (line, whole) in (1..).zip(text.split_inclusive('\n')) {
        let own = whole.trim_end();
        let is_outside = |at: usize| items.iter().all(|item| !item.contains(&at));
        if let Some(expression) = own.strip_prefix(MARK).filter(|_| is_outside(start)) {
            let (span, end) = (start..start + own.len(), ProbeEnd::Cut);
            found.push(Probe { line, span, expression: trimmed(expression), end });
        }
        start += whole.len();
    }
    found
}

fn tokens(text: &str) -> Tokens {
    let mut tokens = Tokens::default();
    lex::run(text, &mut tokens, &mut Default::default(), &mut lex::LexScratch::default());
    tokens
}

/// Returns an expression without a comment and a `;` at its end.
fn trimmed(expression: &str) -> String {
    let tokens = tokens(expression);
    let ends_in = |kind: TokenKind| tokens.kind.last() == Some(&(kind as u32));
    let count = tokens.kind.len() - usize::from(ends_in(TokenKind::Semicolon));
    let end = count.checked_sub(1).map_or(0, |last| tokens.hi[last] as usize);
    expression.get(..end).unwrap_or_default().trim().to_string()
}

/// Returns whether an expression is one in the eyes of the text after it: its brackets are closed, and it neither has a
/// block nor ends a statement.
fn is_closed(expression: &str) -> bool {
    use TokenKind::*;
    let mut open = Vec::new();
    tokens(expression).kind.iter().filter_map(|kind| TokenKind::from_u32(*kind)).all(|kind| match kind {
        LeftParen | LeftBracket => {
            open.push(kind);
            true
        }
        RightParen => open.pop() == Some(LeftParen),
        RightBracket => open.pop() == Some(LeftBracket),
        LeftBrace | RightBrace | Semicolon | Error => false,
        kind => !kind.begins_item() && !kind.begins_statement(),
    }) && open.is_empty()
}

/// Runs probes as the first tests of a text; with no fuel, finds their errors only.
fn run(text: &str, probes: &mut [&mut Probe], fuel: u32, watch: &dyn Watch) -> Option<()> {
    if probes.is_empty() {
        return Some(());
    }
    let own = text.trim_start_matches(BYTE_ORDER_MARK);
    let (mut with, mut tests) = (String::new(), Vec::new());
    for probe in probes.iter() {
        let start = with.len();
        with += &format!("test ({}) == ?; ", probe.expression);
        tests.push(start..with.len());
    }
    let before = with.len();
    with += own;
    let mut compiler = Compiler::at(OptLevel::Lowered);
    compiler.holes = true;
    compiler.compile(&with);
    let text: Arc<str> = with.into();
    let program = compiler.compiled(&text);
    if program.facts.stopped() && probes.len() > 1 {
        // One may be too long for all.
        return probes.iter_mut().try_for_each(|probe| run(own, std::slice::from_mut(probe), fuel, watch));
    }
    let lines = Lines::new(own);
    let place = |at: usize| Some(lines.place(at.checked_sub(before)?));
    for ((id, probe), test) in EntryId::all().zip(probes).zip(tests) {
        if watch.cancelled() {
            return None;
        }
        probe.end = match error(&program, test) {
            Some(code) => ProbeEnd::Error(code),
            None if fuel == 0 => ProbeEnd::Error(Code::UnexpectedToken),
            None => end_of_run(&program, id, fuel, place),
        };
    }
    Some(())
}

/// Returns the first error of the tokens in some bytes of a text, or that of the whole text.
fn error(program: &Compiled, bytes: Range<usize>) -> Option<Code> {
    let view = program.view();
    if program.facts.stopped() {
        return Code::from_u32(program.facts.fatal);
    }
    let start = |token: TokenId| view.span(token).map_or(usize::MAX, |span| span.start);
    let before_end = view.rows().iter().take_while(|token| start(*token) < bytes.end);
    before_end.filter(|token| start(*token) >= bytes.start).find_map(|token| error_at(view, token))
}

fn error_at(view: View, token: TokenId) -> Option<Code> {
    let lexical = view.lexical_error(token).map(|(code, _)| code);
    lexical
        .or(view.syntax_error(token).map(|(code, _)| code))
        .or(view.checked_error(token).map(|(code, _)| code))
}

/// Runs a test that compares with `?`. `place` maps a byte of its program to the place in the text, if it is in it.
fn end_of_run(
    program: &Compiled,
    id: EntryId,
    fuel: u32,
    place: impl Fn(usize) -> Option<ReportPlace>,
) -> ProbeEnd {
    let (record, value) = left_side(program, id, fuel);
    if let Some(value) = value {
        return ProbeEnd::Value(value);
    }
    let token = record.address.and_then(|address| program.executable.at(address)?.1);
    let at = token.and_then(|token| place(program.view().span(token)?.start));
    match record.trap {
        Trap::Hole => ProbeEnd::Unfinished(at),
        Trap::StepLimit if fuel < limits::STEPS => ProbeEnd::Cut,
        trap => ProbeEnd::Trap(trap, at.map(|at| at.line)),
    }
}

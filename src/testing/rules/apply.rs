//! Applies proved rules to a program: at most 8 sweeps in the order of the file, each rule wherever it may fire.
//!
//! A rule rewrites the tokens of the checked program, as a mutation does, and the result is compiled as usual. Tokens
//! keep their places in the text, so traps and listings name lines of the program as written. Tests and properties, which
//! measure the rules, are left alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::decide::UserVerdict;
use super::matches::{Bound, Subject};
use super::pattern::{Operation, Pattern, Piece};
use super::read::{ExpressionRule, RuleLine, UserRule};
use super::trace::{Way, ways};
use crate::compiler::program::{Compiled, Tokens, View, Watch};
use crate::compiler::stage::execute::{Machine, Tally, domains, entry};
use crate::compiler::stage::optimize::learned::rule::Rule as WindowRule;
use crate::compiler::stage::{BackEnd, Compiler};
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::limits;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::verdict::Outcome;

/// The maximum number of sweeps.
pub const SWEEPS: usize = 8;
/// The maximum number of tokens of a program, since rules may lengthen it.
const TOKENS: usize = 1 << 16;
/// The maximum number of changes that are kept apart.
const CHANGES: usize = 32;

/// A program after rules.
#[derive(Clone, Debug)]
pub struct Applied {
    pub program: Arc<Compiled>,
    /// The results of its tests and properties.
    pub tallies: Vec<Tally>,
    /// The steps of all tests and properties, before and after.
    pub steps: [u64; 2],
    /// By line of the file of rules.
    pub fired: Vec<Fired>,
    /// The rules that fired, in order. Those after [`CHANGES`] are one.
    pub changes: Vec<RuleChange>,
}

/// A rule that fired, and the program after it.
#[derive(Clone, Debug)]
pub struct RuleChange {
    /// The index of its line in the file of rules; `None` for several rules.
    pub line: Option<usize>,
    /// Whether it replaced windows of optimized code.
    pub is_window: bool,
    pub program: Arc<Compiled>,
    pub fired: Fired,
}

/// The places where a rule fired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fired {
    /// The number of times, over all sweeps.
    pub count: u32,
    /// Line and column of each place, from 1, in order. Those of windows of bytecode are not known.
    pub places: Vec<(u32, u32)>,
    /// The steps of all tests and properties that it saved.
    pub saved: u64,
}

impl Fired {
    fn add(&mut self, other: &Fired) {
        self.count += other.count;
        self.saved += other.saved;
        self.places.extend(&other.places);
        self.places.sort_unstable();
        self.places.dedup();
    }

    /// Describes it as a clause; `None` if the rule did not fire.
    pub fn text(&self) -> Option<String> {
        let places: Vec<String> = self.places.iter().map(|(line, column)| format!("{line}:{column}")).collect();
        let at = if places.is_empty() { String::new() } else { format!(" at {}", places.join(", ")) };
        let times = plural(self.count.into(), "time");
        (self.count > 0).then(|| format!("fires {times}{at}; saves {}", plural(self.saved, "step")))
    }
}

/// A proved rule of expressions, ready to apply.
struct Ready<'a> {
    line: usize,
    rule: &'a ExpressionRule,
    safe: &'a [u32],
    ways: Vec<[Way; 2]>,
}

/// A place where a rule may fire.
struct Site {
    extent: Indices<TokenId>,
    node: TokenId,
    bound: Bound,
}

/// Applies all proved rules to a program without errors. Returns `None` if the work was cancelled.
pub fn apply(
    program: &Arc<Compiled>,
    lines: &[RuleLine],
    verdicts: &[Option<UserVerdict>],
    watch: &dyn Watch,
) -> Option<Applied> {
    let (mut ready, mut windows): (Vec<Ready>, Vec<(usize, &WindowRule)>) = (Vec::new(), Vec::new());
    for (line, (own, verdict)) in lines.iter().zip(verdicts).enumerate() {
        match (&own.rule, verdict) {
            (Ok(UserRule::Expression(rule)), Some(UserVerdict::Proved { safe })) => {
                ready.extend(ways(rule).map(|ways| Ready { line, rule, safe, ways }));
            }
            (Ok(UserRule::Window(rule)), Some(UserVerdict::Proved { .. })) => windows.push((line, rule)),
            _ => {}
        }
    }
    let tallies = if program.facts.compiles() { run(program, watch)? } else { Vec::new() };
    let before = total(&tallies);
    let fired = vec![Fired::default(); lines.len()];
    let mut applied =
        Applied { program: program.clone(), tallies, steps: [before; 2], fired, changes: Vec::new() };
    if !program.facts.compiles() || program.view().holes().next().is_some() {
        return Some(applied);
    }
    for _ in 0..SWEEPS {
        let mut changed = false;
        for own in &ready {
            changed |= applied.sweep(own, watch)?;
        }
        if !changed {
            break;
        }
    }
    for (line, window) in windows {
        let mut hits = 0;
        let new = BackEnd::with_rules(&applied.program, std::iter::once(window), &mut |_| hits += 1);
        if hits > 0 {
            applied.accept(new, (line, true), Fired { count: hits, ..Fired::default() }, watch)?;
        }
    }
    Some(applied)
}

/// Runs all tests and properties. Returns `None` if cancelled.
fn run(program: &Compiled, watch: &dyn Watch) -> Option<Vec<Tally>> {
    let Compiled { facts, executable, binders, .. } = program;
    let mut machine = Machine::default();
    machine.load(executable);
    let domains = domains(facts, &executable.routines, binders, limits::SAMPLES);
    let tallies = domains.iter().map(|domain| {
        let tally = entry(&mut machine, executable, domain, limits::STEPS, watch);
        (!watch.cancelled()).then_some(tally)
    });
    tallies.collect()
}

fn total(tallies: &[Tally]) -> u64 {
    tallies.iter().map(|tally| tally.steps).sum()
}

/// Returns whether a test ends as before, and takes no more steps. One that ran out of a resource may end.
fn is_no_worse(before: &Tally, after: &Tally) -> bool {
    let exhausted = matches!(before.outcome(), Outcome::Trap(trap) if trap.counts_resources());
    let same = before.outcome() == after.outcome() && before.failing_input == after.failing_input;
    exhausted || same && after.steps <= before.steps
}

impl Applied {
    /// Describes the effect of `rules` on the program: `the rules fire 3 times: 20 steps instead of 24, on the processor`.
    pub fn effect(&self, rules: &str) -> String {
        let fired = plural(self.fired.iter().map(|own| u64::from(own.count)).sum(), "time");
        let [before, after] = self.steps.map(grouped);
        format!("{rules} fire {fired}: {after} steps instead of {before}, on the processor")
    }

    /// Lets a rule fire wherever it may. If a test then takes more steps, because other code suits the optimizer less, each
    /// place is tried alone. Returns whether it fired.
    fn sweep(&mut self, own: &Ready, watch: &dyn Watch) -> Option<bool> {
        let all = sites(self.program.view(), own);
        if all.is_empty() {
            return Some(false);
        }
        if self.fire(own, &all, watch)? {
            return Some(true);
        }
        let (mut any, mut tried) = (false, BTreeSet::new());
        // A firing moves later tokens, so sites are looked for again. Their places in the text stay.
        while all.len() > 1 {
            let view = self.program.view();
            let place = |site: &Site| view.span(site.node).map(|bytes| bytes.start);
            let now = sites(view, own).into_iter().find(|site| tried.insert(place(site)));
            let Some(site) = now else { break };
            any |= self.fire(own, &[site], watch)?;
        }
        Some(any)
    }

    /// Rewrites some sites, which do not overlap. Returns whether the result is accepted.
    fn fire(&mut self, own: &Ready, sites: &[Site], watch: &dyn Watch) -> Option<bool> {
        let base = self.program.clone();
        let subject = Subject::new(base.view());
        let (mut writer, mut from) =
            (Writer { subject: &subject, out: Tokens::default(), at: TokenId::FIRST }, TokenId::FIRST);
        for site in sites {
            writer.copy(Indices::new(from, site.extent.start()));
            writer.at = site.node;
            writer.write(own.rule, &site.bound);
            from = site.extent.end();
        }
        writer.copy(Indices::new(from, base.view().all().end()));
        let mut compiler = Compiler::default();
        compiler.tokens = writer.out;
        if compiler.tokens.kind.len() > TOKENS {
            return Some(false);
        }
        compiler.tokens_at(&base.text, base.facts.names, base.level);
        if !compiler.compiles() {
            return Some(false);
        }
        let new = Compiled { group: base.group, ..compiler.compiled(&base.text) };
        let view = base.view();
        let place = |site: &Site| {
            let start = view.span(site.node).map_or(0, |bytes| bytes.start);
            let line = base.text.get(..start).unwrap_or("").rsplit('\n').next().unwrap_or("");
            (view.line(site.node), line.chars().count() as u32 + 1)
        };
        let places = sites.iter().map(place).collect();
        self.accept(new, (own.line, false), Fired { count: sites.len() as u32, places, saved: 0 }, watch)
    }

    /// Takes a new program if no test is worse.
    fn accept(
        &mut self,
        new: Compiled,
        (line, is_window): (usize, bool),
        mut fired: Fired,
        watch: &dyn Watch,
    ) -> Option<bool> {
        let tallies = run(&new, watch)?;
        let is_better = self.tallies.iter().zip(&tallies).all(|(before, after)| is_no_worse(before, after));
        if !is_better || self.tallies.len() != tallies.len() {
            return Some(false);
        }
        let steps = total(&tallies);
        fired.saved = self.steps[1].saturating_sub(steps);
        (self.program, self.tallies, self.steps[1]) = (Arc::new(new), tallies, steps);
        self.fired[line].add(&fired);
        let is_full = self.changes.len() >= CHANGES;
        let last = self.changes.last_mut().filter(|last| last.is_window == is_window);
        match last.filter(|last| is_full || last.line == Some(line)) {
            // Places that are tried alone are one change.
            Some(last) => {
                last.line = last.line.filter(|own| *own == line);
                last.program = self.program.clone();
                last.fired.add(&fired);
            }
            None => {
                let program = self.program.clone();
                self.changes.push(RuleChange { line: Some(line), is_window, program, fired });
            }
        }
        Some(true)
    }
}

/// Returns where a rule may fire in the functions of a program: outer places first, none within another one.
fn sites(view: View, own: &Ready) -> Vec<Site> {
    let subject = Subject::new(view);
    let functions: Vec<Indices<TokenId>> =
        view.nodes().filter(|node| view.is(*node, Role::Fn)).map(|node| view.extent(node)).collect();
    let is_inside = |node: TokenId| {
        let place = functions.partition_point(|function| function.end() <= node);
        functions.get(place).is_some_and(|function| function.contains(node))
    };
    let root = |node: &TokenId| match &own.rule.sides[0] {
        Pattern::Apply(Operation::Unary(kind) | Operation::Binary(kind), _) => view.kind(*node) == *kind,
        Pattern::Apply(..) => view.is(*node, Role::Call),
        _ => view.is(*node, Role::If),
    };
    let found = view.nodes().filter(|node| root(node) && is_inside(*node)).filter_map(|node| {
        let bound = subject.matches(own.rule, node)?;
        let fires = subject.may_fire(&bound, own.safe, &own.ways);
        fires.then(|| Site { extent: view.extent(node), node, bound })
    });
    let mut found: Vec<Site> = found.collect();
    found.sort_by_key(|site| (site.extent.start(), std::cmp::Reverse(site.extent.end())));
    let mut end = TokenId::FIRST;
    found.retain(|site| {
        let fits = site.extent.start() >= end;
        end = if fits { site.extent.end() } else { end };
        fits
    });
    found
}

/// Writes tokens of a program and of a rule.
struct Writer<'a> {
    subject: &'a Subject<'a>,
    out: Tokens,
    /// The token whose place in the text the tokens of the rule take.
    at: TokenId,
}

impl Writer<'_> {
    fn copy(&mut self, tokens: Indices<TokenId>) {
        for (to, from) in self.out.columns_mut().into_iter().zip(self.subject.view.tokens.columns()) {
            to.extend(from.get(tokens.positions()).unwrap_or_default());
        }
    }

    fn push(&mut self, kind: TokenKind, value: u32) {
        self.copy(self.at.into());
        if let (Some(own), Some(to)) = (self.out.kind.last_mut(), self.out.value.last_mut()) {
            (*own, *to) = (kind as u32, value);
        }
    }

    /// Writes the right side of a rule with what its letters mean.
    fn write(&mut self, rule: &ExpressionRule, bound: &Bound) {
        use TokenKind::*;
        let constant = |letter: u8| bound.constants.get(letter as usize).copied().flatten();
        let mut pieces = Vec::new();
        rule.sides[1].with(&constant, true).pieces(&mut pieces);
        for piece in pieces {
            let (of, number, open, close) = match piece {
                Piece::Token(kind, value) => {
                    self.push(kind, value);
                    continue;
                }
                Piece::Letter(number) => (&bound.letters, number, LeftParen, RightParen),
                Piece::Block(number) => (&bound.blocks, number, LeftBrace, RightBrace),
            };
            let Some(node) = of.get(number as usize).copied().flatten() else { continue };
            let node = self.subject.inner(node);
            // An `else if` becomes the only statement of a block.
            let wraps = !self.subject.view.is(node, Role::Block);
            if wraps {
                self.push(open, 0);
            }
            self.copy(self.subject.view.extent(node));
            if wraps {
                self.push(close, 0);
            }
        }
    }
}

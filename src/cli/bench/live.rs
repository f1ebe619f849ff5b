//! `live`: what is known of a program at each key while a person types it.
//!
//! A program is typed in three orders: from top to bottom; its tests first; and each function's body again, with the rest in
//! place. After each key, the engine compiles the text with holes and runs its tests, and a test is recorded for the values
//! after the lines, as in the workbench.

mod check;
mod typing;

use std::time::Instant;

use super::table::{BenchRecord, BenchRow, BenchSubject, Section, counted, pivot};
use super::{Bench, measuring, programs};
use crate::cli::args::Effort;
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::InputSource;
use crate::cli::output::print_error;
use crate::cli::progress::CliProgress;
use crate::compiler::program::{Compiled, STMT_BROKEN, STMT_INDEX};
use crate::compiler::stage::compile;
use crate::engine::{BaseResult, Engine, EngineSettings, EntryResult, leveled};
use crate::lang::index::{EntryId, Index, Indices, RoutineId, TokenId};
use crate::lang::level::LevelChoice;
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::session::{STEPS_AT_ONCE, record_values};
use crate::testing::equivalence::closure;
use crate::testing::trace::ValuesFocus;
use crate::workbench::text::Buffer;
use measuring::Opened;

/// The orders in which a program is typed.
const ORDERS: [&str; 3] = ["top-down", "tests first", "bodies"];

/// A number of keys, of how many there are.
#[derive(Clone, Copy)]
enum Counted {
    /// Answers with the tokens and the tree of the very text.
    Tree,
    /// Functions with code, of those in the text.
    Code,
    /// Keys with a verdict, of those with a whole test in the text.
    Verdicts,
    /// Verdicts on tests that do not reach the function that is typed again.
    OtherTests,
    /// Tests without a verdict of which it is known what they wait for.
    Waits,
    /// Keys with a verdict, of those after the first function was typed.
    AfterFunction,
    /// Keys with values, of those inside a function that a test reaches.
    Values,
}

/// Their names, in the order of the table's columns.
const COUNTED: [&str; 7] =
    ["tree", "code", "verdicts", "other tests", "waits", "verdicts after a function", "with values"];

/// The figures of one order.
#[derive(Clone, Debug, Default)]
struct Tally {
    keys: u32,
    shares: [(u32, u32); COUNTED.len()],
    /// Milliseconds from a key to the results of the tests if no run reaches the step limit; if one does; and from any key
    /// to the values.
    base: Vec<f64>,
    limit: Vec<f64>,
    values: Vec<f64>,
    /// Results that differ from those of a new engine, if they are compared.
    differ: Option<u32>,
}

/// The state of typing one program.
struct Typing<'a> {
    engine: &'a mut dyn Engine,
    level: LevelChoice,
    tally: Tally,
    /// Whether the first function has been typed.
    has_function: bool,
    /// The tests that do not reach the function that is typed again.
    others: Vec<EntryId>,
}

/// Types each program on the requested engine; the last rows are those of all programs.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    let (mut opened, level) = (measuring::asked(bench.common)?, bench.common.level_choice());
    let settings = opened.engine.settings();
    opened.engine.configure(EngineSettings { reusing: true, holes: true, ..settings });
    let mut sums = vec![Tally::default(); ORDERS.len()];
    let mut sections = bench.each(programs::one, |source| {
        let (tallies, tests) = measure(&mut opened, source, level, &effort)?;
        sums.iter_mut().zip(&tallies).for_each(|(sum, tally)| sum.join(tally));
        let subject = opened.subject(source, tests, 1);
        let rows = ORDERS.iter().zip(&tallies).flat_map(|(order, tally)| tally.rows(order, subject, &opened));
        Ok(rows.collect())
    })?;
    let mut whole = Tally::default();
    sums.iter().for_each(|sum| whole.join(sum));
    if whole.differ > Some(0) {
        bench.exit = bench.exit.max(Exit::ProgramFailed);
    }
    let rows = ORDERS.iter().zip(&sums).chain([(&"every order", &whole)]);
    let rows = rows.flat_map(|(order, tally)| tally.rows(order, BenchSubject::default(), &opened)).collect();
    sections.push(Section { file: "all".into(), rows });
    Ok(sections)
}

/// Formats a table with a row for each program and order.
pub fn text(measures: &str, sections: &[Section]) -> String {
    let table = pivot(
        sections,
        "program",
        |section, row| format!("{}, {}", section.file, row.name.split(", ").next().unwrap_or_default()),
        |_, row| {
            let figure = row.name.split_once(", ").map_or("", |(_, figure)| figure);
            if row.unit == "count" { figure.into() } else { format!("{figure} {}", row.unit) }
        },
        |row| row.median().map_or(String::new(), |median| counted(median, row.unit)),
    );
    format!("{measures}\n{}", table.text(""))
}

/// Types a program in each order. Returns the figures and the number of tests.
fn measure(
    opened: &mut Opened,
    source: &InputSource,
    level: LevelChoice,
    effort: &Effort,
) -> Result<(Vec<Tally>, usize), Failure> {
    let program = compile(&source.text);
    let mut progress = CliProgress::new("orders typed");
    let mut tallies = Vec::new();
    for number in 0..ORDERS.len() {
        let engine = opened.engine.as_mut();
        // Warm-up: lazily built state is filled. The results of this text must not serve the next one.
        leveled::base(engine, level, &source.text, &|| false, &mut |_| ())?;
        measuring::forget(engine)?;
        let tally = Tally { differ: effort.check.then_some(0), ..Tally::default() };
        let mut typing = Typing { engine, level, tally, has_function: false, others: Vec::new() };
        typing.order(number, &program)?;
        tallies.push(typing.tally);
        progress.update(number + 1, ORDERS.len());
    }
    Ok((tallies, program.entries().len() as usize))
}

impl Typing<'_> {
    fn order(&mut self, number: usize, program: &Compiled) -> Result<(), Failure> {
        let mut buffer = Buffer::new("");
        match number {
            0 => typing::type_text(&mut buffer, &program.text, &mut |buffer, at| self.key(buffer, at)),
            1 => {
                let mut items = typing::items(program);
                items.sort_by_key(|(role, _)| !matches!(role, Role::Test | Role::Prop));
                for (role, text) in items {
                    let line = if buffer.is_empty() { "" } else { "\n" };
                    let after = &mut |buffer: &Buffer, at| self.key(buffer, at);
                    typing::type_text(&mut buffer, &format!("{line}{text}"), after)?;
                    self.has_function |= role == Role::Fn;
                }
                Ok(())
            }
            _ => program.functions().iter().try_for_each(|function| {
                let reaches = |id: &EntryId| closure(program, program.facts.entry(*id)).contains(&function);
                self.others = program.entries().iter().filter(|id| !reaches(id)).collect();
                let after = &mut |buffer: &Buffer, at| self.key(buffer, at);
                typing::retype(program, function, after).map(drop)
            }),
        }
    }

    /// Takes the figures after a key.
    fn key(&mut self, buffer: &Buffer, pressed: Instant) -> Result<(), Failure> {
        let (text, cursor) = (buffer.text().clone(), buffer.byte_of(buffer.head()));
        let passed = || pressed.elapsed().as_secs_f64() * 1e3;
        let mut first = None;
        let mut shown = None;
        let mut show = |base: &BaseResult| {
            let to_base = passed();
            let values = values_at(base, cursor);
            first.get_or_insert((to_base, passed()));
            shown = Some((base.clone(), values));
        };
        leveled::base(self.engine, self.level, &text, &|| false, &mut show)?;
        let (Some((to_base, to_values)), Some((base, values))) = (first, shown) else { return Ok(()) };
        let (compiled, tally) = (&*base.compiled, &mut self.tally);
        let view = compiled.view();
        let mut known: Vec<bool> = base.entries.iter().map(has_verdict).collect();
        if let Some(differ) = &mut tally.differ {
            for entry in check::differing(&base)? {
                if *differ == 0 {
                    let found = base.entries[entry].outcome;
                    print_error(&format!(
                        "a new engine differs: test {entry} ends with {found:?} in\n{text}\n"
                    ));
                }
                (*differ, known[entry]) = (*differ + 1, false);
            }
        }
        let has_any = known.contains(&true);
        let of_kind =
            |kinds: &[TokenKind]| view.all().iter().filter(|t| kinds.contains(&view.kind(*t))).count();
        let waiting = of_kind(&[TokenKind::Test, TokenKind::Prop])
            .saturating_sub(known.iter().filter(|known| **known).count());
        let has_rows = compiled.tree.role.len() == compiled.tokens.kind.len();
        let is_test = |t: &TokenId| matches!(view.role(*t), Role::Test | Role::Prop);
        let is_whole = |t: TokenId| compiled.tree.stmt[t.position()] & STMT_BROKEN == 0;
        let has_code = |function: &RoutineId| !is_hole(compiled, *function);
        let names = |(id, result): &(EntryId, &EntryResult)| {
            !has_verdict(result) && says_what_it_waits_for(compiled, *id, result)
        };
        let others = self.others.iter().filter(|id| known.get(id.position()) == Some(&true));

        tally.keys += 1;
        tally.count(Counted::Tree, compiled.text == text && has_rows && !compiled.facts.stopped());
        let functions = compiled.functions().iter().filter(has_code).count();
        tally.add(Counted::Code, functions, of_kind(&[TokenKind::Fn]));
        if view.nodes().filter(is_test).any(is_whole) {
            tally.count(Counted::Verdicts, has_any);
        }
        tally.add(Counted::OtherTests, others.count(), self.others.len());
        let named = EntryId::all().zip(&base.entries).filter(names).count();
        tally.add(Counted::Waits, named.min(waiting), waiting);
        if self.has_function {
            tally.count(Counted::AfterFunction, has_any);
        }
        if let Some(has_values) = values {
            tally.count(Counted::Values, has_values);
        }
        let is_limit = |entry: &EntryResult| entry.outcome == Outcome::Trap(Trap::StepLimit);
        let times = if base.entries.iter().any(is_limit) { &mut tally.limit } else { &mut tally.base };
        times.push(to_base);
        tally.values.push(to_values);
        Ok(())
    }
}

/// Returns whether there are values of the function at a byte of the text; `None` if no test reaches one there.
fn values_at(base: &BaseResult, cursor: usize) -> Option<bool> {
    let compiled = &base.compiled;
    let head = |function: RoutineId| compiled.executable.routine(function).map(|routine| routine.head());
    let holds = |function: &RoutineId| {
        let span = head(*function).and_then(|head| compiled.view().extent_span(head));
        span.is_some_and(|span| span.start < cursor && cursor < span.end)
    };
    let function = compiled.functions().iter().find(holds)?;
    let reaches =
        |routine: RoutineId| !is_hole(compiled, routine) && closure(compiled, routine).contains(&function);
    compiled.entries().iter().any(|id| reaches(compiled.facts.entry(id))).then_some(())?;
    let line = 1 + compiled.text[..cursor].matches('\n').count() as u32;
    let run = record_values(base, (function, None), STEPS_AT_ONCE, &|| false);
    let values = run.0.and_then(|(_, _, trace)| {
        let values = trace.values(ValuesFocus { call: trace.call_of_line(line)?, line, round: None });
        // The user waits for the words, too.
        Some(
            !values.texts(|own| own == line).is_empty()
                && values.lines.iter().any(|own| !own.values.is_empty()),
        )
    });
    Some(values == Some(true))
}

fn has_verdict(result: &EntryResult) -> bool {
    !result.outcome.is_unfinished()
}

/// Whether a whole function, test or property is a hole.
fn is_hole(compiled: &Compiled, routine: RoutineId) -> bool {
    let Some(routine) = compiled.executable.routine(routine) else { return true };
    let first = compiled.executable.at(routine.address());
    first.is_some_and(|(own, token)| own.op == Op::Hole && token == Some(routine.head()))
}

/// Whether it is known what an unfinished test waits for: the function with the hole that it reaches, an error of its own,
/// or a function that it calls and whose header has an error.
fn says_what_it_waits_for(compiled: &Compiled, id: EntryId, result: &EntryResult) -> bool {
    let view = compiled.view();
    let place = result.trap_address.and_then(|address| compiled.executable.at(address)?.1);
    let (Some(place), Some(head)) = (place, compiled.entry(id).map(|entry| entry.head())) else { return false };
    if place != head {
        return true;
    }
    let own = |t: &TokenId| compiled.tree.stmt[t.position()] & STMT_INDEX == head.number();
    let tokens: Vec<TokenId> = view.rows().iter().filter(own).collect();
    let Some(span) = tokens.last().and_then(|last| view.span(Indices::new(head, *last + 1))) else {
        return false;
    };
    diagnostics(compiled).iter().any(|problem| (span.start..=span.end).contains(&problem.span.start))
        || tokens.iter().any(|t| view.is(*t, Role::Call) && view.declaration(*t).is_some())
}

impl Tally {
    fn count(&mut self, what: Counted, counts: bool) {
        self.add(what, usize::from(counts), 1);
    }

    fn add(&mut self, what: Counted, some: usize, all: usize) {
        let share = &mut self.shares[what as usize];
        *share = (share.0 + some as u32, share.1 + all as u32);
    }

    fn join(&mut self, other: &Tally) {
        self.keys += other.keys;
        for (own, share) in self.shares.iter_mut().zip(other.shares) {
            *own = (own.0 + share.0, own.1 + share.1);
        }
        self.base.extend(&other.base);
        self.limit.extend(&other.limit);
        self.values.extend(&other.values);
        self.differ = other.differ.map(|count| count + self.differ.unwrap_or(0)).or(self.differ);
    }

    fn rows(&self, order: &str, subject: BenchSubject, opened: &Opened) -> Vec<BenchRow> {
        let mut rows = Vec::new();
        let mut figure = |name: &str, unit, value: Option<f64>, of| {
            let found = match value {
                Some(median) => BenchRecord::Figure { median, spread: 0.0, of },
                None => BenchRecord::Nothing { missing: "no such key".into() },
            };
            let name = format!("{order}, {name}");
            rows.push(BenchRow { name, subject, who: opened.who.clone(), keystrokes: None, found, unit });
        };
        figure("keys", "count", Some(self.keys.into()), 1);
        for (name, (some, all)) in COUNTED.iter().zip(self.shares) {
            let share = (all > 0).then(|| 100.0 * f64::from(some) / f64::from(all));
            figure(name, "%", share, all);
        }
        figure("at the limit", "count", Some(self.limit.len() as f64), 1);
        for (name, times) in
            [("base", &self.base), ("to values", &self.values), ("base at the limit", &self.limit)]
        {
            for (name, percent) in [(name.to_string(), 50), (format!("{name} p99"), 99)] {
                figure(&name, "ms", percentile(times, percent), times.len() as u32);
            }
        }
        if let Some(differ) = self.differ {
            figure("differ", "count", Some(differ.into()), 1);
        }
        rows
    }
}

/// Returns the smallest time that this percentage does not exceed.
fn percentile(times: &[f64], percent: usize) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get((times.len() * percent).div_ceil(100).checked_sub(1)?).copied()
}

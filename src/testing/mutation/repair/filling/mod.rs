//! Fills a hole: finds the smallest expressions with which all tests pass.
//!
//! Where a test decides which value the hole needs, expressions are found by their values (room `fill`), and no program
//! runs. Elsewhere, all small expressions that differ where the hole is first reached are candidates.

mod calls;
mod examples;
mod grammar;
mod hole;
mod reported;
mod two;
mod ways;
mod written;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::catalogue::Written;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::chain::compile_at;
use crate::compiler::stage::execute::Machine;
use crate::engine::{DeviceFailure, Engine, EngineError, Kind};
use crate::fill::operation::Word;
use crate::fill::search::{Progress, Search, SearchLimits};
use crate::fill::space::{Leaf, List, MAX_INPUTS, Space};
use crate::fill::tree::Tree;
use crate::lang::index::{EntryId, InputId, Slot, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::ty::Type;
pub use examples::counterexample;
use examples::{Example, Needs, REQUIRED};
pub use grammar::Grammar;
use hole::{Hole, number};
pub use reported::FillCounter;
pub use two::TwoHoles;
pub use written::Evidence;

/// The size up to which expressions are tried, and the maximum number of candidates that have to be run.
const SIZE: usize = 11;
/// The same for those that share a part.
const SHARED: usize = 18;
const RUN: usize = 20_000;
/// The maximum number of solutions of one size.
const SOLUTIONS: usize = 1_024;
/// The maximum number of expressions of one size that are run, if the needed values are known.
const OFFERED: usize = 256;
/// The number of sizes after which a constant is offered.
const WAITING: usize = 2;
/// The number of candidates after which a sole solution is not compared with larger ones.
const BRIEF: u64 = 1 << 18;
/// Words of kept rows.
const WORDS: usize = 1 << 25;

/// The cost of one size.
#[derive(Clone, Copy, Debug)]
pub struct FillStep {
    pub size: usize,
    pub tried: u64,
    pub time: Duration,
}

/// A search for what to write in the place of a program's only `?`.
pub struct FillSearch {
    program: Compiled,
    hole: Hole,
    examples: Vec<Example>,
    needs: Needs,
    grammar: Grammar,
    /// Frames that require nothing and distinguish expressions.
    others: Vec<Vec<u32>>,
    search: Option<Search>,
    /// The rest of a search that has ended.
    ended: Option<Ended>,
    /// The expressions of a size, while they are written.
    found: Option<(usize, Vec<Tree>)>,
    steps: Vec<FillStep>,
    /// Candidates tried by searches that a counterexample has ended, and by this one before the next step.
    tried_before: u64,
    counted: u64,
    /// The time in which rows were made before the next step.
    growing: Duration,
    /// Candidates that have to be run, so far.
    run: usize,
    /// Expressions that have the values that are needed; and whether some were returned.
    fits: usize,
    has_offered: bool,
    /// Constants that fit, and that only the tests have or that are composed: they are offered last. And their size.
    constants: Vec<(usize, Written)>,
    /// If this is the first of two holes: the pairs that were run, and their size.
    pairs: (u64, usize),
    /// Why no device searches, if one failed.
    failure: Option<EngineError>,
}

struct Ended {
    progress: Arc<Progress>,
    size: usize,
    kept: (usize, usize),
    by: Kind,
}

/// Returns frames that require nothing and distinguish expressions.
fn others(
    program: &Compiled,
    hole: &Hole,
    examples: &[Example],
    needs: &Needs,
    watch: &dyn Watch,
) -> Vec<Vec<u32>> {
    let mut frames = match needs {
        Needs::Unknown => examples::later_visits(program, hole, examples, watch),
        _ => Vec::new(),
    };
    frames.extend(examples::others(program, hole, watch));
    frames
}

/// Returns the needs of the runs; `Unknown` if the work was cancelled.
fn needs(program: &Compiled, hole: &Hole, examples: &[Example], watch: &dyn Watch) -> Needs {
    match hole.ty {
        Type::BOOL => ways::needs(program, hole, examples, watch),
        _ => examples::needs(program, hole, examples),
    }
}

impl FillSearch {
    /// Starts a search, if the program has exactly one `?`, which a test reaches, and it is an int or a bool in a
    /// function. `None` also if the work was cancelled.
    pub fn new(program: &Compiled, watch: &dyn Watch) -> Option<FillSearch> {
        program.view().holes().next()?;
        let program = compile_at(OptLevel::Lowered, &program.text);
        let hole = Hole::of(&program)?;
        let examples = examples::examples(&program, &hole, watch)?;
        if examples.is_empty() {
            return None;
        }
        let needs = needs(&program, &hole, &examples, watch);
        FillSearch::of(program, hole, examples, needs, watch)
    }

    /// `None` if the work was cancelled.
    fn of(
        program: Compiled,
        hole: Hole,
        examples: Vec<Example>,
        needs: Needs,
        watch: &dyn Watch,
    ) -> Option<FillSearch> {
        let others = others(&program, &hole, &examples, &needs, watch);
        if watch.cancelled() {
            return None;
        }
        let (grammar, steps) = (Grammar::default(), Vec::new());
        let mut fill = FillSearch {
            program,
            hole,
            examples,
            needs,
            grammar,
            others,
            search: None,
            ended: None,
            found: None,
            failure: None,
            steps,
            tried_before: 0,
            counted: 0,
            growing: Duration::ZERO,
            run: 0,
            fits: 0,
            has_offered: false,
            constants: Vec::new(),
            pairs: (0, 0),
        };
        fill.begin();
        Some(fill)
    }

    /// Begins again, with other operations and constants.
    pub fn restrict(&mut self, grammar: Grammar) {
        if let Some(constants) = &grammar.constants {
            self.hole.set_constants(constants);
        }
        self.grammar = grammar;
        self.begin();
    }

    /// Begins with the smallest expressions.
    fn begin(&mut self) {
        let mut frames: Vec<Vec<u32>> = self.examples.iter().map(|example| example.frame.clone()).collect();
        let required = match &self.needs {
            Needs::Values(values) => values.len(),
            Needs::Ways(ways) => {
                frames.clone_from(&ways.frames);
                frames.len()
            }
            Needs::Unknown => {
                frames.truncate(MAX_INPUTS / 2);
                0
            }
            Needs::States(states) => {
                frames.clone_from(states);
                0
            }
            Needs::Nothing(_) => return self.search = None,
        };
        if let Needs::Values(values) = &self.needs
            && let Some(first) = values.first().filter(|first| values.iter().all(|value| value == *first))
        {
            self.hole.add_constant(*first);
        }
        // Where nothing else is known, a trap ends a run.
        let first_visits = if self.needs == Needs::Unknown { frames.len() } else { 0 };
        frames.truncate(MAX_INPUTS);
        frames.extend(self.others.iter().take(MAX_INPUTS - frames.len()).cloned());
        let view = self.program.view();
        let leaf = |term: &hole::Term| {
            let values: Vec<Word> = frames.iter().map(|frame| term.value(frame)).collect();
            let is_constant = values[0].is_some_and(|value| term.pieces == number(value));
            Leaf { text: term.text(view), ty: term.ty, values, is_constant }
        };
        let is_used = |term: &&hole::Term| self.grammar.uses_program || !term.is_of_tests;
        let leaves: Vec<Leaf> = self.hole.terms.iter().filter(is_used).map(leaf).collect();
        let list = |(name, slot): &(TokenId, Slot)| List {
            text: view.text(*name).to_string(),
            ty: view.ty(*name).element(),
            values: frames.iter().map(|frame| hole::elements(frame, *slot).to_vec()).collect(),
        };
        let lists = self.hole.lists.iter().map(list).collect();
        let functions = self.hole.functions.iter().filter(|_| self.grammar.uses_program);
        let functions = functions.filter_map(|own| calls::operation(&self.program, *own, &leaves)).collect();
        let operations = self.grammar.operations.clone();
        let mut space = Space::new(leaves, operations, required, frames.len()).with(lists, functions);
        space.evaluated = first_visits;
        let limits = SearchLimits { words: WORDS, size: SIZE, solutions: SOLUTIONS, depth: 2 };
        let scanner = self.search.as_mut().and_then(Search::take_scanner);
        let mut search = match &self.needs {
            Needs::Values(values) => Search::new(space, self.hole.ty, values, limits),
            Needs::Ways(ways) => Search::along(space, ways.runs.clone(), limits),
            _ => Search::new(space, self.hole.ty, &[], limits),
        };
        search.set_scanner(scanner);
        search.share(SHARED);
        self.search = Some(search);
        self.counted = 0;
        (self.fits, self.has_offered, self.found) = (0, false, None);
        self.constants.clear();
    }

    /// Lets the engine's device search the sizes that are not kept, if the engine has one for this.
    pub fn search_on(&mut self, engine: &mut dyn Engine, watch: &(dyn Watch + Sync)) {
        let Some(search) = &mut self.search else { return };
        let started = Instant::now();
        let is_ready = search.keep_next(&|| watch.cancelled()).is_some() && search.is_wide();
        self.growing += started.elapsed();
        if is_ready && self.failure.is_none() && !search.has_scanner() {
            let tried = self.tried();
            match (engine.fill_scanner(tried), &mut self.search) {
                (Ok(scanner), Some(search)) => search.set_scanner(scanner),
                (Err(error), _) => self.failure = Some(error),
                (Ok(_), None) => {}
            }
        }
    }

    /// The kind of engine that searches the sizes that are not kept.
    pub fn searched_by(&self) -> Kind {
        match (&self.search, &self.ended) {
            (Some(search), _) if search.has_scanner() => Kind::Gpu,
            (None, Some(ended)) => ended.by,
            _ => Kind::Cpu,
        }
    }

    /// Why a device was given up, if one was.
    pub fn failure(&self) -> Option<&EngineError> {
        self.failure.as_ref()
    }

    /// Tries the next size. Returns the candidates, the best first, or `None` if the work was cancelled.
    pub fn step(&mut self, watch: &(dyn Watch + Sync)) -> Option<Vec<Written>> {
        if self.found.is_none() {
            let Some(search) = self.search.take() else { return Some(Vec::new()) };
            if let Some(constants) = self.find(search, watch)? {
                return Some(constants);
            }
        }
        let (size, found) = self.found.take()?;
        let written = self.search.as_ref().and_then(|search| self.all_written(search, &found, watch));
        let Some((constants, mut written)) = written else {
            self.found = Some((size, found));
            return None;
        };
        // With the values that are needed, all of them are equal.
        if self.constants.is_empty() || !self.knows_values() {
            self.constants.extend(constants.into_iter().map(|own| (size, own)));
        }
        written.sort_by_key(|own| own.weight);
        if self.knows_values() {
            written.truncate(OFFERED);
        }
        let is_late = self.is_done() || self.knows_values() && !written.is_empty();
        if !self.has_offered || !self.knows_values() {
            let due = self.constants.extract_if(.., |(at, _)| is_late || *at + WAITING <= size);
            // They come after the expressions of this size.
            let weight = (size as u32 + 1) * Written::SIZE;
            written.extend(due.map(|(_, own)| Written { weight, ..own }));
        }
        self.has_offered |= !written.is_empty();
        Some(written)
    }

    /// Finds the expressions of the next size, or returns the constants that come before it; `None` if the work was cancelled.
    fn find(&mut self, mut search: Search, watch: &(dyn Watch + Sync)) -> Option<Option<Vec<Written>>> {
        let started = Instant::now();
        let size = search.next_size().unwrap_or_default();
        let is_kept = search.keep_next(&|| watch.cancelled()).is_some();
        if is_kept && search.is_wide() && !self.has_offered && !self.constants.is_empty() {
            // A size that is not kept takes long.
            (self.search, self.has_offered) = (Some(search), true);
            self.growing += started.elapsed();
            return Some(Some(self.constants.drain(..).map(|(_, own)| own).collect()));
        }
        let found = search.step(&|| watch.cancelled());
        let counted = search.progress.tried.load(Relaxed);
        let tried = counted - std::mem::replace(&mut self.counted, counted);
        self.steps.push(FillStep { size, tried, time: started.elapsed() + std::mem::take(&mut self.growing) });
        if let Some(why) = search.failure() {
            self.failure.get_or_insert(DeviceFailure::Command.because(why));
        }
        let different = found.map(|found| {
            self.fits += found.len();
            search.different(&found)
        });
        self.search = Some(search);
        let different = different?;
        self.run += if self.knows_values() { 0 } else { different.len() };
        self.found = Some((size, different));
        Some(None)
    }

    /// Frees the memory of the search, which has ended.
    pub fn end(&mut self) {
        let (size, kept, by) = (self.own_size(), self.kept(), self.searched_by());
        if let Some(search) = self.search.take() {
            self.ended = Some(Ended { progress: search.progress.clone(), size, kept, by });
        }
    }

    /// Whether nothing is left to try.
    pub fn is_done(&self) -> bool {
        self.run >= RUN || self.search.as_ref().is_none_or(|search| search.next_size().is_none())
    }

    /// Whether so few candidates were tried that those of the next size take little time.
    pub fn is_brief(&self) -> bool {
        self.tried() < BRIEF
    }

    /// Whether a found expression has the values that all known runs need.
    pub fn knows_values(&self) -> bool {
        matches!(self.needs, Needs::Values(_) | Needs::Ways(_))
    }

    /// The entry that no value of the hole can pass.
    pub fn impossible(&self) -> Option<EntryId> {
        match self.needs {
            Needs::Nothing(entry) => Some(entry),
            _ => None,
        }
    }

    /// Begins again, with a run that has refuted all solutions so far. Returns false if it is known already, or there are
    /// too many.
    pub fn refute(&mut self, at: (EntryId, InputId)) -> bool {
        let mut machine = Machine::default();
        machine.load(&self.program.executable);
        let Some(new) = examples::example(&self.program, &self.hole, &mut machine, at) else { return false };
        if self.examples.contains(&new) || self.examples.len() >= REQUIRED + 8 {
            return false;
        }
        self.tried_before = self.tried();
        self.examples.push(new);
        self.needs = needs(&self.program, &self.hole, &self.examples, &|| false);
        if self.needs == Needs::Unknown {
            self.others = others(&self.program, &self.hole, &self.examples, &self.needs, &|| false);
        }
        self.begin();
        true
    }
}

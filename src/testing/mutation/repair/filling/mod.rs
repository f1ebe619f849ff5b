//! Fills a hole: finds the smallest expressions with which all tests pass.
//!
//! Where a test decides which value the hole needs, expressions are found by their values (room `fill`), and no program
//! runs. Elsewhere, all small expressions that differ where the hole is first reached are candidates.

mod examples;
mod grammar;
mod hole;

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::chain::compile_at;
use crate::compiler::stage::execute::Machine;
use crate::compiler::stage::mutate::Piece;
use crate::engine::{DeviceFailure, Engine, EngineError, Kind};
use crate::fill::search::{Search, SearchLimits};
use crate::fill::space::{Leaf, MAX_INPUTS, Space};
use crate::fill::tree::Part;
use crate::lang::index::{EntryId, InputId};
use crate::lang::level::OptLevel;
use crate::lang::token::TokenKind;
pub use examples::counterexample;
use examples::{Example, Needs, REQUIRED};
pub use grammar::Grammar;
use hole::{Hole, number};

/// The size up to which expressions are tried, and the maximum number of candidates that have to be run.
const SIZE: usize = 11;
const RUN: usize = 20_000;
/// The maximum number of solutions of one size.
const SOLUTIONS: usize = 32;
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
    search: Option<Search>,
    steps: Vec<FillStep>,
    /// Candidates tried by searches that a counterexample has ended, and by this one before the next step.
    tried_before: u64,
    counted: u64,
    /// The time in which rows were made before the next step.
    growing: Duration,
    /// Candidates that have to be run, so far.
    run: usize,
    /// Why no device searches, if one failed.
    failure: Option<EngineError>,
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
        let needs = examples::needs(&program, &hole, &examples);
        let (grammar, steps) = (Grammar::default(), Vec::new());
        let mut fill = FillSearch {
            program,
            hole,
            examples,
            needs,
            grammar,
            search: None,
            failure: None,
            steps,
            tried_before: 0,
            counted: 0,
            growing: Duration::ZERO,
            run: 0,
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
        let (words, required) = match &self.needs {
            Needs::Values(values) => (values.clone(), values.len()),
            Needs::Unknown => (Vec::new(), 0),
            Needs::Nothing(_) => return self.search = None,
        };
        let mut frames: Vec<Vec<u32>> = self.examples.iter().map(|example| example.frame.clone()).collect();
        let mut others = Vec::new();
        if required == 0 {
            others = examples::later_visits(&self.program, &self.hole, &self.examples);
            frames.truncate(MAX_INPUTS / 2);
        }
        let needed_frames = frames.len();
        others.extend(examples::others(&self.program, &self.hole));
        frames.extend(others.into_iter().take(MAX_INPUTS - frames.len()));
        let view = self.program.view();
        let leaf = |term: &hole::Term| {
            // A term that some run does not have is no leaf.
            let needed = frames.iter().take(needed_frames).map(|frame| term.value(frame));
            let mut values: Vec<u32> = needed.collect::<Option<_>>()?;
            values.extend(frames.iter().skip(values.len()).map(|frame| term.value(frame).unwrap_or(0)));
            let is_constant = term.pieces == number(values[0]);
            Some(Leaf { text: term.text(view), ty: term.ty, values, is_constant })
        };
        let leaves = self.hole.terms.iter().filter_map(leaf).collect();
        let space = Space::new(leaves, self.grammar.operations.clone(), required, frames.len());
        let limits = SearchLimits { words: WORDS, size: SIZE, solutions: SOLUTIONS, depth: 2 };
        let scanner = self.search.as_mut().and_then(Search::take_scanner);
        let mut search = Search::new(space, self.hole.ty, &words, limits);
        search.set_scanner(scanner);
        self.search = Some(search);
        self.counted = 0;
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
        let has_device = self.search.as_ref().is_some_and(Search::has_scanner);
        if has_device { Kind::Gpu } else { Kind::Cpu }
    }

    /// Why a device was given up, if one was.
    pub fn failure(&self) -> Option<&EngineError> {
        self.failure.as_ref()
    }

    /// Tries the next size. Returns the candidates as pieces that replace the hole, or `None` if the work was cancelled.
    pub fn step(&mut self, watch: &(dyn Watch + Sync)) -> Option<Vec<Vec<Piece>>> {
        let Some(search) = &mut self.search else { return Some(Vec::new()) };
        let started = Instant::now();
        let size = search.next_size().unwrap_or_default();
        let found = search.step(&|| watch.cancelled());
        let counted = search.progress.tried.load(Relaxed);
        let tried = counted - std::mem::replace(&mut self.counted, counted);
        self.steps.push(FillStep { size, tried, time: started.elapsed() + std::mem::take(&mut self.growing) });
        if let Some(why) = search.failure() {
            self.failure.get_or_insert(DeviceFailure::Command.because(why));
        }
        let found = search.different(&found?);
        let search = &*search;
        let terms = |leaf: u32| {
            let text = &search.space.leaves[leaf as usize].text;
            let term = self.hole.terms.iter().find(|term| term.text(self.program.view()) == *text);
            term.map_or(Vec::new(), |term| term.pieces.clone())
        };
        let pieces = |part: Part| match part {
            Part::Sign(kind) | Part::Infix(kind) => vec![Piece::sign(kind)],
            Part::Number(value) => vec![Piece::New(TokenKind::Int, value)],
            Part::BuiltIn(name) => vec![Piece::New(TokenKind::Name, name)],
            Part::Leaf(leaf) => terms(leaf),
        };
        let written = |tree: &crate::fill::tree::Tree| {
            tree.parts(&search.space, &search.rows).into_iter().flat_map(pieces).collect()
        };
        self.run += if self.needs == Needs::Unknown { found.len() } else { 0 };
        Some(found.iter().map(written).collect())
    }

    /// Whether nothing is left to try.
    pub fn is_done(&self) -> bool {
        self.run >= RUN || self.search.as_ref().is_none_or(|search| search.next_size().is_none())
    }

    /// Whether a found expression has the values that all known runs need.
    pub fn knows_values(&self) -> bool {
        matches!(self.needs, Needs::Values(_))
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
        self.needs = examples::needs(&self.program, &self.hole, &self.examples);
        self.begin();
        true
    }

    /// The number of candidates tried.
    pub fn tried(&self) -> u64 {
        let own = self.search.as_ref();
        self.tried_before + own.map_or(0, |search| search.progress.tried.load(Relaxed))
    }

    /// The cost of each size that was tried; sizes that were tried again are listed again.
    pub fn steps(&self) -> &[FillStep] {
        &self.steps
    }

    /// The number of kept rows, and their bytes.
    pub fn kept(&self) -> (usize, usize) {
        self.search.as_ref().map_or((0, 0), |search| (search.rows.len(), search.bytes()))
    }

    /// The size that was tried last.
    pub fn size(&self) -> usize {
        self.search.as_ref().map_or(0, |search| search.next_size().unwrap_or(SIZE + 1) - 1)
    }

    /// The token of the hole.
    pub fn token(&self) -> crate::lang::index::TokenId {
        self.hole.token
    }

    pub fn function(&self) -> crate::lang::index::RoutineId {
        self.hole.function
    }
}

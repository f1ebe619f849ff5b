//! Improves one routine, a function or the code of a test: makes moves that shorten its runs, and keeps those that are proved.

use std::collections::BTreeMap;

use super::moves::{self, Counted};
use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::execute::{Machine, Tally, domains, entry};
use crate::compiler::stage::optimize::learned::code::{self, Instruction};
use crate::compiler::stage::optimize::learned::key::keys;
use crate::compiler::stage::optimize::learned::rule::{Rule, apply};
use crate::compiler::stage::optimize::learned::{Learned, LearnedCode, fits};
use crate::compiler::stage::optimize::lowered_routines;
use crate::compiler::stage::{BackEnd, emit};
use crate::lang::index::{Index, RoutineId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::testing::decide::Effort;
use crate::testing::prove::{ProveVerdict, same_function};

/// The inputs of each property that steps are counted on.
const SAMPLES: u32 = 64;
/// The maximum number of rounds of moves.
const ROUNDS: usize = 8;
/// Proofs alone decide; no input is searched.
const NO_SEARCH: Effort = Effort { inputs: 0, steps: 0, persists: false };

/// The steps of a program's tests, and their ends.
#[derive(Clone, Debug, PartialEq)]
struct Ran {
    steps: u64,
    ends: Vec<(Trap, u32, u32)>,
}

#[derive(Clone, Debug)]
pub struct Improved {
    pub code: LearnedCode,
    /// The names of the moves that were made, in order.
    pub moves: Vec<&'static str>,
    /// The steps of the program's tests, on fewer inputs, before and after.
    pub steps: [u64; 2],
}

/// The number of moves tried, and of those without success, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    pub moves: u32,
    /// It needs more memory than there may be.
    pub memory: u32,
    /// A test ends differently.
    pub differs: u32,
    /// The tests take no fewer steps.
    pub no_gain: u32,
    /// No proof was found.
    pub unproved: u32,
}

impl Tried {
    /// Adds other moves.
    pub fn add(&mut self, other: &Tried) {
        let Tried { moves, memory, differs, no_gain, unproved } = self;
        *moves += other.moves;
        *memory += other.memory;
        *differs += other.differs;
        *no_gain += other.no_gain;
        *unproved += other.unproved;
    }
}

/// Why runs of a program's tests are no improvement.
enum NoGain {
    Differs,
    Steps,
}

#[derive(Clone, Debug)]
pub struct FunctionSearch {
    pub improved: Option<Improved>,
    pub tried: Tried,
}

/// Code under improvement.
struct ImproveFunction<'a> {
    /// The program with the best code so far.
    program: Compiled,
    function: RoutineId,
    rules: &'a [Rule],
    ran: Ran,
    moves: Vec<&'static str>,
    tried: Tried,
    /// Code that was tried without success.
    failed: Vec<Vec<Instruction>>,
    watch: &'a dyn Watch,
}

/// Searches for better code of a function. `program` is compiled at level 2. Returns `None` if the work was cancelled.
pub fn improve(
    program: &Compiled,
    function: RoutineId,
    learned: &Learned,
    watch: &dyn Watch,
) -> Option<FunctionSearch> {
    // Learned code comes before what only the processor adds.
    let program = &BackEnd::shared(program);
    let rules: Vec<Rule> = learned.active().cloned().collect();
    let Ok(ran) = run(program, None, watch)? else {
        return Some(FunctionSearch { improved: None, tried: Tried::default() });
    };
    let steps = ran.steps;
    let mut own = ImproveFunction {
        program: program.clone(),
        function,
        rules: &rules,
        ran,
        moves: Vec::new(),
        tried: Tried::default(),
        failed: Vec::new(),
        watch,
    };
    for _ in 0..ROUNDS {
        if !own.round()? {
            break;
        }
    }
    let tried = own.tried;
    if own.moves.is_empty() {
        return Some(FunctionSearch { improved: None, tried });
    }
    let routines = lowered_routines(program);
    let frame = own.program.executable.routines.frame[function.position()];
    let code = keys(&program.lowered, &routines)
        .get(function.position())
        .and_then(|keyed| LearnedCode::new(&own.code(), frame, keyed, &routines));
    let improved = code.map(|code| Improved { code, moves: own.moves.clone(), steps: [steps, own.ran.steps] });
    Some(FunctionSearch { improved, tried })
}

/// Runs a program's tests on few inputs. With `best`, ends as soon as a test ends differently or no step is saved.
/// Returns `None` if cancelled.
fn run(program: &Compiled, best: Option<&Ran>, watch: &dyn Watch) -> Option<Result<Ran, NoGain>> {
    let mut machine = Machine::default();
    machine.load(&program.executable);
    let domains = domains(&program.facts, &program.executable.routines, &program.binders, SAMPLES);
    let mut ran = Ran { steps: 0, ends: Vec::new() };
    for domain in &domains {
        let tally: Tally = entry(&mut machine, &program.executable, domain, limits::STEPS, watch);
        if watch.cancelled() {
            return None;
        }
        ran.steps += tally.steps;
        ran.ends.push((tally.last.trap, tally.last.value, tally.inputs));
        if let Some(best) = best {
            if !best.ends.starts_with(&ran.ends) {
                return Some(Err(NoGain::Differs));
            }
            if ran.steps >= best.steps {
                return Some(Err(NoGain::Steps));
            }
        }
    }
    Some(Ok(ran))
}

pub fn with_code(program: &Compiled, function: RoutineId, new: &[Instruction], frame: u32) -> Compiled {
    let mut changed = program.clone();
    let Executable { code: bytecode, routines } = &mut changed.executable;
    let place = function.position();
    routines.frame[place] = routines.frame[place].max(frame);
    code::replace(&mut changed.ir, routines, &BTreeMap::from([(place, new.to_vec())]));
    emit::run(&changed.ir, routines, bytecode, &mut emit::EmitScratch::default());
    changed
}

impl ImproveFunction<'_> {
    fn code(&self) -> Vec<Instruction> {
        code::of(&self.program.ir, &self.program.executable.routines, self.function.position())
    }

    fn frame(&self) -> u32 {
        self.program.executable.routines.frame[self.function.position()]
    }

    /// Tries all moves once. Returns whether any was made, or `None` if cancelled.
    fn round(&mut self) -> Option<bool> {
        let mut any = false;
        // Moves that never lengthen a run, all at once; if there is no proof, one by one.
        let (start, mut all) = (self.code(), self.code());
        self.simplify(&mut all);
        let all_at_once = all != start && self.attempt("simplify", &all, self.frame())?;
        any |= all_at_once;
        if !all_at_once && all != start {
            while let Some(made) = self.single()? {
                any |= made;
            }
        }
        for new in [moves::returned(&self.code()), moves::selected(&self.code())].concat() {
            any |= self.attempt("select", &new, self.frame())?;
        }
        let params: u32 = self.program.arguments(self.function).iter().map(|ty| ty.words()).sum();
        for counted in moves::counted(&self.code(), self.frame(), params) {
            if self.count(&counted)? {
                // The places of the other loops have changed.
                return Some(true);
            }
        }
        let mut branch = 0;
        while branch < self.code().len() {
            let mut made = false;
            for new in moves::decided(&self.code(), branch).into_iter().flatten() {
                made = made || self.attempt("decide", &new, self.frame())?;
            }
            any |= made;
            branch += usize::from(!made);
        }
        Some(any)
    }

    /// Makes all moves that never lengthen a run.
    fn simplify(&self, code: &mut Vec<Instruction>) {
        for _ in 0..ROUNDS {
            let before = code.clone();
            apply(self.rules.iter(), code, &mut |_| ());
            while let Some(pair) = moves::carried(code).first() {
                *code = moves::without(code, pair);
            }
            let jumps = moves::tails(code);
            *code = moves::copied(code, &jumps);
            if *code == before {
                break;
            }
        }
    }

    /// Makes one move that never lengthens a run and that did not fail before. Returns `None` if there is none.
    fn single(&mut self) -> Option<Option<bool>> {
        let (code, frame) = (self.code(), self.frame());
        let mut candidates: Vec<(&'static str, Vec<Instruction>)> = Vec::new();
        let mut ruled = code.clone();
        apply(self.rules.iter(), &mut ruled, &mut |_| ());
        candidates.push(("rules", ruled));
        candidates.extend(moves::carried(&code).iter().map(|pair| ("carry", moves::without(&code, pair))));
        candidates.extend(moves::tails(&code).iter().map(|jump| ("copy", moves::copied(&code, &[*jump]))));
        for (name, new) in candidates {
            if new != code && self.attempt(name, &new, frame)? {
                return Some(Some(true));
            }
        }
        Some(None)
    }

    /// Turns a loop into one that counts.
    fn count(&mut self, counted: &Counted) -> Option<bool> {
        let Counted { renamed, names, code, frame } = counted;
        let is_renamed = moves::equal_but_for_name(&self.code(), renamed, *names);
        if self.failed.contains(code) || !is_renamed || !self.fits(code, *frame) {
            return Some(false);
        }
        let before = self.program.clone();
        self.program = with_code(&before, self.function, renamed, *frame);
        let made = self.attempt("count", code, *frame);
        if made != Some(true) {
            self.program = before;
        }
        made
    }

    /// Keeps other code if the tests end alike in fewer steps, it fits in memory, and it is proved equal. Returns whether it
    /// is kept, or `None` if cancelled.
    fn attempt(&mut self, name: &'static str, new: &[Instruction], frame: u32) -> Option<bool> {
        if self.failed.iter().any(|failed| failed == new) {
            return Some(false);
        }
        self.tried.moves += 1;
        let made = self.proved(new, frame)?;
        match made {
            Some((program, ran)) => {
                (self.program, self.ran) = (program, ran);
                self.moves.push(name);
                Some(true)
            }
            None => {
                self.failed.push(new.to_vec());
                Some(false)
            }
        }
    }

    /// Returns whether the routine may have this code without running out of memory earlier.
    fn fits(&self, new: &[Instruction], frame: u32) -> bool {
        let routines = &self.program.executable.routines;
        let of = |routine: usize| code::of(&self.program.ir, routines, routine);
        fits(&of, routines, self.function.position(), (new, frame))
    }

    fn proved(&mut self, new: &[Instruction], frame: u32) -> Option<Option<(Compiled, Ran)>> {
        if new.is_empty() || !self.fits(new, frame) {
            self.tried.memory += 1;
            return Some(None);
        }
        let changed = with_code(&self.program, self.function, new, frame);
        let ran = match run(&changed, Some(&self.ran), self.watch)? {
            Ok(ran) => ran,
            Err(NoGain::Differs) => {
                self.tried.differs += 1;
                return Some(None);
            }
            Err(NoGain::Steps) => {
                self.tried.no_gain += 1;
                return Some(None);
            }
        };
        let verdict = same_function(&self.program, &changed, self.function, NO_SEARCH, self.watch)?;
        if !matches!(verdict, ProveVerdict::Proved(_)) {
            self.tried.unproved += 1;
            return Some(None);
        }
        Some(Some((changed, ran)))
    }
}

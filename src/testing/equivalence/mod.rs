//! Proves that mutants equal their program, or each other, in value and trap for every input. Also other bytecode for
//! a function.
//!
//! A mutant's function is compiled at level 2 and brought into a [normal form](form). If the form equals that of the
//! program's function, every call of the two has the same value, the same trap and the same place of the trap.
//! Only the number of steps, the memory and the depth of calls may differ, and with them the traps StepLimit,
//! OutOfMemory and RecursionTooDeep.

pub(super) mod blocks;
mod code;
pub(super) mod form;
pub(super) mod known;
pub(super) mod quick;
pub(super) mod state;
pub(super) mod terms;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::compiler::program::{Compiled, Executable, Ir, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::mutate::{self, Edit, Edits, Piece};
use crate::compiler::stage::splice::part::callable;
use crate::compiler::variants::Variants;
use crate::host::measure::numbers::grouped;
use crate::lang::index::{Index, Indices, MutantId, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::role::Role;
use crate::lang::ty::Type;
use crate::lang::verdict::{MutantStatus, Verdict};
pub use code::CodeProver;
pub use form::Subject;
use form::{Form, form};
use terms::{Rules, Terms};

/// When there are this many terms, all of them are discarded.
const MOST: usize = 1 << 20;
/// Bits for a token's place in its function.
const PLACE_BITS: u32 = 13;
/// The tokens that an edit inserts have numbers from here on.
const INSERTED: u32 = 1 << 27;

/// The program or the mutant that a survivor equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// The program.
    Base(Reason),
    /// The mutant with this lower id, which survives too.
    Mutant(MutantId),
}

/// Why two codes are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Their code at level 2 is the same.
    Code,
    /// Their normal forms are, by these rules.
    Form(NeededRules),
    /// They do the same on all inputs, of which there are this number.
    Inputs(u32),
    /// A symbolic proof of their code at this level.
    Symbolic(OptLevel),
}

/// The families of rules without which a proof fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NeededRules {
    facts: bool,
    sums: bool,
    signs: bool,
    bits: bool,
}

impl Equality {
    /// Describes the proof, as a sentence without a period.
    pub fn text(&self) -> String {
        match self {
            Equality::Base(reason) => format!("no test can notice it: {}", reason.text()),
            Equality::Mutant(first) => {
                format!("every test that notices it notices #{first}: their values at level 2 are equal")
            }
        }
    }
}

impl Reason {
    /// Describes the reason, as a clause.
    pub fn text(&self) -> String {
        let needed = match self {
            Reason::Form(needed) => needed,
            Reason::Code => return "its code at level 2 is the program's".into(),
            Reason::Inputs(1) => return "it does the same on the only input".into(),
            Reason::Inputs(count) => {
                return format!("it does the same on all {} inputs", grouped((*count).into()));
            }
            Reason::Symbolic(level) => {
                return format!("a symbolic proof shows that its code at level {} is equal", level.number());
            }
        };
        let families = [
            (needed.facts, "the range and known bits of a value"),
            (needed.sums, "regrouped sums"),
            (needed.signs, "a sign that has no effect"),
            (needed.bits, "bits that have no effect"),
        ];
        let names: Vec<&str> = families.iter().filter(|(needed, _)| *needed).map(|(_, name)| *name).collect();
        match &names[..] {
            [] => "its values at level 2 are the program's".into(),
            names => format!("its values at level 2 are the program's, by {}", names.join(" and ")),
        }
    }
}

/// A function of the program, with the mutants that were examined.
struct Function {
    form: Option<Form>,
    /// By edit, relative to the function's first token.
    mutants: HashMap<Edit, Option<Examined>>,
}

/// A mutant's form, and why it equals the program's.
#[derive(Clone)]
struct Examined {
    form: Arc<Form>,
    equal: Option<Reason>,
}

/// Proves equalities. It keeps what it found for functions that stay the same from one program to the next.
pub struct Prover {
    compiler: Compiler,
    terms: Terms,
    /// By the text of the function and of all that its code depends on.
    functions: HashMap<Arc<str>, Function>,
}

impl Default for Prover {
    fn default() -> Prover {
        Prover { compiler: Compiler::default(), terms: Terms::new(Rules::ALL), functions: HashMap::new() }
    }
}

/// A program at level 2.
struct Whole {
    ir: Ir,
    executable: Executable,
}

impl Prover {
    /// Examines survivors, whose ids ascend. Returns those that equal the program or an earlier one of them, or
    /// `None` if cancelled. Second-order mutants are left out.
    pub fn examine(
        &mut self,
        variants: &Variants<Arc<Compiled>>,
        survivors: impl IntoIterator<Item = MutantId>,
        watch: &dyn Watch,
    ) -> Option<Vec<(MutantId, Equality)>> {
        if self.terms.len() > MOST {
            *self = Prover::default();
        }
        let base = variants.program();
        let mut functions: HashMap<RoutineId, Arc<str>> = HashMap::new();
        let mut whole = None;
        let mut firsts: HashMap<(RoutineId, Arc<Form>), MutantId> = HashMap::new();
        let mut found = Vec::new();
        for id in survivors {
            if watch.cancelled() {
                return None;
            }
            let Some(Edits { first: edit, second: None }) = variants.edits(id) else { continue };
            let Some(function) = function_of(base, edit) else { continue };
            let key = functions.entry(function).or_insert_with(|| key(base, function)).clone();
            let Some(examined) = self.examined(base, (function, &key), edit, &mut whole) else { continue };
            match examined.equal {
                Some(reason) => found.push((id, Equality::Base(reason))),
                None => {
                    let first = *firsts.entry((function, examined.form)).or_insert(id);
                    found.extend((first != id).then_some((id, Equality::Mutant(first))));
                }
            }
        }
        let used: HashSet<&Arc<str>> = functions.values().collect();
        self.functions.retain(|key, _| used.contains(key));
        Some(found)
    }

    /// Returns the form of a mutant, computed now or earlier.
    fn examined(
        &mut self,
        base: &Compiled,
        (function, key): (RoutineId, &Arc<str>),
        edit: Edit,
        whole: &mut Option<Whole>,
    ) -> Option<Examined> {
        let begin = i64::from(base.executable.routine(function)?.head().number());
        let relative = edit.shifted(-begin);
        if let Some(known) = self.functions.get(key).and_then(|known| known.mutants.get(&relative)) {
            return known.clone();
        }
        let whole = whole.get_or_insert_with(|| self.compile(base, None).unwrap_or_else(Whole::none));
        if !self.functions.contains_key(key) {
            let form = whole.form(base, function, None, &mut self.terms);
            self.functions.insert(key.clone(), Function { form, mutants: HashMap::new() });
        }
        let found = self.compute(base, (function, key), edit, whole);
        self.functions.get_mut(key)?.mutants.insert(relative, found.clone());
        found
    }

    fn compute(
        &mut self,
        base: &Compiled,
        (function, key): (RoutineId, &Arc<str>),
        edit: Edit,
        whole: &Whole,
    ) -> Option<Examined> {
        let mutant = self.compile(base, Some(edit))?;
        if !whole.has_headers_of(&mutant) {
            return None;
        }
        let own = mutant.form(base, function, Some(edit), &mut self.terms)?;
        let equals = self.functions.get(key).is_some_and(|known| known.form.as_ref() == Some(&own));
        let equal = equals.then(|| match whole.has_code_of(&mutant, function) {
            true => Reason::Code,
            false => Reason::Form(needed(base, function, edit, (whole, &mutant))),
        });
        Some(Examined { form: Arc::new(own), equal })
    }

    /// Compiles the program or a mutant at level 2.
    fn compile(&mut self, base: &Compiled, edit: Option<Edit>) -> Option<Whole> {
        let compiler = &mut self.compiler;
        match edit {
            Some(edit) => mutate::apply(&base.tokens, edit.into(), &mut compiler.tokens).then_some(())?,
            None => compiler.tokens.clone_from(&base.tokens),
        }
        compiler.tokens_at(&base.text, base.facts.names, OptLevel::Whole);
        let (ir, executable) = (&compiler.back.ir, &compiler.back.executable);
        compiler.compiles().then(|| Whole { ir: ir.clone(), executable: executable.clone() })
    }
}

impl Whole {
    /// A program without code.
    fn none() -> Whole {
        Whole { ir: Ir::default(), executable: Executable::default() }
    }

    /// Returns the normal form of a function. `edit` made the program from the base.
    fn form(
        &self,
        base: &Compiled,
        function: RoutineId,
        edit: Option<Edit>,
        terms: &mut Terms,
    ) -> Option<Form> {
        let parameters: Vec<Type> = base.program().parameters(function);
        let subject = Subject {
            ir: &self.ir,
            program: &self.executable,
            function,
            parameters: &parameters,
            token: &places(base, edit),
            callee: &|callee| callee,
        };
        form(&subject, terms)
    }

    /// Whether all routines have the same parameters and results.
    fn has_headers_of(&self, other: &Whole) -> bool {
        let [a, b] = [self, other].map(|whole| &whole.executable.routines);
        (&a.params, &a.caps0, &a.caps1, &a.caps2, &a.caps3, &a.result)
            == (&b.params, &b.caps0, &b.caps1, &b.caps2, &b.caps3, &b.result)
    }

    /// Whether a function has the same bytecode.
    fn has_code_of(&self, other: &Whole, function: RoutineId) -> bool {
        let code = |whole: &Whole| whole.executable.routine(function).map(crate::compiler::stage::splice::code);
        code(self) == code(other)
    }
}

/// Finds the rules without which the forms of a function differ.
fn needed(base: &Compiled, function: RoutineId, edit: Edit, (whole, mutant): (&Whole, &Whole)) -> NeededRules {
    let differ = |rules: Rules| {
        let mut terms = Terms::new(rules);
        let form = whole.form(base, function, None, &mut terms);
        form != mutant.form(base, function, Some(edit), &mut terms)
    };
    NeededRules {
        facts: differ(Rules { facts: false, ..Rules::ALL }),
        sums: differ(Rules { sums: false, ..Rules::ALL }),
        signs: differ(Rules { signs: false, ..Rules::ALL }),
        bits: differ(Rules { bits: false, ..Rules::ALL }),
    }
}

/// Returns the names of tokens as places of traps. `edit` made the program from the base. A token is named by its function
/// and its place there, so that code before it does not matter.
pub fn places(base: &Compiled, edit: Option<Edit>) -> impl Fn(TokenId) -> u32 + '_ {
    let heads = &base.executable.routines.token;
    let placed = |token: TokenId| {
        let token = token.number();
        let function = heads.partition_point(|head| *head <= token).saturating_sub(1);
        ((function as u32) << PLACE_BITS) + token - heads.get(function).copied().unwrap_or(0)
    };
    move |token: TokenId| match edit.map_or(Place::Base(token), |edit| place_in_base(edit, token)) {
        Place::Base(token) => placed(token),
        Place::Inserted { before, nth } => INSERTED + (placed(before) << 4) + nth.min(15),
    }
}

/// Whether the code of two functions has the same normal form.
pub fn have_equal_forms(a: &Subject, b: &Subject) -> bool {
    let mut terms = Terms::new(Rules::ALL);
    let own = form(a, &mut terms);
    own.is_some() && own == form(b, &mut terms)
}

/// The function that an edit changes.
pub fn function_of(base: &Compiled, edit: Edit) -> Option<RoutineId> {
    let heads = base.executable.routines.token.iter().take(base.facts.functions as usize);
    let number = heads.filter(|head| TokenId::new(**head) <= edit.lo).count().checked_sub(1)?;
    let function = RoutineId::at(number);
    let extent = base.view().extent(base.executable.routine(function)?.head());
    (extent.contains(edit.lo) && edit.end() <= extent.end()).then_some(function)
}

/// The function that an edit changes, and the edit relative to the function's first token.
pub fn edit_in_function(base: &Compiled, edit: Edit) -> Option<(RoutineId, Edit)> {
    let function = function_of(base, edit)?;
    let begin = i64::from(base.executable.routine(function)?.head().number());
    Some((function, edit.shifted(-begin)))
}

/// The text of a function, of all functions that it or a mutant of it may call, and of all constants.
pub fn key(base: &Compiled, function: RoutineId) -> Arc<str> {
    let view = base.view();
    let extent =
        |function: RoutineId| base.executable.routine(function).map(|routine| view.extent(routine.head()));
    let mut functions = vec![function];
    let mut at = 0;
    while let Some(function) = functions.get(at).copied() {
        at += 1;
        for callee in extent(function).map(|tokens| callable(base, tokens)).unwrap_or_default() {
            if !functions.contains(&callee) {
                functions.push(callee);
            }
        }
    }
    let constants = view.nodes().filter(|token| view.is(*token, Role::Const)).map(|token| view.extent(token));
    let mut key = String::new();
    let mut add = |tokens: Indices<TokenId>| {
        for token in tokens.iter() {
            key.push_str(view.text(token));
            key.push(' ');
        }
    };
    functions.iter().filter_map(|function| extent(*function)).for_each(&mut add);
    constants.for_each(&mut add);
    // Terms name a callee by its number.
    functions.iter().for_each(|function| key.push_str(&format!("{function} ")));
    key.into()
}

/// Where a token of a mutant is in the base.
enum Place {
    /// The token that it is or replaces.
    Base(TokenId),
    /// It was inserted, as one of several tokens.
    Inserted { before: TokenId, nth: u32 },
}

/// Maps a token of a mutant to the base.
fn place_in_base(edit: Edit, token: TokenId) -> Place {
    let Edit { lo, hi, .. } = edit;
    let inserted = edit.inserted_tokens();
    if token < lo {
        return Place::Base(token);
    }
    if token >= lo + inserted {
        return Place::Base(token - inserted + (hi - lo));
    }
    let mut at = lo;
    for piece in edit.pieces() {
        let end = at + piece.tokens();
        if token < end {
            return match piece {
                Piece::Copy(tokens) => Place::Base(tokens.start() + (token - at)),
                Piece::New(..) if inserted == hi - lo => Place::Base(token),
                Piece::New(..) => Place::Inserted { before: lo, nth: token - lo },
            };
        }
        at = end;
    }
    Place::Base(token)
}

/// Proves survivors equal to the program or an earlier mutant, and replaces the verdicts on them. `verdicts` begin with
/// the first mutant. Returns the proofs, or `None` if cancelled.
pub fn prove(
    prover: &mut Prover,
    variants: &Variants<Arc<Compiled>>,
    verdicts: &mut [Verdict],
    watch: &dyn Watch,
) -> Option<Vec<(MutantId, Equality)>> {
    let survives = |(_, verdict): &(MutantId, &Verdict)| verdict.status == MutantStatus::Survived;
    let survivors: Vec<MutantId> =
        MutantId::all().zip(verdicts.iter()).filter(survives).map(|(id, _)| id).collect();
    let found = prover.examine(variants, survivors, watch)?;
    apply(&found, verdicts);
    Some(found)
}

/// Replaces the verdicts on survivors that equal the program or an earlier mutant, and on their duplicates.
pub fn apply(found: &[(MutantId, Equality)], verdicts: &mut [Verdict]) {
    for (id, equality) in found {
        if let Some(verdict) = verdicts.get_mut(id.position()) {
            *verdict = match equality {
                Equality::Base(_) => Verdict::of(MutantStatus::Equivalent),
                Equality::Mutant(first) => Verdict::duplicate_of(*first),
            };
        }
    }
    for at in 0..verdicts.len() {
        let original = verdicts[at].original.and_then(|original| verdicts.get(original.position())).copied();
        match original {
            Some(original) if original.status == MutantStatus::Equivalent => {
                verdicts[at] = Verdict::of(MutantStatus::Equivalent);
            }
            Some(Verdict { original: Some(first), .. }) => verdicts[at] = Verdict::duplicate_of(first),
            _ => {}
        }
    }
}

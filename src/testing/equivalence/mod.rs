//! Proves that mutants equal their program, or each other, in value and trap for every input. Also other bytecode for
//! a function.
//!
//! A mutant's function is compiled at level 2 and brought into a [normal form](form). If the form equals that of the
//! program's function, every call of the two has the same value, the same trap and the same place of the trap.
//! Only the number of steps, the memory and the depth of calls may differ, and with them the traps StepLimit,
//! OutOfMemory and RecursionTooDeep.

mod code;
pub(super) mod form;
mod part;
mod prover;
pub(super) mod state;
pub(super) mod terms;
mod variables;

use std::sync::Arc;

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::mutate::{Edit, Piece};
use crate::compiler::stage::splice::part::callable;
use crate::compiler::variants::Variants;
use crate::engine::EntryResult;
use crate::host::measure::numbers::grouped;
use crate::lang::index::{EntryId, Index, Indices, MutantId, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::role::Role;
use crate::lang::set::FunctionSet;
use crate::lang::verdict::{MutantStatus, Verdict};
pub use code::CodeProver;
pub use form::FormSubject;
use form::{Form, form};
pub use prover::Prover;
use terms::{Rules, Terms};

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

/// Returns the names of tokens as places of traps. `edit` made the program from the base.
pub fn places(base: &Compiled, edit: Option<Edit>) -> impl Fn(TokenId) -> u32 + '_ {
    let placed = places_of(base);
    move |token: TokenId| match edit.map_or(FormPlace::Base(token), |edit| place_in_base(edit, token)) {
        FormPlace::Base(token) => placed(token),
        FormPlace::Inserted { before, nth } => inserted(placed(before), nth),
    }
}

/// Returns the names of the base's tokens. A token is named by its function and its place there, so that code before it
/// does not matter.
fn places_of(base: &Compiled) -> impl Fn(TokenId) -> u32 + '_ {
    let heads = &base.executable.routines.token;
    move |token: TokenId| {
        let token = token.number();
        let function = heads.partition_point(|head| *head <= token).saturating_sub(1);
        ((function as u32) << PLACE_BITS) + token - heads.get(function).copied().unwrap_or(0)
    }
}

/// Returns the name of a token that was inserted before the one with this name.
fn inserted(before: u32, nth: u32) -> u32 {
    INSERTED + (before << 4) + nth.min(15)
}

/// Whether the code of two functions has the same normal form.
pub fn have_equal_forms(a: &FormSubject, b: &FormSubject) -> bool {
    let mut terms = Terms::new(Rules::ALL);
    let own = form(a, &mut terms);
    own.is_some() && own == form(b, &mut terms)
}

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

/// The function and all functions that it or a mutant of it may call, directly or not; it is the first.
pub fn closure(base: &Compiled, function: RoutineId) -> Vec<RoutineId> {
    let mut functions = vec![function];
    let mut at = 0;
    while let Some(function) = functions.get(at).copied() {
        at += 1;
        let extent = base.executable.routine(function).map(|routine| base.view().extent(routine.head()));
        for callee in extent.map(|tokens| callable(base, tokens)).unwrap_or_default() {
            if !functions.contains(&callee) {
                functions.push(callee);
            }
        }
    }
    functions
}

/// The functions that some of a program's tests may reach.
pub fn reached_by(
    base: &Compiled,
    entries: &[EntryResult],
    is_wanted: impl Fn(&EntryResult) -> bool,
) -> FunctionSet {
    let mut reached = FunctionSet::default();
    for (entry, _) in EntryId::all().zip(entries).filter(|(_, entry)| is_wanted(entry)) {
        let root = base.facts.entry(entry);
        closure(base, root).into_iter().for_each(|function| reached.insert(function));
    }
    reached
}

/// The functions that failing tests may reach: what these return may be wrong.
pub fn doubtful(base: &Compiled, entries: &[EntryResult]) -> FunctionSet {
    reached_by(base, entries, |entry| entry.outcome.fails() && !entry.outcome.is_unfinished())
}

/// Whether a mutant changes one of these functions.
pub fn changes_one_of(variants: &Variants<Arc<Compiled>>, id: MutantId, functions: &FunctionSet) -> bool {
    let edits = if functions.is_empty() { None } else { variants.edits(id) };
    let function = |edit: Edit| function_of(variants.program(), edit);
    edits.is_some_and(|edits| edits.iter().filter_map(function).any(|own| functions.contains(own)))
}

/// These functions, and all others that may call one of them, as they are or as mutants, directly or not.
pub fn dependents(base: &Compiled, of: impl IntoIterator<Item = RoutineId>) -> FunctionSet {
    let mut found = FunctionSet::default();
    of.into_iter().for_each(|function| found.insert(function));
    let functions = base.executable.routines().take(base.facts.functions as usize);
    let calls: Vec<_> =
        functions.map(|function| (function.id, callable(base, base.view().extent(function.head())))).collect();
    loop {
        let before = found.len();
        for (function, callees) in &calls {
            if callees.iter().any(|callee| found.contains(*callee)) {
                found.insert(*function);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The text of a function, of all functions that it or a mutant of it may call, and of all constants.
pub fn key(base: &Compiled, function: RoutineId) -> Arc<str> {
    let view = base.view();
    let extent =
        |function: RoutineId| base.executable.routine(function).map(|routine| view.extent(routine.head()));
    let functions = closure(base, function);
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
enum FormPlace {
    /// The token that it is or replaces.
    Base(TokenId),
    /// It was inserted, as one of several tokens.
    Inserted { before: TokenId, nth: u32 },
}

/// Maps a token of a mutant to the base.
fn place_in_base(edit: Edit, token: TokenId) -> FormPlace {
    let Edit { lo, hi, .. } = edit;
    let inserted = edit.inserted_tokens();
    if token < lo {
        return FormPlace::Base(token);
    }
    if token >= lo + inserted {
        return FormPlace::Base(token - inserted + (hi - lo));
    }
    let mut at = lo;
    for piece in edit.pieces() {
        let end = at + piece.tokens();
        if token < end {
            return match piece {
                Piece::Copy(tokens) => FormPlace::Base(tokens.start() + (token - at)),
                Piece::New(..) if inserted == hi - lo => FormPlace::Base(token),
                Piece::New(..) => FormPlace::Inserted { before: lo, nth: token - lo },
            };
        }
        at = end;
    }
    FormPlace::Base(token)
}

/// Proves survivors equal to the program or an earlier mutant, and replaces the verdicts on them. `verdicts` begin with
/// the first mutant. Returns the proofs, or `None` if cancelled.
pub fn prove(
    prover: &mut Prover,
    variants: &Variants<Arc<Compiled>>,
    verdicts: &mut [Verdict],
    watch: &(dyn Watch + Sync),
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

//! Examines survivors: on all threads their code, then in order their forms.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use std::{mem, thread};

use rayon::prelude::*;

use super::form::Form;
use super::part::{EquivalencePart, PartCode};
use super::terms::{Rules, Terms, Used};
use super::{Equality, NeededRules, Reason, function_of, key};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::mutate::{Edit, Edits};
use crate::compiler::variants::Variants;
use crate::engine::ProofTimes;
use crate::lang::index::{Index, Indices, MutantId, RoutineId};
use crate::lang::verdict::{MutantStatus, Verdict};

/// When a function has this many terms, all of them are discarded.
const MOST: usize = 1 << 18;

/// Proves equalities. It keeps what it found for functions that stay the same from one program to the next.
#[derive(Default)]
pub struct Prover {
    /// By the text of the function and of all that its code depends on.
    functions: HashMap<Arc<str>, ProverFunction>,
    /// Compilers that no thread uses now.
    compilers: Compilers,
    /// Processor time since it was last taken, in nanoseconds.
    spent: AtomicU64,
}

/// A function of the program, with the mutants that were examined.
struct ProverFunction {
    terms: Terms,
    form: Option<Form>,
    used: Used,
    /// By edit, relative to the function's first token.
    mutants: HashMap<Edit, Option<Examined>>,
}

/// A mutant's form, and why it equals the program's.
#[derive(Clone)]
struct Examined {
    form: Arc<Form>,
    equal: Option<Reason>,
}

struct Survivor {
    id: MutantId,
    function: RoutineId,
    edit: Edit,
    /// The edit relative to the function's first token.
    relative: Edit,
}

/// Compilers of threads, which keep their memory.
#[derive(Default)]
struct Compilers(Mutex<Vec<Compiler>>);

impl Compilers {
    fn with<T>(&self, work: impl FnOnce(&mut Compiler) -> T) -> T {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut compiler = free().pop().unwrap_or_default();
        let done = work(&mut compiler);
        free().push(compiler);
        done
    }
}

impl Prover {
    /// Examines survivors, whose ids ascend. Returns those that equal the program or an earlier one of them, or
    /// `None` if cancelled. Second-order mutants are left out.
    pub fn examine(
        &mut self,
        variants: &Variants<Arc<Compiled>>,
        survivors: impl IntoIterator<Item = MutantId>,
        watch: &(dyn Watch + Sync),
    ) -> Option<Vec<(MutantId, Equality)>> {
        let (survivors, keys) = self.prepare(variants, survivors, watch);
        let mut firsts: HashMap<(RoutineId, Arc<Form>), MutantId> = HashMap::new();
        let mut found = Vec::new();
        for Survivor { id, function, relative, .. } in survivors {
            let known = self.functions.get(keys.get(&function)?).and_then(|known| known.mutants.get(&relative));
            // A mutant without an entry was cancelled; one whose entry is empty has no form.
            let Some(examined) = known? else { continue };
            match examined.equal {
                Some(reason) => found.push((id, Equality::Base(reason))),
                None => {
                    let first = *firsts.entry((function, examined.form.clone())).or_insert(id);
                    found.extend((first != id).then_some((id, Equality::Mutant(first))));
                }
            }
        }
        let used: HashSet<&Arc<str>> = keys.values().collect();
        self.functions.retain(|key, _| used.contains(key));
        Some(found)
    }

    /// Examines survivors ahead of [`Self::examine`], while `judge` still judges others: it reports verdicts by the id
    /// of the first one.
    pub fn while_judging<T>(
        &mut self,
        variants: &Variants<Arc<Compiled>>,
        watch: &(dyn Watch + Sync),
        judge: impl FnOnce(&mut dyn FnMut(MutantId, &[Verdict])) -> T,
    ) -> T {
        thread::scope(|scope| {
            let (sender, arriving) = mpsc::channel::<Vec<MutantId>>();
            let prepare = move || arriving.into_iter().for_each(|ids| drop(self.prepare(variants, ids, watch)));
            // Without a thread, all survivors are examined after the verdicts.
            let _ = thread::Builder::new().name("proofs".into()).spawn_scoped(scope, prepare);
            let mut report = |first: MutantId, verdicts: &[Verdict]| {
                let all = Indices::starting(first, verdicts.len() as u32).iter().zip(verdicts);
                let survivors = all.filter(|(_, verdict)| verdict.status == MutantStatus::Survived);
                // The thread ends when all are examined.
                let _ = sender.send(survivors.map(|(id, _)| id).collect());
            };
            let judged = judge(&mut report);
            drop(sender);
            judged
        })
    }

    /// Returns the time since the last call.
    pub fn take_times(&mut self) -> ProofTimes {
        let spent = Duration::from_nanos(mem::take(self.spent.get_mut()));
        ProofTimes::shared(spent, rayon::current_num_threads())
    }

    /// Examines what is not known yet. Returns the first-order survivors, and the keys of their functions.
    fn prepare(
        &mut self,
        variants: &Variants<Arc<Compiled>>,
        survivors: impl IntoIterator<Item = MutantId>,
        watch: &(dyn Watch + Sync),
    ) -> (Vec<Survivor>, HashMap<RoutineId, Arc<str>>) {
        let started = Instant::now();
        let base = variants.program();
        let survivors: Vec<Survivor> = survivors.into_iter().filter_map(|id| survivor(variants, id)).collect();
        let mut keys: HashMap<RoutineId, Arc<str>> = HashMap::new();
        let mut open: BTreeMap<RoutineId, Vec<&Survivor>> = BTreeMap::new();
        for survivor in &survivors {
            let key = keys.entry(survivor.function).or_insert_with(|| key(base, survivor.function));
            if self.functions.get(key).is_some_and(|known| known.terms.len() > MOST) {
                self.functions.remove(key);
            }
            if self.functions.get(key).is_none_or(|known| !known.mutants.contains_key(&survivor.relative)) {
                open.entry(survivor.function).or_default().push(survivor);
            }
        }
        let open = open.into_iter().filter_map(|(function, open)| {
            let key = keys.get(&function)?.clone();
            let known = self.functions.remove(&key);
            Some((function, key, known, open))
        });
        let open: Vec<_> = open.collect();
        let timed = Timed { compilers: &self.compilers, spent: &self.spent, watch };
        timed.add(started);
        let examined = open
            .into_par_iter()
            .map(|(function, key, known, open)| (key, timed.function(base, function, known, &open)));
        let examined: Vec<(Arc<str>, Option<ProverFunction>)> = examined.collect();
        self.functions.extend(examined.into_iter().filter_map(|(key, function)| Some((key, function?))));
        (survivors, keys)
    }
}

/// Returns a first-order mutant with its function.
fn survivor(variants: &Variants<Arc<Compiled>>, id: MutantId) -> Option<Survivor> {
    let Edits { first: edit, second: None } = variants.edits(id)? else { return None };
    let base = variants.program();
    let function = function_of(base, edit)?;
    let begin = i64::from(base.executable.routine(function)?.head().number());
    Some(Survivor { id, function, edit, relative: edit.shifted(-begin) })
}

/// What threads share while they examine functions.
struct Timed<'a> {
    compilers: &'a Compilers,
    spent: &'a AtomicU64,
    watch: &'a (dyn Watch + Sync),
}

impl Timed<'_> {
    /// Adds the time since `started`.
    fn add(&self, started: Instant) {
        self.spent.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// Examines mutants of a function, in addition to those that are known.
    fn function(
        &self,
        base: &Compiled,
        function: RoutineId,
        known: Option<ProverFunction>,
        open: &[&Survivor],
    ) -> Option<ProverFunction> {
        let started = Instant::now();
        let edits: Vec<Edit> = open.iter().map(|survivor| survivor.edit).collect();
        let part = self.compilers.with(|compiler| EquivalencePart::new(base, function, &edits, compiler));
        let mut known = known.unwrap_or_else(|| {
            let mut terms = Terms::new(Rules::ALL);
            let form = part.as_ref().and_then(|part| part.form(None, &mut terms));
            ProverFunction { used: terms.used, terms, form, mutants: HashMap::new() }
        });
        self.add(started);
        let Some(part) = part else {
            known.mutants.extend(open.iter().map(|survivor| (survivor.relative, None)));
            return Some(known);
        };
        // `None` for a mutant that was cancelled.
        let codes: Vec<Option<Option<PartCode>>> = edits
            .par_iter()
            .with_min_len(2)
            .map(|edit| {
                let started = Instant::now();
                let code = (!self.watch.cancelled())
                    .then(|| self.compilers.with(|compiler| part.code(*edit, compiler)));
                self.add(started);
                code
            })
            .collect();
        let started = Instant::now();
        let mut equal: Vec<(usize, &PartCode, Used)> = Vec::new();
        let mut all: Vec<Option<Option<Examined>>> = Vec::new();
        for (at, code) in codes.iter().enumerate() {
            all.push(code.as_ref().map(|code| {
                let code = code.as_ref()?;
                known.terms.used = known.used;
                let form = part.form(Some(code), &mut known.terms)?;
                let equals = known.form.as_ref() == Some(&form);
                if equals && !code.is_own {
                    equal.push((at, code, known.terms.used));
                }
                let equal = equals.then_some(Reason::Code);
                Some(Examined { form: Arc::new(form), equal })
            }));
        }
        self.add(started);
        for ((at, ..), needed) in equal.iter().zip(self.needed(&part, &equal)) {
            if let Some(Some(examined)) = all.get_mut(*at).and_then(Option::as_mut) {
                examined.equal = Some(Reason::Form(needed));
            }
        }
        let examined = open.iter().zip(all);
        known.mutants.extend(examined.filter_map(|(survivor, all)| Some((survivor.relative, all?))));
        Some(known)
    }

    /// Finds the rules without which the forms of each code and of the function's own differ.
    fn needed(&self, part: &EquivalencePart, codes: &[(usize, &PartCode, Used)]) -> Vec<NeededRules> {
        let all = Rules::ALL;
        type Family = (Rules, fn(Used) -> bool, fn(&mut NeededRules) -> &mut bool);
        let families: [Family; 4] = [
            (Rules { facts: false, ..all }, |_| true, |needed| &mut needed.facts),
            (Rules { sums: false, ..all }, |_| true, |needed| &mut needed.sums),
            (Rules { signs: false, ..all }, |used| used.signs, |needed| &mut needed.signs),
            (Rules { bits: false, ..all }, |used| used.bits, |needed| &mut needed.bits),
        ];
        let differ = families.par_iter().map(|(rules, may_differ, _)| {
            let started = Instant::now();
            let mut terms = Terms::new(*rules);
            let (mut own, mut count) = (None, 0);
            let differ = codes.iter().map(|(_, code, used)| {
                if !may_differ(*used) {
                    return false;
                }
                if count == 0 {
                    own = part.form(None, &mut terms);
                    count = terms.len();
                }
                // No answer depends on the terms of another mutant.
                terms.truncate(count);
                own != part.form(Some(code), &mut terms)
            });
            let differ: Vec<bool> = differ.collect();
            self.add(started);
            differ
        });
        let differ: Vec<Vec<bool>> = differ.collect();
        let mut needed = vec![NeededRules::default(); codes.len()];
        for ((_, _, field), differ) in families.iter().zip(differ) {
            for (needed, differs) in needed.iter_mut().zip(differ) {
                *field(needed) = differs;
            }
        }
        needed
    }
}

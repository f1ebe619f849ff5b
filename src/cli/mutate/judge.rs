//! Judges the requested mutants of a file, and decides which of them are listed and counted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::cli::args::MutateArgs;
use crate::cli::exit::Failure;
use crate::cli::limit::Limit;
use crate::cli::progress::CliProgress;
use crate::cli::session::Session;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::mutate::Edit;
use crate::compiler::variants::{Folding, Ignored, Variants, folding};
use crate::engine::{self, EngineError};
use crate::lang::index::{Index, Indices, MutantId};
use crate::lang::mutation::Operator;
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::report::shard::Ids;
use crate::testing::equivalence::{self, Equality, Prover};
use crate::testing::prove::{Finding, Open, survivor};

/// Default number of mutants if second-order ones are requested.
pub const BUDGET: u32 = 1_024;

/// Returns the ids of the requested mutants; for a shard, its range.
fn wanted(args: &MutateArgs, variants: &Variants<Arc<Compiled>>) -> Indices<MutantId> {
    let (first_order, all) = (variants.first_order(), variants.all());
    let total = match (args.order, args.budget) {
        (1, budget) => first_order.min(budget.unwrap_or(u32::MAX)),
        (_, None) => all.min(first_order.max(BUDGET)),
        (_, Some(budget)) => all.min(budget),
    };
    let own = args.shard.map_or(0..u64::from(total), |shard| shard.stretch(total.into()));
    Indices::numbered(own.start as u32..own.end as u32)
}

/// The verdicts on a file's mutants, by id. Mutants that are not requested are pending.
pub struct Judged {
    /// The requested ids.
    pub own: Indices<MutantId>,
    /// Verdicts, with ignored mutants marked.
    pub counted: Vec<Verdict>,
    /// Verdicts, with duplicates resolved again among the listed mutants.
    pub shown: Vec<Verdict>,
    /// The programs that survivors are proved to equal.
    pub equal: BTreeMap<MutantId, Equality>,
    /// With `--prove`: what is known about survivors without a proof.
    pub open: BTreeMap<MutantId, Open>,
    /// With `--prove`: the number of survivors that are proved equivalent only by this.
    pub proved: u32,
    /// The number of survivors that were not examined when the limit was reached.
    pub unproved: usize,
}

impl Judged {
    /// Returns the number of requested mutants that are not judged.
    pub fn left(&self) -> usize {
        let own = self.counted.iter().skip(self.own.start().position());
        own.filter(|verdict| verdict.status == MutantStatus::Pending).count()
    }
}

/// Judges the requested mutants until the limit is reached.
pub fn judge(
    session: &mut Session,
    args: &MutateArgs,
    filter: &Filter,
    limit: &Limit,
    spent: &mut engine::Timings,
) -> Result<Judged, Failure> {
    let own = wanted(args, &filter.variants);
    let (mut equal, mut open, mut proved, mut unproved) = (BTreeMap::new(), BTreeMap::new(), 0, 0);
    let mut verdicts = vec![Verdict::of(MutantStatus::Pending); own.end().position()];
    if !args.list {
        let mut prover = Prover::default();
        prover.while_judging(&filter.variants, limit, |arrived| {
            run(session, own, limit, spent, &mut verdicts, arrived)
        })?;
        equal = prove(session, own, filter, limit, spent, (&mut prover, &mut verdicts))?;
        spent.proofs = prover.take_times();
        if args.prove {
            (open, proved, unproved) = prove_survivors(own, filter, limit, &mut verdicts, &mut equal);
        }
        // A duplicate of an excluded mutant in another shard takes over its verdict, so that one is judged,
        // too.
        let from = folding::needed(&verdicts, own.start(), |id| filter.shows(id) && !filter.ignores(id));
        if from < own.start() {
            run(session, Indices::new(from, own.start()), limit, spent, &mut verdicts, &mut |_, _| ())?;
        }
    }
    filter.ignored.apply(&filter.variants, &mut Folding::default(), MutantId::FIRST, &mut verdicts);
    let mut folding = Folding::default();
    let shown =
        MutantId::all().zip(&verdicts).map(|(id, verdict)| folding.next(id, *verdict, filter.shows(id)));
    Ok(Judged { own, shown: shown.collect(), counted: verdicts, equal, open, proved, unproved })
}

/// Proves that survivors equal the program or an earlier survivor, and updates their verdicts. In a shard, earlier
/// mutants with the same code are judged, too.
fn prove(
    session: &mut Session,
    own: Indices<MutantId>,
    filter: &Filter,
    limit: &Limit,
    spent: &mut engine::Timings,
    (prover, verdicts): (&mut Prover, &mut [Verdict]),
) -> Result<BTreeMap<MutantId, Equality>, Failure> {
    let survives = |id: &MutantId, verdicts: &[Verdict]| {
        verdicts.get(id.position()).is_some_and(|verdict| verdict.status == MutantStatus::Survived)
    };
    let survivors: Vec<MutantId> = own.iter().filter(|id| survives(id, verdicts)).collect();
    let mut earlier: Vec<MutantId> = Indices::new(MutantId::FIRST, own.start()).iter().collect();
    if survivors.is_empty() {
        earlier.clear();
    }
    loop {
        let all = earlier.iter().chain(&survivors).copied();
        let Some(mut found) = prover.examine(&filter.variants, all, limit) else { return Ok(BTreeMap::new()) };
        found.retain(|(id, _)| *id >= own.start());
        let open = found.iter().find_map(|(_, equality)| match equality {
            Equality::Mutant(first) if !survives(first, verdicts) => Some(*first),
            _ => None,
        });
        let Some(first) = open else {
            equivalence::apply(&found, verdicts);
            return Ok(found.into_iter().collect());
        };
        run(session, Indices::new(first, first.next()), limit, spent, verdicts, &mut |_, _| ())?;
        if !survives(&first, verdicts) {
            earlier.retain(|id| *id != first);
        }
        if limit.cancelled() {
            return Ok(BTreeMap::new());
        }
    }
}

/// Looks for a proof about each survivor that is shown, and updates the verdicts. Returns what is known about the
/// others, the number of proofs about survivors that count, and the number of survivors left when the limit was reached.
fn prove_survivors(
    own: Indices<MutantId>,
    filter: &Filter,
    limit: &Limit,
    verdicts: &mut [Verdict],
    equal: &mut BTreeMap<MutantId, Equality>,
) -> (BTreeMap<MutantId, Open>, u32, usize) {
    let variants = &filter.variants;
    let survives = |id: &MutantId| {
        verdicts.get(id.position()).is_some_and(|verdict| verdict.status == MutantStatus::Survived)
    };
    let survivors: Vec<MutantId> = own
        .iter()
        .filter(|id| survives(id) && id.number() < variants.first_order() && filter.shows(*id))
        .collect();
    let progress = Mutex::new((0, CliProgress::new("survivors examined")));
    let found: Vec<Option<Finding>> = survivors
        .par_iter()
        .map(|id| {
            let found = survivor(variants, *id, limit);
            let (done, progress) = &mut *progress.lock().unwrap_or_else(PoisonError::into_inner);
            *done += 1;
            progress.update(*done, survivors.len());
            found
        })
        .collect();
    let (mut open, mut proved) = (BTreeMap::new(), 0);
    for (id, found) in survivors.iter().zip(&found) {
        match found {
            Some(Finding::Equal(reason)) => {
                equal.insert(*id, Equality::Base(*reason));
                proved += u32::from(!filter.ignores(*id));
            }
            Some(found) => open.extend(found.open(variants.program(), variants, *id).map(|open| (*id, open))),
            None => {}
        }
    }
    let all: Vec<(MutantId, Equality)> = equal.iter().map(|(id, equality)| (*id, *equality)).collect();
    equivalence::apply(&all, verdicts);
    (open, proved, found.iter().filter(|found| found.is_none()).count())
}

/// Judges mutants until the limit is reached. Calls `arrived` with the engine's verdicts.
fn run(
    session: &mut Session,
    ids: Indices<MutantId>,
    limit: &Limit,
    spent: &mut engine::Timings,
    verdicts: &mut [Verdict],
    arrived: &mut dyn FnMut(MutantId, &[Verdict]),
) -> Result<(), Failure> {
    let mut progress = CliProgress::new("mutants judged");
    let mut done = 0;
    let judged = session.engine().mutants(ids, limit, &mut |part| {
        for (verdict, judged) in verdicts.iter_mut().skip(part.first.position()).zip(&part.verdicts) {
            *verdict = *judged;
        }
        arrived(part.first, &part.verdicts);
        *spent += &part.timings;
        done += part.verdicts.len();
        progress.update(done, ids.len() as usize);
    });
    match judged {
        Err(EngineError::Cancelled) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Decides which mutants of a file are listed and counted.
pub struct Filter<'a> {
    pub variants: Variants<Arc<Compiled>>,
    pub ignored: Ignored,
    pub operators: &'a [Operator],
    /// With `--since`: the line numbers of the lines that are new.
    pub lines: Option<BTreeSet<u32>>,
}

impl<'a> Filter<'a> {
    pub fn new(program: Arc<Compiled>, operators: &'a [Operator], lines: Option<BTreeSet<u32>>) -> Filter<'a> {
        let ignored = Ignored::new(&program);
        Filter { variants: Variants::new(program), ignored, operators, lines }
    }

    /// Returns whether the call requests all mutants.
    pub fn shows_all(&self) -> bool {
        self.operators.len() == Operator::ALL.len() && self.lines.is_none()
    }

    /// Returns the ids for the document of a shard.
    pub fn ids(&self, own: Indices<MutantId>) -> Ids {
        let tests = self.variants.program().entries().len();
        Ids { first: own.start().number(), end: own.end().number(), all: self.shows_all(), tests: Some(tests) }
    }

    /// Returns whether the call requests a mutant, that is, all of its changes.
    pub fn shows(&self, id: MutantId) -> bool {
        if self.shows_all() {
            return id.number() < self.variants.all();
        }
        let view = self.variants.program().view();
        let new = |line: u32| self.lines.as_ref().is_none_or(|lines| lines.contains(&line));
        let asked = |edit: Edit| self.operators.contains(&edit.operator) && new(view.line(edit.lo));
        self.variants.edits(id).is_some_and(|edits| edits.iter().all(asked))
    }

    /// Returns whether a comment excludes a mutant from the count.
    pub fn ignores(&self, id: MutantId) -> bool {
        self.ignored.rule(&self.variants, id).is_some()
    }
}

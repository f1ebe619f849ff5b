//! Compiles a base and runs its tests, in one submission if the runs are short.

use std::sync::Arc;
use std::time::Instant;

use super::GpuEngine;
use super::validating::Validating;
use crate::compiler::layout::ExecuteParams;
use crate::compiler::layout::numbers::{mode, site};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::{BackEnd, Stage, lex};
use crate::engine::gpu::arena::{Arena, Room, Shape};
use crate::engine::gpu::device::{Gpu, Part};
use crate::engine::gpu::kernel::{self, Kernel};
use crate::engine::gpu::records::{Entries, GpuRecord, record, running};
use crate::engine::gpu::runs::{EntryPoints, RunWork, Runs};
use crate::engine::gpu::slices::{Slices, Submission};
use crate::engine::gpu::splicing::Plan;
use crate::engine::gpu::texts::source;
use crate::engine::gpu::verdict_cache::VerdictCache;
use crate::engine::reuse::same_tokens;
use crate::engine::timings::StageTimes;
use crate::engine::{BaseResult, DeviceFailure, EngineError, EngineSettings, EntryResult, Seen};
use crate::lang::level::OptLevel;
use crate::lang::limits;

/// The program whose mutants are judged.
pub struct Base {
    pub compiled: Arc<Compiled>,
    pub arena: Arena,
    /// The results of its tests and properties.
    pub entries: Vec<EntryResult>,
    /// Whether the base runs, with or without holes, and its results are known; and whether the device has run all tests, so
    /// that it holds their records.
    pub judged: bool,
    pub executed: bool,
    /// The number of first-order edits; and for each token the number of edits at earlier tokens.
    pub edits: u32,
    pub sites: Vec<u32>,
    /// The plan of its mutants; created on first use.
    pub plan: Option<Plan>,
    /// The state for validating patches. The device holds either this or the state for mutants.
    pub validating: Option<Validating>,
    /// The mutants in the directory and the table.
    pub seen: Seen,
    /// The number of mutants for which directory and table have room; 0 until mutants are requested.
    pub capacity: u32,
    /// Results about its mutants, for the next base.
    pub verdict_cache: VerdictCache,
}

/// The results of a base that the next base may reuse.
pub struct PreviousBase {
    pub compiled: Arc<Compiled>,
    pub entries: Vec<EntryResult>,
    pub edits: u32,
    pub sites: Vec<u32>,
    pub verdict_cache: VerdictCache,
}

impl Base {
    /// Creates a base for a text in an arena, without results.
    fn new(text: &Arc<str>, settings: EngineSettings, arena: Arena) -> Base {
        let EngineSettings { group, level, .. } = settings;
        Base {
            compiled: Arc::new(Compiled { text: text.clone(), group, level, ..Compiled::default() }),
            arena,
            entries: Vec::new(),
            judged: false,
            executed: false,
            edits: 0,
            sites: Vec::new(),
            plan: None,
            validating: None,
            seen: Seen::default(),
            capacity: 0,
            verdict_cache: VerdictCache::default(),
        }
    }

    /// Completes the code of level 2 on the processor, and gives it to the device.
    fn refine(&mut self, gpu: &Gpu) {
        let mut compiled = Compiled::clone(&self.compiled);
        if BackEnd::default().refine(&mut compiled) {
            self.arena.upload(gpu, 0, &compiled);
            self.compiled = Arc::new(compiled);
        }
    }

    /// Returns the number of first-order mutants; 0 unless the base has been judged.
    pub fn first_order(&self) -> u32 {
        if self.judged { self.edits } else { 0 }
    }
}

impl GpuEngine {
    /// Returns the kernels for compiling a base, and for its tests if `executed` is set.
    pub(super) fn for_bases(&self, executed: bool) -> impl Iterator<Item = &Kernel> {
        self.runs
            .kernels(self.settings.group, executed)
            .chain(self.compiler.stages.iter().map(|stage| &stage.kernel))
    }

    /// Creates the arena of a text on the device, reusing the buffers of the last base.
    pub(super) fn base_arena(&mut self, text: &str) -> Result<Arena, EngineError> {
        let mut shape = Shape::default();
        let kept = source(text);
        let at = shape.push_text(kept);
        shape.push(Room::of_text(kept).at(self.settings.level), at, text.len() as u32).holes =
            u32::from(self.settings.holes);
        shape.params.epoch = self.next_epoch();
        shape.params.level = self.settings.level.number();
        self.compiler.arena(&self.gpu, self.base.take().map(|base| base.arena), shape)
    }

    /// Compiles a text and keeps it as the base. Runs its tests if `executed` is set, except those with a
    /// result that still holds: all tests if the tokens are unchanged, else the tests that reach no changed
    /// code.
    pub(super) fn make_base(
        &mut self,
        text: &Arc<str>,
        executed: bool,
        watch: &dyn Watch,
    ) -> Result<BaseResult, EngineError> {
        let started = Instant::now();
        let (mut times, settings) = (StageTimes::default(), self.settings);
        self.gpu.take_moved();
        self.put_aside();
        let alike = executed && self.before.as_ref().is_some_and(|before| before.reads(text, settings));
        let costly = self.reuses() && self.last.cost(self.runs.tuning.worth_keeping);
        // Tests with possibly known results are submitted later, after compilation.
        let refined = settings.level == OptLevel::Whole;
        let at_once = executed && !alike && !costly && !refined;
        kernel::compile(&self.gpu, self.for_bases(executed))?;
        let arena = self.base_arena(text)?;
        let rows = arena.shape.params.token_capacity as u64 + 1;
        // If the submission is cancelled or fails, the base has no mutants.
        self.base = Some(Base::new(text, settings, arena));
        Runs::need(&self.gpu, &mut self.runs.sites, u64::from(site::WORDS) * rows)?;
        self.submit(SubmitOptions { compiled: true, executed: at_once.then_some(&[]) }, watch, &mut times)?;
        let base = base_of(&mut self.base)?;
        if refined && base.compiled.facts.lowers() {
            base.refine(&self.gpu);
        }
        if let Some(before) = self.before.take_if(|before| alike && before.is(&base.compiled)) {
            (base.entries, base.verdict_cache, base.judged) = (before.entries, before.verdict_cache, true);
        } else if executed && !at_once && base.compiled.facts.lowers() {
            let kept = self.last.kept(&base.compiled);
            self.submit(SubmitOptions { compiled: false, executed: Some(&kept) }, watch, &mut times)?;
        }
        let base = base_of(&mut self.base)?;
        let (compiled, entries) = (base.compiled.clone(), base.entries.clone());
        if self.settings.reusing && executed && compiled.facts.lowers() {
            self.last.set(&compiled, &entries);
        }
        Ok(BaseResult { compiled, entries, timings: self.timings(started, times, 1) })
    }

    /// Runs all tests of a base whose results were taken over from an earlier base, for callers that need the
    /// device's records of the tests.
    ///
    /// # Errors
    /// If it is cancelled, the device fails, or the results differ from the earlier ones.
    pub(super) fn run_base(&mut self, watch: &dyn Watch) -> Result<(), EngineError> {
        let Some(base) = self.base.as_mut().filter(|base| base.judged && !base.executed) else { return Ok(()) };
        let known = base.entries.clone();
        let submitted = self.submit(
            SubmitOptions { compiled: false, executed: Some(&[]) },
            watch,
            &mut StageTimes::default(),
        );
        let base = base_of(&mut self.base)?;
        let found = std::mem::replace(&mut base.entries, known);
        submitted?;
        match base.entries == found {
            true => Ok(()),
            false => {
                Err(DeviceFailure::Results.because("tests of the same program end differently than before"))
            }
        }
    }

    /// Compiles the base or runs its tests, or both, in as many submissions as necessary.
    fn submit(
        &mut self,
        how: SubmitOptions<'_>,
        watch: &dyn Watch,
        times: &mut StageTimes,
    ) -> Result<(), EngineError> {
        // A new epoch, so that separately submitted runs do not accept records of earlier ones.
        let epoch = self.next_epoch();
        let (gpu, runs) = (&self.gpu, &self.runs);
        let Base { arena, compiled, sites, entries, edits, judged, executed, .. } = base_of(&mut self.base)?;
        let arena = &*arena;
        let rows = arena.shape.params.token_capacity as u64 + 1;
        let slots = runs.tuning.base_slots;
        let params = ExecuteParams {
            mode: mode::BASE,
            lanes: slots,
            slots,
            lists_by_reference: 1,
            epoch,
            ..runs.params(arena)
        };
        let work = runs.tests(arena, &runs.records, params);
        let (group, level) = (compiled.group, compiled.level);
        let table: Part = (&runs.entries, 0, u64::from(Entries::WORDS));
        let numbers: Part = (&runs.sites, 0, rows);
        let (control, clock) = (&runs.control, self.clock.as_ref());
        let (compiler, spent) = (&self.compiler, &mut self.spent);
        let slices = Slices { gpu, control, pace: &mut self.pace, watch, clock, times };
        let compiles = |turn: Submission| turn.first && how.compiled;
        let read = slices.run_seen(
            |turn| if compiles(turn) { [vec![table, numbers], arena.readable()].concat() } else { vec![table] },
            |recorder, turn| {
                if compiles(turn) {
                    compiler.encode(recorder, arena, Stage::Lex);
                    runs.judge_base(recorder, arena)?;
                    runs.number(recorder, arena, group)?;
                }
                let Some(kept) = how.executed else { return Ok(()) };
                if turn.first {
                    runs.clear(recorder, &params);
                    runs.mark_kept(gpu, kept.iter().map(Option::is_some));
                }
                let before: EntryPoints = if turn.first { &[("survey", 1)] } else { &[] };
                // On a software adapter neighbouring inputs are lanes of one vector, whose runs end together anyway.
                let all = limits::TESTS as u32;
                let behind = &[("tally", all), ("schedule", 1), ("arrange", all)];
                let behind = &behind[..if gpu.adapter.software { 2 } else { 3 }];
                runs.execute(recorder, &RunWork { before, behind, ..work }, turn)
            },
            |turn, progress, read| {
                if compiles(turn) {
                    let text = compiled.text.clone();
                    let mut stages = Compiled { text, group, level, ..Default::default() };
                    arena.unpack(&read[2..], 0, Stage::Emit, &mut stages)?;
                    *compiled = Arc::new(stages);
                    sites.clone_from(&read[1]);
                    let all = sites.get(compiled.tokens.kind.len()).copied();
                    *edits = all.filter(|_| compiled.has_mutants()).unwrap_or(0);
                }
                *spent = progress.spent;
                if let Some((entry, inputs)) = running(&read[0]).filter(|_| !progress.done) {
                    watch.running(compiled, entry, inputs);
                }
                Ok(())
            },
        )?;
        if let Some(kept) = how.executed {
            *entries = record::<Entries>(&read[0], epoch)?.0;
            let kept = entries.iter_mut().zip(kept).filter_map(|(entry, kept)| Some((entry, kept.as_ref()?)));
            let kept = kept.map(|(entry, kept)| *entry = *kept).count();
            (*judged, *executed) = (compiled.facts.lowers(), kept == 0);
        }
        Ok(())
    }

    /// Stores the results of the last base for the next one, if it was judged and unless an earlier base has
    /// more results.
    fn put_aside(&mut self) {
        let reusing = self.reuses();
        let Some(base) =
            self.base.as_mut().filter(|base| reusing && base.judged && base.compiled.facts.compiles())
        else {
            return;
        };
        if !base.verdict_cache.is_empty()
            || self.before.as_ref().is_none_or(|before| before.verdict_cache.is_empty())
        {
            self.before = Some(PreviousBase {
                compiled: base.compiled.clone(),
                entries: std::mem::take(&mut base.entries),
                edits: base.edits,
                sites: std::mem::take(&mut base.sites),
                verdict_cache: std::mem::take(&mut base.verdict_cache),
            });
        }
    }
}

#[derive(Clone, Copy)]
struct SubmitOptions<'a> {
    compiled: bool,
    /// The results of tests that need not run; `None` if no tests run.
    executed: Option<&'a [Option<EntryResult>]>,
}

fn base_of(base: &mut Option<Base>) -> Result<&mut Base, EngineError> {
    base.as_mut().ok_or_else(EngineError::no_base)
}

impl PreviousBase {
    /// Whether a text seems to have the same tokens, according to the CPU's lexer. The device's tokens
    /// decide: see [`PreviousBase::is`].
    fn reads(&self, text: &str, settings: EngineSettings) -> bool {
        let EngineSettings { group, level, .. } = settings;
        let mut lexed = Compiled { text: text.into(), group, level, ..Compiled::default() };
        lex::run(text, &mut lexed.tokens, &mut lexed.facts, &mut lex::LexScratch::default());
        !lexed.facts.stopped() && same_tokens(&self.compiled, &lexed)
    }

    /// Whether a compiled program has the same tokens.
    fn is(&self, compiled: &Compiled) -> bool {
        compiled.facts.compiles() && same_tokens(&self.compiled, compiled)
    }
}

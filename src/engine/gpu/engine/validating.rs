//! Validates patches in chunks. Each is derived from the base on the device and compiled. It then runs each
//! failing test on its failing input; where one passes, on all inputs; and if it passes there too, all other
//! tests. A patch that fails one step skips the later ones.

use std::sync::Arc;
use std::time::Instant;

use super::GpuEngine;
use crate::compiler::layout::ExecuteParams;
use crate::compiler::layout::numbers::{entry, exact, head, mark, mode, row};
use crate::compiler::program::{Compiled, Watch};
use crate::engine::gpu::arena::{Arena, storage};
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::records::{GpuRecord, incomplete, record, records};
use crate::engine::gpu::runs::{RunWork, Runs};
use crate::engine::gpu::slices::{Slices, TARGET};
use crate::engine::gpu::splicing::{Arenas, ChangedFunctions, Plan};
use crate::engine::memory::Memory;
use crate::engine::timings::StageTimes;
use crate::engine::{DeviceFailure, EngineError, EntryRequest, Patch, Ran, Suite, Validated, refuse_whole};
use crate::lang::index::{EntryId, Index};
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::lang::{NONE, limits};

/// The range of a chunk's size, if enough patches are left.
const CHUNK: std::ops::RangeInclusive<u32> = 16..=4096;

/// The state for validating patches of one base.
pub struct Validating {
    /// The base, with the group that numbers its edits.
    base: Arc<Compiled>,
    plan: Plan,
    /// The base's table of entries, including the request; and the device's copy.
    table: Vec<u32>,
    entries: wgpu::Buffer,
    /// The size of the next chunk in patches; adapts to the time of chunks.
    most: u32,
}

/// Tests to run on programs in one submission.
#[derive(Clone, Copy)]
struct Request<'a> {
    asked: &'a [EntryRequest],
    /// Whether each entry has its own result; else the first failing one decides.
    each: bool,
    /// Whether an entry runs only on its failing input; else it runs on all inputs.
    once: bool,
}

/// The results of a request for one program.
struct ValidationAnswer {
    /// The combined result, unless each entry has its own.
    status: MutantStatus,
    killer: Option<EntryId>,
    /// For each entry with its own result, the first failing job and its outcome; `NONE` if all pass.
    marks: Vec<u32>,
    /// For each entry, whether an input returned 1.
    met: Vec<u32>,
    /// For each entry that ran on one input, its steps.
    steps: Vec<u32>,
}

impl ValidationAnswer {
    /// Whether an input met the condition of an entry, if that is required.
    fn is_met(&self, place: usize, asked: &EntryRequest, inputs: u32) -> bool {
        !asked.met || inputs == 0 || self.met.get(place).is_some_and(|met| *met != 0)
    }
}

impl Validating {
    /// Adds the allocated size of its buffer.
    pub fn add_to(&self, memory: &mut Memory) {
        memory.execution += self.entries.size();
    }

    fn at(entry: u32, column: u32) -> usize {
        ((1 + entry) * entry::WORDS + column) as usize
    }

    fn inputs(&self, entry: EntryId) -> u32 {
        self.table.get(Self::at(entry.number(), entry::INPUTS)).copied().unwrap_or(0)
    }

    /// Writes a request to the device; returns its number of jobs.
    fn ask(&mut self, gpu: &Gpu, request: Request) -> u32 {
        let mut jobs = 0;
        for place in 0..limits::TESTS as u32 {
            let asked = request.asked.get(place as usize);
            let from = asked.filter(|_| request.once).map_or(0, |asked| asked.input.number());
            let mut set = |entry, column, word| {
                let at = Self::at(entry, column);
                self.table.get_mut(at).into_iter().for_each(|place| *place = word);
            };
            // The row after the last entry holds the total number of jobs.
            set(place, entry::MUTANT_JOB, jobs);
            set(place, entry::FROM, from);
            if let Some(asked) = asked {
                set(place, entry::ORDER, asked.entry.number());
                set(asked.entry.number(), entry::FUEL, asked.fuel);
                jobs += if request.once { 1 } else { self.inputs(asked.entry) };
            }
        }
        for (place, word) in [(head::MUTANT_JOBS, jobs), (head::ARRANGED, 0)] {
            self.table.get_mut(place as usize).into_iter().for_each(|place| *place = word);
        }
        gpu.write(&self.entries, 0, bytemuck::cast_slice(&self.table));
        jobs
    }
}

impl GpuEngine {
    /// See [`crate::engine::Abilities::validate`].
    pub(super) fn validate_patches(
        &mut self,
        suite: &Suite,
        patches: &[Patch],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Validated>>, EngineError> {
        self.run_base(watch)?;
        let mut validating = self.begin(suite)?;
        // The patches that can be applied, each with its index.
        let made = patches.iter().enumerate().filter_map(|(place, patch)| {
            let made = validating.plan.patched(&suite.base, patch)?;
            Some((place, made))
        });
        let made: Vec<(usize, ChangedFunctions)> = made.collect();
        let (mut validated, mut next, mut result) = (vec![None; patches.len()], 0, Ok(()));
        while next < made.len() && result.is_ok() {
            result = if watch.cancelled() { Err(EngineError::Cancelled) } else { Ok(()) };
            let chunk =
                result.clone().and_then(|()| self.validate_chunk(&mut validating, suite, &made[next..], watch));
            result = chunk.map(|chunk| {
                for ((place, _), own) in made[next..].iter().zip(&chunk) {
                    validated[*place] = Some(own.clone());
                }
                next += chunk.len();
            });
        }
        if let Some(base) = &mut self.base {
            base.validating = Some(validating);
        }
        result.map(|()| validated)
    }
}

impl GpuEngine {
    /// Returns the state for the patches of a base, creating it if needed. It replaces the state for the
    /// base's mutants.
    fn begin(&mut self, suite: &Suite) -> Result<Validating, EngineError> {
        refuse_whole(&suite.base)?;
        let base = self.base.as_mut().filter(|base| !base.entries.is_empty());
        let base = base.filter(|base| base.compiled.executable == suite.base.executable);
        let base = base.ok_or_else(|| EngineError::Call("another program is the base".into()))?;
        if let Some(known) = base.validating.take_if(|known| Arc::ptr_eq(&known.base, &suite.base)) {
            return Ok(known);
        }
        (base.plan, base.validating) = (None, None);
        let (gpu, runs) = (&self.gpu, &self.runs);
        let entries = gpu.scoped(|| storage(gpu, "asked", u64::from(entry::ENTERED)))?;
        let mut recorder = Recorder::new(gpu, None);
        recorder.encoder.copy_buffer_to_buffer(&runs.entries, 0, &entries, 0, entries.size());
        let parts = [(&runs.entries, 0, u64::from(entry::TABLE))];
        let table = recorder.read(&parts, &mut StageTimes::default())?.pop().ok_or_else(incomplete)?;
        // If another group numbers the base's edits, each patch carries its own edits, so no shader has to
        // number them.
        let numbered = base.compiled.group == suite.base.group;
        let plan =
            Plan::new(&suite.base, if numbered { &base.sites } else { &[] }, self.runs.tuning.segment_words);
        self.splicing.begin(gpu, &plan)?;
        Ok(Validating { base: suite.base.clone(), plan, table, entries, most: runs.tuning.programs })
    }

    /// Validates the first of some patches.
    fn validate_chunk(
        &mut self,
        validating: &mut Validating,
        suite: &Suite,
        made: &[(usize, ChangedFunctions)],
        watch: &dyn Watch,
    ) -> Result<Vec<Validated>, EngineError> {
        let started = Instant::now();
        let most = validating.most.min(self.runs.tuning.mutant_slots) as usize;
        let wanted = (0..).zip(made).take(most).map(|(place, (_, made))| (place, made.clone()));
        let mut chunk = validating.plan.lay_out(&suite.base, wanted, &self.gpu.device.limits());
        let kept = std::mem::take(&mut chunk.kept);
        let count = chunk.mutants.params.programs;
        // The directory has rows for this chunk only.
        Runs::need(&self.gpu, &mut self.runs.directory, u64::from(row::WORDS * (count + 1)))?;
        Runs::need(&self.gpu, &mut self.runs.table, 2 * u64::from(count + 1))?;
        Runs::need(&self.gpu, &mut self.runs.verdicts, u64::from(Verdict::WORDS * count))?;
        Runs::need(&self.gpu, &mut self.runs.best, 2 * u64::from(count.max(limits::TESTS as u32)))?;
        self.restart()?;
        let epoch = self.next_epoch();
        let arenas = self.splicing.lay_out(&self.gpu, &self.compiler, chunk, epoch)?;
        let found = self.make_patches(suite, &arenas, epoch);
        let validated = found.and_then(|found| {
            validating.plan.keep(&kept);
            self.run_patches(validating, suite, (&arenas.mutants, &found), watch)
        });
        self.splicing.give_back(arenas);
        let fitting = f64::from(count) * TARGET.as_secs_f64() / started.elapsed().as_secs_f64().max(1e-4);
        let (least, most) = (validating.most / 2, validating.most * 2);
        validating.most = (fitting as u32).clamp(least, most).clamp(*CHUNK.start(), *CHUNK.end());
        validated
    }

    /// Compiles and compares the programs of a chunk. Returns the verdict known without a run, and the
    /// bytecode hash, of each.
    fn make_patches(
        &self,
        suite: &Suite,
        arenas: &Arenas,
        epoch: u32,
    ) -> Result<Vec<ValidationResult>, EngineError> {
        let Some(base) = &self.base else { return Err(incomplete()) };
        let (runs, count) = (&self.runs, arenas.mutants.shape.params.programs);
        let mut recorder = Recorder::new(&self.gpu, None);
        self.gpu.attempt(|| {
            let own = (&self.compiler, runs);
            self.splicing.encode(&mut recorder, own, (&*suite.base, &base.arena), arenas)?;
            runs.judge(&mut recorder, &arenas.mutants, 1, 0)
        })?;
        let parts = [
            (&runs.verdicts, 0, u64::from(Verdict::WORDS * count)),
            (&runs.directory, u64::from(row::WORDS), u64::from(row::WORDS * count)),
        ];
        let read = recorder.read(&parts, &mut StageTimes::default())?;
        let [verdicts, rows] = &read[..] else { return Err(incomplete()) };
        let hashes = rows.chunks_exact(row::WORDS as usize);
        let hashes = hashes.map(|row| [row[row::HASH_LOW as usize], row[row::HASH_HIGH as usize]]);
        Ok(records(verdicts, epoch)?.into_iter().zip(hashes).collect())
    }

    /// Runs the programs of a chunk that are not settled yet.
    fn run_patches(
        &mut self,
        validating: &mut Validating,
        suite: &Suite,
        (arena, found): (&Arena, &[ValidationResult]),
        watch: &dyn Watch,
    ) -> Result<Vec<Validated>, EngineError> {
        let Suite { failing, others, .. } = suite;
        let inputs = |validating: &Validating, asked: &[EntryRequest]| -> Vec<u32> {
            asked.iter().map(|asked| validating.inputs(asked.entry)).collect()
        };
        let new = |(_, (verdict, _)): &(u32, &ValidationResult)| verdict.status == MutantStatus::Pending;
        let listed: Vec<u32> = (0..).zip(found).filter(new).map(|(program, _)| program).collect();
        let mut ran: Vec<Option<Ran>> = vec![None; found.len()];
        let request = Request { asked: failing, each: true, once: true };
        for (program, answer) in self.answers(validating, request, (arena, &listed), watch)? {
            let ends =
                answer.marks.iter().zip(&answer.steps).map(|(mark, steps)| Some((ended(*mark)?, *steps)));
            let first: Option<Vec<(Outcome, u32)>> = ends.collect();
            let first = first.ok_or_else(|| DeviceFailure::Results.because("an invalid outcome"))?;
            let bit = |(place, mark): (usize, &u32)| u64::from(*mark == NONE) << place;
            let mended = answer.marks.iter().enumerate().map(bit).sum();
            let hash = found[program as usize].1;
            let starved = failing.iter().zip(&first).any(|(asked, (outcome, _))| asked.starves(*outcome));
            ran[program as usize] = Some(Ran { hash, first, mended, breaks: false, starved });
        }
        let mut mending: Vec<u32> = listed;
        let mends = |ran: &[Option<Ran>], program: &u32| {
            ran[*program as usize].as_ref().is_some_and(|ran| ran.mended != 0)
        };
        mending.retain(|program| mends(&ran, program));
        let request = Request { asked: failing, once: false, ..request };
        let of_failing = inputs(validating, failing);
        for (program, answer) in self.answers(validating, request, (arena, &mending), watch)? {
            let passes = |(place, asked): (usize, &EntryRequest)| {
                let holds = answer.marks.get(place) == Some(&NONE);
                u64::from(holds && answer.is_met(place, asked, of_failing[place])) << place
            };
            let passing: u64 = failing.iter().enumerate().map(passes).sum();
            let starves = |place: usize| {
                let outcome = answer.marks.get(place).and_then(|mark| ended(*mark));
                outcome.is_some_and(|outcome| failing[place].starves(outcome))
            };
            if let Some(ran) = &mut ran[program as usize] {
                ran.starved |= (0..failing.len()).any(|place| ran.mended >> place & 1 != 0 && starves(place));
                ran.mended &= passing;
            }
        }
        mending.retain(|program| mends(&ran, program));
        let request = Request { asked: others, each: false, once: false };
        let of_others = inputs(validating, others);
        for (program, answer) in self.answers(validating, request, (arena, &mending), watch)? {
            let met = |(place, asked): (usize, &EntryRequest)| answer.is_met(place, asked, of_others[place]);
            let holds = answer.status == MutantStatus::Survived && others.iter().enumerate().all(met);
            let asked = others.iter().find(|asked| Some(asked.entry) == answer.killer);
            let starved = answer.status == MutantStatus::Timeout && asked.is_some_and(EntryRequest::is_short);
            if let Some(ran) = &mut ran[program as usize] {
                ran.breaks = !holds;
                ran.starved |= starved;
            }
        }
        let of = |(program, (verdict, _)): (usize, &ValidationResult)| match verdict.status {
            MutantStatus::Invalid => Some(Validated::Invalid),
            MutantStatus::Equivalent => Some(Validated::Same),
            MutantStatus::Duplicate => ran.get(verdict.original?.position())?.clone().map(Validated::Ran),
            _ => ran[program].clone().map(Validated::Ran),
        };
        let validated: Option<Vec<Validated>> = found.iter().enumerate().map(of).collect();
        validated.ok_or_else(incomplete)
    }

    /// Runs a request on some programs and returns the answers, each with the program's index in the arena.
    fn answers(
        &mut self,
        validating: &mut Validating,
        request: Request,
        (arena, listed): (&Arena, &[u32]),
        watch: &dyn Watch,
    ) -> Result<Vec<(u32, ValidationAnswer)>, EngineError> {
        let (programs, entries) = (arena.shape.params.programs, request.asked.len() as u32);
        if listed.is_empty() || entries == 0 {
            return Ok(vec![]);
        }
        let epoch = self.next_epoch();
        let jobs = validating.ask(&self.gpu, request);
        let counted = if request.once { programs * jobs } else { 0 };
        let verdicts = Verdict::WORDS * programs;
        Runs::need(&self.gpu, &mut self.runs.verdicts, u64::from(verdicts) + u64::from(counted))?;
        let words = 2 * u64::from(programs) * u64::from(entries);
        let next = 2 * programs * (1 + entries);
        Runs::need(&self.gpu, &mut self.runs.best, u64::from(next + programs))?;
        let (gpu, runs) = (&self.gpu, &self.runs);
        let count = listed.len() as u32;
        let (lanes, awake) = runs.tuning.lanes(count);
        let lanes = lanes.min(jobs).max(1);
        // If each entry has its own result, every input has to run.
        let awake = if request.each { lanes } else { awake.min(lanes) };
        let params = ExecuteParams {
            mode: mode::MUTANTS,
            lanes,
            initially_active: awake,
            next,
            slots: count * lanes,
            exact: exact::ALL,
            counted: u32::from(request.once),
            recorded_entries: entries,
            each_entry: u32::from(request.each),
            lists_by_reference: 1,
            epoch,
            ..runs.params(arena)
        };
        let behind = &[("verdict", count.div_ceil(64))];
        let jobs = ("entries", &validating.entries);
        let work = RunWork { jobs, behind, ..runs.tests(arena, &runs.verdicts, params) };
        gpu.scoped(|| {
            runs.prepare_again(gpu, programs, listed, awake);
            runs.prepare_asked(gpu, programs, entries);
        })?;
        let parts = [
            (&runs.verdicts, 0, u64::from(verdicts)),
            (&runs.verdicts, u64::from(verdicts), u64::from(counted)),
            (&runs.best, 2 * u64::from(programs), words),
        ];
        let (control, times) = (&runs.control, &mut StageTimes::default());
        let slices = Slices { gpu, control, pace: &mut self.pace, watch, clock: None, times };
        let read = slices.run(&parts[..], |recorder, turn| {
            if turn.first {
                runs.clear(recorder, &params);
            }
            runs.execute(recorder, &work, turn)
        })?;
        let [verdicts, steps, words] = &read[..] else { return Err(incomplete()) };
        let answer = |program: &u32| {
            let own = (*program * entries) as usize..((*program + 1) * entries) as usize;
            let at = (program * Verdict::WORDS) as usize;
            let Verdict { status, killer, .. } = record(verdicts.get(at..).ok_or_else(incomplete)?, epoch)?;
            let (marks, met) = words.split_at(words.len() / 2);
            let of = |words: &[u32]| words.get(own.clone()).map(<[u32]>::to_vec).ok_or_else(incomplete);
            let steps = if request.once { of(steps)? } else { vec![] };
            Ok((*program, ValidationAnswer { status, killer, marks: of(marks)?, met: of(met)?, steps }))
        };
        listed.iter().map(answer).collect()
    }
}

/// The verdict known without a run, and the bytecode hash.
type ValidationResult = (Verdict, [u32; 2]);

/// Returns the outcome of the run that left this mark.
fn ended(word: u32) -> Option<Outcome> {
    if word == NONE { Some(Outcome::Pass) } else { Outcome::from_u32(word & mark::OUTCOME) }
}

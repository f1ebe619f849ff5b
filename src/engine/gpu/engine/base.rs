//! The base: a text through all stages and its tests, in one submission where its runs are short.

use std::sync::Arc;
use std::time::Instant;

use super::{Base, GpuEngine};
use crate::engine::gpu::arena::{Arena, Room, Shape};
use crate::engine::gpu::device::Part;
use crate::engine::gpu::kernel::{self, Kernel};
use crate::engine::gpu::records::Record;
use crate::engine::gpu::records::{Entries, record, running};
use crate::engine::gpu::runs::{EntryPoints, Runs, Work};
use crate::engine::gpu::slices::Slices;
use crate::engine::gpu::texts::source;
use crate::engine::timings::StageTimes;
use crate::engine::{BaseResult, EngineError};
use crate::lang::limits;
use crate::layout::ExecuteParams;
use crate::layout::numbers::{mode, site};
use crate::program::{Compiled, Watch};
use crate::stage::Stage;

impl GpuEngine {
    /// The shaders that every base goes through, and if it is `executed`.
    pub(super) fn for_bases(&self, executed: bool) -> impl Iterator<Item = &Kernel> {
        self.runs.kernels(self.group, executed).chain(self.compiler.stages.iter().map(|stage| &stage.kernel))
    }

    /// Puts a text's arena on the device, in the buffers of the last one if there is one.
    pub(super) fn base_arena(&mut self, text: &str) -> Result<Arena, EngineError> {
        let mut shape = Shape::default();
        let kept = source(text);
        let at = shape.push_text(kept);
        shape.push(Room::of_text(kept), at, text.len() as u32);
        shape.params.epoch = self.next_epoch();
        self.compiler.arena(&self.gpu, self.base.take().map(|base| base.arena), shape)
    }

    /// Compiles a text, runs its tests if they are to be `executed`, and keeps it as the base.
    pub(super) fn make_base(
        &mut self,
        text: &Arc<str>,
        executed: bool,
        watch: &dyn Watch,
    ) -> Result<BaseResult, EngineError> {
        let started = Instant::now();
        let (mut times, group) = (StageTimes::default(), self.group);
        self.gpu.take_moved();
        kernel::compile(&self.gpu, self.for_bases(executed))?;
        let arena = self.base_arena(text)?;
        // One that is cancelled or fails leaves a base without mutants.
        let base = self.base.insert(Base::new(arena));
        let rows = base.arena.shape.params.token_capacity as u64 + 1;
        Runs::need(&self.gpu, &mut self.runs.sites, u64::from(site::WORDS) * rows)?;
        let (gpu, runs, arena) = (&self.gpu, &self.runs, &base.arena);
        let slots = runs.tuning.slots;
        let params = ExecuteParams { mode: mode::BASE, lanes: slots, slots, steady: 1, ..runs.params(arena) };
        let work = runs.tests(arena, &runs.records, params);
        let (spent, compiled, sites) = (&mut self.spent, &mut base.compiled, &mut base.sites);
        let mut first_order = 0;
        let table: Part = (&runs.entries, 0, u64::from(Entries::WORDS));
        let numbers: Part = (&runs.sites, 0, rows);
        let (control, clock) = (&runs.control, self.clock.as_ref());
        let slices = Slices { gpu, control, pace: &mut self.pace, watch, clock, times: &mut times };
        let read = slices.run_seen(
            |turn| if turn.first { [vec![table, numbers], arena.readable()].concat() } else { vec![table] },
            |recorder, turn| {
                if turn.first {
                    self.compiler.encode(recorder, arena, Stage::Lex);
                    runs.judge_base(recorder, arena)?;
                    runs.number(recorder, arena, group)?;
                    runs.clear(recorder, &params);
                }
                if !executed {
                    return Ok(());
                }
                let before: EntryPoints = if turn.first { &[("survey", 1)] } else { &[] };
                let behind = &[("tally", limits::TESTS as u32), ("schedule", 1)];
                runs.execute(recorder, &Work { before, behind, ..work }, turn)
            },
            |turn, progress, read| {
                if turn.first {
                    let mut stages = Compiled { text: text.clone(), group, ..Default::default() };
                    arena.unpack(&read[2..], 0, Stage::Emit, &mut stages)?;
                    (*compiled, first_order) = (Arc::new(stages), progress.sites);
                    sites.clone_from(&read[1]);
                }
                *spent = progress.spent;
                if let Some((entry, inputs)) = running(&read[0]).filter(|_| !progress.done) {
                    watch.running(compiled, entry, inputs);
                }
                Ok(())
            },
        )?;
        if executed {
            base.entries = record::<Entries>(&read[0], arena.shape.params.epoch)?.0;
        }
        if executed && !base.compiled.facts.stopped() && base.compiled.facts.errors == 0 {
            base.first_order = first_order;
        }
        let (compiled, entries) = (base.compiled.clone(), base.entries.clone());
        Ok(BaseResult { compiled, entries, timings: self.timings(started, times, 1) })
    }
}

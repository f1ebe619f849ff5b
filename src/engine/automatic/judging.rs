//! Judges mutants on the engine that should finish first, by the times of their program.

use super::times::{Prior, ProgramTimes, Stretch};
use super::{Automatic, CurrentBase, Device, LEAST, Opened};
use crate::compiler::program::Watch;
use crate::engine::measured::time;
use crate::engine::{Engine, EngineError, Kind, MutantResult, Share};
use crate::lang::index::{Index, Indices, MutantId};

/// The seconds that a trial of a device must be allowed, if its speed was not measured.
const UNMEASURED: f64 = 0.05;

impl Automatic {
    /// Judges mutants in stretches.
    pub(super) fn judge_all(
        &mut self,
        mut left: Indices<MutantId>,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        self.batch = left.len();
        if left.len() >= LEAST {
            self.open_now();
        }
        while !left.is_empty() {
            let stretch = self.stretch(left.len());
            self.judge(stretch, &mut left, watch, sink)?;
        }
        Ok(())
    }

    /// Returns the times of the base's program, which becomes the latest.
    fn program_times(&mut self) -> &mut ProgramTimes {
        let Automatic { held, programs, .. } = self;
        let functions = held.as_ref().map(|held| held.functions.clone()).unwrap_or_default();
        programs.latest(&functions)
    }

    /// Chooses the engine for the first of `left` mutants.
    fn stretch(&mut self, left: u32) -> Stretch {
        let Device::Open(Opened { from, measured, .. }) = &self.device else {
            return Stretch { by: Kind::Cpu, mutants: left, left, limit: None };
        };
        let begins = if left >= *from { Kind::Gpu } else { Kind::Cpu };
        if *from == 0 {
            return Stretch { by: begins, mutants: left, left, limit: None };
        }
        let device = measured.as_ref().map_or(UNMEASURED, |measured| measured.device.keystroke(left) / 1e6);
        let holding = self.holding();
        self.program_times().next(left, Prior { begins, device }, &holding)
    }

    /// Returns the engines that have compiled the base.
    fn holding(&self) -> Vec<Kind> {
        let held = |held: &CurrentBase| [(Kind::Cpu, held.cpu), (Kind::Gpu, held.device)];
        self.held.iter().flat_map(held).filter(|(_, holds)| *holds).map(|(kind, _)| kind).collect()
    }

    /// Lets an engine judge a stretch of mutants, the first of `left`, and learns from its times.
    fn judge(
        &mut self,
        stretch: Stretch,
        left: &mut Indices<MutantId>,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        let (ids, _) = left.split_at(stretch.mutants);
        let clock = self.clock.clone();
        let (begun, end) = (clock(), ids.end());
        let late = || stretch.limit.is_some_and(|limit| clock() - begun > limit);
        let watch_trial = || watch.cancelled() || late();
        let mut next = ids.start();
        let mut done = Ok(());
        let mut compiled = None;
        if !self.holding().contains(&stretch.by) {
            done = self.by(stretch.by, &watch_trial, |_| Ok(()));
            compiled = done.is_ok().then(|| clock() - begun);
        }
        let started = if done.is_ok() { clock() } else { begun };
        if done.is_ok() {
            done = self.by(stretch.by, &watch_trial, |engine| {
                engine.mutants(Indices::new(next, end), &watch_trial, &mut |part| {
                    next = part.ids().end();
                    sink(part);
                })
            });
        }
        let judged = next.number() - ids.start().number();
        *left = Indices::new(next, left.end());
        let by = if self.by_device { Kind::Gpu } else { Kind::Cpu };
        self.judged[usize::from(self.by_device)] += judged;
        // A device that failed has no times, nor has work that the caller cancelled.
        if by == stretch.by && !watch.cancelled() {
            let taken = clock() - started;
            let times = self.program_times();
            if let Some(seconds) = compiled {
                times.compiled(stretch, seconds);
            }
            times.judged(stretch, judged, taken);
        }
        match done {
            Err(EngineError::Cancelled) if stretch.limit.is_some() && !watch.cancelled() => Ok(()),
            done => done,
        }
    }

    /// Returns how many mutants of the base each engine judged, if both did.
    pub(super) fn judged_shares(&self) -> Vec<Share> {
        match &self.device {
            Device::Open(opened) if self.judged.iter().all(|judged| *judged > 0) => {
                let engines = [&*self.cpu, &*opened.engine];
                let share =
                    |(engine, programs): (&dyn Engine, u32)| Share { engine: engine.describe(), programs };
                engines.into_iter().zip(self.judged).map(share).collect()
            }
            _ => self.last().shares(),
        }
    }

    /// Returns the expected times of the last batch on both engines, in a sentence.
    pub(super) fn program_choice(&self) -> Option<String> {
        let Device::Open(opened) = &self.device else { return None };
        let times = self.programs.of(&self.held.as_ref()?.functions)?;
        let names = [(Kind::Cpu, self.cpu.describe()), (Kind::Gpu, opened.engine.describe())];
        let words = names.into_iter().filter_map(|(kind, name)| {
            let seconds = times.expected(kind, self.batch, &[Kind::Cpu])?;
            Some(format!("{} on {name}", time(seconds * 1e6)))
        });
        let words: Vec<String> = words.collect();
        (!words.is_empty())
            .then(|| format!("{} mutants of this program take {}", self.batch, words.join(", and ")))
    }
}

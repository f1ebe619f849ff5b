//! Judges goals about a group of a device's threads.

use super::{Case, GoalStatus};
use crate::compiler::layout::numbers::counted;
use crate::compiler::stage::execute::{Domain, Machine, RunObserver, StepState};
use crate::engine::lockstep::Lockstep;
use crate::lang::limits;

/// The addresses of a thread's instructions.
#[derive(Default)]
struct Thread(Vec<u32>);

impl RunObserver for Thread {
    const STEPS: bool = true;

    fn step(&mut self, state: StepState) {
        self.0.push(state.pc as u32);
    }
}

/// Runs a property on its first inputs, one for each thread of a group, and counts as `bench device --counters` does.
pub(super) fn group(case: &Case, most: u32, label: &str) -> GoalStatus {
    let compiled = case.given.compiled;
    let head = case.lesson.own.labelled(label).and_then(|item| item.find(compiled.view()));
    let entry = case.entries().into_iter().find(|entry| Some(entry.routine.head()) == head);
    let Some(entry) = entry else { return GoalStatus::missing(format!("\"{label}\" is missing or changed")) };
    let routines = &compiled.executable.routines;
    let domain = Domain::new(routines, &compiled.binders, compiled.facts.entry(entry.id), limits::SAMPLES);
    let mut machine = Machine::default();
    machine.load(&compiled.executable);
    let threads: Vec<Thread> = { domain.inputs().iter().take(counted::GROUP as usize) }
        .map(|input| {
            let mut thread = Thread::default();
            domain.observe(&mut machine, &compiled.executable, (input, counted::STEPS), &mut thread);
            thread
        })
        .collect();
    let mut sums = Lockstep::default();
    let at =
        |step: usize| -> Vec<u32> { threads.iter().filter_map(|thread| thread.0.get(step).copied()).collect() };
    for step in 0..counted::STEPS as usize {
        if !sums.add(&mut at(step), 1) {
            break;
        }
    }
    let said = format!(
        "{} for {} threads, the longest of {} steps: divergence {:.1}",
        sums.issued,
        threads.len(),
        sums.steps,
        sums.divergence(counted::GROUP)
    );
    GoalStatus::new(sums.issued <= u64::from(most), said)
}

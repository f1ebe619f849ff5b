//! Finds how much of a wrong code suffices to be wrong.

use super::{Decider, Prepared, ReferenceRun};
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::{Machine, NoObserver, Start, mutant_fuel};
use crate::lang::index::{Address, Index};
use crate::network::inputs::FUEL;
use crate::testing::decide::course::{Course, CourseRecorder};

/// The number of inputs on which a wrong code is followed, if as many distinguish it.
const FOLLOWED: usize = 8;

impl Decider<'_> {
    /// As [`Decide::parting`](crate::testing::decide::Decide::parting).
    pub(super) fn first_parting(&mut self, code: &[u32], watch: &dyn Watch) -> Option<Option<u32>> {
        self.prepare(watch)?;
        let origin = self.put(code);
        let Some(prepared) = self.prepared.take() else { return Some(None) };
        let found = self.parting_on(&prepared, origin, watch);
        self.prepared = Some(prepared);
        found
    }

    fn parting_on(&mut self, prepared: &Prepared, origin: Address, watch: &dyn Watch) -> Option<Option<u32>> {
        let (mut least, mut followed) = (None, 0);
        for tried in &prepared.tried {
            if watch.cancelled() {
                return None;
            }
            if !self.try_other(tried, &mut NoObserver).0 {
                continue;
            }
            let own = self.own_course(tried);
            let furthest = self.other_course(tried).parts_from(&own);
            let furthest = furthest.and_then(|address| address.checked_sub(origin.number()));
            least = least.into_iter().chain(furthest).min();
            followed += 1;
            if followed == FOLLOWED {
                break;
            }
        }
        Some(least)
    }

    fn own_course(&mut self, tried: &ReferenceRun) -> Course {
        let start = Start::call(self.function, FUEL);
        let program = &self.compiled.executable;
        clear(&mut self.own);
        let mut recorder = CourseRecorder::new(program, self.function, start.depth);
        let record = self.own.call_before(program, start, &tried.arguments, &mut recorder);
        recorder.end(record.trap as u32, self.own.value(&record, self.list).unwrap_or_default())
    }

    fn other_course(&mut self, tried: &ReferenceRun) -> Course {
        let fuel = mutant_fuel(tried.steps);
        let start = Start::call(self.candidate_function, fuel);
        clear(&mut self.other);
        let mut recorder = CourseRecorder::new(&self.candidate, start.routine, start.depth);
        let record = self.other.call_before(&self.candidate, start, &tried.arguments, &mut recorder);
        recorder.end(record.trap as u32, self.other.value(&record, self.list).unwrap_or_default())
    }
}

/// Clears the frame, so that variables without a value are equal in both runs.
fn clear(machine: &mut Machine) {
    machine.frame().fill(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::program::Compiled;
    use crate::compiler::stage::Compiler;
    use crate::lang::index::RoutineId;
    use crate::lang::opcode::{Op, word};
    use crate::network::assembler::assemble;
    use crate::network::vocabulary::{Family, plain};
    use crate::network::{source, target};
    use crate::testing::decide::Decide;

    const TEXT: &str = "
        fn f(a: int, b: int) -> int {
            let s = a + b * 3;
            for i in 0..4 { if s > i * b { s = s - a; } else { s = s ^ 7; } }
            return s * 5 + b;
        }";

    fn compiled() -> Compiled {
        let mut compiler = Compiler::default();
        compiler.compile(TEXT);
        assert!(compiler.compiles());
        compiler.compiled(&TEXT.into())
    }

    /// Returns the parting of the function's own code after a change of its words, and the changed code, both relative
    /// to the code's beginning.
    fn parting(change: impl Fn(&mut Vec<u16>)) -> (Option<u32>, Vec<u32>) {
        let compiled = compiled();
        let (program, function) = (compiled.program(), RoutineId::new(0));
        let source = source::read(&program, function).unwrap();
        let mut words = target::write(&program, function, &source.tables).unwrap();
        change(&mut words);
        let code = assemble(&source.tables, &words, compiled.executable.end()).unwrap();
        (Decider::new(&compiled, function).parting(&code, &|| false).unwrap(), code)
    }

    fn replace(words: &mut [u16], from: Op, to: Op) {
        let at = words.iter().rposition(|&word| word == plain(from).unwrap()).unwrap();
        words[at] = plain(to).unwrap();
    }

    fn place(code: &[u32], op: Op) -> Option<u32> {
        code.iter().position(|&found| found == word(op, 0)).map(|at| at as u32)
    }

    #[test]
    fn own_code_does_not_part() {
        assert_eq!(parting(|_| {}).0, None);
    }

    #[test]
    fn runs_part_at_the_first_wrong_value() {
        let (at, code) = parting(|words| replace(words, Op::Sub, Op::Or));
        assert!(at.is_some() && at == place(&code, Op::Or), "{at:?} {code:?}");
        let (at, code) = parting(|words| replace(words, Op::Xor, Op::And));
        assert!(at.is_some() && at == place(&code, Op::And), "{at:?} {code:?}");
    }

    #[test]
    fn order_of_operands_does_not_part_runs() {
        let swapped = |words: &mut Vec<u16>| {
            assert_eq!(words[..2], [Family::Load.word(0), Family::Load.word(1)], "a, then b");
            // b * 3 + a instead of a + b * 3
            let first = words.remove(0);
            let sum = words.iter().position(|&word| word == plain(Op::Add).unwrap()).unwrap();
            words.insert(sum, first);
        };
        assert_eq!(parting(swapped).0, None);
        let (at, code) = parting(|words| {
            swapped(words);
            replace(words, Op::Sub, Op::Or);
        });
        assert!(at.is_some() && at == place(&code, Op::Or), "{at:?} {code:?}");
    }
}

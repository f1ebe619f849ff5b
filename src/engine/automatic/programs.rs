//! The times of the last programs. A text is a later one of a program if at least half of their functions have the same
//! names.

use std::collections::{HashSet, VecDeque};

use super::times::ProgramTimes;
use crate::lang::hash::fnv64;

/// The number of programs whose times are kept.
const PROGRAMS: usize = 64;

/// The functions of a text, which identify its program while the text changes: the hashes of their names.
#[derive(Clone, Debug, Default)]
pub struct Functions(HashSet<u64>);

impl Functions {
    /// Returns the names after each `fn`, also those in comments: a text need not be compiled for this.
    pub fn of(text: &str) -> Functions {
        let ends = |c: char| c != '_' && !c.is_alphanumeric();
        let name = |rest: &str| fnv64(rest.trim_start().split(ends).next().unwrap_or_default().bytes());
        Functions(text.split("fn ").skip(1).map(name).collect())
    }

    fn is_like(&self, other: &Functions) -> bool {
        2 * self.0.intersection(&other.0).count() >= self.0.len().max(other.0.len())
    }
}

#[derive(Default)]
pub struct Programs(VecDeque<(Functions, ProgramTimes)>);

impl Programs {
    /// Returns the times of the program with these functions, if any are known.
    pub fn of(&self, functions: &Functions) -> Option<&ProgramTimes> {
        self.0.iter().find(|(own, _)| own.is_like(functions)).map(|(_, times)| times)
    }

    /// Returns the times of the program with these functions, which becomes the latest.
    pub fn latest(&mut self, functions: &Functions) -> &mut ProgramTimes {
        let place = self.0.iter().position(|(own, _)| own.is_like(functions));
        let (_, times) = place.and_then(|place| self.0.remove(place)).unwrap_or_default();
        self.0.truncate(PROGRAMS - 1);
        self.0.push_front((functions.clone(), times));
        &mut self.0[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Kind;

    #[test]
    fn a_program_keeps_its_times_while_half_of_its_functions_keep_their_names() {
        let mut programs = Programs::default();
        let known = |programs: &Programs, text: &str| {
            programs.of(&Functions::of(text)).and_then(|times| times.expected(Kind::Cpu, 10, &[])).is_some()
        };
        programs.latest(&Functions::of("fn a() fn b()")).batch(Kind::Cpu, 10, 1.0);
        assert!(known(&programs, "fn b(x) {} fn new() {}") && known(&programs, "fn a() fn b()"));
        assert!(!known(&programs, "fn b(x) {} fn new() {} fn other() {}") && !known(&programs, ""));
        for other in 0..PROGRAMS {
            assert!(known(&programs, "fn a() fn b()"));
            programs.latest(&Functions::of(&format!("fn f{other}()")));
        }
        assert!(!known(&programs, "fn a() fn b()"));
    }
}

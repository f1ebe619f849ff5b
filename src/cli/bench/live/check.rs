//! `--check`: each result is compared with that of a new engine on the same text with stand-ins for its holes.

use crate::engine::cpu::CpuEngine;
use crate::engine::{BaseResult, Engine, EngineError, EngineSettings, EntryResult};
use crate::lang::index::{EntryId, Index};
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::testing::stand_ins::stand_ins;

/// Returns the tests whose result differs.
pub fn differing(base: &BaseResult) -> Result<Vec<usize>, EngineError> {
    let compiled = &base.compiled;
    if !compiled.facts.lowers() {
        return Ok(Vec::new());
    }
    let mut engine = CpuEngine::with_threads(1);
    engine.configure(EngineSettings { holes: true, level: compiled.level, ..engine.settings() });
    let expected = engine.base(&stand_ins(compiled).0.into(), &|| false)?;
    // With stand-ins, a text may be too long to compile.
    if !expected.compiled.facts.lowers() {
        return Ok(Vec::new());
    }
    let is_broken = |entry: usize| {
        let at = base.entries[entry].trap_address.and_then(|address| compiled.executable.at(address)?.1);
        at.is_some() && at == compiled.entry(EntryId::at(entry)).map(|routine| routine.head())
    };
    let differs = |entry: &usize| {
        !is_broken(*entry) && expected.entries.get(*entry).is_none_or(|own| !agree(&base.entries[*entry], own))
    };
    Ok((0..base.entries.len()).filter(differs).collect())
}

/// A run that reaches a hole does not end with stand-ins.
fn agree(found: &EntryResult, expected: &EntryResult) -> bool {
    let result = |of: &EntryResult| (of.outcome, of.inputs, of.discarded, of.failing_input);
    match found.unfinished {
        0 => result(found) == result(expected),
        _ => expected.outcome == Outcome::Trap(Trap::StepLimit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_stand_ins_do_not_have_are_found() {
        let text =
            "fn f(n: int) -> int { if n > 1 { return } return n; } test f(1) == 1; test f(2) == 2; test x;";
        let mut engine = CpuEngine::with_threads(1);
        engine.configure(EngineSettings { holes: true, ..engine.settings() });
        let mut base = engine.base(&text.into(), &|| false).expect("a base");
        assert_eq!(differing(&base), Ok(vec![]));
        let hole = base.entries[1].outcome;
        assert_eq!(hole, Outcome::Trap(Trap::Hole));
        (base.entries[0].outcome, base.entries[0].unfinished) = (hole, 1);
        (base.entries[1].outcome, base.entries[1].unfinished) = (Outcome::Pass, 0);
        assert_eq!(differing(&base), Ok(vec![0, 1]));
    }
}

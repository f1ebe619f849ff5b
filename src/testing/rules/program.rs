//! The rules in a program's own comments, for lessons and the workbench.

use std::collections::HashMap;
use std::sync::Arc;

use super::apply::{Applied, Fired, apply};
use super::decide::{UserVerdict, decide};
use super::read::{IN_PROGRAMS, RuleLine, read};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::compile_at;
use crate::host::measure::numbers::plural;
use crate::lang::level::OptLevel;

/// Verdicts by the text of the rule.
pub type KnownRules = HashMap<String, UserVerdict>;
/// The maximum number of verdicts that are kept.
const KEPT: usize = 1_024;

/// The rules of a program, and the program after them at level 0, where each saves what it seems to save, or at another
/// level.
#[derive(Clone, Debug)]
pub struct ProgramRules {
    pub lines: Vec<RuleLine>,
    pub verdicts: Vec<Option<UserVerdict>>,
    pub applied: Applied,
}

/// The rules of a program, and the program after them at its own level, which the processor has run.
#[derive(Clone, Debug)]
pub struct AppliedRules(pub Arc<ProgramRules>);

impl ProgramRules {
    /// Decides the rules of a text that are not known yet, and applies them to a program, usually the same text. Returns
    /// `None` if the work was cancelled.
    pub fn of(
        text: &str,
        program: &Arc<str>,
        known: &mut KnownRules,
        watch: &dyn Watch,
    ) -> Option<ProgramRules> {
        ProgramRules::apply(read(text, true), &Arc::new(compile_at(OptLevel::Lowered, program)), known, watch)
    }

    /// Likewise, with the rules of a program, at its own level.
    pub fn on(program: &Arc<Compiled>, known: &mut KnownRules, watch: &dyn Watch) -> Option<ProgramRules> {
        ProgramRules::apply(read(&program.text, true), program, known, watch)
    }

    fn apply(
        lines: Vec<RuleLine>,
        program: &Arc<Compiled>,
        known: &mut KnownRules,
        watch: &dyn Watch,
    ) -> Option<ProgramRules> {
        let mut verdicts = Vec::new();
        for line in &lines {
            verdicts.push(match (&line.rule, known.get(&line.text)) {
                (Err(_), _) => None,
                (Ok(_), Some(verdict)) => Some(verdict.clone()),
                (Ok(rule), None) => {
                    let verdict = decide(rule, watch)?;
                    if known.len() >= KEPT {
                        known.clear();
                    }
                    known.insert(line.text.clone(), verdict.clone());
                    Some(verdict)
                }
            });
        }
        let applied = apply(program, &lines, &verdicts, watch)?;
        Some(ProgramRules { lines, verdicts, applied })
    }

    /// The number of rules that are proved.
    pub fn proved(&self) -> usize {
        self.verdicts.iter().filter(|verdict| matches!(verdict, Some(UserVerdict::Proved { .. }))).count()
    }

    /// Returns the verdict on a line of a text that has these rules: whether the rule is proved, and why not, or what it
    /// does.
    pub fn on_line(&self, line: &str, is_program: bool) -> Option<(bool, Vec<String>)> {
        let rule = if is_program { line.trim_start().strip_prefix(IN_PROGRAMS)? } else { line };
        let own = rule.split("//").next()?.trim();
        let place = self.lines.iter().position(|line| line.text == own)?;
        let said = match (&self.lines[place].rule, self.verdicts.get(place)?) {
            (Err(error), _) => return Some((false, vec![error.message.clone(), "not a rule".into()])),
            (Ok(rule), Some(verdict @ UserVerdict::Proved { .. })) => {
                let fired = self.applied.fired.get(place).filter(|fired| fired.count > 0);
                let has_functions = self.applied.program.facts.functions > 0;
                let idle = if has_functions { "proved; does not fire here" } else { "proved" };
                let does = fired.and_then(Fired::text).unwrap_or_else(|| idle.into());
                let short =
                    fired.map_or("proved".into(), |fired| format!("saves {}", plural(fired.saved, "step")));
                let whole = verdict.reason(rule).map(|reason| format!("{does}; {reason}"));
                return Some((true, whole.into_iter().chain([does, short]).collect()));
            }
            (Ok(rule), verdict) => verdict.as_ref().and_then(|verdict| verdict.reason(rule)),
        };
        // The values alone, if there is no room for the outcomes.
        let short = said.as_ref().and_then(|said| said.split_once(": ")).map(|(values, _)| values.to_string());
        Some((false, said.iter().cloned().chain(short).collect()))
    }
}

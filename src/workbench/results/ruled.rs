//! The code that the proved rules of a text leave, as further passes: rules of expressions change the code as lowered,
//! those of bytecode come after the optimizer.

use std::sync::{Arc, OnceLock};

use crate::compiler::program::Compiled;
use crate::compiler::stage::optimize::{Snapshot, lowered_routines};
use crate::lang::index::TokenId;
use crate::report::listing::{self, Line};
use crate::report::steps::{self, Remark, ReportStep, StepRow};
use crate::testing::rules::{ProgramRules, RuleChange};
use crate::workbench::facts::Pass;
use crate::workbench::listing::Listing;

/// The name of a pass that is a rule.
pub const RULE: &str = "rule";

/// The code of a program after its rules. All rows have tokens of the program as written.
#[derive(Debug)]
pub struct RuledCode {
    base: Arc<Compiled>,
    pub rules: Arc<ProgramRules>,
    forms: OnceLock<Vec<PassForm>>,
}

/// The code after a pass.
#[derive(Debug)]
struct PassForm {
    snapshot: Snapshot,
    /// The program that its tokens belong to.
    program: Arc<Compiled>,
    /// The name and text of a rule, and its effect.
    said: Option<[String; 2]>,
}

impl RuledCode {
    pub fn new(base: Arc<Compiled>, rules: Arc<ProgramRules>) -> RuledCode {
        RuledCode { base, rules, forms: OnceLock::new() }
    }

    /// Returns the lowered code, and the code after each pass that changed it.
    fn forms(&self) -> &[PassForm] {
        self.forms.get_or_init(|| {
            let of = |program: &Arc<Compiled>, change: Option<&RuleChange>| {
                let (ir, routines) = match change {
                    Some(RuleChange { is_window: true, .. }) => {
                        (program.ir.clone(), program.executable.routines.clone())
                    }
                    _ => (program.lowered.clone(), lowered_routines(program)),
                };
                let said = change.map(|change| self.said(change));
                PassForm { snapshot: Snapshot { name: RULE, ir, routines }, program: program.clone(), said }
            };
            let (windows, own): (Vec<_>, Vec<_>) =
                self.rules.applied.changes.iter().partition(|change| change.is_window);
            let last = own.last().map_or(&self.base, |change| &change.program);
            let optimized = steps::snapshots(last).into_iter().skip(1);
            let optimized = optimized.map(|snapshot| PassForm { snapshot, program: last.clone(), said: None });
            let changed = |change: &RuleChange| of(&change.program, Some(change));
            let mut forms = vec![of(&self.base, None)];
            forms.extend(own.into_iter().map(changed));
            forms.extend(optimized);
            forms.extend(windows.into_iter().map(changed));
            forms
        })
    }

    /// Returns the name and the text of a rule that fired, and its effect.
    fn said(&self, change: &RuleChange) -> [String; 2] {
        let line = change.line.and_then(|line| self.rules.lines.get(line));
        let rule = line.map_or("further rules".into(), |line| format!("rule {}: {}", line.number, line.text));
        let effect = change.fired.text().unwrap_or_default();
        [rule, format!("{effect} at level {}", self.base.level.number())]
    }

    /// Returns the token of the program as written for one of another program with the same text.
    fn token(&self, token: TokenId, of: &Compiled) -> Option<TokenId> {
        self.base.view().token_at(of.view().span(token)?.start)
    }

    fn line(&self, line: Line, of: &Compiled) -> Line {
        let own = |token: Option<TokenId>| self.token(token?, of);
        Line { token: own(line.token), site: own(line.site), ..line }
    }

    fn listing(&self, lines: Vec<Line>, of: &Compiled) -> Listing {
        Listing::new(lines.into_iter().map(|line| self.line(line, of)).collect())
    }

    /// Returns the bytecode.
    pub fn bytecode(&self) -> Listing {
        let program = &self.rules.applied.program;
        self.listing(listing::bytecode(program), program)
    }

    /// Returns the optimized IR.
    pub fn ir(&self) -> Listing {
        let program = &self.rules.applied.program;
        self.listing(listing::ir(program, &program.ir), program)
    }

    /// Returns the IR after each pass that changed it.
    pub fn passes(&self) -> Vec<Pass> {
        let forms = self.forms().iter().enumerate().skip(1);
        let pass = |(number, PassForm { snapshot, program, said }): (usize, &PassForm)| {
            let name = said.as_ref().and_then(|[rule, _]| rule.split(':').next()).unwrap_or(snapshot.name);
            let rows = self.listing(listing::ir(program, &snapshot.ir), program);
            Pass { name: format!("{number} {name}"), rows }
        };
        forms.map(pass).collect()
    }

    /// Returns the passes that changed a routine's code.
    pub fn steps(&self, routine: usize) -> Vec<ReportStep> {
        let step = |(number, pair): (usize, &[PassForm])| {
            let [before, after] = pair else { return None };
            let programs = [&*before.program, &*after.program];
            let mut step = steps::step(programs, number, &before.snapshot, &after.snapshot, routine)?;
            if let Some([rule, effect]) = &after.said {
                (step.did, step.summary) = (rule.clone(), effect.clone().into());
            }
            for row in &mut step.rows {
                let of = programs[usize::from(!matches!(row, StepRow::Removed(_)))];
                match row {
                    StepRow::Equal(line) | StepRow::Removed(line) | StepRow::Added(line) => {
                        *line = self.line(line.clone(), of);
                    }
                    StepRow::Reason(_, token) => *token = token.and_then(|token| self.token(token, of)),
                }
            }
            Some(step)
        };
        self.forms().windows(2).enumerate().filter_map(step).collect()
    }

    /// Returns what level 2 does not expand.
    pub fn remarks(&self) -> Vec<Remark> {
        let program = &self.rules.applied.program;
        let remarks = steps::remarks(program).into_iter();
        remarks.filter_map(|own| Some(Remark { token: self.token(own.token, program)?, ..own })).collect()
    }
}

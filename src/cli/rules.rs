//! `myriad rules`: decides the rules of a file, and shows where they fire in a program. `--rules` of other commands.

use std::ffi::OsStr;
use std::fmt::Write;
use std::sync::Arc;

use super::args::{Common, RulesArgs};
use super::exit::{Exit, Failure};
use super::input::{self, InputSource};
use super::{FileReport, each_file, output};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::compile_at;
use crate::engine::choose::Preference;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::visible::visible;
use crate::testing::rules::{Applied, Fired, RuleLine, UserVerdict, WindowEnd, apply, decide_all, read};

/// A file of rules with its verdicts.
pub struct RuleFile {
    source: InputSource,
    lines: Vec<RuleLine>,
    verdicts: Vec<Option<UserVerdict>>,
}

/// Returns the options for programs with rules, which run on the processor.
pub fn on_processor(common: Common, has_rules: bool) -> Common {
    if has_rules { Common { engine: Some(Preference::Cpu), ..common } } else { common }
}

/// Prints a verdict for each rule of a file.
pub fn rules(common: Common, args: &RulesArgs) -> Result<Exit, Failure> {
    each_file(std::slice::from_ref(&args.file), common, |source| {
        let file = RuleFile::decided(source.clone());
        let mut report = FileReport::new(source, &[]);
        let mut applied = None;
        let own = is_program(source).then_some(&args.file);
        if let Some(path) = args.program.as_ref().or(own) {
            let source = input::read(path)?;
            let program = Arc::new(compile_at(common.level(), &source.text));
            let found = FileReport::new(&source, &diagnostics(&program));
            report.findings.push_str(&found.findings);
            report.complaints.extend(found.complaints);
            report.exit = report.exit.max(found.exit);
            if report.exit == Exit::Good {
                applied = file.apply(&program, &|| false).map(|applied| (source, applied));
            }
        }
        let open = file.open();
        if open > 0 {
            let (all, name) = (file.lines.len(), source.shown());
            let what = if all == 1 { "the rule".into() } else { format!("{open} of {all} rules") };
            let verb = if open == 1 { "is" } else { "are" };
            let message = format!("{what} of {name} {verb} not proved");
            report.add_failure(message, "a rule that is not proved does not fire");
        }
        let own = applied.as_ref().map(|(_, applied)| applied);
        let mut text = file.page(own);
        let mut document = Object::new().list("rules", file.rows(own));
        if let Some((program, applied)) = &applied {
            let _ = write!(text, "{}: {}", program.shown(), file.summary(applied));
            document = document.field("program", &program.name).field("steps", applied.steps);
        }
        report.complete(document, Some(text), None);
        Ok(report)
    })
}

impl RuleFile {
    /// Reads and decides the rules of a file for another command. Notes name those that do not fire.
    pub fn read(path: &OsStr) -> Result<RuleFile, Failure> {
        let file = RuleFile::decided(input::read(path)?);
        for (line, verdict) in file.lines.iter().zip(&file.verdicts) {
            let why = match (&line.rule, verdict) {
                (Err(error), _) => error.message.clone(),
                (_, Some(UserVerdict::Proved { .. })) => continue,
                _ => "it is not proved".into(),
            };
            let name = file.source.shown();
            output::print_error(&format!(
                "note: the rule in line {} of {name} does not fire: {}\n",
                line.number,
                visible(&why)
            ));
        }
        Ok(file)
    }

    fn decided(source: InputSource) -> RuleFile {
        let lines = read(&source.text, is_program(&source));
        // Without a reason to cancel, all are decided.
        let verdicts = decide_all(&lines, &|| false).unwrap_or_else(|| vec![None; lines.len()]);
        RuleFile { source, lines, verdicts }
    }

    /// The number of rules that are not proved.
    fn open(&self) -> usize {
        self.verdicts.iter().filter(|verdict| !matches!(verdict, Some(UserVerdict::Proved { .. }))).count()
    }

    /// Applies the proved rules to a program. Returns `None` if cancelled.
    pub fn apply(&self, program: &Arc<Compiled>, watch: &dyn Watch) -> Option<Applied> {
        apply(program, &self.lines, &self.verdicts, watch)
    }

    /// Writes a line for each rule, with its reasons and its places in a program.
    fn page(&self, applied: Option<&Applied>) -> String {
        let mut page = String::new();
        for (place, line) in self.lines.iter().enumerate() {
            let (verdict, notes) = self.verdict(place);
            let _ = writeln!(page, "{verdict:<8} {}: {}", line.number, visible(&line.text));
            let fired = applied.and_then(|applied| applied.fired.get(place));
            for note in notes.into_iter().chain(fired.and_then(Fired::text)) {
                let _ = writeln!(page, "         {}", visible(&note));
            }
        }
        page
    }

    /// The verdict on a rule, and its reasons as clauses.
    fn verdict(&self, place: usize) -> (&'static str, Vec<String>) {
        match (&self.lines[place].rule, &self.verdicts[place]) {
            (Err(error), _) => ("error", vec![format!("column {}: {}", error.column, error.message)]),
            (Ok(rule), Some(verdict)) => (ident(verdict), verdict.reason(rule).into_iter().collect()),
            (Ok(_), None) => ("unknown", Vec::new()),
        }
    }

    fn rows(&self, applied: Option<&Applied>) -> Vec<Object> {
        let row = |(place, line): (usize, &RuleLine)| {
            let row = Object::new().field("line", line.number).field("rule", &line.text);
            let (verdict, notes) = self.verdict(place);
            let mut row = row.field("verdict", verdict).option("reason", notes.into_iter().next());
            if let Err(error) = &line.rule {
                row = row.field("column", error.column);
            }
            if let Some(UserVerdict::Differs(Some(found))) = &self.verdicts[place] {
                let value = |(name, value): &(char, _)| Object::new().field(&name.to_string(), value);
                let values = found.values.iter().map(value).fold(Object::new(), Object::join);
                row = row.field("counterexample", values).field("outcomes", &found.outcomes);
            }
            if let Some(UserVerdict::WindowsDiffer(found)) = &self.verdicts[place] {
                let values = named(&found.values).list("stack", &found.stack);
                row = row.field("counterexample", values).list("outcomes", found.ends.iter().map(end_row));
            }
            match applied.and_then(|applied| applied.fired.get(place)) {
                Some(fired) => row.join(fired_row(fired)),
                None => row,
            }
        };
        self.lines.iter().enumerate().map(row).collect()
    }

    /// Returns the effect on a program as a line.
    pub fn summary(&self, applied: &Applied) -> String {
        applied.effect(&format!("the rules of {}", self.source.shown())) + "\n"
    }

    /// Returns the effect on a program for a document.
    pub fn document(&self, applied: &Applied) -> Object {
        let row = |(line, fired): (&RuleLine, &Fired)| {
            Object::new().field("line", line.number).join(fired_row(fired))
        };
        let fired = self.lines.iter().zip(&applied.fired).filter(|(_, fired)| fired.count > 0);
        Object::new()
            .field("file", &self.source.name)
            .field("steps", applied.steps)
            .list("fired", fired.map(row))
    }
}

/// Returns whether a file is a program, whose rules are in comments.
fn is_program(source: &InputSource) -> bool {
    source.path().extension().is_some_and(|extension| extension == "myr")
}

fn ident(verdict: &UserVerdict) -> &'static str {
    match verdict {
        UserVerdict::Proved { .. } => "proved",
        UserVerdict::Differs(_) | UserVerdict::WindowsDiffer(_) => "differs",
        UserVerdict::Unknown(_) => "unknown",
    }
}

fn named(values: &[(&str, i32)]) -> Object {
    values.iter().fold(Object::new(), |object, (name, value)| object.field(name, value))
}

fn end_row(end: &WindowEnd) -> Object {
    match end {
        WindowEnd::Trap(trap, number) => Object::new().field("trap", trap.ident()).field("instruction", number),
        WindowEnd::Values { stack, variables, jumps } => {
            named(variables).list("stack", stack).option("jumps", *jumps)
        }
    }
}

fn fired_row(fired: &Fired) -> Object {
    let place = |(line, column): &(u32, u32)| Object::new().field("line", line).field("column", column);
    let row = Object::new().field("fired", fired.count).list("places", fired.places.iter().map(place));
    row.field("saved", fired.saved)
}

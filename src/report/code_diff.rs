//! Differences between the code of a mutant and that of its base: the instructions of the changed functions, as
//! a diff.

use std::sync::Arc;

use similar::{ChangeTag, TextDiff};

use super::listing::{self, Line};
use crate::compiler::program::Compiled;
use crate::compiler::stage::Compiler;
use crate::compiler::variants::Variants;
use crate::lang::index::{MutantId, RoutineId};

/// Number of equal instructions shown around a difference.
const AROUND: usize = 2;

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// The function or entry that begins here, as in the source.
    Heading(String),
    Equal(String),
    Removed(String),
    Added(String),
    /// Equal instructions that are omitted.
    Gap,
}

/// How a mutant's code differs from its base's. A form without differences is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeDiff {
    /// The optimized intermediate code.
    pub ir: Vec<Row>,
    pub bytecode: Vec<Row>,
}

impl CodeDiff {
    /// Compares the mutant with this id; returns `None` if it does not exist or does not compile.
    pub fn of(variants: &Variants<Arc<Compiled>>, id: MutantId) -> Option<CodeDiff> {
        let base = variants.program();
        let changes = variants.describe(id).filter(|mutant| !mutant.overlaps())?.changes;
        let text: Arc<str> = variants.source(id)?.into();
        let mut compiler = Compiler::default();
        compiler.compile(&text);
        let mutant = compiler.compiles().then(|| compiler.compiled(&text))?;
        let functions: Vec<RoutineId> = base
            .functions()
            .iter()
            .filter(|function| {
                let extent = base.executable.routine(*function).map(|own| base.view().extent(own.head()));
                extent.is_some_and(|extent| changes.iter().any(|change| extent.contains(change.site)))
            })
            .collect();
        let both = |lines: fn(&Compiled) -> Vec<Line>| {
            let [own, others] = [base, &mutant].map(|program| (program, lines(program)));
            functions.iter().flat_map(|function| difference(*function, &own, &others)).collect()
        };
        Some(CodeDiff {
            ir: both(|program| listing::ir(program, &program.ir)),
            bytecode: both(listing::bytecode),
        })
    }
}

/// Returns the diff of a function in two listings.
fn difference(function: RoutineId, base: &(&Compiled, Vec<Line>), mutant: &(&Compiled, Vec<Line>)) -> Vec<Row> {
    let [own, others] = [base, mutant].map(|(program, lines)| -> Vec<&Line> {
        let extent = program.executable.routine(function).map(|own| program.view().extent(own.head()));
        let inside =
            |line: &&Line| extent.zip(line.token).is_some_and(|(extent, token)| extent.contains(token));
        lines.iter().filter(inside).collect()
    });
    let [before, after] =
        [&own, &others].map(|lines| lines.iter().map(|line| format_line(line)).collect::<Vec<_>>());
    let [old, new] = [&before, &after].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
    let diff = TextDiff::configure().diff_slices(&old, &new);
    let groups = diff.grouped_ops(AROUND);
    let mut rows: Vec<Row> = own
        .first()
        .filter(|_| !groups.is_empty())
        .and_then(|line| line.heading.clone())
        .map(Row::Heading)
        .into_iter()
        .collect();
    let mut first = true;
    for group in groups {
        if !std::mem::take(&mut first) {
            rows.push(Row::Gap);
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let at = |lines: &[&Line], index: Option<usize>| {
                let at = index.and_then(|index| lines.get(index)).map_or(0, |line| line.at);
                format!("{at:>5}  {}", change.value())
            };
            rows.push(match change.tag() {
                ChangeTag::Equal => Row::Equal(at(&own, change.old_index())),
                ChangeTag::Delete => Row::Removed(at(&own, change.old_index())),
                ChangeTag::Insert => Row::Added(at(&others, change.new_index())),
            });
        }
    }
    rows
}

/// Formats an instruction without its position.
fn format_line(line: &Line) -> String {
    format!("{:<21} {}", line.op, line.operands).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::engine::cpu::CpuEngine;
    use crate::lang::index::Index;

    #[test]
    fn changed_operator_appears_in_ir_and_bytecode_diffs() {
        let text = "fn f(n: int) -> int { return n + 2; } fn g(n: int) -> int { return f(n); } test g(1) == 3;";
        let base =
            CpuEngine::with_threads(1).base(&text.into(), &|| false).expect("the CPU engine does not fail");
        let variants = Variants::new(base.compiled);
        let of = |old: &str, new: &str| {
            let is_it = |id: &MutantId| {
                let told = variants.describe(*id).expect("a mutant");
                (&*told.original, &*told.replacement) == (old, new)
            };
            let id = MutantId::all().find(is_it).expect("such a mutant");
            CodeDiff::of(&variants, id).expect("it compiles")
        };
        let minus = of("+", "-");
        for rows in [&minus.ir, &minus.bytecode] {
            assert_eq!(rows[0], Row::Heading("fn f".into()));
            let changed = |row: &&Row| matches!(row, Row::Removed(_) | Row::Added(_));
            let changed: Vec<&Row> = rows.iter().filter(changed).collect();
            assert_eq!(changed.len(), 2, "{rows:?}");
            assert!(matches!(changed[0], Row::Removed(text) if text.contains("BINARY_ADD")), "{rows:?}");
            assert!(matches!(changed[1], Row::Added(text) if text.contains("BINARY_SUB")), "{rows:?}");
        }
        // A function that only calls the changed one is not shown.
        assert!(!minus.ir.contains(&Row::Heading("fn g".into())));
    }
}

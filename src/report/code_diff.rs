//! Differences between the code of a mutant and that of its base: the instructions of the changed functions, as
//! a diff.

use std::sync::Arc;

use super::align::{Aligned, align, changes};
use super::listing::{self, Line};
use crate::compiler::program::Compiled;
use crate::compiler::stage::compile_at;
use crate::compiler::variants::Variants;
use crate::lang::index::{MutantId, RoutineId};

/// Number of equal instructions shown around a difference.
const AROUND: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeDiffRow {
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
    pub ir: Vec<CodeDiffRow>,
    pub bytecode: Vec<CodeDiffRow>,
}

impl CodeDiff {
    /// Compares the mutant with this id; returns `None` if it does not exist or does not compile.
    pub fn of(variants: &Variants<Arc<Compiled>>, id: MutantId) -> Option<CodeDiff> {
        let base = variants.program();
        let changes = variants.describe(id)?.changes;
        let mutant = own_program(variants, id).filter(|mutant| mutant.facts.compiles())?;
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

/// Compiles a mutant's own text at its base's level, with or without errors; returns `None` if it does not exist or its
/// edits overlap.
pub fn own_program(variants: &Variants<Arc<Compiled>>, id: MutantId) -> Option<Compiled> {
    variants.describe(id).filter(|mutant| !mutant.overlaps())?;
    let text: Arc<str> = variants.source(id)?.into();
    Some(compile_at(variants.program().level, &text))
}

/// Returns the diff of a function in two listings.
fn difference(
    function: RoutineId,
    base: &(&Compiled, Vec<Line>),
    mutant: &(&Compiled, Vec<Line>),
) -> Vec<CodeDiffRow> {
    let [own, others] = [base, mutant].map(|(program, lines)| -> Vec<&Line> {
        let extent = program.executable.routine(function).map(|own| program.view().extent(own.head()));
        let inside =
            |line: &&Line| extent.zip(line.token).is_some_and(|(extent, token)| extent.contains(token));
        lines.iter().filter(inside).collect()
    });
    let compared = |lines: &[&Line]| lines.iter().map(|line| line.comparable()).collect::<Vec<_>>();
    let changes = changes(&align(&compared(&own), &compared(&others)), AROUND);
    let heading = own.first().filter(|_| !changes.is_empty()).and_then(|line| line.heading.clone());
    let row = |change: Option<Aligned>| match change {
        Some(Aligned::Equal(one, _)) => CodeDiffRow::Equal(format_line(own[one])),
        Some(Aligned::Removed(one)) => CodeDiffRow::Removed(format_line(own[one])),
        Some(Aligned::Added(other)) => CodeDiffRow::Added(format_line(others[other])),
        None => CodeDiffRow::Gap,
    };
    heading.map(CodeDiffRow::Heading).into_iter().chain(changes.into_iter().map(row)).collect()
}

/// Formats an instruction with its address in its own program.
fn format_line(line: &Line) -> String {
    format!("{:>5}  {:<21} {}", line.at, line.op, line.operands).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::index::Index;
    use engine::Engine;
    use engine::cpu::CpuEngine;

    #[test]
    fn changed_operator_appears_in_ir_and_bytecode_diffs() {
        let text = "fn f(n: int) -> int { if n > 9 { return 0; } return n + 2; }\
            fn g(n: int) -> int { return f(n); } test g(1) == 3;";
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
            assert_eq!(rows[0], CodeDiffRow::Heading("fn f".into()));
            let changed = |row: &&CodeDiffRow| matches!(row, CodeDiffRow::Removed(_) | CodeDiffRow::Added(_));
            let changed: Vec<&CodeDiffRow> = rows.iter().filter(changed).collect();
            assert_eq!(changed.len(), 2, "{rows:?}");
            assert!(
                matches!(changed[0], CodeDiffRow::Removed(text) if text.contains("BINARY_ADD")),
                "{rows:?}"
            );
            assert!(matches!(changed[1], CodeDiffRow::Added(text) if text.contains("BINARY_SUB")), "{rows:?}");
        }
        // An inserted instruction moves the jumps after it, and changes none of them.
        let negated = of("n", "-n");
        let changed: Vec<&CodeDiffRow> = negated
            .bytecode
            .iter()
            .filter(|row| matches!(row, CodeDiffRow::Removed(_) | CodeDiffRow::Added(_)))
            .collect();
        assert!(matches!(changed[..], [CodeDiffRow::Added(text)] if text.contains("UNARY_NEG")), "{negated:?}");
        // A function that only calls the changed one is not shown.
        assert!(!minus.ir.contains(&CodeDiffRow::Heading("fn g".into())));
    }
}

//! The rows of the listed mutants.

use rayon::prelude::*;
use serde::Serialize;

use super::difference::difference;
use super::judge::{Filter, Judged};
use crate::cli::args::{Format, MutateArgs};
use crate::cli::matrix::MatrixReport;
use crate::cli::why::WhyDocument;
use crate::compiler::stage::mutate::unrank_pair;
use crate::compiler::variants::{Description, VariantChange};
use crate::lang::index::{EditId, EntryId, Index, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::report::document::{self, Span};
use crate::report::mutants::Tally;
use crate::report::places::Lines;
use crate::report::visible::on_one_line;
use crate::testing::equivalence::Equality;

/// Number of mutants that one task formats.
const ROWS: usize = 64;

#[derive(Serialize)]
pub struct Mutant {
    pub id: MutantId,
    pub operator: String,
    #[serde(flatten)]
    pub span: Span,
    pub original: String,
    pub replacement: String,
    pub status: &'static str,
    #[serde(skip)]
    pub verdict: MutantStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<[EntryId; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noticed_by: Option<Vec<EntryId>>,
    /// For a duplicate: the mutant with the same bytecode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<MutantId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<[EditId; 2]>,
    /// The reason that a comment states for ignoring it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
    #[serde(flatten)]
    pub why: Option<WhyDocument>,
    /// The proof that a survivor equals the program or another survivor, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// With `--prove`: the input on which a survivor differs, or why no proof was found, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unproved: Option<String>,
    /// With `--prove`: a test that passes on the program and notices the survivor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killing_test: Option<String>,
    /// Its changed lines, before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Its changes, for text output; two for a second-order mutant. Empty in JSON output.
    #[serde(skip)]
    pub changes: Vec<Shown>,
}

/// A change, for text output.
pub struct Shown {
    pub line: u32,
    pub column: u32,
    pub operator: &'static str,
    pub original: String,
    pub replacement: String,
}

/// Formats the listed mutants of a file.
pub struct Printer<'a> {
    pub args: &'a MutateArgs,
    pub filter: &'a Filter<'a>,
    pub judged: &'a Judged,
    pub noticed: Option<&'a MatrixReport>,
    /// Indexed by id.
    pub why: &'a [Option<WhyDocument>],
}

/// The listed mutants among consecutive ids.
pub struct Stretch {
    pub tally: Tally,
    /// Their rows as JSON, separated by commas. Empty in text output.
    pub document: String,
    /// Empty if only the document is needed: the texts of the rows take as much memory as the document.
    pub rows: Vec<Mutant>,
}

impl Printer<'_> {
    /// Formats all listed mutants, in order of their ids.
    pub fn stretches(&self, format: Format) -> Vec<Stretch> {
        let (first, lines) = (self.judged.own.start().position(), Lines::new(self.filter.variants.text()));
        let shown = self.judged.shown.get(first..).unwrap_or(&[]);
        let first_order = self.filter.variants.first_order();
        let stretch = |(place, verdicts): (usize, &[Verdict])| {
            let ids = MutantId::all().skip(first + place * ROWS);
            let row = |(id, verdict)| self.row(id, verdict, &lines, format);
            let rows: Vec<Mutant> = ids.zip(verdicts).filter_map(row).collect();
            let document = if format == Format::Json { document::json_rows(&rows) } else { String::new() };
            let tally = Tally::of(first_order, rows.iter().map(|row| (row.id, row.verdict)));
            let kept = format == Format::Text || !self.args.report.is_empty();
            Stretch { tally, document, rows: if kept { rows } else { Vec::new() } }
        };
        shown.par_chunks(ROWS).enumerate().map(stretch).collect()
    }

    /// Returns the row of a mutant, or `None` if it is not listed.
    fn row(&self, id: MutantId, verdict: &Verdict, lines: &Lines, format: Format) -> Option<Mutant> {
        let Printer { args, filter, judged, noticed, why } = *self;
        let variant = filter.variants.describe(id).filter(|_| filter.shows(id))?;
        let in_full = args.list || verdict.status == MutantStatus::Survived;
        let original = judged.counted.get(id.position()).and_then(|counted| counted.original);
        let noticed_by = noticed.and_then(|noticed| noticed.by(id).or_else(|| noticed.by(original?)));
        let noticed_by = noticed_by.filter(|_| verdict.status != MutantStatus::Duplicate);
        let rule = (verdict.status == MutantStatus::Ignored).then(|| filter.ignored.rule(&filter.variants, id));
        let ignored = rule.flatten().map(|rule| rule.reason.clone());
        let diff = (args.diff && in_full).then(|| difference(&filter.variants, id));
        let why = why.get(id.position()).cloned().flatten();
        let outside = matches!(verdict.status, MutantStatus::Equivalent | MutantStatus::Duplicate);
        let proof = judged.equal.get(&id).filter(|_| outside).map(Equality::text);
        let in_text = format == Format::Text && (in_full || args.prove && proof.is_some());
        let changes = if in_text { shown(&variant, lines, filter.variants.text()) } else { Vec::new() };
        let open = judged.open.get(&id).cloned();
        let (unproved, killing_test) = open.map(|open| (open.text, open.test)).unzip();
        let killing_test = killing_test.flatten();
        let row = row(id, variant, verdict, filter.variants.first_order(), lines);
        Some(Mutant { noticed_by, ignored, proof, unproved, killing_test, diff, changes, why, ..row })
    }
}

/// Returns the changes of a variant for text output.
fn shown(variant: &Description, lines: &Lines, text: &str) -> Vec<Shown> {
    let shown = |change: &VariantChange| {
        let place = lines.place(change.lo);
        Shown {
            line: place.line,
            column: place.column,
            operator: change.operator.name(),
            original: on_a_line(text.get(change.lo..change.hi).unwrap_or("")),
            replacement: on_a_line(&change.replacement),
        }
    };
    variant.changes.iter().map(shown).collect()
}

fn row(id: MutantId, variant: Description, verdict: &Verdict, first_order: u32, lines: &Lines) -> Mutant {
    Mutant {
        id,
        operator: variant.operator(),
        span: Span::new(lines.place(variant.lo), lines.place(variant.hi)),
        original: variant.original,
        replacement: variant.replacement,
        status: verdict.status.name(),
        verdict: verdict.status,
        killed_by: verdict.killer.map(|killer| [killer]),
        noticed_by: None,
        copy_of: verdict.original.filter(|_| verdict.status == MutantStatus::Duplicate),
        pair: unrank_pair(first_order, id).map(|(first, second)| [first, second]),
        why: None,
        ignored: None,
        proof: None,
        unproved: None,
        killing_test: None,
        diff: None,
        changes: Vec::new(),
    }
}

/// Puts a piece of source on one line; long text is cut.
fn on_a_line(text: &str) -> String {
    const LONGEST: usize = 40;
    let line = on_one_line(text);
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clap::Parser;

    use super::super::allocations::counted;
    use super::*;
    use crate::cli::args::{Args, Command};
    use crate::cli::mutate::judge::BUDGET;
    use crate::engine::Engine;
    use crate::engine::cpu::CpuEngine;
    use crate::lang::index::Indices;
    use crate::lang::mutation::Operator;
    use crate::lang::samples;

    /// A document must cost little compared with judging its mutants. A test that runs next to others cannot bound
    /// time, so it counts what takes the time: allocations per row, and bytes allocated per byte of the document.
    #[test]
    fn rows_of_a_document_take_few_allocations() {
        let args = Args::try_parse_from(["myriad", "mutate", "gcd.myr", "--order", "2"]).expect("a call");
        let Some(Command::Mutate(args)) = args.command else { panic!("another command") };
        let text: Arc<str> = samples::named("gcd.myr").expect("a sample").text.into();
        let mut engine = CpuEngine::with_threads(1);
        let base = engine.base(&text, &|| false).expect("a base");
        let filter = Filter::new(base.compiled.clone(), Operator::ALL, None);
        let mut verdicts = Vec::new();
        engine
            .mutants(Indices::first(BUDGET), &|| false, &mut |part| verdicts.extend(part.verdicts))
            .expect("verdicts");
        let judged = Judged {
            own: Indices::first(BUDGET),
            counted: verdicts.clone(),
            shown: verdicts,
            equal: Default::default(),
            open: Default::default(),
            proved: 0,
            unproved: 0,
        };
        let printer = Printer { args: &args, filter: &filter, judged: &judged, noticed: None, why: &[] };
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        let (stretches, made) = alone.install(|| counted(|| printer.stretches(Format::Json)));
        let document: usize = stretches.iter().map(|stretch| stretch.document.len()).sum();
        assert!(document > 500_000, "{document} bytes");
        println!("{made:?} for {BUDGET} rows and {document} bytes");
        assert!(made.count < 12 * u64::from(BUDGET), "{made:?} for {BUDGET} rows");
        assert!(made.bytes < 6 * document as u64, "{made:?} for {document} bytes");
    }
}

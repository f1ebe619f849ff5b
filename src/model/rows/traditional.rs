//! Equations 1 and 2: the traditional path.

use super::super::measured::Measured;
use super::super::table::{Row, Section, contradiction};
use super::super::{formula, paper};
use crate::engine::Kind;
use crate::report::quantity::Unit;

pub fn sections(m: &Measured) -> Vec<Section> {
    vec![single(m), parallel(m)]
}

fn single(m: &Measured) -> Section {
    let phases: Vec<f64> = m.compile_stages().map(|(_, stat)| stat.median).collect();
    let stages = m
        .compile_stages()
        .map(|(stage, stat)| Row::new(format!("T_{}", stage.name()), Unit::Milliseconds).measured(stat));
    let paper = paper::Range::of(paper::GPU_COMPILE);
    Section::equation(1, "one program, traditionally", "T = Σ T_i(n)")
        .rows(stages)
        .row(
            Row::new("T_trad, one program", Unit::Milliseconds)
                .paper(paper)
                .modelled(formula::single(&phases))
                .measured(m.traditional.single)
                .note(format!("{} bytes", m.subject.bytes)),
        )
        .row(
            Row::new("with its tests", Unit::Milliseconds)
                .measured(m.traditional.tested)
                .note(format!("{} tests and properties", m.subject.tests)),
        )
        .finding(contradiction("One program", Unit::Milliseconds, paper, m.traditional.single.median))
}

fn parallel(m: &Measured) -> Section {
    let single = m.traditional.single.median;
    let section = Section::equation(2, "k programs, traditionally", "T = max_i Σ_j T_j(n_i)  for k ≤ P");
    let cores = match m.subject.kind {
        Kind::Cpu => format!("P = {:.0} threads", m.subject.cores),
        Kind::Gpu => format!("P = {:.0} in effect", m.subject.cores),
    };
    let rows = m.traditional.batches.iter().map(|batch| {
        let k = f64::from(batch.k);
        let row = Row::new(format!("compile {}", batch.k), Unit::Milliseconds);
        let row = if batch.k > 1 { row.paper(paper::Range::of(paper::GPU_COMPILE)) } else { row };
        row.modelled(formula::parallel(&[single], k, m.subject.cores)).measured(batch.compile)
    });
    let rows: Vec<Row> = rows.collect();
    let section = section.rows(rows);
    let Some(last) = m.largest() else { return section };
    let k = f64::from(last.k);
    let modelled = formula::parallel(&[single], k, m.subject.cores);
    let sentence = (modelled > 1.5 * last.compile.median).then(|| {
        format!(
            "A batch of {} takes {} where the formula says {}: a mutant is not compiled from its first character, but from the \
             tokens of its base, and only where it differs.",
            last.k,
            Unit::Milliseconds.show(last.compile.median),
            Unit::Milliseconds.show(modelled)
        )
    });
    section
        .row(
            Row::new(format!("speedup over one by one, k = {}", last.k), Unit::Times)
                .paper(paper::SPEEDUP_TRADITIONAL)
                .modelled(k * single / modelled)
                .measured_once(k * single / last.compile.median)
                .note(cores),
        )
        .finding(contradiction(
            "The speedup of a batch",
            Unit::Times,
            paper::SPEEDUP_TRADITIONAL,
            k * single / last.compile.median,
        ))
        .finding(sentence)
}

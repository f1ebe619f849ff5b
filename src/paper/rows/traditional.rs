//! Equations 1 and 2: the traditional path.

use super::super::measured::{Measured, Size};
use super::super::table::{Row, Section, contradiction, count};
use super::super::{formula, quoted};
use crate::engine::Kind;
use crate::measure::quantity::{Unit, digits};
use crate::measure::stat::{Power, Stat};
use crate::stage::Stage;

pub fn sections(m: &Measured) -> Vec<Section> {
    vec![single(m), parallel(m)]
}

fn single(m: &Measured) -> Section {
    let phases: Vec<f64> = m.compile_stages().map(|(_, stat)| stat.median).collect();
    let stages = m
        .compile_stages()
        .map(|(stage, stat)| Row::new(format!("T_{}", stage.name()), Unit::Milliseconds).measured(stat));
    let paper = quoted::Range::of(quoted::GPU_COMPILE);
    Section::equation(1)
        .rows(stages)
        .row(
            Row::new("T_trad, one program", Unit::Milliseconds)
                .paper(paper)
                .modelled(formula::single(&phases))
                .measured(m.traditional.single)
                .note(format!("{} bytes", count(m.subject.bytes))),
        )
        .row(
            Row::new("with its tests", Unit::Milliseconds)
                .measured(m.traditional.tested)
                .note(format!("{} tests and properties", m.subject.tests)),
        )
        .rows(growth(m))
        .finding(contradiction("One program", Unit::Milliseconds, paper, m.traditional.single.median))
}

/// T(n) over n: times of longer and longer texts, and by what power of n they grow.
fn growth(m: &Measured) -> Vec<Row> {
    let sizes = &m.traditional.sizes;
    let of = |size: &Size| {
        let times = if size.times == 1 { "the program".into() } else { format!("{} times over", size.times) };
        Row::new(format!("T, n = {} bytes", count(size.bytes)), Unit::Milliseconds)
            .measured(size.whole)
            .note(times)
    };
    let mut rows: Vec<Row> = sizes.iter().map(of).collect();
    let power = |time: &dyn Fn(&Size) -> Stat| {
        Power::through(&sizes.iter().map(|size| (f64::from(size.bytes), time(size).median)).collect::<Vec<_>>())
    };
    let exponent = |name: &str, power: Option<Power>| {
        let row = Row::new(name, Unit::Count);
        match power {
            Some(power) => row.fitted(power),
            None => row.note("too few lengths to fit one"),
        }
    };
    let stage = |stage: Stage| power(&|size: &Size| size.stages[stage as usize]);
    rows.push(exponent("exponent of n, T", power(&|size| size.whole)).note(
        "least squares on logarithms, with its standard error; longer texts hold the program's declarations again under other names, so there are more functions and none \
         is longer",
    ));
    rows.push(exponent("exponent of n, parse", stage(Stage::Parse)).paper_says(quoted::PARSE_GROWS));
    rows.push(exponent("exponent of n, optimize", stage(Stage::Optimize)).paper_says(quoted::OPTIMIZE_GROWS));
    rows
}

fn parallel(m: &Measured) -> Section {
    let single = m.traditional.single.median;
    let section = Section::equation(2);
    let cores = match (m.subject.kind, m.subject.fitted) {
        (Kind::Cpu, _) => format!("P = {} threads", digits(m.subject.cores)),
        (Kind::Gpu, Some(k)) => {
            format!("P = {} in effect, fitted to the batch of {}", digits(m.subject.cores), count(k))
        }
        (Kind::Gpu, None) => "P is not known".into(),
    };
    // What P is fitted to, the formula gives back.
    let tested = |row: Row, k: u32| match m.subject.fitted == Some(k) {
        true => row.identity("P is fitted to this batch"),
        false => row,
    };
    let rows = m.traditional.batches.iter().map(|batch| {
        let k = f64::from(batch.k);
        let row = Row::new(format!("compile {}", count(batch.k)), Unit::Milliseconds);
        let row = if batch.k > 1 { row.paper(quoted::Range::of(quoted::GPU_COMPILE)) } else { row };
        let row = row.modelled(formula::parallel(&[single], k, m.subject.cores)).measured(batch.compile);
        tested(row, batch.k)
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
            count(last.k),
            Unit::Milliseconds.show(last.compile.median),
            Unit::Milliseconds.show(modelled)
        )
    });
    let speedup = Row::new(format!("compile 1 × {0} / compile {0}", count(last.k)), Unit::Times)
        .paper(quoted::SPEEDUP_TRADITIONAL)
        .modelled(k * single / modelled)
        .measured_once(k * single / last.compile.median)
        .note(cores);
    section
        .row(tested(speedup, last.k))
        .finding(contradiction(
            "The speedup of a batch",
            Unit::Times,
            quoted::SPEEDUP_TRADITIONAL,
            k * single / last.compile.median,
        ))
        .finding(sentence)
}

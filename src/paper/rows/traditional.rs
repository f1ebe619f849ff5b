//! Equations 1 and 2: the traditional path.

use super::super::measured::{Measured, MeasuredSize};
use super::super::table::{Row, Section, contradiction, count};
use super::super::{formula, quoted};
use crate::compiler::stage::Stage;
use crate::engine::Kind;
use crate::host::measure::quantity::{Unit, digits};
use crate::host::measure::stat::{Power, Stat};

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

/// Returns T(n) for texts of increasing length, and the exponents of its growth.
fn growth(m: &Measured) -> Vec<Row> {
    let sizes = &m.traditional.sizes;
    let of = |size: &MeasuredSize| {
        let times = if size.times == 1 { "the program".into() } else { format!("{} times over", size.times) };
        Row::new(format!("T, n = {} bytes", count(size.bytes)), Unit::Milliseconds)
            .measured(size.whole)
            .note(times)
    };
    let mut rows: Vec<Row> = sizes.iter().map(of).collect();
    let power = |time: &dyn Fn(&MeasuredSize) -> Stat| {
        Power::through(&sizes.iter().map(|size| (f64::from(size.bytes), time(size).median)).collect::<Vec<_>>())
    };
    let exponent = |name: &str, power: Option<Power>| {
        let row = Row::new(name, Unit::Count);
        match power {
            Some(power) => row.fitted(power),
            None => row.note("too few lengths to fit one"),
        }
    };
    let stage = |stage: Stage| power(&|size: &MeasuredSize| size.stages[stage as usize]);
    rows.push(exponent("exponent of n, T", power(&|size| size.whole)).note(
        "least squares on logarithms, with its standard error; longer texts repeat the program's declarations under other names: more functions, none of them \
         longer",
    ));
    rows.push(exponent("exponent of n, parse", stage(Stage::Parse)).paper_says(quoted::PARSE_GROWS));
    rows.push(exponent("exponent of n, optimize", stage(Stage::Optimize)).paper_says(quoted::OPTIMIZE_GROWS));
    rows
}

fn parallel(m: &Measured) -> Section {
    let section = Section::equation(2);
    let cores = match (m.subject.kind, m.subject.fitted) {
        (Kind::Cpu, _) => format!("P = {} threads", digits(m.subject.cores)),
        (Kind::Gpu, Some(k)) => {
            format!("P = {} in effect, fitted to the batch of {}", digits(m.subject.cores), count(k))
        }
        (Kind::Gpu, None) => "P is not known".into(),
    };
    let rows = m.traditional.batches.iter().map(|batch| {
        let row = Row::new(compile(batch.k), Unit::Milliseconds);
        let row = row.modelled(modelled(m, batch.k)).measured(batch.compile);
        // If there are more cores in effect than programs, the formula is just the time of one program.
        match m.subject.fitted == Some(batch.k) && m.subject.cores <= batch.k.into() {
            true => row.identity("P is fitted to this batch"),
            false => row,
        }
    });
    let rows: Vec<Row> = rows.collect();
    let section = section.rows(rows);
    let Some(last) = m.largest() else { return section };
    let sentence = (modelled(m, last.k) > 1.5 * last.compile.median).then(|| {
        format!(
            "A batch of {} takes {} where the formula says {}: a mutant is not compiled from its first character, but from the \
             tokens of its base, and only where it differs.",
            count(last.k),
            Unit::Milliseconds.show(last.compile.median),
            Unit::Milliseconds.show(modelled(m, last.k))
        )
    });
    // Both numbers are from rows above.
    let speedup = (last.k > 1).then(|| {
        let (k, single) = (f64::from(last.k), m.traditional.single.median);
        Row::new(format!("T_trad × {} / {}", count(last.k), compile(last.k)), Unit::Times)
            .modelled(k * single / modelled(m, last.k))
            .measured_once(k * single / last.compile.median)
            .note(format!("{cores}; T_trad as measured in (1)"))
    });
    section.rows(speedup).finding(sentence)
}

/// Returns the name of a batch's row.
fn compile(k: u32) -> String {
    format!("compile {}", count(k))
}

/// Returns equation 2 for a batch, from the time of one program.
fn modelled(m: &Measured, k: u32) -> f64 {
    let (single, cores) = (m.traditional.single.median, m.subject.cores);
    match m.subject.fitted {
        Some(_) => formula::parallel_in_effect(single, k.into(), cores),
        None => formula::parallel(&[single], k.into(), cores),
    }
}

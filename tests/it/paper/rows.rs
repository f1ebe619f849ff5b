//! The sections of a fictitious machine.

use super::machine::{measured, with_hybrid};
use myriad::engine::Kind;
use myriad::host::measure::energy::{Energy, EnergySource};
use myriad::host::measure::origin::Origin;
use myriad::host::measure::quantity::Unit;
use myriad::paper::levers::{Lever, Levers};
use myriad::paper::measured::{Loop, Measured, Sweeps};
use myriad::paper::quotations::QUOTATIONS;
use myriad::paper::rows::live::{self, LocalFigures};
use myriad::paper::rows::sections;
use myriad::paper::table::{PaperValue, Row, Section};

fn find<'a>(sections: &'a [Section], ident: &str) -> &'a Section {
    sections.iter().find(|section| section.ident == ident).expect(ident)
}

#[test]
fn every_equation_and_table_has_its_section_with_rows() {
    let sections = sections(&measured());
    let numbers: Vec<u8> = sections.iter().filter_map(|section| section.equation).collect();
    assert_eq!(numbers, (1..=16).collect::<Vec<_>>());
    for ident in ["energy", "memory", "table1", "table2", "claims"] {
        find(&sections, ident);
    }
    // Nothing of the hybrid is measured on this machine; every other section has a row with a measurement.
    for section in &sections {
        let hybrid = matches!(section.equation, Some(13..=15));
        assert!(
            hybrid && section.equation == Some(13) || !section.rows.is_empty(),
            "{} has no rows",
            section.ident
        );
        let measured = section.rows.iter().any(|row| row.cell(Origin::Measured).is_some());
        let estimated = section.rows.iter().any(|row| row.note.contains("estimate"));
        // Advice is derived from lines.
        let advice = section.ident == "table2";
        assert!(measured || hybrid || estimated || advice, "{} has nothing measured", section.ident);
    }
}

#[test]
fn paper_column_quotes_the_papers_numbers() {
    let sections = sections(&measured());
    let paper = |ident: &str, name: &str| row(&sections, ident, name).number(Origin::Quoted);
    near(paper("eq12", "speedup"), 400.0);
    near(paper("eq15", "T_hybrid"), 6.0);
    near(paper("eq8", "p_correct = 0.1"), 46.0);
    near(paper("eq8", "p_correct = 0.01"), 460.0);
    near(paper("energy", "a transfer"), 0.025);
    near(paper("energy", "a program"), 15.0);
    near(paper("energy", "neural, 1,000 candidates"), 60.0);
    near(paper("energy", "1,000 iterations"), 70_000.0);
    near(paper("eq16", "T_CPU"), (70.0 + 1500.0) / 2.0);
    near(paper("memory", "traditional, these four"), 110e6);
}

/// Returns a row by the beginning of its name.
fn row<'a>(sections: &'a [Section], ident: &str, name: &str) -> &'a Row {
    let rows = &find(sections, ident).rows;
    rows.iter().find(|row| row.name.starts_with(name)).unwrap_or_else(|| panic!("{ident} has no {name}"))
}

fn near(found: Option<f64>, wanted: f64) {
    assert!(found.is_some_and(|found| (found - wanted).abs() < 1e-6), "{found:?} is not {wanted}");
}

#[test]
fn modelled_column_applies_formulas_to_measured_constants() {
    let sections = sections(&measured());
    let modelled = |ident: &str, name: &str, wanted: f64| {
        near(row(&sections, ident, name).number(Origin::Modelled), wanted);
    };
    modelled("eq1", "T_trad", 0.1);
    modelled("eq2", "compile 1,000", 0.11 * 500.0);
    modelled("eq7", "k = 10", 1.0 - 0.6f64.powi(10));
    // 51 distinct candidates, not 1,000.
    modelled("eq10", "T_verify(1,000), 51 distinct", 0.5 * 51.0 / 2.0);
    modelled("eq11", "T_neural(1,000)", 900.0);
    modelled("eq16", "T_CPU", 0.01 + 0.002 + 0.2 + 1.5);
    // Section 6.2: an estimate is in the column of modelled values.
    modelled("energy", "neural, 1,000 candidates", 65.0 * 0.9);
    modelled("claims", "variants in 1 GB", 25_000.0);
}

#[test]
fn neural_figures_name_candidates_or_programs() {
    let sections = sections(&with_hybrid());
    let both = |ident: &str, names: [&str; 2], wanted: [f64; 2], origin: Origin| {
        for (name, wanted) in names.into_iter().zip(wanted) {
            near(row(&sections, ident, name).number(origin), wanted);
        }
    };
    // 1,000 candidates in 900 ms, 20 programs in 800 ms; the loop takes 2 ms per program.
    let speedups = [2000.0 / 900.0, 0.05];
    let kinds = ["speedup, k candidates of one program", "speedup, k programs"];
    both("eq12", kinds, speedups, Origin::Measured);
    both("eq12", kinds, [1712.0 / 900.0, 1.712 / 40.0], Origin::Modelled);
    both("eq12", ["expected, k candidates of one program", "expected, k programs"], speedups, Origin::Measured);
    both(
        "table1",
        ["speedup, neural, k candidates", "speedup, neural, k programs"],
        speedups,
        Origin::Measured,
    );
    let rates = [1000.0 / 0.9, 25.0];
    both("claims", ["a second, neural, k candidates", "a second, neural, k programs"], rates, Origin::Measured);
    // Power is 65 W: 0.9 ms per candidate, 40 ms per program, 2 ms in the loop.
    let ratios = ["CPU / neural, k candidates of one program", "CPU / neural, k programs"];
    both("energy", ratios, [2.0 / 0.9, 0.05], Origin::Modelled);
    let memory = ["neural, k candidates", "neural, k programs"];
    both("memory", memory, [f64::from(21 << 20), f64::from(14 << 20)], Origin::Measured);
    // Values that were not measured for 1,000 programs are modelled.
    let whole = row(&sections, "eq12", "T_neural, 1,000 programs");
    assert_eq!((whole.number(Origin::Modelled), whole.cell(Origin::Measured)), (Some(40_000.0), None));
    assert_eq!(row(&sections, "eq12", "T_neural, 20 programs").number(Origin::Measured), Some(800.0));
    // Throughput is that of different programs.
    let throughput = row(&sections, "table1", "throughput").cell(Origin::Measured).unwrap();
    assert_eq!(throughput.value, PaperValue::Words("2,497/s · 25/s · 111/s".into()));
}

#[test]
fn findings_name_candidates_or_programs() {
    let sections = sections(&measured());
    let findings = &find(&sections, "eq12").findings;
    assert_eq!(findings.len(), 3);
    assert!(findings[0].contains("counting 1,000 candidates of one program as programs"), "{findings:?}");
    assert!(findings[1].contains("for 20 different programs"), "{findings:?}");
    assert!(findings[2].starts_with("Compared are different programs: 20 of them take 800 ms"), "{findings:?}");
    assert!(findings[2].contains("20 times longer"), "{findings:?}");
    for ident in ["energy", "table1"] {
        for finding in find(&sections, ident).findings.iter().filter(|finding| finding.contains("neural")) {
            assert!(finding.contains("programs") || finding.contains("candidates"), "{finding}");
        }
    }
}

#[test]
fn memory_for_100_programs_is_that_of_a_batch_of_100() {
    let mut m = measured();
    let found = sections(&m);
    let source = row(&found, "memory", "source");
    assert_eq!((source.number(Origin::Measured), source.cell(Origin::Modelled)), (Some(700.0), None));
    assert_eq!(row(&found, "memory", "bytecode").number(Origin::Measured), Some(81_000.0));
    let memory = m.batch(100).unwrap().memory;
    let measured = |name: &str| row(&found, "memory", name).number(Origin::Measured);
    assert_eq!(measured("traditional, all"), Some(memory.total() as f64));
    // If the engine holds no such memory, the measured cell is empty.
    let candidates = row(&found, "memory", "candidates' bytecode");
    assert_eq!(candidates.cell(Origin::Measured), None);
    assert_eq!(candidates.note, "the engine holds none of its own");
    // Without such a batch the cells are empty.
    m.traditional.batches.retain(|batch| batch.k != 100);
    let found = sections(&m);
    for name in ["source", "tokens", "symbols", "bytecode", "traditional, all"] {
        let row = row(&found, "memory", name);
        assert_eq!((row.cell(Origin::Measured), row.cell(Origin::Modelled)), (None, None), "{name}");
    }
    assert!(row(&found, "memory", "source").note.starts_with("no batch of 100 programs was run"));
}

#[test]
fn measured_column_has_no_constants() {
    for section in sections(&with_hybrid()) {
        for row in &section.rows {
            let Some(cell) = row.cell(Origin::Measured) else { continue };
            match &cell.value {
                PaperValue::Words(words) => {
                    assert!(words.chars().any(|c| c.is_ascii_digit()), "{}: {words}", row.name);
                    assert!(!words.contains("always") && !words.contains("0 B"), "{}: {words}", row.name);
                }
                PaperValue::Number(range) => {
                    assert!(row.unit != Unit::Bytes || range.low > 0.0, "{}", row.name)
                }
            }
        }
    }
}

/// The paper's totals refer to its own list, so other memory of the engine has no quoted counterpart.
#[test]
fn quoted_memory_is_paired_with_the_papers_items() {
    let m = with_hybrid();
    let found = sections(&m);
    let of = |name: &str| row(&found, "memory", name);
    let memory = m.batch(100).unwrap().memory;
    let four = memory.source + memory.tree + memory.symbols + memory.bytecode;
    assert_eq!(of("traditional, these four").number(Origin::Measured), Some(four as f64));
    for name in ["working memory", "execution", "traditional, all", "activations", "keys and values"] {
        assert_eq!(of(name).cell(Origin::Quoted), None, "{name}");
    }
    // 100 to 1,000 MB are for the candidates' bytecode, 10 to 100 for its execution, 100 for the embeddings.
    let quoted = |name: &str| of(name).shown(Origin::Quoted);
    assert_eq!(quoted("candidates' bytecode").as_deref(), Some("100 MB–1 GB"));
    assert_eq!(quoted("candidates' execution").as_deref(), Some("10–100 MB"));
    assert_eq!(quoted("input embeddings").as_deref(), Some("100 MB"));
    assert_eq!(of("input embeddings").number(Origin::Modelled), Some(4.0 * 32.0 * 256.0));
    // A device has its own memory for both.
    let mut device = m.clone();
    if let Some(memory) = device.neural.as_mut().and_then(|n| n.memory.as_mut()) {
        (memory.candidates, memory.execution) = (3_000, 70_000);
    }
    let found = sections(&device);
    let measured = |name: &str| row(&found, "memory", name).number(Origin::Measured);
    assert_eq!((measured("candidates' bytecode"), measured("candidates' execution")), (Some(3e3), Some(7e4)));
}

/// Checks that in every row marked as an identity the modelled and the measured value agree to 12 digits.
/// Returns the names of these rows.
fn identities(m: &Measured) -> Vec<String> {
    let rows = sections(m).into_iter().flat_map(|section| section.rows).filter(|row| row.identity);
    rows.map(|row| {
        let (modelled, measured) = (row.number(Origin::Modelled), row.number(Origin::Measured));
        let (one, other) = modelled.zip(measured).unwrap_or_else(|| panic!("{} has not both", row.name));
        assert!((one - other).abs() <= 1e-12 * other.abs(), "{}: {one} is not {other}", row.name);
        assert!(row.note.contains("identity: "), "{}", row.note);
        row.name
    })
    .collect()
}

#[test]
fn only_real_identities_are_marked() {
    let mut m = measured();
    // Identities for one draw, and for sums of parts.
    let sums = ["T_neural(1)", "T_neural(10)", "T_neural(100)", "T_neural(1,000)"];
    assert_eq!(identities(&m), [&["k = 1"][..], &sums].concat());
    // The fraction of correct draws does not determine p.
    m.neural.as_mut().unwrap().correct = 1;
    m.neural.as_mut().unwrap().success = vec![(1, 0.001), (1000, 1.0)];
    assert_eq!(identities(&m), [&["k = 1"][..], &sums].concat());
    // The same formula on other data is a test.
    let found = sections(&m);
    let predicted = row(&found, "eq11", "T_neural(1,000) from T_neural(100)");
    let (all, distinct) = (30.0 + 87.0, 51.0 / 6.0);
    near(predicted.number(Origin::Modelled), 0.8 * all * 10.0 + 0.2 * all * distinct);
    assert!(!predicted.identity);
    // P of a GPU is fitted to one batch; only that batch follows from it.
    m.subject.kind = Kind::Gpu;
    for k in [10, 100, 1000] {
        let compile = m.batch(k).unwrap().compile.median;
        (m.subject.cores, m.subject.fitted) = (f64::from(k) * 0.11 / compile, Some(k));
        let compiled: Vec<String> =
            identities(&m).into_iter().filter(|name| name.starts_with("compile")).collect();
        assert_eq!(compiled, [format!("compile {}", myriad::paper::table::count(k))]);
    }
    // A batch that takes less time than one program is not explained by any P.
    m.traditional.single.median = 1e9;
    (m.subject.cores, m.subject.fitted) = (1e12, Some(100));
    assert!(!identities(&m).contains(&"compile 100".to_string()));
}

#[test]
fn batch_speedup_is_the_ratio_of_its_named_rows() {
    let m = measured();
    let found = sections(&m);
    for origin in [Origin::Modelled, Origin::Measured] {
        let of = |name: &str| {
            find(&found, "eq2").rows.iter().find(|row| row.name == name).and_then(|row| row.number(origin))
        };
        let single = row(&found, "eq1", "T_trad, one program").number(Origin::Measured).unwrap();
        near(of("T_trad × 1,000 / compile 1,000"), 1000.0 * single / of("compile 1,000").unwrap());
    }
    let mut alone = m.clone();
    alone.traditional.batches.truncate(1);
    assert!(!find(&sections(&alone), "eq2").rows.iter().any(|row| row.name.contains('×')));
}

#[test]
fn exponents_are_fitted_and_have_their_error() {
    let sections = sections(&measured());
    let exponent = |ident: &str, name: &str, wanted: f64| {
        let row = row(&sections, ident, name);
        near(row.number(Origin::Measured), wanted);
        assert!(row.cell(Origin::Measured).unwrap().spread.is_some(), "{name}");
    };
    exponent("eq1", "exponent of n, T", 1.1);
    exponent("eq1", "exponent of n, parse", 1.0);
    exponent("eq9", "exponent of n", 1.0);
    exponent("eq9", "exponent of L", 0.9);
    exponent("eq9", "exponent of d", 1.5);
    let paper = |name: &str| row(&sections, "eq9", name).number(Origin::Quoted);
    assert_eq!(["exponent of n", "exponent of L", "exponent of d"].map(paper), [None, None, Some(2.0)]);
    // Plotted against distinct candidates, not draws: 27 of them are modelled by 27 runs of the tests.
    exponent("eq10", "exponent of distinct", 1.0);
    near(row(&sections, "eq10", "T_verify, 27 distinct").number(Origin::Modelled), 0.5 * 27.0 / 2.0);
    // Two points do not determine an exponent.
    let mut few = measured();
    few.traditional.sizes.truncate(2);
    few.neural.as_mut().unwrap().sweeps = Sweeps::default();
    let found = myriad::paper::rows::sections(&few);
    for (ident, name) in [("eq1", "exponent of n, T"), ("eq9", "exponent of d")] {
        let row = row(&found, ident, name);
        assert!(row.cell(Origin::Measured).is_none() && row.note.starts_with("too few"), "{row:?}");
    }
}

/// Checks that every number of a quoted column is in the paper.
pub fn only_the_papers(sections: &[Section]) {
    for row in sections.iter().flat_map(|section| &section.rows) {
        let Some(PaperValue::Number(range)) = row.cell(Origin::Quoted).map(|cell| &cell.value) else {
            continue;
        };
        let said = QUOTATIONS.iter().any(|one| one.unit == row.unit && one.range == *range);
        assert!(said, "{}: the paper does not say {range:?} {:?}", row.name, row.unit);
    }
}

#[test]
fn quoted_cells_contain_only_numbers_from_the_paper() {
    only_the_papers(&sections(&with_hybrid()));
    only_the_papers(&sections(&Measured { neural: None, conventional: None, ..measured() }));
    // For all slider positions, with and without measurements.
    let drawn = LocalFigures {
        neural: measured().neural,
        conventional: measured().conventional,
        ..LocalFigures::default()
    };
    for here in [LocalFigures::default(), drawn] {
        for (lever, value) in [(Lever::Programs, 0), (Lever::Cores, 0), (Lever::Correct, 3), (Lever::Time, 9)] {
            let mut levers = if value == 0 { Levers::paper() } else { Levers::default() };
            for _ in 0..=value {
                only_the_papers(&live::sections(&here, &levers));
                levers.turn(lever, here.levers(), false);
            }
        }
    }
    // 10 to 100 times is from section 4.4 and table 1.
    let expected = find(&sections(&measured()), "eq12").rows.iter().any(|row| {
        row.cell(Origin::Quoted).is_some_and(|cell| {
            cell.value == PaperValue::Number(myriad::paper::quoted::Range::new(10.0, 100.0))
        })
    });
    assert!(expected);
}

#[test]
fn thousands_are_separated_in_every_name_and_note() {
    for section in sections(&with_hybrid()) {
        let rows = section.rows.iter().flat_map(|row| [row.name.clone(), row.note.clone()]);
        for text in rows.chain(section.findings.iter().cloned()) {
            let bare = text
                .split(|c: char| !c.is_ascii_digit() && c != '.')
                .any(|word| word.len() >= 4 && word.chars().all(|c| c.is_ascii_digit()));
            assert!(!bare, "{text}");
        }
    }
}

#[test]
fn claims_rows_match_the_race_figures() {
    let m = measured();
    let sections = sections(&m);
    for figure in myriad::paper::figures::figures(&m) {
        let row = row(&sections, "claims", &format!("a second, {}", figure.contestant.title()));
        assert_eq!(row.number(Origin::Measured), Some(figure.per_second));
    }
}

#[test]
fn contradictions_with_the_paper_are_reported() {
    let sections = sections(&measured());
    let says = |ident: &str, words: &str| {
        let findings = &find(&sections, ident).findings;
        assert!(findings.iter().any(|finding| finding.contains(words)), "{ident}: {findings:?}");
    };
    says("eq1", "the paper says 50 ms");
    says("eq16", "40.9 times less");
    says("eq12", "the paper says 400×");
}

#[test]
fn metered_energy_is_in_the_measured_column() {
    let mut m = measured();
    let metered = |joules: f64| Energy { joules, error: Some(0.01), source: EnergySource::Rapl };
    m.traditional.energy = metered(0.05);
    m.conventional = m.conventional.map(|one| Loop { energy: metered(100.0), ..one });
    let whole = m.neural.as_mut().and_then(|n| n.programs.as_mut()).unwrap();
    whole.energy = metered(20.0);
    let sections = sections(&m);
    near(row(&sections, "energy", "CPU / neural, k programs").number(Origin::Measured), 0.1);
    let program = row(&sections, "energy", "a program");
    assert_eq!((program.number(Origin::Measured), program.cell(Origin::Modelled)), (Some(0.05), None));
    // 1,000 iterations were measured; from fewer, 1,000 are modelled.
    let cpu = |m: &Measured| row(&myriad::paper::rows::sections(m), "energy", "1,000 iterations").clone();
    assert_eq!(cpu(&m).number(Origin::Measured), Some(100.0));
    m.conventional = m.conventional.map(|one| Loop { programs: 500, ..one });
    assert_eq!((cpu(&m).number(Origin::Modelled), cpu(&m).cell(Origin::Measured)), (Some(200.0), None));
}

#[test]
fn quoted_numbers_remain_without_neural_and_loop() {
    let m = Measured { neural: None, conventional: None, ..measured() };
    let sections = sections(&m);
    assert_eq!(sections.len(), 21);
    for kind in ["speedup, k candidates of one program", "speedup, k programs"] {
        assert_eq!(row(&sections, "eq12", kind).number(Origin::Quoted), Some(400.0));
    }
}

/// One program takes one time, wherever it is shown: the mean, where programs differ.
#[test]
fn latency_of_one_program_is_the_same_in_both_tables() {
    let mut m = with_hybrid();
    for programs in [
        m.neural.as_mut().and_then(|n| n.programs.as_mut()),
        m.hybrid.as_mut().and_then(|h| h.programs.as_mut()),
    ] {
        programs.expect("programs").each.median /= 4.0;
    }
    m.traditional.batches[0].all.median *= 3.0;
    let sections = sections(&m);
    let cell = row(&sections, "table1", "single-program latency").cell(Origin::Measured).expect("a cell");
    let PaperValue::Words(latency) = &cell.value else { panic!("{cell:?}") };
    let [traditional, neural, hybrid]: [&str; 3] =
        latency.split(" · ").collect::<Vec<_>>().try_into().expect("three");
    let advice = &row(&sections, "table2", "advice for k = 1").note;
    for said in
        [format!("traditional {traditional}; "), format!("neural {neural}; "), format!("hybrid {hybrid}")]
    {
        assert!(advice.contains(&said), "{said}: {advice}");
    }
    assert_eq!(
        row(&sections, "eq14", "T_hybrid, a program, mean").shown(Origin::Measured).as_deref(),
        Some(hybrid)
    );
}

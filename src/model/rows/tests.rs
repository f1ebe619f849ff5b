//! The sections of a made-up machine.

use std::time::Duration;

use super::*;
use crate::energy::{Energy, Source};
use crate::engine::Kind;
use crate::engine::memory::{Memory, NeuralMemory};
use crate::model::measured::{Batch, Draws, Loop, Neural, Subject, Traditional};
use crate::model::stat::Stat;
use crate::neural::evaluation::Class;
use crate::report::origin::Origin;

fn stat(median: f64) -> Stat {
    Stat { median, spread: median / 10.0, of: 5 }
}

fn joules(milliseconds: f64) -> Energy {
    Energy::estimate(65.0, Duration::from_secs_f64(milliseconds / 1e3))
}

/// A machine that was never measured, with round numbers.
pub fn measured() -> Measured {
    let batch = |k: u32| {
        let all = 0.5 + 0.4 * f64::from(k);
        Batch { k, compile: stat(all / 4.0), all: stat(all), energy: joules(all) }
    };
    let draws = |k: u32| {
        let all = 30.0 + 0.87 * f64::from(k);
        Draws { k, generate: stat(all * 0.8), verify: Some(all * 0.2), all: stat(all) }
    };
    let ks = [1, 10, 100, 1000];
    Measured {
        subject: Subject {
            adapter: "CPU engine, 2 threads".into(),
            kind: Kind::Cpu,
            cores: 2.0,
            bytes: 700,
            tests: 5,
            k: 1000,
            programs: 1000,
        },
        traditional: Traditional {
            stages: [0.01, 0.02, 0.03, 0.01, 0.02, 0.01, 0.5, 0.0, 0.0].map(stat),
            single: stat(0.11),
            tested: stat(0.7),
            execute: 0.5,
            energy: joules(0.7),
            batches: ks.map(batch).to_vec(),
        },
        conventional: Some(Loop {
            generate: stat(0.01),
            transfer: stat(0.001),
            compile: stat(0.2),
            execute: stat(1.5),
            total: stat(1.712),
            mean: 2.0,
            energy: joules(2.0),
        }),
        neural: Some(Neural {
            function: "gcd".into(),
            class: Class::Simple,
            words: 32,
            layers: 4,
            width: 256,
            parameters: 3_000_000,
            points: ks.map(draws).to_vec(),
            whole: 1000.0,
            energy: joules(1000.0),
            drawn: 1000,
            valid: 990,
            passed: 420,
            correct: 400,
            p_low: 0.37,
            p_high: 0.43,
            success: vec![(1, 0.4), (10, 0.99), (100, 1.0), (1000, 1.0)],
            k99: Some(9),
            likeliest: Some((-1.0, 0.36)),
            own_loss: Some(0.05),
            reward_loss: 7.0,
            evidence: Some("proved"),
        }),
        hybrid: None,
        memory: Some(Memory {
            source: 700,
            tree: 100_000,
            symbols: 50_000,
            bytecode: 80_000,
            scratch: 60_000,
            execution: 40_000,
        }),
        neural_memory: Some(NeuralMemory {
            weights: 12 << 20,
            activations: 1 << 20,
            cache: 8 << 20,
            candidates: 0,
        }),
        memory_each: Some(40_000.0),
        device_transfer: None,
        pcie_watts: 25.0,
        missing: vec![],
    }
}

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
    // Of the hybrid nothing is measured on this machine; all else has a row with a measurement.
    for section in &sections {
        let hybrid = matches!(section.equation, Some(13..=15));
        assert!(
            hybrid && section.equation == Some(13) || !section.rows.is_empty(),
            "{} has no rows",
            section.ident
        );
        let measured = section.rows.iter().any(|row| row.cell(Origin::Measured).is_some());
        let estimated = section.rows.iter().any(|row| row.note.contains("estimate"));
        assert!(measured || hybrid || estimated, "{} has nothing measured", section.ident);
    }
}

#[test]
fn the_papers_column_is_the_papers() {
    let sections = sections(&measured());
    let paper = |ident: &str, name: &str| {
        let row = find(&sections, ident).rows.iter().find(|row| row.name.starts_with(name)).expect(name);
        row.number(Origin::Quoted).expect("a number")
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    near(paper("eq12", "speedup"), 400.0);
    near(paper("eq15", "T_hybrid"), 6.16);
    near(paper("eq8", "p_correct = 0.1"), 46.0);
    near(paper("eq8", "p_correct = 0.01"), 460.0);
    near(paper("energy", "a transfer"), 0.025);
    near(paper("energy", "a program"), 15.0);
    near(paper("energy", "neural, 1000"), 60.0);
    near(paper("energy", "1,000 iterations"), 70_000.0);
    near(paper("eq16", "T_CPU"), (72.0 + 1512.0) / 2.0);
    near(paper("memory", "traditional, all"), 110e6);
}

#[test]
fn our_constants_go_through_the_same_formulas() {
    let sections = sections(&measured());
    let modelled = |ident: &str, name: &str| {
        let row = find(&sections, ident).rows.iter().find(|row| row.name.starts_with(name)).expect(name);
        row.number(Origin::Modelled).expect("a number")
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    near(modelled("eq1", "T_trad"), 0.1);
    near(modelled("eq2", "compile 1000"), 0.11 * 500.0);
    near(modelled("eq7", "k = 10"), 1.0 - 0.6f64.powi(10));
    near(modelled("eq10", "T_verify(1000)"), 250.0);
    near(modelled("eq11", "T_neural"), 900.0);
    near(modelled("eq12", "speedup"), 1712.0 / 900.0);
    near(modelled("eq16", "T_CPU"), 0.01 + 0.002 + 0.2 + 1.5);
    // Section 6.2: an estimate stands in the column of what is modelled.
    near(modelled("energy", "neural, 1000"), 65.0);
    near(modelled("claims", "variants in 8 GB"), 200_000.0);
}

#[test]
fn contradictions_are_said() {
    let mut m = measured();
    let sections = sections(&m);
    let says = |sections: &[Section], ident: &str, words: &str| {
        let findings = &find(sections, ident).findings;
        assert!(findings.iter().any(|finding| finding.contains(words)), "{ident}: {findings:?}");
    };
    says(&sections, "eq1", "the paper says 50 ms");
    says(&sections, "eq16", "42.1 times less");
    says(&sections, "eq12", "the paper says 400×");
    // A loop that is faster than the neural path: it does not pay.
    m.conventional = m.conventional.map(|one| Loop { mean: 0.3, ..one });
    says(&super::sections(&m), "eq12", "does not pay");
}

#[test]
fn a_metered_energy_is_measured() {
    let mut m = measured();
    let metered = |joules: f64| Energy { joules, error: Some(0.01), source: Source::Rapl };
    m.traditional.energy = metered(0.05);
    m.conventional = m.conventional.map(|one| Loop { energy: metered(0.1), ..one });
    m.traditional.batches.iter_mut().for_each(|batch| batch.energy = metered(0.02 * f64::from(batch.k)));
    let sections = sections(&m);
    let row =
        find(&sections, "claims").rows.iter().find(|row| row.name == "energy saved, traditional").unwrap();
    assert_eq!(row.number(Origin::Measured).map(f64::round), Some(80.0));
    let row = &find(&sections, "energy").rows[1];
    assert_eq!((row.number(Origin::Measured), row.cell(Origin::Modelled)), (Some(0.05), None));
}

#[test]
fn without_neural_and_loop_the_papers_numbers_stay() {
    let m = Measured { neural: None, conventional: None, neural_memory: None, memory: None, ..measured() };
    let sections = sections(&m);
    assert_eq!(sections.len(), 21);
    assert_eq!(find(&sections, "eq12").rows[0].number(Origin::Quoted), Some(400.0));
}

//! Randomly changed programs: some run in separate processes, most in this one.

use crate::common::extent::scaled;
use std::panic::{AssertUnwindSafe, catch_unwind};

use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::report::diagnostics::diagnostics;
use myriad::report::stages::StageRows;
use myriad::report::{document, draw, dump, listing};

use super::calls::{Call, judge_all};
use super::scan::{self, ALL};
use super::{assert_none, inputs};
use crate::common::rng::Rng;

/// Changes a program randomly.
fn changed(rng: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = rng.pick(seeds).clone();
    let hostile: Vec<char> = ALL.chars().collect();
    for _ in 0..1 + rng.below(8) {
        let at = rng.below(bytes.len() + 1);
        let to = (at + rng.below(40)).min(bytes.len());
        match rng.below(7) {
            0 if at < bytes.len() => bytes[at] = rng.next() as u8,
            1 => drop(bytes.splice(at..at, rng.pick(&hostile).to_string().into_bytes())),
            2 => drop(bytes.drain(at..to)),
            3 => {
                let piece = bytes[at..to].to_vec();
                bytes.splice(at..at, piece);
            }
            4 => {
                let other = rng.pick(seeds);
                let from = rng.below(other.len());
                let piece = other[from..(from + rng.below(60)).min(other.len())].to_vec();
                bytes.splice(at..to, piece);
            }
            5 => drop(bytes.splice(at..at, ALL.bytes())),
            _ => {
                let marks = b"(){}[]\"';/\\\n\r\t 0x-&|=!";
                bytes.splice(at..at, [*rng.pick(marks)]);
            }
        }
    }
    bytes
}

/// Collects all that the command line would print for a text, and returns what is wrong with it.
fn printed_in_process(engine: &mut CpuEngine, text: &str) -> Option<String> {
    let Ok((program, _)) = engine.compile(&text.into(), &|| false) else { return Some("no answer".into()) };
    let found = diagnostics(&program);
    let rows = StageRows::new(&program);
    let pages = [
        (draw::draw("a.myr", text, &found, false), false),
        (draw::draw("a.myr", text, &found, true), true),
        (document::json(&document::findings(&found)), false),
        (
            document::json(&(rows.tokens(), rows.ast(), rows.types(), rows.ir(&program.ir), rows.bytecode())),
            false,
        ),
        (dump::tokens(&rows) + &dump::ast(&rows) + &dump::types(&rows), false),
        (listing::page(&listing::ir(&program, &program.ir)), false),
        (listing::page(&listing::bytecode(&program)), false),
    ];
    pages.iter().find_map(|(page, colours)| scan::offence(page.as_bytes(), *colours))
}

#[test]
fn randomly_changed_programs_are_handled_safely() {
    let wanted = scaled(200);
    let mut seeds: Vec<Vec<u8>> =
        crate::common::cases::programs(&["samples"]).into_iter().map(|(_, t)| t.into_bytes()).collect();
    seeds.retain(|seed| seed.len() < 4_000);
    seeds.extend([inputs::good(), inputs::failing()].map(String::into_bytes));
    let mut engine = CpuEngine::with_threads(1);
    let mut wrong = vec![];
    let mut processes = vec![];
    let folder = tempfile::tempdir().unwrap();
    let forms = [
        "check - --engine cpu",
        "stages - --engine cpu",
        "test - --engine cpu --seconds 5",
        "run - gcd 1 2 --engine cpu",
        "run - gcd 1 2 --engine cpu --trace --from 3 --steps 40",
        "export - --to c",
        "noise - --engine cpu -k 2",
        "mutate - --engine cpu --budget 4",
    ];
    for number in 0..wanted as usize {
        let bytes = changed(&mut Rng::new(number as u64), &seeds);
        if number % 16 == 0 {
            let words: Vec<&str> = forms[number / 16 % forms.len()].split(' ').collect();
            processes.push(Call::new(&words, folder.path()).input(&bytes).forms()[number / 16 % 4].clone());
        } else {
            let text = String::from_utf8_lossy(&bytes);
            let said = catch_unwind(AssertUnwindSafe(|| printed_in_process(&mut engine, &text)));
            wrong.extend(
                said.unwrap_or_else(|_| Some("it panics".into())).map(|why| format!("seed {number}: {why}")),
            );
        }
    }
    wrong.extend(judge_all(&processes));
    assert_none(wrong);
}

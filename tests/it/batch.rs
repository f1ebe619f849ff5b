//! Batches: shortcuts give the same results as running, and a stream of lines ends properly whatever it
//! contains.

use crate::common::extent::{HANG, scaled};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use crate::common::command::{Called, myriad, samples};
use crate::common::rng::Rng;
use crate::common::{confused, typed};
use myriad::compiler::variants::Variants;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, TestTotals, Tested};
use myriad::lang::index::{Index, Indices, MutantId};
use myriad::testing::batch::CandidateBatch;
use myriad::testing::batch::input::InputEntry;
use myriad::testing::batch::near::{LineLexer, Outline, joined};
use serde_json::{Value, json};

/// Number of random programs.
fn programs() -> u64 {
    scaled(60)
}

/// A candidate, and its whole program.
type Asked = (Value, String);

fn source(text: String, tests: &str) -> Asked {
    (json!({"id": 0, "source": text}), joined(&text, tests))
}

/// Compiles a text and runs its tests from scratch.
fn from_scratch(engine: &mut CpuEngine, text: &str) -> (Tested, bool) {
    let base = engine.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
    (Tested::from(&base), base.compiled.facts.errors > 0 || base.compiled.facts.stopped())
}

/// Judges candidates in chunks, and compares each record with judging from scratch.
fn compare(what: &str, batch: &mut CandidateBatch, asked: &[Asked]) -> usize {
    let mut alone = CpuEngine::with_threads(1);
    let mut passed = 0;
    for (n, chunk) in asked.chunks(37).enumerate() {
        let entries =
            chunk.iter().map(|(line, _)| InputEntry { number: 1, bytes: Some(line.to_string().into()) });
        let records = batch.judge(entries.collect(), &|| false).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(records.len(), chunk.len());
        for (record, (line, text)) in records.iter().zip(chunk) {
            let (expected, invalid) = from_scratch(&mut alone, text);
            let found = match record.status.name() {
                // Its functions leave the tested code of the base as it is, or replace too much.
                "missing" | "refused" if matches!(expected, Tested::Ended(_)) => continue,
                "invalid" => Tested::Invalid,
                "error" => panic!("{what}: {record:?}"),
                _ => {
                    let Tested::Ended(TestTotals { outcome, .. }) = expected else {
                        panic!("{what}, chunk {n}: {record:?} of a program with errors\n{text}\n{line}")
                    };
                    Tested::Ended(TestTotals {
                        tests: record.tests,
                        passed: record.tests_passed,
                        outcome,
                        steps: record.steps,
                    })
                }
            };
            assert_eq!(found, expected, "{what}, chunk {n}: {line}\nas\n{text}");
            assert_eq!(record.diagnostics.is_empty(), !invalid);
            if let Tested::Ended(sum) = expected {
                let name = if sum.tests == 0 { "untested" } else { status(sum) };
                assert_eq!(record.status.name(), name, "{what}: {text}");
            }
            passed += usize::from(record.status.name() == "pass");
        }
    }
    passed
}

fn status(sum: TestTotals) -> &'static str {
    myriad::testing::batch::record::Status::of(sum.outcome).name()
}

/// Returns texts similar to a program, and some that are not.
fn edits(text: &str, rng: &mut Rng, count: usize) -> Vec<String> {
    let mut engine = CpuEngine::with_threads(1);
    let base = engine.base(&text.into(), &|| false).expect("the CPU engine does not fail");
    let variants = Variants::new(base.compiled);
    let mut all = vec![text.to_string(), format!("// a note\n{text}"), format!("{text}\ntest 1 == 1;\n")];
    for n in 0..count {
        let mutant = |rng: &mut Rng| {
            let id = MutantId::at(rng.below(variants.all().max(1) as usize));
            variants.source(id).unwrap_or_else(|| text.into())
        };
        let lines: Vec<&str> = text.lines().collect();
        all.push(match n % 6 {
            0..=2 => mutant(rng),
            3 => confused::from(text, 60, rng),
            4 => {
                let line = rng.below(lines.len());
                [&lines[..line], &lines[line + 1..]].concat().join("\n")
            }
            _ => {
                let line = rng.below(lines.len());
                let (a, b) = lines.split_at(line);
                let new = ["}", "{ ", "// }", "return 1;", "let zz = 1;", "fn new() -> int { return 1; }"];
                format!("{}\n{}\n{}", a.join("\n"), rng.pick(&new), b.join("\n"))
            }
        });
    }
    all
}

#[test]
fn batched_random_edits_match_fresh_runs() {
    for seed in 0..programs() {
        let (text, mut rng) = (typed::program(seed), Rng::new(seed));
        let tests = ["", "test 1 == 1;\nprop a in 0..30 => a * 2 == a + a;\n"][seed as usize % 2];
        let asked: Vec<Asked> =
            edits(&text, &mut rng, 40).into_iter().map(|text| source(text, tests)).collect();
        let engine = |threads| Box::new(CpuEngine::with_threads(threads));
        compare(
            &format!("seed {seed} without a base"),
            &mut CandidateBatch::new(engine(2), tests.into()),
            &asked,
        );
        let mut with_base = CandidateBatch::new(engine(1 + seed as usize % 3), tests.into());
        with_base.base(&text, &|| false).expect("the CPU engine does not fail");
        compare(&format!("seed {seed} with a base"), &mut with_base, &asked);
    }
}

#[test]
fn batched_functions_of_a_base_match_fresh_runs() {
    for seed in 0..programs() {
        let (text, mut rng) = (typed::program(seed), Rng::new(seed ^ 7));
        let mut engine = CpuEngine::with_threads(1);
        let base =
            engine.base(&text.as_str().into(), &|| false).expect("the CPU engine does not fail").compiled;
        let outline = Outline::new(&base);
        let variants = Variants::new(base.clone());
        let mut asked = Vec::new();
        for n in 0..40usize {
            let Some(mutant) = variants.source(MutantId::at(rng.below(variants.all().max(1) as usize))) else {
                continue;
            };
            // Half of the candidates replace one function, the others several.
            let mut function = functions(&mutant);
            if n % 2 == 0 {
                let heads: Vec<usize> = function.match_indices("fn ").map(|(at, _)| at).collect();
                let one = rng.below(heads.len().max(1));
                let end = heads.get(one + 1).copied().unwrap_or(function.len());
                function = function[heads.get(one).copied().unwrap_or(0)..end].into();
            }
            match n % 5 {
                0 => function = confused::from(&function, 40, &mut rng),
                1 => function += "\nfn more(a: int) -> int { return a; }\nconst MORE_OF_IT = 3;",
                2 => {
                    // Only some of the functions.
                    let from = function.match_indices("fn ").map(|(at, _)| at).nth(rng.below(3));
                    function = function[from.unwrap_or(0)..].into();
                }
                _ => {}
            }
            let whole = outline.with(&function, &mut LineLexer::default()).text;
            asked.push((json!({"id": n, "function": function}), whole));
        }
        let mut batch = CandidateBatch::new(Box::new(CpuEngine::with_threads(2)), String::new());
        batch.base(&text, &|| false).expect("the CPU engine does not fail");
        compare(&format!("seed {seed}, functions"), &mut batch, &asked);
    }
}

/// Returns the functions of a program.
fn functions(text: &str) -> String {
    let begin = |line: &&str| line.starts_with("fn ");
    let mut lines = text.lines().peekable();
    let mut out = String::new();
    while let Some(line) = lines.next() {
        if !begin(&line) {
            continue;
        }
        out.push_str(line);
        out.push('\n');
        while let Some(next) = lines.next_if(|next| !next.starts_with(['f', 't', 'p', 'c'])) {
            out.push_str(next);
            out.push('\n');
        }
    }
    out
}

#[test]
fn batched_mutants_of_the_samples_match_fresh_runs() {
    let mut passed = 0;
    for (n, path) in samples().into_iter().enumerate() {
        let text = std::fs::read_to_string(&path).expect("a sample");
        let mut rng = Rng::new(n as u64);
        let mut engine = CpuEngine::with_threads(1);
        let base = engine.base(&text.as_str().into(), &|| false).expect("the CPU engine does not fail");
        let variants = Variants::new(base.compiled);
        let count = variants.first_order();
        let bounds = (0..13).map(|n| if n < 12 { count } else { variants.all() }).filter(|bound| *bound > 0);
        let ids: Vec<MutantId> = bounds.map(|bound| MutantId::at(rng.below(bound as usize))).collect();
        let asked: Vec<Asked> =
            ids.iter().filter_map(|id| variants.source(*id)).map(|text| source(text, "")).collect();
        let mut batch = CandidateBatch::new(Box::new(CpuEngine::with_threads(2)), String::new());
        batch.base(&text, &|| false).expect("the CPU engine does not fail");
        passed += compare(&path.display().to_string(), &mut batch, &asked);
    }
    assert!(passed > 5, "some mutants survive");
}

/// Writes a file into a temporary folder.
fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

fn lines(called: &Called) -> Vec<Value> {
    called.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

const DOUBLE: &str = "fn double(x: int) -> int { return x * 2; }\n";
const TESTS: &str = "test double(2) == 4;\nprop a in 0..50 => double(a) == a + a;\n";

#[test]
fn every_line_has_its_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let tests = file(&folder, "tests.myr", TESTS);
    let candidates = [
        json!({"id": "a", "source": DOUBLE, "group": 1, "prompt": ["of the writer's own"]}),
        json!({"id": 2, "source": DOUBLE.replace("* 2", "* 3")}),
        json!({"id": 3, "source": DOUBLE.replace("x * 2", "x / 0")}),
        json!({"id": 4, "source": DOUBLE.replace("return", "while true { } return")}),
        json!({"id": 5, "source": DOUBLE.replace("x *", "y *")}),
        json!({"id": 6, "source": ""}),
    ];
    let mut input: String = candidates.iter().map(|line| format!("{line}\n")).collect();
    input.push_str("\n{\"id\": 7}\nno JSON\n");
    let mut input = input.into_bytes();
    input.extend(b"{\"id\": \"\xff\"}\n{\"id\": 8, \"source\": \"");
    input.extend(vec![b'x'; 1 << 20]);
    input.extend(format!("\"}}\n{}", json!({"id": "\u{202e}", "source": DOUBLE})).bytes());
    let called = myriad(&["batch", "-", "--tests", &tests], &input);
    let found = lines(&called);
    assert_eq!(called.code, 2, "{}", called.stderr);
    let statuses: Vec<&str> = found.iter().map(|line| line["status"].as_str().expect("a status")).collect();
    assert_eq!(
        statuses,
        ["pass", "fail", "trap", "timeout", "invalid", "invalid", "error", "error", "error", "error", "pass"]
    );
    assert_eq!(
        found[0],
        json!({"id": "a", "group": 1, "status": "pass", "tests_passed": 2, "tests": 2, "steps": found[0]["steps"]})
    );
    assert_eq!((&found[1]["tests_passed"], &found[1]["tests"]), (&json!(0), &json!(2)));
    assert_eq!(found[3]["steps"], 2_000_000);
    assert_eq!(found[4]["diagnostics"][0]["code"], "E0301");
    assert_eq!(
        found[6..10].iter().map(|line| line["line"].as_u64()).collect::<Vec<_>>(),
        [8, 9, 10, 11].map(Some)
    );
    assert!(found[9]["message"].as_str().expect("said").contains("1 MiB"));
    assert_eq!(found[10]["id"], "\u{202e}");
    assert!(
        called.stdout.contains("\\u202e") && called.stderr.contains("4 lines are invalid, the first is line 8")
    );
    // The output does not depend on these options.
    for engine in ["--exact", "--engine=cpu", "--timings", "--threads=1", "--threads=5"] {
        assert_eq!(myriad(&["batch", "--tests", &tests, engine], &input).stdout, called.stdout);
    }
}

/// A device judges the texts one after the other. Its results equal the CPU's.
#[test]
fn cpu_and_gpu_print_the_same_batch_records() {
    let text = std::fs::read_to_string("samples/gcd.myr").expect("a sample");
    let mut engine = CpuEngine::with_threads(1);
    let base = engine.base(&text.as_str().into(), &|| false).expect("the CPU engine does not fail");
    let variants = Variants::new(base.compiled);
    let ids = Indices::first(variants.first_order()).iter().step_by(variants.first_order() as usize / 10);
    let line = |id: MutantId| format!("{}\n", json!({"id": id, "source": variants.source(id)}));
    let input: String =
        ids.map(line).chain(["{}\n".into(), "{\"id\": 0, \"source\": \"fn\"}".into()]).collect();
    let [cpu, gpu] = ["cpu", "gpu"].map(|engine| myriad(&["batch", "--engine", engine], input.as_bytes()));
    assert_eq!((cpu.stdout.lines().count(), &cpu.stdout, cpu.code), (input.lines().count(), &gpu.stdout, 2));
    assert_eq!(gpu.code, 2);
}

#[test]
fn batch_exit_code_reflects_the_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = format!("{}\n", json!({"id": 1, "source": format!("{DOUBLE}{TESTS}")}));
    let untested = format!("{}\n", json!({"id": 1, "source": DOUBLE}));
    let base = file(&folder, "base.myr", &format!("{DOUBLE}{TESTS}"));
    let broken = file(&folder, "broken.myr", "fn");
    let code = |words: &[&str], input: &str| myriad(&[&["batch"], words].concat(), input.as_bytes()).code;
    assert_eq!(code(&[], ""), 0);
    assert_eq!(code(&[], &good), 0);
    assert_eq!(code(&[], &untested), 1);
    assert_eq!(code(&["--base", &base], &format!("{}\n", json!({"id": 1, "function": DOUBLE}))), 0);
    assert_eq!(code(&[], &format!("{}\n", json!({"id": 1, "function": DOUBLE}))), 2);
    for words in
        [&["--base", &broken][..], &["--tests", &broken], &["--base", "none.myr"], &["none.jsonl"], &["."]]
    {
        let called = myriad(&[&["batch"], words].concat(), good.as_bytes());
        assert_eq!((called.code, called.stdout.as_str()), (2, ""), "{words:?}: {}", called.stderr);
    }
    assert_eq!(code(&["--pass-at", "0"], &good), 2);
}

#[test]
fn pass_at_k_is_the_last_record() {
    let right = format!("{DOUBLE}{TESTS}");
    let wrong = right.replace("* 2", "* 3");
    let mut input = String::new();
    for (group, passes) in [("a", [true, false, false, false]), ("b", [true, true, true, false])] {
        for (n, passes) in passes.into_iter().enumerate() {
            let source = if passes { &right } else { &wrong };
            input += &format!("{}\n", json!({"id": n, "group": group, "source": source}));
        }
    }
    input += &format!("{}\n", json!({"id": "lone", "group": "c", "source": right}));
    let called = myriad(&["batch", "--pass-at", "1,2,9"], input.as_bytes());
    let found = lines(&called);
    let last = found.last().expect("a record");
    assert_eq!(found.len(), 10);
    let close = |value: &Value, wanted: f64| (value.as_f64().expect("a number") - wanted).abs() < 1e-12;
    assert!(close(&last["pass_at"][0]["mean"], (0.25 + 0.75 + 1.0) / 3.0));
    assert!(close(&last["pass_at"][1]["mean"], (0.5 + 1.0) / 2.0));
    assert_eq!(last["pass_at"][1]["too_small"], 1);
    assert_eq!(last["pass_at"][2], json!({"k": 9, "groups": 0, "too_small": 3}));
    assert_eq!(last["groups"][2]["group"], "c");
}

fn started(words: &[&str]) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_myriad"));
    command
        .arg("batch")
        .args(words)
        .env("MYRIAD_CONFIG", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/common/config.toml"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

#[test]
fn verdicts_come_before_the_input_ends() {
    let mut child = started(&[]);
    let (mut stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut found = BufReader::new(stdout).lines();
    for id in 0..3 {
        let line = json!({"id": id, "source": format!("{DOUBLE}{TESTS}")});
        writeln!(stdin, "{line}").expect("written");
        let record: Value =
            serde_json::from_str(&found.next().expect("a record").expect("read")).expect("JSON");
        assert_eq!((&record["id"], &record["status"]), (&json!(id), &json!("pass")));
    }
    drop(stdin);
    assert!(found.next().is_none());
    assert_eq!(child.wait().expect("ended").code(), Some(0));
}

#[cfg(unix)]
#[test]
fn interrupted_batch_keeps_the_judged_records() {
    let mut child = started(&[]);
    let (mut stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let line = json!({"id": 1, "source": format!("{DOUBLE}{TESTS}")});
    writeln!(stdin, "{line}").expect("written");
    let mut found = BufReader::new(stdout).lines();
    assert!(found.next().expect("a record").expect("read").contains("pass"));
    let asked = Instant::now();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("sent");
    let output = child.wait_with_output().expect("ended");
    assert!(asked.elapsed() < HANG);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("interrupted: 1 line judged"), "{said}");
    let last: Value = serde_json::from_str(&found.next().expect("a record").expect("read")).expect("JSON");
    assert_eq!(last, json!({"partial": {"reason": "interrupt", "lines": 1}}));
    drop(stdin);
}

#[test]
fn batch_at_its_time_limit_keeps_the_judged_records() {
    let mut child = started(&["--seconds", "1", "--pass-at", "1"]);
    let (mut stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let line = json!({"id": 1, "source": format!("{DOUBLE}{TESTS}")});
    writeln!(stdin, "{line}").expect("written");
    let found: Vec<String> = BufReader::new(stdout).lines().map(|line| line.expect("read")).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    let last: Value = serde_json::from_str(&found[1]).expect("JSON");
    assert_eq!(last, json!({"partial": {"reason": "seconds", "seconds": 1.0, "lines": 1}}));
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the limit of 1 s is over: 1 line judged"));
    drop(stdin);
}

#[test]
fn closed_output_ends_the_batch_silently() {
    let mut child = started(&[]);
    let (mut stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    drop(stdout);
    let line: Arc<str> = format!("{}\n", json!({"id": 1, "source": format!("{DOUBLE}{TESTS}")})).into();
    // More than any pipe holds.
    let writer = std::thread::spawn(move || {
        (0..100_000).take_while(|_| stdin.write_all(line.as_bytes()).is_ok()).count()
    });
    let output = child.wait_with_output().expect("ended");
    assert!(writer.join().expect("no panic") < 100_000, "it ended early");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

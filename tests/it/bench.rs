//! `myriad bench`: every benchmark measures its figures, in text and in documents; the values are not checked
//! here.

mod live;

use crate::common::extent::skip_unless_thorough;
use std::path::{Path, PathBuf};

use crate::common::command::{Called, call};
use serde_json::Value;

/// Options that make a benchmark short.
const SHORT: &str = "--repetitions 1 --seconds 0.1";

/// Returns the rows of a benchmark's document, by file, and checks their fields.
fn rows(called: &Called) -> Vec<(String, Vec<Value>)> {
    assert_eq!(called.code, 0, "{called:?}");
    rows_of(&called.json())
}

fn rows_of(document: &Value) -> Vec<(String, Vec<Value>)> {
    let files = document["files"].as_array().expect("files").clone();
    let of = |file: &Value| {
        let rows = file["rows"].as_array().expect("rows").clone();
        for row in &rows {
            for field in ["name", "k", "bytes", "tests", "engine", "adapter", "unit"] {
                assert!(row.get(field).is_some(), "{field} in {row}");
            }
            let figure = ["median", "spread", "of"].iter().all(|field| row[field].is_number());
            assert!(figure != row["missing"].is_string(), "{row}");
            assert!(!figure || row["median"].as_f64() >= Some(0.0), "{row}");
        }
        // No figure appears twice.
        for (i, row) in rows.iter().enumerate() {
            let same = |other: &&Value| {
                ["name", "k", "engine", "adapter"].iter().all(|field| other[field] == row[field])
            };
            assert!(!rows[..i].iter().any(|other| same(&other)), "{row} is there twice");
        }
        (file["file"].as_str().expect("a name").to_string(), rows)
    };
    files.iter().map(of).collect()
}

/// Returns the rows without their figures: `file: name, k = K, engine, unit`.
fn shape(called: &Called) -> Vec<String> {
    let word = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_string();
    let line = |file: &str, row: &Value| {
        let [name, engine, unit] = ["name", "engine", "unit"].map(|field| word(row, field));
        format!("{file}: {name}, k = {}, {engine}, {unit}", row["k"])
    };
    rows(called)
        .iter()
        .flat_map(|(file, rows)| rows.iter().map(|row| line(file, row)).collect::<Vec<_>>())
        .collect()
}

fn bench(words: &str) -> Called {
    call(&format!("bench {words} --format json"))
}

#[test]
fn variants_benchmark_reports_rate_time_and_memory() {
    let found = shape(&bench("variants samples/gcd.myr --engine cpu -k 20 --repetitions 2 --seconds 1000"));
    insta::assert_snapshot!(found.join("\n"), @r"
    samples/gcd.myr: rate, k = 1, cpu, per second
    samples/gcd.myr: time, k = 1, cpu, µs
    samples/gcd.myr: memory, k = 1, cpu, B
    samples/gcd.myr: rate, k = 10, cpu, per second
    samples/gcd.myr: time, k = 10, cpu, µs
    samples/gcd.myr: memory, k = 10, cpu, B
    samples/gcd.myr: rate, k = 20, cpu, per second
    samples/gcd.myr: time, k = 20, cpu, µs
    samples/gcd.myr: memory, k = 20, cpu, B
    ");
    let text = call(&format!("bench variants --engine cpu -k 3 {SHORT}")).stdout;
    assert!(text.contains("samples/gcd.myr  rate"), "{text}");
}

#[test]
fn k_beyond_the_time_limit_is_reported_as_missing() {
    let called = bench(&format!("variants samples/queens.myr --engine cpu -k 100000 {SHORT}"));
    let (_, rows) = rows(&called).remove(0);
    let missing = rows.last().expect("a row")["missing"].as_str().expect("it is left out").to_string();
    assert!(missing.starts_with("k = ") && missing.contains("would take about"), "{missing}");
}

#[test]
fn peers_benchmark_compares_the_engine_with_c_compilers() {
    let called = bench(&format!("peers samples/gcd.myr samples/weak.myr --engine cpu -k 12 {SHORT}"));
    let files = rows(&called);
    let names: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(names, ["samples/gcd.myr", "samples/weak.myr", "all"]);
    for (file, rows) in &files[..2] {
        let variant = |engine: &str| {
            let row = rows.iter().find(|row| row["name"] == "variant" && row["engine"] == engine);
            row.unwrap_or_else(|| panic!("{file} has no row of {engine}"))
        };
        assert!(variant("cpu")["median"].as_f64() > Some(0.0));
        for (name, program) in [("tcc -run", "tcc"), ("gcc -O0", "gcc"), ("gcc -O2", "gcc")] {
            let row = variant(name);
            if installed(program) {
                let differs =
                    rows.iter().find(|row| row["name"] == "differs" && row["engine"] == name).expect("a row");
                assert_eq!(differs["median"], 0.0, "{file}: {name}");
                let faster =
                    rows.iter().find(|row| row["name"] == format!("faster than {name}")).expect("a row");
                let expected = row["median"].as_f64().unwrap() / variant("cpu")["median"].as_f64().unwrap();
                assert!((faster["median"].as_f64().unwrap() / expected - 1.0).abs() < 1e-3, "{faster}");
                assert!(files[2].1.iter().any(|row| row["name"] == faster["name"]));
            } else {
                assert_eq!(row["missing"], format!("{program} is not installed"));
            }
        }
    }
}

fn installed(program: &str) -> bool {
    place(program).is_some()
}

/// Returns the path of an installed program.
fn place(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[test]
fn missing_c_compilers_are_reported() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_myriad"))
        .args(["bench", "peers", "samples/gcd.myr", "--engine", "cpu", "-k", "2", "--repetitions", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", "/nowhere")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    for said in ["tcc is not installed", "gcc is not installed"] {
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn machine_frontend_and_optimizer_benchmarks_report_all_figures() {
    let found = ["machine --engine cpu", "frontend --engine cpu", "optimizer samples/gcd.myr samples/crc.myr"]
        .map(|words| shape(&bench(&format!("{words} {SHORT}"))).join("\n"));
    insta::assert_snapshot!(found.join("\n"), @r"
    built in: arithmetic, k = 1, cpu, million steps per second
    built in: calls, k = 1, cpu, million steps per second
    built in: arrays, k = 1, cpu, million steps per second
    built in: lex, k = 1, cpu, MB/s
    built in: parse, k = 1, cpu, MB/s
    built in: check, k = 1, cpu, MB/s
    built in: lower, k = 1, cpu, MB/s
    built in: optimize, k = 1, cpu, MB/s
    built in: emit, k = 1, cpu, MB/s
    built in: whole, k = 1, cpu, MB/s
    samples/gcd.myr: steps at level 0, k = 1, cpu, count
    samples/gcd.myr: steps at level 1, k = 1, cpu, count
    samples/gcd.myr: steps at level 2, k = 1, cpu, count
    samples/gcd.myr: time of the tests at level 0, k = 1, cpu, ms
    samples/gcd.myr: time of the tests at level 1, k = 1, cpu, ms
    samples/gcd.myr: time of the tests at level 2, k = 1, cpu, ms
    samples/gcd.myr: time per function at level 0, k = 1, cpu, µs
    samples/gcd.myr: time per function at level 1, k = 1, cpu, µs
    samples/gcd.myr: time per function at level 2, k = 1, cpu, µs
    samples/gcd.myr: words at level 0, k = 1, cpu, count
    samples/gcd.myr: words at level 1, k = 1, cpu, count
    samples/gcd.myr: words at level 2, k = 1, cpu, count
    samples/crc.myr: steps at level 0, k = 1, cpu, count
    samples/crc.myr: steps at level 1, k = 1, cpu, count
    samples/crc.myr: steps at level 2, k = 1, cpu, count
    samples/crc.myr: time of the tests at level 0, k = 1, cpu, ms
    samples/crc.myr: time of the tests at level 1, k = 1, cpu, ms
    samples/crc.myr: time of the tests at level 2, k = 1, cpu, ms
    samples/crc.myr: time per function at level 0, k = 1, cpu, µs
    samples/crc.myr: time per function at level 1, k = 1, cpu, µs
    samples/crc.myr: time per function at level 2, k = 1, cpu, µs
    samples/crc.myr: words at level 0, k = 1, cpu, count
    samples/crc.myr: words at level 1, k = 1, cpu, count
    samples/crc.myr: words at level 2, k = 1, cpu, count
    all: steps at level 0, k = 2, cpu, count
    all: steps at level 1, k = 2, cpu, count
    all: steps at level 2, k = 2, cpu, count
    all: words at level 0, k = 2, cpu, count
    all: words at level 1, k = 2, cpu, count
    all: words at level 2, k = 2, cpu, count
    all: steps, level 2 / level 1, k = 2, cpu, times
    all: time of the tests, level 2 / level 1, k = 2, cpu, times
    ");
    let (_, rows) = rows(&bench(&format!("optimizer samples/gcd.myr {SHORT}"))).remove(0);
    let count = |name: &str| {
        rows.iter().find(|row| row["name"] == name).and_then(|row| row["median"].as_f64()).expect(name)
    };
    let steps = [0, 1, 2].map(|level| count(&format!("steps at level {level}")));
    assert!(
        count("words at level 1") < count("words at level 0") && steps.is_sorted_by(|more, less| more >= less)
    );
}

#[test]
fn repairs_are_counted_and_timed() {
    let found = bench(&format!("repair samples/midpoint.myr samples/gcd.myr {SHORT}"));
    insta::assert_snapshot!(shape(&found).join("\n"), @r"
    samples/midpoint.myr: failing tests, k = 2106, cpu, count
    samples/midpoint.myr: candidates, k = 2106, cpu, count
    samples/midpoint.myr: repairs, k = 2106, cpu, count
    samples/midpoint.myr: time, k = 2106, cpu, ms
    samples/gcd.myr: failing tests, k = 0, cpu, count
    samples/gcd.myr: candidates, k = 0, cpu, count
    samples/gcd.myr: repairs, k = 0, cpu, count
    samples/gcd.myr: time, k = 0, cpu, ms
    all: programs that fail, k = 2, cpu, count
    all: programs with a repair, k = 2, cpu, count
    all: time of each, k = 2, cpu, ms
    all: longest time, k = 2, cpu, ms
    ");
    let rows = rows(&found);
    let count = |file: usize, name: &str| {
        let row = rows[file].1.iter().find(|row| row["name"] == name).expect(name);
        row["median"].as_f64().expect("a figure")
    };
    assert!(count(0, "failing tests") > 0.0 && count(0, "repairs") > 0.0);
    // If every test passes, nothing is searched.
    assert_eq!((count(1, "failing tests"), count(1, "candidates"), count(1, "repairs")), (0.0, 0.0, 0.0));
    assert_eq!((count(2, "programs that fail"), count(2, "programs with a repair")), (1.0, 1.0));
}

#[test]
fn broken_program_is_reported_and_the_others_are_measured() {
    for words in
        ["keystrokes --engine cpu --rounds 1 --budget 4", &format!("variants --engine cpu -k 1 {SHORT}")]
    {
        let called = call(&format!("bench {words} samples/broken.myr none.myr samples/gcd.myr --format json"));
        assert_eq!(called.code, 2, "{called:?}");
        assert!(called.stderr.contains("error[E") && called.stderr.contains("none.myr"), "{}", called.stderr);
        let files = called.json()["files"].as_array().expect("files").clone();
        let rows = |file: &Value| file["rows"].as_array().map_or(0, Vec::len);
        assert_eq!(files.len(), 2);
        assert!(rows(&files[0]) == 0 && rows(&files[1]) > 1, "{files:?}");
    }
}

#[test]
fn unwritable_output_is_refused_before_measuring() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for words in [
        format!("bench variants -k 1 --json {}", path("a.myr")),
        format!("bench variants -k 1 --json {}", path("none/a.json")),
        format!("bench page --out {}", path("none/a.md")),
        format!("bench page --out {}", path("a.MYR")),
    ] {
        let called = call(&words);
        assert_eq!((called.code, called.stdout.as_str()), (2, ""), "{called:?}");
    }
    let json = path("a.json");
    let called = call(&format!("bench variants -k 1 --engine cpu {SHORT} --json {json}"));
    let text = std::fs::read_to_string(&json).expect("it is written");
    let document: Value = serde_json::from_str(&text).expect("a document");
    assert!(called.code == 0 && document["files"][0]["rows"].is_array(), "{called:?}");
}

/// The page in the repository matches what the program writes: its text is the template's, its tables have the
/// same lines and columns.
#[cfg(unix)]
#[test]
fn performance_page_matches_its_generated_layout() {
    if skip_unless_thorough() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("page.md");
    // Only the fast C compiler; the optimizing ones are measured by another test.
    let tools = folder.path().join("tools");
    std::fs::create_dir(&tools).expect("a folder");
    if let Some(tcc) = place("tcc") {
        std::os::unix::fs::symlink(tcc, tools.join("tcc")).expect("a link");
    }
    let words = [
        "bench",
        "page",
        "-k",
        "1",
        "--random",
        "1",
        "--repetitions",
        "1",
        "--seconds",
        "0.1",
        "--engine",
        "cpu",
    ];
    let called = std::process::Command::new(env!("CARGO_BIN_EXE_myriad"))
        .args(words)
        .args(["--out", &out.display().to_string()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", &tools)
        .env("MYRIAD_CONFIG", "tests/it/common/config.toml")
        .env("MYRIAD_HISTORY", "")
        .output()
        .expect("it starts");
    assert!(called.status.success(), "{called:?}");
    let made = std::fs::read_to_string(&out).expect("it is written");
    let kept = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/performance.md"))
        .expect("the page");
    assert!(!made.contains("{{"), "{made}");
    // The text that does not depend on the measurement: all lines but tables and those that name the machine.
    let fixed = |page: &str| -> Vec<String> {
        let named = |line: &str| {
            line.starts_with("**On what.**")
                || line.starts_with("it was measured once")
                || line.starts_with("**How.**")
        };
        let lines = page.lines().filter(|line| !line.starts_with('|') && !named(line));
        lines.map(String::from).collect()
    };
    assert_eq!(
        fixed(&made),
        fixed(&kept),
        "docs/performance.md is not what `myriad bench page` writes: write it again"
    );
    let tables = |page: &str| page.lines().filter(|line| line.starts_with("|---")).count();
    assert_eq!(tables(&made), tables(&kept));
    // With k = 1, the only variant of some programs does not compile, so not every table has all programs.
    let lines = |page: &str| -> std::collections::BTreeSet<String> {
        let first = page.lines().filter(|line| line.starts_with("| samples/"));
        first.filter_map(|line| line.split('|').nth(1).map(|name| name.trim().to_string())).collect()
    };
    assert_eq!(lines(&made), lines(&kept), "of other samples");
}

/// The script for machines with a GPU also runs here, with small counts.
#[cfg(unix)]
#[test]
fn the_script_for_devices_runs() {
    if skip_unless_thorough() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("results");
    let script = |arguments: &[&str]| {
        std::process::Command::new("tests/device")
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("it starts")
    };
    let out_name = out.display().to_string();
    let program = env!("CARGO_BIN_EXE_myriad");
    let output = script(&[program, "--small", "--old", program, "--out", &out_name]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let rates = ["counters", "new", "checked", "old"];
    let others = ["engines", "device", "variants", "peers", "machine", "optimizer", "race", "neural"];
    for step in rates.iter().chain(&others) {
        assert!(said.lines().any(|line| line.starts_with(step) && line.contains("good")), "{step}: {said}");
        assert!(out.join(format!("{step}.txt")).is_file(), "{step}");
    }
    for file in ["table.txt", "device.json", "race.csv", "race.svg"] {
        assert!(out.join(file).is_file(), "{file}");
    }
    // The CPU engine, and at least one adapter that agrees with it.
    let document = std::fs::read_to_string(out.join("device.json")).expect("it is written");
    let adapters = rows_of(&serde_json::from_str(&document).expect("a document"));
    assert!(adapters.len() > 1);
    for (adapter, rows) in &adapters[1..] {
        let count =
            |name: &str| rows.iter().find(|row| row["name"] == name).and_then(|row| row["median"].as_f64());
        assert_eq!(count("programs compared"), Some(7.0), "{adapter}");
        assert_eq!(count("programs that differ"), Some(0.0), "{adapter}");
        assert!(count("mutants alike") > Some(4.0), "{adapter}");
        for part in ["keystrokes: base", "variants: rate", "machine: calls", "frontend: whole"] {
            assert!(rows.iter().any(|row| row["name"] == part), "{adapter}: {part}");
        }
    }
    // A wrong call is refused.
    for arguments in [&[][..], &["--out"], &["none"], &["samples"], &["a", "b"], &["a", "--what"]] {
        assert_eq!(script(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

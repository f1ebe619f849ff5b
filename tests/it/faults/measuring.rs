//! Commands that measure, on a device that fails. Their figures differ from run to run, so the tests compare the
//! facts of their documents with those of a run on the CPU engine.

use serde_json::Value;

use super::{HARDWARE, with_faults};
use crate::common::command::{Called, call};
use crate::common::extent::one_in;
use myriad::engine::gpu::shaders;

struct Measuring {
    words: &'static str,
    /// The facts of a document.
    facts: fn(&Value) -> Value,
    /// Entry points that it uses.
    pipelines: &'static [&'static str],
}

const ROUTER: Measuring = Measuring {
    words: "router samples/gcd.myr --format json",
    facts: routes,
    pipelines: &["draw", "embed_source"],
};
const MODEL: Measuring = Measuring {
    words: "model samples/gcd.myr -k 300 --equation 3 --format json",
    facts: equations,
    pipelines: &["classify", "emit", "splice"],
};
const RACE: Measuring = Measuring {
    words: "race samples/gcd.myr -k 40 --repetitions 1 --format json",
    facts: population,
    pipelines: &["emit", "verdict", "draw"],
};
const BENCH_VARIANTS: Measuring = Measuring {
    words: "bench variants -k 300 --repetitions 1 --seconds 0.1 --format json",
    facts: rows_of_the_cpu,
    pipelines: &["emit", "verdict"],
};

fn list(rows: &Value, fields: &[&str]) -> Value {
    let facts = |row: &Value| fields.iter().map(|field| row[*field].clone()).collect::<Value>();
    let list: Value =
        rows.as_array().unwrap_or_else(|| panic!("{rows} is no list")).iter().map(facts).collect();
    assert!(list.as_array().is_some_and(|list| !list.is_empty()));
    list
}

fn routes(document: &Value) -> Value {
    list(&document["files"][0]["functions"], &["function", "features", "score", "evidence"])
}

fn equations(document: &Value) -> Value {
    list(&document["files"][0]["sections"], &["section", "title", "formula"])
}

fn population(document: &Value) -> Value {
    document["files"][0]["population"].clone()
}

/// The rows for one variant: how many more are measured depends on the time.
fn rows_of_the_cpu(document: &Value) -> Value {
    let rows = document["files"][0]["rows"].as_array().expect("rows").iter();
    let own: Value = rows.filter(|row| row["engine"] == "cpu" && row["k"] == 1).cloned().collect();
    list(&own, &["name", "unit", "k"])
}

/// Counts the notes on the failed device: on standard error, or in a race in the rows of contestants.
fn mentions(called: &Called) -> usize {
    let notes = called.stderr.lines().inspect(|line| assert!(line.starts_with("note: "), "{line}")).count();
    let contestants = called.file()["contestants"].as_array().cloned().unwrap_or_default();
    let hows = contestants.iter().filter_map(|row| row["how"].as_str());
    notes + hows.filter(|how| how.contains("the CPU engine goes on") || how.contains("a device failed")).count()
}

impl Measuring {
    fn fails_over(&self, faults: &[(&str, &str)], expected: &Value) -> Option<()> {
        let folder = tempfile::tempdir().expect("a folder");
        let faults: Vec<(&str, &str)> = [HARDWARE].into_iter().chain(faults.iter().copied()).collect();
        let found = with_faults(self.words, folder.path(), &faults)?;
        assert_eq!(found.code, 0, "{} {faults:?}: {}", self.words, found.stderr);
        assert_eq!((self.facts)(&found.json()), *expected, "{} {faults:?}", self.words);
        assert!(mentions(&found) > 0, "{} {faults:?}: no note", self.words);
        // A race opens the device once for each contestant that uses it.
        let most = if self.words.starts_with("race") { 3 } else { 1 };
        assert!(mentions(&found) <= most, "{} {faults:?}: {}", self.words, found.stderr);
        Some(())
    }
}

fn continues_on_the_cpu(command: &Measuring) {
    let expected = (command.facts)(&call(&format!("{} --engine cpu", command.words)).json());
    let submissions = ["1", "2", "3", "4"].map(|number| ("LAYER_FAIL_SUBMIT", number));
    for entry in command.pipelines {
        assert!(shaders::all().any(|shader| shader.entries.contains(entry)), "no entry point {entry}");
    }
    let pipelines = command.pipelines.iter().map(|entry| ("LAYER_FAIL_PIPELINE", *entry));
    for fault in one_in(1, submissions.into_iter().chain(pipelines)) {
        if command.fails_over(&[fault], &expected).is_none() {
            return;
        }
    }
}

// A test each, as a command with all its faults takes half a minute.

#[test]
fn router_continues_on_the_cpu() {
    continues_on_the_cpu(&ROUTER);
}

#[test]
fn model_continues_on_the_cpu() {
    continues_on_the_cpu(&MODEL);
}

#[test]
fn race_continues_on_the_cpu() {
    continues_on_the_cpu(&RACE);
}

#[test]
fn benchmark_of_variants_continues_on_the_cpu() {
    continues_on_the_cpu(&BENCH_VARIANTS);
}

//! Every option and argument of every command receives hostile values.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::calls::{Call, judge_all};
use super::scan::{self, ALL};
use super::{assert_none, inputs};
use crate::common::extent::one_in;

/// Options that make a race short.
const SHORT_RACE: [&str; 8] = ["-k", "2", "--contestants", "cpu", "--repetitions", "1", "--engine", "cpu"];

/// Returns options that make a benchmark short.
fn short_benchmark(name: &str) -> &'static str {
    match name {
        "keystrokes" => "--rounds 1 --budget 1",
        "machine" | "frontend" | "optimizer" | "fill" => "--repetitions 1 --seconds 0.1",
        "variants" | "peers" => "-k 1 --repetitions 1 --seconds 0.1",
        "device" | "page" => "-k 1 --random 1 --repetitions 1 --seconds 0.1",
        _ => "",
    }
}

/// Every option and argument of every command, taken from the declaration, receives each hostile value in each
/// form, or one in three of all these calls. Three does not divide the number of forms, so all forms occur.
#[test]
fn hostile_arguments_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.myr"), inputs::good()).unwrap();
    std::fs::write(folder.path().join("a.tape"), "Sleep 1ms\n").unwrap();
    let values: Vec<OsString> = vec![
        ALL.into(),
        format!("a\n{}\n", scan::FORGED).into(),
        OsString::from(OsStr::from_bytes(b"\xff\x9b2J")),
        format!("-{ALL}").into(),
    ];
    let mut all = vec![];
    fn add(path: &[OsString], command: &clap::Command, values: &[OsString], all: &mut Vec<Vec<OsString>>) {
        for value in values {
            all.push([path, std::slice::from_ref(value)].concat());
            all.push([path, &["a.myr".into(), value.clone()]].concat());
            for option in command.get_arguments().filter_map(|argument| argument.get_long()) {
                let long = OsString::from(format!("--{option}"));
                let mut joined = long.clone();
                joined.push("=");
                joined.push(value);
                all.push([path, &["a.myr".into(), joined]].concat());
                let mut similar = long.clone();
                similar.push(value);
                all.push([path, &["a.myr".into(), similar]].concat());
            }
        }
        for inner in command.get_subcommands() {
            add(&[path, &[inner.get_name().into()]].concat(), inner, values, all);
        }
    }
    for value in &values {
        for words in [
            "run a.myr VALUE",
            "run a.myr f VALUE",
            "run a.myr f 1 VALUE",
            "run a.myr f 1 --trace --from VALUE --steps VALUE",
            "test a.myr --trace VALUE",
            "neural a.myr --function VALUE",
            "stages a.myr --after VALUE",
            "mutate a.myr --operators VALUE",
            "explain VALUE",
            "--engine VALUE check a.myr",
            "check VALUE a.myr",
            "VALUE check a.myr",
            "race a.myr --csv /dev/null/VALUE",
            "race a.myr --svg /dev/null/VALUE",
            "demo VALUE",
            "demo a.tape --cast /dev/null/VALUE",
            "demo a.tape --svg /dev/null/VALUE",
            "demo a.tape --slides /dev/null/VALUE",
            "train --plot --out VALUE",
            "train --out /dev/null/VALUE",
            "train --resume --out VALUE",
            "neural a.myr --weights VALUE",
            "model a.myr -k 1 --equation 3 --weights VALUE --engine cpu",
            "router a.myr --weights VALUE",
        ] {
            let mut arguments: Vec<OsString> = vec![];
            for word in words.split(' ') {
                let mut argument = OsString::from(word.strip_suffix("VALUE").unwrap_or(word));
                if word.ends_with("VALUE") {
                    argument.push(value);
                }
                arguments.push(argument);
            }
            all.push(arguments);
        }
    }
    // `train` with a wrong option would start training.
    let trains = |path: &[OsString]| path.first().is_some_and(|word| word == "train");
    // `bench frames` is left out, because it types for a minute. `bench keystrokes` reads files in the same way.
    let types = |path: &[OsString]| path.get(1).is_some_and(|word| word == "frames");
    let mut declared = vec![];
    add(&[], &myriad::cli::command(), &values, &mut declared);
    all.extend(one_in(3, declared.into_iter().filter(|arguments| !trains(arguments) && !types(arguments))));
    let calls = all.iter().enumerate().map(|(number, arguments)| {
        let mut arguments = arguments.clone();
        if arguments.first().is_some_and(|word| word == "race") {
            // Any value is a valid file name, and a race takes long.
            arguments.splice(1..1, SHORT_RACE.map(OsString::from));
        }
        if arguments.first().is_some_and(|word| word == "bench") {
            // A benchmark takes long, too.
            let short = short_benchmark(arguments.get(1).and_then(|word| word.to_str()).unwrap_or_default());
            let at = arguments.len().min(2);
            arguments.splice(at..at, short.split_whitespace().map(OsString::from));
        }
        Call::new(&arguments, folder.path()).forms()[number % 4].clone()
    });
    assert_none(judge_all(&calls.collect::<Vec<_>>()));
}

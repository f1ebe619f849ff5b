//! Text from programs, names, arguments, configurations or the environment reaches a terminal only as text:
//! every command is called with hostile input, and its output is checked byte by byte.
//!
//! `MYRIAD_SCALE=500` tries 100,000 randomly changed inputs.
#![cfg(unix)]

mod arguments;
pub mod calls;
mod inputs;
mod pty;
mod random;
pub mod scan;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use calls::{Call, judge_all};
use scan::ALL;

use crate::common::extent::{exhaustive, one_in};

/// Panics with a list if anything is wrong.
#[track_caller]
fn assert_none(wrong: Vec<String>) {
    let list = wrong.iter().take(60).map(|why| format!("{why}\n")).collect::<String>();
    assert!(wrong.is_empty(), "{} of the calls:\n{list}", wrong.len());
}

/// Returns calls of each command that take a file and do little work; empty for commands without files. An
/// unknown command fails the tests.
fn on_a_file(command: &str) -> Vec<&'static str> {
    match command {
        "check" => vec!["check FILE --engine cpu"],
        "fmt" => vec!["fmt FILE", "fmt --check FILE --format json"],
        "test" => vec![
            "test FILE --engine cpu --timings",
            "test FILE --engine cpu --seconds 5",
            "test FILE --engine cpu --trace 0",
        ],
        "run" => vec![
            "run FILE f 1 --engine cpu --timings",
            "run FILE f 1 --engine cpu --trace",
            "run FILE f 1 --engine cpu --compiler neural -k 2",
            "run FILE f 1 --engine cpu --compiler hybrid -k 2",
        ],
        "stages" => vec![
            "stages FILE --engine cpu",
            "stages FILE --engine cpu --after fold",
            "stages FILE --engine cpu --stage symbols,calls",
            "stages FILE --engine cpu --stage calls --dot",
        ],
        "mutate" => vec![
            "mutate FILE --engine cpu --budget 40 --order 2",
            "mutate FILE --engine cpu --group strong --list --diff",
            "mutate FILE --engine cpu --budget 20 --matrix --since FILE",
        ],
        "rules" => vec![
            "rules FILE",
            "rules FILE FILE --format json",
            "test FILE --rules FILE",
            "stages FILE --rules FILE",
        ],
        "improve" => vec!["improve FILE --seconds 2", "improve --import FILE"],
        "page" => vec!["page FILE --engine cpu", "page FILE --engine cpu --run f(1)"],
        "prove" => vec!["prove FILE FILE --engine cpu", "prove FILE --mutant 1 --engine cpu --format json"],
        "neural" => vec!["neural FILE --engine cpu -k 2"],
        "model" => vec!["model FILE --engine cpu -k 1 --equation 3"],
        "export" => vec!["export FILE --to c"],
        "race" => {
            vec!["race FILE --engine cpu -k 3 --contestants conventional,cpu --repetitions 1 --seconds 2"]
        }
        "repair" => {
            vec!["repair FILE --engine cpu --seconds 1", "repair FILE --engine cpu --format json --most 1"]
        }
        "fill" => vec!["fill FILE --engine cpu --seconds 1", "fill FILE --engine cpu --format json --most 1"],
        "batch" => vec![
            "batch FILE --engine cpu --pass-at 1",
            "batch - --base FILE --engine cpu --timings",
            "batch - --tests FILE --engine cpu",
        ],
        "merge" => vec!["merge FILE --pass-at 1", "merge FILE FILE --min-score 3"],
        "demo" => vec!["demo FILE", "demo FILE --check"],
        "router" => vec!["router FILE --engine cpu -k 2"],
        "noise" => vec!["noise FILE --engine cpu -k 3"],
        "bench" => vec![
            "bench keystrokes FILE --engine cpu --rounds 1 --budget 1",
            "bench variants FILE --engine cpu -k 1 --repetitions 1",
            "bench peers FILE --engine cpu -k 1 --repetitions 1 --seconds 0.1",
            "bench optimizer FILE --engine cpu --repetitions 1",
            "bench repair FILE --repetitions 1 --seconds 0.1",
            "bench fill FILE --repetitions 1 --seconds 0.1",
        ],
        "learn" => vec!["learn --check FILE --engine cpu", "learn --check FILE --solution FILE --format json"],
        // `watch` ends only with an interrupt.
        "engines" | "explain" | "config" | "completions" | "man" | "train" | "lsp" | "watch" => vec![],
        other => panic!("`{other}` has no hostile call: add it here"),
    }
}

/// Commands that measure; they are called once for a program that compiles, not in every form.
const SLOW: [&str; 3] = ["model", "bench", "neural"];

fn commands() -> Vec<clap::Command> {
    myriad::cli::command().get_subcommands().cloned().collect()
}

/// Builds a call from words separated by blanks, with a file in place of FILE.
fn call(words: &str, file: &OsStr, folder: &Path) -> Call {
    let words: Vec<&OsStr> =
        words.split(' ').map(|word| if word == "FILE" { file } else { OsStr::new(word) }).collect();
    Call::new(&words, folder)
}

#[test]
fn hostile_file_contents_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = vec![];
    let mut form = 0;
    for command in commands() {
        for words in on_a_file(command.get_name()) {
            for (what, bytes) in inputs::contents() {
                let name = format!("{what}.myr");
                std::fs::write(folder.path().join(&name), bytes).unwrap();
                let forms = call(words, OsStr::new(&name), folder.path()).forms();
                let compiles = matches!(what, "good" | "failing");
                if SLOW.contains(&command.get_name()) || !compiles || !exhaustive() {
                    // Each in one form, with the forms in rotation.
                    all.push(forms[form % 4].clone());
                    form += 1;
                } else {
                    all.extend(forms);
                }
            }
        }
    }
    assert!(all.len() > 150);
    assert_none(judge_all(&one_in(1, all)));
}

#[test]
fn hostile_file_names_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = vec![];
    let mut form = 0;
    let broken = "fn f(a: int) -> int { return b; }\ntest f(1) == 2;\n";
    for (number, name) in inputs::names().into_iter().enumerate() {
        let text = match number % 3 {
            0 => broken.to_string(),
            1 => inputs::failing(),
            _ => inputs::good(),
        };
        std::fs::write(folder.path().join(&name), text).unwrap();
        // A name that begins with a dash needs a folder to be taken for a file.
        let mut path = OsString::from(if name.as_bytes()[0] == b'-' { "./" } else { "" });
        path.push(&name);
        let mut missing = OsString::from("none-");
        missing.push(&name);
        for command in commands() {
            for words in on_a_file(command.get_name()) {
                let file = if form % 5 == 4 { &missing } else { &path };
                if !(SLOW.contains(&command.get_name()) && number % 3 > 0) {
                    all.push(call(words, file, folder.path()).forms()[form % 4].clone());
                }
                form += 1;
            }
        }
        // The workbench without a terminal, and a word that should be a command.
        all.push(Call::new(&[&path], folder.path()));
        all.push(Call::new(&[&missing], folder.path()).coloured());
        all.push(Call::new(&[name.as_os_str(), OsStr::new("x")], folder.path()));
    }
    assert_none(judge_all(&one_in(1, all)));
}

/// All possible contents of a line are escaped, and every other line is judged.
#[test]
fn hostile_batch_lines_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.myr"), inputs::good()).unwrap();
    let mut all = vec![];
    for (what, bytes) in inputs::contents() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let line = |id: serde_json::Value, field: &str| {
            format!("{}\n", serde_json::json!({"id": id, "group": ALL, field: text}))
        };
        let mut input: Vec<u8> = [
            line(ALL.into(), "source"),
            line(format!("{}\n{what}", scan::FORGED).into(), "function"),
            format!("{{\"id\": \"{ALL}\", \"source\": \"\"}}\n"),
        ]
        .concat()
        .into();
        // Bytes that are not a line, and JSON escapes of hidden characters.
        input.extend_from_slice(&bytes);
        input.extend(b"\n{\"id\": \"\\u001b[8;5m\\u202e\\u0000\", \"source\": \"fn f() -> int { return 1; } test \\u001b\"}\n");
        for words in ["batch", "batch --base a.myr --pass-at 1,2", "batch --tests a.myr"] {
            let call = Call::new(
                &[words.split(' ').collect::<Vec<_>>(), vec!["--engine", "cpu"]].concat(),
                folder.path(),
            );
            all.extend(call.input(&input).forms());
        }
    }
    assert_none(judge_all(&one_in(1, all)));
}

/// A tape with hostile text in each position.
#[test]
fn hostile_tapes_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let mut tapes = vec![];
    for quote in ['"', '\'', '`'] {
        let text: String = format!("{ALL}\u{1b}[8;5m").replace([quote, '\n', '\r'], " ");
        for line in [
            "VALUE",
            "Type VALUE",
            "Wait@10ms VALUE",
            "Still VALUE",
            "Still a VALUE",
            "Open VALUE",
            "Set Title VALUE",
            "Set VALUE VALUE",
            "Set Width VALUE",
            "Sleep VALUE",
            "Down VALUE",
            "Type@VALUE VALUE",
            "VALUE@10ms",
        ] {
            tapes.push(line.replace("VALUE", &format!("{quote}{text}{quote}")));
            tapes.push(line.replace("VALUE", &text));
        }
    }
    let mut all = vec![];
    for (number, tape) in tapes.iter().enumerate() {
        let name = format!("{number}.tape");
        std::fs::write(folder.path().join(&name), tape).unwrap();
        let svg = format!("{number}.svg");
        let words = ["demo", &name, "--svg", &svg];
        all.push(Call::new(&words, folder.path()).forms()[number % 4].clone());
    }
    assert_none(judge_all(&all));
    // Pictures show control characters as text.
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "svg") {
            let drawn = std::fs::read(&path).unwrap();
            assert_eq!(scan::offence(&drawn, false), None, "{}", path.display());
        }
    }
}

/// The output of shards may have been modified by anyone.
#[test]
fn hostile_shards_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let quoted = serde_json::json!(ALL).to_string();
    let texts = [
        "{\"shard\":{\"index\":1,\"of\":1,\"by\":\"lines\"}}\n{\"id\":VALUE,\"group\":VALUE,\"status\":\"pass\"}\n\
         {\"shard\":{\"index\":1,\"of\":1,\"by\":\"lines\",\"lines\":1}}\n",
        "{\"shard\":{\"index\":1,\"of\":1,\"by\":\"lines\"}}\n{\"id\":1,\"status\":VALUE}\n\
         {\"shard\":{\"index\":1,\"of\":1,\"by\":\"lines\",\"lines\":1}}\n",
        "{\"version\":VALUE,\"shard\":{\"index\":1,\"of\":1,\"by\":\"mutants\"},\"files\":[{\"file\":VALUE,VALUE:VALUE,\"mutants\":[]}]}",
        "{\"version\":1,\"shard\":{\"index\":1,\"of\":1,\"by\":\"mutants\"},\"files\":[{\"mutants\":[{\"id\":1,\"status\":VALUE}]}]}",
        "{\"version\":1,\"shard\":{\"index\":1,\"of\":1,\"by\":\"files\"},\"files\":[VALUE,{\"diagnostics\":[VALUE]}]}",
    ];
    let mut all = vec![];
    for (number, text) in texts.iter().enumerate() {
        for (form, value) in [quoted.as_str(), &format!("\"{ALL}\"")].into_iter().enumerate() {
            let name = format!("part-{number}-{form}");
            std::fs::write(folder.path().join(&name), text.replace("VALUE", value)).unwrap();
            all.extend(Call::new(&["merge", &name, "--pass-at", "1"], folder.path()).forms());
            all.extend(Call::new(&["merge", &name], folder.path()).forms());
        }
    }
    assert_none(judge_all(&all));
}

#[test]
fn hostile_configurations_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let (forged, quoted) =
        (scan::FORGED, ALL.replace(['\r', '\u{c}', '\u{b}', '\u{8}', '\u{7}', '\u{1b}'], ""));
    let texts: Vec<Vec<u8>> = vec![
        format!("[engine]\n\"{quoted}\" = 1\n").into_bytes(),
        format!("[\"{quoted}\"]\nx = 1\n").into_bytes(),
        format!("\"a\\n{forged}\\u001b[8;5m\\u009b2J\" = 1\n").into_bytes(),
        format!("[engine]\nchoice = \"gpu{quoted}\"\nbudget = \"\\n{forged}\\u001b]0;x\"\n").into_bytes(),
        format!("[engine]\nchoice = {ALL}\n").into_bytes(),
        format!("[engine {ALL}").into_bytes(),
        format!("# {ALL}\n[router]\ntheta = \"{ALL}\"\n").into_bytes(),
        b"[engine]\nbudget = \xff\x9b2J\n".to_vec(),
        b"a\0b = 1".to_vec(),
    ];
    let names = ["config.toml", "a\u{9b}2J\u{202e}\u{1b}[8;5m.toml", &format!("a\n{forged}.toml")];
    let mut all = vec![];
    for (number, text) in texts.iter().enumerate() {
        for (place, name) in names.iter().enumerate() {
            let path = folder.path().join(format!("{number}-{name}"));
            std::fs::write(&path, text).unwrap();
            for words in ["config", "check -", "explain E0101"] {
                let call = Call::new(&words.split(' ').collect::<Vec<_>>(), folder.path());
                all.push(call.with("MYRIAD_CONFIG", &path).forms()[(number + place) % 4].clone());
            }
        }
    }
    assert_none(judge_all(&all));
}

/// Variables that the program or its libraries read.
const VARIABLES: [&str; 24] = [
    "MYRIAD_CHECKED_SHADERS",
    "MYRIAD_CACHE",
    "MYRIAD_CONFIG",
    "MYRIAD_HISTORY",
    "MYRIAD_PATIENCE",
    "MYRIAD_WEIGHTS",
    "MYRIAD_TEST_PANIC",
    "NODEVICE_SELECT",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "TERM",
    "COLUMNS",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "TMPDIR",
    "PATH",
    "RUST_BACKTRACE",
    "MYRIAD_LEARNED",
];

#[test]
fn hostile_environment_variables_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.myr"), inputs::good()).unwrap();
    let forged = format!("/dev/null/a\n{}\u{1b}[8;5m", scan::FORGED);
    let values = [
        OsString::from(ALL),
        forged.into(),
        OsString::from(OsStr::from_bytes(b"/dev/null/\xff\x9b2J\x1b[8;5m")),
    ];
    let mut all = vec![];
    for (number, variable) in VARIABLES.iter().enumerate() {
        for (place, value) in values.iter().enumerate() {
            for words in [
                "check a.myr --engine cpu",
                "config",
                "--help",
                "a.myr",
                "run a.myr f 1 --engine cpu --compiler neural -k 2",
                "run a.myr f 1 --engine cpu --compiler hybrid -k 2 --theta inf",
                "router --reset",
                "improve --list",
                "race a.myr --engine cpu -k 1 --contestants external,cpu --repetitions 1 --seconds 2",
            ] {
                let mut call = Call::new(&words.split(' ').collect::<Vec<_>>(), folder.path());
                call = call.with(variable, value);
                // Some of them enable colours.
                call.colours = *variable == "CLICOLOR_FORCE";
                if ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].contains(variable) {
                    // Variables that name another file must not interfere.
                    call.environment.insert(0, ("MYRIAD_CONFIG", "".into()));
                }
                let form = (number + place) % 4;
                all.push(if call.colours { call } else { call.forms()[form].clone() });
            }
        }
    }
    assert_none(judge_all(&one_in(1, all)));
}

#[test]
fn every_environment_variable_read_is_tested() {
    fn look(folder: &Path, found: &mut Vec<String>) {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                look(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                for part in text.split("env::var").skip(1) {
                    let inside = part.split_once('(').map_or("", |(_, rest)| rest);
                    found.extend(
                        inside.strip_prefix('"').and_then(|rest| rest.split('"').next()).map(String::from),
                    );
                }
                let named = text.lines().filter(|line| line.contains("VARIABLE: &str = \""));
                found.extend(named.filter_map(|line| line.split('"').nth(1)).map(String::from));
            }
        }
    }
    let mut found = vec![];
    look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.retain(|name| !["MYRIAD_BLESS"].contains(&name.as_str()));
    assert!(found.len() >= 6, "{found:?}");
    for name in found {
        assert!(VARIABLES.contains(&name.as_str()), "`{name}` is read: add it to the variables here");
    }
}

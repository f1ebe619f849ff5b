//! The contract of the command line: exit codes, messages, and the shape of documents.

mod calls;
mod configuration;
mod documents;
mod fill;
mod holes;
mod limits;
mod mutate;
mod partial;

use crate::common::command::{Called, call, myriad};
use serde_json::json;

const GCD: &str = "fn gcd(a: int, b: int) -> int {
    while b != 0 { let t = a % b; a = b; b = t; }
    return a;
}
test gcd(12, 18) == 6;
";

/// Checks that a call ended with `code` and printed each of `words` on standard error.
fn refused(called: &Called, code: i32, words: &[&str]) {
    assert_eq!(called.code, code, "{called:?}");
    for word in words {
        assert!(called.stderr.contains(word), "`{word}` is not said: {}", called.stderr);
    }
    assert!(!called.stderr.contains("panicked"), "{}", called.stderr);
}

fn run(program: &str, words: &[&str]) -> Called {
    let mut arguments = vec!["run", "-"];
    arguments.extend(words);
    arguments.extend(["--engine", "cpu", "--format", "json"]);
    myriad(&arguments, program.as_bytes())
}

#[test]
fn invalid_arguments_are_refused() {
    refused(&call("--nonsense"), 2, &["--nonsense", "--help"]);
    refused(&call("check"), 2, &["FILE"]);
    refused(&call("check samples/gcd.myr --engine tpu"), 2, &["tpu", "auto", "cpu", "gpu"]);
    refused(&call("check samples/gcd.myr --format yaml"), 2, &["yaml", "json"]);
    refused(&call("explain E9999"), 2, &["E9999", "myriad explain"]);
    refused(&call("explain inlin"), 2, &["inlin", "did you mean `myriad explain inline`?"]);
    refused(&call("frobnicate"), 2, &["frobnicate", "--help"]);
    refused(&call("frobnicate a b"), 2, &[]);
    refused(&call("stages samples/gcd.myr --stage soup"), 2, &["soup", "tokens"]);
    refused(&call("stages samples/gcd.myr --stage ir --after lunch"), 2, &["lunch", "fold"]);
    refused(&call("mutate samples/gcd.myr --order 3"), 2, &["3"]);
    refused(&call("mutate samples/gcd.myr --min-score 101"), 2, &["percentage"]);
    refused(&call("mutate samples/gcd.myr --operators sideways"), 2, &["sideways", "relational"]);
    refused(&call("completions tcsh9"), 2, &["bash", "fish"]);
}

#[test]
fn help_and_version_print_to_stdout() {
    for words in ["--help", "-h", "--version", "check --help", "mutate --help", "bench keystrokes --help"] {
        let called = call(words);
        assert_eq!((called.code, called.stderr.as_str()), (0, ""), "{words}");
    }
    for command in [
        "check",
        "test",
        "run",
        "stages",
        "mutate",
        "neural",
        "engines",
        "learn",
        "explain",
        "completions",
        "bench keystrokes",
    ] {
        let help = call(&format!("{command} --help")).stdout;
        assert!(help.contains(&format!("  myriad {command}")), "{command} has no example:\n{help}");
        assert!(help.contains("--format"), "{command} lacks --format");
    }
}

#[test]
fn every_command_is_in_one_task_of_the_help() {
    let help = call("--help").stdout;
    let mut listed = Vec::new();
    for (task, commands) in myriad::cli::tasks() {
        let (_, rest) =
            help.split_once(&format!("\n{task}:\n")).unwrap_or_else(|| panic!("no {task}:\n{help}"));
        let lines: Vec<&str> = rest.lines().take_while(|line| !line.is_empty()).collect();
        let wanted: Vec<String> =
            commands.iter().map(|(name, purpose)| format!("  {name:<12}{purpose}")).collect();
        assert_eq!(lines, wanted, "{task}");
        listed.extend(commands.iter().map(|(name, _)| name.to_string()));
    }
    let command = myriad::cli::command();
    let mut all: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_string()).collect();
    all.sort();
    listed.sort();
    assert_eq!(listed, all, "each command is in one task");
    assert!(
        ["Arguments:", "Options:", "Examples:", "Exit codes:"].iter().all(|part| help.contains(part)),
        "{help}"
    );
}

#[test]
fn long_lists_of_options_have_headings() {
    for (command, heading, option) in [
        ("mutate", "Which mutants", "--since"),
        ("mutate", "Why mutants survive", "--why"),
        ("run", "Draw candidates", "--top-p"),
        ("run", "Routing", "--theta"),
        ("check", "Options of many commands", "--engine"),
    ] {
        let help = call(&format!("{command} --help")).stdout;
        let (_, rest) = help.split_once(&format!("\n{heading}:\n")).expect(heading);
        let group: Vec<&str> =
            rest.lines().take_while(|line| line.is_empty() || line.starts_with(' ')).collect();
        assert!(group.iter().any(|line| line.contains(option)), "{command} {heading}:\n{help}");
        let page = call(&format!("man {command}")).stdout.replace("\\-", "-");
        assert!(
            page.contains(&heading.to_uppercase()) && page.contains(option),
            "{command} {heading}:\n{page}"
        );
    }
}

#[test]
fn options_that_can_have_no_effect_are_refused_and_not_listed() {
    let options = ["--engine cpu", "--opt 0", "--exact", "--timings"];
    for (command, refused) in [
        ("fmt samples/gcd.myr", &options[..]),
        ("man", &options),
        ("completions bash", &options),
        ("explain E0401", &options),
        ("config", &options),
        ("learn", &options),
        ("improve --list", &options),
        ("merge nothing.json", &options),
        ("engines", &options[1..]),
        ("bench variants", &["--timings"]),
        ("race samples/gcd.myr", &["--opt 0", "--timings"]),
        ("test samples/gcd.myr", &["--exact"]),
        ("watch samples/gcd.myr", &["--engine cpu", "--timings"]),
        ("prove samples/gcd.myr samples/gcd.myr", &["--exact", "--timings"]),
    ] {
        let name = command.split(' ').next().unwrap_or_default();
        let help = call(&format!("{name} --help")).stdout;
        for option in refused {
            let word = option.split(' ').next().unwrap_or_default();
            for words in [format!("{command} {option}"), format!("{option} {command}")] {
                let called = call(&words);
                let said = format!("unexpected argument '{word}' found");
                assert_eq!((called.code, called.stdout.as_str()), (2, ""), "{words}");
                assert!(
                    called.stderr.contains(&said) && called.stderr.contains("Usage: "),
                    "{}",
                    called.stderr
                );
            }
            assert!(
                name == "learn" || !help.contains(&format!("      {word} ")),
                "{name} lists {word}:\n{help}"
            );
        }
    }
    for words in [
        "check samples/gcd.myr --engine cpu --opt 2",
        "--exact mutate samples/gcd.myr --engine cpu --timings --list",
    ] {
        assert_eq!(call(words).code, 0, "{words}");
    }
    for words in ["fmt samples/gcd.myr", "explain E0401", "config", "learn"] {
        assert!(call(&format!("{words} --format json")).json().is_object(), "{words}");
    }
}

#[test]
fn unreadable_files_are_refused() {
    refused(&call("check nowhere.myr"), 2, &["nowhere.myr", "no such file"]);
    refused(&call("nowhere.myr"), 2, &["nowhere.myr"]);
    refused(&call("check samples"), 2, &["samples", "directory"]);
    refused(&call("run nowhere.myr f"), 2, &["nowhere.myr"]);
    refused(&call("check - -"), 2, &["more than once"]);
    refused(&myriad(&["check", "-"], b"fn f() \xff"), 2, &["<stdin>", "UTF-8", "byte 7"]);
}

#[test]
fn among_several_files_the_highest_code_wins() {
    let called = call("check samples/gcd.myr nowhere.myr samples/broken.myr --engine cpu --format json");
    refused(&called, 2, &["nowhere.myr"]);
    let files = called.json()["files"].clone();
    let names: Vec<&str> = files.as_array().unwrap().iter().map(|f| f["file"].as_str().unwrap()).collect();
    assert_eq!(names, ["samples/gcd.myr", "samples/broken.myr"]);
    assert_eq!(call("check samples/gcd.myr samples/broken.myr --engine cpu").code, 1);
    assert_eq!(call("check samples/gcd.myr samples/crc.myr --engine cpu").code, 0);
}

#[test]
fn engines_are_listed() {
    let called = call("engines --format json");
    assert_eq!(called.code, 0);
    let document = called.json();
    assert_eq!(document["version"], 1);
    let engines = document["engines"].as_array().unwrap().clone();
    assert_eq!(engines.iter().filter(|engine| engine["chosen"] == true).count(), 1, "{document}");
    assert!(engines.iter().all(|engine| engine["reason"].is_string() && engine["kind"].is_string()));
    assert_eq!(call("engines").code, 0);
}

#[test]
fn closed_output_pipe_is_not_an_error() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    for words in [
        &["explain"][..],
        &["stages", "samples/gcd.myr", "--engine=cpu"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_myriad"))
            .args(words)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""), "{words:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn missing_gpu_fails_only_if_requested() {
    // A machine without drivers.
    let without = |words: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_myriad"))
            .args(words.split(' '))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("VK_DRIVER_FILES", "/nonexistent")
            .env("VK_ICD_FILENAMES", "/nonexistent")
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for command in ["check", "test", "stages", "mutate"] {
        let (code, said) = without(&format!("{command} samples/gcd.myr --engine gpu"));
        assert!(code == Some(3) && said.contains("--engine cpu"), "{command}: {said}");
    }
    assert_eq!(without("run samples/gcd.myr gcd 12 18 --engine gpu").0, Some(3));
    assert_eq!(without("run samples/gcd.myr gcd 12 18").0, Some(0));
    assert_eq!(without("engines").0, Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn unwritable_standard_output_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_myriad"))
        .args(["explain", "E0401"])
        .stdout(full)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("standard output"), "{said}");
}

#[test]
fn manual_pages_are_printed_for_the_program_and_its_commands() {
    for (words, title) in [("man", ".TH myriad 1"), ("man mutate", ".TH myriad-mutate 1")] {
        let called = call(words);
        assert!(called.code == 0 && called.stdout.contains(title), "{words}: {}", called.stdout);
        assert!(called.stdout.contains(".SH OPTIONS"), "{words}: {}", called.stdout);
    }
    refused(&call("man mutat"), 2, &["mutat", "mutate"]);
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let called = call(&format!("completions {shell}"));
        assert!(called.code == 0 && called.stdout.contains("myriad"), "{shell}");
        // The scripts of these shells complete arguments: here the names of codes and passes.
        let complete = called.stdout.contains("unreachable") && called.stdout.contains("E0401");
        assert_eq!(complete, ["bash", "zsh"].contains(&shell), "{shell}");
    }
}

#[test]
fn passes_are_explained_with_code_before_and_after() {
    let called = call("explain hoist");
    assert_eq!(called.code, 0);
    for part in ["# hoist: ", "It does not apply if", "```myr\nfn fill", "Before:", "After:", "STORE_VAR"] {
        assert!(called.stdout.contains(part), "{part}: {}", called.stdout);
    }
    let document = call("explain fold --format json").json();
    let page = &document["passes"][0];
    assert_eq!((page["name"].as_str(), page["level"].as_u64()), (Some("fold"), Some(1)));
    let [before, after] = ["before", "after"].map(|key| page[key].as_str().unwrap_or_default());
    assert!(before.contains("BINARY_MUL") && after.contains("LOAD_CONST            12"), "{document}");
    assert_eq!(document["explain"].as_array().map(Vec::len), Some(0));
    // A mark, a status, an instruction with an operator of its name, and a trap.
    for (name, parts) in [
        ("✗", vec!["no test notices the change", "the program does not compile"]),
        ("SURVIVED", vec!["no test notices the change"]),
        ("jump", vec!["# JUMP, instruction", "# jump, mutation operator", "continue"]),
        ("dividebyzero", vec!["# DivideByZero, trap", "sum / count"]),
    ] {
        let page = call(&format!("explain {name}")).stdout;
        assert!(parts.iter().all(|part| page.contains(part)), "{name}: {page}");
    }
    let document = call("explain load_var --format json").json();
    assert_eq!(document["terms"][0]["kind"], "instruction");
    assert!(document["terms"][0]["shown"].as_str().is_some_and(|shown| shown.contains("LOAD_VAR")));
    let all = call("explain").stdout;
    for name in myriad::report::steps::names() {
        assert!(all.contains(&format!("\n{name} ")), "{name}");
    }
}

#[test]
fn keystrokes_benchmark_rows_have_all_fields() {
    let called = call("bench keystrokes --engine cpu --format json --budget 32 --rounds 1");
    assert_eq!(called.code, 0, "{called:?}");
    let rows = called.file()["rows"].as_array().unwrap().clone();
    for row in &rows {
        for field in ["name", "k", "bytes", "tests", "engine", "adapter", "median", "spread", "unit"] {
            assert!(row.get(field).is_some(), "{field} in {row}");
        }
    }
    assert!(rows.len() >= 2);
}

#[test]
fn test_over_its_time_limit_is_cancelled_and_named() {
    let props: Vec<String> = (0..10)
        .map(|i| format!("prop \"slow {i}\": a in 0..1000, b in 0..1000 => count(a) > b - 1000;"))
        .collect();
    let program = format!(
        "fn count(n: int) -> int {{ let k = 0; while k < 50000 {{ k = k + 1; }} return k + n; }}\n{}",
        props.join("\n")
    );
    let words = ["test", "-", "--engine", "cpu", "--seconds", "0.1"];
    let called = myriad(&words, program.as_bytes());
    refused(&called, 1, &["did not end within 0.1 s", "slow ", "step limit"]);
    let called = myriad(&[&words[..], &["--format", "json"]].concat(), program.as_bytes());
    let file = &called.json()["files"][0];
    // Which of them is running depends on the machine's speed.
    assert!(file["stopped"]["test"].as_u64().is_some_and(|test| test < 10), "{}", file["stopped"]);
    assert_eq!(file["stopped"]["seconds"], json!(0.1));
    assert_eq!(file["tests"], json!([]));
    let called =
        myriad(&["test", "-", "--engine", "cpu", "--seconds", "600", "--format", "json"], GCD.as_bytes());
    assert_eq!((called.code, called.json()["files"][0].get("stopped")), (0, None));
}

#[test]
fn mistyped_command_suggests_the_intended_one() {
    for words in [
        "chekc",
        "chekc samples/gcd.myr",
        "chekc --format json samples/gcd.myr",
        "--engine cpu chekc a.myr b.myr",
    ] {
        refused(&call(words), 2, &["no file and no command `chekc`", "did you mean `myriad check`?"]);
    }
    for (words, command) in [
        ("mutat samples/gcd.myr --min-score 50", "mutate"),
        ("tests samples/gcd.myr", "test"),
        ("comp bash", "completions"),
        ("nueral", "neural"),
        ("bnech keystrokes", "bench"),
    ] {
        refused(&call(words), 2, &["no file and no command", &format!("did you mean `myriad {command}`?")]);
    }
    // No guess without a similar command, and a file is not taken for a command.
    let far = call("frobnicate a b");
    refused(&far, 2, &["no file and no command `frobnicate`", "--help"]);
    assert!(!far.stderr.contains("did you mean"), "{}", far.stderr);
    let file = call("samples/gcd.myr chekc");
    assert!(!file.stderr.contains("no file and no command"), "{}", file.stderr);
}

//! The configuration: printed, read, refused with its line, and overridden by the call.

use serde_json::json;

use crate::common::command::{Called, call};

use super::refused;

/// Calls the program with this text as the configuration.
fn configured(words: &str, text: &str) -> Called {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).expect("a file");
    crate::common::command::with_config(words, &path)
}

#[test]
fn default_configuration_is_printed_and_accepted() {
    let printed = call("config");
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
    assert!(printed.stdout.starts_with("# Myriad's configuration: "), "{}", printed.stdout);
    let again = configured("config", &printed.stdout);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    let document = configured("config --format json", "[energy]\ncpu_watts = 12").json();
    assert_eq!(document["config"]["exists"], true);
    let keys = document["config"]["keys"].as_array().expect("keys");
    let watts = keys.iter().find(|key| key["key"] == "cpu_watts").expect("a key");
    assert_eq!((&watts["value"], &watts["default"]), (&json!("12.0"), &json!("65.0")));
}

#[test]
fn invalid_configuration_is_refused_with_its_line() {
    for command in ["check samples/gcd.myr", "engines", "config"] {
        refused(
            &configured(command, "[engine]\nchoise = \"cpu\"\n"),
            2,
            &["config.toml, line 2", "`choise`", "did you mean `choice`"],
        );
    }
    // Every fault is reported; commands that need no configuration still run.
    refused(&configured("engines", "[energy]\ncpu_watts = 0\n[x]\n"), 2, &["line 2", "line 3"]);
    assert_eq!(configured("explain E0401", "broken").code, 0);
}

#[test]
fn configuration_chooses_the_engine_unless_the_call_does() {
    let chosen = |words: &str| {
        let document = configured(words, "[engine]\nchoice = \"cpu\"\n").json();
        let engines = document["engines"].as_array().expect("engines").clone();
        engines.into_iter().find(|engine| engine["chosen"] == true).expect("one is chosen")
    };
    let engine = chosen("engines --format json");
    assert_eq!((&engine["kind"], &engine["reason"]), (&json!("cpu"), &json!("asked for")));
    assert_ne!(chosen("engines --engine auto --format json")["reason"], "asked for");
}

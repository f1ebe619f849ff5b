//! The language server, talked to as an editor would.

mod client;
mod fixes;
mod protocol;
mod typing;
mod values;

use std::time::Duration;

use serde_json::{Value, json};

use crate::common::command::myriad;
use crate::common::rng::Rng;
use crate::common::typed;
use crate::extent::{scaled, skip};
use client::Client;

const TEXT: &str = "\
// The greater one.
fn larger(a: int, b: int) -> int {
    if a > b { return a; }
    return b;
}

test larger(1, 2) == 2;
";

fn at(line: u32, character: u32) -> Value {
    json!({ "line": line, "character": character })
}

/// A session of a user: open, type an error, see it, mend it, rename, format, see the verdicts.
#[test]
fn session_of_an_editor_works_from_open_to_exit() {
    let mut client = Client::start();
    client.open(TEXT);
    assert_eq!(client.diagnostics(), json!([]));

    client.change(at(3, 12), at(3, 13), "");
    let found = client.diagnostics();
    assert_eq!(
        (&found[0]["code"], &found[0]["range"]["start"]["line"]),
        (&json!("E0205"), &json!(3)),
        "{found}"
    );
    let fixes = client.ask(
        "textDocument/codeAction",
        json!({ "range": found[0]["range"], "context": { "diagnostics": [] } }),
    );
    assert_eq!(fixes[0]["title"], "Insert `;`", "{fixes}");
    client.change(at(3, 12), at(3, 12), ";");
    assert_eq!(client.diagnostics(), json!([]));

    let hover = client.at("textDocument/hover", 6, 6);
    let text = hover["contents"]["value"].as_str().expect("a text");
    assert_eq!(text, "```myriad\nfn larger(a: int, b: int) -> int\n```\nThe greater one.");
    assert_eq!(client.at("textDocument/definition", 6, 6)["range"]["start"], at(1, 3));
    let uses = client.ask(
        "textDocument/references",
        json!({ "position": at(2, 7), "context": { "includeDeclaration": true } }),
    );
    assert_eq!(uses.as_array().map(Vec::len), Some(3), "{uses}");

    let renamed = client.ask("textDocument/rename", json!({ "position": at(2, 7), "newName": "first" }));
    let edits =
        renamed["changes"].as_object().and_then(|changes| changes.values().next()).expect("edits").clone();
    assert_eq!(edits.as_array().map(Vec::len), Some(3), "{edits}");
    let refused = client.refused("textDocument/rename", json!({ "position": at(2, 7), "newName": "b" }));
    assert!(refused.contains("taken"), "{refused}");
    let refused = client.refused("textDocument/rename", json!({ "position": at(2, 7), "newName": "fn" }));
    assert!(refused.contains("not a name"), "{refused}");

    let items = client.at("textDocument/completion", 3, 4);
    let labels: Vec<&str> =
        items.as_array().expect("a list").iter().filter_map(|item| item["label"].as_str()).collect();
    assert_eq!(labels[..4], ["b", "a", "larger", "len"], "{labels:?}");
    assert!(labels.contains(&"return"));

    client.change(at(2, 4), at(2, 4), "  ");
    let layout =
        client.ask("textDocument/formatting", json!({ "options": { "tabSize": 4, "insertSpaces": true } }));
    assert_eq!(layout[0]["newText"], TEXT);
    client.exit();
}

#[test]
fn verdicts_of_tests_and_mutants_arrive_with_edits_that_mend_them() {
    let mut client = Client::start();
    client.open(TEXT);
    // Survivors come with the tests that would notice them.
    let found = client.diagnostics_until(|found| found.to_string().contains("would"));
    let survivor =
        found.as_array().expect("a list").iter().find(|one| one["code"] == "survived").expect("a survivor");
    assert_eq!(survivor["severity"], 4, "a hint");
    let offered = client.ask(
        "textDocument/codeAction",
        json!({ "range": survivor["range"], "context": { "diagnostics": [] } }),
    );
    let title = offered[0]["title"].as_str().expect("a title");
    assert!(title.starts_with("Write the test: test larger("), "{offered}");
    let lenses = client.ask("textDocument/codeLens", json!({}));
    let titles: Vec<&str> = lenses
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|lens| lens["command"]["title"].as_str())
        .collect();
    assert!(titles.iter().any(|title| title.starts_with('✓')), "{titles:?}");
    assert!(titles.iter().any(|title| title.contains("survive")), "{titles:?}");

    // A wrong comparison: the test fails, and repairs are offered.
    client.change(at(2, 9), at(2, 10), "<");
    let found = client.diagnostics_until(|found| found.to_string().contains("fails"));
    let failing =
        found.as_array().expect("a list").iter().find(|one| one["code"] == "test").expect("a failing test");
    assert_eq!(failing["message"], "fails: 1, not 2");
    let range = failing["range"].clone();
    let repairs = client.until(|client| {
        let offered =
            client.ask("textDocument/codeAction", json!({ "range": range, "context": { "diagnostics": [] } }));
        offered.to_string().contains("Repair line 3").then_some(offered)
    });
    assert!(repairs.to_string().contains("`<` → `>`"), "{repairs}");
    client.exit();
}

#[test]
fn holes_are_information_and_tests_of_broken_texts_have_results() {
    let mut client = Client::start();
    client.open("fn larger(a: int, b: int) -> int {\n    return ?;\n}\nfn half(n: int) -> int { return n / 2; }\ntest larger(1, 2) == 2;\ntest half(4) == 2;\n");
    let found = client.diagnostics_until(|found| found.to_string().contains("hole"));
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!((&found[0]["severity"], &found[0]["message"]), (&json!(3), &json!("a hole of type int")));
    assert_eq!(found[0]["range"], json!({ "start": at(1, 11), "end": at(1, 12) }));
    let titles = |client: &mut Client| {
        client.until(|client| {
            let lenses = client.ask("textDocument/codeLens", json!({}));
            let lenses = lenses.as_array().expect("a list").clone();
            let titles: Vec<String> =
                lenses.iter().map(|lens| lens["command"]["title"].as_str().unwrap_or("").to_string()).collect();
            titles.iter().any(|title| title.starts_with('✓')).then_some(titles)
        })
    };
    let shown = titles(&mut client);
    assert!(shown[0] == "… unfinished" && shown[1].starts_with('✓'), "{shown:?}");
    // Now the statement has an error.
    client.change(at(1, 11), at(1, 12), "");
    client.diagnostics_until(|found| found.to_string().contains("E0201"));
    let shown = titles(&mut client);
    assert!(shown[0] == "… unfinished" && shown[1].starts_with('✓'), "{shown:?}");
    client.exit();
}

#[test]
fn server_stays_in_step_with_random_edits() {
    const INSERTED: [&str; 8] = ["x", "\n", "fn ", "{", "ü", "𝄞", "1;\r\n", "// 𝄞\n"];
    let mut rng = Rng::new(3);
    let mut client = Client::start();
    let mut text = typed::program(5);
    client.open(&text);
    for round in 0..scaled(1_000) {
        // Positions between characters, as an editor would send them.
        let bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let from = rng.below(bytes.len());
        let to = (from + rng.below(4)).min(bytes.len() - 1);
        let new = INSERTED[rng.below(INSERTED.len())];
        let position = |byte: usize| {
            let before = &text[..byte];
            let line = before.rsplit('\n').next().unwrap_or("");
            at(before.matches('\n').count() as u32, line.encode_utf16().count() as u32)
        };
        let is_inside_line_end = |byte: usize| text[byte..].starts_with('\n') && text[..byte].ends_with('\r');
        if is_inside_line_end(bytes[from]) || is_inside_line_end(bytes[to]) {
            continue;
        }
        client.change(position(bytes[from]), position(bytes[to]), new);
        text.replace_range(bytes[from]..bytes[to], new);
        if round % 50 == 0 {
            let found = client.diagnostics();
            let checked = myriad(&["check", "-", "--format", "json"], text.as_bytes()).file();
            let messages = |list: &Value| -> Vec<(Value, Value)> {
                let list = list.as_array().expect("a list").iter();
                let place = |one: &Value| {
                    one["line"].as_u64().map_or(one["range"]["start"]["line"].clone(), |line| json!(line - 1))
                };
                list.filter(|one| one["severity"] != 4 && one["code"] != "test")
                    .map(|one| (one["code"].clone(), place(one)))
                    .collect()
            };
            assert_eq!(messages(&found), messages(&checked["diagnostics"]), "after {round} edits:\n{text}");
        }
    }
    client.exit();
}

#[test]
fn bad_messages_are_answered_and_lose_nothing() {
    let mut client = Client::start();
    client.open(TEXT);
    assert!(client.refused("textDocument/hover", json!({ "textDocument": 3 })).contains("invalid type"));
    assert!(client.refused("workspace/nothing", json!({})).contains("not supported"));
    client.tell("textDocument/didChange", json!({ "contentChanges": 7 }));
    client.tell("textDocument/unknown", json!({}));
    assert_eq!(client.at("textDocument/definition", 6, 6)["range"]["start"], at(1, 3));
    assert!(client.wait() < Duration::from_secs(60));
    client.exit();
}

#[test]
fn nothing_is_completed_in_comments_strings_and_labels() {
    let mut client = Client::start();
    client.open(
        "// a comment\nconst A = 1; // another\nfn f() -> [int] { return \"str\"; }\ntest \"label\": true;\n",
    );
    for (line, character) in [(0, 5), (0, 12), (1, 18), (2, 28), (3, 8)] {
        let items = client.at("textDocument/completion", line, character);
        assert_eq!(items, json!([]), "{line}:{character}");
    }
    for (line, character) in [(0, 0), (1, 0), (2, 18), (3, 14)] {
        let items = client.at("textDocument/completion", line, character);
        assert_ne!(items, json!([]), "{line}:{character}");
    }
    client.exit();
}

#[test]
fn ranges_of_a_broken_outline_contain_their_names() {
    const WORDS: [&str; 16] =
        ["fn", "const", "test", "prop", "f", "A", "(", ")", "{", "}", ";", "=", "'", "\"l\"", "in", "else"];
    let (mut client, mut rng) = (Client::start(), Rng::new(47));
    let text = typed::program(3);
    let place = |value: &Value| (value["line"].as_u64(), value["character"].as_u64());
    let cut = text.char_indices().map(|(at, _)| at).step_by(40).map(|at| text[..at].to_string());
    let random = (0..scaled(800)).map(|_| {
        let words = (0..1 + rng.below(9)).map(|_| format!("{}{}", rng.pick(&WORDS), rng.pick(&[" ", "\n"])));
        words.collect()
    });
    let known = ["fn", "fn\nf", "const\n\nA", "const ;", "fn else", "fn for :\nfn ,"].map(String::from);
    let (mut functions, mut constants) = (0, 0);
    for text in known.into_iter().chain(cut).chain(random) {
        client.open(&text);
        let items = client.ask("textDocument/documentSymbol", json!({}));
        for item in items.as_array().expect("a list") {
            let (whole, name) = (&item["range"], &item["selectionRange"]);
            let is_inside =
                place(&whole["start"]) <= place(&name["start"]) && place(&name["end"]) <= place(&whole["end"]);
            assert!(is_inside, "{item}\n{text}");
            let label = item["name"].as_str().expect("a name");
            functions += u32::from(item["kind"] == 12);
            constants += u32::from(item["kind"] == 14);
            let is_name = label.starts_with(|c: char| c.is_ascii_alphabetic()) && !WORDS[..4].contains(&label);
            assert!(is_name || item["kind"] == 24, "{item}\n{text}");
        }
    }
    assert!(functions > 0 && constants > 0);
    client.exit();
}

#[test]
fn edits_keep_the_line_ends_of_a_document() {
    let mut client = Client::start();
    client.open(&TEXT.replace('\n', "\r\n"));
    let found = client.diagnostics_until(|found| found.to_string().contains("would"));
    let survivor =
        found.as_array().expect("a list").iter().find(|one| one["code"] == "survived").expect("a survivor");
    let offered = client.ask(
        "textDocument/codeAction",
        json!({ "range": survivor["range"], "context": { "diagnostics": [] } }),
    );
    let edits = offered[0]["edit"]["changes"]["file:///a.myr"].as_array().expect("edits").clone();
    for edit in edits {
        let new = edit["newText"].as_str().expect("a text");
        assert!(new.contains("\r\n") && !new.replace("\r\n", "").contains('\n'), "{new:?}");
    }
    client.exit();
}

#[test]
fn another_document_is_judged_after_the_judged_one_closes() {
    let mut client = Client::start();
    client.open("test 1 == 2;\n");
    client.diagnostics_until(|found| found.to_string().contains("fails"));
    let other = json!({ "uri": "file:///b.myr", "languageId": "myriad", "version": 1, "text": TEXT });
    client.tell("textDocument/didOpen", json!({ "textDocument": other }));
    client.change(at(0, 5), at(0, 6), "3");
    let other = json!({ "uri": "file:///b.myr", "version": 2 });
    let edit = json!([{ "text": TEXT }]);
    client.tell("textDocument/didChange", json!({ "textDocument": other, "contentChanges": edit }));
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": "file:///b.myr" } }));
    client.until(|client| {
        let lenses = client.ask("textDocument/codeLens", json!({}));
        lenses.to_string().contains("fails").then_some(())
    });
    client.exit();
}

#[test]
fn structure_of_documents_is_reported() {
    let mut client = Client::start();
    client.open(
        "// One.\n// Two: see https://example.org/a?b=1, and notes.txt.\nfn f(a: int) -> int {\n    if a > 1 {\n        \
         return \"http://no\"[0];\n    }\n    return a;\n}\ntest f(1) == 1; // (<https://example.org>)\n",
    );
    client.diagnostics();
    let folds = client.ask("textDocument/foldingRange", json!({}));
    assert_eq!(
        folds,
        json!([
            { "startLine": 2, "endLine": 6 },
            { "startLine": 3, "endLine": 4 },
            { "startLine": 0, "endLine": 1, "kind": "comment" },
        ])
    );
    let links = client.ask("textDocument/documentLink", json!({}));
    let targets: Vec<&Value> = links.as_array().expect("links").iter().map(|link| &link["target"]).collect();
    assert_eq!(json!(targets), json!(["https://example.org/a?b=1", "https://example.org"]));
    assert_eq!(links[0]["range"], json!({ "start": at(1, 12), "end": at(1, 37) }));
    // From the name outwards to the whole text; each range holds the one before it.
    let selected = client.ask("textDocument/selectionRange", json!({ "positions": [at(3, 7)] }));
    let mut range = &selected[0];
    let mut starts = vec![range["range"]["start"].clone()];
    while let Some(parent) = range.get("parent") {
        starts.push(parent["range"]["start"].clone());
        range = parent;
    }
    assert_eq!((&starts[0], starts.last()), (&at(3, 7), Some(&at(0, 0))));
    assert!(starts.len() >= 5 && starts.contains(&at(3, 4)) && starts.contains(&at(2, 0)), "{starts:?}");
    let symbols = |client: &mut Client, query: &str| client.ask("workspace/symbol", json!({ "query": query }));
    assert_eq!(symbols(&mut client, "").as_array().map(Vec::len), Some(2));
    assert_eq!(symbols(&mut client, "F")[0]["location"]["range"]["start"], at(2, 3));
    assert_eq!(symbols(&mut client, "zz"), json!([]));
    client.exit();
}

/// A client that others wrote: neovim, with the script `lsp/session.lua`.
#[test]
fn neovim_works_with_the_server() {
    if std::process::Command::new("nvim").arg("--version").output().is_err() {
        return skip("neovim is not installed");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.myr");
    let text = "fn larger(a: int, b: int) -> int {\n    if a > b { return a; }\n    return b;\n}\n\ntest larger(1, 2) == 2;\n";
    std::fs::write(&file, text).expect("it is written");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/lsp/session.lua");
    let called = std::process::Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n"])
        .args(["--cmd", concat!("set runtimepath^=", env!("CARGO_MANIFEST_DIR"), "/integrations/neovim")])
        .args(["--cmd", "filetype plugin indent on"])
        .arg(&file)
        .args(["-c", &format!("luafile {script}")])
        .env("MYRIAD", env!("CARGO_BIN_EXE_myriad"))
        .env("MYRIAD_CONFIG", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/common/config.toml"))
        .env("XDG_STATE_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .output()
        .expect("it ends");
    let said = String::from_utf8_lossy(&called.stdout) + String::from_utf8_lossy(&called.stderr);
    println!("{said}");
    assert!(said.lines().any(|line| line.trim() == "done"), "{said}");
    assert!(said.contains("file type: myriad, // %s, 4"), "{said}");
    assert!(said.contains("indented:     let c = 1;"), "{said}");
    assert!(said.contains("folds: 0 to 2"), "{said}");
    assert!(said.contains("selected: b, if a > b"), "{said}");
    assert!(said.contains("symbols: larger"), "{said}");
    assert!(said.contains("formatted:     return b;"), "{said}");
    assert!(said.contains("header: fn larger(first: int, b: int) -> int, parameter 1"), "{said}");
    assert!(said.contains("0: first = 1  b = 2"), "{said}");
}

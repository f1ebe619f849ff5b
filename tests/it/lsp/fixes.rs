//! Quick fixes: each one is applied, and the program does what the fix promises.

use serde_json::{Value, json};

use super::client::Client;
use crate::common::compile::compile;
use crate::common::rng::Rng;
use crate::common::typed;
use crate::extent::scaled;

/// Returns the byte at a position; all texts are ASCII.
fn byte(text: &str, position: &Value) -> usize {
    let part = |key: &str| position[key].as_u64().expect("a number") as usize;
    text.split_inclusive('\n').take(part("line")).map(str::len).sum::<usize>() + part("character")
}

/// Returns the title and the result of each quick fix of a text's diagnostics.
fn fixed(client: &mut Client, text: &str) -> Vec<(String, String)> {
    assert!(text.is_ascii());
    client.open(text);
    let everything = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
    let offered =
        client.ask("textDocument/codeAction", json!({ "range": everything, "context": { "diagnostics": [] } }));
    let apply = |action: &Value| {
        let title = action["title"].as_str().expect("a title").to_string();
        let mut edits = action["edit"]["changes"]["file:///a.myr"].as_array().expect("edits").clone();
        edits.sort_by_key(|edit| std::cmp::Reverse(byte(text, &edit["range"]["start"])));
        let mut new = text.to_string();
        for edit in edits {
            let range = byte(text, &edit["range"]["start"])..byte(text, &edit["range"]["end"]);
            new.replace_range(range, edit["newText"].as_str().expect("a text"));
        }
        (title, new)
    };
    let offered = offered.as_array().expect("a list").iter().map(apply);
    // Repairs and tests have tests of their own.
    let is_fix = |title: &str| !title.starts_with("Repair line") && !title.starts_with("Write the test");
    offered.filter(|(title, _)| is_fix(title)).collect()
}

/// Checks that a program with another text compiles to the same bytecode.
#[track_caller]
fn does_the_same(old: &str, new: &str) {
    let (old_program, new_program) = (compile(old), compile(new));
    assert_eq!(new_program.facts.errors, 0, "{old}\n{new}");
    assert_eq!(old_program.executable.code.word, new_program.executable.code.word, "{old}\n{new}");
}

/// Small programs in which `x` and `_x` are declared and used in every way.
#[test]
fn underscore_is_a_rename_or_is_not_offered() {
    let names = ["x", "_x"];
    let mut client = Client::start();
    let (mut offered, mut refused) = (0, 0);
    for bits in 0..64 {
        let name = |place: u32| names[(bits >> place & 1) as usize];
        let text = format!(
            "fn {}(a: int) -> int {{ return a; }}\nfn f({}: int) -> int {{\n    {{\n        let {} = 1;\n        {} = 2;\n        return {};\n    }}\n}}\ntest f({}(7)) == 7;\n",
            name(0),
            name(1),
            name(2),
            name(3),
            name(4),
            name(5)
        );
        if compile(&text).facts.errors > 0 {
            continue;
        }
        let fixes = fixed(&mut client, &text);
        let warned = client.diagnostics().to_string().contains("W0001");
        refused += usize::from(warned && fixes.is_empty());
        for (title, new) in fixes {
            assert_eq!(title, "Begin the name with `_`");
            does_the_same(&text, &new);
            offered += 1;
        }
    }
    assert!(offered > 0 && refused > 0, "{offered} offered, {refused} refused");
    client.exit();
}

#[test]
fn every_fix_of_a_generated_program_keeps_its_promise() {
    let mut client = Client::start();
    let mut rng = Rng::new(47);
    let mut applied = [0; 3];
    for seed in 0..scaled(60) {
        let text = typed::program(seed);
        if !text.is_ascii() {
            continue;
        }
        for (_, new) in fixed(&mut client, &text) {
            does_the_same(&text, &new);
            applied[0] += 1;
        }
        // A `;` is taken away.
        let ends: Vec<usize> = text.match_indices(";\n").map(|(at, _)| at).collect();
        let mut broken = text.clone();
        broken.remove(ends[rng.below(ends.len())]);
        for (title, new) in fixed(&mut client, &broken) {
            if title == "Insert `;`" {
                does_the_same(&text, &new);
                applied[1] += 1;
            }
        }
        // A letter is doubled.
        let letters: Vec<usize> =
            text.char_indices().filter(|(_, c)| c.is_ascii_lowercase()).map(|(at, _)| at).collect();
        let at = letters[rng.below(letters.len())];
        let mut broken = text.clone();
        broken.insert(at, text.as_bytes()[at] as char);
        let errors = compile(&broken).facts.errors;
        for (title, new) in fixed(&mut client, &broken) {
            if errors == 0 {
                does_the_same(&broken, &new);
            } else {
                assert!(compile(&new).facts.errors < errors, "{title}\n{broken}\n{new}");
                applied[2] += 1;
            }
        }
    }
    assert!(applied.iter().all(|count| *count > 0), "{applied:?}");
    client.exit();
}

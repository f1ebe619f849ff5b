//! Texts that are still being typed: names, headers of called functions, and every request on every prefix.

use serde_json::{Value, json};

use super::at;
use super::client::Client;
use crate::common::rng::Rng;
use crate::extent::{one_in, seed};

/// Opens a text in which `|` marks places. Returns the places as lines and columns.
fn open(client: &mut Client, marked: &str) -> Vec<(u32, u32)> {
    let place = |(byte, _): (usize, &str)| {
        let before = marked[..byte].replace('|', "");
        let line = before.matches('\n').count() as u32;
        (line, before.rsplit('\n').next().unwrap_or("").len() as u32)
    };
    client.open(&marked.replace('|', ""));
    marked.match_indices('|').map(place).collect()
}

fn hover(client: &mut Client, (line, column): (u32, u32)) -> String {
    let hover = client.at("textDocument/hover", line, column);
    let text = hover["contents"]["value"].as_str().unwrap_or("").replace("```myriad\n", "");
    text.replace("\n```", "").replace('`', "")
}

fn labels(client: &mut Client, (line, column): (u32, u32)) -> Vec<String> {
    let items = client.at("textDocument/completion", line, column);
    let items = items.as_array().expect("a list").iter();
    items
        .filter(|item| item["kind"] != 14)
        .filter_map(|item| item["label"].as_str().map(String::from))
        .collect()
}

#[test]
fn names_of_an_open_function_are_declared_used_and_shown() {
    let mut client = Client::start();
    let text = "// Halves.\nfn half(n: int, |all: [bool; 4]) -> int {\n    let |rest: [int] = [n];\n    for |k in 0..n {\n        let twice = |k + len(|rest) + |half(k, |all);\n        |\ntest half(1, [true]) == 0;\n";
    let places = open(&mut client, text);
    let [parameter, list, variable, k, used, called, all, end] = places[..] else { panic!("{places:?}") };
    assert_eq!(hover(&mut client, parameter), "all: [bool; 4]");
    assert_eq!(hover(&mut client, list), "let rest: [int]");
    assert_eq!(hover(&mut client, variable), "for k: int");
    assert_eq!(hover(&mut client, called), "fn half(n: int, all: [bool; 4]) -> int\nHalves.");
    for (used, declared) in [(k, variable), (used, list), (all, parameter)] {
        let found = client.at("textDocument/definition", used.0, used.1);
        assert_eq!(found["range"]["start"], at(declared.0, declared.1));
    }
    assert_eq!(labels(&mut client, end)[..6], ["twice", "k", "rest", "all", "n", "half"]);
    let marked = client.at("textDocument/documentHighlight", list.0, list.1);
    assert_eq!(marked.as_array().map(Vec::len), Some(2), "{marked}");
    let outline = client.ask("textDocument/documentSymbol", json!({}));
    assert_eq!(
        (&outline[0]["name"], &outline[1]["name"]),
        (&json!("half"), &json!("test half(1, [true]) == 0"))
    );
    client.exit();
}

#[test]
fn names_in_a_statement_with_an_error_refer_to_their_declarations() {
    let mut client = Client::start();
    let text = "const |SIZE = 4;\nfn f(|a: int, b: [bool) -> int {\n    let |x: [int; 4] = |g(|a, |SIZE;\n    |\n    { let |x = 1; let y = |x + abs(; }\n    return |x;\n}\nfn g(n: int) -> int { return n; }\n";
    let places = open(&mut client, text);
    let [size, a, x, called, used_a, used_size, later, inner, used_inner, outer] = places[..] else {
        panic!("{places:?}")
    };
    assert_eq!(hover(&mut client, x), "let x: [int; 4]");
    assert_eq!(hover(&mut client, a), "a: int");
    assert_eq!(hover(&mut client, called), "fn g(n: int) -> int");
    for (used, declared) in [(used_a, a), (used_size, size), (used_inner, inner), (outer, x)] {
        let found = client.at("textDocument/definition", used.0, used.1);
        assert_eq!(found["range"]["start"], at(declared.0, declared.1), "{used:?}");
    }
    assert_eq!(labels(&mut client, later)[..3], ["x", "b", "a"]);
    let tokens = client.ask("textDocument/semanticTokens/full", json!({}));
    // `g` in the statement with an error is a function.
    let tokens: Vec<Vec<u64>> = tokens["data"]
        .as_array()
        .expect("numbers")
        .chunks(5)
        .map(|token| token.iter().filter_map(Value::as_u64).collect())
        .collect();
    let mut place = (0, 0);
    let kinds = tokens.iter().map(|token| {
        place = if token[0] == 0 { (place.0, place.1 + token[1]) } else { (place.0 + token[0], token[1]) };
        (place, token[3])
    });
    let wanted = ((u64::from(called.0), u64::from(called.1)), 1);
    assert!(kinds.collect::<Vec<_>>().contains(&wanted), "{tokens:?}");
    client.exit();
}

#[test]
fn rename_changes_uses_in_statements_with_errors() {
    let mut client = Client::start();
    for broken in ["return f(1)", "return f(1;", "let x = f(1) return x;", "while f(1 { "] {
        client.open(&format!("fn f(a: int) -> int {{ return a; }}\nfn g() -> int {{ {broken} }}\n"));
        let renamed = client.ask("textDocument/rename", json!({ "position": at(0, 3), "newName": "h" }));
        let edits = renamed["changes"]["file:///a.myr"].as_array().expect("edits").clone();
        let column = 16 + broken.find("f(").expect("a use") as u32;
        assert_eq!((edits.len(), &edits[1]["range"]["start"]), (2, &at(1, column)), "{broken}");
    }
    // A new name that an inner declaration has.
    client.open("fn f(a: int) -> int {\n    let b = 1;\n    return a + b\n");
    let refused = client.refused("textDocument/rename", json!({ "position": at(0, 5), "newName": "b" }));
    assert!(refused.contains("taken"), "{refused}");
    // Nothing is known about names after the end of a function.
    client.open("fn f(a: int) -> int { return a; }\n    let a = 1; }\n");
    let refused = client.refused("textDocument/rename", json!({ "position": at(0, 5), "newName": "b" }));
    assert!(refused.contains("`a` on line 2"), "{refused}");
    // A built-in function of the same name is another thing.
    client.open("fn f(len: int, xs: [int]) -> int { return len + len(xs; }\n");
    let renamed = client.ask("textDocument/rename", json!({ "position": at(0, 5), "newName": "n" }));
    let edits = &renamed["changes"]["file:///a.myr"];
    assert_eq!(edits.as_array().map(Vec::len), Some(2), "{renamed}");
    client.exit();
}

/// Returns the header at a place, and the parameter that is marked.
fn header(client: &mut Client, (line, column): (u32, u32)) -> Option<(String, String)> {
    let help = client.at("textDocument/signatureHelp", line, column);
    let signature = help["signatures"].get(0)?;
    let number = help["activeParameter"].as_u64().expect("a number") as usize;
    let parameter = signature["parameters"][number]["label"].as_str().unwrap_or("").to_string();
    Some((signature["label"].as_str().expect("a text").to_string(), parameter))
}

#[test]
fn header_of_a_called_function_marks_the_parameter_at_the_cursor() {
    let mut client = Client::start();
    let larger = "fn larger(max: int, x: int) -> int";
    let f = "fn f(xs: [int; 4], b: bool) -> int";
    for (line, expected) in [
        ("    return larger(|);", Some((larger, "max: int"))),
        ("    return larger(1, |2);", Some((larger, "x: int"))),
        ("    return larger(1|, 2);", Some((larger, "max: int"))),
        ("    return larger(larger(1, 2), |", Some((larger, "x: int"))),
        ("    let x = larger(f([1, |], true)", Some((f, "xs: [int; 4]"))),
        ("    let x = larger(f([0; |4], true)", Some((f, "xs: [int; 4]"))),
        ("    let x = larger(f([1, 2], |", Some((f, "b: bool"))),
        ("    if larger(1, (2 + |3)) > 0 {", Some((larger, "x: int"))),
        ("    x = min(|", Some(("fn min(a: int, b: int) -> int", "a: int"))),
        ("    x = 1 + int(|", Some(("fn int(b: bool) -> int", "b: bool"))),
        ("    larger(1, 2, |", Some((larger, ""))),
        ("    return larger(1, 2)|;", None),
        ("    return larger(1, 2; |", None),
        ("    return unknown(|", None),
        ("    return (|1);", None),
        ("    // larger(|", None),
        ("}\ntest larger(|", Some((larger, "max: int"))),
        ("}\nprop a in 0..9 => larger(a, |", Some((larger, "x: int"))),
        (
            "}\nprop \"label\": a in 0..9 if larger(|a, 1) == 1 => larger(a, 1) == 1;",
            Some((larger, "max: int")),
        ),
        ("}\nfn g(|", None),
        ("}\ntest \"larger(|\": true;", None),
    ] {
        let text = format!(
            "fn larger(max: int, x: int) -> int {{ return x; }}\nfn f(xs: [int; 4], b: bool) -> int {{\n{line}\n"
        );
        let place = open(&mut client, &text)[0];
        let found = header(&mut client, place);
        let found = found.as_ref().map(|(header, parameter)| (header.as_str(), parameter.as_str()));
        assert_eq!(found, expected, "{line}");
    }
    client.exit();
    let ability = json!({ "parameterInformation": { "labelOffsetSupport": true } });
    let mut client =
        Client::with(json!({ "textDocument": { "signatureHelp": { "signatureInformation": ability } } }));
    let places =
        open(&mut client, "// The second.\nfn larger(max: int, x: int) -> int { return larger(1, |x); }\n");
    let help = client.at("textDocument/signatureHelp", places[0].0, places[0].1);
    assert_eq!(help["signatures"][0]["parameters"], json!([{ "label": [10, 18] }, { "label": [20, 26] }]));
    assert_eq!(help["signatures"][0]["documentation"], "The second.");
    client.exit();
}

/// Every request, at the cursor and at another place, after every key of two samples.
#[test]
fn every_request_is_answered_after_every_key() {
    const AT_A_PLACE: [&str; 6] =
        ["hover", "definition", "documentHighlight", "prepareRename", "completion", "signatureHelp"];
    const OF_THE_TEXT: [&str; 4] = ["formatting", "documentSymbol", "semanticTokens/full", "codeLens"];
    let mut rng = Rng::new(seed());
    for name in ["weak", "midpoint"] {
        let text = std::fs::read_to_string(format!("{}/samples/{name}.myr", env!("CARGO_MANIFEST_DIR")))
            .expect("a sample");
        assert!(text.is_ascii());
        // Comments are one key each.
        let keys: Vec<String> = text
            .split_inclusive('\n')
            .flat_map(|line| match line.starts_with("//") {
                true => vec![line.to_string()],
                false => line.chars().map(String::from).collect(),
            })
            .collect();
        let mut client = Client::start();
        client.open("");
        let mut lines = vec![0_u32];
        let asked = one_in(1, 0..keys.len());
        for (number, key) in keys.iter().enumerate() {
            let end = |lines: &[u32]| at(lines.len() as u32 - 1, lines[lines.len() - 1]);
            client.change(end(&lines), end(&lines), key);
            match key.ends_with('\n') {
                true => lines.push(0),
                false => *lines.last_mut().expect("a line") += key.len() as u32,
            }
            if !asked.contains(&number) {
                continue;
            }
            let line = rng.below(lines.len());
            let other = at(line as u32, rng.below(lines[line] as usize + 1) as u32);
            let whole = json!({ "start": at(0, 0), "end": end(&lines) });
            for place in [end(&lines), other] {
                for method in AT_A_PLACE {
                    client.ask(&format!("textDocument/{method}"), json!({ "position": place }));
                }
                client.ask(
                    "textDocument/references",
                    json!({ "position": place, "context": { "includeDeclaration": true } }),
                );
                let renamed =
                    client.try_ask("textDocument/rename", json!({ "position": place, "newName": "q" }));
                let reasons = ["there is no name", "an error hides", "is taken"];
                assert!(
                    renamed.as_ref().err().is_none_or(|why| reasons.iter().any(|reason| why.contains(reason))),
                    "{renamed:?}"
                );
            }
            for method in OF_THE_TEXT {
                client.ask(
                    &format!("textDocument/{method}"),
                    json!({ "options": { "tabSize": 4, "insertSpaces": true } }),
                );
            }
            client.ask("textDocument/inlayHint", json!({ "range": whole }));
            client.ask("textDocument/codeAction", json!({ "range": whole, "context": { "diagnostics": [] } }));
        }
        // The engine is still at work, too.
        client.until(|client| {
            let hints = client
                .ask("textDocument/inlayHint", json!({ "range": { "start": at(0, 0), "end": at(999, 0) } }));
            (hints != json!([])).then_some(())
        });
        client.exit();
    }
}

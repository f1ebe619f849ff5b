//! Values beside the code, survivors by line, and expressions in the place of `?`.

use serde_json::{Value, json};

use super::at;
use super::client::Client;
use crate::common::command::myriad;

fn everything() -> Value {
    json!({ "start": at(0, 0), "end": at(9_999, 0) })
}

fn hints(client: &mut Client) -> Vec<(u64, String)> {
    let hints = client.ask("textDocument/inlayHint", json!({ "range": everything() }));
    let hint = |hint: &Value| {
        (
            hint["position"]["line"].as_u64().expect("a line"),
            hint["label"].as_str().expect("a text").to_string(),
        )
    };
    hints.as_array().expect("a list").iter().map(hint).collect()
}

/// Waits for values.
fn known(client: &mut Client, is_met: impl Fn(&[(u64, String)]) -> bool) -> Vec<(u64, String)> {
    client.until(|client| Some(hints(client)).filter(|hints| is_met(hints)))
}

fn titles(client: &mut Client, range: Value) -> Vec<String> {
    let offered =
        client.ask("textDocument/codeAction", json!({ "range": range, "context": { "diagnostics": [] } }));
    let offered = offered.as_array().expect("a list").iter();
    offered.map(|action| action["title"].as_str().expect("a title").to_string()).collect()
}

const SUM: &str = "fn sum(xs: [int]) -> int {\n    let all = 0;\n    for x in xs {\n        all += x * x;\n    }\n    return all;\n}\nfn unused(n: int) -> int {\n    return n;\n}\ntest sum([1, 2]) == 5;\n";

#[test]
fn values_are_those_of_run_values() {
    let mut client = Client::with(json!({ "workspace": { "inlayHint": { "refreshSupport": true } } }));
    client.open(SUM);
    let found = known(&mut client, |hints| !hints.is_empty());
    assert!(
        client.refreshes.iter().all(|method| method == "workspace/inlayHint/refresh"),
        "{:?}",
        client.refreshes
    );
    assert!(!client.refreshes.is_empty());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sum.myr");
    std::fs::write(&file, SUM).expect("it is written");
    let printed = myriad(&["run", file.to_str().expect("a path"), "sum", "[1, 2]", "--values"], b"").stdout;
    let source: Vec<&str> = SUM.lines().collect();
    assert!(found.len() >= 4, "{found:?}");
    for (line, text) in &found {
        let wanted = printed.lines().find(|own| own.contains(source[*line as usize].trim())).expect("a line");
        assert!(wanted.trim_end().ends_with(text), "{wanted}: {text}");
    }
    // Nothing is shown for a function that no test runs, nor outside of the range.
    assert!(found.iter().all(|(line, _)| *line < 7), "{found:?}");
    let some = client.ask("textDocument/inlayHint", json!({ "range": { "start": at(3, 0), "end": at(3, 1) } }));
    assert_eq!((some.as_array().map(Vec::len), &some[0]["position"]), (Some(1), &at(3, 21)), "{some}");
    assert_eq!(
        some[0]["tooltip"],
        format!("{}\nin sum([1, 2]) == 5", some[0]["label"].as_str().expect("a text"))
    );
    client.exit();
}

#[test]
fn failing_then_unfinished_then_other_tests_have_the_values() {
    let mut client = Client::start();
    let text = "fn half(n: int) -> int {\n    return n / 2;\n}\nfn more(n: int) -> int {\n    if n > 5 { return ?; }\n    return half(n);\n}\ntest half(8) == 4;\ntest more(6) == 6;\ntest more(4) == 2;\n";
    client.open(text);
    // The unfinished test comes before the one that passes; `half` is not reached by it.
    let found = known(&mut client, |hints| !hints.is_empty());
    assert!(found.contains(&(3, "n = 6".into())) && found.contains(&(0, "n = 8".into())), "{found:?}");
    // A failing test comes first.
    client.change(at(9, 16), at(9, 17), "3");
    let found = known(&mut client, |hints| hints.contains(&(3, "n = 4".into())));
    assert!(found.contains(&(0, "n = 4".into())), "{found:?}");
    // A loop that is not closed runs to the end of its first round.
    client
        .open("fn f(n: int) -> int {\n    let s = 0;\n    for k in 0..n {\n        s += k;\ntest f(3) == 3;\n");
    let found = known(&mut client, |hints| !hints.is_empty());
    assert!(found.contains(&(3, "s = 0".into())), "{found:?}");
    client.exit();
}

/// The domain of a property is empty: the server's engine goes on.
#[test]
fn properties_without_an_input_have_no_values() {
    let mut client = Client::start();
    for domain in ["3..2", "0..0"] {
        client.open(&format!("fn f(n: int) -> int {{\n    return n;\n}}\nprop a in {domain} => f(a) == 1;\n"));
        client.until(|client| {
            let lenses = client.ask("textDocument/codeLens", json!({})).to_string();
            lenses.contains("all 0 inputs").then_some(())
        });
        client.open("fn f(n: int) -> int {\n    return n;\n}\ntest f(7) == 7;\n");
        assert!(known(&mut client, |hints| !hints.is_empty()).contains(&(0, "n = 7".into())), "{domain}");
    }
    client.exit();
}

#[test]
fn survivors_of_a_line_are_one_hint() {
    let mut client = Client::start();
    client.open("fn f(a: int, b: int) -> int {\n    return a + b * 2 - 1;\n}\ntest f(0, 0) == -1;\n");
    let found = client.diagnostics_until(|found| found.to_string().contains("would"));
    let survived: Vec<&Value> =
        found.as_array().expect("a list").iter().filter(|one| one["code"] == "survived").collect();
    assert_eq!(survived.len(), 1, "{found}");
    let message = survived[0]["message"].as_str().expect("a text");
    let first = message.lines().next().expect("a line");
    let count: usize = first.split(' ').find_map(|word| word.parse().ok()).expect("a number");
    assert!(first.starts_with("no test notices") && count > 5, "{message}");
    assert_eq!(message.lines().last(), Some(&*format!("and {} more", count - 5)));
    let lenses = client.ask("textDocument/codeLens", json!({})).to_string();
    assert!(lenses.contains(&format!("{count} mutants survive")), "{lenses}");
    // Tests for all of them are on offer anywhere in the hint.
    let start = &survived[0]["range"]["start"];
    let offered = titles(&mut client, json!({ "start": start, "end": start }));
    assert!(offered.iter().any(|title| title.starts_with("Write the test: test f(")), "{offered:?}");
    client.exit();
}

#[test]
fn holes_are_filled_by_a_quick_fix() {
    let mut client = Client::start();
    let text = "fn larger(a: int, b: int) -> int {\n    return ?;\n}\ntest larger(1, 2) == 2;\ntest larger(5, 3) == 5;\ntest larger(-4, -9) == -4;\n";
    client.open(text);
    let line = json!({ "start": at(1, 0), "end": at(1, 0) });
    let offered = client.until(|client| Some(titles(client, line.clone())).filter(|titles| !titles.is_empty()));
    assert_eq!(offered[0], "Fill `?` with `max(a, b)`", "{offered:?}");
    let actions =
        client.ask("textDocument/codeAction", json!({ "range": line, "context": { "diagnostics": [] } }));
    let edits = &actions[0]["edit"]["changes"]["file:///a.myr"];
    let place = json!({ "start": at(1, 11), "end": at(1, 12) });
    assert_eq!(*edits, json!([{ "range": place, "newText": "max(a, b)" }]));
    assert_eq!((&actions[0]["kind"], &actions[0]["isPreferred"]), (&json!("quickfix"), &json!(true)));
    // Elsewhere, only at the tests that wait for it.
    assert_eq!(titles(&mut client, json!({ "start": at(0, 4), "end": at(0, 4) })), [""; 0]);
    assert!(!titles(&mut client, json!({ "start": at(4, 4), "end": at(4, 4) })).is_empty());
    // Another error in the text.
    client.change(at(1, 12), at(1, 13), "");
    client.diagnostics_until(|found| found.to_string().contains("E0205"));
    client.until(|client| {
        let lenses = client.ask("textDocument/codeLens", json!({})).to_string();
        lenses.contains("unfinished").then_some(())
    });
    assert!(titles(&mut client, line).iter().all(|title| !title.starts_with("Fill")));
    client.exit();
}

//! Messages that no good client sends, and names of documents that some do.

use serde_json::{Value, json};

use super::client::{Client, framed, read};
use super::{TEXT, at};
use crate::common::command::myriad;
use crate::common::rng::Rng;
use crate::extent::{scaled, seed};

/// Sends bytes and closes the connection. Returns the exit code, the messages of the server, and its standard error.
fn talk(sent: &[u8]) -> (i32, Vec<Value>, String) {
    let called = myriad(&["lsp"], sent);
    let mut output = called.stdout.as_bytes();
    (called.code, std::iter::from_fn(|| read(&mut output)).collect(), called.stderr)
}

fn request(id: u32, method: &str) -> Vec<u8> {
    framed(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {} }))
}

fn told(method: &str, params: Value) -> Vec<u8> {
    framed(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

/// Sends bytes between the beginning and the end that the protocol wants.
fn talk_between(sent: &[u8]) -> Vec<Value> {
    let end = [request(7_002, "shutdown"), told("exit", Value::Null)].concat();
    let start = [request(7_001, "initialize"), told("initialized", json!({}))].concat();
    let (code, mut messages, stderr) = talk(&[&start, sent, &end].concat());
    assert_eq!((code, &*stderr), (0, ""), "{}", String::from_utf8_lossy(sent));
    assert_eq!(messages.remove(0)["id"], 7_001);
    assert_eq!(messages.pop().expect("an answer")["id"], 7_002);
    messages
}

fn raw(body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

#[test]
fn requests_are_answered_as_the_phase_of_the_connection_wants() {
    let exit = told("exit", Value::Null);
    assert_eq!(talk(&exit), (1, vec![], "".into()));
    assert_eq!(talk(&[request(1, "initialize"), exit.clone()].concat()).0, 1);
    assert_eq!(talk(b""), (1, vec![], "".into()));
    let methods = ["textDocument/hover", "shutdown", "initialize", "initialize", "shutdown", "shutdown"];
    let sent: Vec<Vec<u8>> = methods.iter().zip(1..).map(|(method, id)| request(id, method)).collect();
    let (code, answers, _) = talk(&[sent.concat(), exit].concat());
    let errors: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(json!(errors), json!([-32002, -32002, null, -32600, null, -32600]));
    assert_eq!(code, 0);
}

#[test]
fn messages_that_are_not_json_rpc_are_answered_and_the_server_goes_on() {
    for (sent, code) in [
        (raw("hello"), -32700),
        (raw(""), -32700),
        (raw(b"{\"a\": \"\xff\"}"), -32700),
        (raw("[".repeat(100_000)), -32700),
        (b"Content-Type: x\r\n\r\n".to_vec(), -32700),
        (b"Content-Length: -1\r\n\r\n".to_vec(), -32700),
        (raw("{}"), -32600),
        (raw("7"), -32600),
        (raw(r#"[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]"#), -32600),
        (raw(r#"{"jsonrpc":"2.0","id":{},"method":"shutdown"}"#), -32600),
        (raw(r#"{"jsonrpc":"2.0","id":1,"method":["shutdown"]}"#), -32600),
        (request(1, "unknown"), -32601),
        (request(1, "textDocument/hover"), -32602),
    ] {
        let answers = talk_between(&sent);
        let codes: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["code"]).collect();
        assert_eq!(json!(codes), json!([code]), "{}", String::from_utf8_lossy(&sent));
    }
    for unanswered in [raw(r#"{"id":null,"result":1}"#), raw(r#"{"method":"textDocument/didOpen"}"#)] {
        assert_eq!(talk_between(&unanswered), [] as [Value; 0]);
    }
}

#[test]
fn long_messages_end_the_server_with_a_message() {
    for length in ["67108865", "1000000000000", "99999999999999999999999"] {
        let header = format!("Content-Length: {length}\r\n\r\n{{}}");
        let (code, answers, stderr) = talk(&[request(1, "initialize"), header.into_bytes()].concat());
        assert_eq!((code, answers.len()), (2, 1), "{stderr}");
        assert!(stderr.starts_with("error: the client announces a message of more than 64 MB\n"), "{stderr}");
    }
}

#[test]
fn names_of_documents_are_not_looked_into() {
    for uri in ["file:///a[1]^|.myr", "file:///ü b.myr", "C:\\a b.myr", "untitled:Untitled-1", "%", ""] {
        let document = json!({ "uri": uri, "languageId": "myriad", "version": 1, "text": TEXT });
        let place = json!({ "textDocument": { "uri": uri }, "position": at(6, 6), "newName": "first" });
        let ask = |id: u32, method: &str| {
            framed(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": place }))
        };
        let sent = [
            told("textDocument/didOpen", json!({ "textDocument": document })),
            ask(1, "textDocument/definition"),
            ask(2, "textDocument/rename"),
            told("textDocument/didClose", place.clone()),
        ];
        let messages = talk_between(&sent.concat());
        let answer =
            |id: u32| &messages.iter().find(|message| message["id"] == id).expect("an answer")["result"];
        assert_eq!((&answer(1)["uri"], &answer(1)["range"]["start"]), (&json!(uri), &at(1, 3)));
        assert_eq!(answer(2)["changes"][uri].as_array().map(Vec::len), Some(2), "{uri}");
        let published = messages.iter().filter(|message| message["params"]["uri"] == uri);
        assert!(published.count() >= 2, "{uri}: {messages:?}");
    }
}

#[test]
fn unknown_versions_and_halves_of_characters_end_nothing() {
    for version in ["null", "\"x\"", "1.5", "-1", "123456789012", "1e300", "{}"] {
        let sent = [
            ("didOpen", r#"{"uri":"a","version":V,"text":"// \ud800\ntest 1 == 2;\n"}"#),
            (
                "didChange",
                r#"{"uri":"a","version":V},"contentChanges":[{"range":{"start":{"line":0,"character":3},"end":{"line":1,"character":1e9}},"text":"\udc00;"}]"#,
            ),
        ]
        .map(|(method, rest)| {
            let rest = rest.replace('V', version);
            raw(format!(r#"{{"jsonrpc":"1.0","method":"textDocument/{method}","params":{{"textDocument":{rest}}}}}"#))
        });
        let messages = talk_between(&sent.concat());
        let published: Vec<&Value> = messages.iter().map(|message| &message["params"]).collect();
        assert!(published.len() >= 2, "{version}: {messages:?}");
        let known = serde_json::from_str::<i64>(version).ok();
        assert!(published.iter().all(|one| one["version"].as_i64() == known), "{version}: {published:?}");
        // The whole second line is gone.
        assert_eq!(published[published.len() - 1]["diagnostics"], json!([]), "{version}");
    }
    // A document without any version.
    let opened = told("textDocument/didOpen", json!({ "textDocument": { "uri": "a", "text": "fn" } }));
    assert!(!talk_between(&opened).is_empty());
}

#[test]
fn diagnostics_of_a_text_are_published_once() {
    let mut client = Client::start();
    client.open(TEXT);
    client.diagnostics_until(|found| found.to_string().contains("would"));
    // Nothing survives here, and every test passes.
    client.open("test 1 == 1;\n");
    client.until(|client| {
        let lenses = client.ask("textDocument/codeLens", json!({}));
        lenses.to_string().contains('✓').then_some(())
    });
    let published = client.published.clone();
    assert!(published.windows(2).all(|pair| pair[0] != pair[1]), "{published:#?}");
    client.exit();
}

/// Returns a random value, of which some are what the server expects.
fn value(rng: &mut Rng, depth: usize) -> Value {
    const TEXTS: [&str; 8] =
        ["", "a", "file:///a.myr", "\u{0}", "\u{feff}ü𝄞", "fn f(", TEXT, "test 1 == 2;\r\n"];
    match rng.below(if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(rng.one_in(2)),
        2 => json!(rng.next() as i64 >> rng.below(64)),
        3 => json!(rng.next() as f64 * 1e280),
        4 | 5 => json!(TEXTS[rng.below(TEXTS.len())]),
        6 => (0..rng.below(4)).map(|_| value(rng, depth - 1)).collect(),
        _ => params(rng, depth - 1),
    }
}

fn params(rng: &mut Rng, depth: usize) -> Value {
    let mut all = json!({});
    for key in ["textDocument", "position", "range", "contentChanges", "newName", "context", "capabilities"] {
        if rng.one_in(2) {
            all[key] = match key {
                _ if rng.one_in(4) => value(rng, depth),
                "textDocument" => {
                    json!({ "uri": "a", "version": value(rng, 0), "text": TEXT, "languageId": value(rng, 0) })
                }
                "position" => position(rng),
                "range" => json!({ "start": position(rng), "end": position(rng) }),
                "contentChanges" => (0..rng.below(5))
                    .map(
                        |_| json!({ "range": { "start": position(rng), "end": position(rng) }, "text": "x\n" }),
                    )
                    .collect(),
                _ => value(rng, depth),
            };
        }
    }
    all
}

fn position(rng: &mut Rng) -> Value {
    if rng.one_in(8) { value(rng, 1) } else { at(rng.below(9) as u32, rng.below(40) as u32) }
}

/// Returns the bytes of a random message, some of which are not what their header says.
fn hostile(rng: &mut Rng) -> Vec<u8> {
    const METHODS: [&str; 22] = [
        "initialize",
        "initialized",
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didChange",
        "textDocument/didClose",
        "textDocument/hover",
        "textDocument/definition",
        "textDocument/references",
        "textDocument/documentHighlight",
        "textDocument/prepareRename",
        "textDocument/rename",
        "textDocument/completion",
        "textDocument/formatting",
        "textDocument/documentSymbol",
        "textDocument/semanticTokens/full",
        "textDocument/codeLens",
        "textDocument/codeAction",
        "textDocument/signatureHelp",
        "textDocument/inlayHint",
        "$/cancelRequest",
        "x",
    ];
    let mut message = json!({ "jsonrpc": "2.0", "method": METHODS[rng.below(METHODS.len())] });
    if rng.one_in(2) {
        message["id"] = if rng.one_in(4) { value(rng, 2) } else { json!(rng.below(1_000)) };
    }
    message["params"] = params(rng, 3);
    match rng.below(12) {
        0 => message = value(rng, 4),
        1 => message = json!([message, value(rng, 2)]),
        _ => {}
    }
    let mut bytes = framed(&message);
    match rng.below(12) {
        // Cut short, also in the header; a byte that is another; bytes that belong to no message.
        0 => bytes.truncate(rng.below(bytes.len())),
        1 => {
            // A greater length would swallow the rest.
            let at = (bytes.len() - 1 - rng.below(bytes.len() / 2)).max(25);
            let last = bytes.len() - 1;
            bytes[at.min(last)] = rng.next() as u8;
        }
        2 => bytes.extend((0..rng.below(30)).map(|_| *rng.pick(b"\r\n:{}[]\"\\x0 \xff"))),
        _ => {}
    }
    bytes
}

#[test]
fn random_messages_end_nothing() {
    let mut rng = Rng::new(seed());
    let mut client = Client::start();
    for _ in 0..scaled(4_000) {
        let sent = hostile(&mut rng);
        client.raw(&sent);
    }
    // The last one may wait for the rest of its body.
    client.raw(&b"\r\n".repeat(16_000));
    client.open(TEXT);
    assert_eq!(client.at("textDocument/definition", 6, 6)["range"]["start"], at(1, 3));
    client.exit();
}

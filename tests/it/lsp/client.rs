//! A client that speaks the protocol with `myriad lsp` over pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::extent::HANG;

const URI: &str = "file:///a.myr";

pub struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    version: i32,
    asked: i32,
    /// The newest diagnostics, and the version of the text that they are of.
    found: Option<(i32, Value)>,
    /// All diagnostics of the document, with their versions.
    pub published: Vec<(i32, Value)>,
    /// The methods of the server's requests.
    pub refreshes: Vec<String>,
    slowest: Duration,
}

impl Client {
    pub fn start() -> Client {
        Client::with(json!({}))
    }

    /// Starts the server for a client with these abilities.
    pub fn with(abilities: Value) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_myriad"))
            .arg("lsp")
            .env("MYRIAD_CONFIG", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/common/config.toml"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take().expect("a pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Client {
            child,
            input,
            messages,
            version: 0,
            // Other ids than those of random messages.
            asked: 1_000_000,
            found: None,
            published: Vec::new(),
            refreshes: Vec::new(),
            slowest: Duration::ZERO,
        };
        let capabilities =
            client.request("initialize", json!({ "capabilities": abilities })).expect("capabilities");
        assert_eq!(capabilities["capabilities"]["hoverProvider"], true);
        client.tell("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        self.raw(&framed(message));
    }

    /// Sends bytes.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    /// Sends a notification.
    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Takes the next message of the server.
    fn next(&mut self) -> Value {
        let message = self.messages.recv_timeout(HANG).expect("a message");
        if message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == URI {
            let version = message["params"]["version"].as_i64().expect("a version") as i32;
            let found = (version, message["params"]["diagnostics"].clone());
            self.published.push(found.clone());
            self.found = Some(found);
        }
        let refreshes = message["method"].as_str().filter(|_| !message["id"].is_null());
        self.refreshes.extend(refreshes.map(String::from));
        message
    }

    /// Sends a request about the document. Returns the result, or the message of the error.
    pub fn try_ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.request(method, Client::about(params))
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let started = Instant::now();
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                self.slowest = self.slowest.max(started.elapsed());
                return match message.get("error") {
                    Some(error) => Err(error["message"].as_str().expect("a text").into()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    fn about(params: Value) -> Value {
        let mut params = params;
        if params.get("textDocument").is_none() {
            params["textDocument"] = json!({ "uri": URI });
        }
        params
    }

    /// Asks about the document.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.try_ask(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Asks about a position.
    pub fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        self.ask(method, json!({ "position": { "line": line, "character": character } }))
    }

    /// Returns the message of the error that a request must have.
    pub fn refused(&mut self, method: &str, params: Value) -> String {
        self.try_ask(method, params).expect_err("an error")
    }

    pub fn open(&mut self, text: &str) {
        self.version += 1;
        let document = json!({ "uri": URI, "languageId": "myriad", "version": self.version, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range.
    pub fn change(&mut self, from: Value, to: Value, text: &str) {
        self.version += 1;
        let changes = json!([{ "range": { "start": from, "end": to }, "text": text }]);
        let document = json!({ "uri": URI, "version": self.version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Returns diagnostics of the newest text.
    pub fn diagnostics(&mut self) -> Value {
        self.diagnostics_until(|_| true)
    }

    /// Returns the first diagnostics of the newest text that meet a condition.
    pub fn diagnostics_until(&mut self, is_met: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some((version, found)) = &self.found
                && *version == self.version
                && is_met(found)
            {
                return found.clone();
            }
            self.next();
        }
    }

    /// Asks again and again until there is an answer.
    pub fn until<T>(&mut self, mut ask: impl FnMut(&mut Client) -> Option<T>) -> T {
        let started = Instant::now();
        loop {
            if let Some(answer) = ask(self) {
                return answer;
            }
            assert!(started.elapsed() < HANG, "no answer");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The longest time between a request and its answer.
    pub fn wait(&self) -> Duration {
        self.slowest
    }

    /// Ends the server as the protocol wants.
    pub fn exit(mut self) {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.tell("exit", Value::Null);
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

/// Returns a message with its header.
pub fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Reads one message; `None` at the end.
pub fn read(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            header => {
                length =
                    header.strip_prefix("Content-Length: ").map_or(length, |n| n.parse().expect("a length"))
            }
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

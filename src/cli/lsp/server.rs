//! The server: open documents, the session that judges the newest of them, and the messages of the protocol.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::document::{Document, LspChange, edited};
use super::positions::{Position, PositionRange};
use super::wire::{self, Message, Refusal, WireFault};
use super::{answers, colours, findings, hints, structure};
use crate::cli::args::Common;
use crate::cli::exit::{Exit, Failure};
use crate::cli::live::{self, News, Verdicts};
use crate::cli::output;
use crate::session::job::VALUE_HINTS;
use crate::session::{self, Session, Update, ValueHints};

/// An event that the server reacts to.
pub enum ServerInput {
    Received(Result<Value, WireFault>),
    News(Box<News>),
}

/// How long the engine's threads may take to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Abilities of the server, as the protocol describes them.
fn capabilities() -> Value {
    json!({
        "capabilities": {
            // Edits come as changes.
            "textDocumentSync": 2,
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "documentFormattingProvider": true,
            "foldingRangeProvider": true,
            "selectionRangeProvider": true,
            "workspaceSymbolProvider": true,
            "documentLinkProvider": {},
            "renameProvider": { "prepareProvider": true },
            "completionProvider": {},
            "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
            "inlayHintProvider": true,
            "codeLensProvider": { "resolveProvider": false },
            "codeActionProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": colours::TYPES, "tokenModifiers": [] },
                "full": true,
            },
        },
        "serverInfo": { "name": "myriad", "version": env!("CARGO_PKG_VERSION") },
    })
}

#[derive(Clone, Copy)]
enum Phase {
    /// The client has not sent `initialize`.
    Begun,
    Initialized,
    ShutDown,
}

type ServerAnswer = Result<Value, Refusal>;

pub struct Server {
    phase: Phase,
    documents: HashMap<String, Document>,
    session: Session,
    /// The document that the session judges: the one that was opened or edited last.
    judged: Option<String>,
    verdicts: Verdicts,
    /// The revision of the last edit of any document.
    revision: u64,
    /// Number of requests to the client.
    asked: u64,
    client: ClientAbilities,
}

/// Abilities of the client that the server uses.
#[derive(Clone, Copy, Default)]
struct ClientAbilities {
    /// Whether it can be asked to fetch code lenses, and inlay hints, again.
    refreshes_lenses: bool,
    refreshes_hints: bool,
    /// Whether parameters in the header of a function may be offsets.
    takes_offsets: bool,
}

impl ClientAbilities {
    /// Reads the parameters of `initialize`.
    fn of(params: &Value) -> ClientAbilities {
        let has =
            |ability: &str| params.pointer(&format!("/capabilities/{ability}")) == Some(&Value::Bool(true));
        ClientAbilities {
            refreshes_lenses: has("workspace/codeLens/refreshSupport"),
            refreshes_hints: has("workspace/inlayHint/refreshSupport"),
            takes_offsets: has(
                "textDocument/signatureHelp/signatureInformation/parameterInformation/labelOffsetSupport",
            ),
        }
    }
}

impl Server {
    /// Starts the session. Its updates arrive as inputs.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn new(common: &Common, inputs: Sender<ServerInput>) -> std::io::Result<Server> {
        let session = live::start(common, &[&VALUE_HINTS], move |news| {
            // The server may have ended.
            let _ = inputs.send(ServerInput::News(Box::new(news)));
        })?;
        Ok(Server {
            phase: Phase::Begun,
            documents: HashMap::new(),
            session,
            judged: None,
            verdicts: Verdicts::default(),
            revision: 0,
            asked: 0,
            client: ClientAbilities::default(),
        })
    }

    /// Serves until the client asks to exit. The exit code is that of the protocol: 0 after `shutdown`, else 1. `taken` is
    /// asked once for each input of the client.
    ///
    /// # Errors
    /// If the client announces a message that is too long.
    pub fn serve(mut self, inputs: &Receiver<ServerInput>, taken: &Receiver<()>) -> Result<Exit, Failure> {
        let mut result = Ok(());
        for input in inputs {
            let received = match input {
                ServerInput::News(news) => {
                    self.update(*news);
                    continue;
                }
                ServerInput::Received(received) => received,
            };
            let _ = taken.recv();
            match received.map(Message::read) {
                Ok(Ok(Some(Message { id: Some(id), method, params }))) => {
                    let result = self.request(&method, &params);
                    send(&wire::answer(id, result));
                }
                Ok(Ok(Some(told))) if told.method == "exit" => break,
                // A client that sends wrong parameters gets no answer to a notification.
                Ok(Ok(Some(told))) => drop(self.notification(&told.method, &told.params)),
                Ok(Ok(None)) => {}
                Ok(Err(answer)) => send(&answer),
                Err(WireFault::Unreadable(why)) => {
                    send(&wire::answer(Value::Null, Err((wire::PARSE_ERROR, why))));
                }
                Err(WireFault::TooLong) => {
                    result = Err(Failure::call(
                        format!("the client announces a message of more than {} MB", wire::LIMIT >> 20),
                        "a program has at most 64 KB; if the editor is not at fault, restart its server",
                    ));
                    break;
                }
                Err(WireFault::Closed) => break,
            }
        }
        self.session.finish(PATIENCE);
        result.map(|()| if matches!(self.phase, Phase::ShutDown) { Exit::Good } else { Exit::ProgramFailed })
    }

    fn request(&mut self, method: &str, params: &Value) -> ServerAnswer {
        match (self.phase, method) {
            (Phase::Begun, "initialize") => {
                self.client = ClientAbilities::of(params);
                self.phase = Phase::Initialized;
                Ok(capabilities())
            }
            (Phase::Begun, _) => Err((wire::NOT_INITIALIZED, "`initialize` comes first".into())),
            (Phase::Initialized, "initialize") => {
                Err((wire::INVALID_REQUEST, "the server is initialized".into()))
            }
            (Phase::Initialized, "shutdown") => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (Phase::Initialized, _) => self.answer(method, params),
            (Phase::ShutDown, _) => Err((wire::INVALID_REQUEST, "the server is shut down".into())),
        }
    }

    fn answer(&self, method: &str, params: &Value) -> ServerAnswer {
        let uri = || read::<&str>(params, "/textDocument/uri");
        let document = || self.document(uri()?);
        let at = || read::<Position>(params, "/position");
        Ok(match method {
            "textDocument/hover" => answers::hover(document()?, at()?).into(),
            "textDocument/definition" => answers::definition(document()?, uri()?, at()?).into(),
            "textDocument/documentHighlight" => answers::highlights(document()?, at()?).into(),
            "textDocument/prepareRename" => json!(answers::renamable(document()?, at()?)),
            "textDocument/completion" => answers::completion(document()?, at()?).into(),
            "textDocument/signatureHelp" => {
                answers::signature(document()?, at()?, self.client.takes_offsets).into()
            }
            "textDocument/references" => {
                let with = params.pointer("/context/includeDeclaration") == Some(&Value::Bool(true));
                answers::references(document()?, uri()?, at()?, with).into()
            }
            "textDocument/rename" => {
                let renamed = answers::rename(document()?, uri()?, at()?, read(params, "/newName")?);
                renamed.map_err(|why| (wire::REQUEST_FAILED, why))?
            }
            "textDocument/formatting" => answers::formatting(document()?).into(),
            "textDocument/documentSymbol" => answers::outline(document()?).into(),
            "textDocument/foldingRange" => structure::foldings(document()?).into(),
            "textDocument/selectionRange" => {
                structure::selections(document()?, &read::<Vec<Position>>(params, "/positions")?).into()
            }
            "textDocument/documentLink" => structure::links(document()?, uri()?).into(),
            "workspace/symbol" => structure::workspace(&self.documents, read(params, "/query")?).into(),
            "textDocument/semanticTokens/full" => json!({ "data": colours::semantic_tokens(document()?) }),
            "textDocument/inlayHint" => {
                hints::hints(&self.verdicts, document()?, read(params, "/range")?).into()
            }
            "textDocument/codeLens" => findings::lenses(&self.verdicts, document()?).into(),
            "textDocument/codeAction" => self.actions(document()?, uri()?, read(params, "/range")?),
            _ => return Err((wire::METHOD_NOT_FOUND, format!("{method} is not supported"))),
        })
    }

    fn document(&self, uri: &str) -> Result<&Document, Refusal> {
        self.documents.get(uri).ok_or_else(|| (wire::INVALID_PARAMS, format!("{uri} is not open")))
    }

    /// Returns the edits that are on offer where they touch a range.
    fn actions(&self, document: &Document, uri: &str, range: PositionRange) -> Value {
        let bytes = document.positions.bytes(range);
        let actions = findings::actions(&self.verdicts, document, &bytes).into_iter();
        let mut seen = HashSet::new();
        let offered = actions.filter(|action| seen.insert(action.title.clone())).map(|action| {
            json!({
                "title": action.title,
                "kind": "quickfix",
                "edit": answers::edit(document, uri, action.changes),
                "isPreferred": action.is_preferred,
            })
        });
        offered.collect()
    }

    fn notification(&mut self, method: &str, params: &Value) -> Result<(), Refusal> {
        if !matches!(self.phase, Phase::Initialized) {
            return Ok(());
        }
        let uri = || read::<&str>(params, "/textDocument/uri");
        let version = params.pointer("/textDocument/version").and_then(Value::as_i64);
        match method {
            "textDocument/didOpen" => {
                let (uri, text) = (uri()?, read(params, "/textDocument/text")?);
                self.judge(uri, Document::new(version, self.revision + 1, text));
            }
            "textDocument/didChange" => {
                let (uri, changes) = (uri()?, read::<Vec<LspChange>>(params, "/contentChanges")?);
                let text = edited(&self.document(uri)?.text, &changes);
                self.judge(uri, Document::new(version, self.revision + 1, &text));
            }
            "textDocument/didClose" => {
                let uri = uri()?;
                self.documents.remove(uri);
                if self.judged.as_deref() == Some(uri) {
                    self.judge_newest();
                }
                tell("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": [] }));
            }
            _ => {}
        }
        Ok(())
    }

    /// Publishes what the compiler says of a document, and has it tested.
    fn judge(&mut self, uri: &str, document: Document) {
        self.revision = document.revision;
        let edit = session::Edit {
            revision: self.revision,
            text: document.text.clone(),
            at: Instant::now(),
            fires_in: None,
        };
        self.session.send(session::Request::Edit(edit));
        self.documents.insert(uri.into(), document);
        self.judged = Some(uri.into());
        self.publish(uri);
    }

    /// Has the open document tested that was opened or edited last.
    fn judge_newest(&mut self) {
        let newest = self.documents.iter().max_by_key(|(_, document)| document.revision);
        self.judged = newest.map(|(uri, _)| uri.clone());
        let document = self.judged.as_ref().and_then(|uri| self.documents.remove_entry(uri));
        if let Some((uri, document)) = document {
            self.judge(&uri, Document { revision: self.revision + 1, ..document });
        }
    }

    fn update(&mut self, news: News) {
        let Some(uri) = self.judged.clone() else { return };
        let Some(document) = self.documents.get(&uri) else { return };
        let has_values = matches!(&news.update, Update::Found(found) if found.what::<ValueHints>().is_some());
        if !self.verdicts.update(&document.text, news) {
            return;
        }
        if has_values {
            return self.refresh("inlayHint", self.client.refreshes_hints);
        }
        self.publish(&uri);
        self.refresh("codeLens", self.client.refreshes_lenses);
    }

    /// Asks the client to fetch lenses or hints again, if it can be asked.
    fn refresh(&mut self, of: &str, can: bool) {
        if can {
            self.asked += 1;
            send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": format!("workspace/{of}/refresh") }));
        }
    }

    /// Publishes the diagnostics of a document, unless the client has them.
    fn publish(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        let found = findings::diagnostics(&self.verdicts, document);
        if document.published.as_ref() == Some(&found) {
            return;
        }
        let mut published = json!({ "uri": uri, "diagnostics": found });
        if let Some(version) = document.version {
            published["version"] = version.into();
        }
        tell("textDocument/publishDiagnostics", published);
        document.published = Some(found);
    }
}

/// Reads a part of the parameters.
fn read<'a, T: Deserialize<'a>>(params: &'a Value, pointer: &str) -> Result<T, Refusal> {
    let part = params.pointer(pointer).unwrap_or(&Value::Null);
    T::deserialize(part).map_err(|error| (wire::INVALID_PARAMS, format!("{pointer}: {error}")))
}

fn tell(method: &str, params: Value) {
    send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
}

fn send(message: &Value) {
    // The client may be gone: then its messages end, too.
    let _ = output::print_data(&wire::framed(message));
}

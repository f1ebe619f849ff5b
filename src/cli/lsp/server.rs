//! The server: open documents, the session that judges the newest of them, and the messages of the protocol.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answers;
use super::colours;
use super::document::Document;
use super::findings;
use crate::cli::args::Common;
use crate::cli::exit::Exit;
use crate::cli::live::{self, News, Verdicts};
use crate::session::{self, Session};

/// What the server reacts to.
pub enum Input {
    Message(Message),
    News(Box<News>),
    /// The client has closed the connection.
    Closed,
}

/// How long the engine's threads may take to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the server can do, as the protocol describes it.
pub fn capabilities() -> Value {
    let capabilities = ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncKind::INCREMENTAL.into()),
        hover_provider: Some(true.into()),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        completion_provider: Some(CompletionOptions::default()),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: SemanticTokensLegend {
                    token_types: colours::TYPES.to_vec(),
                    token_modifiers: Vec::new(),
                },
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        ..ServerCapabilities::default()
    };
    json!({ "capabilities": capabilities, "serverInfo": { "name": "myriad", "version": env!("CARGO_PKG_VERSION") } })
}

/// The result of a request, or the code and message of an error.
type Answer = Result<Value, (ErrorCode, String)>;

pub struct Server {
    send: Box<dyn Fn(Message)>,
    documents: HashMap<String, Document>,
    session: Session,
    /// The document that the session judges: the one that was opened or edited last.
    judged: Option<Uri>,
    verdicts: Verdicts,
    /// The revision of the last edit of any document.
    revision: u64,
    /// Number of requests to the client.
    asked: i32,
    /// Whether the client can be asked to fetch code lenses again.
    refreshes: bool,
    is_shut_down: bool,
}

impl Server {
    /// Starts the session. Its updates arrive as inputs.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn new(
        common: Common,
        client: &Value,
        send: impl Fn(Message) + 'static,
        inputs: Sender<Input>,
    ) -> std::io::Result<Server> {
        let session = live::start(&common, move |news| {
            // The server may have ended.
            let _ = inputs.send(Input::News(Box::new(news)));
        })?;
        let refreshes =
            client.pointer("/capabilities/workspace/codeLens/refreshSupport") == Some(&Value::Bool(true));
        Ok(Server {
            send: Box::new(send),
            documents: HashMap::new(),
            session,
            judged: None,
            verdicts: Verdicts::default(),
            revision: 0,
            asked: 0,
            refreshes,
            is_shut_down: false,
        })
    }

    /// Serves until the client asks to exit. The exit code is that of the protocol: 0 after `shutdown`, else 1.
    pub fn serve(mut self, inputs: &Receiver<Input>) -> Exit {
        for input in inputs {
            match input {
                Input::Message(Message::Request(request)) => self.request(request),
                Input::Message(Message::Notification(told)) if told.method == "exit" => break,
                Input::Message(Message::Notification(told)) => self.notification(told),
                Input::Message(Message::Response(_)) => {}
                Input::News(news) => self.update(*news),
                Input::Closed => break,
            }
        }
        self.session.finish(PATIENCE);
        if self.is_shut_down { Exit::Good } else { Exit::ProgramFailed }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let result = match self.is_shut_down {
            true => Err((ErrorCode::InvalidRequest, "the server is shut down".into())),
            false => self.answer(&method, params),
        };
        let response = match result {
            Ok(value) => Response::new_ok(id, value),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        (self.send)(Message::Response(response));
    }

    fn answer(&mut self, method: &str, params: Value) -> Answer {
        match method {
            "shutdown" => {
                self.is_shut_down = true;
                Ok(Value::Null)
            }
            "textDocument/hover" => self.at(params, |document, _, at| value(answers::hover(document, at))),
            "textDocument/definition" => {
                self.at(params, |document, uri, at| value(answers::definition(document, uri, at)))
            }
            "textDocument/documentHighlight" => {
                self.at(params, |document, _, at| value(answers::highlights(document, at)))
            }
            "textDocument/prepareRename" => {
                self.at(params, |document, _, at| value(answers::renamable(document, at)))
            }
            "textDocument/completion" => {
                self.at(params, |document, _, at| value(answers::completion(document, at)))
            }
            "textDocument/references" => {
                let with = params.pointer("/context/includeDeclaration") == Some(&Value::Bool(true));
                self.at(params, |document, uri, at| value(answers::references(document, uri, at, with)))
            }
            "textDocument/rename" => {
                let RenameParams { text_document_position: at, new_name, .. } = read(params)?;
                let document = self.document(&at.text_document.uri)?;
                let renamed = answers::rename(document, &at.text_document.uri, at.position, &new_name);
                value(renamed.map_err(|why| (ErrorCode::RequestFailed, why))?)
            }
            "textDocument/formatting" => self.of(params, |document, _| value(answers::formatting(document))),
            "textDocument/documentSymbol" => self.of(params, |document, _| value(answers::outline(document))),
            "textDocument/semanticTokens/full" => self.of(params, |document, _| {
                value(SemanticTokens { result_id: None, data: colours::semantic_tokens(document) })
            }),
            "textDocument/codeLens" => {
                self.of(params, |document, _| value(findings::lenses(&self.verdicts, document)))
            }
            "textDocument/codeAction" => {
                let CodeActionParams { text_document, range, .. } = read(params)?;
                self.actions(&text_document.uri, range)
            }
            _ => Err((ErrorCode::MethodNotFound, format!("{method} is not supported"))),
        }
    }

    /// Answers a request about a document.
    fn of(&self, params: Value, answer: impl Fn(&Document, &Uri) -> Answer) -> Answer {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            text_document: TextDocumentIdentifier,
        }
        let Params { text_document: TextDocumentIdentifier { uri } } = read(params)?;
        answer(self.document(&uri)?, &uri)
    }

    /// Answers a request about a position in a document.
    fn at(&self, params: Value, answer: impl Fn(&Document, &Uri, Position) -> Answer) -> Answer {
        let TextDocumentPositionParams { text_document, position } = read(params)?;
        answer(self.document(&text_document.uri)?, &text_document.uri, position)
    }

    fn document(&self, uri: &Uri) -> Result<&Document, (ErrorCode, String)> {
        let document = self.documents.get(uri.as_str());
        document.ok_or_else(|| (ErrorCode::InvalidParams, format!("{} is not open", uri.as_str())))
    }

    /// Returns the edits that are on offer where they touch a range.
    fn actions(&self, uri: &Uri, range: Range) -> Answer {
        let document = self.document(uri)?;
        let bytes = document.positions().bytes(range);
        let actions = findings::actions(&self.verdicts, document, &bytes).into_iter();
        let mut seen = std::collections::HashSet::new();
        let offered = actions.filter(|action| seen.insert(action.title.clone())).map(|action| CodeAction {
            title: action.title,
            kind: Some(CodeActionKind::QUICKFIX),
            edit: Some(answers::edit(document, uri, action.changes)),
            is_preferred: Some(action.is_preferred),
            ..CodeAction::default()
        });
        value(offered.collect::<Vec<_>>())
    }

    fn notification(&mut self, told: Notification) {
        // A client that sends wrong parameters gets no answer to a notification.
        let _ = match told.method.as_str() {
            "textDocument/didOpen" => {
                read(told.params).map(|DidOpenTextDocumentParams { text_document: opened }| {
                    self.revision += 1;
                    let document = Document::new(opened.version, self.revision, &opened.text);
                    self.judge(opened.uri, document);
                })
            }
            "textDocument/didChange" => read(told.params).map(|changed: DidChangeTextDocumentParams| {
                let VersionedTextDocumentIdentifier { uri, version } = changed.text_document;
                if let Some(mut document) = self.documents.remove(uri.as_str()) {
                    self.revision += 1;
                    document.change(version, self.revision, &changed.content_changes);
                    self.judge(uri, document);
                }
            }),
            "textDocument/didClose" => read(told.params).map(|closed: DidCloseTextDocumentParams| {
                let uri = closed.text_document.uri;
                self.documents.remove(uri.as_str());
                if self.judged.as_ref() == Some(&uri) {
                    self.judge_newest();
                }
                self.publish(uri, Vec::new(), None);
            }),
            _ => Ok(()),
        };
    }

    /// Publishes what the compiler says of a document, and has it tested.
    fn judge(&mut self, uri: Uri, document: Document) {
        let Document { revision, ref text, version, .. } = document;
        let edit = session::Edit { revision, text: text.clone(), at: Instant::now() };
        self.session.send(session::Request::Edit(edit));
        self.publish(uri.clone(), findings::diagnostics(&self.verdicts, &document), Some(version));
        self.documents.insert(uri.as_str().into(), document);
        self.judged = Some(uri);
    }

    /// Has the open document tested that was opened or edited last.
    fn judge_newest(&mut self) {
        let newest = self.documents.iter().max_by_key(|(_, document)| document.revision);
        let uri = newest.and_then(|(uri, _)| uri.parse::<Uri>().ok());
        self.judged = None;
        let document = uri.as_ref().and_then(|uri| self.documents.remove(uri.as_str()));
        if let Some((uri, mut document)) = uri.zip(document) {
            self.revision += 1;
            document.revision = self.revision;
            self.judge(uri, document);
        }
    }

    fn update(&mut self, news: News) {
        let Some(uri) = self.judged.clone() else { return };
        let Some(document) = self.documents.get(uri.as_str()) else { return };
        if !self.verdicts.update(&document.text, news) {
            return;
        }
        let (diagnostics, version) = (findings::diagnostics(&self.verdicts, document), document.version);
        self.publish(uri, diagnostics, Some(version));
        if self.refreshes {
            self.asked += 1;
            let id = RequestId::from(self.asked);
            (self.send)(Message::Request(Request::new(id, "workspace/codeLens/refresh".into(), Value::Null)));
        }
    }

    fn publish(&self, uri: Uri, diagnostics: Vec<Diagnostic>, version: Option<i32>) {
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        (self.send)(Message::Notification(Notification::new("textDocument/publishDiagnostics".into(), params)));
    }
}

/// Reads the parameters of a message.
fn read<T: DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

/// Converts an answer to JSON.
fn value(answer: impl serde::Serialize) -> Answer {
    serde_json::to_value(answer).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

//! `myriad lsp`: a language server on standard input and output (`docs/lsp.md`).

mod answers;
mod colours;
mod document;
mod findings;
mod positions;
mod server;

use std::sync::mpsc;

use lsp_server::Connection;

use super::args::Common;
use super::exit::{Exit, Failure};
use server::{Input, Server};

/// Serves one client until it asks to exit or closes the connection.
pub fn lsp(common: Common) -> Result<Exit, Failure> {
    let (connection, threads) = Connection::stdio();
    let broken = |error: &dyn std::fmt::Display| {
        Failure::call(
            format!("the client and the server do not understand each other: {error}"),
            "`myriad lsp` is started by an editor: docs/lsp.md has its settings",
        )
    };
    let (id, parameters) = connection.initialize_start().map_err(|error| broken(&error))?;
    connection.initialize_finish(id, server::capabilities()).map_err(|error| broken(&error))?;
    let (inputs, incoming) = mpsc::channel();
    let (messages, forward) = (connection.receiver.clone(), inputs.clone());
    let reader = move || {
        for message in messages {
            if forward.send(Input::Message(message)).is_err() {
                return;
            }
        }
        let _ = forward.send(Input::Closed);
    };
    let started = std::thread::Builder::new().name("client".into()).spawn(reader);
    let sender = connection.sender.clone();
    // The client may be gone.
    let send = move |message| drop(sender.send(message));
    let server = started.and_then(|_| Server::new(common, &parameters, send, inputs));
    let server = server.map_err(|error| {
        Failure::call(format!("a thread could not be started: {error}"), "end other programs, and try again")
    })?;
    drop(connection);
    let exit = server.serve(&incoming);
    // The client has ended, or waits for the end of this process.
    let _ = threads.join();
    Ok(exit)
}

//! `myriad lsp`: a language server on standard input and output (`docs/lsp.md`).

mod answers;
mod colours;
mod document;
mod findings;
mod hints;
mod positions;
mod server;
mod structure;
mod wire;

use std::sync::mpsc;

use super::args::Common;
use super::exit::{Exit, Failure};
use server::{Server, ServerInput};
use wire::WireFault;

/// The number of messages that are read before the server has time for them.
const WAITING: usize = 4;

/// Serves one client until it asks to exit or closes the connection.
pub fn lsp(common: Common) -> Result<Exit, Failure> {
    let (inputs, incoming) = mpsc::channel();
    let (waiting, taken) = mpsc::sync_channel(WAITING);
    let forward = inputs.clone();
    let reader = move || {
        let mut from = std::io::stdin().lock();
        loop {
            let received = wire::receive(&mut from);
            let is_last = matches!(received, Err(WireFault::Closed | WireFault::TooLong));
            let is_served = waiting.send(()).is_ok() && forward.send(ServerInput::Received(received)).is_ok();
            if is_last || !is_served {
                return;
            }
        }
    };
    let started = std::thread::Builder::new().name("client".into()).spawn(reader);
    let server = started.and_then(|_| Server::new(&common, inputs));
    let server = server.map_err(|error| {
        Failure::call(format!("a thread could not be started: {error}"), "end other programs, and try again")
    })?;
    server.serve(&incoming, &taken)
}

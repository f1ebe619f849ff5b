//! Writes terminal output on a separate thread, so that a blocked terminal delays nothing else.
//!
//! At most one frame is pending; the next one is drawn after that has been written, from the state at that
//! time.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes gathered until they are sent.
#[derive(Clone, Debug, Default)]
pub struct OutputBuffer(Arc<Mutex<Vec<u8>>>);

impl OutputBuffer {
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for OutputBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub struct EdgeWriter {
    pieces: Sender<Vec<u8>>,
    /// The number of pieces that are not written yet.
    waiting: &'static AtomicUsize,
    gone: Arc<AtomicBool>,
}

impl EdgeWriter {
    /// Starts the thread. It counts unwritten pieces in `waiting`, and calls `idle` whenever none are left.
    pub fn start(
        mut out: impl Write + Send + 'static,
        waiting: &'static AtomicUsize,
        idle: impl Fn() + Send + 'static,
    ) -> io::Result<EdgeWriter> {
        let (pieces, queue) = channel::<Vec<u8>>();
        let writer = EdgeWriter { pieces, waiting, gone: Arc::default() };
        let gone = writer.gone.clone();
        let work = move || {
            for piece in queue {
                if out.write_all(&piece).and_then(|()| out.flush()).is_err() {
                    gone.store(true, Ordering::SeqCst);
                }
                if waiting.fetch_sub(1, Ordering::SeqCst) == 1 {
                    idle();
                }
            }
        };
        std::thread::Builder::new().name("terminal".into()).spawn(work)?;
        Ok(writer)
    }

    pub fn send(&self, bytes: Vec<u8>) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if self.pieces.send(bytes).is_err() {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Returns whether everything sent has been written.
    pub fn is_idle(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) == 0
    }

    /// Returns whether a write failed because the terminal is gone.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};

    use super::*;

    /// A terminal that accepts a piece only when told to.
    struct Stalled(Receiver<()>, Arc<Mutex<Vec<u8>>>);

    impl Write for Stalled {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(io::Error::other)?;
            self.1.lock().expect("unpoisoned").extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn sending_never_waits_and_nothing_is_lost() {
        let (go, may) = sync_channel(8);
        let written = Arc::new(Mutex::new(Vec::new()));
        let (idle, told) = sync_channel(8);
        static WAITING: AtomicUsize = AtomicUsize::new(0);
        let stalled = Stalled(may, written.clone());
        let writer =
            EdgeWriter::start(stalled, &WAITING, move || idle.send(()).expect("told")).expect("started");
        for piece in ["a", "b", "c"] {
            writer.send(piece.into());
        }
        assert!(!writer.is_idle() && written.lock().expect("unpoisoned").is_empty());
        for _ in 0..3 {
            go.send(()).expect("taken");
        }
        told.recv().expect("told");
        assert!(writer.is_idle() && !writer.is_gone());
        assert_eq!(*written.lock().expect("unpoisoned"), b"abc");
        drop(go);
        writer.send("d".into());
        told.recv().expect("told");
        assert!(writer.is_gone());
    }
}

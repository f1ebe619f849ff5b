//! Graceful interruption: long work that is interrupted ends after the current step and keeps its results.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::host::start;

/// Number of file descriptors needed to listen for signals.
const DESCRIPTORS: usize = 8;

/// Returns a flag that is set by an interrupt or a termination request. A second signal ends the program at
/// once. If the system provides no descriptors or no thread for listening, so does the first.
pub fn flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let _ = listen(stop.clone());
    stop
}

fn listen(flag: Arc<AtomicBool>) -> std::io::Result<()> {
    start::require_descriptors(DESCRIPTORS)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Created before the thread starts, so that no signal is missed.
    let mut signals = {
        let _entered = runtime.enter();
        Signals::new()
    };
    thread::Builder::new().name("signals".into()).spawn(move || {
        runtime.block_on(async {
            loop {
                signals.next().await;
                if flag.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            }
        });
    })?;
    Ok(())
}

/// Both signals; `None` if they cannot be received and keep their default action.
#[cfg(unix)]
struct Signals(Option<[tokio::signal::unix::Signal; 2]>);

#[cfg(unix)]
impl Signals {
    fn new() -> Signals {
        use tokio::signal::unix::{SignalKind, signal};
        let both = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
        Signals(match both {
            (Ok(interrupt), Ok(terminate)) => Some([interrupt, terminate]),
            _ => None,
        })
    }

    async fn next(&mut self) {
        match &mut self.0 {
            Some([interrupt, terminate]) => tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            },
            None => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Signals {
        Signals
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

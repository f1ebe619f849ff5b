//! Long work that is asked to end ends with the step it is at, and keeps what it has.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::host::start;

/// File descriptors that listening to signals takes.
const DESCRIPTORS: usize = 8;

/// A flag that an interrupt from the keyboard or a request to terminate sets, from now on. A second one ends the program at once; so does the first
/// where the system gives no descriptors or no thread to listen with.
pub fn flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let _ = listen(stop.clone());
    stop
}

fn listen(flag: Arc<AtomicBool>) -> std::io::Result<()> {
    start::require_descriptors(DESCRIPTORS)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Here and not on the thread: a signal that comes before the thread has begun is heard as well.
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

/// Both signals; none where they cannot be heard: they then do what they do to any program.
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

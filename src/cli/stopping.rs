//! Long work that is asked to end ends with the step it is at, and keeps what it has.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A flag that an interrupt from the keyboard or a request to terminate sets. A second one ends the program at once.
pub fn flag() -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let flag = stop.clone();
    thread::Builder::new().name("signals".into()).spawn(move || {
        runtime.block_on(async {
            loop {
                asked().await;
                if flag.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            }
        });
    })?;
    Ok(stop)
}

#[cfg(unix)]
async fn asked() {
    use tokio::signal::unix::{SignalKind, signal};
    let both = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    match both {
        (Ok(mut interrupt), Ok(mut terminate)) => tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        },
        // Signals then do what they do to any program.
        _ => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn asked() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

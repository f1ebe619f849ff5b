//! Calls of drivers, which may never return.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::EngineError;

/// The environment variable that says how many seconds a driver may take to list devices, or to prepare one that nobody asked for by name.
pub const VARIABLE: &str = "MYRIAD_PATIENCE";
/// The limits without that variable.
const USUAL: [Duration; 2] = [Duration::from_secs(20), Duration::from_secs(60)];

/// Work of a driver that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Listing devices, or opening one.
    Find,
    /// Opening a device, compiling its shaders and measuring it.
    Prepare,
}

impl Call {
    /// How long it may take.
    pub fn patience(self) -> Duration {
        let said = std::env::var(VARIABLE).ok().and_then(|text| text.trim().parse::<u32>().ok());
        said.map_or(USUAL[self as usize], |seconds| Duration::from_secs(seconds.into()))
    }
}

/// Threads that are in a call of a driver.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Whether a driver is still at work. The process must then end without the clean-up of its libraries: it would pull their data from under
/// that thread.
pub fn is_busy() -> bool {
    CALLS.load(Ordering::SeqCst) > 0
}

/// Calls a driver on a thread of its own, for which nobody waits.
///
/// # Errors
/// If no thread can be had.
pub fn aside(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    CALLS.fetch_add(1, Ordering::SeqCst);
    let call = move || {
        work();
        CALLS.fetch_sub(1, Ordering::SeqCst);
    };
    let begun = std::thread::Builder::new().name("driver".into()).spawn(call);
    if begun.is_err() {
        CALLS.fetch_sub(1, Ordering::SeqCst);
    }
    begun.map(drop)
}

/// Does work on a thread of its own and waits for the result, for so long at most. If the driver never returns, the thread is left to itself.
///
/// # Errors
/// If the work has not ended by then, has panicked, or no thread can be had.
pub fn within<T: Send + 'static>(
    patience: Duration,
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EngineError> {
    let (send, result) = mpsc::channel();
    // The receiver is gone if the work took too long.
    aside(move || drop(send.send(work())))
        .map_err(|error| EngineError::Fault(format!("no thread for {what}: {error}")))?;
    result.recv_timeout(patience).map_err(|error| {
        EngineError::Fault(match error {
            mpsc::RecvTimeoutError::Timeout => {
                format!("{what} has taken longer than {} s", patience.as_secs_f64())
            }
            mpsc::RecvTimeoutError::Disconnected => format!("{what} failed"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_never_returns_is_not_waited_for() {
        let forever = || loop {
            std::thread::park();
        };
        let ended: Result<(), EngineError> = within(Duration::from_millis(20), "listing devices", forever);
        assert_eq!(ended, Err(EngineError::Fault("listing devices has taken longer than 0.02 s".into())));
        assert_eq!(within(Duration::from_secs(60), "a sum", || 1 + 1), Ok(2));
    }
}

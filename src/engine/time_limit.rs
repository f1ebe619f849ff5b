//! Limits the waiting time for driver calls, which may never return.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use super::{DeviceFailure, EngineError};
use crate::host::measure::processor::IdleLimit;

/// The environment variable with the time limit in seconds for listing devices, and for preparing a device
/// that the user did not name.
pub const VARIABLE: &str = "MYRIAD_PATIENCE";
/// The default limits, by [`TimedCall`].
/// A driver may compile shaders for long, or never return.
const USUAL: [Duration; 2] = [Duration::from_secs(20), Duration::from_secs(60)];

/// A kind of driver call with a time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedCall {
    /// Listing devices, or opening one.
    Find,
    /// Opening a device, compiling its shaders and measuring it.
    Prepare,
}

impl TimedCall {
    pub fn time_limit(self) -> Duration {
        let said = std::env::var(VARIABLE).ok().and_then(|text| text.trim().parse::<u32>().ok());
        said.map_or(USUAL[self as usize], |seconds| Duration::from_secs(seconds.into()))
    }
}

/// The number of threads inside a driver call.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Whether a driver call is in progress. The process must then exit without running the clean-up of
/// libraries, which would free data that the thread still uses.
pub fn is_busy() -> bool {
    CALLS.load(Ordering::SeqCst) > 0
}

/// Counts a call while it lasts.
struct Counted;

impl Counted {
    fn new() -> Counted {
        CALLS.fetch_add(1, Ordering::SeqCst);
        Counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Calls a driver on a separate thread, without waiting for it.
///
/// # Errors
/// If no thread can be started.
pub fn detach(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let counted = Counted::new();
    let call = move || {
        let _counted = counted;
        work();
    };
    std::thread::Builder::new().name("driver".into()).spawn(call).map(drop)
}

/// The `nice` value for preparing a device while the processor works, and for a software adapter, which uses the processor
/// that another member needs: about a tenth of a busy processor. With less, other programs could stop it for minutes.
pub const LATER: i32 = 10;

/// Lowers the priority of this thread and of the threads that it will start. Does nothing on other systems than Linux.
pub fn lower_priority(nice: i32) {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, nice);
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
}

/// Receives a message, or gives up once this process has done nothing for `limit`.
///
/// # Errors
/// If the limit is reached or nobody can send any more.
/// Idle time instead of the clock: a driver that compiles on a busy machine is at work and must not be given up.
pub fn receive<T>(from: &Receiver<T>, limit: &mut IdleLimit) -> Result<T, RecvTimeoutError> {
    loop {
        match from.recv_timeout(limit.step()) {
            Err(RecvTimeoutError::Timeout) if !limit.is_over() => {}
            received => return received,
        }
    }
}

/// Does work on a separate thread and waits for its result until this process has done nothing for `limit`. If the
/// driver never returns, the thread is abandoned.
///
/// # Errors
/// If the work is not finished by then, has panicked, or no thread can be started.
pub fn within<T: Send + 'static>(
    limit: Duration,
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EngineError> {
    let (send, result) = mpsc::channel();
    // The receiver no longer exists if the work took too long.
    detach(move || drop(send.send(work())))
        .map_err(|error| DeviceFailure::Threads.because(format!("no thread for {what}: {error}")))?;
    receive(&result, &mut IdleLimit::new(limit)).map_err(|error| {
        DeviceFailure::Opening.because(match error {
            RecvTimeoutError::Timeout => {
                format!("{what} has taken longer than {} s", limit.as_secs_f64())
            }
            RecvTimeoutError::Disconnected => format!("{what} failed"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_that_never_returns_times_out() {
        let forever = || loop {
            std::thread::park();
        };
        let ended: Result<(), EngineError> = within(Duration::from_millis(20), "listing devices", forever);
        assert_eq!(ended, Err(DeviceFailure::Opening.because("listing devices has taken longer than 0.02 s")));
        assert_eq!(within(Duration::from_secs(60), "a sum", || 1 + 1), Ok(2));
    }
}

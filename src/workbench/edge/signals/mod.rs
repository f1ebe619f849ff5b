//! Handles signals on a separate thread, even while the terminal or the interface is blocked.
//!
//! Whatever the signal, unsaved text is first written to disk and the terminal is restored. The table
//! [`handler::KINDS`] defines the effect of each signal.

#[cfg(unix)]
mod handler;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::host::start;
use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::terminal;

/// The exit code for a terminal that has gone away. Exit codes after a signal are 128 + the signal; this one
/// is SIGHUP's, however the loss was detected.
pub const HANGUP: u8 = 129;

/// How long the interface has to end or to stop before the signal thread does so.
const PATIENCE: Duration = Duration::from_millis(700);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalRequest {
    /// End with this exit code.
    End(u8),
    /// Restore the terminal and stop, as ctrl-z does.
    Stop,
}

/// Starts to handle signals. `tell` passes their requests to the interface.
///
/// # Errors
/// If the handlers cannot be installed, or the thread does not start.
#[cfg(unix)]
pub fn serve(journal: Arc<Journal>, tell: impl Fn(SignalRequest) + Send + 'static) -> std::io::Result<()> {
    use handler::HandlerKind;
    let mut signal_pipe = handler::install()?;
    let work = move || {
        while let Some((signal, kind)) = handler::next(&mut signal_pipe) {
            if kind == HandlerKind::Fault {
                // The fault may be a failed allocation.
                start::release_reserve();
            }
            let kept = journal.flush();
            match kind {
                HandlerKind::End => {
                    // Signals are numbered from 1 to 64.
                    let code = 128u8.saturating_add(u8::try_from(signal).unwrap_or_default());
                    tell(SignalRequest::End(code));
                    end_without_interface(code);
                }
                HandlerKind::Stop => {
                    let stops = handler::stops();
                    tell(SignalRequest::Stop);
                    let end = Instant::now() + PATIENCE;
                    while handler::stops() == stops && Instant::now() < end {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    if handler::stops() == stops {
                        terminal::restore_without_writing();
                        handler::stop();
                    }
                }
                HandlerKind::Fault => {
                    terminal::restore();
                    terminal::report_unsaved(&kept);
                    // The interrupted thread continues, and the signal ends the process.
                    handler::mark_fault_handled();
                }
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(work)?;
    Ok(())
}

/// Likewise on systems where an interrupt is the only such signal.
#[cfg(not(unix))]
pub fn serve(journal: Arc<Journal>, tell: impl Fn(SignalRequest) + Send + 'static) -> std::io::Result<()> {
    const INTERRUPT: u8 = 130;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let work = move || {
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            let _ = journal.flush();
            tell(SignalRequest::End(INTERRUPT));
            end_without_interface(INTERRUPT);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(work)?;
    Ok(())
}

/// Ends the program if the interface has not ended it in time.
fn end_without_interface(code: u8) {
    std::thread::sleep(PATIENCE);
    terminal::restore_without_writing();
    std::process::exit(code.into());
}

/// Stops the job, as ctrl-z does in cooked mode. The signal comes back as [`SignalRequest::Stop`].
#[cfg(unix)]
pub fn stop_job() {
    use rustix::process::{Signal, kill_current_process_group};
    let _ = kill_current_process_group(Signal::TSTP);
}

/// Stops the program, after the terminal has been restored, and returns when it continues. Does nothing if
/// nobody could continue it.
#[cfg(unix)]
pub fn stop() {
    handler::stop();
}

#[cfg(not(unix))]
pub fn stop_job() {}
#[cfg(not(unix))]
pub fn stop() {}

pub enum SignalChange {
    /// The job continues after a stop.
    Continue,
    /// The terminal has a new size.
    Resized,
}

#[cfg(unix)]
pub struct Changes {
    resume: tokio::signal::unix::Signal,
    size: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Changes {
    pub fn listen() -> std::io::Result<Changes> {
        use tokio::signal::unix::{SignalKind, signal};
        const CONTINUE: i32 = rustix::process::Signal::CONT.as_raw();
        Ok(Changes {
            resume: signal(SignalKind::from_raw(CONTINUE))?,
            size: signal(SignalKind::window_change())?,
        })
    }
    pub async fn next(&mut self) -> SignalChange {
        tokio::select! {
            _ = self.resume.recv() => SignalChange::Continue,
            _ = self.size.recv() => SignalChange::Resized,
        }
    }
}

#[cfg(not(unix))]
pub struct Changes;

#[cfg(not(unix))]
impl Changes {
    pub fn listen() -> std::io::Result<Changes> {
        Ok(Changes)
    }
    pub async fn next(&mut self) -> SignalChange {
        std::future::pending().await
    }
}

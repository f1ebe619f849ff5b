//! Signals that end the program, on a thread of their own: they are served also while the terminal takes nothing, or the interface
//! is held up by whatever else.

use std::sync::Arc;
use std::time::Duration;

use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::terminal;

/// What ends the program from outside: the exit code is 128 + the signal.
pub const HANGUP: u8 = 129;
pub const INTERRUPT: u8 = 130;
pub const QUIT: u8 = 131;
pub const TERMINATE: u8 = 143;

/// So long the interface may take to end by itself.
const PATIENCE: Duration = Duration::from_millis(700);

/// Waits for what ends the program. Then unsaved text goes to the disk at once, the interface is told, and if it does not end
/// soon the program is ended without it.
pub fn serve(journal: Arc<Journal>, tell: impl Fn(u8) + Send + 'static) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let mut ends = {
        // Signals are listened to from here on, not only once the thread has begun.
        let _inside = runtime.enter();
        Ends::listen()?
    };
    let work = move || {
        let code = runtime.block_on(ends.next());
        let _ = journal.flush();
        tell(code);
        std::thread::sleep(PATIENCE);
        terminal::let_go();
        std::process::exit(code.into());
    };
    std::thread::Builder::new().name("signals".into()).spawn(work)?;
    Ok(())
}

#[cfg(unix)]
struct Ends {
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    quit: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ends {
    fn listen() -> std::io::Result<Ends> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Ends {
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
        })
    }
    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.terminate.recv() => TERMINATE,
            _ = self.hangup.recv() => HANGUP,
            _ = self.interrupt.recv() => INTERRUPT,
            _ = self.quit.recv() => QUIT,
        }
    }
}

#[cfg(not(unix))]
struct Ends;

#[cfg(not(unix))]
impl Ends {
    fn listen() -> std::io::Result<Ends> {
        Ok(Ends)
    }
    async fn next(&mut self) -> u8 {
        match tokio::signal::ctrl_c().await {
            Ok(()) => INTERRUPT,
            Err(_) => std::future::pending().await,
        }
    }
}

/// What changes the terminal under the program.
pub enum Change {
    /// The job goes on after it was stopped.
    Continue,
    /// The terminal has another size.
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
    pub async fn next(&mut self) -> Change {
        tokio::select! {
            _ = self.resume.recv() => Change::Continue,
            _ = self.size.recv() => Change::Resized,
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
    pub async fn next(&mut self) -> Change {
        std::future::pending().await
    }
}

//! The signal handler. It does only what is async-signal-safe: it writes the signal's number to a pipe, from
//! which the signal thread reads it.
//!
//! A fault (a driver's segmentation fault, an abort) must not resume where it occurred. Its thread waits in
//! the handler until the signal thread has saved the text and restored the terminal, at most `FAULT_LOOKS`
//! times [`LOOK`]. Then the signal ends the process as by default.

use std::io::{self, PipeReader, Read};
use std::mem::zeroed;
use std::os::fd::IntoRawFd;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

use libc::{c_int, c_void, siginfo_t};

/// The effect of a signal on the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlerKind {
    /// Ends it with exit code 128 + the signal.
    End,
    /// Ends it by the signal itself, because the interrupted thread may be unable to continue.
    Fault,
    /// Stops it until it is continued.
    Stop,
}

/// All catchable signals that end or stop a process by default, except those in [`real_time`]. SIGPIPE is
/// ignored by Rust's runtime, SIGXFSZ by [`install`].
pub const KINDS: &[(c_int, HandlerKind)] = &[
    (libc::SIGHUP, HandlerKind::End),
    (libc::SIGINT, HandlerKind::End),
    (libc::SIGQUIT, HandlerKind::End),
    (libc::SIGTERM, HandlerKind::End),
    (libc::SIGUSR1, HandlerKind::End),
    (libc::SIGUSR2, HandlerKind::End),
    (libc::SIGALRM, HandlerKind::End),
    (libc::SIGVTALRM, HandlerKind::End),
    (libc::SIGPROF, HandlerKind::End),
    (libc::SIGXCPU, HandlerKind::End),
    #[cfg(target_os = "linux")]
    (libc::SIGIO, HandlerKind::End),
    #[cfg(target_os = "linux")]
    (libc::SIGPWR, HandlerKind::End),
    #[cfg(all(target_os = "linux", not(any(target_arch = "mips", target_arch = "mips64"))))]
    (libc::SIGSTKFLT, HandlerKind::End),
    (libc::SIGABRT, HandlerKind::Fault),
    (libc::SIGFPE, HandlerKind::Fault),
    (libc::SIGILL, HandlerKind::Fault),
    (libc::SIGTRAP, HandlerKind::Fault),
    (libc::SIGSYS, HandlerKind::Fault),
    (libc::SIGSEGV, HandlerKind::Fault),
    (libc::SIGBUS, HandlerKind::Fault),
    (libc::SIGTSTP, HandlerKind::Stop),
];

/// A thread with a fault checks this many times, at intervals of [`LOOK`], whether the signal thread is done.
const FAULT_LOOKS: u32 = 300;
static LOOK: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// The end of the pipe that the handler writes to.
static SIGNAL_PIPE: AtomicI32 = AtomicI32::new(-1);
/// Whether the signal thread has handled a fault.
static FAULT_HANDLED: AtomicBool = AtomicBool::new(false);
/// The number of times the program has stopped.
static STOPS: AtomicU32 = AtomicU32::new(0);
/// The handlers of Rust's runtime for segmentation faults, which detect stack overflows.
static PREVIOUS_ACTIONS: [OnceLock<libc::sigaction>; 2] = [OnceLock::new(), OnceLock::new()];

fn before(signal: c_int) -> Option<&'static OnceLock<libc::sigaction>> {
    match signal {
        libc::SIGSEGV => Some(&PREVIOUS_ACTIONS[0]),
        libc::SIGBUS => Some(&PREVIOUS_ACTIONS[1]),
        _ => None,
    }
}

fn kind(signal: c_int) -> HandlerKind {
    KINDS.iter().find(|(number, _)| *number == signal).map_or(HandlerKind::End, |(_, kind)| *kind)
}

/// Returns the signals without a predefined meaning, which also end the process by default.
#[cfg(target_os = "linux")]
fn real_time() -> std::ops::RangeInclusive<c_int> {
    libc::SIGRTMIN()..=libc::SIGRTMAX()
}
#[cfg(not(target_os = "linux"))]
fn real_time() -> std::ops::Range<c_int> {
    0..0
}

/// Installs the handler for all of these signals. Returns the pipe from which [`next`] reads them.
///
/// # Errors
/// If no pipe can be created, or a handler cannot be installed.
pub fn install() -> io::Result<PipeReader> {
    let (reader, writer) = io::pipe()?;
    // The handler may run at any time until the process ends, so this end stays open.
    SIGNAL_PIPE.store(writer.into_raw_fd(), Ordering::SeqCst);
    for signal in KINDS.iter().map(|(signal, _)| *signal).chain(real_time()) {
        let old = action(signal, None)?;
        if kind(signal) == HandlerKind::Stop && old.sa_sigaction == libc::SIG_IGN {
            // The shell has no job control, so nobody would continue this program.
            continue;
        }
        if let Some(before) = before(signal)
            && !matches!(old.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN)
        {
            let _ = before.set(old);
        }
        action(signal, Some(on_signal as *const () as usize))?;
    }
    // Exceeding the file size limit must be an error of that write.
    action(libc::SIGXFSZ, Some(libc::SIG_IGN))?;
    Ok(reader)
}

/// Sets the action of a signal, if a handler is given. Returns the previous action.
fn action(signal: c_int, handler: Option<usize>) -> io::Result<libc::sigaction> {
    // SAFETY: a `sigaction` of zeros is valid: default action, no flags, empty mask. Both pointers are valid for the call or
    // null, and all handlers are `SIG_DFL`, `SIG_IGN` or `on_signal`, which has the type that SA_SIGINFO asks for.
    unsafe {
        let mut old: libc::sigaction = zeroed();
        let mut new: libc::sigaction = zeroed();
        new.sa_sigaction = handler.unwrap_or(libc::SIG_DFL);
        new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        let set = if handler.is_some() { &raw const new } else { std::ptr::null() };
        match libc::sigaction(signal, set, &raw mut old) {
            0 => Ok(old),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Waits for the next signal; `None` if the pipe is gone.
pub fn next(signal_pipe: &mut PipeReader) -> Option<(c_int, HandlerKind)> {
    let mut byte = [0];
    loop {
        match signal_pipe.read(&mut byte) {
            Ok(1) => return Some((byte[0].into(), kind(byte[0].into()))),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => return None,
        }
    }
}

pub fn mark_fault_handled() {
    FAULT_HANDLED.store(true, Ordering::SeqCst);
}

/// Returns the number of times the program has stopped.
pub fn stops() -> u32 {
    STOPS.load(Ordering::SeqCst)
}

/// Stops the program as SIGTSTP does by default, and returns when it continues. The kernel does not stop a
/// process that no shell could continue.
pub fn stop() {
    STOPS.fetch_add(1, Ordering::SeqCst);
    if action(libc::SIGTSTP, Some(libc::SIG_DFL)).is_ok() {
        // SAFETY: `raise` has no conditions.
        unsafe { libc::raise(libc::SIGTSTP) };
        let _ = action(libc::SIGTSTP, Some(on_signal as *const () as usize));
    }
}

/// The handler. It makes only async-signal-safe calls and does not allocate.
extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let fault = kind(signal) == HandlerKind::Fault;
    if let Some(before) = before(signal).and_then(OnceLock::get) {
        // SAFETY: this is the handler that the runtime had installed with SA_SIGINFO, with what the kernel has passed.
        unsafe {
            let before = before.sa_sigaction as *const ();
            let before: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = std::mem::transmute(before);
            before(signal, info, context);
        }
    }
    let byte = u8::try_from(signal).unwrap_or_default();
    // SAFETY: `write` reads one byte that is there; the descriptor stays open. A call that succeeds leaves `errno` alone.
    unsafe { libc::write(SIGNAL_PIPE.load(Ordering::SeqCst), (&raw const byte).cast(), 1) };
    if !fault {
        return;
    }
    for _ in 0..FAULT_LOOKS {
        if FAULT_HANDLED.load(Ordering::SeqCst) {
            break;
        }
        // SAFETY: the time is valid, and the pointer for the remaining time may be null.
        unsafe { libc::nanosleep(&raw const LOOK, null_mut()) };
    }
    // The signal is blocked until the handler returns; then it ends the process.
    let _ = action(signal, Some(libc::SIG_DFL));
    // SAFETY: `raise` has no conditions.
    unsafe { libc::raise(signal) };
}

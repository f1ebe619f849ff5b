//! Starts the process with a stack, memory and threads that do not depend on the limits of the shell.

use std::process::ExitCode;
use std::sync::{Mutex, mpsc};
use std::{io, thread};

/// Stack sizes of the main thread in bytes, largest first. `ulimit -s` limits only the thread that the system
/// starts.
const STACKS: [usize; 3] = [8 << 20, 2 << 20, 1 << 20];

/// The exit code if the system refuses threads or memory; the same as for a failed engine.
const REFUSED: u8 = 3;

/// The exit code if the main thread has panicked; the same as Rust's.
const PANICKED: u8 = 101;

/// Runs the program with a stack that suffices: on this thread, or else on one whose stack has a known size.
pub fn on_own_stack(program: fn() -> ExitCode) -> ExitCode {
    limits::keep_to_one_arena();
    // The C library gives other threads their memory page by page, so a start there takes some tenths of a millisecond longer.
    if limits::stack_is_at_least(STACKS[0]) {
        return run(program);
    }
    let begin =
        |stack| thread::Builder::new().name("main".into()).stack_size(stack).spawn(move || run(program));
    let mut refused = None;
    for stack in STACKS {
        match begin(stack) {
            Ok(thread) => return thread.join().unwrap_or(ExitCode::from(PANICKED)),
            Err(error) => refused = Some(error),
        }
    }
    if let Some(error) = refused {
        eprintln!(
            "error: the system refuses to start a thread: {error}\nhelp: raise the limits of this shell (`ulimit -a` lists them)"
        );
    }
    ExitCode::from(REFUSED)
}

/// Checks that `count` more file descriptors are available. Some libraries panic if they are not.
///
/// # Errors
/// If fewer are available.
pub fn require_descriptors(count: usize) -> io::Result<()> {
    let held: io::Result<Vec<_>> = (0..count.div_ceil(2)).map(|_| io::pipe()).collect();
    held.map(drop).map_err(|error| {
        let text = format!("fewer than {count} more file descriptors are available ({error}); `ulimit -n` shows and sets the limit");
        io::Error::new(error.kind(), text)
    })
}

/// Bytes reserved for the end of the program under a tight limit, because saving the user's text needs
/// memory, too.
const RESERVE: usize = 4 << 20;

static HELD: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Frees the reserve. The thread that ends the program calls this, because no other memory may be left.
pub fn release_reserve() {
    if let Ok(mut held) = HELD.try_lock() {
        *held = Vec::new();
    }
}

/// Starts the threads for parallel work, as many as the system allows. If it allows none, the thread that
/// requests such work does it. The threads are started before the pool is built, because a pool whose
/// construction fails is never built again.
fn share_threads() {
    let count = thread::available_parallelism().map_or(1, usize::from);
    let begin = |_| {
        let (seat, given) = mpsc::channel::<rayon::ThreadBuilder>();
        let work = move || given.recv().map(rayon::ThreadBuilder::run);
        thread::Builder::new().name("shared".into()).spawn(work).map(|_| seat)
    };
    let mut senders: Vec<_> = (0..count).map_while(|number| begin(number).ok()).collect();
    let builder = rayon::ThreadPoolBuilder::new();
    let _ = match senders.len() {
        0 => builder.num_threads(1).use_current_thread().build_global(),
        threads => {
            let assign = |worker| {
                senders.pop().and_then(|seat| seat.send(worker).ok()).ok_or(io::ErrorKind::WouldBlock.into())
            };
            builder.num_threads(threads).spawn_handler(assign).build_global()
        }
    };
}

/// Runs the program. Under a tight limit, first starts the threads for parallel work: a refusal at their first
/// use would panic. After a refusal here, parallel work runs on the requesting thread.
fn run(program: fn() -> ExitCode) -> ExitCode {
    if limits::are_tight() {
        limits::end_at_abort();
        if let Ok(mut held) = HELD.lock() {
            let _ = held.try_reserve_exact(RESERVE);
        }
        share_threads();
    }
    program()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod limits {
    use std::mem::zeroed;

    use rustix::process::{Resource, getrlimit};

    /// Fewer processes than the session of a user needs.
    const FEW: u64 = 4_096;

    fn addresses() -> bool {
        getrlimit(Resource::As).current.is_some()
    }

    /// Returns whether this thread, the first one, may use `bytes` of stack.
    pub fn stack_is_at_least(bytes: usize) -> bool {
        getrlimit(Resource::Stack).current.is_none_or(|most| most >= bytes as u64)
    }

    /// Returns whether the system may refuse a few threads or some hundred megabytes.
    pub fn are_tight() -> bool {
        addresses() || getrlimit(Resource::Nproc).current.is_some_and(|most| most < FEW)
    }

    /// Limits glibc to one arena if there is a limit of address space. Otherwise each thread reserves 64 MiB
    /// of addresses for an arena of its own, and a few threads exhaust a limit that the program's data would
    /// fit in.
    pub fn keep_to_one_arena() {
        if addresses() {
            // SAFETY: `mallopt` has no conditions.
            unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
        }
    }

    /// Installs a handler by which an abort prints an error and ends the program with exit code 3. A refused
    /// allocation aborts. The workbench installs its own handler, which saves the user's text.
    pub fn end_at_abort() {
        // SAFETY: a zeroed `sigaction` is valid, and the handler has the type required without SA_SIGINFO.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = at_abort as *const () as usize;
            libc::sigaction(libc::SIGABRT, &raw const action, std::ptr::null_mut());
        }
    }

    /// Makes only calls that are safe in a signal handler.
    extern "C" fn at_abort(_: libc::c_int) {
        const TEXT: &[u8] = b"error: the system gives no more memory or threads\nhelp: raise the limits of this shell (`ulimit -a` lists them)\n";
        // SAFETY: `write` reads bytes that are there.
        unsafe {
            libc::write(libc::STDERR_FILENO, TEXT.as_ptr().cast(), TEXT.len());
            libc::_exit(super::REFUSED.into());
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod limits {
    pub fn stack_is_at_least(_: usize) -> bool {
        false
    }

    pub fn are_tight() -> bool {
        false
    }

    pub fn keep_to_one_arena() {}

    pub fn end_at_abort() {}
}

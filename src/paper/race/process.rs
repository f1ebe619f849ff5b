//! Runs processes one at a time. The working thread blocks in the system until a process ends, and continues at once.
//!
//! Polling instead would add a delay of up to the polling interval. A second thread kills the running process when the
//! race ends.

use std::io::{self, Read};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;

use super::Flag;

/// The maximum time until the end of the race is noticed.
const NOTICED: Duration = Duration::from_millis(10);

/// Runs processes for a contestant.
pub struct Processes<'a> {
    flag: Flag<'a>,
    state: Mutex<ProcessState>,
    over: Condvar,
}

#[derive(Default)]
struct ProcessState {
    running: Option<Child>,
    /// Whether no further process starts.
    over: bool,
}

impl<'a> Processes<'a> {
    /// Runs `work`, which may start processes. No process outlives the race.
    ///
    /// # Errors
    /// If the thread that kills processes cannot be started.
    pub fn with<T>(flag: Flag<'a>, work: impl FnOnce(&Processes) -> T) -> io::Result<T> {
        let processes = Processes { flag, state: Mutex::default(), over: Condvar::new() };
        thread::scope(|scope| {
            Builder::new().name("watchdog".into()).spawn_scoped(scope, || processes.watch())?;
            // Dropping this ends the thread, even if the work panics.
            let _over = StopGuard(&processes);
            Ok(work(&processes))
        })
    }

    /// Runs a process to its end and returns its output. Returns `None` if the race ends first.
    ///
    /// # Errors
    /// If the process cannot be started, read or waited for.
    pub fn run(&self, mut command: Command) -> io::Result<Option<(ExitStatus, String)>> {
        if self.flag.is_up() {
            return Ok(None);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (mut stdout, mut said) = (child.stdout.take(), vec![]);
        #[cfg(unix)]
        let number = rustix::process::Pid::from_child(&child);
        self.lock().running = Some(child);
        #[cfg(unix)]
        sleep_until_ended(number);
        // On other systems, the output ends with the process.
        #[cfg(not(unix))]
        wait_for_input(&mut stdout, &mut said)?;
        // From here on only this thread can reap the process, so its id stays valid until then.
        let child = self.lock().running.take();
        let Some(mut child) = child else { return Ok(None) };
        let status = child.wait()?;
        if self.flag.is_up() && !status.success() {
            return Ok(None);
        }
        // The output has fitted the pipe: one line per test, and tests are few.
        wait_for_input(&mut stdout, &mut said)?;
        Ok(Some((status, String::from_utf8_lossy(&said).into_owned())))
    }

    /// Kills the running process when the race is over.
    fn watch(&self) {
        let mut state = self.lock();
        while !state.over {
            if let Some(child) = state.running.as_mut().filter(|_| self.flag.is_up()) {
                let _ = child.kill();
            }
            state = self.over.wait_timeout(state, NOTICED).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ignores poisoning, because a panicking thread leaves consistent values.
    fn lock(&self) -> MutexGuard<'_, ProcessState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sleeps until a process has ended, without reaping it, so that its id stays valid. Waiting for the end of its output
/// and then for its exit would cause two wake-ups, and two scheduling delays on a busy machine.
#[cfg(unix)]
fn sleep_until_ended(number: rustix::process::Pid) {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let ended = || waitid(WaitId::Pid(number), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    while ended().is_err_and(|error| error == rustix::io::Errno::INTR) {}
}

/// Reads the output to its end.
fn wait_for_input(stdout: &mut Option<ChildStdout>, said: &mut Vec<u8>) -> io::Result<usize> {
    stdout.as_mut().map_or(Ok(0), |stdout| stdout.read_to_end(said))
}

/// Prevents further processes and kills a remaining one.
struct StopGuard<'a>(&'a Processes<'a>);

impl Drop for StopGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if let Some(mut child) = state.running.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        state.over = true;
        self.0.over.notify_all();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    /// Returns how often this thread has gone to sleep.
    fn sleeps() -> u32 {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.unwrap().trim().parse().unwrap()
    }

    #[test]
    fn waiting_for_a_process_does_not_poll() {
        let stop = AtomicBool::new(false);
        let flag = Flag::new(&stop, Duration::from_secs(600));
        let (before, ended) =
            Processes::with(flag, |processes| (sleeps(), processes.run(shell("echo a; sleep 0.3; exit 3"))))
                .unwrap();
        let slept = sleeps() - before;
        let (status, said) = ended.unwrap().unwrap();
        assert_eq!((status.code(), said.as_str()), (Some(3), "a\n"));
        // The thread sleeps at the start, for each piece of output and for the end, but does not poll.
        assert!(slept < 30, "{slept} times");
    }

    #[test]
    fn a_process_does_not_outlive_the_race() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        let script = format!("echo $$ > {}; exec sleep 60", file.display());
        let stop = AtomicBool::new(false);
        let started = Instant::now();
        let number = || std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u32>().ok());
        let ended = thread::scope(|scope| {
            scope.spawn(|| {
                while number().is_none() && started.elapsed() < Duration::from_secs(30) {
                    thread::sleep(Duration::from_millis(5));
                }
                stop.store(true, Ordering::Relaxed);
            });
            let flag = Flag::new(&stop, Duration::from_secs(600));
            Processes::with(flag, |processes| processes.run(shell(&script))).unwrap()
        });
        assert!(ended.unwrap().is_none());
        assert!(started.elapsed() < Duration::from_secs(30));
        let number = number().expect("it ran");
        assert!(!std::path::Path::new(&format!("/proc/{number}")).exists(), "process {number} is left");
        // When the time is over, the same holds and no further process starts.
        let nobody = AtomicBool::new(false);
        let short = Flag::new(&nobody, Duration::from_millis(50));
        let both = |processes: &Processes| (processes.run(shell("sleep 60")), processes.run(shell("exit 0")));
        let (first, second) = Processes::with(short, both).unwrap();
        assert!(first.unwrap().is_none() && second.unwrap().is_none());
        assert!(started.elapsed() < Duration::from_secs(40));
    }
}

//! The processor time of this process, and whether a process makes progress.

use std::time::{Duration, Instant};

/// Returns the processor time of this process over all threads, including those of drivers. On systems without
/// this clock, returns wall time, as for one busy core.
pub fn processor_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
    }
    #[cfg(not(unix))]
    {
        static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed()
    }
}

/// Returns the time of all threads of a process that ran or were ready to run. On a machine with more threads than
/// cores it grows faster than the processor time, which starves there. Systems other than Linux report at most the
/// processor time, and that only of this process.
fn ready_time(process: Option<u32>) -> Duration {
    let process_name = process.map_or("self".into(), |id| id.to_string());
    let threads = std::fs::read_dir(format!("/proc/{process_name}/task")).into_iter().flatten().flatten();
    // A thread that ends in between has no file any more.
    let times = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok());
    let ready =
        |text: String| text.split_whitespace().take(2).map_while(|word| word.parse::<u64>().ok()).sum::<u64>();
    match times.map(ready).sum() {
        0 if cfg!(unix) && process.is_none() => processor_time(),
        nanoseconds => Duration::from_nanos(nanoseconds),
    }
}

/// A wait's limit that counts only the time in which a process did nothing: a driver that compiles shaders, however
/// slowly, is at work, and one that hangs is not.
pub struct IdleLimit {
    /// The process; none is this one.
    process: Option<u32>,
    limit: Duration,
    begun: Instant,
    /// When the limit was last asked, and the ready time then.
    asked: Instant,
    ready: Duration,
    idle: Duration,
}

impl IdleLimit {
    /// The time between two looks at the threads.
    /// Rare looks, because each reads the times of all threads.
    const LOOK: Duration = Duration::from_millis(250);
    /// A process that is busy for this many limits, as with a driver that only spins, is given up as well.
    const BUSY: u32 = 10;
    /// The share of one core below which a process is idle. It covers waiting itself, and drawing a screen.
    const SHARE: f64 = 0.05;

    /// Returns a limit for waiting for work of this process.
    pub fn new(limit: Duration) -> IdleLimit {
        IdleLimit::of(None, limit)
    }

    /// Returns a limit for waiting for a process; none is this one.
    pub fn of(process: Option<u32>, limit: Duration) -> IdleLimit {
        let now = Instant::now();
        IdleLimit { process, limit, begun: now, asked: now, ready: ready_time(process), idle: Duration::ZERO }
    }

    /// Returns how long to wait before the next call of [`IdleLimit::is_over`].
    pub fn step(&self) -> Duration {
        self.limit.saturating_sub(self.idle).min(Self::LOOK)
    }

    /// Adds the time since the last look if the process was idle, and returns whether the limit is reached.
    pub fn is_over(&mut self) -> bool {
        if self.asked.elapsed() < self.step() {
            return false;
        }
        let (now, ready) = (Instant::now(), ready_time(self.process));
        let passed = now - self.asked;
        if ready.saturating_sub(self.ready) < passed.mul_f64(Self::SHARE) {
            self.idle += passed;
        }
        (self.asked, self.ready) = (now, ready);
        self.idle >= self.limit || now - self.begun >= self.limit * Self::BUSY
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn shell(script: &str) -> Child {
        Command::new("sh").args(["-c", script]).spawn().expect("a shell")
    }

    #[test]
    fn limit_counts_only_time_in_which_the_process_is_idle() {
        let mut busy = shell("while :; do :; done");
        let mut sleeping = shell("exec sleep 600");
        let mut limit = IdleLimit::of(Some(busy.id()), Duration::from_secs(60));
        for _ in 0..6 {
            std::thread::sleep(limit.step());
            limit.is_over();
        }
        let most = limit.begun.elapsed() / 2;
        let mut over = IdleLimit::of(Some(sleeping.id()), Duration::from_millis(300));
        while !over.is_over() {
            std::thread::sleep(over.step());
        }
        for child in [&mut busy, &mut sleeping] {
            child.kill().and_then(|()| child.wait()).expect("it ends");
        }
        assert!(limit.idle < most, "{:?}", limit.idle);
        assert!(over.idle >= Duration::from_millis(300) && limit.idle < Duration::from_secs(60));
    }
}

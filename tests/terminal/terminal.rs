//! The real program in a pseudo-terminal: typing, and the screen.

use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use myriad::host::measure::processor::IdleLimit;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, setrlimit};

use super::place::home_of;

/// The time without work of the program after which a test gives up. A slow machine takes longer, and works.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Time between two polls of a condition.
const LOOK: Duration = Duration::from_millis(10);

/// Assumed size of a terminal that does not report its size.
pub const USUAL: (u16, u16) = (80, 24);

/// Configuration of every session: no idle work.
const CONFIGURATION: &str = "[engine]\nidle = \"off\"\n";

/// A running workbench with its terminal. Dropping it kills the program.
pub struct Session {
    master: Option<Box<dyn MasterPty + Send>>,
    /// Keys to send; a separate thread waits if the program does not read them.
    keys: Option<Sender<Vec<u8>>>,
    taken: Receiver<std::io::Result<()>>,
    child: Box<dyn Child + Send + Sync>,
    parser: Arc<Mutex<vt100::Parser>>,
    raw: Arc<Mutex<Vec<u8>>>,
    reading: Arc<Reading>,
    /// The program's side of the terminal.
    device: PathBuf,
}

/// Commands to the thread that reads the terminal.
#[derive(Default)]
struct Reading {
    stalled: AtomicBool,
    closing: AtomicBool,
}

impl Session {
    /// Opens the workbench on a file, with a terminal of a size in columns and rows.
    pub fn open(file: &Path, size: (u16, u16), environment: &[(&str, &str)]) -> Session {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
        // Keys begin at the first character, not in the first function.
        command.arg("+1");
        command.arg(file);
        Session::start(command, file, size, environment)
    }

    /// Starts a command in the folder of `file`. Its home is the folder `home` next to that one, so that the
    /// user's own files are not used, and later sessions find the files of earlier ones.
    pub fn start(
        mut command: CommandBuilder,
        file: &Path,
        size: (u16, u16),
        environment: &[(&str, &str)],
    ) -> Session {
        let folder = file.parent().expect("a folder");
        command.cwd(folder);
        for (name, value) in isolated(folder) {
            command.env(name, value);
        }
        command.env("TERM", "xterm-256color");
        for name in ["NO_COLOR", "COLORTERM", "DISPLAY", "WAYLAND_DISPLAY", "MYRIAD_FAULTS", "LD_PRELOAD"] {
            command.env_remove(name);
        }
        command.env("RUST_BACKTRACE", "0");
        for (name, value) in environment {
            command.env(name, value);
        }
        // A killed program must not leave a core dump.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        let pty = native_pty_system().openpty(sized(size)).expect("a pseudo-terminal");
        let device = pty.master.tty_name().expect("the terminal has a name");
        let child = pty.slave.spawn_command(command).expect("the program starts");
        let shown = if size.0 == 0 || size.1 == 0 { USUAL } else { size };
        let parser = Arc::new(Mutex::new(vt100::Parser::new(shown.1, shown.0, 0)));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let reading = Arc::new(Reading::default());
        let reader = pty.master.try_clone_reader().expect("a reader");
        let (screen, bytes, how) = (parser.clone(), raw.clone(), reading.clone());
        std::thread::spawn(move || read(reader, &screen, &bytes, &how));
        let (keys, to_write) = channel();
        let (done, taken) = channel();
        let writer = pty.master.take_writer().expect("a writer");
        std::thread::spawn(move || write(writer, &to_write, &done));
        Session { master: Some(pty.master), keys: Some(keys), taken, child, parser, raw, reading, device }
    }

    /// Returns the text on screen.
    pub fn screen(&self) -> String {
        self.parser.lock().expect("unpoisoned").screen().contents()
    }

    /// Returns all bytes that the program sent.
    pub fn sent(&self) -> Vec<u8> {
        self.raw.lock().expect("unpoisoned").clone()
    }

    #[track_caller]
    pub fn wait_for(&self, what: &str) {
        self.wait_until(what, |screen| screen.contains(what));
    }

    #[track_caller]
    pub fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let holds = self.shows_within(PATIENCE, holds);
        assert!(holds, "waited for {what:?} in vain:\n{}", self.screen());
    }

    /// Returns whether a condition on the screen holds before the program has been idle for a time.
    pub fn shows_within(&self, time: Duration, holds: impl Fn(&str) -> bool) -> bool {
        let mut limit = IdleLimit::of(self.child.process_id(), time);
        loop {
            if within(limit.step(), || holds(&self.screen())) {
                return true;
            }
            if limit.is_over() {
                return holds(&self.screen());
            }
        }
    }

    /// Types keys. Returns when the terminal has accepted them all.
    ///
    /// # Panics
    /// If the program does not read keys for long, or the terminal is gone.
    #[track_caller]
    pub fn send(&mut self, keys: &str) {
        let sent = self.try_send(keys);
        assert!(sent, "the terminal does not take {:?}…:\n{}", head(keys), self.screen());
    }

    /// Types keys; returns whether all were accepted.
    pub fn try_send(&mut self, keys: &str) -> bool {
        let Some(to) = &self.keys else { return false };
        to.send(keys.as_bytes().to_vec()).is_ok()
            && self.taken.recv_timeout(PATIENCE).is_ok_and(|taken| taken.is_ok())
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the signal is sent");
    }

    /// Returns the program that a shell runs in this session.
    pub fn job(&self) -> Pid {
        let shell = self.pid().as_raw_nonzero();
        let children =
            || std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap_or_default();
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(pid) =
                children().split_whitespace().next().and_then(|pid| Pid::from_raw(pid.parse().ok()?))
            {
                return pid;
            }
            assert!(Instant::now() < end, "the shell runs nothing:\n{}", self.screen());
            std::thread::sleep(LOOK);
        }
    }

    /// Returns whether the workbench has taken the terminal: raw, with the alternate screen, the mouse and
    /// bracketed paste.
    pub fn is_taken(&self) -> bool {
        let parser = self.parser.lock().expect("unpoisoned");
        let screen = parser.screen();
        let modes =
            format!("{:?}", self.master.as_ref().expect("open").get_termios().expect("modes").local_flags);
        screen.alternate_screen()
            && screen.bracketed_paste()
            && screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None
            && !["ICANON", "ISIG", "ECHO"]
                .iter()
                .any(|mode| modes.split(|c: char| !c.is_alphanumeric()).any(|set| set == *mode))
    }

    /// Returns whether the terminal shows the shell's own screen.
    pub fn is_given_back(&self) -> bool {
        let parser = self.parser.lock().expect("unpoisoned");
        let screen = parser.screen();
        !screen.alternate_screen() && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
    }

    pub fn pid(&self) -> Pid {
        self.child.process_id().and_then(|pid| Pid::from_raw(pid as i32)).expect("a process")
    }

    /// Kills the program at once.
    pub fn kill(&mut self) {
        let _ = kill_process(self.pid(), Signal::KILL);
    }

    /// Resizes the terminal.
    pub fn resize(&self, size: (u16, u16)) {
        self.parser.lock().expect("unpoisoned").screen_mut().set_size(size.1, size.0);
        self.claim(size);
    }

    /// Makes the terminal report another size, without changing the emulated screen.
    pub fn claim(&self, size: (u16, u16)) {
        self.master.as_ref().expect("open").resize(sized(size)).expect("resized");
    }

    /// Wipes the screen, as another program might.
    pub fn wipe(&self) {
        self.parser.lock().expect("unpoisoned").process(b"\x1b[2J");
    }

    /// Stops reading the program's output and fills the terminal, so that each further write blocks.
    pub fn stall(&self) {
        self.reading.stalled.store(true, Ordering::SeqCst);
        let mut device = self.device();
        let filler = [0; 4096];
        let full = || {
            // The kernel moves bytes asynchronously, so the buffer is full only if it stays full.
            (0..5).all(|_| {
                std::thread::sleep(LOOK);
                device.write(&filler[..1]).is_err()
            })
        };
        let mut full = full;
        let end = Instant::now() + PATIENCE;
        while !full() {
            assert!(Instant::now() < end, "the terminal takes any amount");
            while self.device().write(&filler).is_ok() {}
        }
    }

    /// Continues reading the program's output.
    pub fn go_on(&self) {
        self.reading.stalled.store(false, Ordering::SeqCst);
    }

    /// Opens the program's side of the terminal, without blocking.
    fn device(&self) -> std::fs::File {
        let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits() as i32;
        let mut options = std::fs::OpenOptions::new();
        options.write(true).custom_flags(flags).open(&self.device).expect("the terminal is there")
    }

    /// Closes the terminal while the program runs.
    pub fn close(&mut self) {
        self.reading.closing.store(true, Ordering::SeqCst);
        self.go_on();
        // Wakes the reader so that it closes the terminal; this byte is not displayed.
        let _ = self.device().write(&[0]);
        let end = Instant::now() + PATIENCE;
        while Arc::strong_count(&self.reading) > 1 {
            assert!(Instant::now() < end, "the terminal is still read");
            std::thread::sleep(LOOK);
        }
        self.keys = None;
        self.master = None;
    }

    /// Returns the exit status, if the program has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("waited for")
    }

    #[track_caller]
    pub fn wait_for_end(&mut self) -> ExitStatus {
        let mut limit = IdleLimit::of(self.child.process_id(), PATIENCE);
        loop {
            if let Some(status) = self.ended() {
                // Its last output may still be in transit; it is complete when the reader has reached the end.
                within(Duration::from_millis(500), || Arc::strong_count(&self.reading) == 1);
                return status;
            }
            assert!(!limit.is_over(), "it does not end:\n{}", self.screen());
            std::thread::sleep(LOOK);
        }
    }

    /// Checks that all changes to the terminal are undone.
    #[track_caller]
    pub fn assert_restored(&self) {
        let parser = self.parser.lock().expect("unpoisoned");
        let screen = parser.screen();
        assert!(!screen.alternate_screen(), "still on the alternate screen");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "pastes are still bracketed");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is still taken");
        drop(parser);
        let master = self.master.as_ref().expect("open");
        let modes = format!("{:?}", master.get_termios().expect("modes").local_flags);
        assert!(modes.contains("ICANON") && modes.contains("ISIG"), "still raw: {modes}");
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            self.kill();
            let _ = self.child.wait();
        }
        self.go_on();
    }
}

/// Waits for a condition for at most `time`; returns whether it holds.
pub fn within(time: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + time;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        std::thread::sleep(LOOK);
    }
}

/// Returns an environment that isolates a session from the user's own files.
pub fn isolated(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let home = home_of(folder);
    let config = home.join("config.toml");
    std::fs::create_dir_all(&home).expect("a home");
    if !config.exists() {
        std::fs::write(&config, CONFIGURATION).expect("configured");
    }
    vec![
        ("XDG_STATE_HOME", home.join("state")),
        ("XDG_CONFIG_HOME", home.join("config")),
        ("XDG_DATA_HOME", home.join("data")),
        ("XDG_CACHE_HOME", home.join("cache")),
        ("XDG_RUNTIME_DIR", home.join("run")),
        ("MYRIAD_CONFIG", config),
        // An empty name disables the history.
        ("MYRIAD_HISTORY", PathBuf::new()),
        ("MYRIAD_CACHE", PathBuf::new()),
        ("HOME", home),
    ]
}

fn sized((columns, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn head(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Feeds the program's output to the emulated screen, until it or the terminal ends.
fn read(
    mut from: Box<dyn Read + Send>,
    screen: &Mutex<vt100::Parser>,
    bytes: &Mutex<Vec<u8>>,
    how: &Arc<Reading>,
) {
    let mut chunk = [0; 4096];
    loop {
        while how.stalled.load(Ordering::SeqCst) {
            std::thread::sleep(LOOK);
        }
        match from.read(&mut chunk) {
            Ok(count @ 1..) => {
                screen.lock().expect("unpoisoned").process(&chunk[..count]);
                bytes.lock().expect("unpoisoned").extend_from_slice(&chunk[..count]);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            _ => return,
        }
        if how.closing.load(Ordering::SeqCst) {
            return;
        }
    }
}

/// Passes keys to the program, until there are no more or the terminal ends.
fn write(mut to: Box<dyn Write + Send>, keys: &Receiver<Vec<u8>>, done: &Sender<std::io::Result<()>>) {
    for keys in keys {
        let taken = to.write_all(&keys).and_then(|()| to.flush());
        if done.send(taken).is_err() {
            return;
        }
    }
}

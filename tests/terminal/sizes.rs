//! The program in a terminal whose size makes no sense: it goes on, and is there again once the size does.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long anything may take on a slow machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the terminal is taken for, for people; the parser stays this size.
const USUAL: (u16, u16) = (80, 24);

struct Session {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    parser: Arc<Mutex<vt100::Parser>>,
}

impl Session {
    /// The workbench in a terminal that says it has this size.
    fn open(size: (u16, u16)) -> (Session, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("one.myr");
        std::fs::write(&file, "test 1 == 1;\n").expect("written");
        let pty = native_pty_system().openpty(pty_size(size)).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
        command.args([file.as_os_str(), "--engine".as_ref(), "cpu".as_ref()]);
        command.cwd(folder.path());
        command.env("TERM", "xterm-256color");
        command.env("RUST_BACKTRACE", "0");
        command.env_remove("DISPLAY");
        let child = pty.slave.spawn_command(command).expect("the program starts");
        let mut reader = pty.master.try_clone_reader().expect("a reader");
        let parser = Arc::new(Mutex::new(vt100::Parser::new(USUAL.1, USUAL.0, 0)));
        let screen = parser.clone();
        std::thread::spawn(move || {
            let mut chunk = [0; 1 << 16];
            while let Ok(n @ 1..) = reader.read(&mut chunk) {
                screen.lock().expect("unpoisoned").process(&chunk[..n]);
            }
        });
        let writer = pty.master.take_writer().expect("a writer");
        (Session { master: pty.master, writer, child, parser }, folder)
    }

    fn resize(&self, size: (u16, u16)) {
        self.master.resize(pty_size(size)).expect("resized");
    }

    fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.writer.flush().expect("flushed");
    }

    fn screen(&self) -> String {
        self.parser.lock().expect("unpoisoned").screen().contents()
    }

    #[track_caller]
    fn wait_for(&mut self, what: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.screen().contains(what) {
            let ended = self.child.try_wait().expect("waited for");
            assert!(ended.is_none(), "{what:?} is not there, it ended: {ended:?}\n{}", self.screen());
            assert!(Instant::now() < end, "waited for {what:?} in vain:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[track_caller]
    fn quit(mut self) {
        self.send("\x11d");
        let end = Instant::now() + PATIENCE;
        while self.child.try_wait().expect("waited for").is_none() {
            assert!(Instant::now() < end, "it does not end:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn pty_size((cols, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

#[test]
fn whatever_size_a_terminal_says_it_has_the_program_goes_on() {
    const ALL: u16 = u16::MAX;
    let (mut session, _folder) = Session::open(USUAL);
    session.wait_for("1/1");
    let sizes = [(0, 0), (0, 24), (80, 0), (1, 1), (ALL, 1), (1, ALL), (ALL, ALL), (1_000, 500), (2, ALL)];
    for (number, size) in sizes.into_iter().enumerate() {
        session.resize(size);
        // It takes notice, and it takes keys.
        std::thread::sleep(Duration::from_millis(300));
        session.send(&format!("// {number}.\r"));
        std::thread::sleep(Duration::from_millis(300));
        let ended = session.child.try_wait().expect("waited for");
        assert!(ended.is_none(), "{size:?}: it ended: {ended:?}");
        // Something else is on the screen until it is drawn anew.
        session.parser.lock().expect("unpoisoned").process(b"\x1b[2J");
        session.resize(USUAL);
        session.wait_for(&format!("// {number}."));
        session.wait_for("one.myr");
        session.wait_for("F1 help");
    }
    session.quit();
}

/// Serial lines, and some programs that run others, never say how large the terminal is.
#[test]
fn a_terminal_of_no_size_is_taken_for_a_usual_one() {
    let (mut session, _folder) = Session::open((0, 0));
    session.wait_for("1/1");
    session.wait_for("F1 help");
    session.send("// typed");
    session.wait_for("// typed");
    session.quit();
}

//! Calls of the program whose output is checked byte by byte.
#![allow(dead_code, reason = "each test uses a part")]

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::scan;

/// A call that takes longer is considered hung.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of bytes of an output that are checked.
const OUTPUT: u64 = 64 << 20;

/// A call of the program.
#[derive(Clone, Debug)]
pub struct Call {
    pub arguments: Vec<OsString>,
    pub input: Vec<u8>,
    pub environment: Vec<(&'static str, OsString)>,
    pub folder: PathBuf,
    pub colours: bool,
    pub json: bool,
}

/// The result of a call.
#[derive(Debug)]
pub struct Left {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub in_time: bool,
}

impl Left {
    /// Returns both outputs as text.
    pub fn text(&self) -> String {
        format!("{}{}", String::from_utf8_lossy(&self.stdout), String::from_utf8_lossy(&self.stderr))
    }
}

impl Call {
    pub fn new<S: AsRef<OsStr>>(arguments: &[S], folder: &Path) -> Call {
        Call {
            arguments: arguments.iter().map(|word| word.as_ref().to_owned()).collect(),
            input: vec![],
            environment: vec![],
            folder: folder.to_owned(),
            colours: false,
            json: false,
        }
    }

    pub fn input(self, input: &[u8]) -> Call {
        Call { input: input.to_vec(), ..self }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Call {
        self.environment.push((name, value.into()));
        self
    }

    pub fn coloured(self) -> Call {
        Call { colours: true, ..self }
    }

    pub fn in_json(self) -> Call {
        Call { json: true, ..self }
    }

    /// Returns the call in each form: text and JSON, with and without colours.
    pub fn forms(&self) -> [Call; 4] {
        let plain = self.clone();
        [plain.clone(), plain.clone().coloured(), plain.clone().in_json(), plain.coloured().in_json()]
    }

    /// Runs the call, within the time limit.
    pub fn run(&self) -> Left {
        let mut command = Command::new(env!("CARGO_BIN_EXE_myriad"));
        if self.json {
            command.args(["--format", "json"]);
        }
        command.args(&self.arguments).current_dir(&self.folder);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "RUST_BACKTRACE", "MYRIAD_WEIGHTS"] {
            command.env_remove(name);
        }
        command.env("MYRIAD_CONFIG", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/common/config.toml"));
        command.env("MYRIAD_HISTORY", "").env("MYRIAD_LEARNED", "").env("TERM", "xterm");
        if self.colours {
            command.env("CLICOLOR_FORCE", "1");
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let (mut stdin, input) = (child.stdin.take().expect("a pipe"), self.input.clone());
        let (stdout, stderr) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        fn all(from: impl Read) -> Vec<u8> {
            let mut bytes = vec![];
            let _ = from.take(OUTPUT).read_to_end(&mut bytes);
            bytes
        }
        std::thread::scope(|scope| {
            // A call that does not read its input closes the pipe.
            scope.spawn(move || stdin.write_all(&input));
            let [out, err] = [scope.spawn(|| all(stdout)), scope.spawn(|| all(stderr))];
            let (end, mut in_time) = (Instant::now() + PATIENCE, true);
            let status = loop {
                if let Some(status) = child.try_wait().expect("waited for") {
                    break status;
                }
                if Instant::now() > end {
                    in_time = false;
                    let _ = child.kill();
                }
                std::thread::sleep(Duration::from_millis(2));
            };
            let [stdout, stderr] = [out, err].map(|thread| thread.join().expect("read"));
            Left { code: status.code(), stdout, stderr, in_time }
        })
    }

    /// Returns what is wrong with its end or its output.
    pub fn judge(&self) -> Option<String> {
        let left = self.run();
        let why = if !left.in_time {
            Some("it hangs".to_string())
        } else if !matches!(left.code, Some(0..=3)) {
            Some(format!("it ends with {:?}: {:.400}", left.code, left.text()))
        } else if left.text().contains("panicked") {
            Some(format!("it panics: {:.400}", left.text()))
        } else if self.json && !left.stdout.is_empty() && !is_json(&left.stdout, self) {
            Some(format!("no JSON: {:.200}", String::from_utf8_lossy(&left.stdout)))
        } else {
            let out = scan::offence(&left.stdout, self.colours).map(|what| format!("stdout: {what}"));
            out.or_else(|| scan::offence(&left.stderr, self.colours).map(|what| format!("stderr: {what}")))
        };
        why.map(|why| format!("{}: {why}", self.shown()))
    }

    fn shown(&self) -> String {
        let words: Vec<String> = self.arguments.iter().map(|word| format!("{word:?}")).collect();
        let environment: String =
            self.environment.iter().map(|(name, value)| format!("{name}={value:?} ")).collect();
        let form = match (self.json, self.colours) {
            (true, true) => "json, colours",
            (true, false) => "json",
            (false, true) => "colours",
            (false, false) => "text",
        };
        format!("{environment}myriad {} ({form})", words.join(" "))
    }
}

/// Returns whether JSON output is valid; for traces and batches, each line must be. Help and some commands (a
/// script, a plot, coefficients) have no JSON form.
fn is_json(stdout: &[u8], call: &Call) -> bool {
    let other = ["completions", "train", "--help", "-h", "--version", "-V", "--fit", "--plot"];
    let is_one = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    // A batch prints a document for each line, a traced run one for each step.
    let lines = call.arguments.iter().any(|word| ["batch", "merge", "--trace"].iter().any(|one| word == one));
    call.arguments.iter().any(|word| other.iter().any(|one| word == one))
        || is_one(stdout)
        || lines && stdout.split(|byte| *byte == b'\n').all(|line| line.is_empty() || is_one(line))
}

/// Returns what is wrong with some calls, on as many threads as there are cores.
pub fn judge_all(calls: &[Call]) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(call) = calls.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(why) = call.judge() {
                        wrong.lock().expect("unpoisoned").push(why);
                    }
                }
            });
        }
    });
    wrong.into_inner().expect("unpoisoned")
}

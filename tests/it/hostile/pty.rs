//! Output on a terminal, which has colours and progress lines.

use super::scan::{self, ALL};

/// On a terminal, output has colours and progress lines.
#[test]
fn hostile_text_is_escaped_on_a_terminal() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use std::io::Read;
    let folder = tempfile::tempdir().unwrap();
    let name = format!("a\n{}{}.myr", scan::FORGED, ALL.replace('/', ""));
    let program = |from: u32| {
        format!(
            "fn f(n: int) -> int {{ let x = 0; while x < n {{ x = x + 1; }} return x; }}\n\
             prop n in {from}..{} // {ALL}\n => f(n) // \u{202e}{ALL}\n == n;\ntest f(1) == 2; // {ALL}\n",
            from + 900
        )
    };
    std::fs::write(folder.path().join(&name), program(20_000)).unwrap();
    // Long enough that the running test is reported, with a comment in its title.
    let long = format!("long {name}");
    std::fs::write(folder.path().join(&long), program(100_000)).unwrap();
    let flat = format!("{}.myr", ALL.replace('/', ""));
    std::fs::write(folder.path().join(&flat), "").unwrap();
    let broken = format!("fn f() -> int {{ return \"{ALL}\"; }} // {ALL}\n");
    std::fs::write(folder.path().join("broken.myr"), broken).unwrap();
    let mut said = String::new();
    for words in [
        vec!["test", &long, "--engine", "cpu", "--seconds", "2"],
        vec!["check", "broken.myr", &name, "none\u{1b}[8;5m", "--engine", "cpu"],
        vec![
            "race",
            &name,
            "-k",
            "40",
            "--contestants",
            "conventional,cpu",
            "--repetitions",
            "2",
            "--seconds",
            "2",
        ],
        vec!["check", ALL, "--nonsense\u{1b}[8;5m\u{9b}2J"],
        vec!["run", &name, ALL],
        vec!["learn", "--grade", "failing", &flat, "--csv"],
        vec!["config"],
    ] {
        let pty = native_pty_system()
            .openpty(PtySize { rows: 30, cols: 100, pixel_width: 0, pixel_height: 0 })
            .unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
        command.args(&words);
        command.cwd(folder.path());
        command.env("TERM", "xterm-256color");
        command.env("MYRIAD_CONFIG", folder.path().join("none\u{9b}2J\u{1b}[8;5m.toml"));
        if words[0] != "config" {
            command.env("MYRIAD_CONFIG", "");
        }
        command.env("HOME", folder.path());
        command.env_remove("NO_COLOR");
        let mut child = pty.slave.spawn_command(command).unwrap();
        let mut reader = pty.master.try_clone_reader().unwrap();
        drop(pty.slave);
        let mut bytes = vec![];
        let mut chunk = [0; 4096];
        while let Ok(n @ 1..) = reader.read(&mut chunk) {
            bytes.extend_from_slice(&chunk[..n]);
        }
        child.wait().unwrap();
        assert_eq!(scan::offence_on_a_terminal(&bytes), None, "{words:?}");
        said.push_str(&String::from_utf8_lossy(&bytes));
    }
    for wanted in ["\u{1b}[K", "running test ", "\u{1b}[J", "\u{1b}[1;31merror", "␛]52"] {
        assert!(said.contains(wanted), "{wanted:?} is not in {said:?}");
    }
}

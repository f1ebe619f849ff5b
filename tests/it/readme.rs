//! The README's commands run as written, in a folder like a fresh clone.

use crate::common::extent::skip;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("a README")
}

/// Returns the lines of the README's code blocks that begin with a word.
fn commands(first: &str) -> Vec<String> {
    let lines =
        readme().lines().filter_map(|line| line.strip_prefix("    ")).map(String::from).collect::<Vec<_>>();
    lines.into_iter().filter(|line| line.split_whitespace().next() == Some(first)).collect()
}

/// Commands that fail on purpose: the samples include a program with errors and one whose properties fail, and
/// the candidates include wrong ones.
const SHORT: [&str; 3] = ["test samples/*.myr", "mutate samples/*.myr", "batch docs/examples/candidates.jsonl"];

/// Replacements in commands so that a test can run them: figures that take long, and parts that need a
/// terminal.
const CHANGED: [(&str, &str); 3] =
    [("-k 1000 --svg", "-k 20 --seconds 5 --svg"), ("-k 1000", "-k 20"), (".tape", ".tape --check")];

#[test]
fn commands_of_the_readme_run_as_written() {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in ["samples", "assets", "docs", "tests", "Cargo.toml"] {
        symlink(root().join(entry), folder.path().join(entry)).expect("linked");
    }
    let program = PathBuf::from(env!("CARGO_BIN_EXE_myriad"));
    let path = format!(
        "{}:{}",
        program.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let commands = commands("myriad");
    assert!(commands.len() >= 8, "README.md has lost its commands: {commands:?}");
    for command in commands {
        if command.contains("tcc") && Command::new("tcc").arg("-v").output().is_err() {
            skip("tcc is not installed");
            continue;
        }
        let line = CHANGED.iter().find(|(long, _)| command.contains(long));
        let line = line.map_or(command.clone(), |(long, short)| command.replace(long, short));
        let done = Command::new("sh")
            .args(["-c", &line])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("HOME", folder.path())
            .env("MYRIAD_CONFIG", root().join("tests/it/common/config.toml"))
            .env("MYRIAD_HISTORY", "")
            .output()
            .expect("a shell");
        let short = SHORT.iter().any(|short| command.contains(short));
        assert_eq!(
            done.status.code(),
            Some(i32::from(short)),
            "{line}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        // Files that a command writes exist.
        let words: Vec<&str> = command.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| ["--svg", "--report"].contains(&pair[0])) {
            assert!(folder.path().join(pair[1]).is_file(), "{line} wrote no {}", pair[1]);
        }
    }
}

#[test]
fn inline_readme_commands_parse() {
    let text = readme();
    let spans: Vec<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|span| span.starts_with("myriad ") && span.split_whitespace().count() > 2)
        .collect();
    assert!(spans.len() >= 4, "{spans:?}");
    for span in spans {
        let words = span.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
        if let Err(error) = myriad::cli::command().try_get_matches_from(words) {
            panic!("`{span}`: {error}");
        }
    }
    // Files in cargo commands exist.
    for command in commands("cargo") {
        for word in command.split_whitespace().filter(|word| word.contains(['/', '.'])) {
            assert!(root().join(word).exists(), "{command}");
        }
    }
    assert!(root().join("tests/run").is_file() && !commands("tests/run").is_empty());
}

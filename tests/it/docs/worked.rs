//! The worked examples of the pages: a program in a `myriad` block, then `text` blocks, each a command and its output.
//!
//! A command's last `.myr` word names the program above it. ` | grep WORD` keeps the lines that contain the word.
//! `MYRIAD_BLESS=1` writes the outputs.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns a page with every output as the program prints it now, and the number of its worked examples.
fn written(page: &str) -> (String, usize) {
    let (mut text, mut program, mut count) = (String::new(), String::new(), 0);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let kind = line.strip_prefix("```");
        text += &format!("{line}\n");
        let Some(kind) = kind else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        let block = block.iter().map(|line| format!("{line}\n")).collect::<String>();
        match (kind, block.lines().next().and_then(|line| line.strip_prefix("$ myriad "))) {
            ("myriad", _) => program.clone_from(&block),
            ("text", Some(command)) if !program.is_empty() => {
                count += 1;
                text += &format!("$ myriad {command}\n{}```\n", printed(command, &program));
                continue;
            }
            _ => {}
        }
        text += &format!("{block}```\n");
    }
    (text, count)
}

/// Runs a command on a program, in a folder of its own, with the CPU engine.
fn printed(command: &str, program: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let (command, word) = command.split_once(" | grep ").unwrap_or((command, ""));
    let word = word.trim_matches('\'');
    let words: Vec<&str> = command.split_whitespace().collect();
    let file = words.iter().rfind(|word| word.ends_with(".myr")).expect("a command names a program");
    fs::write(folder.path().join(file), program).expect("the program can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_myriad"))
        .args(["--engine", "cpu"])
        .args(words)
        .current_dir(folder.path())
        .env("MYRIAD_CONFIG", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/common/config.toml"))
        .envs([("MYRIAD_HISTORY", ""), ("MYRIAD_CACHE", ""), ("NO_COLOR", "1")])
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.trim_end().lines().filter(|line| line.contains(word)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn worked_examples_are_what_the_program_prints() {
    let mut count = 0;
    for name in crate::common::page::all() {
        let page = super::page(&name);
        let (now, examples) = written(&page);
        count += examples;
        if std::env::var_os("MYRIAD_BLESS").is_some() && now != page {
            fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(&name), now).expect("the page can be written");
        } else if let Some((line, (old, new))) =
            (1..).zip(page.lines().zip(now.lines())).find(|(_, (old, new))| old != new)
        {
            panic!("{name}:{line} has `{old}` for `{new}`: run this test with MYRIAD_BLESS=1");
        } else {
            assert_eq!(page.lines().count(), now.lines().count(), "{name}: run this test with MYRIAD_BLESS=1");
        }
    }
    assert!(count >= 15, "the pages have {count} worked examples");
}

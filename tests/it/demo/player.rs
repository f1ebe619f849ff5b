//! The effects of a tape.

use std::path::Path;
use std::time::Duration;

use myriad::compiler::stage::optimize::Snapshot;
use myriad::lang::level::OptLevel;
use myriad::report::steps::{self, StepRow};
use myriad::workbench::demo::find;
use myriad::workbench::demo::play::Stop;
use myriad::workbench::demo::record::record;
use myriad::workbench::tape::Tape;

use super::{options, recorded, tape, try_record};
use crate::common::compile::compile_at;

const SMALL: &str = "Set Width 80\nSet Height 24\n";

#[test]
fn tape_types_its_text_with_pauses() {
    let text = "fn f() -> int { return 1; }";
    let recording = recorded(&format!("{SMALL}Type \"{text}\"\nEnter\nType 'test f() == 1;'\n"));
    // The editor closes brackets and quotes while the tape types, as it does for a user.
    assert!(recording.text.contains("fn f() -> int { return 1; }"), "{}", recording.text);
    assert!(recording.text.contains("test f() == 1;"), "{}", recording.text);
    assert!(recording.last.has("1 test passes"), "{}", recording.last.text());
    // A pause after each key.
    let keys = text.len() + 1 + "test f() == 1;".len();
    assert_eq!(recording.length, Duration::from_millis(50) * keys as u32);
}

#[test]
fn tape_edits_only_copies_of_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let (own, copies) = (folder.path().join("own.myr"), folder.path().join("copies"));
    std::fs::create_dir(&copies).expect("made");
    std::fs::write(&own, "test 1 == 1;\n").expect("written");
    let elsewhere = folder.path().join("elsewhere.myr");
    let tape = tape(&format!(
        "{SMALL}Open {}\nType \"// mine\"\nEnter\nCtrl+S\nWait \"saved\"\nStill saved\nAlt+S\nBackspace 400\nType \"{}\"\nEnter\nWait \"outside of its own folder\"\n",
        own.display(),
        elsewhere.display()
    ));
    let recording = record(&tape, options(), &copies).expect("played");
    assert_eq!(recording.stills.len(), 1);
    assert_eq!(std::fs::read_to_string(&own).expect("read"), "test 1 == 1;\n");
    assert_eq!(std::fs::read_to_string(copies.join("own.myr")).expect("read"), "// mine\ntest 1 == 1;\n");
    assert!(!elsewhere.exists(), "a tape wrote outside of its folder");
}

#[test]
fn wait_that_times_out_reports_the_screen() {
    let stopped = try_record(&format!("{SMALL}Open samples/gcd.myr\nWait@50ms \"no such words\"\nSleep 1s\n"));
    let Err(Stop::WaitTimedOut { step, screen }) = stopped else { panic!("{stopped:?}") };
    assert_eq!(step.line, 4);
    assert!(screen.contains("greatest common divisor"), "{screen}");
}

#[test]
fn tape_ends_when_the_workbench_quits() {
    let recording = recorded(&format!("{SMALL}Open samples/gcd.myr\nCtrl+Q\nSleep 10s\n"));
    assert!(recording.length < Duration::from_secs(1));
}

#[test]
fn hidden_commands_take_no_time() {
    let recording = recorded(&format!("{SMALL}Sleep 1s\nHide\nType \"// abc\"\nSleep 10s\nShow\nSleep 1s\n"));
    assert_eq!(recording.length, Duration::from_secs(2));
    assert_eq!(recording.frames.len(), 2, "before and after");
    assert!(recording.last.has("// abc"));
}

#[test]
fn keys_are_echoed_and_fade() {
    let recording = recorded(&format!(
        "{SMALL}Open samples/gcd.myr\nAlt+E\nAlt+7\nStill pressed\nSleep 2500ms\nStill fading\nSleep 1s\nStill gone\nAlt+E\n"
    ));
    let still = |name: &str| &recording.stills.iter().find(|(known, _)| known == name).expect("a still").1;
    assert!(still("pressed").has("alt-7  mutants"), "{}", still("pressed").text());
    assert!(still("fading").has("alt-7  mutants"));
    assert_ne!(still("pressed").cells, still("fading").cells);
    assert!(!still("gone").has("alt-7  mutants"));
}

#[test]
fn stored_race_is_shown_for_its_program_only() {
    let race = "Set Race assets/races/above.json\n";
    let refused = recorded(&format!("{SMALL}{race}Open samples/gcd.myr\nF4\nSleep 2s\n"));
    assert!(refused.last.has("the stored race is one of another program"), "{}", refused.last.text());
    assert!(try_parse("Set Race samples/gcd.myr\n").contains("`samples/gcd.myr` is not a stored race"));
}

fn try_parse(text: &str) -> String {
    let mut tape = Tape::parse(text).expect("a tape");
    let found = tape.find(|name| find(name, Path::new(env!("CARGO_MANIFEST_DIR"))));
    found.expect_err("a fault").iter().map(|fault| fault.message.clone()).collect()
}

/// The teacher's script shows every pass that changes its program, and every pass does.
#[test]
fn tape_of_passes_shows_each_of_them_with_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = std::fs::read_to_string(root.join("assets/tapes/passes.tape")).expect("a tape");
    let program = std::fs::read_to_string(root.join("assets/programs/passes.myr")).expect("a program");
    assert_eq!(program.lines().count(), 10);
    let compiled = compile_at(OptLevel::Whole, &program);
    let snapshots = steps::snapshots(&compiled);
    let all = steps::of(&compiled, &snapshots, 1);
    // The passes on whole functions need choices between values, which ten lines leave no room for.
    for name in steps::names().filter(|name| !["compact", "tails", "known"].contains(name)) {
        assert!(all.iter().any(|step| step.name == name), "{name} changes nothing");
    }
    // Compact only removes what others dropped, so it is not a step.
    let shorter = |pair: &[Snapshot]| pair[1].name == "compact" && pair[1].ir.op.len() < pair[0].ir.op.len();
    assert!(snapshots.windows(2).any(shorter));
    // The tape waits for each of them, so it fails if one is not on its screen.
    let mut waits = script.lines().filter_map(|line| line.strip_prefix("Wait \"▾ ")?.strip_suffix('"'));
    for step in &all {
        assert_eq!(waits.next(), Some(&*step.did));
        assert!(step.rows.iter().any(|row| matches!(row, StepRow::Reason(..))), "{}: no reason", step.did);
    }
    assert_eq!(waits.next(), None);
    let recording = recorded(&script);
    assert_eq!(recording.size, (80, 24));
}

//! Training end to end on a tiny model: the loss falls, the weights can be used, a killed run can be resumed.

use crate::extent::{HANG, skip_unless_thorough};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use myriad::learned::training::{
    self, CHECKPOINT, Device, LOG, LogLine, Options, TrainError, TrainingEnd, WEIGHTS,
};
use myriad::network::weights::{self, Config};

fn smoke(folder: &Path, steps: u64) -> Options {
    let every = [1, 1_000];
    Options { folder: folder.into(), steps: Some(steps), every, held: 8, ..Options::smoke() }
}

fn run(options: &Options) -> Result<(training::TrainingOutcome, Vec<LogLine>), TrainError> {
    let mut lines = Vec::new();
    let outcome =
        training::run(options, Device::flex(), &AtomicBool::new(false), &mut |line| lines.push(line.clone()))?;
    Ok((outcome, lines))
}

fn myriad(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_myriad"));
    command.arg("train").args(arguments).arg("--out").arg(folder);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn smoke_training_reduces_loss_and_writes_weights() {
    if skip_unless_thorough() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let Output { status, stdout, stderr } = myriad(&["--smoke"], folder.path()).output().unwrap();
    assert!(status.success(), "{}", text(&stderr));
    assert!(
        text(&stdout).contains("cross-entropy") && text(&stdout).contains("300 steps"),
        "{}",
        text(&stdout)
    );
    let lines = training::read_log(&folder.path().join(LOG)).unwrap();
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    assert!(last.loss < 0.6 * first.loss, "the loss was {} and is {}", first.loss, last.loss);
    let measured: Vec<f64> = lines.iter().filter_map(|line| Some(line.simple?.loss)).collect();
    assert!(measured.len() >= 3 && measured[2] < measured[0], "held out: {measured:?}");
    let trained = weights::read(&std::fs::read(folder.path().join(WEIGHTS)).unwrap()).unwrap();
    assert_eq!((trained.config, trained.steps), (Config::new(32, 1), 300));
    assert!(trained.examples > 1_000 && trained.data.iter().all(|x| x.is_finite()));

    // A second training does not overwrite the first, and its log can be plotted.
    let again = myriad(&["--smoke"], folder.path()).output().unwrap();
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("--resume"), "{}", text(&again.stderr));
    let plot = myriad(&["--plot"], folder.path()).output().unwrap();
    assert!(plot.status.success() && text(&plot.stdout).contains("s simple"), "{}", text(&plot.stdout));
}

/// The checkpoint keeps moments in 16 bits, so a resumed run differs slightly from one that never ended.
#[test]
fn resumed_training_continues_from_its_checkpoint() {
    if skip_unless_thorough() {
        return;
    }
    let (whole, parted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // The learning rate depends on the length of the call; both must be on its plateau.
    let stop = AtomicBool::new(false);
    let mut expected = Vec::new();
    training::run(&smoke(whole.path(), 400), Device::flex(), &stop, &mut |line| {
        expected.push(line.clone());
        stop.store(line.step == 60, std::sync::atomic::Ordering::Relaxed);
    })
    .unwrap();
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    let stop_at = |steps| Options { steps: Some(steps), ..smoke(parted.path(), steps) };
    let mut lines = Vec::new();
    let ended = training::run(&stop_at(400), Device::flex(), &stop, &mut |line| {
        lines.push(line.clone());
        stop.store(line.step == 40, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(ended.unwrap().end, TrainingEnd::Stopped);
    let rest = Options { resume: true, ..stop_at(400) };
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    training::run(&rest, Device::flex(), &stop, &mut |line| {
        lines.push(line.clone());
        stop.store(line.step == 60, std::sync::atomic::Ordering::Relaxed);
    })
    .unwrap();
    assert_eq!(lines.len(), 60);
    for (line, same) in lines.iter().zip(&expected) {
        assert_eq!((line.step, line.examples), (same.step, same.examples));
        assert!(
            (line.loss - same.loss).abs() < 0.02 * same.loss,
            "step {}: {} {}",
            line.step,
            line.loss,
            same.loss
        );
    }
}

#[cfg(unix)]
#[test]
fn killed_training_resumes_from_the_last_saved_step() {
    if skip_unless_thorough() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let wait = |what: &dyn Fn() -> bool| {
        let started = Instant::now();
        while !what() {
            assert!(started.elapsed() < 2 * HANG, "nothing happens");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let steps = || training::read_log(&folder.path().join(LOG)).unwrap().last().map_or(0, |line| line.step);
    let kill = |child: &std::process::Child, signal: &str| {
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    };
    let arguments = ["--smoke", "--steps", "100000"];
    let mut child = myriad(&arguments, folder.path()).spawn().unwrap();
    wait(&|| steps() >= 20);
    kill(&child, "-INT");
    assert!(child.wait().unwrap().success(), "an interrupt ends a training in order");
    let saved = weights::read(&std::fs::read(folder.path().join(WEIGHTS)).unwrap()).unwrap();
    assert!(saved.steps >= 20 && folder.path().join(CHECKPOINT).exists());

    let mut child = myriad(&["--smoke", "--steps", "100000", "--resume"], folder.path()).spawn().unwrap();
    wait(&|| steps() >= saved.steps + 20);
    kill(&child, "-KILL");
    child.wait().unwrap();
    // Steps that were not saved are trained again.
    let (outcome, lines) = run(&Options { resume: true, ..smoke(folder.path(), saved.steps + 3) }).unwrap();
    assert_eq!((outcome.end, outcome.steps), (TrainingEnd::Done, saved.steps + 3));
    assert_eq!(lines[0].step, saved.steps + 1);
}

#[test]
fn broken_checkpoints_and_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let resume = Options { resume: true, ..smoke(folder.path(), 5) };
    assert!(matches!(run(&resume), Err(TrainError::Read(..))), "there is no checkpoint yet");
    run(&smoke(folder.path(), 2)).unwrap();
    let path = folder.path().join(CHECKPOINT);
    let whole = std::fs::read(&path).unwrap();
    for end in [0, 9, 500, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..end]).unwrap();
        assert!(matches!(run(&resume), Err(TrainError::Corrupt(..))), "cut at {end}");
    }
    // A weights file is not a checkpoint.
    std::fs::copy(folder.path().join(WEIGHTS), &path).unwrap();
    let error = run(&resume).unwrap_err();
    assert!(error.to_string().contains("not a checkpoint of a training"), "{error}");
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(run(&smoke(&folder.path().join("file"), 2)), Err(TrainError::Write(..))));
    let absurd = Options { config: Config::new(48, 1), ..smoke(&folder.path().join("other"), 2) };
    assert!(matches!(run(&absurd), Err(TrainError::Config(_))));
}

/// Logs and checkpoints that are no regular files, or are longer than their limits, end the call with a message.
#[test]
#[cfg(unix)]
fn special_and_overlong_training_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::create_dir(folder.join("folder")).unwrap();
    let refused = |arguments: &[&str], said: &[&str]| {
        let started = Instant::now();
        let Output { status, stderr, .. } = myriad(arguments, folder).output().unwrap();
        let message = text(&stderr);
        assert!(status.code() == Some(2) && started.elapsed() < HANG, "{arguments:?}: {status}, {message}");
        assert!(said.iter().all(|said| message.contains(said)), "{arguments:?}: {message}");
    };
    let others = [("pipe", "it is a pipe"), ("/dev/zero", "it is a device"), ("folder", "it is a directory")];
    for (file, argument, limit, words) in
        [(LOG, "--plot", 256_u64 << 20, "256 MiB"), (CHECKPOINT, "--resume", 5 << 30, "5 GiB")]
    {
        let path = folder.join(file);
        for (target, said) in others {
            std::os::unix::fs::symlink(target, &path).unwrap();
            refused(&[argument], &[file, said]);
            std::fs::remove_file(&path).unwrap();
        }
        std::fs::File::create(&path).and_then(|made| made.set_len(limit + 1)).unwrap();
        refused(&[argument], &[file, "it is longer than", words]);
        std::fs::remove_file(&path).unwrap();
    }
    // A log that is someone else's pipe is not written to.
    std::os::unix::fs::symlink("pipe", folder.join(LOG)).unwrap();
    refused(&["--smoke", "--steps", "1"], &[LOG]);
}

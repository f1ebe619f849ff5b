//! Runs a training on a terminal.

use std::io::{self, IsTerminal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use crate::learned::training::Device;

use super::super::stopping;
use super::plot;
use crate::cli::args::{Common, Format, TrainArgs, TrainDevice};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::host::measure::share;
use crate::learned::training::{
    self, CHECKPOINT, LOG, LogLine, Options, TrainError, TrainingEnd, TrainingOutcome, WEIGHTS,
};
use crate::network::weights::Config;
use crate::report::document;
use crate::report::visible::visible;

/// Maximum number of steps between two text lines if the output is not a terminal.
const STEPS: u64 = 50;

pub fn train(common: Common, args: &TrainArgs) -> Result<Exit, Failure> {
    if args.plot {
        return show(&args.out);
    }
    let options = options(args);
    let device = device(args.device)?;
    let stop = stopping::flag();
    let mut progress = TrainingProgress::new(common.format, options.steps, options.time);
    // The library panics if a device runs out of memory or is lost; the last checkpoint remains.
    let run = || training::run(&options, device, &stop, &mut |line| progress.line(line));
    let outcome = catch_unwind(AssertUnwindSafe(run));
    progress.end();
    match outcome {
        Ok(Ok(outcome)) => report(common.format, &options, &outcome),
        Ok(Err(error)) => Err(failure(error)),
        Err(_) => Err(engine("the device failed; it may be out of memory".into())),
    }
}

/// Prints the plot of a folder's log.
fn show(folder: &Path) -> Result<Exit, Failure> {
    let lines = training::read_log(&folder.join(LOG)).map_err(failure)?;
    output::print(&plot::plot(&lines))?;
    Ok(Exit::Good)
}

fn options(args: &TrainArgs) -> Options {
    let mut options = Options {
        folder: args.out.clone(),
        resume: args.resume,
        seed: args.seed,
        practice: args.practice,
        steps: args.steps,
        time: args.minutes.map(|minutes| Duration::from_secs_f64(minutes * 60.0)),
        ..Options::default()
    };
    if args.smoke {
        options = Options {
            folder: options.folder,
            resume: options.resume,
            seed: options.seed,
            practice: args.practice,
            ..Options::smoke()
        };
        options.steps = args.steps.or(options.steps);
    }
    let config = options.config;
    options.config = Config::new(args.width.unwrap_or(config.width), args.layers.unwrap_or(config.layers));
    options.budget = args.batch.unwrap_or(options.budget);
    options
}

#[cfg(feature = "train-wgpu")]
fn device(device: TrainDevice) -> Result<Device, Failure> {
    match device {
        TrainDevice::Cpu => Ok(Device::flex()),
        TrainDevice::Wgpu => Ok(Device::wgpu(training::DeviceKind::DefaultDevice)),
    }
}

#[cfg(not(feature = "train-wgpu"))]
fn device(device: TrainDevice) -> Result<Device, Failure> {
    match device {
        TrainDevice::Cpu => Ok(Device::flex()),
        TrainDevice::Wgpu => Err(Failure {
            exit: Exit::Engine,
            message: "this build can only train on the CPU".into(),
            help: "`cargo build --release --features train-wgpu` builds one for any adapter".into(),
        }),
    }
}

fn report(format: Format, options: &Options, outcome: &TrainingOutcome) -> Result<Exit, Failure> {
    let TrainingOutcome { end, steps, examples } = outcome;
    if format == Format::Text {
        show(&options.folder)?;
        let why = match end {
            TrainingEnd::Done => "done",
            TrainingEnd::NoGain => "ended early, since the held-out loss no longer falls",
            TrainingEnd::Stopped => "stopped; `--resume` continues",
        };
        let path = options.folder.join(WEIGHTS);
        output::print(&format!(
            "{why}: {steps} steps, {examples} examples; the weights are in {}\n",
            visible(&path.to_string_lossy())
        ))?;
    }
    Ok(Exit::Good)
}

fn engine(message: String) -> Failure {
    Failure {
        exit: Exit::Engine,
        message,
        help: "`myriad train --resume` continues from the last checkpoint".into(),
    }
}

fn failure(error: TrainError) -> Failure {
    let help = match &error {
        TrainError::Exists(_) => "`--resume` continues it; `--out DIR` uses another folder".to_string(),
        TrainError::Read(path, _) if path.ends_with(CHECKPOINT) => {
            "without `--resume`, training starts from scratch".into()
        }
        TrainError::Corrupt(..) => "restore a copy of it, or start again with `--out DIR`".into(),
        TrainError::Write(..) => "free some space, or choose another folder with `--out DIR`".into(),
        TrainError::Config(_) => "a width is a multiple of 32, and there are 1 to 32 layers".into(),
        TrainError::Memory { .. } => "use a smaller `--batch`, `--width` or `--layers`".into(),
        _ => "`myriad train --resume` continues from the last checkpoint".into(),
    };
    let exit = match &error {
        TrainError::Diverged(_) | TrainError::Feed(_) | TrainError::Memory { .. } => Exit::Engine,
        _ => Exit::Call,
    };
    Failure { exit, message: error.to_string(), help }
}

/// Progress of a training: an updated line on a terminal, separate lines elsewhere, or the log's lines in JSON.
struct TrainingProgress {
    format: Format,
    terminal: bool,
    steps: Option<u64>,
    time: Option<Duration>,
    first: Option<(u64, f64)>,
    measured: String,
    shown: bool,
}

impl TrainingProgress {
    fn new(format: Format, steps: Option<u64>, time: Option<Duration>) -> TrainingProgress {
        let terminal = io::stderr().is_terminal();
        TrainingProgress { format, terminal, steps, time, first: None, measured: String::new(), shown: false }
    }

    fn line(&mut self, line: &LogLine) {
        if self.format == Format::Json {
            // The reader may be gone; training continues.
            let _ = output::print(&(document::json(line) + "\n"));
            return;
        }
        let (first, since) = *self.first.get_or_insert((line.step, line.seconds));
        let seconds = line.seconds - since;
        if let (Some(simple), Some(complex)) = (line.simple, line.complex) {
            let percent = |x: f64| format!("{}%", share::percent(x, 1));
            let written =
                line.written.map_or(String::new(), |written| format!(", written {}", percent(written.exact)));
            self.measured = format!(
                "  held out: loss {:.4}; exact: simple {}, complex {}{written}",
                (simple.loss + complex.loss) / 2.0,
                percent(simple.exact),
                percent(complex.exact),
            );
            if let Some(sampled) = line.sampled {
                self.measured.push_str(&format!(
                    "; valid {}, passing {}",
                    percent(sampled.valid),
                    percent(sampled.passing)
                ));
            }
        }
        let left = [
            self.time.map(|time| time.as_secs_f64() - seconds),
            self.steps.map(|steps| {
                let each = seconds / (line.step - first).max(1) as f64;
                steps.saturating_sub(line.step) as f64 * each
            }),
        ];
        let left = left.into_iter().flatten().reduce(f64::min);
        let left =
            left.map_or(String::new(), |left| format!("  {:.0} min left", (left / 60.0).max(0.0).ceil()));
        let text = format!(
            "step {}  {} examples ({})  loss {:.4}  {:.0} examples/s{left}{}",
            line.step, line.examples, line.phase, line.loss, line.per_second, self.measured
        );
        if self.terminal {
            output::print_over(0, &text);
            self.shown = true;
        } else if line.simple.is_some() || line.step.is_multiple_of(STEPS) {
            output::print_error(&format!("{text}\n"));
        }
    }

    fn end(&mut self) {
        if self.shown {
            output::print_error("\n");
        }
    }
}

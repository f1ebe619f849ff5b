//! Training: produces weights from scratch with one command.
//!
//! `feed` makes batches of generated functions with the compiler's code for them. `model` computes the loss, automatic
//! differentiation (burn) the gradient, and `optimizer` updates the weights. `schedule` defines the curriculum and the
//! learning rate. `measure` evaluates on held-out functions. `practice` learns from running candidates. `checkpoint`
//! makes all of this durable. A run is determined by its seed and options alone, except for a time limit.

mod batch;
mod checkpoint;
mod feed;
mod log;
mod measure;
mod memory;
mod model;
mod optimizer;
mod practice;
mod schedule;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, io};

use burn_tensor::Tensor;
pub use burn_tensor::{Device, DeviceKind};

use crate::host::files;
use crate::lang::random::Rng;
use crate::network::weights::{Config, Weights, write};
use batch::{TrainingBatch, bucket};
use checkpoint::CheckpointState;
use feed::{Position, Stream};
pub use log::{LogLine, read as read_log};
use measure::{HeldOut, measure};
pub use measure::{Measure, Sampled};
use model::{TrainingInput, TrainingModel};
use optimizer::Optimizer;
use practice::Practice;

/// The names of the files in a run's folder.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
pub const WEIGHTS: &str = "weights.safetensors";
pub const LOG: &str = "log.jsonl";

#[derive(Clone, Debug)]
pub struct Options {
    pub folder: PathBuf,
    /// Whether to resume from the folder's checkpoint.
    pub resume: bool,
    pub config: Config,
    pub seed: u64,
    /// The last step of the run, counted from the beginning of training.
    pub steps: Option<u64>,
    /// The time limit of this call.
    pub time: Option<Duration>,
    /// The number of words of a batch, including padding.
    pub budget: usize,
    /// Whether to train only on simple functions.
    pub simple: bool,
    /// The number of held-out functions of each kind that are measured.
    pub held: usize,
    /// The number of steps between two log lines, and between two measurements.
    pub every: [u64; 2],
    /// The time between two checkpoints.
    pub save: Duration,
    /// The number of steps between two rounds of practice, overriding the phase's.
    pub practice: Option<u64>,
    /// The number of measurements without improvement after which the run ends.
    pub patience: u64,
}

impl Default for Options {
    /// The options of the shipped weights' run, except for its length.
    fn default() -> Options {
        Options {
            folder: "training".into(),
            resume: false,
            config: Config::new(128, 3),
            seed: 1,
            steps: None,
            time: None,
            budget: 2_000,
            simple: false,
            held: 256,
            every: [50, 500],
            save: Duration::from_secs(120),
            practice: None,
            patience: 20,
        }
    }
}

impl Options {
    /// Returns options for a tiny model on simple functions, enough to see the loss fall.
    pub fn smoke() -> Options {
        Options {
            config: Config::new(32, 1),
            steps: Some(300),
            budget: 800,
            simple: true,
            held: 32,
            every: [10, 100],
            ..Options::default()
        }
    }
}

/// The reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingEnd {
    Done,
    /// The held-out loss stopped improving.
    NoGain,
    Stopped,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct TrainingOutcome {
    pub end: TrainingEnd,
    pub steps: u64,
    pub examples: u64,
}

/// The reason why a run failed.
#[derive(Debug)]
pub enum TrainError {
    Read(PathBuf, io::Error),
    Write(PathBuf, io::Error),
    Corrupt(PathBuf, String),
    /// The folder already has a checkpoint.
    Exists(PathBuf),
    Config(Config),
    /// A step needs more memory than is available, in bytes.
    Memory {
        needed: u64,
        free: u64,
    },
    /// The loss or gradient is repeatedly not a finite number.
    Diverged(u64),
    /// The thread that makes examples ended.
    Feed(String),
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            TrainError::Read(path, error) => {
                write!(f, "`{}` cannot be read: {}", path.display(), files::message(error))
            }
            TrainError::Write(path, error) if error.kind() == io::ErrorKind::StorageFull => {
                write!(
                    f,
                    "the disk is full: `{}` cannot be written; the previous checkpoint is complete",
                    path.display()
                )
            }
            TrainError::Write(path, error) => {
                write!(f, "`{}` cannot be written: {}", path.display(), files::message(error))
            }
            TrainError::Corrupt(path, reason) => {
                write!(f, "the checkpoint `{}` is corrupt: {reason}", path.display())
            }
            TrainError::Exists(path) => write!(f, "a checkpoint already exists, `{}`", path.display()),
            TrainError::Config(config) => {
                write!(f, "no model is {} wide with {} layers", config.width, config.layers)
            }
            TrainError::Memory { needed, free } => {
                let gib = |bytes: &u64| *bytes as f64 / f64::from(1 << 30);
                write!(
                    f,
                    "a step needs about {:.1} GiB of memory, but only {:.1} GiB are free",
                    gib(needed),
                    gib(free)
                )
            }
            TrainError::Diverged(step) => {
                write!(f, "training diverged: the loss is not a number since step {step}")
            }
            TrainError::Feed(reason) => write!(f, "the training data stream ended: {reason}"),
        }
    }
}

impl std::error::Error for TrainError {}

/// The number of consecutive steps without a finite gradient after which a run fails.
const LOST: u64 = 20;

/// Trains up to the options' limits, or until `stop` is set. Passes each line of the log to `watch`.
///
/// # Errors
/// If files cannot be read or written, or training diverges.
pub fn run(
    options: &Options,
    device: Device,
    stop: &AtomicBool,
    watch: &mut (dyn FnMut(&LogLine) + Send),
) -> Result<TrainingOutcome, TrainError> {
    // Runs on a thread of the pool, because an operation requested from another thread would wait for two context
    // switches.
    let pool = rayon::ThreadPoolBuilder::new().build().map_err(|error| TrainError::Feed(error.to_string()))?;
    pool.install(|| train(options, device, stop, watch))
}

fn train(
    options: &Options,
    device: Device,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&LogLine),
) -> Result<TrainingOutcome, TrainError> {
    let started = Instant::now();
    let file = |name: &str| options.folder.join(name);
    std::fs::create_dir_all(&options.folder)
        .map_err(|error| TrainError::Write(options.folder.clone(), error))?;
    let training = device.clone().autodiff();
    let mut run = if options.resume {
        let (state, model, optimizer) = checkpoint::load(&file(CHECKPOINT), &training)?;
        TrainingRun { state, model, optimizer, lost: 0 }
    } else {
        if file(CHECKPOINT).exists() {
            return Err(TrainError::Exists(file(CHECKPOINT)));
        }
        TrainingRun::new(options, &training)?
    };
    memory::check(run.model.config, options.budget)?;
    let mut log = log::Log::open(&file(LOG), run.state.steps)?;
    let mut held = HeldOut::new(options.held);
    let stream = Stream {
        seed: run.state.seed,
        budget: options.budget,
        held: Arc::new(std::mem::take(&mut held.forms)),
        simple: options.simple,
    };
    let feed = stream.start(run.state.position).map_err(|error| TrainError::Feed(error.to_string()))?;
    let mut practice = Practice::new(options, run.state.seed);
    let (before, first) = (run.state.seconds, run.state.steps);
    let (mut window, mut stale) = (Window::new(), 0);
    let mut saved = Instant::now();
    let end = loop {
        let done = options.done(first, run.state.steps, started.elapsed());
        if done >= 1.0 {
            break TrainingEnd::Done;
        }
        if stop.load(Ordering::Relaxed) {
            break TrainingEnd::Stopped;
        }
        let fed = feed.recv().map_err(|error| TrainError::Feed(error.to_string()))?;
        let rate = schedule::rate(run.state.steps, done);
        let (loss, gradient) = run.learn(&fed.batch, fed.batch.words, rate, &training)?;
        run.state.steps += 1;
        run.state.examples += fed.batch.rows as u64;
        run.state.position = fed.next;
        window.add(loss, fed.batch.rows, fed.batch.words);
        let each = options.practice.unwrap_or(fed.phase.practice);
        if each > 0 && run.state.steps.is_multiple_of(each) {
            run.practise(&mut practice, options, rate, &training)?;
        }
        run.state.seconds = before + started.elapsed().as_secs_f64();
        let measured = run.state.steps.is_multiple_of(options.every[1]);
        if measured || run.state.steps.is_multiple_of(options.every[0]) {
            let mut line = window.line(&run.state, fed.phase.name, rate, gradient);
            if measured {
                let gain = run.measure(&held, &mut practice, &device, &mut line)?;
                stale = if gain { 0 } else { stale + 1 };
            }
            log.add(&line)?;
            watch(&line);
            window = Window::new();
            if stale >= options.patience {
                break TrainingEnd::NoGain;
            }
        }
        if saved.elapsed() >= options.save {
            run.save(&options.folder)?;
            saved = Instant::now();
        }
    };
    run.save(&options.folder)?;
    Ok(TrainingOutcome { end, steps: run.state.steps, examples: run.state.examples })
}

impl Options {
    /// Returns the completed fraction of this call, from 0 to 1.
    fn done(&self, first: u64, step: u64, passed: Duration) -> f64 {
        let steps = self.steps.map_or(0.0, |steps| match steps.saturating_sub(first) {
            0 => 1.0,
            wanted => (step - first) as f64 / wanted as f64,
        });
        let time = self.time.map_or(0.0, |time| passed.as_secs_f64() / time.as_secs_f64().max(1e-3));
        steps.max(time)
    }
}

struct TrainingRun {
    state: CheckpointState,
    model: TrainingModel,
    optimizer: Optimizer,
    /// The number of consecutive steps without a finite gradient.
    lost: u64,
}

impl TrainingRun {
    fn new(options: &Options, device: &Device) -> Result<TrainingRun, TrainError> {
        if !options.config.is_sound() {
            return Err(TrainError::Config(options.config));
        }
        let state = CheckpointState {
            width: options.config.width,
            layers: options.config.layers,
            seed: options.seed,
            steps: 0,
            examples: 0,
            seconds: 0.0,
            position: Position::default(),
            best: None,
        };
        let model = TrainingModel::new(&Weights::random(options.config, options.seed as u32), device);
        let optimizer = Optimizer::new(&model);
        Ok(TrainingRun { state, model, optimizer, lost: 0 })
    }

    /// Makes one step on a batch, whose loss is divided by `words`. Returns the loss and the gradient norm.
    fn learn(
        &mut self,
        batch: &TrainingBatch,
        words: usize,
        rate: f64,
        device: &Device,
    ) -> Result<(f32, f32), TrainError> {
        let input = TrainingInput::new(batch, device);
        let loss = self.model.loss(&input, words as f32);
        let gradients = loss.backward();
        let length = self.optimizer.step(&mut self.model, gradients, rate);
        self.lost = if length.is_finite() { 0 } else { self.lost + 1 };
        if self.lost >= LOST {
            return Err(TrainError::Diverged(self.state.steps + 1 - LOST));
        }
        Ok((loss.into_scalar(), length))
    }

    /// Makes one round of learning from execution.
    fn practise(
        &mut self,
        practice: &mut Practice,
        options: &Options,
        rate: f64,
        device: &Device,
    ) -> Result<(), TrainError> {
        let round = self.state.steps;
        let examples = practice.round(round, &options.folder, || self.weights(&self.model.tensors))?;
        for list in bucket(&examples, options.budget, &mut Rng::new(self.state.seed, round)) {
            let batch = TrainingBatch::new(&list.iter().map(|&i| &examples[i]).collect::<Vec<_>>());
            self.learn(&batch, batch.words, rate, device)?;
        }
        Ok(())
    }

    /// Measures the moving average on held-out functions. Returns whether its loss is the lowest so far.
    fn measure(
        &mut self,
        held: &HeldOut,
        practice: &mut Practice,
        device: &Device,
        line: &mut LogLine,
    ) -> Result<bool, TrainError> {
        let average = TrainingModel { config: self.model.config, tensors: self.optimizer.average.clone() };
        let [simple, complex, written] =
            [&held.simple, &held.complex, &held.written].map(|examples| measure(&average, examples, device));
        let loss = (simple.loss + complex.loss) / 2.0;
        let sampled = practice.measure(&held.tasks, self.weights(&average.tensors))?;
        (line.simple, line.complex, line.written) = (Some(simple), Some(complex), Some(written));
        line.sampled = Some(sampled);
        let gain = self.state.best.is_none_or(|(best, _)| loss < best);
        if gain {
            self.state.best = Some((loss, self.state.steps));
        }
        Ok(gain)
    }

    fn weights(&self, tensors: &[Tensor<2>]) -> Weights {
        checkpoint::weights(self.model.config, &self.state, tensors)
    }

    /// Writes the checkpoint, and the moving average as usable weights.
    fn save(&self, folder: &Path) -> Result<(), TrainError> {
        checkpoint::save(&folder.join(CHECKPOINT), &self.state, &self.model, &self.optimizer)?;
        let weights = self.weights(&self.optimizer.average);
        let path = folder.join(WEIGHTS);
        let bytes =
            write(&weights, true).map_err(|error| TrainError::Corrupt(path.clone(), error.to_string()))?;
        checkpoint::replace(&path, &bytes)
    }
}

/// The totals since the last line of the log.
struct Window {
    since: Instant,
    loss: f64,
    rows: usize,
    words: usize,
}

impl Window {
    fn new() -> Window {
        Window { since: Instant::now(), loss: 0.0, rows: 0, words: 0 }
    }
    fn add(&mut self, loss: f32, rows: usize, words: usize) {
        self.loss += f64::from(loss) * words as f64;
        self.rows += rows;
        self.words += words;
    }
    fn line(&self, state: &CheckpointState, phase: &str, rate: f64, gradient: f32) -> LogLine {
        LogLine {
            step: state.steps,
            examples: state.examples,
            seconds: state.seconds,
            phase: phase.to_string(),
            rate,
            loss: self.loss / self.words.max(1) as f64,
            gradient,
            per_second: self.rows as f64 / self.since.elapsed().as_secs_f64().max(1e-6),
            simple: None,
            complex: None,
            written: None,
            sampled: None,
        }
    }
}

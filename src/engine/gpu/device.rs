//! A device whose calls neither panic nor wait for ever.
//!
//! wgpu's default error handler panics. Here, error scopes catch the errors of a call; all other errors are
//! stored and returned by the next wait. A lost device is reported to the holder of the [`Gpu`] as
//! [`DeviceFailure::Lost`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use super::adapter::{AdapterQuery, AdapterSummary, find, summary};
use super::counts::Counts;
use super::device_cache::DeviceCache;
use super::pipelines::Pipelines;
use crate::engine::news::Reporter;
use crate::engine::{DeviceFailure, EngineError};
use crate::host::measure::processor::IdleLimit;

/// The idle time after which a device is considered lost. A driver may compile a shader when it first runs; that is no
/// idle time, however long it takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// The largest buffer that is requested of hardware, in bytes.
/// Larger chunks of mutants need larger buffers than WebGPU's defaults.
const LARGEST_BUFFER: u64 = 1 << 30;

/// Errors outside of any call, stored by callbacks.
#[derive(Default)]
struct DeviceErrors {
    lost: Option<String>,
    error: Option<(DeviceFailure, String)>,
}

/// Returns the part that failed, by the error that the device reported.
fn failure(error: &wgpu::Error) -> DeviceFailure {
    match error {
        wgpu::Error::OutOfMemory { .. } => DeviceFailure::Memory,
        _ => DeviceFailure::Command,
    }
}

pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub adapter: AdapterSummary,
    /// Whether threads scan with subgroup operations ([`super::subgroups`]). Initially false.
    pub subgroups: bool,
    /// Nanoseconds per tick of timestamp queries, if the device has them.
    pub timestamp_period: Option<f32>,
    /// Pipelines and measurements kept from run to run of the program, if caching is on.
    pub pipelines: Option<Pipelines>,
    pub cache: Option<DeviceCache>,
    /// Receives progress messages.
    pub news: Reporter,
    /// Whether compilers bound also the loops that end anyway. `MYRIAD_CHECKED_SHADERS` sets it.
    pub checked: bool,
    pub counts: Arc<Counts>,
    device_errors: Arc<Mutex<DeviceErrors>>,
    moved: Moved,
}

/// The time of transfers since the last [`Gpu::take_moved`].
#[derive(Default)]
struct Moved {
    nanoseconds: AtomicU64,
    /// Whether some transfers were not timed.
    unknown: AtomicBool,
}

/// A range of words in a buffer: the buffer, the first word and the count.
pub type Part<'a> = (&'a wgpu::Buffer, u64, u64);

pub struct PendingRead {
    staging: wgpu::Buffer,
    index: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
    words: Vec<usize>,
}

/// Returns the limits to request: WebGPU's defaults, with buffers of up to 1 GiB where the adapter is hardware that
/// has them.
fn required_limits(adapter: &wgpu::Adapter) -> wgpu::Limits {
    let (default, offered) = (wgpu::Limits::default(), adapter.limits());
    if adapter.get_info().device_type == wgpu::DeviceType::Cpu {
        return default;
    }
    let raised = |default, offered: u64| offered.min(LARGEST_BUFFER).max(default);
    wgpu::Limits {
        max_buffer_size: raised(default.max_buffer_size, offered.max_buffer_size),
        max_storage_buffer_binding_size: raised(
            default.max_storage_buffer_binding_size,
            offered.max_storage_buffer_binding_size,
        ),
        ..default
    }
}

impl Gpu {
    /// Opens an adapter with the default limits and without a cache.
    pub fn open(wanted: &AdapterQuery) -> Result<Gpu, EngineError> {
        Gpu::open_with(wanted, |_| None)
    }

    /// Opens an adapter with its cache files.
    pub fn open_with(
        wanted: &AdapterQuery,
        cache: impl FnOnce(&AdapterSummary) -> Option<DeviceCache>,
    ) -> Result<Gpu, EngineError> {
        let adapter = find(wanted)?;
        let timestamps = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
        // Optional features: timestamps outside of passes, subgroups and pipeline caches.
        let optional = wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
            | wgpu::Features::SUBGROUP
            | wgpu::Features::PIPELINE_CACHE;
        let features = timestamps | (adapter.features() & optional);
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("myriad"),
            required_features: features,
            required_limits: required_limits(&adapter),
            ..Default::default()
        }))
        .map_err(|error| DeviceFailure::Opening.because(format!("it cannot be opened: {error}")))?;

        let device_errors = Arc::new(Mutex::new(DeviceErrors::default()));
        let note = device_errors.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            if let Ok(mut device_errors) = note.lock() {
                // The first error is the cause; later ones are its consequences.
                device_errors.error.get_or_insert((failure(&error), error.to_string()));
            }
        }));
        let note = device_errors.clone();
        device.set_device_lost_callback(move |reason, message| {
            if let Ok(mut device_errors) = note.lock() {
                device_errors.lost.get_or_insert(format!("{reason:?}: {message}"));
            }
        });
        let timestamp_period = (!timestamps.is_empty()).then(|| queue.get_timestamp_period());
        let adapter = summary(&adapter.get_info());
        let (moved, cache) = (Moved::default(), cache(&adapter));
        let mut gpu = Gpu {
            adapter,
            device,
            queue,
            subgroups: false,
            timestamp_period,
            pipelines: None,
            cache,
            news: Reporter::none(),
            checked: std::env::var_os("MYRIAD_CHECKED_SHADERS").is_some(),
            counts: Arc::default(),
            device_errors,
            moved,
        };
        if let Some(cache) = gpu.cache.clone() {
            // Without a pipeline cache, each run of the program compiles the shaders again.
            gpu.pipelines = gpu.scoped(|| Pipelines::open(&gpu.device, cache)).unwrap_or_default();
        }
        Ok(gpu)
    }

    /// Returns the same device with scans in workgroup memory instead of subgroups, and with all checks.
    pub fn without_subgroups(&self) -> Gpu {
        let Gpu { adapter, device, queue, timestamp_period, cache, news, device_errors, .. } = self;
        Gpu {
            adapter: adapter.clone(),
            device: device.clone(),
            queue: queue.clone(),
            subgroups: false,
            timestamp_period: *timestamp_period,
            pipelines: None,
            cache: cache.clone(),
            news: news.clone(),
            checked: true,
            counts: self.counts.clone(),
            device_errors: device_errors.clone(),
            moved: Moved::default(),
        }
    }

    /// Writes to a buffer before the next submission. The host's time counts as transfer.
    pub fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        let started = Instant::now();
        self.queue.write_buffer(buffer, offset, bytes);
        self.counts.words_written.fetch_add(bytes.len() as u64 / 4, Ordering::Relaxed);
        self.moved(Some(started.elapsed()));
    }

    /// Adds the time of a transfer; `None` marks a transfer without timing.
    pub fn moved(&self, time: Option<Duration>) {
        match time {
            Some(time) => {
                self.moved.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
            }
            None => self.moved.unknown.store(true, Ordering::Relaxed),
        }
    }

    /// Returns the time of transfers since the last call; `None` if some were not timed.
    pub fn take_moved(&self) -> Option<Duration> {
        let nanoseconds = self.moved.nanoseconds.swap(0, Ordering::Relaxed);
        let unknown = self.moved.unknown.swap(false, Ordering::Relaxed);
        (!unknown).then(|| Duration::from_nanos(nanoseconds))
    }

    /// Returns the error that callbacks have stored since the last call, if any.
    pub fn check(&self) -> Result<(), EngineError> {
        let Ok(mut device_errors) = self.device_errors.lock() else { return Ok(()) };
        let error = device_errors.error.take();
        match (&device_errors.lost, error) {
            (Some(lost), _) => Err(DeviceFailure::Lost.because(lost.clone())),
            (None, Some((failure, error))) => Err(EngineError::Device(failure, error)),
            (None, None) => Ok(()),
        }
    }

    /// Runs `work` and returns its device errors as an error.
    pub fn scoped<T>(&self, work: impl FnOnce() -> T) -> Result<T, EngineError> {
        // Scopes instead of a handler, because an error must reach the call that caused it.
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let result = work();
        let validation = pollster::block_on(validation.pop());
        let memory = pollster::block_on(memory.pop());
        // Memory that is missing makes the commands that need it invalid.
        let failure = if memory.is_some() { DeviceFailure::Memory } else { DeviceFailure::Command };
        match validation.or(memory) {
            // On a lost device every call is invalid. A poll detects the loss, which is the more useful
            // error.
            Some(error) => {
                let polled = self.device.poll(wgpu::PollType::Poll);
                match (polled, self.check()) {
                    (_, Err(error)) if error.is_lost() => Err(error),
                    _ => Err(EngineError::Device(failure, error.to_string())),
                }
            }
            None => self.check().map(|()| result),
        }
    }

    /// Like [`Gpu::scoped`], for work that may itself fail.
    pub fn attempt<T>(&self, work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
        self.scoped(work)?
    }

    /// Submits the commands and waits until they are done.
    pub fn finish(&self, encoder: wgpu::CommandEncoder) -> Result<(), EngineError> {
        let index = self.scoped(|| self.queue.submit([encoder.finish()]))?;
        self.wait(index)
    }

    fn wait(&self, index: wgpu::SubmissionIndex) -> Result<(), EngineError> {
        self.counts.waits.fetch_add(1, Ordering::Relaxed);
        let mut limit = IdleLimit::new(PATIENCE);
        loop {
            // Waits in steps, so that the idle time of a driver that hangs is noticed.
            let timeout = Some(limit.step());
            match self.device.poll(wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout }) {
                Ok(_) => return self.check(),
                Err(wgpu::PollError::Timeout) if !limit.is_over() => {}
                Err(error) => return Err(DeviceFailure::Lost.because(error.to_string())),
            }
        }
    }

    /// Appends copies of the given parts, submits, waits, and returns one vector of words per part.
    pub fn read(&self, encoder: wgpu::CommandEncoder, parts: &[Part]) -> Result<Vec<Vec<u32>>, EngineError> {
        self.collect(self.submit(encoder, parts)?)
    }

    /// Like [`Gpu::read`], but records the commands of `behind` after the copies, and then copies the `last`
    /// part.
    pub fn read_with_tail(
        &self,
        encoder: wgpu::CommandEncoder,
        parts: &[Part],
        behind: impl FnOnce(&mut wgpu::CommandEncoder),
        last: Part,
    ) -> Result<Vec<Vec<u32>>, EngineError> {
        self.collect(self.submit_with_tail(encoder, parts, behind, &[last])?)
    }

    /// Appends copies of the given parts and submits. [`Gpu::collect`] waits for the words.
    pub fn submit(&self, encoder: wgpu::CommandEncoder, parts: &[Part]) -> Result<PendingRead, EngineError> {
        self.submit_with_tail(encoder, parts, |_| {}, &[])
    }

    fn submit_with_tail(
        &self,
        mut encoder: wgpu::CommandEncoder,
        parts: &[Part],
        behind: impl FnOnce(&mut wgpu::CommandEncoder),
        last: &[Part],
    ) -> Result<PendingRead, EngineError> {
        let all = || parts.iter().chain(last);
        let size: u64 = all().map(|(_, _, words)| words * 4).sum();
        let (sender, mapped) = mpsc::channel();
        self.scoped(|| {
            let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("readback"),
                size: size.max(4),
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            });
            let mut offset = 0;
            let mut copy = |encoder: &mut wgpu::CommandEncoder, (buffer, first, words): Part| {
                if words > 0 {
                    encoder.copy_buffer_to_buffer(buffer, first * 4, &staging, offset, words * 4);
                }
                offset += words * 4;
            };
            parts.iter().for_each(|part| copy(&mut encoder, *part));
            behind(&mut encoder);
            last.iter().for_each(|part| copy(&mut encoder, *part));
            let index = self.queue.submit([encoder.finish()]);
            staging.map_async(wgpu::MapMode::Read, .., move |result| {
                // The receiver no longer exists if the caller gave up, so the error can be ignored.
                let _ = sender.send(result);
            });
            PendingRead { staging, index, mapped, words: all().map(|part| part.2 as usize).collect() }
        })
    }

    /// Waits for a submission and returns the words of each part.
    pub fn collect(&self, reading: PendingRead) -> Result<Vec<Vec<u32>>, EngineError> {
        let PendingRead { staging, index, mapped, words } = reading;
        self.counts.words_read.fetch_add(words.iter().sum::<usize>() as u64, Ordering::Relaxed);
        self.wait(index)?;
        let arrived = Instant::now();
        match mapped.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                self.check()?;
                return Err(DeviceFailure::Command.because(error.to_string()));
            }
            Err(_) => {
                self.check()?;
                return Err(DeviceFailure::Lost.because("results were never mapped"));
            }
        }
        let view =
            staging.get_mapped_range(..).map_err(|error| DeviceFailure::Command.because(error.to_string()))?;
        let mut at = 0;
        let mut out = Vec::with_capacity(words.len());
        for words in words {
            let bytes = words * 4;
            let part = view.get(at..at + bytes).unwrap_or_default();
            out.push(part.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect());
            at += bytes;
        }
        drop(view);
        staging.unmap();
        self.moved(Some(arrived.elapsed()));
        Ok(out)
    }

    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
    }
}

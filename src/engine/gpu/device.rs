//! Adapters, and a device that never panics or waits for ever.
//!
//! wgpu's default error handler panics; here errors of a call are caught in scopes, all others are noted and answered
//! at the next wait. A lost device is noted likewise: whoever holds a [`Gpu`] learns of it as [`EngineError::Lost`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use super::pipelines::Pipelines;
use crate::engine::EngineError;
use crate::engine::device_cache::DeviceCache;
use crate::engine::news::News;

use super::dx12;

/// No batch may take longer than this; a device that does is taken for lost.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same of a software adapter, which translates a shader for the processor when it first runs it: that alone takes half a
/// minute for some, and several times as long beside other work.
const SOFTWARE_PATIENCE: Duration = Duration::from_secs(600);

/// What an adapter is, for `myriad engines` and for choosing one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterSummary {
    pub name: String,
    pub backend: String,
    pub driver: String,
    /// Emulated on the processor, such as llvmpipe.
    pub software: bool,
    /// The numbers of its vendor and model, 0 if unknown.
    pub model: (u32, u32),
    /// Its place on the bus, empty if unknown: two drivers of one device say the same.
    pub bus: String,
}

/// Which adapter to open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// A hardware adapter or none.
    #[default]
    Hardware,
    /// A hardware adapter if there is one, else a software one.
    Any,
    /// The first whose name contains this text, in any case.
    Named(String),
    /// The one with this index in [`adapters`].
    Nth(usize),
}

fn summary(info: &wgpu::AdapterInfo) -> AdapterSummary {
    AdapterSummary {
        name: info.name.clone(),
        backend: format!("{:?}", info.backend),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
        software: info.device_type == wgpu::DeviceType::Cpu,
        model: (info.vendor, info.device),
        bus: info.device_pci_bus_id.clone(),
    }
}

fn enumerate() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    let (backends, dx12) = dx12::offered();
    descriptor.backends = backends;
    descriptor.backend_options.dx12.shader_compiler = dx12;
    descriptor.flags = wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER;
    let instance = wgpu::Instance::new(descriptor);
    let mut adapters = pollster::block_on(instance.enumerate_adapters(backends));
    // Discrete before integrated before all others; the sort is stable.
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    adapters
}

/// All adapters of this machine, best first.
pub fn adapters() -> Vec<AdapterSummary> {
    enumerate().iter().map(|adapter| summary(&adapter.get_info())).collect()
}

/// What went wrong outside of any call, noted by callbacks.
#[derive(Default)]
struct Trouble {
    lost: Option<String>,
    error: Option<String>,
}

/// A device with its queue.
pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub adapter: AdapterSummary,
    /// Whether threads are to scan by subgroups ([`super::subgroups`]); at first they do not.
    pub subgroups: bool,
    /// Nanoseconds of a tick of timestamp queries, where the device has them.
    pub timestamp_period: Option<f32>,
    /// Pipelines and figures that are kept from run to run, if they are to be.
    pub pipelines: Option<Pipelines>,
    pub cache: Option<DeviceCache>,
    /// Who is told what is being prepared.
    pub news: News,
    trouble: Arc<Mutex<Trouble>>,
    moved: Moved,
}

/// Time spent on bringing data to the device and back since that was last asked.
#[derive(Default)]
struct Moved {
    nanoseconds: AtomicU64,
    /// Some of it was not timed.
    unknown: AtomicBool,
}

/// Words of a buffer: the first, and how many.
pub type Part<'a> = (&'a wgpu::Buffer, u64, u64);

/// Words on their way back from the device.
pub struct Reading {
    staging: wgpu::Buffer,
    index: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
    /// Of each part.
    words: Vec<usize>,
}

impl Gpu {
    /// Opens an adapter with WebGPU's default limits; nothing is kept of it.
    pub fn open(wanted: &Wanted) -> Result<Gpu, EngineError> {
        Gpu::open_with(wanted, |_| None)
    }

    /// Opens an adapter, with the files that are kept of it.
    pub fn open_with(
        wanted: &Wanted,
        cache: impl FnOnce(&AdapterSummary) -> Option<DeviceCache>,
    ) -> Result<Gpu, EngineError> {
        let adapters = enumerate();
        let found = adapters.iter().enumerate().find(|(index, adapter)| {
            let adapter = summary(&adapter.get_info());
            match wanted {
                Wanted::Hardware => !adapter.software,
                Wanted::Any => true,
                Wanted::Named(name) => adapter.name.to_lowercase().contains(&name.to_lowercase()),
                Wanted::Nth(n) => index == n,
            }
        });
        let (_, adapter) = found.ok_or_else(|| {
            EngineError::NoAdapter(match wanted {
                Wanted::Hardware => "no hardware GPU was found".into(),
                Wanted::Any => {
                    "no GPU was found; a software one comes with `apt-get install mesa-vulkan-drivers`".into()
                }
                Wanted::Named(name) => format!("none is called `{name}`"),
                Wanted::Nth(n) => format!("there is no number {n} any more"),
            })
        })?;
        let timestamps = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
        // Timestamps outside of passes, subgroups and kept pipelines are used where they exist.
        let optional = wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
            | wgpu::Features::SUBGROUP
            | wgpu::Features::PIPELINE_CACHE;
        let features = timestamps | (adapter.features() & optional);
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("myriad"),
            required_features: features,
            required_limits: wgpu::Limits::default(),
            ..Default::default()
        }))
        .map_err(|error| EngineError::Fault(format!("it cannot be opened: {error}")))?;

        let trouble = Arc::new(Mutex::new(Trouble::default()));
        let note = trouble.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            if let Ok(mut trouble) = note.lock() {
                trouble.error.get_or_insert(error.to_string());
            }
        }));
        let note = trouble.clone();
        device.set_device_lost_callback(move |reason, message| {
            if let Ok(mut trouble) = note.lock() {
                trouble.lost.get_or_insert(format!("{reason:?}: {message}"));
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
            news: News::none(),
            trouble,
            moved,
        };
        if let Some(cache) = gpu.cache.clone() {
            // Pipelines that cannot be kept are compiled again by each run of the program.
            gpu.pipelines = gpu.scoped(|| Pipelines::open(&gpu.device, cache)).unwrap_or_default();
        }
        Ok(gpu)
    }

    /// The same device, where threads scan by memory.
    pub fn without_subgroups(&self) -> Gpu {
        let Gpu { adapter, device, queue, timestamp_period, cache, news, trouble, .. } = self;
        Gpu {
            adapter: adapter.clone(),
            device: device.clone(),
            queue: queue.clone(),
            subgroups: false,
            timestamp_period: *timestamp_period,
            pipelines: None,
            cache: cache.clone(),
            news: news.clone(),
            trouble: trouble.clone(),
            moved: Moved::default(),
        }
    }

    /// Writes to a buffer what the next submission will find there. The host's time counts as transfer.
    pub fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        let started = Instant::now();
        self.queue.write_buffer(buffer, offset, bytes);
        self.moved(Some(started.elapsed()));
    }

    /// Counts time of a transfer; `None`: there was one that nobody timed.
    pub fn moved(&self, time: Option<Duration>) {
        match time {
            Some(time) => {
                self.moved.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
            }
            None => self.moved.unknown.store(true, Ordering::Relaxed),
        }
    }

    /// What transfers took since this was last asked; `None` if some were not timed.
    pub fn take_moved(&self) -> Option<Duration> {
        let nanoseconds = self.moved.nanoseconds.swap(0, Ordering::Relaxed);
        let unknown = self.moved.unknown.swap(false, Ordering::Relaxed);
        (!unknown).then(|| Duration::from_nanos(nanoseconds))
    }

    /// What the callbacks noted since the last call, if anything.
    pub fn check(&self) -> Result<(), EngineError> {
        let Ok(mut trouble) = self.trouble.lock() else { return Ok(()) };
        let error = trouble.error.take();
        match (&trouble.lost, error) {
            (Some(lost), _) => Err(EngineError::Lost(lost.clone())),
            (None, Some(error)) => Err(EngineError::Fault(error)),
            (None, None) => Ok(()),
        }
    }

    /// Runs `work`, turning what it does wrong on the device into an error.
    pub fn scoped<T>(&self, work: impl FnOnce() -> T) -> Result<T, EngineError> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let result = work();
        let validation = pollster::block_on(validation.pop());
        let memory = pollster::block_on(memory.pop());
        match validation.or(memory) {
            // On a lost device everything is invalid. That it is lost says more, and is told by a poll.
            Some(error) => {
                let polled = self.device.poll(wgpu::PollType::Poll);
                match (polled, self.check()) {
                    (_, Err(lost @ EngineError::Lost(_))) => Err(lost),
                    _ => Err(EngineError::Fault(error.to_string())),
                }
            }
            None => self.check().map(|()| result),
        }
    }

    /// As [`Gpu::scoped`], for work that may fail by itself.
    pub fn attempt<T>(&self, work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
        self.scoped(work)?
    }

    /// Submits and waits until all of it is done.
    pub fn finish(&self, encoder: wgpu::CommandEncoder) -> Result<(), EngineError> {
        let index = self.scoped(|| self.queue.submit([encoder.finish()]))?;
        self.wait(index)
    }

    fn wait(&self, index: wgpu::SubmissionIndex) -> Result<(), EngineError> {
        let patience = if self.adapter.software { SOFTWARE_PATIENCE } else { PATIENCE };
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(patience) };
        match self.device.poll(wait) {
            Ok(_) => self.check(),
            Err(error) => Err(EngineError::Lost(error.to_string())),
        }
    }

    /// Copies the parts of buffers named, submits, waits, and gives their words in one vector per part.
    pub fn read(&self, encoder: wgpu::CommandEncoder, parts: &[Part]) -> Result<Vec<Vec<u32>>, EngineError> {
        self.collect(self.submit(encoder, parts)?)
    }

    /// As [`Gpu::read`]; what `behind` records comes after the copies, and the `last` part is copied after that.
    pub fn read_behind(
        &self,
        encoder: wgpu::CommandEncoder,
        parts: &[Part],
        behind: impl FnOnce(&mut wgpu::CommandEncoder),
        last: Part,
    ) -> Result<Vec<Vec<u32>>, EngineError> {
        self.collect(self.submit_behind(encoder, parts, behind, &[last])?)
    }

    /// Copies the parts of buffers named and submits; what they hold is for [`Gpu::collect`].
    pub fn submit(&self, encoder: wgpu::CommandEncoder, parts: &[Part]) -> Result<Reading, EngineError> {
        self.submit_behind(encoder, parts, |_| {}, &[])
    }

    fn submit_behind(
        &self,
        mut encoder: wgpu::CommandEncoder,
        parts: &[Part],
        behind: impl FnOnce(&mut wgpu::CommandEncoder),
        last: &[Part],
    ) -> Result<Reading, EngineError> {
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
                // Whoever asked may be gone; nobody is left to tell otherwise.
                let _ = sender.send(result);
            });
            Reading { staging, index, mapped, words: all().map(|part| part.2 as usize).collect() }
        })
    }

    /// Waits for a submission, and gives the words of each part.
    pub fn collect(&self, reading: Reading) -> Result<Vec<Vec<u32>>, EngineError> {
        let Reading { staging, index, mapped, words } = reading;
        self.wait(index)?;
        let arrived = Instant::now();
        match mapped.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                self.check()?;
                return Err(EngineError::Fault(error.to_string()));
            }
            Err(_) => {
                self.check()?;
                return Err(EngineError::Lost("results were never mapped".into()));
            }
        }
        let view = staging.get_mapped_range(..).map_err(|error| EngineError::Fault(error.to_string()))?;
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

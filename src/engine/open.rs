//! Opens engines, for the command line and the workbench.

use super::automatic::{Automatic, Opened};
use super::choose::{Adapter, Choice, Preference, Work, choose};
use super::cpu::CpuEngine;
use super::device_cache::DeviceCache;
use super::gpu::GpuEngine;
use super::gpu::device::{self, AdapterQuery, AdapterSummary, Gpu};
use super::measured::{self, Measured};
use super::news::Reporter;
use super::patience::{Call, within};
use super::shared::EngineSet;
use super::{Engine, EngineError};

/// Returns the devices that the GPU engine could run on, best first, with their measured speeds if known.
///
/// # Errors
/// If a driver does not answer.
pub fn adapters() -> Result<Vec<Adapter>, EngineError> {
    let found = within(Call::Find.patience(), "listing devices", device::adapters)?;
    let processor = CpuEngine::new().describe();
    let adapter = |found: AdapterSummary| {
        let cache = DeviceCache::of(&found).filter(|_| !found.software);
        let measured: Option<Measured> = cache.and_then(|cache| cache.load(measured::FILE));
        Adapter {
            name: found.name,
            backend: found.backend.to_lowercase(),
            driver: found.driver,
            hardware: !found.software,
            model: found.model,
            bus: found.bus,
            fault: None,
            measured: measured.filter(|measured| measured.is_sound(&processor)),
        }
    };
    Ok(found.into_iter().map(adapter).collect())
}

/// Tries to open each adapter, and records the error if that fails.
pub fn probe(adapters: &mut [Adapter]) {
    for (index, adapter) in adapters.iter_mut().enumerate() {
        let open = move || Gpu::open(&AdapterQuery::Nth(index)).map(drop);
        let opened = within(Call::Find.patience(), "opening it", open).unwrap_or_else(Err);
        adapter.fault = opened.err().map(|error| error.to_string());
    }
}

/// Opens the requested engine. If the user leaves the choice open, the CPU engine replaces unavailable
/// devices, with a notice to `news`.
///
/// # Errors
/// If the user named an engine that is unavailable.
pub fn open(preference: Preference, work: Work, news: &Reporter) -> Result<Box<dyn Engine>, EngineError> {
    match preference {
        Preference::Cpu => Ok(Box::new(CpuEngine::new())),
        Preference::Auto => Ok(Box::new(automatic(work, news))),
        Preference::Gpu | Preference::All => {
            let found = adapters()?;
            let choice = choose(preference, &found, work)?;
            let (members, failed) = try_members(&choice, &mut |_| Ok(()), news)?;
            for (index, error) in failed {
                news.notice(&format!("{} is left out: {error}", found[index].name));
            }
            Ok(EngineSet::new(members)?.into_engine())
        }
    }
}

/// Creates the CPU engine with devices for work that they do faster.
fn automatic(work: Work, news: &Reporter) -> Automatic {
    let own = news.clone();
    let find = move || {
        let inner = own.clone();
        let patience = Call::Prepare.patience();
        let found = within(patience, "preparing a device", move || devices(work, &inner)).unwrap_or_else(Err);
        own.progress("");
        found
    };
    let mut engine = Automatic::new(Box::new(find), news.clone());
    if work == Work::Network {
        engine.open_now();
    }
    engine
}

/// Opens the devices of the automatic choice. Hardware without a measurement is measured now, if the result
/// can be cached.
fn devices(work: Work, news: &Reporter) -> Result<Option<Opened>, EngineError> {
    let mut found = adapters()?;
    let mut opened: Vec<(usize, GpuEngine)> = Vec::new();
    loop {
        let choice = choose(Preference::Auto, &found, work)?;
        let missing = choice.adapters.iter().find(|index| opened.iter().all(|(other, _)| other != *index));
        let Some(&index) = missing else {
            opened.retain(|(index, _)| choice.adapters.contains(index));
            let members: Vec<Box<dyn Engine>> =
                opened.into_iter().map(|(_, engine)| Box::new(engine) as Box<dyn Engine>).collect();
            let from = choice.from;
            return if members.is_empty() {
                Ok(None)
            } else {
                Ok(Some(Opened { engine: EngineSet::new(members)?.into_engine(), from }))
            };
        };
        match prepare(index, &mut found[index], work, news) {
            Ok(engine) => opened.push((index, engine)),
            Err(error) => {
                news.notice(&format!("{} is left out: {error}", found[index].name));
                found[index].fault = Some(error.to_string());
            }
        }
    }
}

/// Opens a device, compiles the shaders that every base needs, and measures it if necessary.
fn prepare(index: usize, adapter: &mut Adapter, work: Work, news: &Reporter) -> Result<GpuEngine, EngineError> {
    news.progress(&format!("preparing {}", adapter.name));
    let mut engine = GpuEngine::kept(&AdapterQuery::Nth(index), news)?;
    if work == Work::Programs {
        engine.warm()?;
        if adapter.measured.is_none() {
            news.progress(&format!("measuring {}, once", adapter.name));
            adapter.measured = measure(&mut engine)?;
        }
    }
    Ok(engine)
}

/// Measures a hardware device and caches the result; `None` if it cannot be cached.
///
/// # Errors
/// If the device fails.
pub fn measure(engine: &mut GpuEngine) -> Result<Option<Measured>, EngineError> {
    let adapter = engine.adapter().clone();
    let Some(cache) = DeviceCache::of(&adapter).filter(|_| !adapter.software) else { return Ok(None) };
    let found = Measured::of(&mut CpuEngine::new(), engine)?;
    cache.store(measured::FILE, &found);
    Ok(Some(found))
}

/// Opens the chosen engines, prepares each device with `ready`, and combines them into one engine.
pub fn build(
    choice: &Choice,
    ready: impl FnMut(&mut GpuEngine) -> Result<(), EngineError>,
) -> Result<Box<dyn Engine>, EngineError> {
    Ok(EngineSet::new(members(choice, &Reporter::none(), ready)?)?.into_engine())
}

/// Opens the chosen engines and prepares each device with `ready`. Devices that cannot be opened are skipped.
///
/// # Errors
/// If no engine can be opened.
pub fn members(
    choice: &Choice,
    news: &Reporter,
    mut ready: impl FnMut(&mut GpuEngine) -> Result<(), EngineError>,
) -> Result<Vec<Box<dyn Engine>>, EngineError> {
    try_members(choice, &mut ready, news).map(|(members, _)| members)
}

/// Adapters that failed, each with the reason.
type Failed = Vec<(usize, EngineError)>;

fn try_members(
    choice: &Choice,
    ready: &mut dyn FnMut(&mut GpuEngine) -> Result<(), EngineError>,
    news: &Reporter,
) -> Result<(Vec<Box<dyn Engine>>, Failed), EngineError> {
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    let mut failed = Failed::new();
    for index in &choice.adapters {
        let opened = GpuEngine::kept(&AdapterQuery::Nth(*index), news).and_then(|mut engine| {
            ready(&mut engine)?;
            Ok(engine)
        });
        match opened {
            Ok(engine) => engines.push(Box::new(engine)),
            Err(error) => failed.push((*index, error)),
        }
    }
    if choice.cpu_shares() {
        engines.push(Box::new(CpuEngine::new()));
    }
    match failed.first() {
        Some((_, error)) if engines.is_empty() => Err(error.clone()),
        _ => Ok((engines, failed)),
    }
}

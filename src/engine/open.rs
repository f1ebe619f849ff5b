//! Opens engines, for the command line and the workbench.

use std::thread;
use std::time::Duration;

use super::automatic::{Automatic, Opened};
use super::choose::{Adapter, Choice, Preference, Work, choose};
use super::cpu::CpuEngine;
use super::gpu::GpuEngine;
use super::gpu::adapter::{self, AdapterQuery, AdapterSummary};
use super::gpu::device::Gpu;
use super::gpu::device_cache::DeviceCache;
use super::measured::{self, Measured};
use super::multi::{EngineSet, MultiEngine, Opening};
use super::news::{Report, Reporter};
use super::time_limit::{LATER, TimedCall, detach, lower_priority, within};
use super::{DeviceFailure, Engine, EngineError};

/// The delay before devices that join the processor are opened. Shorter work is finished by then.
const SHORT: Duration = Duration::from_millis(100);

/// Returns the devices that the GPU engine could run on, best first, with their measured speeds if known.
///
/// # Errors
/// If a driver does not answer.
pub fn adapters() -> Result<Vec<Adapter>, EngineError> {
    let found = within(TimedCall::Find.time_limit(), "listing devices", adapter::adapters)?;
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
        let opened = within(TimedCall::Find.time_limit(), "opening it", open).unwrap_or_else(Err);
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
        Preference::All => Ok(Box::new(all(work, news))),
        Preference::Gpu => {
            let found = adapters()?;
            let choice = choose(preference, &found, work)?;
            let (members, failed) = try_members(&choice, &mut |_| Ok(()), news)?;
            for (index, error) in failed {
                news.notice(&left_out(&found[index], &error));
            }
            Ok(EngineSet::new(members, news)?.into_engine())
        }
    }
}

fn left_out(adapter: &Adapter, error: &EngineError) -> String {
    format!("{} is left out: {error}", adapter.name)
}

/// Creates the CPU engine, which begins, with all devices, which join it. Neural compilation waits for them, since
/// only one engine samples.
fn all(work: Work, news: &Reporter) -> MultiEngine {
    let own = news.clone();
    let open = move |opening: Opening| {
        if work == Work::Programs {
            thread::sleep(SHORT);
        }
        open_all(work, &opening, &own);
    };
    let mut shared = MultiEngine::with_devices(Box::new(CpuEngine::new()), open, news);
    if work == Work::Network {
        shared.complete(TimedCall::Prepare.time_limit());
    }
    shared
}

/// Opens each device on a separate thread while the processor works.
fn open_all(work: Work, opening: &Opening, news: &Reporter) {
    let list = || {
        lower_priority(LATER);
        adapters()
    };
    // A thread can lower its priority, but not raise it again.
    let listed = thread::scope(|scope| scope.spawn(list).join());
    let found = match listed.unwrap_or_else(|_| Err(DeviceFailure::Opening.because("listing devices failed"))) {
        Ok(found) => found,
        Err(error) => return news.notice(&format!("the CPU engine goes on; {error}")),
    };
    let chosen = choose(Preference::All, &found, work).map_or(vec![], |choice| choice.adapters);
    for index in chosen {
        let (adapter, opening, news) = (found[index].clone(), opening.clone(), news.clone());
        let begun = detach(move || match open_beside(index, &adapter, work, &news) {
            // The work may be finished by now.
            Ok(device) => _ = opening.add(Box::new(device)),
            Err(error) => news.notice(&left_out(&adapter, &error)),
        });
        if begun.is_err() {
            return;
        }
    }
}

/// Opens a device and compiles its shaders without slowing down the processor.
fn open_beside(index: usize, adapter: &Adapter, work: Work, news: &Reporter) -> Result<GpuEngine, EngineError> {
    let own = news.clone();
    // The terminal shows the progress of the work, not of the preparation.
    let notices = Reporter::new(move |report| match report {
        Report::Notice(text) => own.notice(text),
        Report::Progress(_) => {}
    });
    if !adapter.hardware {
        lower_priority(LATER);
    }
    let mut engine = GpuEngine::kept(&AdapterQuery::Nth(index), &notices)?;
    if work == Work::Programs {
        // Threads that a hardware driver has already started keep their priority.
        lower_priority(LATER);
        engine.warm()?;
    }
    Ok(engine)
}

/// Creates the CPU engine with devices for work that they do faster.
fn automatic(work: Work, news: &Reporter) -> Automatic {
    let own = news.clone();
    let find = move || {
        let inner = own.clone();
        let limit = TimedCall::Prepare.time_limit();
        let found = within(limit, "preparing a device", move || devices(work, &inner)).unwrap_or_else(Err);
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
            let measured = choice.adapters.first().and_then(|index| found[*index].measured.clone());
            return if members.is_empty() {
                Ok(None)
            } else {
                Ok(Some(Opened { engine: EngineSet::new(members, news)?.into_engine(), from, measured }))
            };
        };
        match prepare(index, &mut found[index], work, news) {
            Ok(engine) => opened.push((index, engine)),
            Err(error) => {
                news.notice(&left_out(&found[index], &error));
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
    Ok(EngineSet::new(members(choice, &Reporter::none(), ready)?, &Reporter::none())?.into_engine())
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

//! The shaders' column of the Latency panel: its times, and text that names the adapter or explains why the
//! column is missing.

use crate::engine::choose::Preference;
use crate::engine::{Kind, Timings};
use crate::session::{Device, Found, Shaders};
use crate::workbench::panels::figures::{clock, differs};
use crate::workbench::results::Results;
use crate::workbench::state::EngineInfo;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// Returns the times of the shown base, or, dimmed, those of the previous one while they are awaited. `None`
/// if the shaders do not run in addition to the serving engine.
pub fn column<'a>(results: &'a Results, engine: &'a EngineInfo) -> Option<(&'a Timings, Look)> {
    if absent(engine).is_some() {
        return None;
    }
    let findings = &results.findings;
    let timings = findings.last::<Shaders>()?.timings.as_ref()?;
    Some((timings, if findings.current::<Shaders>().is_some() { Look::Number } else { Look::Dim }))
}

/// Returns the text about the column.
pub fn words(results: &Results, engine: &EngineInfo) -> (Look, String) {
    if let Some(why) = absent(engine) {
        return (Look::Dim, visible(&format!("shaders: {why}")));
    }
    let findings = &results.findings;
    let name = match &engine.device {
        Device::Ready(_, seat) => &seat.description,
        _ => "",
    };
    match (findings.current::<Shaders>(), findings.last::<Shaders>()) {
        (Some(Shaders { adapter, difference: Some(difference), .. }), _) => {
            (Look::Bad, format!("shaders: {}", differs(adapter, difference)))
        }
        (Some(Shaders { adapter, timings: Some(timings), .. }), _) => {
            (Look::Dim, visible(&format!("shaders: {adapter}, no difference; {}", clock(timings))))
        }
        (Some(Shaders { adapter, .. }), _) => {
            (Look::Dim, visible(&format!("shaders: this takes too long on {adapter}")))
        }
        (None, Some(Shaders { adapter, .. })) => {
            (Look::Dim, visible(&format!("shaders: {adapter}, for an earlier text")))
        }
        (None, None) => (Look::Dim, visible(&format!("shaders: {name}, awaited"))),
    }
}

/// Returns why the shaders do not run in addition to the serving engine.
fn absent(engine: &EngineInfo) -> Option<String> {
    let why = match (engine.kind, engine.wanted, &engine.device) {
        (Some(Kind::Gpu), Preference::All, _) => "no column, as all engines share base and mutants",
        (Some(Kind::Gpu), ..) => "no column, as they run base and mutants",
        (_, Preference::Cpu, _) => "none, as the CPU engine was chosen by name",
        (_, _, Device::Failed(why)) => return Some(format!("none; {why}")),
        _ if !engine.shaders => "none, as `shaders` is false in the configuration",
        (_, _, Device::Unknown) => "looking for adapters",
        (_, _, Device::Found(Found { name, .. })) => return Some(format!("{name} is being prepared")),
        (_, _, Device::Ready(..)) => return None,
    };
    Some(why.to_string())
}

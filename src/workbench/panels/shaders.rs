//! The shaders' column of the Latency panel: its times, and text that names the adapter or explains why the
//! column is missing.

use crate::engine::choose::Preference;
use crate::engine::{Kind, Timings};
use crate::session::{Device, Found, Shaders};
use crate::workbench::panels::figures::{clock, differs};
use crate::workbench::state::State;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// Returns the times of the shown base, or, dimmed, those of the previous one while they are awaited. `None`
/// if the shaders do not run in addition to the serving engine.
pub fn column(state: &State) -> Option<(&Timings, Look)> {
    if absent(state).is_some() {
        return None;
    }
    let findings = &state.results.findings;
    let timings = findings.last::<Shaders>()?.timings.as_ref()?;
    Some((timings, if findings.current::<Shaders>().is_some() { Look::Number } else { Look::Dim }))
}

/// Returns the text about the column.
pub fn words(state: &State) -> (Look, String) {
    if let Some(why) = absent(state) {
        return (Look::Dim, visible(&format!("shaders: {why}")));
    }
    let findings = &state.results.findings;
    let name = match &state.engine.device {
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
fn absent(state: &State) -> Option<String> {
    let engine = &state.engine;
    let why = match (engine.kind, engine.wanted, &engine.device) {
        (Some(Kind::Gpu), Preference::All, _) => "no column, as all engines share base and mutants",
        (Some(Kind::Gpu), ..) => "no column, as they run base and mutants",
        (_, Preference::Cpu, _) => "none, as the CPU engine was chosen by name",
        (_, _, Device::Failed(why)) => return Some(format!("none; {why}")),
        _ if !state.engine.shaders => "none, as `shaders` is false in the configuration",
        (_, _, Device::Unknown) => "looking for adapters",
        (_, _, Device::Found(Found { name, .. })) => return Some(format!("{name} is being prepared")),
        (_, _, Device::Ready(..)) => return None,
    };
    Some(why.to_string())
}

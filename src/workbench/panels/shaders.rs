//! The shaders' column of the latency panel: what is in it, and the words that say which adapter it is of, or why there is none.

use crate::engine::choose::Preference;
use crate::engine::{Kind, Timings};
use crate::session::{Device, Found, Shaders};
use crate::workbench::panels::figures::{clock, differs};
use crate::workbench::state::State;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// The times of the base that is shown, or dimmed those of the one before while they are awaited; `None` where the shaders do not run
/// beside the engine that serves.
pub fn column(state: &State) -> Option<(&Timings, Look)> {
    if absent(state).is_some() {
        return None;
    }
    let findings = &state.results.findings;
    let timings = findings.last::<Shaders>()?.timings.as_ref()?;
    Some((timings, if findings.current::<Shaders>().is_some() { Look::Number } else { Look::Dim }))
}

/// What is to be said of the column.
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
            (Look::Dim, visible(&format!("shaders: {adapter}, of a text before this one")))
        }
        (None, None) => (Look::Dim, visible(&format!("shaders: {name}, awaited"))),
    }
}

/// Why the shaders do not run beside the engine that serves.
fn absent(state: &State) -> Option<String> {
    let engine = &state.engine;
    let why = match (engine.kind, engine.wanted, &engine.device) {
        (Some(Kind::Gpu), Preference::All, _) => "no column, for all engines share base and mutants",
        (Some(Kind::Gpu), ..) => "no column, for base and mutants are theirs",
        (_, Preference::Cpu, _) => "none, for the CPU engine was asked for by name",
        (_, _, Device::Failed(why)) => return Some(format!("none; {why}")),
        _ if !state.shaders => "none, for `shaders` is false in the configuration",
        (_, _, Device::Unknown) => "adapters are being looked for",
        (_, _, Device::Found(Found { name, .. })) => return Some(format!("{name} is being prepared")),
        (_, _, Device::Ready(..)) => return None,
    };
    Some(why.to_string())
}

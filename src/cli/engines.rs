//! `myriad engines`: lists the engines, and which one is chosen and why.

use serde::Serialize;

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::output::print;
use super::session::preference;
use crate::engine::choose::{Adapter, Choice, Preference, Work, choose};
use crate::engine::cpu::CpuEngine;
use crate::engine::measured::Measured;
use crate::engine::{Engine, open};
use crate::report::document;
use crate::report::visible::visible;

#[derive(Serialize)]
struct Document {
    version: u32,
    /// Always empty: engines concern no file.
    files: [(); 0],
    engines: Vec<Row>,
    /// The names of the engines that share each batch, if several do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    together: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    /// `cpu`, `gpu`, or `software` for a GPU emulated in software.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    backend: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<String>,
    /// Whether it can be used.
    opens: bool,
    chosen: bool,
    reason: String,
    /// The smallest batch for which it is used, if smaller ones go to another engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    min_device_batch: Option<u32>,
}

/// Lists the engines for the choice that the call makes, by default `auto`.
pub fn engines(common: Common) -> Result<Exit, Failure> {
    let preference = preference(common.engine);
    // If a driver does not answer, the CPU engine is listed all the same.
    let (mut adapters, silent) = match open::adapters() {
        Ok(adapters) => (adapters, None),
        Err(error) if preference == Preference::Gpu => return Err(error.into()),
        Err(error) => (vec![], Some(error)),
    };
    // Probing makes the list match the choice that a command would make.
    open::probe(&mut adapters);
    let choice = choose(preference, &adapters, Work::Programs)?;
    let reason = silent.map_or_else(|| choice.reason.clone(), |error| error.to_string());
    let mut rows = vec![Row {
        name: CpuEngine::new().describe(),
        kind: "cpu",
        backend: None,
        driver: None,
        opens: true,
        chosen: choice.cpu,
        reason: if choice.cpu {
            reason
        } else {
            "always available; used by `--engine cpu` and `--engine all`".to_string()
        },
        min_device_batch: None,
    }];
    rows.extend(adapters.iter().enumerate().map(|(i, adapter)| row(i, adapter, &choice, preference)));
    let together: Vec<String> = if choice.is_shared() {
        rows.iter().filter(|row| row.chosen).map(|row| row.name.clone()).collect()
    } else {
        vec![]
    };
    if common.format == Format::Json {
        let document = Document { version: document::VERSION, files: [], engines: rows, together };
        print(&(document::json(&document) + "\n"))?;
        return Ok(Exit::Good);
    }
    for row in &rows {
        let details: Vec<&str> = row
            .backend
            .iter()
            .chain(&row.driver)
            .map(String::as_str)
            .filter(|detail| !detail.is_empty())
            .collect();
        let mark = if row.chosen { "*" } else { " " };
        let name = visible(&row.name);
        let details =
            if details.is_empty() { String::new() } else { format!(" ({})", visible(&details.join(", "))) };
        print(&format!("{mark} {:<8}  {name}{details}\n            {}\n", row.kind, visible(&row.reason)))?;
    }
    if !together.is_empty() {
        print(&format!(
            "together: {}; each takes mutants as fast as it judges them\n",
            visible(&together.join(" + "))
        ))?;
    }
    Ok(Exit::Good)
}

fn row(index: usize, adapter: &Adapter, choice: &Choice, preference: Preference) -> Row {
    let chosen = choice.adapters.contains(&index);
    Row {
        name: adapter.name.clone(),
        kind: if adapter.hardware { "gpu" } else { "software" },
        backend: Some(adapter.backend.clone()),
        driver: Some(adapter.driver.clone()).filter(|driver| !driver.is_empty()),
        opens: adapter.fault.is_none(),
        chosen,
        min_device_batch: Some(choice.from).filter(|from| chosen && *from > 0),
        reason: match (chosen, adapter.hardware, preference) {
            _ if adapter.fault.is_some() => adapter.fault.clone().unwrap_or_default(),
            (true, ..) => choice.reason.clone(),
            (_, true, Preference::Auto) if adapter.min_device_batch().is_none() => {
                let measured = adapter.measured.as_ref().map(Measured::words).unwrap_or_default();
                format!("the CPU engine is faster; {measured}")
            }
            (_, false, Preference::Auto) => {
                "a software adapter: used only by `--engine gpu`, and by `--engine all` if there is no hardware"
                    .to_string()
            }
            (_, true, Preference::Auto | Preference::All) => {
                "another driver or backend offers this device already".to_string()
            }
            (_, false, Preference::All) => "a software adapter: there is hardware".to_string(),
            (.., Preference::Gpu) => "another adapter is preferred".to_string(),
            (.., Preference::Cpu) => "the CPU engine was requested".to_string(),
        },
    }
}

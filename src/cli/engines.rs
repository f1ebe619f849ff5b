//! `myriad engines`: lists the engines, and which one is chosen and why.

use super::args::Common;
use super::exit::{Exit, Failure};
use super::output::print_result;
use super::session::preference;
use crate::engine::choose::{Adapter, Choice, Preference, Work, choose};
use crate::engine::cpu::CpuEngine;
use crate::engine::measured::Measured;
use crate::engine::{Engine, open};
use crate::report::document::Object;
use crate::report::visible::visible;

struct EngineRow {
    name: String,
    /// `cpu`, `gpu`, or `software` for a GPU emulated in software.
    kind: &'static str,
    backend: Option<String>,
    driver: Option<String>,
    /// Whether it can be used.
    opens: bool,
    chosen: bool,
    reason: String,
    /// The smallest batch for which it is used, if smaller ones go to another engine.
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
    let mut rows = vec![EngineRow {
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
    // The engines that share each batch, if several do.
    let sharing = rows.iter().filter(|row| choice.is_shared() && row.chosen);
    let together: Vec<&str> = sharing.map(|row| row.name.as_str()).collect();
    let document = Object::of_call().list("engines", rows.iter().map(EngineRow::document));
    let mut text: String = rows.iter().map(EngineRow::text).collect();
    if !together.is_empty() {
        let together = visible(&together.join(" + "));
        text.push_str(&format!("together: {together}; each takes mutants as fast as it judges them\n"));
    }
    print_result(common.format, &text, &document.unless_empty("together", &together))
}

impl EngineRow {
    fn document(&self) -> Object {
        Object::new()
            .field("name", &self.name)
            .field("kind", self.kind)
            .option("backend", self.backend.as_ref())
            .option("driver", self.driver.as_ref())
            .field("opens", self.opens)
            .field("chosen", self.chosen)
            .field("reason", &self.reason)
            .option("min_device_batch", self.min_device_batch)
    }

    fn text(&self) -> String {
        let details = self.backend.iter().chain(&self.driver).filter(|detail| !detail.is_empty());
        let details: Vec<&str> = details.map(String::as_str).collect();
        let details =
            if details.is_empty() { String::new() } else { format!(" ({})", visible(&details.join(", "))) };
        let mark = if self.chosen { "*" } else { " " };
        let (name, reason) = (visible(&self.name), visible(&self.reason));
        format!("{mark} {:<8}  {name}{details}\n            {reason}\n", self.kind)
    }
}

fn row(index: usize, adapter: &Adapter, choice: &Choice, preference: Preference) -> EngineRow {
    let chosen = choice.adapters.contains(&index);
    EngineRow {
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

//! NVML: the management library of NVIDIA's driver, loaded at run time.
//!
//! Devices since Volta have an energy counter; on older ones, power is sampled.

use nvml_wrapper::Nvml;

use super::{EnergySource, Gauge, GaugeStep, Reading};

/// The counter's unit is the millijoule. Its update interval is not documented; its sensors update every 20
/// to 100 ms (Yang, Adamek, Armour: Part-time Power Measurements, 2024), so this is the longest interval.
const STEP: GaugeStep = GaugeStep { joules: 1e-3, seconds: 0.1 };

/// All NVIDIA devices of the machine together: several may share a batch, and the power of idle ones is
/// subtracted.
struct Devices {
    nvml: Nvml,
    count: u32,
    /// Whether all devices have an energy counter.
    counts: bool,
}

/// Opens the devices.
///
/// # Errors If there is no driver, no device, or no device that reports energy or power. The text says which.
pub fn open() -> Result<Box<dyn Gauge>, String> {
    let none = |error: nvml_wrapper::error::NvmlError| format!("no NVML: {error}");
    // A machine without the files for developers has the library only under its versioned name.
    let versioned = || Nvml::builder().lib_path("libnvidia-ml.so.1".as_ref()).init();
    let nvml = Nvml::init().or_else(|error| versioned().map_err(|_| error)).map_err(none)?;
    let count = nvml.device_count().map_err(none)?;
    if count == 0 {
        return Err("no NVML: there is no NVIDIA device".into());
    }
    let mut devices = Devices { nvml, count, counts: true };
    devices.counts = devices.total().is_ok();
    devices.read().map_err(|error| format!("no NVML: {error}"))?;
    Ok(Box::new(devices))
}

impl Devices {
    /// Returns the joules of all devices.
    fn total(&self) -> Result<f64, String> {
        self.sum(|device| device.total_energy_consumption().map(|millijoules| millijoules as f64 / 1e3))
    }

    fn sum(
        &self,
        of: impl Fn(&nvml_wrapper::Device) -> Result<f64, nvml_wrapper::error::NvmlError>,
    ) -> Result<f64, String> {
        let each = (0..self.count).map(|index| self.nvml.device_by_index(index).and_then(|device| of(&device)));
        each.sum::<Result<f64, _>>().map_err(|error| error.to_string())
    }
}

impl Gauge for Devices {
    fn source(&self) -> EnergySource {
        EnergySource::Nvml
    }

    fn read(&mut self) -> Result<Reading, String> {
        if self.counts {
            let step = GaugeStep { joules: STEP.joules * f64::from(self.count), seconds: STEP.seconds };
            return Ok(Reading::Total { joules: self.total()?, step });
        }
        let watts = self.sum(|device| device.power_usage().map(|milliwatts| f64::from(milliwatts) / 1e3))?;
        Ok(Reading::Power { watts })
    }
}

//! The speeds of a device and of the processor at the same work, measured once for each adapter and driver.
//!
//! An engine takes `fixed + k * each` for `k` mutants. A device also has to compile the base, which the
//! processor has compiled already. From these times follows the batch size at which the device becomes
//! faster.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Engine, EngineError};
use crate::lang::index::Indices;
use crate::lang::samples;

/// The name of the cache file.
pub const FILE: &str = "measured";
/// The sample program that is compiled and tested.
const SAMPLE: &str = "gcd.myr";
/// The sizes of the two timed batches, in mutants.
const BATCHES: [u32; 2] = [64, 2_048];
/// The time after which the measurement of an engine ends.
const LONG: Duration = Duration::from_secs(3);
/// How often the base is compiled; the shortest time counts.
const REPETITIONS: u32 = 3;
/// The largest batch that is considered.
const LARGEST: f64 = 4_000_000.0;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// The time of one program with its tests.
    pub base: f64,
    /// The time per batch of mutants, independent of its size.
    pub fixed: f64,
    /// The time per mutant.
    pub each: f64,
}

impl Speed {
    /// Returns the time for a base and `k` of its mutants.
    pub fn keystroke(&self, k: u32) -> f64 {
        self.base + self.batch(k)
    }

    fn batch(&self, k: u32) -> f64 {
        self.fixed + self.each * f64::from(k)
    }
}

/// The speeds of the processor and of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The description of the CPU engine. The figures are invalid for another processor.
    pub processor: String,
    pub cpu: Speed,
    pub device: Speed,
}

impl Measured {
    /// Returns the smallest batch, in programs, that the device finishes before the processor; `None` if it
    /// finishes no batch up to `LARGEST` before.
    pub fn min_device_batch(&self) -> Option<u32> {
        let head = self.device.base + self.device.fixed - self.cpu.fixed;
        let gain = self.cpu.each - self.device.each;
        let from = (head / gain).ceil().max(1.0);
        (gain > 0.0 && from <= LARGEST).then_some(from as u32)
    }

    /// Whether the device compiles a program and judges `k` of its mutants sooner than the processor.
    pub fn is_device_sooner(&self, k: u32) -> bool {
        self.device.keystroke(k) < self.cpu.keystroke(k)
    }

    /// Describes the figures in one sentence.
    pub fn words(&self) -> String {
        let Measured { cpu, device, .. } = self;
        format!(
            "measured: a program takes {} and a mutant {}, on the CPU {} and {}",
            time(device.base),
            time(device.each),
            time(cpu.base),
            time(cpu.each)
        )
    }

    /// Measures both engines, which lose their last base.
    ///
    /// # Errors
    /// If one of them fails.
    pub fn of(cpu: &mut dyn Engine, device: &mut dyn Engine) -> Result<Measured, EngineError> {
        let processor = cpu.describe();
        Ok(Measured { processor, cpu: speed(cpu)?, device: speed(device)? })
    }

    /// Whether a stored value can be used: it is from this processor, and all figures are valid times.
    pub fn is_sound(&self, processor: &str) -> bool {
        let speeds = [self.cpu, self.device];
        let times = speeds.iter().flat_map(|speed| [speed.base, speed.fixed, speed.each]);
        self.processor == processor && times.into_iter().all(|time| time.is_finite() && time >= 0.0)
    }
}

/// Formats microseconds with about three digits.
pub fn time(microseconds: f64) -> String {
    match microseconds {
        us if us < 100.0 => format!("{us:.1} µs"),
        us if us < 1_000.0 => format!("{us:.0} µs"),
        us if us < 1e6 => format!("{:.1} ms", us / 1e3),
        us => format!("{:.1} s", us / 1e6),
    }
}

fn speed(engine: &mut dyn Engine) -> Result<Speed, EngineError> {
    let text: Arc<str> = samples::named(SAMPLE).map_or("test 1 == 1;", |sample| sample.text).into();
    let started = Instant::now();
    let mut base = Duration::MAX;
    for _ in 0..REPETITIONS {
        let from = Instant::now();
        engine.base(&text, &|| false)?;
        base = base.min(from.elapsed());
        if started.elapsed() > LONG {
            break;
        }
    }
    let mut taken = Vec::new();
    for count in BATCHES {
        let count = count.min(engine.variants().all);
        let from = Instant::now();
        let late = || started.elapsed() > LONG;
        let mut judged = 0u32;
        let ended =
            engine.mutants(Indices::first(count), &late, &mut |part| judged += part.verdicts.len() as u32);
        match ended {
            Err(EngineError::Cancelled) => {}
            ended => ended?,
        }
        taken.push((f64::from(judged.max(1)), from.elapsed().as_secs_f64() * 1e6));
        if late() {
            break;
        }
        // Compile the base again, so that the next batch starts with the first mutant.
        engine.base(&text, &|| false)?;
    }
    let (each, fixed) = line(&taken);
    Ok(Speed { base: base.as_secs_f64() * 1e6, fixed, each })
}

/// Returns slope and intercept of the line through two points, neither below 0. With one point, the line goes
/// through the origin.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    match points {
        [(k, time), (more, longer)] if more > k => {
            let each = ((longer - time) / (more - k)).max(0.0);
            (each, (time - each * k).max(0.0))
        }
        [.., (k, time)] => (time / k, 0.0),
        [] => (f64::from(u32::MAX), 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(cpu: [f64; 3], device: [f64; 3]) -> Measured {
        let speed = |[base, fixed, each]: [f64; 3]| Speed { base, fixed, each };
        Measured { processor: "p".into(), cpu: speed(cpu), device: speed(device) }
    }

    #[test]
    fn device_takes_batches_above_the_break_even_size() {
        let fast = measured([100.0, 0.0, 10.0], [1_300.0, 700.0, 2.0]);
        assert_eq!(fast.min_device_batch(), Some(250));
        assert_eq!((fast.is_device_sooner(100), fast.is_device_sooner(1_000)), (false, true));
        assert_eq!(measured([100.0, 0.0, 1.0], [1_300.0, 0.0, 2.0]).min_device_batch(), None);
        assert_eq!(measured([1.0, 0.0, 2.0], [1.0, 0.0, 2.0]).min_device_batch(), None, "as fast");
        assert_eq!(measured([1.0, 9.0, 2.0], [1.0, 0.0, 1.0]).min_device_batch(), Some(1), "always");
    }

    #[test]
    fn measurements_invalid_or_of_another_processor_are_rejected() {
        let good = measured([1.0; 3], [1.0; 3]);
        assert!(good.is_sound("p") && !good.is_sound("q"));
        for broken in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(!measured([1.0; 3], [1.0, broken, 1.0]).is_sound("p"));
        }
    }

    #[test]
    fn line_fit_passes_through_its_points() {
        assert_eq!(line(&[(64.0, 164.0), (164.0, 264.0)]), (1.0, 100.0));
        assert_eq!(line(&[(64.0, 128.0)]), (2.0, 0.0));
        assert_eq!(line(&[(64.0, 128.0), (164.0, 100.0)]), (0.0, 128.0), "noise");
    }

    #[test]
    fn measuring_two_engines_yields_positive_times() {
        use crate::engine::cpu::CpuEngine;
        let found = Measured::of(&mut CpuEngine::with_threads(1), &mut CpuEngine::with_threads(1));
        let found = found.expect("the CPU engine does not fail");
        assert!(found.is_sound(&CpuEngine::with_threads(1).describe()), "{found:?}");
        assert!(found.cpu.each > 0.0 && found.cpu.base > 0.0, "{found:?}");
        assert!(found.words().starts_with("measured: a program takes "), "{}", found.words());
    }
}

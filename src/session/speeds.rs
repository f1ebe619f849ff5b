//! The engine that serves with `auto`: the one that takes less time for the program, as for the command line.
//!
//! The times of the serving engine are those of the user's texts. The other engine has its trials while the user is idle,
//! when it judges the same mutants to compare the engines. So no key waits for a trial.

use crate::engine::Kind;
use crate::engine::automatic::{Functions, Programs};
use crate::host::measure::numbers::rounded;

#[derive(Default)]
pub struct Speeds {
    programs: Programs,
    /// The functions of the newest text.
    functions: Functions,
    /// The engine of this text, if both were measured before.
    chosen: Option<Kind>,
}

impl Speeds {
    /// Chooses the engine for a new text; `current` served the last one.
    pub fn choose(&mut self, text: &str, current: Kind) {
        self.functions = Functions::of(text);
        self.chosen = self.programs.of(&self.functions).and_then(|times| times.sooner(current));
    }

    pub fn chosen(&self) -> Option<Kind> {
        self.chosen
    }

    /// Records the seconds in which an engine compiled the newest text.
    pub fn base(&mut self, by: Kind, seconds: f64) {
        self.programs.latest(&self.functions).base(by, seconds);
    }

    /// Records the seconds in which an engine judged `k` mutants of it, without those whose verdicts were known.
    pub fn batch(&mut self, by: Kind, k: u32, seconds: f64) {
        if k > 0 {
            self.programs.latest(&self.functions).batch(by, k, seconds);
        }
    }

    /// Returns the rates of both engines, if both were measured, and whether the one that does not serve takes over.
    pub fn words(&self, serving: Kind) -> Option<String> {
        let times = self.programs.of(&self.functions)?;
        let (k, seconds) = times.both()?;
        let [cpu, device] = seconds.map(|seconds| rounded(f64::from(k) / seconds.max(1e-9)));
        let next = match times.sooner(serving) {
            Some(next) if next != serving => ", which takes over at the next key",
            _ => "",
        };
        let [first, second] = match serving {
            Kind::Cpu => [format!("CPU {cpu}/s"), format!("GPU {device}/s")],
            Kind::Gpu => [format!("GPU {device}/s"), format!("CPU {cpu}/s")],
        };
        Some(format!("auto: {first}, {second}{next}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_has_its_own_engine() {
        let mut speeds = Speeds::default();
        let choose = |speeds: &mut Speeds, text, current| {
            speeds.choose(text, current);
            speeds.chosen()
        };
        assert_eq!(choose(&mut speeds, "fn short()", Kind::Cpu), None);
        speeds.batch(Kind::Cpu, 1_000, 2e-3);
        speeds.batch(Kind::Gpu, 1_000, 1e-3);
        assert_eq!(choose(&mut speeds, "fn long()", Kind::Cpu), None);
        speeds.batch(Kind::Cpu, 1_000, 30e-3);
        speeds.batch(Kind::Gpu, 0, 1e-6);
        assert_eq!(speeds.words(Kind::Cpu), None, "known verdicts do not count");
        speeds.batch(Kind::Gpu, 1_000, 0.6);
        assert_eq!(choose(&mut speeds, "fn short()", Kind::Cpu), Some(Kind::Gpu));
        assert_eq!(speeds.words(Kind::Gpu).as_deref(), Some("auto: GPU 1.0 M/s, CPU 500 k/s"));
        assert_eq!(choose(&mut speeds, "fn long() fn new()", Kind::Gpu), Some(Kind::Cpu));
        assert_eq!(speeds.words(Kind::Cpu).as_deref(), Some("auto: CPU 33 k/s, GPU 1.7 k/s"));
    }
}

//! The engines of a session, and which one serves. The CPU engine always exists; the GPU engine can appear, be
//! lost and be rebuilt.

use std::time::Instant;

use super::speeds::Speeds;
use crate::engine::choose::Preference;
use crate::engine::{Engine, EngineError, Kind};

/// A lost device is rebuilt at most this often; then the session stays with the CPU engine.
const REBUILDS: u32 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineInfo {
    pub description: String,
    /// The device whose power it draws.
    pub power_source: Kind,
}

impl EngineInfo {
    pub fn of(engine: &dyn Engine) -> EngineInfo {
        EngineInfo { description: engine.describe(), power_source: engine.power_source() }
    }
}

/// State of the GPU engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// No search for devices has been made.
    #[default]
    Unknown,
    /// A device exists, without an engine so far.
    Found(Found),
    Ready(Found, EngineInfo),
    /// No device exists, or it does not work; the text is the reason.
    Failed(String),
}

pub struct EngineRegistry {
    pub cpu: EngineInfo,
    pub device: Device,
    /// Progress message while the GPU engine is being prepared; else empty.
    pub preparing: String,
    /// When this work began. It goes on while the device has no engine.
    prepares_since: Option<Instant>,
    /// Why the CPU engine serves, if the user did not request it.
    cpu_reason: String,
    /// Whether the GPU engine broke and has not been rebuilt yet. The CPU engine serves meanwhile.
    lost: bool,
    rebuilds: u32,
    /// Whether a GPU engine can be built at all.
    possible: bool,
    speeds: Speeds,
}

impl EngineRegistry {
    pub fn new(cpu: EngineInfo, possible: bool) -> EngineRegistry {
        let (device, reason) = match possible {
            true => (Device::Unknown, "the GPU engine is not ready"),
            false => (Device::Failed("switched off".into()), "no GPU engine"),
        };
        let (cpu_reason, preparing) = (reason.into(), String::new());
        EngineRegistry {
            cpu,
            device,
            preparing,
            prepares_since: None,
            cpu_reason,
            lost: false,
            rebuilds: 0,
            possible,
            speeds: Speeds::default(),
        }
    }

    /// Stores the progress of preparing the GPU engine, with the time that it has taken so far.
    pub fn progress(&mut self, text: &str, now: Instant) {
        if text.is_empty() {
            self.preparing.clear();
            self.prepares_since.take_if(|_| matches!(self.device, Device::Ready(..)));
            return;
        }
        let since = self.prepares_since.get_or_insert(now);
        let seconds = now.saturating_duration_since(*since).as_secs();
        self.preparing = if seconds > 0 { format!("{text}, {seconds} s so far") } else { text.to_string() };
    }

    /// Returns the engine that serves if the user requested `choice`. Returns `None` while a GPU engine
    /// requested by name is being prepared, since it is the only one used then. With `All`, the CPU engine
    /// serves meanwhile.
    pub fn serving(&self, choice: Preference) -> Option<Kind> {
        match (choice, &self.device) {
            (Preference::Gpu | Preference::All, Device::Ready(..)) => Some(Kind::Gpu),
            (Preference::Gpu, Device::Unknown | Device::Found(_)) if !self.lost => None,
            (Preference::Auto, Device::Ready(found, _)) if self.prefers(found) => Some(Kind::Gpu),
            _ => Some(Kind::Cpu),
        }
    }

    /// Returns whether `auto` prefers the device: by the times of the newest text's program, else by those of a sample.
    fn prefers(&self, found: &Found) -> bool {
        self.speeds.chosen().map_or(found.preferred, |chosen| chosen == Kind::Gpu)
    }

    /// Returns whether the GPU engine is ready and no software adapter. Only then are engines chosen by their times.
    pub fn is_hardware(&self) -> bool {
        matches!(&self.device, Device::Ready(_, seat) if seat.power_source == Kind::Gpu)
    }

    /// Chooses the engine of `auto` for a new text.
    pub fn choose(&mut self, text: &str) {
        let current = self.serving(Preference::Auto).unwrap_or(Kind::Cpu);
        self.speeds.choose(text, current);
    }

    /// Returns the times of the newest text's program, if those of an engine count.
    pub fn speeds(&mut self, by: Kind) -> Option<&mut Speeds> {
        (by == Kind::Cpu || self.is_hardware()).then_some(&mut self.speeds)
    }

    /// Returns whether the GPU engine must be built in order to serve.
    pub fn needed(&self, choice: Preference) -> bool {
        match (choice, &self.device) {
            (Preference::Gpu | Preference::All, Device::Found(_)) => true,
            (Preference::Auto, Device::Found(found)) => self.prefers(found),
            _ => false,
        }
    }

    /// Returns the serving engine, its description, and the reason why it serves.
    pub fn served_by(&self, choice: Preference) -> (Kind, EngineInfo, String) {
        let (kind, seat, reason) = self.served(choice);
        // The user waits for the GPU engine, or will when it is ready.
        let waits = self.needed(choice) && !self.preparing.is_empty();
        (kind, seat, if waits { format!("{reason}: {}", self.preparing) } else { reason })
    }

    fn served(&self, choice: Preference) -> (Kind, EngineInfo, String) {
        let cpu = |reason: &str| (Kind::Cpu, self.cpu.clone(), reason.to_string());
        let serving = self.serving(choice);
        let measured = serving.filter(|_| choice == Preference::Auto && self.is_hardware());
        let measured = measured.and_then(|kind| self.speeds.words(kind));
        match (serving, choice, &self.device) {
            (Some(Kind::Gpu), asked, Device::Ready(found, seat)) => {
                let reason = if asked.is_named() { "asked for" } else { &found.reason };
                (Kind::Gpu, seat.clone(), measured.unwrap_or_else(|| reason.into()))
            }
            (None, _, device) => {
                let name = match device {
                    Device::Found(found) => found.name.clone(),
                    _ => "GPU engine".into(),
                };
                let seat = EngineInfo { description: name, power_source: self.cpu.power_source };
                (Kind::Gpu, seat, "asked for; it is being prepared".into())
            }
            (_, Preference::Cpu, _) => cpu("asked for"),
            (_, Preference::All, Device::Failed(_)) => cpu(&format!("`all` is asked for; {}", self.cpu_reason)),
            (_, Preference::All, _) => cpu("`all` is asked for; the GPU engine is being prepared"),
            _ => cpu(measured.as_ref().unwrap_or(&self.cpu_reason)),
        }
    }

    /// Changes the requested engine. Returns a notice for the user if that engine is not available.
    pub fn want(&mut self, choice: Preference) -> Option<String> {
        if !matches!(choice, Preference::Gpu | Preference::All) {
            return None;
        }
        let Device::Failed(why) = &self.device else { return None };
        if !self.possible {
            return Some(format!("there is no GPU engine: {why}"));
        }
        let notice = format!("trying the GPU engine again (it failed: {why})");
        self.device = Device::Unknown;
        self.lost = false;
        Some(notice)
    }

    /// Stores the result of looking for devices. Returns a notice for the user if no device exists.
    pub fn found(&mut self, found: Result<Found, EngineError>, choice: Preference) -> Option<String> {
        match found {
            Ok(found) => {
                self.cpu_reason =
                    if found.preferred { "the GPU engine is not ready".into() } else { found.reason.clone() };
                self.device = Device::Found(found);
                None
            }
            Err(error) => self.fail(&error, choice),
        }
    }

    /// The GPU engine has been built, or the set of engines that do its work has changed.
    pub fn built(&mut self, seat: EngineInfo) {
        if let Device::Found(found) | Device::Ready(found, _) = &self.device {
            self.cpu_reason = if found.preferred { "asked for".into() } else { found.reason.clone() };
            self.device = Device::Ready(found.clone(), seat);
            self.lost = false;
        }
    }

    /// The GPU engine cannot be built. Returns a notice for the user.
    pub fn fail(&mut self, error: &EngineError, choice: Preference) -> Option<String> {
        let expected = error.is_missing();
        self.cpu_reason = if expected { "no GPU found" } else { "the GPU cannot be used" }.into();
        self.device = Device::Failed(error.to_string());
        (choice == Preference::Gpu || !expected).then(|| format!("the CPU engine goes on; {error}"))
    }

    /// Closes a GPU engine that broke, and has it rebuilt unless that has failed too often. Returns a notice
    /// for the user on the first loss, and when no further rebuild is tried.
    pub fn lose(&mut self, error: &EngineError) -> Option<String> {
        self.cpu_reason = "the device was lost".into();
        self.lost = true;
        self.rebuilds += 1;
        match &self.device {
            Device::Ready(found, _) | Device::Found(found) if self.rebuilds <= REBUILDS => {
                self.device = Device::Found(found.clone());
                let first = self.rebuilds == 1;
                first.then(|| format!("the CPU engine goes on, and the device is opened again; {error}"))
            }
            _ => {
                self.device = Device::Failed(error.to_string());
                Some(format!("the CPU engine goes on, as the device fails again and again; {error}"))
            }
        }
    }
}

/// The device that the GPU engine could use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub name: String,
    /// Whether `auto` prefers it to the CPU engine, by the times of a sample.
    pub preferred: bool,
    /// Why it is preferred, or why not.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::DeviceFailure;

    fn roster(preferred: bool) -> EngineRegistry {
        let mut roster =
            EngineRegistry::new(EngineInfo { description: "cpu".into(), power_source: Kind::Cpu }, true);
        roster.found(Ok(Found { name: "gpu".into(), preferred, reason: "found".into() }), Preference::Auto);
        roster
    }

    #[test]
    fn an_engine_asked_for_by_name_is_the_only_one_that_serves() {
        let mut roster = roster(false);
        assert_eq!(roster.serving(Preference::Auto), Some(Kind::Cpu));
        let needed =
            [Preference::Auto, Preference::Cpu, Preference::Gpu, Preference::All].map(|c| roster.needed(c));
        assert_eq!(needed, [false, false, true, true]);
        assert_eq!(
            roster.serving(Preference::All),
            Some(Kind::Cpu),
            "all includes the CPU engine, which is ready"
        );
        assert_eq!(roster.serving(Preference::Gpu), None, "it is being prepared");
        roster.preparing = "preparing gpu: 1 of 2 shaders".into();
        assert!(
            roster.served_by(Preference::Gpu).2.ends_with("is being prepared: preparing gpu: 1 of 2 shaders")
        );
        assert_eq!(roster.served_by(Preference::Auto).2, "found", "nobody waits for it");
        roster.built(EngineInfo { description: "gpu".into(), power_source: Kind::Gpu });
        assert_eq!(roster.serving(Preference::Gpu), Some(Kind::Gpu));
        assert_eq!(roster.serving(Preference::All), Some(Kind::Gpu));
        assert_eq!(roster.serving(Preference::Cpu), Some(Kind::Cpu));
        assert_eq!(
            roster.serving(Preference::Auto),
            Some(Kind::Cpu),
            "a software adapter serves only on request"
        );
    }

    #[test]
    fn cpu_engine_serves_after_a_device_is_lost() {
        let mut roster = roster(true);
        let mut told = 0;
        for _ in 0..=REBUILDS {
            roster.built(EngineInfo { description: "gpu".into(), power_source: Kind::Gpu });
            assert_eq!(roster.serving(Preference::Auto), Some(Kind::Gpu));
            told += u32::from(roster.lose(&DeviceFailure::Lost.because("unplugged")).is_some());
            assert_eq!(
                (roster.serving(Preference::Auto), roster.serving(Preference::Gpu)),
                (Some(Kind::Cpu), Some(Kind::Cpu))
            );
        }
        assert!(matches!(roster.device, Device::Failed(_)), "it fails again and again");
        assert_eq!(told, 2, "when it failed first, and when it was given up");
        assert!(roster.want(Preference::Gpu).is_some_and(|notice| notice.contains("again")));
        assert_eq!(roster.device, Device::Unknown);
    }
}

//! The engines of a session: the CPU engine, which is always there, and the GPU engine, which comes, goes and comes again.

use std::sync::mpsc::Sender;

use super::{BuildGpu, Built, Message};
use crate::engine::{Engine, EngineError, Kind};

/// A device that was lost is rebuilt this often before the session stays with the CPU engine.
const REBUILDS: u32 = 3;

pub struct Engines {
    cpu: Box<dyn Engine>,
    /// Why the CPU engine serves, if nobody asked for it.
    cpu_reason: String,
    pub gpu: Option<Built>,
    /// Why there is no GPU engine, once that is known.
    gpu_failed: Option<String>,
    build: Option<BuildGpu>,
    rebuilds: u32,
    /// The engine that the user asked for.
    wanted: Option<Kind>,
}

impl Engines {
    pub fn new(cpu: Box<dyn Engine>, build: Option<BuildGpu>, wanted: Option<Kind>) -> Engines {
        let (cpu_reason, gpu_failed) = match build {
            Some(_) => ("the GPU engine is not ready", None),
            None => ("no GPU engine", Some("switched off".into())),
        };
        Engines { cpu, cpu_reason: cpu_reason.into(), gpu: None, gpu_failed, build, rebuilds: 0, wanted }
    }

    /// Which one serves.
    pub fn kind(&self) -> Kind {
        match (self.wanted, &self.gpu) {
            (Some(Kind::Gpu), Some(_)) => Kind::Gpu,
            (None, Some(gpu)) if gpu.preferred => Kind::Gpu,
            _ => Kind::Cpu,
        }
    }

    /// The one that serves.
    pub fn serving(&self) -> &dyn Engine {
        match (self.kind(), &self.gpu) {
            (Kind::Gpu, Some(gpu)) => gpu.engine.as_ref(),
            _ => self.cpu.as_ref(),
        }
    }

    /// Why it serves.
    pub fn reason(&self) -> String {
        let kind = self.kind();
        match (kind, self.wanted, &self.gpu) {
            (_, Some(wanted), _) if wanted == kind => "asked for".into(),
            (Kind::Gpu, _, Some(gpu)) => gpu.reason.clone(),
            _ => self.cpu_reason.clone(),
        }
    }

    /// One of them, to work; the GPU engine is not always there.
    pub fn get(&mut self, kind: Kind) -> Option<&mut (dyn Engine + 'static)> {
        match kind {
            Kind::Cpu => Some(self.cpu.as_mut()),
            Kind::Gpu => self.gpu.as_mut().map(|gpu| gpu.engine.as_mut()),
        }
    }

    /// Has the GPU engine built, which `queue` then gets.
    pub fn start(&mut self, queue: &Sender<Message>) {
        let Some(build) = self.build.clone() else { return };
        let queue = queue.clone();
        let started = std::thread::Builder::new().name("gpu-build".into()).spawn(move || {
            // Nobody listens any more only where the session has ended.
            let _ = queue.send(Message::Gpu(build()));
        });
        if let Err(error) = started {
            self.gpu_failed = Some(error.to_string());
        }
    }

    /// Has one serve from now on, or whichever suits. Gives what the user must know where it is not there.
    pub fn want(&mut self, kind: Option<Kind>, queue: &Sender<Message>) -> Option<String> {
        self.wanted = kind;
        if kind != Some(Kind::Gpu) || self.gpu.is_some() {
            return None;
        }
        Some(match self.gpu_failed.take() {
            None => "the GPU engine is being prepared; the CPU engine serves meanwhile".into(),
            Some(why) if self.build.is_none() => {
                self.gpu_failed = Some(why.clone());
                format!("there is no GPU engine: {why}")
            }
            Some(why) => {
                self.start(queue);
                format!("trying the GPU engine again (it failed: {why})")
            }
        })
    }

    /// Takes the GPU engine that was built. Gives what the user must know where there is none.
    pub fn receive(&mut self, built: Result<Built, EngineError>) -> Option<String> {
        let error = match built {
            Ok(built) => {
                self.cpu_reason = if built.preferred { "asked for".into() } else { built.reason.clone() };
                self.gpu = Some(built);
                self.gpu_failed = None;
                return None;
            }
            Err(error) => error,
        };
        let expected = matches!(error, EngineError::NoAdapter(_));
        self.cpu_reason = if expected { "no GPU found" } else { "the GPU engine failed" }.into();
        self.gpu_failed = Some(error.to_string());
        (self.wanted == Some(Kind::Gpu) || !expected).then(|| error.to_string())
    }

    /// Gives up a GPU engine that broke, and has it built anew unless that has been tried too often. Gives what the user must know.
    pub fn lose(&mut self, error: &EngineError, queue: &Sender<Message>) -> String {
        self.gpu = None;
        self.cpu_reason = "the device was lost".into();
        self.rebuilds += 1;
        if self.rebuilds <= REBUILDS {
            self.start(queue);
            format!("{error}; the CPU engine goes on, the device is being rebuilt")
        } else {
            self.gpu_failed = Some(error.to_string());
            format!("{error}; it fails again and again, the CPU engine goes on")
        }
    }
}

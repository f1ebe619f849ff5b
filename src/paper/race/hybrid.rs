//! Hybrid compilation: a router sends each changed function of a variant to the neural path or to the traditional
//! compiler (algorithm 3), and the tests run on the result.
//!
//! Results are proved, so every variant has an answer. Each repetition has a new router, which tunes itself to the
//! measured costs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::neural::{append, failed};
use super::{Fate, Field, Flag, NoScore, Ready, Resource, Track};
use crate::compiler::stage::execute::Machine;
use crate::engine::cpu::CpuEngine;
use crate::engine::{Abilities, Engine, EngineError};
use crate::lang::index::MutantId;
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::objective::Pricing;
use crate::learned::hybrid::{HybridCode, Path, Router, Settings, compile};
use crate::network::sampling::Sampling;
use crate::network::weights;
use crate::network::weights::Weights;

struct RaceHybrid {
    engine: CpuEngine,
    machine: Machine,
    weights: Arc<Weights>,
    settings: Settings,
}

/// A router, with the number of functions it sent to the network and the number of all functions.
struct RaceHybridRouting {
    router: Router,
    neural: u32,
    all: u32,
}

pub fn prepare(seed: u32) -> Result<Box<dyn Ready>, NoScore> {
    let weights = weights::open(None).map_err(|why| NoScore::LeftOut(why.to_string()))?;
    let mut engine = CpuEngine::new();
    engine.sampler().and_then(|sampler| sampler.weights(&weights)).map_err(failed)?;
    let usual = Settings::default();
    let settings = Settings { sampling: Sampling { seed, ..usual.sampling }, ..usual };
    Ok(Box::new(RaceHybrid { engine, machine: Machine::default(), weights, settings }))
}

impl Ready for RaceHybrid {
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, NoScore> {
        let mut router = Router::new(self.settings, Model::shipped().coefficients());
        // Variants run at their own level: the network or that level are the choice.
        router.pricing = Pricing::of(&field.program, &[], false, &|| false);
        let mut routing = RaceHybridRouting { router, neural: 0, all: 0 };
        let flag = track.start(Resource::AllCores);
        one_by_one(field, flag, track, |id, track| self.judge(field, id, &mut routing, flag, track))?;
        let RaceHybridRouting { neural, all, .. } = routing;
        Ok(format!(
            "algorithm 3 on the CPU engine, only proved results count; {neural} of {all} changed functions were sent to the network first"
        ))
    }
}

/// Judges the variants in sequence until the flag is up or the work is cancelled.
fn one_by_one(
    field: &Field,
    flag: Flag,
    track: &mut Track,
    mut judge: impl FnMut(MutantId, &mut Track) -> Result<Option<Fate>, EngineError>,
) -> Result<(), NoScore> {
    for id in field.ids().iter().take_while(|_| !flag.is_up()) {
        match judge(id, track) {
            Ok(Some(fate)) => track.report(id, fate),
            Ok(None) | Err(EngineError::Cancelled) => break,
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

impl RaceHybrid {
    fn judge(
        &mut self,
        field: &Field,
        id: MutantId,
        routing: &mut RaceHybridRouting,
        flag: Flag,
        track: &mut Track,
    ) -> Result<Option<Fate>, EngineError> {
        let Some(text) = field.text(id) else { return Ok(Some(Fate::Invalid)) };
        let (compiled, _) = track.timed("compile", || self.engine.compile(&text.into(), &|| flag.is_up()))?;
        if !compiled.facts.compiles() {
            return Ok(Some(Fate::Invalid));
        }
        let mut program = compiled.executable.clone();
        for function in field.changed(id) {
            let from = Instant::now();
            let outcome = compile(
                &mut self.engine,
                &compiled,
                function,
                Some(&self.weights),
                &mut routing.router,
                &|| flag.is_up(),
                &mut |_| {},
            )?;
            let times = outcome.times;
            track.spent("route", times.routing);
            track.spent("neural path", times.neural.unwrap_or(Duration::ZERO));
            track.spent(
                "traditional, again",
                from.elapsed().saturating_sub(times.routing + times.neural.unwrap_or_default()),
            );
            routing.all += 1;
            routing.neural += u32::from(outcome.decision.path == Path::Neural);
            // The program already contains the traditional compiler's code.
            let HybridCode::Neural(_) = &outcome.code else { continue };
            let found = outcome.compilation.as_ref().and_then(|one| Some((&one.source, one.found.best()?)));
            let Some((source, best)) = found else { return Ok(Some(Fate::NoAnswer)) };
            if !append(&mut program, function, source, &best.candidate.words) {
                return Ok(Some(Fate::NoAnswer));
            }
        }
        Ok(track.timed("run", || field.judge(&mut self.machine, &program, &|| flag.is_up())))
    }
}

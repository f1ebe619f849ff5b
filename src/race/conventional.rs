//! The conventional loop of the paper (§2.2, equation 16): one variant after the other, on one thread. Each is a text, is copied to where it is
//! compiled, compiled whole, run, and its result copied back.
//!
//! Nothing is kept from one variant to the next but memory: no tokens are shared, no variant is known to be another's copy.

use std::hint::black_box;

use super::{Absent, Fate, Field, Track};
use crate::engine::cpu::Compiler;
use crate::engine::gpu::GpuEngine;
use crate::engine::gpu::device::{self, Wanted};
use crate::engine::{Engine, Kind};
use crate::stage::execute::{Machine, Program};

/// The device that the loop's texts come from and go back to, if this machine has one.
fn device() -> Option<GpuEngine> {
    let hardware = device::adapters().iter().any(|adapter| !adapter.software);
    if hardware { GpuEngine::new(&Wanted::Any).ok() } else { None }
}

/// A verdict as it is copied back: the variant and its fate.
type Record = [u32; 2];

pub fn run(field: &Field, track: &mut Track) -> Result<String, Absent> {
    let (mut compiler, mut machine) = (Compiler::default(), Machine::default());
    let mut gpu = device();
    // The other side of the bus, where it is this machine's own memory.
    let (mut there, mut back): (Vec<u8>, Vec<Record>) = (vec![], vec![]);
    let flag = track.start(Kind::Cpu);
    for id in 0..field.k {
        if flag.is_up() {
            break;
        }
        let Some(text) = track.timed("make the text", || field.text(id)) else {
            track.report(id, Fate::Invalid);
            continue;
        };
        track
            .timed("copy", || {
                there.clear();
                there.extend_from_slice(text.as_bytes());
                black_box(&there);
                gpu.as_mut().map_or(Ok(None), |gpu| gpu.transfer(text.len()))
            })
            .map_err(|error| Absent::Failed(error.to_string()))?;
        let compiles = track.timed("compile", || {
            compiler.text(std::str::from_utf8(&there).unwrap_or(""));
            compiler.compiles()
        });
        let fate = if compiles {
            let program = Program { code: &compiler.code, routines: &compiler.lowered.routines };
            track.timed("run", || field.judge(&mut machine, program, &|| !flag.is_up()))
        } else {
            Some(Fate::Invalid)
        };
        let Some(fate) = fate else { break };
        track.timed("copy", || {
            back.clear();
            back.push([id, fate as u32]);
            black_box(&back);
        });
        track.report(id, fate);
    }
    let copies = match gpu {
        Some(gpu) => format!("copies to {} and back", gpu.describe()),
        None => "copies in this machine's memory".into(),
    };
    Ok(format!("one thread, each variant whole from its text; {copies}"))
}

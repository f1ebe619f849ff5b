//! The shaders of the neural path.

use crate::engine::gpu::pipelines::Binding::{Read, Uniform, Write};
use crate::engine::gpu::pipelines::Shader;

macro_rules! text {
    ($($file:literal),*) => { concat!($(include_str!(concat!("../../../../shaders/neural/", $file))),*) };
}

pub const PROJECT: Shader = Shader {
    name: "neural project",
    source: text!("live.wgsl", "project.wgsl"),
    scans: false,
    neural: true,
    entries: &["project"],
    bindings: &[Uniform, Read, Read, Read, Write],
};
pub const TURN: Shader = Shader {
    name: "neural turn",
    source: text!("live.wgsl", "turn.wgsl"),
    scans: false,
    neural: true,
    entries: &["turn"],
    bindings: &[Uniform, Read, Read, Write, Write, Write],
};
pub const ATTEND: Shader = Shader {
    name: "neural attend",
    source: text!("live.wgsl", "reduce.wgsl", "attend.wgsl"),
    scans: false,
    neural: true,
    entries: &["attend"],
    bindings: &[Uniform, Read, Read, Read, Read, Write],
};
pub const EMBED: Shader = Shader {
    name: "neural embed",
    source: text!("live.wgsl", "embed.wgsl"),
    scans: false,
    neural: true,
    entries: &["embed_source", "embed_target"],
    bindings: &[Uniform, Read, Read, Read, Read, Write],
};
pub const SCHEDULE: Shader = Shader {
    name: "neural plan",
    source: text!("plan.wgsl"),
    scans: true,
    neural: true,
    entries: &["begin_source", "begin_target", "compact"],
    bindings: &[Uniform, Write, Write, Read],
};
pub const EXPLAIN: Shader = Shader {
    name: "neural lexicon",
    source: text!("lexicon.wgsl"),
    scans: false,
    neural: true,
    entries: &["explain"],
    bindings: &[Uniform, Read, Write],
};
pub const DRAW: Shader = Shader {
    name: "neural draw",
    source: text!("../shared/hash.wgsl", "live.wgsl", "reduce.wgsl", "walk.wgsl", "draw.wgsl"),
    scans: true,
    neural: true,
    entries: &["begin_walks", "draw", "permit"],
    bindings: &[Uniform, Read, Read, Read, Write, Write, Write],
};
pub const ASSEMBLE: Shader = Shader {
    name: "neural assemble",
    source: text!("base.wgsl", "assemble.wgsl"),
    scans: true,
    neural: true,
    entries: &["assemble"],
    bindings: &[Uniform, Read, Read, Read, Read, Read, Write, Write],
};
pub const REPORT: Shader = Shader {
    name: "neural report",
    source: text!("report.wgsl"),
    scans: true,
    neural: true,
    entries: &["report"],
    bindings: &[Uniform, Read, Read, Read, Read, Write],
};

pub const SPLICE: Shader = Shader {
    name: "neural splice",
    source: text!("base.wgsl", "splice.wgsl"),
    scans: false,
    neural: true,
    entries: &["splice"],
    bindings: &[Uniform, Read, Read, Read, Write, Write],
};
pub const INPUTS: Shader = Shader {
    name: "neural inputs",
    source: text!("../shared/hash.wgsl", "inputs.wgsl"),
    scans: false,
    neural: true,
    entries: &["write_inputs"],
    bindings: &[Uniform, Read, Write],
};
/// The machine of execute on random inputs.
pub const COMPARE: Shader = Shader {
    name: "neural compare",
    source: text!(
        "../execute/tables.wgsl",
        "../execute/faultless.wgsl",
        "../shared/arithmetic.wgsl",
        "../execute/machine.wgsl",
        "../execute/slots.wgsl",
        "comparisons.wgsl"
    ),
    scans: true,
    neural: true,
    entries: &["slice", "advance", "settle"],
    bindings: &[Uniform, Read, Read, Read, Write, Write, Write, Write, Write],
};

/// All of them.
pub const ALL: [&Shader; 12] = [
    &PROJECT, &TURN, &ATTEND, &EMBED, &SCHEDULE, &EXPLAIN, &DRAW, &ASSEMBLE, &REPORT, &SPLICE, &INPUTS,
    &COMPARE,
];

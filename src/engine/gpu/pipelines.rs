//! The compute pipelines: which shaders there are, what they are put together from, and in which order they run.

use crate::engine::EngineError;
use crate::layout;
use crate::stage::Stage;
use crate::stage::optimize;

use super::arena::Shape;
use super::device::Gpu;
use super::neural;

/// One stage's shader: its source and its entry points in the order in which they are dispatched, each with one
/// workgroup per program.
pub struct StageShader {
    pub stage: Stage,
    pub source: &'static str,
    pub entries: &'static [&'static str],
}

/// Programs with more room for instructions than this may need several dispatches of an entry point, each within the
/// loop budget of an invocation.
const SMALL_IR: u32 = 640;

/// How often a stage's last entry point is dispatched for a batch with such a program.
fn dispatches(stage: Stage) -> u32 {
    if stage == Stage::Optimize { optimize::ROUNDS as u32 } else { 1 }
}

const ARENA: &str = include_str!("../../../shaders/shared/arena.wgsl");
const SCAN: &str = include_str!("../../../shaders/shared/scan.wgsl");
const COLUMNS: &str = include_str!("../../../shaders/shared/columns.wgsl");
const BLOCKS: &str = include_str!("../../../shaders/shared/blocks.wgsl");

/// The compile stages' shaders, in order.
pub const COMPILE: &[StageShader] = &[
    StageShader {
        stage: Stage::Lex,
        source: include_str!("../../../shaders/lex.wgsl"),
        entries: &["split", "classify"],
    },
    StageShader {
        stage: Stage::Parse,
        source: concat!(
            include_str!("../../../shaders/shared/min_tree.wgsl"),
            include_str!("../../../shaders/parse/tokens.wgsl"),
            include_str!("../../../shaders/parse/structure.wgsl"),
            include_str!("../../../shaders/parse/rules.wgsl"),
            include_str!("../../../shaders/parse/judge.wgsl"),
            include_str!("../../../shaders/parse/rows.wgsl"),
        ),
        entries: &[
            "parse_structure",
            "parse_brackets",
            "parse_judge",
            "parse_errors",
            "parse_links",
            "parse_rows",
        ],
    },
    StageShader {
        stage: Stage::Check,
        source: concat!(
            include_str!("../../../shaders/shared/arithmetic.wgsl"),
            include_str!("../../../shaders/check/columns.wgsl"),
            include_str!("../../../shaders/check/names.wgsl"),
            include_str!("../../../shaders/check/kinds.wgsl"),
            include_str!("../../../shaders/check/operands.wgsl"),
            include_str!("../../../shaders/check/types.wgsl"),
            include_str!("../../../shaders/check/constants.wgsl"),
            include_str!("../../../shaders/check/finish.wgsl"),
            include_str!("../../../shaders/check/flow.wgsl"),
        ),
        entries: &["names", "types", "constants", "finish", "flow"],
    },
    StageShader {
        stage: Stage::Lower,
        source: include_str!("../../../shaders/lower.wgsl"),
        entries: &["lower_count", "lower_write", "lower_blocks"],
    },
    StageShader {
        stage: Stage::Optimize,
        source: concat!(
            include_str!("../../../shaders/shared/arithmetic.wgsl"),
            include_str!("../../../shaders/optimize/common.wgsl"),
            include_str!("../../../shaders/optimize/fold.wgsl"),
            include_str!("../../../shaders/optimize/jumps.wgsl"),
            include_str!("../../../shaders/optimize/blocks.wgsl"),
            include_str!("../../../shaders/optimize/rounds.wgsl"),
        ),
        entries: &["optimize_begin", "optimize_rounds"],
    },
    StageShader { stage: Stage::Emit, source: include_str!("../../../shaders/emit.wgsl"), entries: &["emit"] },
];

/// A shader with bindings of its own.
pub struct Shader {
    pub name: &'static str,
    pub source: &'static str,
    /// Whether the scans stand before it; it declares `lane` for them.
    pub scans: bool,
    /// Whether the neural path's part of the prelude stands before it.
    pub neural: bool,
    pub entries: &'static [&'static str],
    /// Kinds of its bindings, from 0.
    pub bindings: &'static [Binding],
}

/// What a binding is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    Uniform,
    Read,
    Write,
}

use Binding::{Read, Uniform, Write};

pub const MUTATE: Shader = Shader {
    name: "mutate",
    source: include_str!("../../../shaders/mutate.wgsl"),
    scans: true,
    neural: false,
    entries: &["clear", "mark", "count", "vary"],
    bindings: &[Uniform, Read, Read, Read, Read, Write, Write, Write, Write],
};
pub const JUDGE: Shader = Shader {
    name: "judge",
    source: concat!(
        include_str!("../../../shaders/shared/hash.wgsl"),
        include_str!("../../../shaders/judge.wgsl")
    ),
    scans: true,
    neural: false,
    entries: &["measure", "allocate", "keep", "enroll", "resolve"],
    bindings: &[Uniform, Read, Read, Write, Write, Write, Write, Write, Write],
};
pub const EXECUTE: Shader = Shader {
    name: "execute",
    source: concat!(
        include_str!("../../../shaders/shared/hash.wgsl"),
        include_str!("../../../shaders/execute/tables.wgsl"),
        include_str!("../../../shaders/execute/entries.wgsl"),
        include_str!("../../../shaders/execute/survey.wgsl"),
        include_str!("../../../shaders/execute/inputs.wgsl"),
        include_str!("../../../shaders/execute/faultless.wgsl"),
        include_str!("../../../shaders/shared/arithmetic.wgsl"),
        include_str!("../../../shaders/execute/machine.wgsl"),
        include_str!("../../../shaders/execute/slots.wgsl"),
        include_str!("../../../shaders/execute/tests.wgsl"),
        include_str!("../../../shaders/execute/outcomes.wgsl"),
    ),
    scans: false,
    neural: false,
    entries: &["survey", "slice", "tally", "schedule", "verdict"],
    bindings: &[Uniform, Read, Read, Write, Write, Write, Write, Write, Write],
};
/// The same machine with faults.
pub const NOISY: Shader = Shader {
    name: "noise",
    source: concat!(
        include_str!("../../../shaders/shared/hash.wgsl"),
        include_str!("../../../shaders/execute/tables.wgsl"),
        include_str!("../../../shaders/execute/entries.wgsl"),
        include_str!("../../../shaders/execute/inputs.wgsl"),
        include_str!("../../../shaders/execute/faults.wgsl"),
        include_str!("../../../shaders/shared/arithmetic.wgsl"),
        include_str!("../../../shaders/execute/machine.wgsl"),
        include_str!("../../../shaders/execute/slots.wgsl"),
        include_str!("../../../shaders/execute/repetitions.wgsl"),
    ),
    scans: false,
    neural: false,
    entries: &["slice"],
    bindings: EXECUTE.bindings,
};
pub const PLAN: Shader = Shader {
    name: "plan",
    source: include_str!("../../../shaders/plan.wgsl"),
    scans: false,
    neural: false,
    entries: &["plan_small", "plan_large"],
    bindings: &[Write, Write],
};

pub const ROUTER: Shader = Shader {
    name: "router",
    source: include_str!("../../../shaders/router.wgsl"),
    scans: true,
    neural: false,
    entries: &["route"],
    bindings: &[Uniform, Read, Read, Read, Read, Read, Read, Write],
};

impl StageShader {
    /// The whole text that the device compiles.
    pub fn wgsl(&self) -> String {
        [&layout::prelude(), ARENA, SCAN, COLUMNS, BLOCKS, self.source].concat()
    }
}

impl Shader {
    /// The whole text that the device compiles.
    pub fn wgsl(&self) -> String {
        let words = if self.neural { layout::neural::prelude() } else { String::new() };
        [layout::prelude().as_str(), &words, if self.scans { SCAN } else { "" }, self.source].concat()
    }
}

/// Name, text and entry points of every shader there is.
pub fn all() -> Vec<(&'static str, String, &'static [&'static str])> {
    let compile = COMPILE.iter().map(|shader| (shader.stage.name(), shader.wgsl(), shader.entries));
    let others = [&MUTATE, &JUDGE, &EXECUTE, &NOISY, &PLAN, &ROUTER].into_iter().chain(neural::shaders::ALL);
    compile.chain(others.map(|shader| (shader.name, shader.wgsl(), shader.entries))).collect()
}

/// The shader of a compile stage.
pub fn shader(stage: Stage) -> Option<&'static StageShader> {
    COMPILE.iter().find(|shader| shader.stage == stage)
}

/// A compiled stage.
pub struct Pipeline {
    pub stage: Stage,
    pub entries: Vec<wgpu::ComputePipeline>,
}

/// Compiles `source`'s entry points for a bind group layout.
pub fn compile(
    gpu: &Gpu,
    groups: &[&wgpu::BindGroupLayout],
    label: &str,
    source: String,
    entries: &[&str],
) -> Result<Vec<wgpu::ComputePipeline>, EngineError> {
    gpu.scoped(|| {
        let groups: Vec<_> = groups.iter().map(|group| Some(*group)).collect();
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let pipeline = |entry: &&str| {
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Every shader writes its workgroup memory before it reads it.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        };
        entries.iter().map(pipeline).collect()
    })
}

impl Pipeline {
    /// Compiles one stage for the arenas' layout.
    pub fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        shader: &StageShader,
    ) -> Result<Pipeline, EngineError> {
        let entries = compile(gpu, &[layout], shader.stage.name(), shader.wgsl(), shader.entries)?;
        Ok(Pipeline { stage: shader.stage, entries })
    }

    /// Encodes the stage over all programs of a batch.
    pub fn encode(&self, pass: &mut wgpu::ComputePass, shape: &Shape) {
        (0..self.entries.len()).for_each(|entry| self.encode_entry(pass, entry, shape));
    }

    /// Encodes one of the stage's entry points, which must be one.
    pub fn encode_entry(&self, pass: &mut wgpu::ComputePass, index: usize, shape: &Shape) {
        let large = shape.programs.iter().any(|program| program.ir_room > SMALL_IR);
        let last = index + 1 == self.entries.len();
        let times = if last && large { dispatches(self.stage) } else { 1 };
        pass.set_pipeline(&self.entries[index]);
        for _ in 0..times {
            pass.dispatch_workgroups(shape.params.programs, 1, 1);
        }
    }
}

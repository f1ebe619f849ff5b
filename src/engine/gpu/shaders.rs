//! The shaders: the main file and the entry points of each.

use crate::compiler::layout::{LARGE_THREADS, NARROW, SLICE, ShaderVariant, WORKGROUP};
use crate::compiler::stage::Stage;
use crate::lang::mutation::Group;

/// A shader of `shaders/`.
pub struct Shader {
    /// The file name without extension.
    pub file: &'static str,
    /// The entry points. For a compile stage they are in dispatch order, each with one workgroup per program.
    pub entries: &'static [&'static str],
    /// Threads of a workgroup on a software adapter.
    narrow: u32,
    /// Whether every loop ends by a count or by the budget of its slice, whatever the data, so that compilers need not
    /// bound it too.
    pub bounded: bool,
}

impl Shader {
    /// Returns the variant for an adapter. `subgroups` selects scans by subgroups.
    pub fn variant(&self, software: bool, subgroups: bool) -> ShaderVariant {
        match software {
            true => ShaderVariant {
                workgroup: self.narrow,
                slice: SLICE[1],
                large_threads: LARGE_THREADS[1],
                lanes: true,
                subgroups,
                counted: false,
            },
            false => ShaderVariant { subgroups, ..ShaderVariant::default() },
        }
    }
}

const fn shader(file: &'static str, entries: &'static [&'static str]) -> Shader {
    Shader { file, entries, narrow: WORKGROUP, bounded: false }
}

/// A shader with the machine: fuel ends each run, and a budget each slice.
const fn machine(file: &'static str, entries: &'static [&'static str]) -> Shader {
    Shader { bounded: true, ..shader(file, entries) }
}

/// A shader with narrower workgroups on a software adapter. Fewer threads need more rounds in each loop, so
/// the largest programs limit how narrow a stage may be (see [`super::tuning::Tuning::budget`]).
const fn narrow(file: &'static str, entries: &'static [&'static str], threads: u32) -> Shader {
    Shader { narrow: threads, ..shader(file, entries) }
}

/// The entry point of optimize with its rounds.
pub const ROUNDS: &str = "optimize_rounds";

/// The compile stages' shaders, in order. They share the bindings of `shared/arena`.
pub const COMPILE: [(Stage, Shader); 6] = [
    (Stage::Lex, shader("lex", &["split", "classify"])),
    (
        Stage::Parse,
        narrow(
            "parse",
            &["parse_structure", "parse_brackets", "parse_judge", "parse_errors", "parse_links", "parse_rows"],
            NARROW,
        ),
    ),
    (Stage::Check, narrow("check", &["names", "types", "constants", "finish", "flow"], 2 * NARROW)),
    (Stage::Lower, narrow("lower", &["lower_count", "lower_write", "lower_blocks"], NARROW)),
    (Stage::Optimize, shader("optimize", &["optimize_begin", ROUNDS])),
    (Stage::Emit, shader("emit", &["emit"])),
];

/// The expansions, which the optimizer runs at level 2 between its rounds. It shares the bindings of
/// `shared/arena`.
pub const EXPAND: Shader = shader(
    "expand",
    &[
        EXPAND_BEGIN,
        "expand_calls",
        "expand_inline",
        "expand_unroll",
        "expand_hoist",
        "expand_share",
        "expand_rotate",
        "expand_lists",
    ],
);
/// Its entry point that prepares the lowered code.
pub const EXPAND_BEGIN: &str = "expand_begin";

/// The entry points of mutate, and its shader for the operators of each group.
const MUTATE_ENTRIES: &[&str] = &["clear", "mark", "reach", "offers", "count", "find"];
pub const MUTATE: [Shader; Group::ALL.len()] = [
    shader("mutate/of_default", MUTATE_ENTRIES),
    shader("mutate/of_strong", MUTATE_ENTRIES),
    shader("mutate/of_repair", MUTATE_ENTRIES),
];
pub const VARY: Shader = shader("vary", &["vary"]);
pub const SEGMENT: Shader = shader("segment", &["segment"]);
pub const SPLICE: Shader = shader("splice", &["splice"]);
pub const JUDGE: Shader = shader("judge", &["measure", "allocate", "keep", "enroll", "resolve"]);
pub const PLAN: Shader = shader("plan", &["plan_small", "plan_large"]);
pub const ROUTE: Shader = shader("route", &["route"]);
pub const FILL: Shader = shader("fill", &["conclude", "scan"]);

/// The machine, for each kind of jobs.
pub const EXECUTE: Shader =
    machine("execute/tests", &["survey", "slice", "tally", "schedule", "arrange", "verdict", "sum"]);
pub const NOISE: Shader = machine("execute/repetitions", &["slice"]);
pub const STEPS: Shader = machine("execute/steps", &["record_steps"]);
pub const COMPARE: Shader = machine("neural/comparisons", &["slice", "advance", "settle"]);

pub const PROJECT: Shader = shader("neural/project", &["project"]);
pub const TURN: Shader = shader("neural/turn", &["turn"]);
pub const ATTEND: Shader = shader("neural/attend", &["attend"]);
pub const EMBED: Shader = shader("neural/embed", &["embed_source", "embed_target"]);
pub const SCHEDULE: Shader = shader("neural/plan", &["begin_walks", "begin_source", "begin_target", "compact"]);
pub const EXPLAIN: Shader = shader("neural/lexicon", &["build_lexicon"]);
pub const DRAW: Shader = shader("neural/draw", &["draw", "permit"]);
pub const ASSEMBLE: Shader = shader("neural/assemble", &["assemble"]);
pub const REPORT: Shader = shader("neural/report", &["report"]);
pub const APPEND: Shader = shader("neural/splice", &["splice"]);
pub const INPUTS: Shader = shader("neural/inputs", &["write_inputs"]);

/// Reports how an adapter forms subgroups. Only for adapters that have them.
pub const SUBGROUPS: Shader = shader("subgroups", &["report_subgroups"]);
/// Tests all scans.
pub const SCANS: Shader = shader("scans", &["scans"]);

/// Returns every shader that runs on all adapters.
pub fn all() -> impl Iterator<Item = &'static Shader> {
    const OTHERS: [Shader; 24] = [
        EXPAND, VARY, SEGMENT, SPLICE, JUDGE, PLAN, ROUTE, FILL, EXECUTE, NOISE, STEPS, COMPARE, PROJECT, TURN,
        ATTEND, EMBED, SCHEDULE, EXPLAIN, DRAW, ASSEMBLE, REPORT, APPEND, INPUTS, SCANS,
    ];
    let compile = const { &COMPILE }.iter().map(|(_, shader)| shader);
    compile.chain(const { &MUTATE }).chain(const { &OTHERS })
}

//! The records that host and shaders share, and the WGSL prelude generated from them.
//!
//! Every number that a shader needs (token kinds, roles, opcodes, traps, diagnostics, limits, column indices)
//! is stated once in `lang` or `stage`. [`prelude`] turns these numbers into WGSL constants and small lookup
//! functions, which precede every shader, so host and shaders cannot diverge. `docs/shaders.md` describes how
//! shaders use them.

mod language;
pub mod numbers;
mod punctuation;
pub mod records;
pub mod scratch;

use crate::compiler::program::{self, Binders, Bytecode, Checked, Ir, Routines, Tokens, Tree};
use crate::compiler::stage::check::PART_MISSING_RETURN;
use crate::compiler::stage::optimize::{PASSES, ROUNDS, expand};
use crate::compiler::stage::route::constructs::construct;
use crate::compiler::stage::route::features;
use crate::compiler::stage::route::features::{FEATURES, Feature};
use crate::lang::NONE;
use crate::lang::level::OptLevel;
use crate::lang::role::Role;
use crate::lang::token::{STR_CODES, STR_REPLACED, TokenKind};

pub use records::*;

/// Threads of a workgroup that compiles one program.
pub const WORKGROUP: u32 = 64;

/// [`WORKGROUP`] on a software adapter, for stages with little work between two barriers. A CPU that emulates
/// a GPU runs eight threads at once and visits all threads of a workgroup at each barrier, even idle ones;
/// most programs have few tokens.
pub const NARROW: u32 = 16;

/// Threads of a workgroup that executes a slice of runs, on a GPU and on a software adapter. Runs never wait
/// for each other and end at different times. A CPU that processes workgroups one by one does best with as
/// many threads as it runs at once.
pub const SLICE: [u32; 2] = [WORKGROUP, 8];

/// Slots of execute that stay together on a GPU, as threads of one group; on a software adapter each is alone.
pub const UNIT: [u32; 2] = [32, 1];

/// What adapters decide in the text of a shader.
#[derive(Clone, Copy, Debug)]
pub struct ShaderVariant {
    /// The constant `WORKGROUP` of shaders.
    pub workgroup: u32,
    /// The constant `SLICE` of shaders.
    pub slice: u32,
    /// The constant `LARGE_THREADS` of shaders: threads that have a run's full memory.
    pub large_threads: u32,
    /// Whether an adapter runs threads as lanes of one vector.
    pub lanes: bool,
    /// Whether scans use subgroup operations.
    pub subgroups: bool,
    /// Whether the machine records the addresses of the instructions that it executes.
    pub counted: bool,
}

impl Default for ShaderVariant {
    fn default() -> ShaderVariant {
        ShaderVariant {
            workgroup: WORKGROUP,
            slice: SLICE[0],
            large_threads: LARGE_THREADS[0],
            lanes: false,
            subgroups: false,
            counted: false,
        }
    }
}

/// Threads that have a run's full memory, on a GPU and on a software adapter.
pub const LARGE_THREADS: [u32; 2] = [4096, 512];

/// Converts `FnName` and `fnName` to `FN_NAME`.
pub fn screaming(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

/// Returns a WGSL function from the number of an item to its `value`, or 0 for any other number. It has no
/// branches.
pub fn lookup<T: Copy>(name: &str, all: &[T], value: impl Fn(T) -> u32) -> String {
    let mut text = format!("fn {name}(n: u32) -> u32 {{\n    var r = 0u;\n");
    for (from, len, value) in runs(all, value) {
        if value != 0 {
            text += &format!("    r = select(r, {value}u, n - {from}u < {len}u);\n");
        }
    }
    text + "    return r;\n}\n"
}

/// Returns a WGSL predicate that is true for the numbers of the items for which `holds` returns true.
fn predicate<T: Copy>(name: &str, all: &[T], holds: impl Fn(T) -> bool) -> String {
    let runs = runs(all, holds).into_iter().filter(|(.., holds)| *holds);
    let ranges: Vec<String> = runs.map(|(from, len, _)| format!("n - {from}u < {len}u")).collect();
    format!("fn {name}(n: u32) -> bool {{ return {}; }}\n", ranges.join(" || "))
}

/// Returns the runs of equal values: index of the first item, length and value.
fn runs<T: Copy, V: PartialEq>(all: &[T], value: impl Fn(T) -> V) -> Vec<(usize, usize, V)> {
    let mut runs: Vec<(usize, usize, V)> = Vec::new();
    for (place, item) in all.iter().enumerate() {
        let value = value(*item);
        match runs.last_mut() {
            Some((_, len, last)) if *last == value => *len += 1,
            _ => runs.push((place, 1, value)),
        }
    }
    runs
}

/// Returns the generated shader part with this import name: see `docs/shaders.md`.
pub fn part(name: &str) -> Option<String> {
    match name.strip_prefix("layout/")? {
        "passes" => Some(passes()),
        "expand" => {
            let constants = expand::NUMBERS.iter().map(|(name, value)| format!("const {name} = {value}u;\n"));
            Some(constants.collect())
        }
        name => scratch::wgsl(name.strip_prefix("scratch/")?),
    }
}

/// Generates the imports of the optimizer's passes, and a function that calls all passes of a round but the
/// last.
fn passes() -> String {
    let imports = PASSES.iter().map(|pass| format!("#import optimize/{}\n", pass.name));
    let calls = PASSES[..PASSES.len() - 1].iter().map(|pass| match pass.level {
        OptLevel::Lowered | OptLevel::Local => format!("    {}();\n", pass.name),
        level => format!("    if params.level >= {}u {{ {}(); }}\n", level.number(), pass.name),
    });
    imports.collect::<String>()
        + &format!("const ROUNDS = {ROUNDS}u;\nfn rewrite() {{\n{}}}\n", calls.collect::<String>())
}

/// Returns the WGSL that precedes every shader of this variant.
pub fn prelude(variant: ShaderVariant) -> String {
    let mut text = String::from(
        "// Generated by src/compiler/layout.rs from the tables of src/lang and src/compiler/stage.\n",
    );
    let mut constant = |name: String, value: u32| text += &format!("const {name} = {value}u;\n");

    constant("NONE".into(), NONE);
    constant("WORKGROUP".into(), variant.workgroup);
    constant("SLICE".into(), variant.slice);
    constant("UNIT".into(), UNIT[usize::from(variant.lanes)]);
    constant("TOKEN_SCRATCH".into(), scratch::TOKEN_SCRATCH);
    constant("IR_SCRATCH".into(), scratch::IR_SCRATCH);
    for (name, value) in [
        ("PART", program::PART),
        ("PART_MISSING_RETURN", PART_MISSING_RETURN),
        ("ERROR_BEHIND", program::ERROR_BEHIND),
        ("ERROR_MUTED", program::ERROR_MUTED),
        ("STMT_INDEX", program::STMT_INDEX),
        ("STMT_UNCLOSED", program::STMT_UNCLOSED),
        ("STMT_MUTED", program::STMT_MUTED),
        ("STMT_LEXICAL", program::STMT_LEXICAL),
        ("STMT_SYNTAX", program::STMT_SYNTAX),
        ("STMT_BROKEN", program::STMT_BROKEN),
        ("LARGE_THREADS", variant.large_threads),
        ("STR_CODES", STR_CODES),
        ("STR_REPLACED", STR_REPLACED),
        ("FEATURES", FEATURES as u32),
        ("FEATURE_MOST", features::MOST),
        ("CONSTRUCT_BINARY", construct(Role::Binary, TokenKind::Error) as u32),
        ("CONSTRUCT_UNARY", construct(Role::Unary, TokenKind::Error) as u32),
        ("CONSTRUCT_ASSIGN", construct(Role::Assign, TokenKind::Error) as u32),
    ] {
        constant(name.into(), value);
    }
    for (name, value) in numbers::NUMBERS {
        constant((*name).into(), *value);
    }
    for feature in Feature::ALL {
        constant(format!("FEATURE_{}", screaming(feature.ident())), *feature as u32);
    }
    for (record, columns) in COLUMNS {
        for (index, column) in columns.iter().enumerate() {
            constant(format!("{record}_{}", column.to_ascii_uppercase()), index as u32);
        }
        constant(format!("{record}_COLUMNS"), columns.len() as u32);
    }

    text += &Params::wgsl();
    text += &Program::wgsl();
    text += &ExecuteParams::wgsl();
    text += &JudgeParams::wgsl();
    text += &MutateParams::wgsl();
    text += &SpliceParams::wgsl();
    text += &RouterParams::wgsl();
    text += &FillParams::wgsl();
    text += &language::wgsl();
    text
}

/// The column records, each with the prefix of its constants.
const COLUMNS: &[(&str, &[&str])] = &[
    ("TOKENS", Tokens::COLUMNS),
    ("TREE", Tree::COLUMNS),
    ("CHECKED", Checked::COLUMNS),
    ("IR", Ir::COLUMNS),
    ("ROUTINES", Routines::COLUMNS),
    ("BINDERS", Binders::COLUMNS),
    ("CODE", Bytecode::COLUMNS),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the size of a WGSL record and the names and offsets of its fields, as naga lays them out.
    fn wgsl_offsets(name: &str) -> (u32, Vec<(String, u32)>) {
        let module = naga::front::wgsl::parse_str(&prelude(ShaderVariant::default()))
            .expect("the prelude is valid WGSL");
        let (_, ty) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect(name);
        let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is not a struct") };
        (*span, members.iter().map(|m| (m.name.clone().unwrap_or_default(), m.offset)).collect())
    }

    fn check(name: &str, size: usize, fields: &[&str]) {
        let (span, members) = wgsl_offsets(name);
        assert_eq!(span as usize, size, "{name}");
        let expected: Vec<_> = fields.iter().enumerate().map(|(i, f)| (f.to_string(), 4 * i as u32)).collect();
        assert_eq!(members, expected, "{name}");
    }

    #[test]
    fn records_are_laid_out_alike_in_rust_and_wgsl() {
        check("Params", size_of::<Params>(), Params::FIELDS);
        check("Program", size_of::<Program>(), Program::FIELDS);
        check("ExecuteParams", size_of::<ExecuteParams>(), ExecuteParams::FIELDS);
        assert_eq!(size_of::<ExecuteParams>() % 16, 0, "a uniform record is a multiple of 16 bytes");
        check("JudgeParams", size_of::<JudgeParams>(), JudgeParams::FIELDS);
        assert_eq!(size_of::<JudgeParams>() % 16, 0, "a uniform record is a multiple of 16 bytes");
        check("MutateParams", size_of::<MutateParams>(), MutateParams::FIELDS);
        assert_eq!(size_of::<MutateParams>() % 16, 0, "a uniform record is a multiple of 16 bytes");
        check("SpliceParams", size_of::<SpliceParams>(), SpliceParams::FIELDS);
        assert_eq!(size_of::<SpliceParams>() % 16, 0, "a uniform record is a multiple of 16 bytes");
        check("RouterParams", size_of::<RouterParams>(), RouterParams::FIELDS);
        check("FillParams", size_of::<FillParams>(), FillParams::FIELDS);
        assert_eq!(size_of::<RouterParams>() % 16, 0, "a uniform record is a multiple of 16 bytes");
        assert_eq!(size_of::<Params>() % 16, 0, "a uniform record is a multiple of 16 bytes");
    }

    #[test]
    fn names_become_screaming_snake_case() {
        assert_eq!(screaming("LoadConstWide"), "LOAD_CONST_WIDE");
    }
}

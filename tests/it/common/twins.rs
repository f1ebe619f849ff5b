//! Compares shaders with their CPU twins: earlier stages run on the CPU, one stage runs on the device, and all
//! columns are compared.

use std::sync::Arc;

use myriad::compiler::program::{Compiled, Facts, View};
use myriad::compiler::stage::{Stage, check, emit, lex, lower, optimize, parse};
use myriad::engine::gpu::stages::StageRunner;
use myriad::lang::level::OptLevel;

/// Runs the CPU's stages on `text` at a level, up to and including `last`.
pub fn compile_at(level: OptLevel, text: &str, last: Stage) -> Compiled {
    compile_with(program(text, 0), level, last, &mut Default::default())
}

/// Runs the twins of shaders on `text` at a level, up to and including `last`: without what the processor adds to level 2.
pub fn device_at(level: OptLevel, text: &str, last: Stage) -> Compiled {
    device_with(program(text, 0), level, last)
}

fn device_with(program: Compiled, level: OptLevel, last: Stage) -> Compiled {
    let mut scratch = optimize::OptimizeScratch::default();
    scratch.leave_out_processors();
    compile_with(program, level, last, &mut scratch)
}

fn compile_with(
    program: Compiled,
    level: OptLevel,
    last: Stage,
    scratch: &mut optimize::OptimizeScratch,
) -> Compiled {
    let mut c = Compiled { level, ..program };
    let text = &*c.text.clone();
    let mut through = |stage: Stage| {
        let (fatal, lowers) = (c.facts.stopped(), c.facts.lowers());
        match stage {
            Stage::Lex => lex::run(text, &mut c.tokens, &mut c.facts, &mut Default::default()),
            _ if fatal => {}
            Stage::Parse => parse::run(&c.tokens, &mut c.tree, &mut c.facts, &mut Default::default()),
            Stage::Check => {
                check::run(&c.tokens, &c.tree, &mut c.checked, &mut c.facts, &mut Default::default());
            }
            _ if !lowers => {}
            Stage::Lower => {
                let Compiled { tokens, tree, checked, lowered, executable, binders, facts, .. } = &mut c;
                let input = View { source: text, tokens, tree, checked };
                let out = lower::Output { ir: lowered, routines: &mut executable.routines, binders };
                lower::run(input, out, facts, &mut Default::default());
            }
            Stage::Optimize => {
                optimize::run(&c.lowered, &mut c.executable.routines, c.level, &mut c.ir, scratch);
            }
            Stage::Emit => {
                emit::run(&c.ir, &mut c.executable.routines, &mut c.executable.code, &mut Default::default())
            }
            Stage::Execute | Stage::Judge | Stage::Mutate => {
                panic!("{} compiles nothing", stage.name())
            }
        }
    };
    for stage in Stage::ALL.into_iter().take_while(|stage| *stage as u32 <= last as u32) {
        through(stage);
    }
    c
}

/// A program to be compiled; with `holes` 1, its errors become holes.
fn program(text: &str, holes: u32) -> Compiled {
    Compiled { text: Arc::from(text), facts: Facts { holes, ..Facts::default() }, ..Default::default() }
}

/// Runs the twins on `text` at the default level, up to and including `last`.
pub fn compile(text: &str, last: Stage) -> Compiled {
    compile_at(OptLevel::default(), text, last)
}

/// Opens a device for these tests; a software adapter suffices.
pub fn device() -> StageRunner {
    StageRunner::new().unwrap_or_else(|error| {
        panic!(
            "these tests need an adapter, if only a software one: apt-get install mesa-vulkan-drivers ({error})"
        )
    })
}

/// Runs `stage` on the device over all texts at once and compares everything with the output of its twin. Errors
/// become holes.
pub fn compare(runner: &mut StageRunner, stage: Stage, texts: &[String]) {
    compare_at(OptLevel::default(), runner, stage, texts);
}

/// Like [`compare`], at a level.
pub fn compare_at(level: OptLevel, runner: &mut StageRunner, stage: Stage, texts: &[String]) {
    let compile = |text: &str, last| device_with(program(text, 1), level, last);
    let before = (stage != Stage::Lex).then(|| Stage::ALL[stage as usize - 1]);
    let given: Vec<Compiled> = texts
        .iter()
        .map(|text| match before {
            Some(before) => compile(text, before),
            None => program(text, 1),
        })
        .collect();
    let mut results = runner.run(stage, &given).unwrap_or_else(|error| panic!("{}: {error}", stage.name()));
    for (text, found) in texts.iter().zip(&mut results) {
        let expected = compile(text, stage);
        // The device also reads back the columns of later stages.
        if (stage as u32) < Stage::Parse as u32 {
            found.tree.clear();
        }
        if (stage as u32) < Stage::Check as u32 {
            found.checked.clear();
        }
        if let Some(difference) = difference(&expected, found) {
            panic!("{}: {difference}\n---- of this program:\n{}", stage.name(), shorten(text));
        }
    }
}

/// Returns the first difference between the outputs of a twin and a shader.
pub fn difference(expected: &Compiled, found: &Compiled) -> Option<String> {
    macro_rules! records {
        ($($($record:ident).+: $ty:ident,)*) => {$(
            let names = myriad::compiler::program::$ty::COLUMNS;
            let (twin, shader) = (expected.$($record).+.columns(), found.$($record).+.columns());
            for ((name, twin), shader) in names.iter().zip(twin).zip(shader) {
                let name = format!("{}.{name}", stringify!($($record).+));
                if twin.len() != shader.len() {
                    return Some(format!("{name}: twin has {} rows, shader {}", twin.len(), shader.len()));
                }
                if let Some(row) = (0..twin.len()).find(|&row| twin[row] != shader[row]) {
                    let (t, s) = (twin[row], shader[row]);
                    let place = place(expected, stringify!($($record).+), row);
                    return Some(format!("{name}[{row}]: twin {t} ({t:#x}), shader {s} ({s:#x}); {place}"));
                }
            }
        )*};
    }
    records! {
        tokens: Tokens, tree: Tree, checked: Checked, lowered: Ir, ir: Ir, executable.routines: Routines,
        binders: Binders, executable.code: Bytecode,
    }
    (expected.facts != found.facts)
        .then(|| format!("facts: twin {:?}, shader {:?}", expected.facts, found.facts))
}

/// Returns the source position that a row of a record comes from.
fn place(c: &Compiled, record: &str, row: usize) -> String {
    let token = match record {
        "lowered" => c.lowered.token.get(row),
        "ir" => c.ir.token.get(row),
        "routines" => c.executable.routines.token.get(row),
        "binders" => c.binders.token.get(row),
        "code" => c.executable.code.token.get(row),
        _ => None,
    }
    .map_or(row, |t| *t as usize);
    let (Some(&lo), Some(&hi)) = (c.tokens.lo.get(token), c.tokens.hi.get(token)) else {
        return "no token".into();
    };
    let bytes = c.text.as_bytes();
    let show = |from: usize, to: usize| {
        String::from_utf8_lossy(bytes.get(from..to.min(bytes.len())).unwrap_or_default()).into_owned()
    };
    let (lo, hi) = (lo as usize, hi as usize);
    format!(
        "token {token}, line {}: …{}«{}»{}…",
        c.tokens.line[token] + 1,
        show(lo.saturating_sub(60), lo),
        show(lo, hi.min(lo + 60)),
        show(hi, hi + 60)
    )
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(4000) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.into(),
    }
}

/// Returns the texts of all conformance files, cases and samples.
pub fn files() -> Vec<String> {
    let mut texts = Vec::new();
    for folder in ["tests/conformance", "tests/cases", "samples"] {
        let root = super::repository::repository().join(folder);
        let Ok(entries) = std::fs::read_dir(&root) else { continue };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "myr")) {
            texts.push(std::fs::read_to_string(path).expect("a readable case"));
        }
    }
    assert!(texts.len() >= 10, "the cases are not where they should be");
    texts
}

//! The text of a shader: its file with the parts that it imports before it, the prelude in front.
//!
//! A line `#import shared/scan` names a part, which is a file of `shaders/` without its ending, or one that is generated.
//! Each is taken once, where it is first asked for. WGSL does not mind the order of declarations, so a part may also use
//! what a file that imports it declares; such a part says so in its head.
//!
//! Bindings are declared there alone. [`bindings`] reads them off the text, so the host names buffers as the shader does.

use std::borrow::Cow;

use crate::layout;

/// All files of `shaders/`.
macro_rules! parts {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../shaders/", $name, ".wgsl")))),*]
    };
}
pub const PARTS: &[(&str, &str)] = parts![
    "check" "check/constants" "check/finish" "check/flow" "check/kinds" "check/names" "check/operands" "check/scratch"
    "check/types"
    "emit"
    "execute/entries" "execute/inputs" "execute/machine" "execute/noise" "execute/noiseless" "execute/outcomes"
    "execute/repetitions" "execute/slots" "execute/survey" "execute/tables" "execute/tests"
    "judge"
    "lex" "lex/bytes" "lex/literal" "lex/names" "lex/states"
    "lower" "lower/code" "lower/frames" "lower/index" "lower/scratch"
    "mutate"
    "neural/assemble" "neural/attend" "neural/base" "neural/comparisons" "neural/draw" "neural/embed" "neural/inputs"
    "neural/lexicon" "neural/live" "neural/plan" "neural/project" "neural/reduce" "neural/report" "neural/splice"
    "neural/turn" "neural/walk"
    "optimize" "optimize/branch" "optimize/compact" "optimize/fold" "optimize/jumps" "optimize/scratch"
    "optimize/thread" "optimize/unreachable"
    "parse" "parse/errors" "parse/kinds" "parse/rows" "parse/rules" "parse/structure"
    "plan"
    "route"
    "shared/arena" "shared/arithmetic" "shared/blocks" "shared/columns" "shared/hash" "shared/min_tree" "shared/scan"
];

/// The part that `layout` generates for the neural path.
const NEURAL: &str = "layout/neural";

/// What a binding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Uniform,
    Read,
    Write,
}

/// A buffer that a shader asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub name: String,
    pub index: u32,
    pub access: Access,
}

/// The whole text that the device compiles for the shader that begins with a file.
///
/// # Errors
/// If there is no such part, or one leads back to itself; says in which line of which file.
pub fn assemble(file: &str) -> Result<String, String> {
    let part = |name: &str| match name {
        NEURAL => Some(Cow::Owned(layout::neural::prelude())),
        _ => PARTS.iter().find(|(part, _)| *part == name).map(|(_, text)| Cow::Borrowed(*text)),
    };
    let mut assembly = Assembly { part: &part, text: layout::prelude(), open: Vec::new(), taken: Vec::new() };
    assembly.take(file, "the host")?;
    Ok(assembly.text)
}

/// A text in the making.
struct Assembly<'a> {
    part: &'a dyn Fn(&str) -> Option<Cow<'static, str>>,
    text: String,
    /// Parts whose imports are being taken, the outermost first.
    open: Vec<String>,
    taken: Vec<String>,
}

impl Assembly<'_> {
    /// Adds a part in whose place its own imports stand; `by` says who asks for it.
    fn take(&mut self, name: &str, by: &str) -> Result<(), String> {
        if self.open.iter().any(|open| open == name) {
            return Err(format!("{by}: `{name}` imports itself: {}", self.open.join(", ")));
        }
        if self.taken.iter().any(|taken| taken == name) {
            return Ok(());
        }
        let text = (self.part)(name).ok_or_else(|| format!("{by}: there is no part `{name}`"))?;
        self.open.push(name.into());
        for (number, line) in (1..).zip(text.lines()) {
            match line.strip_prefix("#import ") {
                Some(part) => self.take(part.trim(), &format!("shaders/{name}.wgsl:{number}"))?,
                None => self.text.extend([line, "\n"]),
            }
        }
        self.taken.extend(self.open.pop());
        Ok(())
    }
}

/// The bindings that a shader's text declares, by index. Of several names for one the first counts.
pub fn bindings(text: &str) -> Vec<Binding> {
    let mut all: Vec<Binding> = Vec::new();
    for binding in text.lines().filter_map(binding) {
        if all.iter().all(|other| other.index != binding.index) {
            all.push(binding);
        }
    }
    all.sort_by_key(|binding| binding.index);
    all
}

/// What a line such as `@group(0) @binding(2) var<storage, read> text: array<u32>;` declares.
fn binding(line: &str) -> Option<Binding> {
    let (index, rest) = line.strip_prefix("@group(0) @binding(")?.split_once(") var<")?;
    let (space, rest) = rest.split_once("> ")?;
    let access = match space {
        "uniform" => Access::Uniform,
        "storage, read" => Access::Read,
        _ => Access::Write,
    };
    let (name, _) = rest.split_once(':')?;
    Some(Binding { name: name.into(), index: index.parse().ok()?, access })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(parts: &'static [(&str, &str)]) -> Result<String, String> {
        let part = |name: &str| parts.iter().find(|part| part.0 == name).map(|part| Cow::Borrowed(part.1));
        let mut assembly = Assembly { part: &part, text: String::new(), open: vec![], taken: vec![] };
        assembly.take("a", "the host")?;
        Ok(assembly.text)
    }

    #[test]
    fn parts_are_taken_once_and_where_they_are_missing_is_said() {
        let all = assembled(&[("a", "// a\n#import b\n#import c\nA"), ("b", "#import c\nB"), ("c", "C")]);
        assert_eq!(all.as_deref(), Ok("// a\nC\nB\nA\n"));
        let missing = assembled(&[("a", "\n#import b"), ("b", "B\n\n#import d")]);
        assert_eq!(missing, Err("shaders/b.wgsl:3: there is no part `d`".into()));
        let circle = assembled(&[("a", "#import b"), ("b", "\n#import a")]);
        assert_eq!(circle, Err("shaders/b.wgsl:2: `a` imports itself: a, b".into()));
    }

    #[test]
    fn every_file_is_a_part() {
        let mut found = Vec::new();
        let mut folders = vec![std::path::PathBuf::from("shaders")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the shaders") {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push(path.with_extension("").to_string_lossy().replace('\\', "/")),
                }
            }
        }
        found.sort();
        let parts: Vec<String> = PARTS.iter().map(|(name, _)| format!("shaders/{name}")).collect();
        assert_eq!(parts, found, "the table of parts, in order of names");
    }
}

//! Assembles the text of a shader: the prelude, the imported parts, and its file.
//!
//! A line `#import shared/scan` names a part: a file of `shaders/` without its extension, or a generated
//! part. Each part is included once, at its first import. WGSL allows any order of declarations, so a part
//! may use declarations of the files that import it; such a part states this in its head.
//!
//! Bindings are declared only in the shaders. [`bindings`] extracts them from the text, so the host uses the
//! shaders' names for buffers.

use std::borrow::Cow;

use include_dir::{Dir, File, include_dir};

use crate::compiler::layout::{self, ShaderVariant};
use crate::compiler::rounds::{RoundSite, SiteKind};
use crate::network;

static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../shaders");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Uniform,
    Read,
    Write,
}

/// A buffer that a shader declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub name: String,
    pub index: u32,
    pub access: Access,
}

/// Assembles the complete text of the shader with this main file, in this variant.
///
/// # Errors
/// If a part does not exist or imports itself. The message names the file and the line.
pub fn assemble(file: &str, variant: ShaderVariant) -> Result<String, String> {
    let own = |name: &str| match name {
        "shared/scan_by_memory" if variant.subgroups => part("shared/scan_by_subgroups"),
        "execute/quick_in_lanes" if !variant.lanes => part("execute/quick_in_threads"),
        "execute/alone" if variant.subgroups => part("execute/together"),
        "execute/uncounted" if variant.counted => part("execute/counted"),
        _ => part(name),
    };
    // WGSL requires `enable subgroups;`, which naga does not support yet: it accepts subgroups if the device
    // has them.
    let mut assembly = Assembly::new(&own, layout::prelude(variant));
    assembly.take(file, "the host")?;
    Ok(with_subgroup_width(assembly.text))
}

/// Adds the subgroup size to the arguments of every entry point if scans use it, because WGSL provides it
/// only as an argument.
fn with_subgroup_width(text: String) -> String {
    const LAST_ARGUMENT: &str = "@builtin(local_invocation_id) local: vec3<u32>) {\n";
    const ITS_SIZE: &str = "@builtin(local_invocation_id) local: vec3<u32>, @builtin(subgroup_size) size_here: u32) {\n    \
                            subgroup_width = size_here;\n";
    if text.contains("var<private> subgroup_width: u32;") {
        text.replace(LAST_ARGUMENT, ITS_SIZE)
    } else {
        text
    }
}

/// Assembles the instrumented text of a shader, which records its rounds. The part
/// `round_tracing/scratch` replaces `shared/scratch`, and each barrier with a sentence is followed by a call
/// (`round_tracing/rounds`). It reads columns with the function `reader`. Also returns the sentences, in the order of
/// their numbers: those of this shader follow `sites`.
///
/// A sentence is a comment directly before a barrier, before a call without arguments, or before an entry
/// point ends or returns. It is `#round WORK: …` to record columns, and `#lanes VALUE: …` or
/// `#functions VALUE: …` to record a value of each thread. Lines that begin with `#:` continue it.
///
/// # Errors
/// As [`assemble`], and if a sentence is before anything else.
pub fn assemble_tracing(
    file: &str,
    reader: &str,
    sites: Vec<RoundSite>,
) -> Result<(String, Vec<RoundSite>), String> {
    let tracing = |name: &str| match name {
        "shared/scratch" => part("round_tracing/scratch"),
        _ => part(name),
    };
    let prelude = layout::prelude(ShaderVariant::default());
    let mut assembly = Assembly { sites: Some(sites), ..Assembly::new(&tracing, prelude) };
    assembly.take("round_tracing/rounds", "the host")?;
    assembly.text.push_str(reader);
    assembly.take(file, "the host")?;
    Ok((assembly.text, assembly.sites.unwrap_or_default()))
}

/// Returns a part by its name: a generated part, or a file.
fn part(name: &str) -> Option<Cow<'static, str>> {
    let generated = match name {
        "layout/neural" => Some(network::layout::prelude()),
        _ => layout::part(name),
    };
    match generated {
        Some(text) => Some(Cow::Owned(text)),
        None => FOLDER.get_file(format!("{name}.wgsl"))?.contents_utf8().map(Cow::Borrowed),
    }
}

/// Returns the names of all parts that are files.
pub fn parts() -> Vec<String> {
    let mut folders = vec![&FOLDER];
    let mut names = Vec::new();
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        let name = |file: &File| file.path().with_extension("").to_string_lossy().replace('\\', "/");
        names.extend(folder.files().map(name));
    }
    names
}

/// A text being assembled.
struct Assembly<'a> {
    part: &'a dyn Fn(&str) -> Option<Cow<'static, str>>,
    text: String,
    /// Parts whose imports are being processed, outermost first.
    open: Vec<String>,
    taken: Vec<String>,
    /// The recorded sites so far, if rounds are recorded.
    sites: Option<Vec<RoundSite>>,
}

impl<'a> Assembly<'a> {
    fn new(part: &'a dyn Fn(&str) -> Option<Cow<'static, str>>, text: String) -> Assembly<'a> {
        Assembly { part, text, open: Vec::new(), taken: Vec::new(), sites: None }
    }

    /// Appends a part, with its imports replaced by their text. `by` names the importer in errors.
    fn take(&mut self, name: &str, by: &str) -> Result<(), String> {
        if self.open.iter().any(|open| open == name) {
            return Err(format!("{by}: `{name}` imports itself: {}", self.open.join(", ")));
        }
        if self.taken.iter().any(|taken| taken == name) {
            return Ok(());
        }
        let text = (self.part)(name).ok_or_else(|| format!("{by}: there is no part `{name}`"))?;
        self.open.push(name.into());
        let mut sentences = SentenceParser::new(name);
        for (number, line) in (1..).zip(text.lines()) {
            let place = || format!("shaders/{name}.wgsl:{number}");
            if let Some(part) = line.strip_prefix("#import ") {
                self.take(part.trim(), &place())?;
                continue;
            }
            match directive(line) {
                Some(sentence) => self.text.extend(["// ", sentence, "\n"]),
                None => self.text.extend([line, "\n"]),
            }
            if let Some(sites) = &mut self.sites
                && let Some(call) =
                    sentences.line(number, line, sites).map_err(|why| format!("{}: {why}", place()))?
            {
                // The call at the end of an entry point goes before its closing brace or `return`.
                if !line.ends_with("Barrier();") && !line.ends_with('{') {
                    self.text.truncate(self.text.len() - line.len() - 1);
                }
                self.text.push_str(&call);
            }
        }
        self.taken.extend(self.open.pop());
        Ok(())
    }
}

/// Finds the sentences of one file.
struct SentenceParser<'a> {
    file: &'a str,
    /// The entry point that began last.
    entry: Option<String>,
    /// A sentence whose barrier has not been reached: its kind, the recorded value, and its text.
    open: Option<(SiteKind, String, String)>,
    /// Lines since the last barrier, or since the function began.
    code: Vec<String>,
}

impl<'a> SentenceParser<'a> {
    fn new(file: &'a str) -> SentenceParser<'a> {
        SentenceParser { file, entry: None, open: None, code: Vec::new() }
    }

    /// Processes a line. Returns the call to insert after it, or the replacement for the end of an entry
    /// point.
    fn line(&mut self, number: u32, line: &str, sites: &mut Vec<RoundSite>) -> Result<Option<String>, String> {
        let bare = line.trim();
        if bare.starts_with("fn ") {
            self.code.clear();
        }
        if let Some((name, _)) = bare.strip_prefix("fn ").and_then(|rest| rest.split_once("(@builtin(")) {
            self.entry = Some(name.to_string());
            self.code.push(line.to_string());
            return Ok(Some("    trace_begin();\n".into()));
        }
        if let Some(begun) = directive(bare).and_then(begun) {
            self.open = Some(begun);
            return Ok(None);
        }
        let Some((kind, value, mut sentence)) = self.open.take() else {
            self.code.push(line.to_string());
            if bare.ends_with("Barrier();") {
                self.code.clear();
            }
            return Ok(None);
        };
        if let Some(more) = directive(bare).and_then(|text| text.strip_prefix(": ")) {
            sentence.extend([" ", more]);
            self.open = Some((kind, value, sentence));
            return Ok(None);
        }
        let site = sites.len();
        let tell = match kind {
            SiteKind::Columns(_) => format!("trace_columns({site}u);\n"),
            SiteKind::Numbers => format!("trace_lanes({site}u, vec2<u32>({value}, 0u));\n"),
            SiteKind::Functions => format!("trace_lanes({site}u, {value});\n"),
        };
        let (ends, tell) = match line {
            "}" if self.entry.is_some() => {
                (self.entry.take(), format!("    storageBarrier();\n    {tell}    trace_end();\n}}\n"))
            }
            _ if bare == "storageBarrier();" || bare == "workgroupBarrier();" => (None, tell),
            // Records the columns before a call of a function that contains a barrier.
            _ if bare.ends_with("();") => (None, format!("storageBarrier();\n{tell}{line}\n")),
            _ if bare == "return;" => {
                (self.entry.clone(), format!("storageBarrier();\n{tell}trace_end();\nreturn;\n"))
            }
            _ => return Err("the sentence of a round is not followed by a barrier".into()),
        };
        let code = std::mem::take(&mut self.code);
        sites.push(RoundSite { file: self.file.into(), line: number, sentence, code, kind, ends });
        Ok(Some(tell))
    }
}

/// Returns the text of a directive: a line that begins with `#`. WGSL has none, so it becomes a comment.
fn directive(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('#')
}

/// Parses a directive that begins a round's sentence: its kind, the recorded value, and its text so far.
fn begun(directive: &str) -> Option<(SiteKind, String, String)> {
    let (what, rest) = directive.split_once(' ')?;
    let (value, sentence) = rest.split_once(": ")?;
    let kind = match what {
        "round" => SiteKind::Columns(value.into()),
        "lanes" => SiteKind::Numbers,
        "functions" => SiteKind::Functions,
        _ => return None,
    };
    Some((kind, value.into(), sentence.into()))
}

/// Returns the bindings that a shader's text declares, by index. If an index has several names, the first
/// counts.
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

/// Parses a declaration such as `@group(0) @binding(2) var<storage, read> text: array<u32>;`.
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
        let mut assembly = Assembly::new(&part, String::new());
        assembly.take("a", "the host")?;
        Ok(assembly.text)
    }

    #[test]
    fn annotated_barriers_are_followed_by_a_trace_call() {
        let tracing = |text: &'static str| {
            let part = |_: &str| Some(Cow::Borrowed(text));
            let mut assembly = Assembly { sites: Some(vec![]), ..Assembly::new(&part, String::new()) };
            assembly.take("a", "the host").map(|()| (assembly.text, assembly.sites.unwrap_or_default()))
        };
        let (text, sites) = tracing(
            "fn f(@builtin(workgroup_id) g: u32) {\n    #round log n: One\n    #: and more.\n    storageBarrier();\n    \
             #lanes x: Two.\n    workgroupBarrier();\n    storageBarrier();\n    #round n: Three.\n}\n",
        )
        .expect("all is well");
        assert!(text.contains("    storageBarrier();\ntrace_columns(0u);\n"), "{text}");
        assert!(
            text.contains("workgroupBarrier();\ntrace_lanes(1u, vec2<u32>(x, 0u));\n    storageBarrier();\n"),
            "{text}"
        );
        assert!(text.ends_with("storageBarrier();\n    trace_columns(2u);\n    trace_end();\n}\n"), "{text}");
        assert!(text.starts_with("fn f(@builtin(workgroup_id) g: u32) {\n    trace_begin();\n"), "{text}");
        let said: Vec<_> =
            sites.iter().map(|site| (site.line, &*site.sentence, site.ends.as_deref())).collect();
        assert_eq!(said, [(4, "One and more.", None), (6, "Two.", None), (9, "Three.", Some("f"))]);
        assert_eq!(sites[0].kind, SiteKind::Columns("log n".into()));
        assert_eq!(sites[0].code, ["fn f(@builtin(workgroup_id) g: u32) {"]);
        let wrong = tracing("#round n: Nothing.\nlet a = 1;\n");
        assert_eq!(wrong, Err("shaders/a.wgsl:2: the sentence of a round is not followed by a barrier".into()));
    }

    #[test]
    fn parts_are_imported_once_and_missing_parts_are_located() {
        let all = assembled(&[("a", "// a\n#import b\n#import c\nA"), ("b", "#import c\nB"), ("c", "C")]);
        assert_eq!(all.as_deref(), Ok("// a\nC\nB\nA\n"));
        let missing = assembled(&[("a", "\n#import b"), ("b", "B\n\n#import d")]);
        assert_eq!(missing, Err("shaders/b.wgsl:3: there is no part `d`".into()));
        let circle = assembled(&[("a", "#import b"), ("b", "\n#import a")]);
        assert_eq!(circle, Err("shaders/b.wgsl:2: `a` imports itself: a, b".into()));
    }
}

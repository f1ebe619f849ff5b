//! The text of a shader: its file with the parts that it imports before it, the prelude in front.
//!
//! A line `#import shared/scan` names a part, which is a file of `shaders/` without its ending, or one that is generated.
//! Each is taken once, where it is first asked for. WGSL does not mind the order of declarations, so a part may also use
//! what a file that imports it declares; such a part says so in its head.
//!
//! Bindings are declared there alone. [`bindings`] reads them off the text, so the host names buffers as the shader does.

use std::borrow::Cow;

use include_dir::{Dir, File, include_dir};

use crate::compiler::layout::{self, Widths};
use crate::compiler::rounds::{Site, SiteKind};
use crate::network;

static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR/shaders");

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

/// The whole text that the device compiles for the shader that begins with a file, with workgroups of such widths.
///
/// # Errors
/// If there is no such part, or one leads back to itself; says in which line of which file.
pub fn assemble(file: &str, widths: Widths) -> Result<String, String> {
    let own = |name: &str| match name {
        "shared/scan_by_memory" if widths.subgroups => part("shared/scan_by_subgroups"),
        _ => part(name),
    };
    // WGSL asks for `enable subgroups;`, which naga does not know yet: it takes them where the device has them.
    let mut assembly = Assembly::new(&own, layout::prelude(widths));
    assembly.take(file, "the host")?;
    Ok(with_subgroup_width(assembly.text))
}

/// Gives every entry point the size of the subgroups of its pipeline, where scans ask for it: WGSL has it as an argument only.
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

/// The same text where it tells of its rounds: with `told/scratch` in the place of `shared/scratch`, and behind each barrier that
/// has a sentence a call that tells (`told/rounds`), which reads columns by the function `reader`. Also gives these sentences, by
/// the numbers that are told.
///
/// A sentence is a comment right before a barrier, before a call without arguments, or before an entry point ends or returns: `// round WORK: …` where columns are told,
/// `// lanes VALUE: …` or `// functions VALUE: …` where a value of each thread is. It may go on in the lines behind.
///
/// # Errors
/// As [`assemble`], and where a sentence stands before anything else.
pub fn assemble_told(file: &str, reader: &str) -> Result<(String, Vec<Site>), String> {
    let told = |name: &str| part(if name == "shared/scratch" { "told/scratch" } else { name });
    let mut assembly =
        Assembly { sites: Some(Vec::new()), ..Assembly::new(&told, layout::prelude(Widths::default())) };
    assembly.take("told/rounds", "the host")?;
    assembly.text.push_str(reader);
    assembly.take(file, "the host")?;
    Ok((assembly.text, assembly.sites.unwrap_or_default()))
}

/// A part by its name: a generated one, or a file.
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

/// The names of all parts that are files.
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

/// A text in the making.
struct Assembly<'a> {
    part: &'a dyn Fn(&str) -> Option<Cow<'static, str>>,
    text: String,
    /// Parts whose imports are being taken, the outermost first.
    open: Vec<String>,
    taken: Vec<String>,
    /// What has been told of so far, where rounds are told.
    sites: Option<Vec<Site>>,
}

impl<'a> Assembly<'a> {
    fn new(part: &'a dyn Fn(&str) -> Option<Cow<'static, str>>, text: String) -> Assembly<'a> {
        Assembly { part, text, open: Vec::new(), taken: Vec::new(), sites: None }
    }

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
        let mut teller = Teller::new(name);
        for (number, line) in (1..).zip(text.lines()) {
            let place = || format!("shaders/{name}.wgsl:{number}");
            if let Some(part) = line.strip_prefix("#import ") {
                self.take(part.trim(), &place())?;
                continue;
            }
            self.text.extend([line, "\n"]);
            if let Some(sites) = &mut self.sites
                && let Some(call) =
                    teller.line(number, line, sites).map_err(|why| format!("{}: {why}", place()))?
            {
                // What ends an entry point comes before its bracket, or before it returns.
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
struct Teller<'a> {
    file: &'a str,
    /// The entry point that has begun last.
    entry: Option<String>,
    /// A sentence whose barrier has not come yet: its kind, what a thread tells, itself.
    open: Option<(SiteKind, String, String)>,
    /// Lines since the last barrier, or since a function began.
    code: Vec<String>,
}

impl<'a> Teller<'a> {
    fn new(file: &'a str) -> Teller<'a> {
        Teller { file, entry: None, open: None, code: Vec::new() }
    }

    /// Takes a line; gives what is to stand behind it, or, at the end of an entry point, in its place.
    fn line(&mut self, number: u32, line: &str, sites: &mut Vec<Site>) -> Result<Option<String>, String> {
        let bare = line.trim();
        if bare.starts_with("fn ") {
            self.code.clear();
        }
        if let Some((name, _)) =
            bare.strip_prefix("fn ").and_then(|rest| rest.split_once("(@builtin(workgroup_id)"))
        {
            self.entry = Some(name.to_string());
            self.code.push(line.to_string());
            return Ok(Some("    tell_begin();\n".into()));
        }
        if let Some(begun) = begun(bare) {
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
        if let Some(more) = bare.strip_prefix("// ") {
            sentence.extend([" ", more]);
            self.open = Some((kind, value, sentence));
            return Ok(None);
        }
        let site = sites.len();
        let tell = match kind {
            SiteKind::Columns(_) => format!("tell({site}u);\n"),
            SiteKind::Numbers => format!("tell_lanes({site}u, vec2<u32>({value}, 0u));\n"),
            SiteKind::Functions => format!("tell_lanes({site}u, {value});\n"),
        };
        let (ends, tell) = match line {
            "}" if self.entry.is_some() => {
                (self.entry.take(), format!("    storageBarrier();\n    {tell}    tell_end();\n}}\n"))
            }
            _ if bare == "storageBarrier();" || bare == "workgroupBarrier();" => (None, tell),
            // What was written before a call of another function, which has a barrier within.
            _ if bare.ends_with("();") => (None, format!("storageBarrier();\n{tell}{line}\n")),
            _ if bare == "return;" => {
                (self.entry.clone(), format!("storageBarrier();\n{tell}tell_end();\nreturn;\n"))
            }
            _ => return Err("the sentence of a round stands before no barrier".into()),
        };
        let code = std::mem::take(&mut self.code);
        sites.push(Site { file: self.file.into(), line: number, sentence, code, kind, ends });
        Ok(Some(tell))
    }
}

/// The sentence of a round that a comment begins: its kind, what a thread tells, and its words so far.
fn begun(comment: &str) -> Option<(SiteKind, String, String)> {
    let (what, rest) = comment.strip_prefix("// ")?.split_once(' ')?;
    let (value, sentence) = rest.split_once(": ")?;
    let kind = match what {
        "round" => SiteKind::Columns(value.into()),
        "lanes" => SiteKind::Numbers,
        "functions" => SiteKind::Functions,
        _ => return None,
    };
    Some((kind, value.into(), sentence.into()))
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
        let mut assembly = Assembly::new(&part, String::new());
        assembly.take("a", "the host")?;
        Ok(assembly.text)
    }

    #[test]
    fn behind_a_barrier_with_a_sentence_stands_a_call_that_tells() {
        let told = |text: &'static str| {
            let part = |_: &str| Some(Cow::Borrowed(text));
            let mut assembly = Assembly { sites: Some(vec![]), ..Assembly::new(&part, String::new()) };
            assembly.take("a", "the host").map(|()| (assembly.text, assembly.sites.unwrap_or_default()))
        };
        let (text, sites) = told(
            "fn f(@builtin(workgroup_id) g: u32) {\n    // round log n: One\n    // and more.\n    storageBarrier();\n    \
             // lanes x: Two.\n    workgroupBarrier();\n    storageBarrier();\n    // round n: Three.\n}\n",
        )
        .expect("all is well");
        assert!(text.contains("    storageBarrier();\ntell(0u);\n"), "{text}");
        assert!(
            text.contains("workgroupBarrier();\ntell_lanes(1u, vec2<u32>(x, 0u));\n    storageBarrier();\n"),
            "{text}"
        );
        assert!(text.ends_with("storageBarrier();\n    tell(2u);\n    tell_end();\n}\n"), "{text}");
        assert!(text.starts_with("fn f(@builtin(workgroup_id) g: u32) {\n    tell_begin();\n"), "{text}");
        let said: Vec<_> =
            sites.iter().map(|site| (site.line, &*site.sentence, site.ends.as_deref())).collect();
        assert_eq!(said, [(4, "One and more.", None), (6, "Two.", None), (9, "Three.", Some("f"))]);
        assert_eq!(sites[0].kind, SiteKind::Columns("log n".into()));
        assert_eq!(sites[0].code, ["fn f(@builtin(workgroup_id) g: u32) {"]);
        let wrong = told("// round n: Nothing.\nlet a = 1;\n");
        assert_eq!(wrong, Err("shaders/a.wgsl:2: the sentence of a round stands before no barrier".into()));
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
}

//! The text of a shader: its file with the parts that it imports before it, the prelude in front.
//!
//! A line `#import shared/scan` names a part, which is a file of `shaders/` without its ending, or one that is generated.
//! Each is taken once, where it is first asked for. WGSL does not mind the order of declarations, so a part may also use
//! what a file that imports it declares; such a part says so in its head.
//!
//! Bindings are declared there alone. [`bindings`] reads them off the text, so the host names buffers as the shader does.

use std::borrow::Cow;

use include_dir::{Dir, File, include_dir};

use crate::layout;

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

/// The whole text that the device compiles for the shader that begins with a file.
///
/// # Errors
/// If there is no such part, or one leads back to itself; says in which line of which file.
pub fn assemble(file: &str) -> Result<String, String> {
    let part = |name: &str| match layout::part(name) {
        Some(text) => Some(Cow::Owned(text)),
        None => FOLDER.get_file(format!("{name}.wgsl"))?.contents_utf8().map(Cow::Borrowed),
    };
    let mut assembly = Assembly { part: &part, text: layout::prelude(), open: Vec::new(), taken: Vec::new() };
    assembly.take(file, "the host")?;
    Ok(assembly.text)
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
}

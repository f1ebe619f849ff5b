//! Modules that use each other in a circle. In each folder, the modules are compared with each other; a module includes
//! its submodules. The folder's own file is left out. A path uses the module that declares the path's last name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{module_of, sources, without_tests};

type Name = Vec<String>;

struct Import {
    path: Name,
    local: String,
    /// Whether it is a `pub use`. Such an import counts as a use only if the module's text mentions its name.
    public: bool,
}

/// A module: its imports, its text without them, and the names that it declares.
struct Module {
    imports: Vec<Import>,
    code: String,
    declared: BTreeSet<String>,
}

struct Modules(BTreeMap<Name, Module>);

#[test]
fn modules_of_a_folder_use_each_other_in_no_circle() {
    let modules = Modules::read();
    let uses = modules.uses();
    let mut found = Vec::new();
    let folders: BTreeSet<&[String]> =
        uses.keys().filter_map(|module| module.split_last()).map(|s| s.1).collect();
    for folder in folders {
        let mut arrows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (user, used) in uses.iter().flat_map(|(user, used)| used.iter().map(move |used| (user, used))) {
            let below = |module: &'_ Name| module.starts_with(folder) && module.len() > folder.len();
            if below(user) && below(used) && user[folder.len()] != used[folder.len()] {
                arrows.entry(&user[folder.len()]).or_default().insert(&used[folder.len()]);
            }
        }
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            arrows.keys().map(|from| (*from, reach(&arrows, from))).collect();
        let mut seen = BTreeSet::new();
        for (from, there) in &reached {
            let is_back = |to: &&&str| reached.get(**to).is_some_and(|back| back.contains(from));
            let circle: Vec<&str> = there.iter().filter(is_back).copied().collect();
            if !circle.is_empty() && seen.insert(circle.clone()) {
                found.push(format!("{}: {}", folder.join("::"), circle.join(", ")));
            }
        }
    }
    assert!(found.is_empty(), "cut these circles: {found:#?}");
}

/// Returns all modules that one leads to.
fn reach<'a>(arrows: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(from) = open.pop() {
        open.extend(arrows.get(from).into_iter().flatten().copied().filter(|to| reached.insert(*to)));
    }
    reached
}

impl Modules {
    fn read() -> Modules {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        // A root above a room only names other crates.
        let files = sources(&src).into_iter();
        let files = files.filter(|file| !file.ends_with("main.rs") && !file.ends_with("lib.rs"));
        Modules(files.map(|file| (module_of(file.strip_prefix(&src).unwrap()), Module::read(&file))).collect())
    }

    /// Returns the modules that each module uses.
    fn uses(&self) -> BTreeMap<&Name, BTreeSet<Name>> {
        let used = |name: &Name, module: &Module| {
            let imported = module.imports.iter().filter(|one| !one.public || is_used(&module.code, &one.local));
            let paths = imported.map(|one| one.path.clone()).chain(paths(&module.code));
            let used = paths.filter_map(|path| self.resolve(&self.rooted(name, &path)?, 0));
            used.filter(|used| used != name).collect()
        };
        self.0.iter().map(|(name, module)| (name, used(name, module))).collect()
    }

    /// Returns a path of a module's text as a path from the crate's root, if it leads into the crate.
    fn rooted(&self, module: &Name, path: &[String]) -> Option<Name> {
        let ups = path.iter().take_while(|word| *word == "super").count();
        let rest = &path[ups..];
        let own = |rest: &[String]| Some([module, rest].concat());
        match rest.first()?.as_str() {
            _ if ups > 0 => Some([&module[..module.len().checked_sub(ups)?], rest].concat()),
            "crate" => Some(rest[1..].to_vec()),
            "self" => own(&rest[1..]),
            first if self.0.contains_key(&own(&[first.to_string()])?) => own(rest),
            first => {
                let import =
                    self.0[module].imports.iter().find(|one| one.local == first && one.path[0] != first)?;
                self.rooted(module, &[&import.path, &rest[1..]].concat())
            }
        }
    }

    /// Returns the module that declares the name at the end of a path; imports on the way are followed.
    fn resolve(&self, path: &[String], depth: usize) -> Option<Name> {
        let inside = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]))?;
        let (name, module) = (path[..inside].to_vec(), &self.0[&path[..inside]]);
        let Some(word) = path.get(inside).filter(|word| !module.declared.contains(*word)) else {
            return Some(name);
        };
        match module.imports.iter().find(|one| one.local == *word).filter(|_| depth < 20) {
            Some(import) => {
                self.resolve(&[&self.rooted(&name, &import.path)?, &path[inside + 1..]].concat(), depth + 1)
            }
            None => Some(name),
        }
    }
}

impl Module {
    fn read(file: &Path) -> Module {
        let text = without_tests(&fs::read_to_string(file).unwrap());
        let (mut imports, mut code) = (Vec::new(), String::new());
        let mut rest = text.as_str();
        while let Some(at) = rest.find("use ") {
            let before = rest[..at].rsplit('\n').next().unwrap_or("").trim();
            let (public, is_import) =
                (before.starts_with("pub"), before.is_empty() || before.starts_with("pub"));
            let end = at + rest[at..].find(';').map_or(rest.len() - at, |end| end + 1);
            let taken = if is_import { end } else { at + 4 };
            code.push_str(if is_import { &rest[..at] } else { &rest[..taken] });
            if is_import {
                tree(&rest[at + 4..end].replace(char::is_whitespace, " "), public, &mut imports);
            }
            rest = &rest[taken..];
        }
        code.push_str(rest);
        let words: Vec<&str> = code.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
        let declares =
            ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "macro_rules", "numbered"];
        let declared =
            words.windows(2).filter(|pair| declares.contains(&pair[0])).map(|pair| pair[1].to_string());
        Module { imports, declared: declared.collect(), code }
    }
}

/// Reads a tree of imports.
fn tree(text: &str, public: bool, imports: &mut Vec<Import>) {
    let mut add = |path: &Name, local: String| imports.push(Import { path: path.clone(), local, public });
    let (mut prefixes, mut path, mut word) = (Vec::new(), Name::new(), String::new());
    let mut renamed = None;
    for c in text.chars() {
        match c {
            c if is_word(c) || c == '*' => word.push(c),
            ' ' if word == "as" => renamed = Some(std::mem::take(&mut word)).and(path.last().cloned()),
            ' ' | ':' if !word.is_empty() => path.push(std::mem::take(&mut word)),
            '{' => prefixes.push(path.clone()),
            ',' | '}' | ';' => {
                let last = std::mem::take(&mut word);
                if renamed.take().is_some() {
                    add(&path, last);
                } else if last == "self" {
                    add(&path, path.last().cloned().unwrap_or_default());
                } else if !last.is_empty() {
                    path.push(last.clone());
                    add(&path, last);
                }
                path = prefixes.last().cloned().unwrap_or_default();
                if c == '}' {
                    prefixes.pop();
                    path = prefixes.last().cloned().unwrap_or_default();
                }
            }
            _ => {}
        }
    }
}

/// Returns the paths of at least two words in a text.
fn paths(code: &str) -> impl Iterator<Item = Name> {
    let pieces = code.split(|c: char| !is_word(c) && c != ':').filter(|piece| piece.contains("::"));
    let words = pieces.map(|piece| piece.split("::").map(String::from).collect::<Name>());
    words.filter(|words| words.iter().take(2).all(|word| !word.is_empty() && !word.contains(':')))
}

fn is_used(code: &str, name: &str) -> bool {
    name == "*" || code.split(|c: char| !is_word(c)).any(|word| word == name)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

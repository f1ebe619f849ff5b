//! What is given out, the archive of the repository: its contents, and the licences of all dependencies.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::extent::{exhaustive, skip};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cargo(words: &[&str]) -> Output {
    cargo_in(root(), words)
}

fn cargo_in(folder: &Path, words: &[&str]) -> Output {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    Command::new(cargo).args(words).current_dir(folder).output().expect("cargo starts")
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn parse(file: &str) -> toml::Table {
    read(Path::new(file)).parse().unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn strings(list: &toml::Value) -> Vec<String> {
    let list = list.as_array().expect("a list");
    list.iter().map(|one| one.as_str().expect("a string").to_string()).collect()
}

/// Returns whether a licence expression is satisfied by the allowed licences. `/` is an old spelling of OR.
fn met(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let result = any(&words, &mut at, allowed);
    result && at == words.len()
}

/// Parses alternatives; all are parsed, even after a match.
fn any(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut result = all(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        result |= all(words, at, allowed);
    }
    result
}

fn all(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut result = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        result &= one(words, at, allowed);
    }
    result
}

/// Parses a licence, with or without an exception, or an expression in brackets.
fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let result = any(words, at, allowed);
        *at += 1;
        return result;
    }
    let mut licence = (*word).to_string();
    if words.get(*at) == Some(&"WITH") {
        licence += &format!(" WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
    }
    allowed.contains(&licence)
}

#[test]
fn licence_expressions_are_evaluated() {
    let allowed: Vec<String> = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(String::from).to_vec();
    for expression in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT/Apache-2.0",
        "Apache-2.0 / MIT",
        "MIT AND Zlib",
        "(GPL-3.0 OR MIT) AND Zlib",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
    ] {
        assert!(met(expression, &allowed), "{expression}");
    }
    for expression in
        ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "MIT WITH x", "(MIT OR Zlib) AND GPL-3.0", "MIT MIT"]
    {
        assert!(!met(expression, &allowed), "{expression}");
    }
}

/// Returns all dependencies, for all features and platforms, as `name version|licence`; only those of this
/// platform if the others have not been fetched.
fn dependencies() -> Vec<String> {
    let tree = |target: &[&str]| {
        let words =
            ["tree", "--locked", "--offline", "--all-features", "--prefix", "none", "--format", "{p}|{l}"];
        cargo(&[&words[..], &["--edges", "normal,build,dev"], target].concat())
    };
    let mut output = tree(&["--target", "all"]);
    if !output.status.success() {
        output = tree(&[]);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines: Vec<String> = text.lines().map(|line| line.trim_end_matches(" (*)").to_string()).collect();
    lines.retain(|line| !line.is_empty());
    lines.sort();
    lines.dedup();
    lines
}

#[test]
fn dependency_licences_are_all_allowed() {
    let deny = parse("deny.toml");
    let licences = &deny["licenses"];
    let allowed = strings(&licences["allow"]);
    let exceptions = licences["exceptions"].as_array().expect("a list");
    let dependencies = dependencies();
    assert!(dependencies.len() > 100, "{dependencies:?}");
    for line in &dependencies {
        let (package, licence) = line.split_once('|').expect("a licence");
        let name = package.split(' ').next().expect("a name");
        let own = exceptions.iter().filter(|exception| exception["crate"].as_str() == Some(name));
        let mut allowed = allowed.clone();
        allowed.extend(own.flat_map(|exception| strings(&exception["allow"])));
        assert!(met(licence, &allowed), "{package} has `{licence}`, and deny.toml does not allow it");
    }
    // Each allowed licence is needed.
    for licence in &allowed {
        assert!(dependencies.iter().any(|line| line.contains(licence)), "nothing has {licence}");
    }
}

#[test]
fn dependencies_come_from_the_registry() {
    let (lock, members) = (parse("Cargo.lock"), members());
    for package in lock["package"].as_array().expect("packages") {
        let source = package.get("source").map_or("", |source| source.as_str().expect("a string"));
        let name = package["name"].as_str().expect("a name");
        let registry = source == "registry+https://github.com/rust-lang/crates.io-index";
        let own = source.is_empty() && (name == "myriad" || members.iter().any(|member| member == name));
        assert!(registry || own, "{name}: {source}");
    }
}

/// Returns the names of the workspace's members, except the root.
fn members() -> Vec<String> {
    let own = parse("Cargo.toml")["workspace"]["dependencies"].clone();
    let own =
        own.as_table().expect("a table").iter().filter(|(_, dependency)| dependency.get("path").is_some());
    own.map(|(name, _)| name.clone()).collect()
}

/// The compiler does not know the terminal: a member names a dependency only if its own text does.
#[test]
fn members_use_the_dependencies_that_they_name() {
    for member in members() {
        let manifest = parse(&format!("src/{member}/Cargo.toml"));
        let unix = manifest.get("target").and_then(|target| target["cfg(unix)"].get("dependencies"));
        let tables = [manifest.get("dependencies"), unix];
        let text = sources(&root().join("src").join(&member)).iter().map(|file| read(file)).collect::<String>();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c)).collect();
        for name in tables.into_iter().flatten().flat_map(|table| table.as_table().expect("a table").keys()) {
            let (first, alone) = (name.replace('-', "_") + "::", "::".to_string() + name);
            let used =
                words.iter().any(|word| word.trim_start_matches("::").starts_with(&first) || *word == alone);
            assert!(used, "{member} does not use `{name}`");
        }
    }
}

#[test]
fn own_licence_files_are_complete() {
    let manifest = parse("Cargo.toml");
    assert_eq!(manifest["workspace"]["package"]["license"].as_str(), Some("MIT OR Apache-2.0"));
    let mit = read(Path::new("LICENSE-MIT"));
    assert!(mit.contains("MIT License") && mit.contains("WITHOUT WARRANTY OF ANY KIND"), "{mit}");
    let apache = read(Path::new("LICENSE-APACHE"));
    assert!(apache.contains("Version 2.0, January 2004") && apache.contains("END OF TERMS AND CONDITIONS"));
}

/// A clone without history, as `git archive` writes it, has all that the program is built of.
#[test]
fn archive_of_the_repository_builds_offline() {
    let folder = tempfile::tempdir().expect("a folder");
    let tar = folder.path().join("archive.tar");
    let archived =
        Command::new("git").args(["archive", "-o"]).arg(&tar).arg("HEAD").current_dir(root()).output();
    if !archived.is_ok_and(|done| done.status.success()) {
        return skip("this is no clone");
    }
    let unpacked = Command::new("tar").arg("xf").arg(&tar).current_dir(folder.path()).status();
    assert!(unpacked.expect("tar starts").success());
    let there = folder.path();
    for wanted in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "Cargo.lock", "src/main.rs", "samples/gcd.myr"]
    {
        assert!(there.join(wanted).is_file(), "{wanted} is not in the archive");
    }
    // Files that are built into the program are in the archive.
    for source in sources(&there.join("src")) {
        for included in includes(&read(&source)) {
            let above = source.strip_prefix(there).expect("inside").parent().expect("a folder");
            let path = match included.strip_prefix("$CARGO_MANIFEST_DIR/") {
                Some(inside) => above.iter().take(2).collect::<PathBuf>().join(inside),
                None => above.join(&included),
            };
            let exists = there.join(normal(&path)).exists();
            assert!(exists, "{} includes {included}, and that is not in the archive", source.display());
        }
    }
    // The whole check compiles the program again.
    let work: &[&str] = if exhaustive() { &["check"] } else { &["tree", "--depth=1"] };
    let output = cargo_in(there, &[work, &["--locked", "--offline"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns all Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => Vec::from_iter(path.extension().is_some_and(|e| e == "rs").then_some(path)),
        })
        .collect()
}

/// Returns the literal paths that a source includes.
fn includes(source: &str) -> Vec<String> {
    let macros = ["include_str!(\"", "include_bytes!(\"", "include_dir!(\"", "include!(\""];
    let named = macros.iter().flat_map(|start| source.split(start).skip(1));
    named.filter_map(|rest| Some(rest.split_once('"')?.0.to_string())).collect()
}

/// Returns a path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

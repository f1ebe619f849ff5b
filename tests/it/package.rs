//! The package: its contents, its size, and the licences of all dependencies.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Limit of the total size of a package's files, in bytes, before compression to about a third. The registry
/// accepts 10 MB of packed files.
const MOST: u64 = 12_000_000;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cargo(words: &[&str]) -> Output {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    Command::new(cargo).args(words).current_dir(root()).output().expect("cargo starts")
}

fn parse(file: &str) -> toml::Table {
    let text = std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    text.parse().unwrap_or_else(|error| panic!("{file}: {error}"))
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
    let lock = parse("Cargo.lock");
    for package in lock["package"].as_array().expect("packages") {
        let source = package.get("source").map_or("", |source| source.as_str().expect("a string"));
        let name = package["name"].as_str().expect("a name");
        let registry = source == "registry+https://github.com/rust-lang/crates.io-index";
        assert!(registry || (name == "myriad" && source.is_empty()), "{name}: {source}");
    }
}

#[test]
fn own_licence_files_are_complete() {
    let manifest = parse("Cargo.toml");
    assert_eq!(manifest["package"]["license"].as_str(), Some("MIT OR Apache-2.0"));
    let read = |file: &str| std::fs::read_to_string(root().join(file)).expect(file);
    let mit = read("LICENSE-MIT");
    assert!(mit.contains("MIT License") && mit.contains("WITHOUT WARRANTY OF ANY KIND"), "{mit}");
    let apache = read("LICENSE-APACHE");
    assert!(apache.contains("Version 2.0, January 2004") && apache.contains("END OF TERMS AND CONDITIONS"));
}

/// Returns the files of the package.
fn packaged() -> Vec<PathBuf> {
    let output = cargo(&["package", "--list", "--allow-dirty", "--locked", "--offline"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| root().join(line)).collect()
}

#[test]
fn package_is_small_and_complete() {
    let files = packaged();
    for wanted in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "Cargo.lock", "src/main.rs", "samples/gcd.myr"]
    {
        assert!(files.contains(&root().join(wanted)), "{wanted} is not in the package");
    }
    // Some files are generated for the package and do not exist elsewhere.
    let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |data| data.len());
    let bytes: u64 = files.iter().map(size).sum();
    println!("{} files, {bytes} bytes before they are packed", files.len());
    assert!(bytes < MOST, "{bytes} bytes: which of these does a user need?");
    // Files that are built into the program are in the package.
    let sources = files.iter().filter(|file| file.extension().is_some_and(|e| e == "rs"));
    for source in sources {
        let text = std::fs::read_to_string(source).expect("a source");
        for included in includes(&text) {
            let path = match included.strip_prefix("$CARGO_MANIFEST_DIR/") {
                Some(inside) => root().join(inside),
                None => normal(&source.parent().expect("a folder").join(&included)),
            };
            let there = files.iter().any(|file| file.starts_with(&path));
            assert!(there, "{} includes {included}, and that is not in the package", source.display());
        }
    }
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

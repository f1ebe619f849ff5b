//! Releases: the profile, the packed files, and the names that `cargo binstall`, the workflow and the changelog agree on.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const TARGET: &str = "x86_64-unknown-linux-gnu";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn released_programs_are_small_and_have_names_that_binstall_finds() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("a manifest");
    let profile = &manifest["profile"]["dist"];
    assert_eq!((profile["lto"].as_str(), profile["strip"].as_bool()), (Some("thin"), Some(true)));
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let workflow = read(".github/workflows/release.yml");
    let targets: BTreeSet<&str> =
        { workflow.lines() }.filter_map(|line| line.split_once("{ target: ")?.1.split(',').next()).collect();
    assert_eq!(targets.len(), 5, "{targets:?}");
    for target in targets {
        let windows = target.contains("windows");
        let own = if windows { &binstall["overrides"][target] } else { binstall };
        let name = if windows { ".zip" } else { ".tar.gz" };
        let expected =
            "{ repo }/releases/download/v{ version }/{ name }-{ version }-{ target }".to_string() + name;
        assert_eq!(own["pkg-url"].as_str(), Some(expected.as_str()), "{target}");
    }
    assert!(workflow.contains("--profile dist") && workflow.contains("sha256sum"));
    let version = manifest["workspace"]["package"]["version"].as_str().expect("a version");
    assert!(read("CHANGELOG.md").lines().any(|line| line == format!("## {version}")), "no notes for {version}");
}

/// Packs the program under test by a script in its place, which is smaller.
#[cfg(target_os = "linux")]
#[test]
fn packed_release_has_manual_pages_completions_and_licences() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("myriad");
    std::fs::write(&program, format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_myriad")))
        .expect("a program");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it may run");
    let pack = root().join("tests/pack");
    let done = Command::new(pack).arg(TARGET).arg(folder.path()).output().expect("it starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let name = format!("myriad-{}-{TARGET}", env!("CARGO_PKG_VERSION"));
    let packed = root().join(format!("target/packed/{name}.tar.gz"));
    let listed = Command::new("tar").arg("tzf").arg(&packed).output().expect("tar starts");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    std::fs::remove_file(&packed).expect("it can be removed");
    for file in [
        "myriad",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "man/myriad.1",
        "man/myriad-mutate.1",
        "completions/myriad.bash",
        "completions/_myriad",
        "completions/myriad.fish",
        "completions/_myriad.ps1",
    ] {
        assert!(listed.lines().any(|line| line == format!("{name}/{file}")), "{file} is missing in\n{listed}");
    }
}

//! Every sample compiles and passes its own tests, unless its first line says otherwise.

use crate::common::command::{codes, myriad, samples};
use myriad::lang::samples::{all, named};

#[test]
fn samples_compile_and_pass_unless_marked() {
    let paths = samples();
    assert!(paths.len() >= 12, "only {} samples", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a sample");
        let first = text.lines().next().unwrap_or("");
        let lines = text.lines().count();
        assert!((20..=120).contains(&lines), "{} has {lines} lines", path.display());

        let called = myriad(
            &["test".as_ref(), path.as_os_str(), "--engine=cpu".as_ref(), "--format=json".as_ref()],
            b"",
        );
        let file = called.file();
        let errors = codes(&file).iter().any(|code| code.starts_with('E'));
        let (compiles, passes) = (!first.contains("does not compile"), !first.contains("does not pass"));
        let said = &called.stdout;
        assert_eq!(compiles, !errors, "{}: {said}", path.display());
        assert_eq!(called.code, i32::from(!compiles || !passes), "{}: {said}", path.display());
        if compiles {
            assert!(codes(&file).is_empty(), "{} has warnings: {said}", path.display());
            assert!(
                file["tests"].as_array().is_some_and(|tests| tests.len() >= 5),
                "{}: {said}",
                path.display()
            );
        }
    }
}

#[test]
fn samples_have_a_description() {
    let samples = all();
    assert!(samples.len() >= 10);
    assert!(samples.iter().all(|sample| sample.text.starts_with("//") && sample.about().len() > 10));
    assert_eq!(named("gcd.myr").map(|sample| sample.name), Some("gcd.myr"));
    assert_eq!(named("none.myr"), None);
}

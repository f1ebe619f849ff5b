//! Shards: what each gives, put together, is what the whole gives, to the byte.

use crate::common::command::{Called, call, myriad};
use serde_json::json;

/// Calls a command as a whole and in so many shards; what the whole printed, and the files of the shards in some other order.
fn shards(folder: &tempfile::TempDir, words: &str, input: &str, of: usize) -> (Called, Vec<String>) {
    let called = |more: &[&str]| {
        let words: Vec<&str> = words.split_whitespace().chain(more.iter().copied()).collect();
        myriad(&words, input.as_bytes())
    };
    let mut files = Vec::new();
    for index in 1..=of {
        let part = called(&["--shard", &format!("{index}/{of}")]);
        let path = folder.path().join(format!("part-{index}"));
        std::fs::write(&path, part.stdout).expect("written");
        files.push(path.display().to_string());
    }
    files.rotate_left(1);
    (called(&[]), files)
}

fn merged(files: &[String], more: &[&str]) -> Called {
    let files = files.iter().map(String::as_str);
    myriad(&["merge"].into_iter().chain(files).chain(more.iter().copied()).collect::<Vec<_>>(), b"")
}

#[test]
fn a_partial_shard_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, files) = shards(&folder, "mutate samples/weak.myr --format json --engine cpu", "", 2);
    let text = std::fs::read_to_string(&files[0]).expect("read");
    let cut = text.replacen("\"mutants\":", "\"partial\":{\"reason\":\"interrupt\"},\"mutants\":", 1);
    std::fs::write(&files[0], cut).expect("written");
    let refused = merged(&files, &[]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("is partial: it was cut short"), "{}", refused.stderr);
}

#[test]
fn mutants_of_shards_are_those_of_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    for (words, of) in [
        ("mutate samples/gcd.myr samples/broken.myr samples/roman.myr --format json --engine cpu", 3),
        ("mutate samples/crc.myr --order 2 --budget 700 --format json --engine cpu", 4),
        ("mutate samples/weak.myr --operators relational,constant --why --format json --engine cpu", 2),
        ("mutate samples/weak.myr --budget 2 --format json --engine cpu", 5),
        ("mutate samples/weak.myr --format json --engine cpu", 1),
    ] {
        let (whole, files) = shards(&folder, words, "", of);
        let all = merged(&files, &[]);
        assert_eq!(all.stdout, whole.stdout, "{words}: {}", all.stderr);
        assert_eq!(all.code, whole.code, "{words}");
    }
    let (_, files) = shards(&folder, "mutate samples/weak.myr --format json --engine cpu", "", 2);
    assert_eq!(
        [merged(&files, &["--min-score", "1"]).code, merged(&files, &["--min-score", "100"]).code],
        [0, 1]
    );
}

#[test]
fn repairs_are_shared_out_by_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "repair samples/midpoint.myr samples/broken.myr samples/gcd.myr --budget 3000 --format json";
    let (whole, files) = shards(&folder, words, "", 2);
    let all = merged(&files, &[]);
    assert_eq!((&all.stdout, all.code), (&whole.stdout, whole.code), "{}", all.stderr);
}

/// Lines of a batch: good ones, bad ones, blank ones.
fn batch() -> String {
    let mut input = String::from("\n");
    for id in 0..23 {
        let source = format!("fn f() -> int {{ return {}; }} test f() == 1;", id % 3);
        input += &format!("{}\n", json!({"id": id, "group": id % 4, "source": source}));
        if id % 5 == 0 {
            input += "no candidate\n  \n";
        }
    }
    input
}

#[test]
fn lines_of_shards_are_those_of_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    for of in [1, 3, 7, 40] {
        let (whole, files) = shards(&folder, "batch", &batch(), of);
        let all = merged(&files, &[]);
        assert_eq!((&all.stdout, all.code), (&whole.stdout, whole.code), "{of}: {}", all.stderr);
        let passes = myriad(&["batch", "--pass-at", "1,2"], batch().as_bytes());
        assert_eq!(merged(&files, &["--pass-at", "1,2"]).stdout, passes.stdout);
    }
    let (whole, files) = shards(&folder, "batch", "", 3);
    assert_eq!((merged(&files, &[]).stdout, merged(&files, &[]).code), (whole.stdout, 0));
}

#[test]
fn what_is_not_all_of_one_call_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, lines) = shards(&folder, "batch", &batch(), 3);
    let other = tempfile::tempdir().expect("a folder");
    let (_, documents) = shards(&other, "mutate samples/weak.myr --format json --engine cpu", "", 2);
    let text = |path: &str| std::fs::read_to_string(path).expect("read");
    let file = |name: &str, text: &str| {
        let path = other.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let refuses = |files: &[&String], said: &str| {
        let files: Vec<String> = files.iter().map(|file| file.to_string()).collect();
        let called = merged(&files, &[]);
        assert_eq!((called.code, called.stdout.as_str()), (2, ""), "{said}: {}", called.stderr);
        assert!(called.stderr.contains(said), "{said}: {}", called.stderr);
    };
    refuses(&[&lines[0], &lines[1]], "is missing");
    refuses(&[&lines[0], &lines[1], &lines[1]], "are both shard");
    refuses(&[&lines[0], &lines[1], &documents[0]], "begin with");
    refuses(&[&documents[0]], "is missing");
    // One that was killed.
    let cut = text(&lines[0]);
    let half = file("half", &cut[..cut.len() / 2]);
    refuses(&[&half, &lines[1], &lines[2]], "did not end");
    let ends = cut.trim_end().rfind('\n').expect("lines") + 1;
    refuses(&[&file("endless", &cut[..ends]), &lines[1], &lines[2]], "did not end");
    // Another program, and one that somebody has written over.
    let (_, others) = shards(&folder, "mutate samples/gcd.myr --format json --engine cpu", "", 2);
    let first = |files: &[String]| files.iter().find(|file| file.ends_with("1")).expect("the first").clone();
    let second = |files: &[String]| files.iter().find(|file| file.ends_with("2")).expect("the second").clone();
    refuses(&[&first(&documents), &second(&others)], "differ in `file`");
    let bent = text(&second(&documents)).replace("\"status\":\"killed\"", "\"status\":\"well\"");
    refuses(&[&first(&documents), &file("bent", &bent)], "without a status");
    for bad in [
        "",
        "{}",
        "[",
        "{\"version\":1,\"files\":[]}",
        "{\"shard\":{\"index\":0,\"of\":0,\"by\":\"files\"},\"files\":[]}",
    ] {
        assert_eq!(merged(&[file("bad", bad)], &[]).code, 2, "{bad}");
    }
    assert_eq!(call("merge none").code, 2);
    assert_eq!(call("batch --shard 4/3").code, 2);
    assert_eq!(call("mutate samples/gcd.myr --shard 1/2 --min-score 3").code, 2);
}

//! Shards: their merged output is identical to that of the whole call.

use crate::common::command::{Called, call, myriad};
use serde_json::{Value, json};

/// Calls a command as a whole and in `of` shards; returns the whole output, and the files of the shards in
/// another order.
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
fn merged_mutant_shards_equal_the_whole_run() {
    let folder = tempfile::tempdir().expect("a folder");
    for (words, of) in [
        ("mutate samples/gcd.myr samples/broken.myr samples/roman.myr --format json --engine cpu", 3),
        ("mutate samples/crc.myr --order 2 --budget 700 --format json --engine cpu", 4),
        ("mutate samples/weak.myr --operators relational,constant --why --format json --engine cpu", 2),
        ("mutate samples/weak.myr --budget 2 --format json --engine cpu", 5),
        ("mutate samples/weak.myr --format json --engine cpu", 1),
        ("mutate samples/sorting.myr --operators constant --format json --engine cpu", 5),
        (
            "mutate samples/gcd.myr --order 2 --budget 900 --operators deletion,relational --format json --engine cpu",
            4,
        ),
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

/// With one mutant per shard, every duplicate is judged without its original.
#[test]
fn duplicate_mutants_are_judged_without_their_original() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "fn f(x: int) -> int {\n    return x + 1; // myriad: ignore arithmetic\n}\ntest f(3) > 2;\n";
    let path = folder.path().join("program.myr");
    std::fs::write(&path, program).expect("written");
    let path = path.display();
    for options in ["", " --operators constant", " --operators constant,deletion --order 2 --budget 60"] {
        let words = format!("mutate {path} --format json --engine cpu{options}");
        let (whole, files) = shards(&folder, &words, "", 12);
        assert_eq!(merged(&files, &[]).stdout, whole.stdout, "{options}");
    }
}

#[test]
fn merged_score_is_compared_as_an_exact_ratio() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.myr");
    let program = "fn both(a: bool, b: bool) -> bool { return a && b; }\ntest both(true, true);\n";
    std::fs::write(&path, program).expect("written");
    let words = format!("mutate {} --format json --engine cpu", path.display());
    let (_, files) = shards(&folder, &words, "", 2);
    let called = merged(&files, &["--min-score", "66.7"]);
    assert_eq!(called.code, 1);
    assert!(
        called.stderr.contains("program.myr: the score 66.67 % (2 of 3) is below 66.7 %"),
        "{}",
        called.stderr
    );
    assert_eq!(merged(&files, &["--min-score", "66.66"]).code, 0);
}

/// Removes the mutant at an index from a document's first file; the counts are unchanged.
fn without_mutant(document: &mut Value, index: usize) {
    document["files"][0]["mutants"].as_array_mut().expect("mutants").remove(index);
}

#[test]
fn incomplete_document_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, files) = shards(&folder, "mutate samples/weak.myr --format json --engine cpu", "", 2);
    let texts: Vec<String> = files.iter().map(|file| std::fs::read_to_string(file).expect("read")).collect();
    let whole: Value = serde_json::from_str(&texts[0]).expect("a document");
    let survived = |document: &Value| {
        let mutants = document["files"][0]["mutants"].as_array().expect("mutants");
        mutants.iter().position(|mutant| mutant["status"] == "survived").expect("a survivor")
    };
    type Bend = fn(&mut Value, usize);
    let bends: [(&str, Bend); 17] = [
        ("mutants null", |document, _| document["files"][0]["mutants"] = Value::Null),
        ("mutants empty", |document, _| document["files"][0]["mutants"] = json!([])),
        ("no mutants", |document, _| {
            drop(document["files"][0].as_object_mut().expect("a file").remove("mutants"))
        }),
        ("no survivor", |document, survivor| without_mutant(document, survivor)),
        ("the first is gone", |document, _| without_mutant(document, 0)),
        ("the last is gone", |document, _| {
            let last = document["files"][0]["mutants"].as_array().map_or(0, Vec::len) - 1;
            without_mutant(document, last);
        }),
        ("another status", |document, survivor| {
            document["files"][0]["mutants"][survivor]["status"] = json!("killed");
        }),
        ("another score", |document, _| document["files"][0]["score"] = json!(100.0)),
        ("no score", |document, _| drop(document["files"][0].as_object_mut().expect("a file").remove("score"))),
        ("other counts", |document, _| document["files"][0]["single_counts"]["survived"] = json!(0)),
        ("counts null", |document, _| document["files"][0]["counts"] = Value::Null),
        ("no ids", |document, _| drop(document["files"][0].as_object_mut().expect("a file").remove("ids"))),
        ("other ids", |document, _| document["files"][0]["ids"]["end"] = json!(1)),
        ("version 2", |document, _| document["version"] = json!(2)),
        ("no version", |document, _| drop(document.as_object_mut().expect("an object").remove("version"))),
        ("no file", |document, _| document["files"] = json!([])),
        ("no diagnostics", |document, _| {
            drop(document["files"][0].as_object_mut().expect("a file").remove("diagnostics"));
        }),
    ];
    for (what, bend) in bends {
        let mut document = whole.clone();
        bend(&mut document, survived(&whole));
        let path = folder.path().join("bent");
        std::fs::write(&path, document.to_string()).expect("written");
        let called = merged(&[path.display().to_string(), files[1].clone()], &[]);
        assert_eq!((called.code, called.stdout.as_str()), (2, ""), "{what}: {}", called.stderr);
        assert!(called.stderr.contains("bent has"), "{what}: {}", called.stderr);
    }
    // A survivor that is removed along with its counts and score leaves a gap in the ids.
    let mut document = whole.clone();
    let at = survived(&whole);
    without_mutant(&mut document, at);
    for counts in ["counts", "single_counts"] {
        let counted = &mut document["files"][0][counts]["survived"];
        *counted = json!(counted.as_u64().expect("a count") - 1);
    }
    let path = folder.path().join("bent");
    std::fs::write(&path, document.to_string()).expect("written");
    let called = merged(&[path.display().to_string(), files[1].clone()], &[]);
    assert_eq!(called.code, 2);
    assert!(called.stderr.contains("bent has no mutant"), "{}", called.stderr);
    // So does a file that is missing from a shard of files.
    let words = "repair samples/midpoint.myr samples/gcd.myr --budget 100 --format json --engine cpu";
    let (_, files) = shards(&folder, words, "", 1);
    let mut document: Value =
        serde_json::from_str(&std::fs::read_to_string(&files[0]).expect("read")).expect("JSON");
    document["files"].as_array_mut().expect("files").remove(0);
    std::fs::write(&path, document.to_string()).expect("written");
    let called = merged(&[path.display().to_string()], &[]);
    assert_eq!(called.code, 2);
    assert!(called.stderr.contains("has 1 file of 2"), "{}", called.stderr);
}

/// Formats a JSON text as `python -m json.tool` does: blanks between the parts, and characters beyond ASCII escaped.
fn laid_out(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("a value");
    let mut out = String::new();
    for c in pretty.chars() {
        match c {
            c if c.is_ascii() => out.push(c),
            c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out += &format!("\\u{unit:04X}")),
        }
    }
    out
}

#[test]
fn shards_that_another_program_wrote_again_are_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.myr");
    let text = "fn f(x: int) -> int { return x * 2; } // é\ntest \"é 🚀 \u{200d}\": f(2) == 4;\nprop x in 0..9 => f(x) >= x;\n";
    std::fs::write(&path, text).expect("written");
    for words in ["mutate FILE --why", "mutate FILE --order 2 --budget 90 --diff", "repair FILE FILE"] {
        let words =
            format!("{} --format json --engine cpu", words.replace("FILE", &path.display().to_string()));
        let (whole, files) = shards(&folder, &words, "", 2);
        for file in &files[..1] {
            let text = std::fs::read_to_string(file).expect("read");
            std::fs::write(file, laid_out(&text)).expect("written");
        }
        let all = merged(&files, &[]);
        let value = |called: &Called| -> Value {
            serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{called:?}"))
        };
        assert_eq!((value(&all), all.code), (value(&whole), whole.code), "{words}");
    }
    // Only the layout of the first shard is other: every byte of the output is the same.
    let words = format!("mutate {} --format json --engine cpu", path.display());
    let (whole, files) = shards(&folder, &words, "", 2);
    for file in &files {
        let text = std::fs::read_to_string(file).expect("read");
        let spaced = text.replace("\":", "\" : ").replace("{\"", "{\n  \"").replace(",\"", " ,\n\t\"");
        let _: Value = serde_json::from_str(&spaced).expect("JSON");
        std::fs::write(file, spaced).expect("written");
    }
    assert_eq!(merged(&files, &[]).stdout, whole.stdout);
}

#[test]
fn records_that_another_program_wrote_again_are_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = |id: &str| format!("{}\n", json!({"id": id, "group": "é", "source": "fn f(", "other": 1}));
    let input: String = ["a", "\u{202e}", "\"\\", "é\n"].map(line).concat();
    let (whole, files) = shards(&folder, "batch", &input, 2);
    for file in &files {
        let text = std::fs::read_to_string(file).expect("read");
        let spaced: String = text.lines().map(|line| laid_out(line).replace('\n', " ") + "\n").collect();
        assert!(spaced.contains("\\u00E9"), "{spaced}");
        std::fs::write(file, spaced).expect("written");
    }
    let all = merged(&files, &[]);
    let rows = |called: &Called| -> Vec<Value> {
        called.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    assert_eq!((rows(&all), all.code), (rows(&whole), whole.code), "{all:?}");
    assert!(all.stdout.is_ascii() == whole.stdout.is_ascii() && !all.stdout.contains('\u{202e}'), "{all:?}");
}

#[test]
fn mutants_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "mutate samples/weak.myr --order 2 --budget 600 --format json --engine cpu";
    let (_, files) = shards(&folder, words, "", 1);
    let whole: Value =
        serde_json::from_str(&std::fs::read_to_string(&files[0]).expect("read")).expect("a document");
    let path = folder.path().join("bent");
    let refused = |document: &Value| {
        std::fs::write(&path, document.to_string()).expect("written");
        let called = merged(&[path.display().to_string()], &[]);
        assert!(
            called.code != 2 || called.stdout.is_empty() && called.stderr.contains("bent has"),
            "{called:?}"
        );
        called.code == 2
    };
    assert!(!refused(&whole));
    let fields = [
        ("killed_by", json!([999])),
        ("killed_by", json!([8])),
        ("killed_by", json!([-1])),
        ("killed_by", json!([])),
        ("killed_by", json!([0, 1])),
        ("killed_by", json!("0")),
        ("noticed_by", json!([77])),
        ("copy_of", json!(99_999)),
        ("copy_of", json!(-1)),
        ("pair", json!([3])),
        ("pair", json!([3, 2])),
        ("pair", json!([3, 99_999])),
        ("operator", json!("nonsense")),
        ("operator", json!("constant+constant+constant")),
        ("operator", json!(1)),
        ("line", json!(-1)),
        ("line", json!(0)),
        ("line", json!(1.5)),
        ("line", json!(100_000)),
        ("column", json!(0)),
        ("end_line", json!(0)),
        ("end_column", Value::Null),
        ("original", json!(3)),
        ("replacement", Value::Null),
        ("ignored", json!("why")),
        ("status", json!("pending")),
        ("id", json!(-1)),
    ];
    let mutants = whole["files"][0]["mutants"].as_array().expect("mutants").len();
    for (field, value) in fields {
        // The first mutant of each status, and a pair.
        let mut seen: Vec<(&Value, bool)> = Vec::new();
        for mutant in 0..mutants {
            let row = &whole["files"][0]["mutants"][mutant];
            let kind = (&row["status"], row.get("pair").is_some());
            if seen.contains(&kind) {
                continue;
            }
            seen.push(kind);
            let mut document = whole.clone();
            document["files"][0]["mutants"][mutant][field] = value.clone();
            assert!(refused(&document), "{field}: {value} of {row}");
        }
        assert!(seen.len() > 5, "{seen:?}");
    }
    for field in
        ["operator", "line", "column", "end_line", "end_column", "original", "replacement", "killed_by"]
    {
        let mut document = whole.clone();
        let killed = document["files"][0]["mutants"].as_array_mut().expect("mutants");
        let killed = killed.iter_mut().find(|mutant| mutant["status"] == "killed").expect("a killed one");
        killed.as_object_mut().expect("an object").remove(field);
        assert!(refused(&document), "without {field}");
    }
}

#[test]
fn merged_repair_shards_equal_the_whole_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "repair samples/midpoint.myr samples/broken.myr samples/gcd.myr --budget 3000 --format json";
    let (whole, files) = shards(&folder, words, "", 2);
    let all = merged(&files, &[]);
    assert_eq!((&all.stdout, all.code), (&whole.stdout, whole.code), "{}", all.stderr);
}

/// Returns lines of a batch: valid, invalid and blank ones.
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
fn merged_batch_shards_equal_the_whole_run() {
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
fn shards_not_from_one_complete_call_are_refused() {
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
    // A shard that was killed.
    let cut = text(&lines[0]);
    let half = file("half", &cut[..cut.len() / 2]);
    refuses(&[&half, &lines[1], &lines[2]], "did not end");
    let ends = cut.trim_end().rfind('\n').expect("lines") + 1;
    refuses(&[&file("endless", &cut[..ends]), &lines[1], &lines[2]], "did not end");
    // A shard of another program, and one that was overwritten.
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

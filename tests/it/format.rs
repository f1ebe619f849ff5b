//! The standard layout: what it looks like, that it changes nothing but white space, and `myriad fmt`.

use std::fs;
use std::sync::Arc;

use myriad::compiler::program::{Compiled, View};
use myriad::compiler::variants::{Ignored, Variants};
use myriad::lang::index::{Indices, MutantId};
use myriad::report::format::format;

use crate::common::command::myriad;
use crate::common::compile::compile;
use crate::common::rng::Rng;
use crate::common::{cases, typed};
use crate::extent::scaled;

/// Pairs of a text and its standard layout.
const LAYOUTS: &[(&str, &str)] = &[
    ("", ""),
    ("\n\n", ""),
    ("// only this  ", "// only this\n"),
    ("const N=3 ;", "const N = 3;\n"),
    ("const N = -  3 + - - 4;", "const N = -3 + --4;\n"),
    (
        "fn f ( a :int,b: [ bool;4 ] )->bool{return ! b [a] ;}",
        "fn f(a: int, b: [bool; 4]) -> bool { return !b[a]; }\n",
    ),
    (
        "fn f() -> int { return int ( true ) + len( [1,2] [0 .. 1] ); }",
        "fn f() -> int { return int(true) + len([1, 2][0..1]); }\n",
    ),
    ("fn f() -> int { let a = 1; return a; }", "fn f() -> int {\n    let a = 1;\n    return a;\n}\n"),
    (
        "fn f(x: int) -> int {\n\n  if x>0 {x=1;}\n  else { x = 2; }\n\n\n  return x;\n\n}",
        "fn f(x: int) -> int {\n    if x > 0 {\n        x = 1;\n    } else {\n        x = 2;\n    }\n\n    return x;\n}\n",
    ),
    (
        "fn f(x: int) -> int {\nif x > 0 { x = 1; } else if x < -5 { x = 3; } else { x = 2; } return x; }",
        "fn f(x: int) -> int {\n    if x > 0 { x = 1; } else if x < -5 { x = 3; } else { x = 2; }\n    return x;\n}\n",
    ),
    (
        "fn f(x: int) -> int { while x > 0 { if x > 1 { break; } } return 1; }",
        "fn f(x: int) -> int {\n    while x > 0 {\n        if x > 1 { break; }\n    }\n    return 1;\n}\n",
    ),
    ("fn f() -> int { { } return 1; // one\n}", "fn f() -> int {\n    {}\n    return 1; // one\n}\n"),
    (
        "fn f() -> int { // why\n// more\n    return 1 + // first\n 2;\n // end\n}",
        "fn f() -> int { // why\n    // more\n    return 1 + // first\n        2;\n    // end\n}\n",
    ),
    (
        "test f([\n1, 2,\n  3],\n 4)\n== 5;\ntest true;",
        "test f([\n    1, 2,\n    3],\n    4)\n    == 5;\ntest true;\n",
    ),
    (
        "prop \"p\"  : x in -3 .. 4 , xs in [0..2 ;3]=>x<3 ;",
        "prop \"p\": x in -3..4, xs in [0..2; 3] => x < 3;\n",
    ),
    ("let a = 1;\r\nlet", ""),
    ("const A = 1;\r\nconst B = 2;", "const A = 1;\r\nconst B = 2;\r\n"),
    ("\u{feff}const A = 1;", "\u{feff}const A = 1;\n"),
];

#[test]
fn layout_is_as_described() {
    for (text, wanted) in LAYOUTS {
        let formatted = format(text);
        match wanted.is_empty() && !text.trim().is_empty() {
            true => assert_eq!(formatted, None, "{text}"),
            false => assert_eq!(formatted.as_deref(), Some(*wanted), "{text}"),
        }
    }
}

#[test]
fn a_block_that_is_too_long_for_a_line_is_broken() {
    let name = "a".repeat(40);
    let text = format!("fn {name}(x: int) -> int {{ return x + {name}({name}(x)); }}\n");
    let wanted = format!("fn {name}(x: int) -> int {{\n    return x + {name}({name}(x));\n}}\n");
    assert_eq!(format(&text).as_ref(), Some(&wanted));
}

fn tokens<'a>(view: View<'a>) -> Vec<&'a str> {
    view.all().iter().map(|token| view.text(token)).collect()
}

/// The comments, which none of the texts here has in a string.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| Some(line[line.find("//")?..].trim_end())).collect()
}

/// Checks what holds for the layout of any program. Returns whether it has one.
fn check(program: &Compiled, name: &str) -> bool {
    let text = &*program.text;
    let Some(once) = format(text) else { return false };
    let again = compile(&once);
    assert_eq!(tokens(program.view()), tokens(again.view()), "{name}\n{text}\n{once}");
    assert_eq!(comments(text), comments(&once), "{name}");
    assert_eq!(program.executable.code.word, again.executable.code.word, "{name}\n{once}");
    assert_eq!(format(&once).as_ref(), Some(&once), "{name} changes twice");
    for line in once.lines() {
        assert_eq!(line, line.trim_end(), "{name}");
    }
    true
}

#[test]
fn layout_keeps_tokens_and_comments_and_is_stable() {
    let mut laid_out = 0;
    let folders = ["samples", "tests/cases", "tests/conformance", "tests/repair"];
    for (name, text) in cases::programs(&folders) {
        laid_out += usize::from(check(&compile(&text), &name));
    }
    assert!(laid_out > 20, "{laid_out}");
}

/// Puts other white space and comments between the tokens of a program.
fn disarranged(program: &Compiled, rng: &mut Rng) -> String {
    const GAPS: [&str; 9] = [" ", " ", " ", "\n", "\n\n\n", "\t", "  ", " // a  \n", "\n// b\n\n// c\n"];
    let view = program.view();
    let mut text = String::new();
    for token in view.all() {
        text.push_str(GAPS[rng.below(GAPS.len())]);
        text.push_str(view.text(token));
    }
    text
}

#[test]
fn layout_of_random_programs_keeps_their_meaning() {
    let mut rng = Rng::new(7);
    for seed in 0..scaled(5_000) {
        let program = compile(&typed::program(seed));
        assert!(check(&program, &format!("seed {seed}")));
        let disarranged = compile(&disarranged(&program, &mut rng));
        assert!(check(&disarranged, &format!("seed {seed}, disarranged")), "{}", disarranged.text);
        assert_eq!(program.executable.code.word, disarranged.executable.code.word, "seed {seed}");
    }
}

#[test]
fn samples_have_the_standard_layout() {
    for (name, text) in cases::programs(&["samples"]) {
        if let Some(formatted) = format(&text) {
            assert_eq!(text, formatted, "{name}");
        }
    }
}

#[test]
fn fmt_writes_the_file_unless_it_only_checks_or_cannot_read_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.myr");
    let name = path.to_str().expect("a name");
    let read = || fs::read_to_string(&path).expect("the file");
    fs::write(&path, "test  true;").expect("it is written");

    let checked = myriad(&["fmt", "--check", name], b"");
    assert_eq!((checked.code, read().as_str()), (1, "test  true;"), "{checked:?}");
    assert!(checked.stderr.contains("is not in the standard layout"), "{checked:?}");

    let written = myriad(&["fmt", name], b"");
    assert_eq!((written.code, read().as_str()), (0, "test true;\n"), "{written:?}");
    let again = myriad(&["fmt", "--check", name], b"");
    assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{again:?}");

    fs::write(&path, "test  true").expect("it is written");
    let broken = myriad(&["fmt", name], b"");
    assert_eq!((broken.code, read().as_str()), (1, "test  true"), "{broken:?}");
    assert!(broken.stderr.contains("E0205"), "{broken:?}");
}

#[test]
fn fmt_prints_standard_input() {
    let printed = myriad(&["fmt", "-"], b"const A=1;");
    assert_eq!((printed.code, printed.stdout.as_str()), (0, "const A = 1;\n"), "{printed:?}");
    let document = myriad(&["fmt", "-", "--format", "json"], b"const A=1;").file();
    assert_eq!((&document["changed"], &document["formatted"]), (&true.into(), &"const A = 1;\n".into()));
}

#[test]
fn fmt_prints_standard_input_byte_for_byte() {
    // A byte order mark, an emoji of several characters, a carriage return at each line's end.
    let text = "\u{feff}const  A=1; // \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{ad}\u{202e}\u{7f}\r\nfn f() -> int { return A; }\r\ntest \"a\": f() == 1;\r\n";
    let wanted = text.replace("const  A=1", "const A = 1");
    let printed = myriad(&["fmt", "-"], text.as_bytes());
    assert_eq!((printed.code, printed.stdout.as_str()), (0, wanted.as_str()), "{printed:?}");
    let document = myriad(&["fmt", "-", "--format", "json"], text.as_bytes());
    assert_eq!(document.file()["formatted"], wanted.as_str());
    assert!(!document.stdout.contains('\u{200d}'), "{document:?}");
}

/// Returns the mutants that comments ignore.
fn ignored(text: &str) -> Vec<MutantId> {
    let program = Arc::new(compile(text));
    assert!(program.facts.compiles(), "{text}");
    let (ignored, variants) = (Ignored::new(&program), Variants::new(program));
    Indices::first(variants.first_order()).iter().filter(|id| ignored.rule(&variants, *id).is_some()).collect()
}

#[test]
fn layout_keeps_what_comments_ignore() {
    // The first is also the layout; in the others, lines are broken or joined.
    let written = [
        "fn f(a: int) -> int {\n    // myriad: ignore\n    let b = a + 1; let c = b * 2;\n    return c - 1;\n}\ntest f(1) == 3;\n",
        "fn f(a: int) -> int { let b = a + 1; return b; } // myriad: ignore\ntest f(1) == 2;",
        "fn f(a: int) -> int { return a +\n a * 2 // myriad: ignore\n; } test f(1) == 3;",
        "fn f(a: int) -> int { let b\n= a + 1; // myriad: ignore\n return\nb * 2; }\ntest f(1) == 4;",
        "fn f(a: int) -> int {\n// myriad: ignore arithmetic\nif a > 1 { return a + 1; }\nelse { return a - 1; }\n}\ntest f(1) == 0;",
    ];
    for text in written {
        let formatted = format(text).expect("a layout");
        assert!(!ignored(text).is_empty() && ignored(text) == ignored(&formatted), "{text}\n{formatted}");
        assert_eq!(format(&formatted).as_ref(), Some(&formatted));
    }
    assert_eq!(format(written[0]).as_deref(), Some(written[0]));
    assert_eq!(ignored(written[0]).len(), 19);
    let (mut rng, mut some) = (Rng::new(3), 0);
    for seed in 0..scaled(400) {
        let mut text = String::new();
        for line in typed::program(seed).lines() {
            if rng.below(8) == 0 {
                text.push_str("\n// myriad: ignore\n");
            }
            text.push_str(line);
            text.push_str(match rng.below(6) {
                0 => " // myriad: ignore\n",
                1 | 2 if !line.contains("//") => " ",
                _ => "\n",
            });
        }
        let formatted = format(&text).expect("a layout");
        let before = ignored(&text);
        assert!(before == ignored(&formatted), "seed {seed}: {text}\n=>\n{formatted}");
        assert!(check(&compile(&text), &format!("seed {seed}")));
        some += usize::from(!before.is_empty());
    }
    assert!(some * 4 > scaled(400) as usize, "{some}");
}

#[test]
fn comments_keep_all_characters_but_blanks_at_their_end() {
    for end in ["\u{a0}", "\u{3000}", "\u{c}", "\u{2028}", "\u{b}x\u{85}"] {
        let text = format!("const  A = 1; //{end} a{end} \t\r\n//{end}  \n");
        let wanted = format!("const A = 1; //{end} a{end}\r\n//{end}\r\n");
        assert_eq!(format(&text), Some(wanted));
    }
}

#[test]
fn comment_that_ignores_no_change_is_a_warning() {
    let warned = |text: &str| {
        let checked = myriad(&["check", "-", "--format", "json"], text.as_bytes());
        let found = checked.file()["diagnostics"].as_array().expect("diagnostics").clone();
        assert_eq!(checked.code, 0, "{checked:?}");
        let row =
            |found: &serde_json::Value| format!("{} {}:{}", found["code"], found["line"], found["column"]);
        found.iter().map(row).collect::<Vec<_>>()
    };
    let text = "// myriad: ignore\nfn f(a: int) -> int {\n    return a + 1; // myriad: ignore logical: é\n} // myriad: ignore\n\
                test f(1) == 2; // é myriad: ignore\n    //  myriad: ignore: end\n";
    assert_eq!(warned(text), ["\"W0007\" 1:4", "\"W0007\" 3:22", "\"W0007\" 4:6", "\"W0007\" 6:9"]);
    assert_eq!(
        warned(&text.replace("// myriad", "// Myriad").replace("//  myriad", "// ")),
        Vec::<String>::new()
    );
    let right = "fn f(a: int) -> int {\n    // myriad: ignore\n    return a + 1;\n}\ntest f(1) == 2;\n";
    assert_eq!(warned(right), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn fmt_keeps_all_names_of_a_file() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().expect("a folder");
    let [one, other] = ["one.myr", "other.myr"].map(|name| folder.path().join(name));
    fs::write(&one, "test  true;   // and more than the layout").expect("written");
    fs::hard_link(&one, &other).expect("linked");
    let called = myriad(&["fmt", one.to_str().expect("a name")], b"");
    assert_eq!(called.code, 0, "{called:?}");
    for path in [&one, &other] {
        assert_eq!(fs::read_to_string(path).expect("read"), "test true; // and more than the layout\n");
        assert_eq!(fs::metadata(path).expect("there").nlink(), 2);
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "no copy is left");
}

//! Hostile programs and file names.

use super::scan::ALL;

/// Returns a correct program with all hostile text in its comments.
pub fn good() -> String {
    format!(
        "// {ALL}\nfn f(a: int) -> int {{ // {ALL}\n    let b = a + 1; // \u{202e}}} // {ALL}\n    return b; \n}}\n\
         test \"a label\": f(1) == 2; // {ALL}\ntest f /* */ (2) == 3;\nprop x in 0..9 => f(x) > x;\n"
    )
    .replace("/* */", "")
}

/// Returns a program whose tests fail, with a label of several lines and escapes.
pub fn failing() -> String {
    format!(
        "fn f(a: int) -> int {{ return a / (a - 3); }} // {ALL}\ntest \"a\\n{}\\tb\": f(3) == 2;\n\
         test f(4)\n  == \n // {ALL}\n 5;\nprop x in 0..9 => f(x) == 1; // \u{202e}\n",
        super::scan::FORGED
    )
}

/// Returns all contents, each with a name.
pub fn contents() -> Vec<(&'static str, Vec<u8>)> {
    let text = |text: String| text.into_bytes();
    vec![
        ("good", text(good())),
        ("failing", text(failing())),
        ("in a string", text(format!("fn f(a: int) -> int {{ return a; }}\ntest \"{ALL}\": f(1) == 1;\n"))),
        ("in a name", text(format!("fn f{ALL}(a\u{200b}b: int) -> int {{ return a\u{202e}; }}\n"))),
        ("as a name", text(format!("fn {ALL}() -> int {{ return 1; }}\ntest {ALL}() == 1;\n"))),
        (
            "unterminated",
            text(format!("fn f() -> int {{ return \"{ALL}\ntest '{ALL}\n /* {ALL} \n (((([[[[{{{{")),
        ),
        (
            "escapes",
            text(format!("test \"\\{ALL}\\\u{1b}\" == \"\\\u{9b}\";\nfn f() -> int {{ return '{ALL}'; }}")),
        ),
        ("one at a time", one_at_a_time()),
        ("no UTF-8", [b"// ok\nfn f() \xff\xfe\x9b31m".as_slice(), ALL.as_bytes()].concat()),
        ("NUL", b"fn f\0() -> int { return \0 1; }\n\0".to_vec()),
        ("BOM", text(format!("\u{feff}fn f() -> int {{ return a\u{feff}; }} // {ALL}\r\n\u{feff}\r\n$"))),
        ("line ends", b"fn f() -> int {\r\n  return a;\r}\r\n\r\r\n\n\rtest $ == \r\n".to_vec()),
        ("a long line", text(format!("fn f() -> int {{ return {} {ALL} $; }}", "1 + ".repeat(9_000)))),
        ("many mistakes", text(format!("{ALL}$ ").repeat(200))),
        ("too long", text(format!("// {ALL}\n").repeat(2_000))),
        ("a line too long", text("a\u{9b}".repeat(100_000))),
        ("empty", vec![]),
    ]
}

/// Each hostile character as a separate token, within a word, in a string and after a backslash.
fn one_at_a_time() -> Vec<u8> {
    let mut text = String::new();
    for c in ALL.chars().filter(|c| !c.is_ascii_alphanumeric()) {
        text.push_str(&format!(
            "fn a{c}b() -> int {{ return {c} + x{c}y; }} test \"{c}\\{c}\" == '{c}'; // {c}\n"
        ));
    }
    text.into_bytes()
}

/// Names of files.
#[cfg(unix)]
pub fn names() -> Vec<std::ffi::OsString> {
    use std::os::unix::ffi::OsStringExt;
    let forged = super::scan::FORGED;
    let short: String = ALL.chars().filter(|c| *c != '/').collect();
    let mut names: Vec<std::ffi::OsString> = vec![
        format!("a\n{forged}: all is well.myr").into(),
        format!("{short}.myr").into(),
        "esc\u{1b}]0;title\u{7}\u{1b}[8;5m.myr".into(),
        "c1\u{9b}2J\u{9d}52;c;QQ==\u{9c}.myr".into(),
        "bidi\u{202e}rym.\u{2066}x\u{2069}.myr".into(),
        "$(touch x)`touch y`;touch z&.myr".into(),
        "it's a \"name\" \\ with * ? blanks.myr".into(),
        "-dash.myr".into(),
        "--format=json.myr".into(),
        "=cmd|'calc'!A0.myr".into(),
        "<b>&\"x\"'.myr".into(),
        format!("{}.myr", "n".repeat(251)).into(),
        format!("{}.myr", "\u{200b}".repeat(83)).into(),
    ];
    names.push(std::ffi::OsString::from_vec(b"raw\xff\xfe\x9b31m\xc2.myr".to_vec()));
    names
}

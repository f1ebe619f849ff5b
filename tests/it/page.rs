//! `myriad page`: one HTML file to share, read and stepped through in a browser.

use std::fs;

use serde_json::Value;

use crate::common::command::myriad;
use crate::reports::{browser, dom};

/// A program with hostile text in a comment, a label and a string, a failing test and a trap.
const PROGRAM: &str = "\
// </code></script><script>document.title = 'run'</script> \u{202e}
fn gcd(a: int, b: int) -> int {
    while b != 0 {
        let t = a % b;
        a = b;
        b = t;
    }
    return a;
}
test \"</script><img src=x onerror=alert(1)>\": gcd(12, 18) == 6;
test gcd(12, 18) == 5;
test 1 / (gcd(2, 4) - 2) == 1;
prop a in 0..9, b in 0..9 => gcd(a, b) == gcd(b, a);
";

fn page(arguments: &[&str]) -> String {
    let called = myriad(&[&["page", "-", "--engine", "cpu"], arguments].concat(), PROGRAM.as_bytes());
    assert_eq!(called.code, 0, "{}", called.stderr);
    called.stdout
}

#[test]
fn page_is_one_file_and_its_text_cannot_run() {
    let page = page(&["--run", "gcd(7, 21)"]);
    assert!(
        !page.contains("http") && !page.contains("src=\"") && !page.contains("<link"),
        "nothing is fetched"
    );
    assert_eq!(page.matches("<script").count(), 2, "its data and its own script");
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(page.contains("&lt;/script&gt;") && page.contains("‹202e›") && !page.contains('\u{202e}'));
    let runs = page.split_once("id=\"runs\">").unwrap().1.split_once("</script>").unwrap().0;
    let runs: Value = serde_json::from_str(runs).unwrap();
    let runs = runs.as_array().unwrap();
    assert_eq!(runs.len(), 5, "four tests and a call");
    assert!(runs.iter().all(|run| !run["steps"].as_array().unwrap().is_empty()));
    assert_eq!(runs[4]["title"], "gcd(7, 21)");
    assert!(runs[4]["end"].as_str().unwrap().contains("returns 7"), "{}", runs[4]["end"]);
    // The variables of the last step before the call returns.
    let steps = runs[4]["steps"].as_array().unwrap();
    assert_eq!(
        steps.last().unwrap()["frames"][0],
        serde_json::json!(["gcd", [["a", "7"], ["b", "0"], ["t", "0"]]])
    );
    for id in ["source", "run", "tests", "mutants", "tokens", "ast", "ir", "bytecode"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
}

/// The values are those of the run that is shown, as `run --values` prints them.
#[test]
fn values_follow_the_lines_of_the_source() {
    let text = "fn half(n: int) -> int {\n    let m = n / 2;\n    return m;\n}\n//? half(9)\ntest half(4) == 2;\ntest half(7) == 4;\n";
    let called = myriad(&["page", "-", "--engine", "cpu", "--run", "half(20)"], text.as_bytes());
    let after = |line: u32| {
        let own = called.stdout.split_once(&format!("id=\"L{line}\">")).expect("a line").1;
        let own = own.split_once("</li>").expect("its end").0;
        own.split_once("<samp class=\"values\">")
            .map(|(_, words)| words.trim_end_matches("</samp>").to_string())
    };
    // The second test fails, so its run is shown first.
    let expected = [Some("n = 7"), Some("m = 3"), Some("→ 3"), None, Some("◂ 4"), None];
    let expected = expected.map(|words| words.map(String::from));
    assert_eq!([1, 2, 3, 4, 5, 6].map(after), expected, "{}", called.stdout);
    let runs = called.stdout.split_once("id=\"runs\">").unwrap().1.split_once("</script>").unwrap().0;
    let runs: Value = serde_json::from_str(runs).unwrap();
    let values = |run: usize| runs[run]["values"].clone();
    assert_eq!(values(0), serde_json::json!({"1": "n = 4", "2": "m = 2", "3": "→ 2", "5": "◂ 4"}));
    assert_eq!(values(2)["2"], "m = 10");
    let words = ["run", "-", "half", "20", "--values"];
    let printed = myriad(&words, text.as_bytes()).stdout;
    let own = values(2);
    for (line, words) in own.as_object().unwrap() {
        let row = printed.lines().find(|row| row.trim_start().starts_with(&format!("{line} "))).expect("a row");
        assert!(row.trim_end().ends_with(words.as_str().unwrap()), "{row}");
    }
}

#[test]
fn program_with_errors_has_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("page.html");
    let called = myriad(&["page", "-", "-o", output.to_str().unwrap()], b"fn f() -> int { return b; }\n");
    assert!(called.code == 1 && called.stderr.contains("E0301"), "{}", called.stderr);
    assert!(!output.exists());
    let called = myriad(&["page", "-", "--run", "nothing(1)"], PROGRAM.as_bytes());
    assert!(called.code == 2 && called.stderr.contains("no function `nothing`"), "{}", called.stderr);
}

/// In frames of 1280 and 400 pixels: nothing overflows, buttons and keys step both ways, and a click links a token.
#[test]
fn page_is_read_and_stepped_through_in_a_browser() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("page.html"), page(&["--run", "gcd(7, 21)"])).unwrap();
    let frames = folder.path().join("frames.html");
    let look = "<!doctype html><body><script>
        for (const width of [1280, 400]) {
            const frame = document.createElement('iframe');
            frame.width = width; frame.height = 900; frame.src = 'page.html';
            frame.onload = () => {
                const page = frame.contentDocument, root = page.scrollingElement;
                page.querySelectorAll('details').forEach(one => one.open = true);
                const step = () => page.getElementById('step').textContent.match(/step (\\d+) of (\\d+)/);
                const key = (name) => page.dispatchEvent(new frame.contentWindow.KeyboardEvent('keydown', { key: name }));
                const seen = [];
                const which = page.getElementById('which');
                which.value = '4';
                which.dispatchEvent(new frame.contentWindow.Event('change'));
                seen.push(step()[1]);
                page.getElementById('next').click(); seen.push(step()[1]);
                key('ArrowRight'); seen.push(step()[1]);
                page.getElementById('back').click(); seen.push(step()[1]);
                key('ArrowLeft'); seen.push(step()[1]);
                key('End'); seen.push(String(step()[1] === step()[2]));
                page.getElementById('first').click(); seen.push(step()[1]);
                const at = page.querySelectorAll('#source .at').length;
                const percent = [...page.querySelectorAll('#source [data-t]')].find(one => one.textContent === '%');
                percent.click();
                const linked = ['source', 'tokens', 'ast', 'ir', 'bytecode']
                    .map(id => page.querySelectorAll('#' + id + ' .on').length > 0);
                const said = document.createElement('pre');
                said.id = 'w' + width;
                const lines = [...page.querySelectorAll('ol.source > li > code')].map(line => line.textContent);
                said.textContent = JSON.stringify({ over: root.scrollWidth - root.clientWidth, seen, at, linked, lines,
                    title: page.title, images: page.images.length });
                document.body.append(said);
            };
            document.body.append(frame);
        }
    </script></body>";
    fs::write(&frames, look).unwrap();
    let seen = dom(browser, &folder.path().join("profile"), &frames);
    for width in [1280, 400] {
        let marked = seen.split_once(&format!("id=\"w{width}\">")).map(|(_, rest)| rest);
        let marked = marked.and_then(|rest| rest.split_once("</pre>")).unwrap_or_else(|| panic!("{seen}")).0;
        let plain =
            marked.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
        let said: Value = serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error}: {plain}"));
        assert_eq!(said["over"], 0, "{width} pixels");
        assert_eq!(said["seen"], serde_json::json!(["1", "2", "3", "2", "1", "true", "1"]), "{width} pixels");
        assert_eq!(said["at"], 1);
        assert_eq!(said["linked"], serde_json::json!([true, true, true, true, true]));
        assert_eq!((&said["title"], &said["images"]), (&"<stdin> – Myriad".into(), &0.into()));
        let shown = PROGRAM.replace('\u{202e}', "‹202e›");
        let lines: Vec<&str> = said["lines"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
        assert_eq!(lines, shown.lines().collect::<Vec<_>>());
    }
}

#[test]
fn page_overwrites_nothing_that_people_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    for name in ["a.myr", "B.MYR", "c.rules", "d.tape"] {
        fs::write(at(name), PROGRAM).expect("written");
        let called = myriad(&["page", &at("a.myr"), "-o", &at(name)], b"");
        let why =
            if name == "a.myr" { "it is the program of the page" } else { "its name is that of a program" };
        assert!(called.code == 2 && called.stderr.contains(why), "{name}: {}", called.stderr);
        assert_eq!(fs::read_to_string(at(name)).expect("there"), PROGRAM);
    }
}

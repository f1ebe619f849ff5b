//! What neovim and helix do with keys, against the same keys here.

use super::super::harness::{marked, picture, type_keys};
use super::{check_all, modal};
use myriad::workbench::event::Effect;
use myriad::workbench::modal::KeySet;
use myriad::workbench::panels::Panel;
use myriad::workbench::state::Overlay;

/// A sequence of keys that neovim was given, and its text and cursor before and after them.
#[derive(serde::Deserialize)]
struct Recorded {
    before: String,
    keys: String,
    after: String,
}

/// The cases in which the text here differs: two macros with operators on text that another macro changed.
const DIFFERENT: [&str; 2] = ["#qqrquAab<esc>q4@q<esc>", "qqAx<esc>gu4bvgg<lt>q@qyi(uin1<esc><esc>"];

/// `modal/record.lua` records the cases.
#[test]
fn vi_does_what_neovim_did() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/it/workbench/modal/neovim.json");
    let text = std::fs::read_to_string(path).expect("the cases");
    let mut wrong = Vec::new();
    let cases = text.lines().skip(1).map(|line| serde_json::from_str::<Recorded>(line).expect("a case"));
    for Recorded { before, keys, after } in cases {
        let mut s = modal(KeySet::Vi, &before);
        s.document.options.close_brackets = false;
        type_keys(&mut s, &keys);
        let found = marked(&s);
        if (found == after) == DIFFERENT.contains(&keys.as_str()) {
            wrong.push(format!("{keys}\nbefore:\n{before}\nhere:\n{found}\nneovim:\n{after}\n"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), text.lines().count() - 1, wrong.join("\n"));
}

#[test]
fn vi_commands_are_repeated() {
    check_all(
        KeySet::Vi,
        &[
            ("‸a b c d", "dw.", "‸c d"),
            ("‸a b c d", "dw2.", "‸d"),
            ("‸a b c", "cwx y<esc>w.", "x y x ‸y c"),
            ("‸a\nb", "A;<esc>j.", "a;\nb‸;"),
            ("‸a\nb", "ox<esc>.", "a\nx\n‸x\nb"),
            ("‸f(a, b) g(c)", "ci(x<esc>fg.", "f(x) g(‸x)"),
            ("‸abcdef", "vld.", "‸ef"),
            ("‸abc", "xu.", "‸bc"),
            // Undo takes back one of them.
            ("‸a b c", "cwx<esc>w.u", "x ‸b c"),
            ("‸a b", ".", "‸a b"),
        ],
    );
}

#[test]
fn vi_registers_and_marks_are_kept() {
    check_all(
        KeySet::Vi,
        &[
            ("‸a\nb", "\"ayyjdd\"ap", "a\n‸a"),
            ("‸a b c", "\"adw\"Adw$\"ap", "ca b‸ "),
            ("‸one two", "yiwwdw\"0P", "oneon‸e "),
            ("‸a b c", "yiww\"_diwP", "a ‸a c"),
            ("‸a\nb\nc", "maGd'a", "‸"),
            ("ab‸cd\ne", "maj`ax", "ab‸d\ne"),
            // A mark moves with the text.
            ("a\n‸bc", "maggOx<esc>`ax", "x\na\n‸c"),
            ("‸a", "'b", "‸a"),
        ],
    );
}

#[test]
fn macro_is_played_until_a_command_fails() {
    check_all(
        KeySet::Vi,
        &[
            ("‸a\nb\nc\nd", "qqA;<esc>jq@q2@@", "a;\nb;\nc;\nd‸;"),
            ("‸a\nb\nc\nd", "qqA;<esc>jq9@q", "a;\nb;\nc;\nd‸;"),
            // The keys are the register's text.
            ("‸a", "qqx~<esc>qu\"qp", "ax~<esc‸>"),
            ("x~ ‸abc", "0y2l2w@\"", "x~ B‸c"),
            ("‸xx o one", "qa/one<enter>xqgg@a", "‸xx o ne"),
        ],
    );
    // A macro that calls itself: until its motion fails, or else up to a number of keys.
    check_all(KeySet::Vi, &[("‸a\nb\nc", "qqqqqA;<esc>j@qqgg@q", "a;;\nb;\nc‸;")]);
    let mut s = modal(KeySet::Vi, "‸a");
    type_keys(&mut s, "qqqqq~@qq@q");
    assert!(picture(&s).contains("the macro is stopped"), "{}", picture(&s));
    type_keys(&mut s, "ix<esc>");
    assert!(s.document.buffer.text().contains('x'));
}

#[test]
fn command_line_replaces_matches() {
    check_all(
        KeySet::Vi,
        &[
            ("‸a a\na a", ":s/a/b/<enter>", "‸b a\na a"),
            ("‸a a\na a", ":%s/a/b/g<enter>", "b b\n‸b b"),
            ("‸ab\ncd", ":%s/\\(.\\)\\(.\\)/\\2\\1/<enter>", "ba\n‸dc"),
            ("‸a+b", ":s/+/-/<enter>", "‸a-b"),
            ("‸a/b", ":s/\\//&&/<enter>", "‸a//b"),
            ("‸a b", ":s/ /\\r/<enter>", "a\n‸b"),
            ("‸a\nb\nc", "Vj:s/$/;/<enter>", "a;\n‸b;\nc"),
            ("‸a\nb", ":%s/x/y/<enter>", "‸a\nb"),
            ("‸aA", ":s/A/b/i<enter>", "‸bA"),
            ("‸a a", ":s/a/b/gu<enter>", "‸a a"),
            ("‸a a\na", ":%s/a/b/g<enter>u", "‸a a\na"),
        ],
    );
    let mut s = modal(KeySet::Vi, "‸one");
    assert!(matches!(type_keys(&mut s, ":e other.myr<enter>")[..], [Effect::Open { .. }]));
}

/// What helix does, as its users know it; no binary of it was at hand to record.
#[test]
fn helix_commands_do_what_its_pages_say() {
    check_all(
        KeySet::Helix,
        &[
            ("‸one two", "w~", "«ONE ‸»two"),
            ("‸ONE two", "w`", "«one ‸»two"),
            ("‸oNe", "~", "«O‸»Ne"),
            ("‸a\nb", "J", "a‸ b"),
            ("‸a\n  b\nc", "xxJ", "a‸ b\nc"),
            ("‸f(\n)", "J", "f(‸)"),
            ("‸ab\ncd", ">", "    ‸ab\ncd"),
            ("    ‸ab", "<lt>", "‸ab"),
            ("        ‸ab", "2<lt>", "‸ab"),
            ("‸ab\n\ncd", "%>", "    «ab\n\n    cd‸»"),
            ("‸one two", "wywR", "one «one ‸»"),
            ("f(‸a, b)", "mi(", "f(«a, b‸»)"),
            ("f(‸a, b)", "ma(", "f«(a, b)‸»"),
            ("f(‸a, b)", "ma)", "f«(a, b)‸»"),
            ("x[‸1]", "mi[", "x[«1‸»]"),
            ("x[‸1]", "ma[", "x«[1]‸»"),
            ("{ ‸a }", "mi{", "{« a ‸»}"),
            ("{ ‸a }", "ma{", "«{ a }‸»"),
            ("f(a[‸1])", "2mi(", "f(a[‸1])"),
            ("((‸a))", "2mi(", "(«(a)‸»)"),
            ("x \"‸a\"", "mi\"", "x \"«a‸»\""),
            ("one t‸wo x", "miw", "one «two‸» x"),
            ("one t‸wo x", "maw", "one «two ‸»x"),
            ("a.b‸.c d", "miW", "«a.b.c‸» d"),
            ("a\n\nb‸b\nc\n\nd", "mip", "a\n\n«bb\nc\n‸»\nd"),
            ("‸one two", "ems(", "«(one)‸» two"),
            ("‸one two", "ems]", "«[one]‸» two"),
            ("‸one two", "ems{", "«{one}‸» two"),
            ("‸one two", "ems\"", "«\"one\"‸» two"),
            ("f(‸a)", "md(", "f‸a"),
            ("f[‸a]", "md[", "f‸a"),
            ("x \"‸a\"", "md\"", "x ‸a"),
            ("‸a", "md(", "‸a"),
            ("f(‸a)", "mr([", "f[‸a]"),
            ("f(‸a)", "mr(\"", "f\"‸a\""),
            ("‸a b a", "%sa<enter>", "a b «a‸»"),
            ("‸a b a", "%sa<enter>d", " b ‸"),
            ("‸a b a", "%sa<enter>cX<esc>", "X b X‸"),
            ("‸a b", "%s[a-z]<enter>~", "A «B‸»"),
            ("‸a b", "%sx<enter>", "«a b‸»"),
            ("‸a,b", "%S,<enter>d", ",‸"),
            ("‸a,b", "%S,<enter>yp", "aa,b«b‸»"),
            ("‸ab\ncd", "Cd", "b\n‸d"),
            ("‸ab\ncd", "C,d", "ab\n‸d"),
            ("‸ab\ncd", "CiX<esc>", "Xab\nX‸cd"),
            ("‸ab\ncd", "CrX", "Xb\n«X‸»d"),
            ("‸ab\ncd", "Cl~", "aB\nc«D‸»"),
            ("‸one two", "wcx<esc>w.", "xx‸"),
            ("‸a b", "ix<esc>.", "xx‸a b"),
            ("‸a\nb", "ox<esc>.", "a\nx\nx‸\nb"),
            ("‸a\nb", "Ax<esc>.", "axx‸\nb"),
            ("‸one two", "w\"aywd\"ap", "one one‸ "),
            ("‸one two one", "gr", "one two «one‸»"),
            ("‸a.b c", "W", "«a.b ‸»c"),
            ("‸a.b c", "E", "«a.b‸» c"),
            ("a.b ‸c", "B", "«‸a.b »c"),
            ("‸one two", "wdu", "«one ‸»two"),
            ("‸a b c", "wdwd.", "‸c"),
            ("‸ab", "<space>yp", "a‸ab"),
            ("‸one two", "e<space>/", "«one‸» two"),
        ],
    );
    for (keys, panel) in [("<space>d", Panel::DIAGNOSTICS), ("<space>a", Panel::REPAIRS)] {
        let mut s = modal(KeySet::Helix, "‸one");
        type_keys(&mut s, keys);
        assert_eq!(s.screen.focus, panel, "{keys}");
    }
    let mut s = modal(KeySet::Helix, "‸one");
    type_keys(&mut s, "<space>f");
    assert!(matches!(s.prompts.overlay, Some(Overlay::Open(_))));
}

//! Modal editing in the manner of vi and helix: (text, keys, text).

mod helix;
mod recorded;

use super::harness::{marked, picture, state, type_keys};
use myriad::workbench::event::{Effect, Event, FileContents};
use myriad::workbench::modal::{KeySet, Modal};
use myriad::workbench::panels::Panel;
use myriad::workbench::state::{Overlay, State};

fn modal(set: KeySet, text: &str) -> State {
    let mut state = state(text);
    state.modal = Modal::new(set);
    state
}

fn check_all(set: KeySet, rows: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (before, script, after) in rows {
        let mut s = modal(set, before);
        type_keys(&mut s, script);
        let found = marked(&s);
        if found != *after {
            wrong.push(format!("{before:?} with {script}: {found:?} instead of {after:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn vi_motions_move_the_cursor() {
    check_all(
        KeySet::Vi,
        &[
            ("‸abc", "l", "a‸bc"),
            ("‸abc", "9l", "ab‸c"),
            ("ab‸c", "h", "a‸bc"),
            ("ab‸c", "9h", "‸abc"),
            ("a‸b\ncd", "j", "ab\nc‸d"),
            ("ab‸c\nd\nefg", "jj", "abc\nd\nef‸g"),
            ("a\nb\n‸c", "2k", "‸a\nb\nc"),
            ("‸let x = 1;", "w", "let ‸x = 1;"),
            ("‸let x = f(1);", "4w", "let x = f‸(1);"),
            ("‸a\n  b", "w", "a\n  ‸b"),
            ("‸one two", "e", "on‸e two"),
            ("on‸e two", "e", "one tw‸o"),
            ("one tw‸o", "b", "one ‸two"),
            ("one tw‸o", "2b", "‸one two"),
            ("    ab‸c", "0", "‸    abc"),
            ("    ab‸c", "^", "    ‸abc"),
            ("‸abc\nd", "$", "ab‸c\nd"),
            ("‸abc\nd\nefg", "$jj", "abc\nd\nef‸g"),
            ("a\n  b‸c", "gg", "‸a\n  bc"),
            ("‸a\nb\n  c\n", "G", "a\nb\n  ‸c\n"),
            ("‸a\nb\nc", "2G", "a\n‸b\nc"),
            ("‸a\nb\nc", "2gg", "a\n‸b\nc"),
            ("‸f(a, b)", "f,", "f(a‸, b)"),
            ("‸f(a, b)", "t,", "f(‸a, b)"),
            ("‸a, b, c", "2f,", "a, b‸, c"),
            ("f(a, ‸b)", "F(", "f‸(a, b)"),
            ("f(a, ‸b)", "T(", "f(‸a, b)"),
            ("‸abc", "fz", "‸abc"),
            ("‸f(a[1])", "%", "f(a[1]‸)"),
            ("‸abc", "%", "‸abc"),
            ("f‸(a[1])", "%", "f(a[1]‸)"),
            ("f(a[1]‸)", "%", "f‸(a[1])"),
            ("‸one two one", "/one<enter>n", "one two ‸one"),
            ("‸one two one", "/one<enter>nn", "‸one two one"),
            ("‸one two one", "/two<enter>", "one ‸two one"),
            ("‸one two one", "/one<enter>nnN", "one two ‸one"),
        ],
    );
}

#[test]
fn vi_commands_edit_the_text() {
    check_all(
        KeySet::Vi,
        &[
            ("‸abc", "ix<esc>", "‸xabc"),
            ("a‸bc", "ax<esc>", "ab‸xc"),
            ("ab‸c", "ax<esc>", "abc‸x"),
            ("  ab‸c", "Ix<esc>", "  ‸xabc"),
            ("‸abc\nd", "Ax<esc>", "abc‸x\nd"),
            ("  a‸b\nc", "ox<esc>", "  ab\n  ‸x\nc"),
            ("a\n  b‸c", "Ox<esc>", "a\n  ‸x\n  bc"),
            ("‸a {\n}", "ox<esc>", "a {\n    ‸x\n}"),
            ("‸abc", "x", "‸bc"),
            ("‸abc", "2x", "‸c"),
            ("ab‸c", "X", "a‸c"),
            ("ab‸c", "x", "a‸b"),
            ("‸abc", "xp", "b‸ac"),
            ("‸abc", "x3p", "baa‸ac"),
            ("‸abc", "xP", "‸abc"),
            ("a\n‸b\nc", "dd", "a\n‸c"),
            ("a\n‸b", "dd", "‸a"),
            ("‸a\nb\nc\nd", "2dd", "‸c\nd"),
            ("‸a\nb\nc\nd", "d2j", "‸d"),
            ("a\nb\n‸c", "dgg", "‸"),
            ("a\n‸b\nc", "dG", "‸a"),
            ("‸a\nb", "ddp", "b\n‸a"),
            ("‸a\nb", "yyp", "a\n‸a\nb"),
            ("a\n‸b", "yyP", "a\n‸b\nb"),
            ("a\n‸b", "ggyyGp", "a\nb\n‸a"),
            ("‸one two three", "dw", "‸two three"),
            ("‸one two three", "d2w", "‸three"),
            ("‸one two three", "2dw", "‸three"),
            ("one ‸two\nthree", "dw", "one‸ \nthree"),
            ("‸one two", "de", "‸ two"),
            ("one tw‸o", "db", "one ‸o"),
            ("‸one two", "cwx<esc>", "‸x two"),
            ("one ‸two", "c$x<esc>", "one ‸x"),
            ("one ‸two", "Cx<esc>", "one ‸x"),
            ("one ‸two", "D", "one‸ "),
            ("  o‸ne\nb", "ccx<esc>", "  ‸x\nb"),
            ("‸f(a, b)", "dt,", "‸, b)"),
            ("‸f(a, b)", "df,", "‸ b)"),
            ("f‸(a, b) + c", "d%", "f‸ + c"),
            ("f(a, b‸) + c", "d%", "f‸ + c"),
            ("‸one two", "ywP", "one‸ one two"),
            ("‸abc", "rx", "‸xbc"),
            ("‸abc", "2rx", "x‸xc"),
            ("‸abc", "sx<esc>", "‸xbc"),
            ("‸one two", "dwu", "‸one two"),
            ("‸one two three", "dwdwuu<ctrl-r>", "‸two three"),
            // A number of an unfinished command ends with it.
            ("‸a b c", "2d<esc>x", "‸ b c"),
            ("‸a b c", "dz", "‸a b c"),
            ("‸a\r\nb\r\n", "ddp", "b\r\n‸a\r\n"),
        ],
    );
}

#[test]
fn number_repeats_an_insertion() {
    check_all(
        KeySet::Vi,
        &[
            ("‸a", "3ixy<esc>", "xyxyx‸ya"),
            ("‸abc", "3axy<esc>", "axyxyx‸ybc"),
            ("  a‸b", "2Ixy<esc>", "  xyx‸yab"),
            ("‸abc", "3Ax<enter>y<esc>", "abcx\nyx\nyx\n‸y"),
            ("  ‸a\nb", "3oxy<esc>", "  a\n  xy\n  xy\n  x‸y\nb"),
            ("  ‸a\nb", "3Oxy<esc>", "  xy\n  xy\n  x‸y\n  a\nb"),
            ("‸a\r\nb", "2ox<esc>", "a\r\nx\r\n‸x\r\nb"),
            ("‸a", "2i漢<esc>", "漢‸漢a"),
            ("x‸xa", "2ix<esc>", "xx‸xxa"),
            ("‸a", "3i<esc>", "‸a"),
            ("‸a b", "3cwx<esc>", "‸x"),
            // The number holds for a text at one place.
            ("‸abc", "3ix<left>y<esc>", "‸yxabc"),
            ("ab‸c", "3ix<backspace><backspace>y<esc>", "a‸yc"),
            ("‸a", "2ix<esc>iy<esc>", "x‸yxa"),
        ],
    );
    check_all(KeySet::Helix, &[("‸a", "3ixy<esc>", "xyxyxy‸a"), ("‸a\nb", "2ox<esc>", "a\nx\nx‸\nb")]);
    let mut s = modal(KeySet::Vi, "ab‸c");
    type_keys(&mut s, "3ix<backspace><backspace><esc>");
    assert!(picture(&s).contains("not repeated: "), "{}", picture(&s));
}

#[test]
fn command_and_its_insertion_are_one_undo_step() {
    for set in [KeySet::Vi, KeySet::Helix] {
        for command in ["i", "a", "I", "A", "o", "O", "3i", "2o", "c"] {
            let motion = if command == "c" && set == KeySet::Vi { "w" } else { "" };
            let mut s = modal(set, "‸foo bar\n  baz");
            type_keys(&mut s, &format!("{command}{motion}one two (three)<enter>four<backspace>"));
            type_keys(&mut s, "<esc>");
            assert_ne!(&**s.document.buffer.text(), "foo bar\n  baz", "{set:?} {command}");
            type_keys(&mut s, "u");
            assert_eq!(&**s.document.buffer.text(), "foo bar\n  baz", "{set:?} {command}");
            assert!(!s.document.buffer.can_undo(), "{set:?} {command}");
        }
    }
    check_all(KeySet::Vi, &[("‸foo", "ia b<esc>ac d<esc>u", "a b‸foo")]);
}

#[test]
fn text_loaded_during_an_insertion_is_its_own_undo_step() {
    let mut s = modal(KeySet::Vi, "‸foo\nbar");
    type_keys(&mut s, "ione <ctrl-s>");
    let (path, text) = (s.document.file.path.clone().expect("a name"), s.document.buffer.text().clone());
    s.apply(Event::Saved { path, text, note: None });
    s.apply(Event::FileContents(FileContents::Text { text: "one foo\nbaz".into(), bom: false }));
    type_keys(&mut s, "two <esc>");
    assert_eq!(&**s.document.buffer.text(), "one two foo\nbaz");
    type_keys(&mut s, "u");
    assert_eq!(&**s.document.buffer.text(), "one foo\nbaz");
    type_keys(&mut s, "u");
    assert_eq!(&**s.document.buffer.text(), "one foo\nbar");
}

#[test]
fn command_that_takes_a_character_takes_exactly_one_key() {
    let both = [
        ("a‸bc", "r<tab>", "a‸\tc"),
        ("a‸bc", "r<backspace><esc>", "a‸bc"),
        ("a‸bc", "r<left>rx", "a‸xc"),
        ("a‸bc", "r<pageup>rx", "a‸xc"),
        ("a‸bc", "f<right>rx", "a‸xc"),
        ("a‸bc", "g<right>rx", "a‸xc"),
        ("a‸bc", "f<enter>rx", "a‸xc"),
        // A key of the table ends the command.
        ("a‸bc", "r<ctrl-s>rx", "a‸xc"),
    ];
    check_all(KeySet::Vi, &both);
    check_all(KeySet::Helix, &both);
    check_all(
        KeySet::Vi,
        &[
            ("a‸bc", "r<enter>", "a\n‸c"),
            ("a‸bc\r\n", "r<enter>", "a\r\n‸c\r\n"),
            ("a‸bcdef", "3r<enter>", "a\n‸ef"),
            ("a\n‸\nb", "r<enter>", "a\n‸\nb"),
            ("‸abjc", "df<enter>", "‸abjc"),
            ("‸abc", "d<pagedown>x", "‸bc"),
            ("‸abc", "2<f1><esc>x", "‸bc"),
        ],
    );
    check_all(KeySet::Helix, &[("a‸bc", "r<enter>", "a‸\nc")]);
}

#[test]
fn motion_that_leads_nowhere_does_nothing() {
    check_all(
        KeySet::Vi,
        &[
            ("‸a\nb\n", "dk", "‸a\nb\n"),
            ("‸a\nb\n", "d<up>", "‸a\nb\n"),
            ("‸a\nb\n", "d2k", "‸a\nb\n"),
            ("a\n‸b\n", "dj", "a\n‸b\n"),
            ("a\n‸b\n", "d2j", "a\n‸b\n"),
            ("a\n‸b", "d<enter>", "a\n‸b"),
            ("‸a\nb", "ckx", "‸\nb"),
            ("‸a\nb", "ykp", "‸a\nb"),
            ("‸a b", "d%x", "‸ b"),
            ("‸a b", "c%x", "‸ b"),
            // As far as it leads.
            ("‸a\nb\nc", "d5j", "‸"),
            ("a\n‸b\nc", "d5k", "‸c"),
            // The register keeps its text.
            ("‸abc", "yldhP", "‸aabc"),
        ],
    );
}

#[test]
fn absent_command_is_refused_with_all_its_keys() {
    let vi = "m<enter> m1 '<left> '1 q1 \"+p \"<up> ds zz ZZ [[ d]] ?o<enter> d/oo<enter> d?o<enter> == =j 2== gqq g?? g?w \
        !!o<enter> !<enter>o<enter> gra g'a gx c<pagedown> ci1 vi1<esc> v?o<enter><esc> v!o<enter><esc>";
    let helix = "Ko<left>d<enter> |o<enter> ?d<enter> mx <space>k <space>ww <space>So<enter> zz [d gx m<enter> \"<up> \"+y";
    for (set, commands) in [(KeySet::Vi, vi), (KeySet::Helix, helix)] {
        for keys in commands.split_whitespace() {
            let mut s = modal(set, "‸foo (bar)\nfoo dog");
            type_keys(&mut s, keys);
            let shown = picture(&s);
            assert_eq!(marked(&s), "‸foo (bar)\nfoo dog", "{set:?} {keys}");
            assert_eq!(s.modal.shown().as_deref(), Some("NORMAL"), "{set:?} {keys}");
            let is_said = ["no such", "that key is not"].iter().any(|said| shown.contains(said));
            assert!(is_said || keys.ends_with("<esc>"), "{set:?} {keys}: {shown}");
            // The next key is a command of its own.
            type_keys(&mut s, if set == KeySet::Vi { "x" } else { "d" });
            assert_eq!(marked(&s), "‸oo (bar)\nfoo dog", "{set:?} {keys}");
        }
    }
    check_all(KeySet::Vi, &[("‸foo", "maxx", "‸o")]);
    let mut s = modal(KeySet::Helix, "‸foo");
    type_keys(&mut s, "Ko");
    assert_eq!(s.modal.shown().as_deref(), Some("NORMAL K"));
    assert!(picture(&s).contains("esc ends it"), "{}", picture(&s));
}

#[test]
fn vi_visual_modes_select() {
    check_all(
        KeySet::Vi,
        &[
            ("‸abcd", "vd", "‸bcd"),
            ("‸abcd", "vlld", "‸d"),
            ("abc‸d", "vhd", "a‸b"),
            ("a‸bcd", "vhx", "‸cd"),
            ("‸one two", "vey$p", "one twoon‸e"),
            ("‸one two", "vecx<esc>", "‸x two"),
            ("‸a\nb\nc", "Vjd", "‸c"),
            ("a\nb\n‸c", "Vky", "a\n‸b\nc"),
            ("a\n‸b\nc", "Vcx<esc>", "a\n‸x\nc"),
            ("‸a\nb\nc", "yyjVp", "a\n‸a\nc"),
            ("‸abcd", "vlrx", "‸xxcd"),
            ("‸abcd", "vl<esc>x", "a‸cd"),
            ("‸abcd", "vlvx", "a‸cd"),
            ("‸a(b)c", "lv%d", "a‸c"),
            // Text selected otherwise is the visual mode's.
            ("a‸bcd", "<shift-right><shift-right>d", "a‸d"),
        ],
    );
}

#[test]
fn helix_commands_act_on_the_selection() {
    check_all(
        KeySet::Helix,
        &[
            ("‸one two", "w", "«one ‸»two"),
            ("‸one two three", "ww", "one «two ‸»three"),
            ("‸one two three", "2w", "one «two ‸»three"),
            ("‸one two three", "vww", "«one two ‸»three"),
            ("‸one two", "e", "«one‸» two"),
            ("one two‸", "b", "one «‸two»"),
            ("‸one two", "wd", "‸two"),
            ("‸one two", "wcx<esc>", "x‸two"),
            ("‸one two", "wyp", "one one‸ two"),
            ("‸one two", "wdu", "«one ‸»two"),
            ("‸one two", "wduU", "‸two"),
            ("‸abc", "d", "‸bc"),
            ("‸abc", "ld", "a‸c"),
            ("a\n‸b\nc", "x", "a\n«b\n‸»c"),
            ("‸a\nb\nc", "xx", "«a\nb\n‸»c"),
            ("‸a\nb\nc", "2x", "«a\nb\n‸»c"),
            ("‸a\nb\nc", "xd", "‸b\nc"),
            ("‸a\nb", "xdp", "b\n‸a"),
            ("‸a\nb", "xyp", "a\n‸a\nb"),
            ("  o‸ne\nb", "xcx<esc>", "  x‸\nb"),
            ("‸a\nb", "%", "«a\nb‸»"),
            ("‸one two", "w;", "one ‸two"),
            ("‸one two", "wix<esc>", "x‸one two"),
            ("‸one two", "wax<esc>", "one x‸two"),
            ("‸one two", "wrx", "‸xxxxtwo"),
            ("  o‸ne", "Ix<esc>", "  x‸one"),
            ("‸one", "Ax<esc>", "onex‸"),
            ("‸f(a, b)", "f,d", "‸ b)"),
            ("‸f(a, b)", "t,d", "‸, b)"),
            ("‸a\nb\nc", "ge", "a\nb\n‸c"),
            ("a\nb\n‸c", "gg", "‸a\nb\nc"),
            ("  a‸b", "gh", "‸  ab"),
            ("  ‸ab", "gl", "  ab‸"),
            ("  a‸b", "gs", "  ‸ab"),
            ("f‸(a)", "mm", "f(a‸)"),
            ("‸one two one", "/one<enter>n", "one two «one‸»"),
            ("‸one two", "vly<esc>", "o‸ne two"),
        ],
    );
}

/// Whatever is typed before it, esc twice leads to normal mode and changes nothing.
#[test]
fn esc_never_changes_the_text() {
    for set in [KeySet::Vi, KeySet::Helix] {
        for script in [
            "ixyz", "2", "d", "2d3", "f", "r", "g", "v", "V", "vl", "/o", ":wq", "cw", "ctrl-t", "m", "o",
            "\"", "\"a", "?o",
        ] {
            let mut s = modal(set, "‸one two\nthree");
            type_keys(&mut s, if script == "ctrl-t" { "<ctrl-t>" } else { script });
            let before = s.document.buffer.text().clone();
            type_keys(&mut s, "<esc><esc>");
            assert_eq!(*s.document.buffer.text(), before, "{set:?} {script}");
            assert!(picture(&s).contains("NORMAL · "), "{set:?} {script}: {}", picture(&s));
        }
    }
}

#[test]
fn mode_is_in_the_last_line() {
    let mut s = modal(KeySet::Vi, "‸one two");
    assert!(picture(&s).contains("NORMAL · 1:1"), "{}", picture(&s));
    for (keys, shown) in
        [("2d", "NORMAL 2d · "), ("<esc>i", "INSERT · "), ("<esc>v", "VISUAL · "), ("V", "V-LINE · ")]
    {
        type_keys(&mut s, keys);
        assert!(picture(&s).contains(shown), "{keys}: {}", picture(&s));
    }
    let mut s = modal(KeySet::Helix, "‸one two");
    type_keys(&mut s, "v");
    assert!(picture(&s).contains("SELECT · "), "{}", picture(&s));
    assert!(!picture(&state("‸one")).contains("NORMAL"));
}

#[test]
fn keys_of_the_table_work_in_every_mode() {
    let mut s = modal(KeySet::Vi, "‸one two");
    assert!(matches!(type_keys(&mut s, "x<ctrl-s>")[..], [Effect::Save { .. }]));
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(marked(&s), "‸one two");
    type_keys(&mut s, "<alt-3>");
    assert_eq!(s.screen.focus, Panel::AST);
    // The other panels have no modes.
    type_keys(&mut s, "jkq");
    assert_eq!((s.screen.focus, marked(&s).as_str()), (Panel::EDITOR, "‸one two"));
    type_keys(&mut s, "<f1>");
    assert!(matches!(s.prompts.overlay, Some(Overlay::Help(_))));
}

#[test]
fn command_line_saves_and_quits() {
    let mut s = modal(KeySet::Vi, "‸one");
    type_keys(&mut s, "x");
    assert!(matches!(type_keys(&mut s, ":w<enter>")[..], [Effect::Save { .. }]));
    // A text that is not saved is never lost.
    for quit in [":q<enter>", ":q!<enter>"] {
        assert_eq!(type_keys(&mut s, quit), []);
        assert!(matches!(s.prompts.overlay, Some(Overlay::Quit)), "{quit}");
        type_keys(&mut s, "<esc>");
    }
    assert!(matches!(type_keys(&mut s, ":wq<enter>")[..], [Effect::Save { .. }]));
    let (path, text) = (s.document.file.path.clone().expect("a name"), s.document.buffer.text().clone());
    let after = s.apply(Event::Saved { path, text, note: None });
    assert!(after.contains(&Effect::Quit), "{after:?}");
    type_keys(&mut s, ":nonsense<enter>");
    assert!(picture(&s).contains("no command `:nonsense`"), "{}", picture(&s));
    let mut s = modal(KeySet::Helix, "‸a\nb\nc");
    type_keys(&mut s, ":3<enter>");
    assert_eq!(marked(&s), "a\nb\n‸c");
}

/// Keys that arrive in one piece are commands in normal mode, and text in insert mode.
#[test]
fn burst_is_handled_by_the_mode() {
    let mut s = modal(KeySet::Vi, "‸one");
    s.apply(Event::Burst { text: "ddihello".to_string(), is_continuation: false });
    assert_eq!(marked(&s), "hello‸");
    type_keys(&mut s, "<esc>");
    s.apply(Event::Paste("X".to_string()));
    assert_eq!(marked(&s), "hellX‸o");
}

/// Random keys in random texts: nothing panics, and undo restores the text.
#[test]
fn random_commands_are_undone_by_undo() {
    let letters: Vec<char> = "hjklwbe0^$gGfFtTdcyxXsDCpPrvVioaIAO%23;mnu \tab(,\"'>q@.J~*#".chars().collect();
    let mut seed = 7_u64;
    let mut next = move |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    for round in 0..400 {
        let set = if round % 2 == 0 { KeySet::Vi } else { KeySet::Helix };
        let text = ["", "a", "one (two\n\n  three) 漢字\r\n", "\n\n", "fn f() {\n    x\n}\n"][round % 5];
        let mut s = modal(set, &format!("‸{text}"));
        for _ in 0..40 {
            let key = if next(6) == 0 { "<esc>".to_string() } else { letters[next(letters.len())].to_string() };
            type_keys(&mut s, &key);
            let buffer = &s.document.buffer;
            assert!(buffer.head() <= buffer.len());
        }
        while s.document.buffer.undo() {}
        assert_eq!(&**s.document.buffer.text(), text);
    }
}

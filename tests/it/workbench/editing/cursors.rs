//! Several cursors. `‸` is the main one, `¦` another; `«…»` are selections.

use crate::harness::{picture, state, type_keys};
use myriad::workbench::event::Event;
use myriad::workbench::state::State;
use myriad::workbench::text::Selection;

/// Returns the text with all cursors.
fn marked(state: &State) -> String {
    let buffer = &state.document.buffer;
    let others = buffer.others().iter().map(|own| (*own, '¦'));
    let mut marks: Vec<(usize, u8, String)> = Vec::new();
    for (Selection { anchor, head }, mark) in others.chain([(buffer.selection(), '‸')]) {
        match head.cmp(&anchor) {
            std::cmp::Ordering::Equal => marks.push((head, 1, mark.to_string())),
            std::cmp::Ordering::Greater => {
                marks.extend([(anchor, 2, "«".to_string()), (head, 0, format!("{mark}»"))])
            }
            std::cmp::Ordering::Less => {
                marks.extend([(head, 2, format!("«{mark}")), (anchor, 0, "»".to_string())])
            }
        }
    }
    marks.sort();
    let mut out = String::new();
    for (at, c) in buffer.text().chars().map(Some).chain([None]).enumerate() {
        marks.iter().filter(|(place, ..)| *place == at).for_each(|(.., mark)| out.push_str(mark));
        out.extend(c);
    }
    out
}

#[track_caller]
fn check(before: &str, script: &str, after: &str) {
    let mut state = state(before);
    type_keys(&mut state, script);
    assert_eq!(marked(&state), after, "{before:?} with {script}");
}

#[test]
fn ctrl_d_adds_cursors_at_the_word_or_selection() {
    check("a‸b ab ab", "<ctrl-d>", "«ab‸» ab ab");
    check("a‸b ab ab", "<ctrl-d><ctrl-d>", "«ab¦» «ab‸» ab");
    check("ab a‸b ab", "<ctrl-d><ctrl-d><ctrl-d>", "«ab‸» «ab¦» «ab¦»");
    check("a‸b abc ab", "<ctrl-d><ctrl-d>", "«ab¦» abc «ab‸»");
    check("x«a‸» xa xab", "<ctrl-d>", "x«a¦» x«a‸» xab");
    check("日本‸ 日本", "<ctrl-d><ctrl-d>é", "é¦ é‸");
    check("a ‸", "<ctrl-d>", "a ‸");
    check("‸", "<ctrl-d>", "‸");
    let mut s = state("a‸b");
    type_keys(&mut s, "<ctrl-d><ctrl-d>");
    assert_eq!(marked(&s), "«ab‸»");
    assert!(picture(&s).contains("there is no other occurrence"), "{}", picture(&s));
}

#[test]
fn cursors_on_neighbouring_lines_keep_the_column() {
    check("ab‸c\nabc\nabc", "<ctrl-alt-down>", "ab¦c\nab‸c\nabc");
    check("abc\nabc\nab‸c", "<ctrl-alt-up><shift-f9>x", "abx‸c\nabx¦c\nabx¦c");
    check("abcd‸\nx\nabcd", "<shift-f8><shift-f8>", "abcd¦\nx¦\nabcd‸");
    check("漢字‸\nabcd", "<shift-f8>-", "漢字-¦\nabcd-‸");
    check("a‸", "<shift-f8>", "a‸");
    check("‸a", "<shift-f9>", "‸a");
}

#[test]
fn typing_erasing_and_moving_act_at_each_cursor_as_one_step() {
    check("‸a\nb", "<shift-f8>xy", "xy¦a\nxy‸b");
    check("‸a\nb", "<shift-f8>xy<ctrl-u>", "¦a\n‸b");
    check("‸a\nb", "<shift-f8>xy z<ctrl-u>", "xy ¦a\nxy ‸b");
    check("‸a\nb", "<shift-f8>xy<ctrl-u><ctrl-y>", "xy¦a\nxy‸b");
    check("xyz‸\nxyz", "<shift-f8><backspace><backspace>", "x¦\nx‸");
    check("xyz‸\nxyz", "<shift-f8><backspace><backspace><ctrl-u>", "xyz¦\nxyz‸");
    check("‸e\u{301}a\r\ne\u{301}b", "<shift-f8><delete>", "¦a\r\n‸b");
    check("‸ab cd\nef gh", "<shift-f8><ctrl-right>|", "ab |¦cd\nef |‸gh");
    check("ab‸\ncd", "<shift-f8><home>", "¦ab\n‸cd");
    check("ab‸\ncd", "<shift-f8><shift-left>x", "ax¦\ncx‸");
    check("    ‸a\n    b", "<shift-f8><enter>", "    \n    ¦a\n    \n    ‸b");
    check("a‸\nb", "<shift-f8><tab>", "a   ¦\nb   ‸");
    check("a‸\nb\nc", "<shift-f8><ctrl-k>", "‸c");
    check("‸a\nb\nc", "<shift-f8><ctrl-/>", "// ¦a\n// ‸b\nc");
    check("‸a\nb", "<shift-f8>x<esc>y", "xa\nxy‸b");
}

#[test]
fn cursors_that_meet_become_one() {
    check("ab‸\nc", "<shift-f8><ctrl-home>", "‸ab\nc");
    check("‸a\nb", "<shift-f8><up>", "‸a\nb");
    check("a b‸", "<ctrl-d><left><esc>", "a ‸b");
    check("‸a\n\nb", "<shift-f8><backspace>", "¦a‸\nb");
    check("abcd‸\nabcd", "<shift-f8><ctrl-w>", "¦\n‸");
}

#[test]
fn copies_and_pastes_are_distributed_over_the_cursors() {
    let mut s = state("«ab‸» ab");
    type_keys(&mut s, "<ctrl-d>");
    let copied = type_keys(&mut s, "<ctrl-x>");
    assert_eq!(copied, [myriad::workbench::event::Effect::Copy("ab\nab\n".to_string())]);
    assert_eq!(marked(&s), "¦ ‸");
    s.apply(Event::Paste("x\ny\n".to_string()));
    assert_eq!(marked(&s), "x¦ y‸");
    s.apply(Event::Paste("all".to_string()));
    assert_eq!(marked(&s), "xall¦ yall‸");
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(marked(&s), "x¦ y‸");
    type_keys(&mut s, "<ctrl-u><ctrl-u>");
    assert_eq!(marked(&s), "«ab¦» «ab‸»");
}

#[test]
fn every_cursor_is_on_screen() {
    let mut s = state("‸ab\nab\n");
    type_keys(&mut s, "<ctrl-d><ctrl-d>");
    let theme = myriad::workbench::theme::Theme::plain();
    let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, 80, 24));
    let at = myriad::workbench::paint::draw(&s, &theme, &mut Default::default(), &mut buffer);
    assert!(at.is_some(), "the terminal draws the main cursor");
    let reversed = |x: u16, y: u16| buffer[(x, y)].modifier.contains(ratatui::style::Modifier::REVERSED);
    let gutter = s.gutter_width() as u16;
    let row = (0..24).find(|y| buffer[(gutter, *y)].symbol() == "a").expect("the text");
    assert!(reversed(gutter, row) && reversed(gutter + 1, row) && reversed(gutter + 2, row));
    assert!(reversed(gutter, row + 1) && reversed(gutter + 1, row + 1) && !reversed(gutter + 2, row + 1));
}

/// Random keys with several cursors: undoing all restores the text, and redoing all the result.
#[test]
fn undo_and_redo_restore_every_text_of_random_edits() {
    let texts = ["fn f(a: int) -> int {\r\n    return a;\r\n}\r\n", "日本 ab e\u{301} ab\n\tab👩‍🚀\n", "a\n\nb"];
    let keys = [
        "<ctrl-d>",
        "<shift-f8>",
        "<shift-f9>",
        "x",
        "é",
        "(",
        ")",
        "{",
        "}",
        "<enter>",
        "<tab>",
        "<shift-tab>",
        "<backspace>",
        "<delete>",
        "<ctrl-w>",
        "<left>",
        "<right>",
        "<up>",
        "<down>",
        "<shift-right>",
        "<ctrl-k>",
        "<ctrl-/>",
        "<alt-down>",
        "<alt-up>",
        "<ctrl-shift-down>",
        "<ctrl-x>",
        "<home>",
        "<end>",
        "<esc>",
        "<ctrl-u>",
        "<ctrl-y>",
    ];
    let mut random = 7_u64;
    for round in 0..120 {
        let before = texts[round % texts.len()];
        let mut s = state(&format!("‸{before}"));
        s.document.options.close_brackets = round % 2 == 0;
        let mut script = String::new();
        for _ in 0..40 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            script.push_str(keys[(random >> 33) as usize % keys.len()]);
        }
        type_keys(&mut s, &script);
        let (after, is_last) = (s.document.buffer.text().to_string(), !s.document.buffer.can_redo());
        let rope: String =
            (0..s.document.buffer.lines()).map(|line| s.document.buffer.line(line).to_string()).collect();
        assert_eq!(rope, after, "the lines are the text: {script}");
        while s.document.buffer.can_undo() {
            type_keys(&mut s, "<ctrl-u>");
        }
        assert_eq!(&**s.document.buffer.text(), before, "{script}");
        while s.document.buffer.can_redo() {
            type_keys(&mut s, "<ctrl-y>");
        }
        assert!(!is_last || **s.document.buffer.text() == *after, "{script}");
    }
}

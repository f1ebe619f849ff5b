//! Editing, as (text, keys, text). `‸` is the cursor, `«…»` the selection.

mod brackets;
mod cursors;
mod lines;
mod names;
mod replacing;
mod wrapping;

use super::harness::{check, marked, picture, picture_at, state, type_keys};
use myriad::workbench::event::{Effect, Event, Mouse};
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;

#[test]
fn typing_and_erasing_edit_at_the_cursor() {
    check("‸", "ab", "ab‸");
    check("a«b‸»c", "x", "ax‸c");
    check("ab‸", "<backspace>", "a‸");
    check("a‸b", "<delete>", "a‸");
    check("let xs‸", "<ctrl-w>", "let ‸");
    check("        ‸x", "<backspace>", "    ‸x");
    check("     ‸x", "<backspace>", "    ‸x");
    check("a\nb‸b\nc", "<ctrl-k>", "a\n‸c");
    check("a\nb‸b", "<ctrl-k>", "a\n‸");
}

#[test]
fn cursor_moves_by_grapheme() {
    check("‸e\u{301}x", "<right>", "e\u{301}‸x");
    check("a👩‍🚀‸", "<backspace>", "a‸");
    check("a‸\r\nb", "<right>", "a\r\n‸b");
    check("a\r\n‸b", "<backspace>", "a‸b");
}

#[test]
fn up_and_down_keep_the_column() {
    check("abcd‸\nx\nabcdef", "<down><down>", "abcd\nx\nabcd‸ef");
    check("漢字‸\nabcdef", "<down>", "漢字\nabcd‸ef");
    check("ab‸c", "<up>", "‸abc");
    check("ab‸c", "<down>", "abc‸");
}

#[test]
fn cursor_jumps_by_word_line_and_file() {
    check("let ‸total = 1;", "<ctrl-right>", "let total ‸= 1;");
    check("let total‸ = 1;", "<ctrl-left>", "let ‸total = 1;");
    check("    ab‸", "<home>", "    ‸ab");
    check("    ‸ab", "<home>", "‸    ab");
    check("a‸b\r\nc", "<end>", "ab‸\r\nc");
    check("a\nb‸\nc", "<ctrl-end>", "a\nb\nc‸");
    check("a\nb‸\nc", "<ctrl-home>", "‸a\nb\nc");
}

#[test]
fn shift_selects() {
    check("‸abc", "<shift-right><shift-right>", "«ab‸»c");
    check("abc‸", "<shift-home>x", "x‸");
    check("a «b‸» c", "<left>", "a ‸b c");
    check("ab‸", "<ctrl-a>x", "x‸");
    check("a «b‸» c", "<esc>", "a b‸ c");
}

#[test]
fn new_lines_keep_the_indent() {
    check("fn f() {‸", "<enter>", "fn f() {\n    ‸");
    check("fn f() {‸}", "<enter>", "fn f() {\n    ‸\n}");
    check("    let x = 1;‸", "<enter>", "    let x = 1;\n    ‸");
    check("    if x {\n        ‸", "}", "    if x {\n    }‸");
    check("a‸b\r\n", "<enter>", "a\r\n‸b\r\n");
}

#[test]
fn tab_indents_and_ctrl_slash_comments() {
    check("a‸b", "<tab>", "a   ‸b");
    check("«a\nb‸»", "<tab>", "    «a\n    b‸»");
    check("a\n«return x;\n‸»}\n", "<tab>", "a\n    «return x;\n‸»}\n");
    check("a\n«return x;‸»\n}", "<tab>", "a\n    «return x;‸»\n}");
    check("a\r\n«b\r\n‸»c", "<tab>", "a\r\n    «b\r\n‸»c");
    check("    «a\n‸»b", "<shift-tab>", "«a\n‸»b");
    check("«    a\n‸»b", "<shift-tab>", "«a\n‸»b");
    check("«a\n‸»b", "<ctrl-/>", "// «a\n‸»b");
    check("a «b‸» c", "<tab>", "a   ‸ c");
    check("    «a\n  b‸»", "<shift-tab>", "«a\nb‸»");
    check("    a‸", "<ctrl-/>", "    // a‸");
    check("    // a‸", "<ctrl-/>", "    a‸");
}

#[test]
fn undo_reverts_whole_gestures() {
    check("‸", "ab cd<ctrl-u>", "ab ‸");
    check("‸", "ab cd<ctrl-u><ctrl-u>", "‸");
    check("‸", "ab cd<ctrl-u><ctrl-u><ctrl-y><ctrl-y>", "ab cd‸");
    check("abc‸", "<backspace><backspace><ctrl-u>", "abc‸");
    check("‸x", "a<right><left>b<ctrl-u>", "a‸x");
    check("a «b‸» c", "<backspace><ctrl-u>", "a «b‸» c");
}

#[test]
fn replace_all_says_how_many_and_closes_the_search_bar() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut state = state("‸ab ab\nab\n");
        type_keys(&mut state, "<ctrl-f>ab<tab>x<ctrl-a>");
        let screen = picture_at(&mut state, width, height);
        assert!(screen.contains("replaced 3 matches; ctrl-u takes it back"), "{screen}");
        assert!(!screen.contains("search ab") && !screen.contains("not found"), "{screen}");
        type_keys(&mut state, "y");
        assert!(!picture(&state).contains("replaced"), "{}", picture(&state));
    }
}

#[test]
fn undo_to_the_saved_text_leaves_nothing_unsaved() {
    let mut s = state("a‸");
    assert!(!s.dirty());
    type_keys(&mut s, "b");
    assert!(s.dirty());
    type_keys(&mut s, "<ctrl-u>");
    assert!(!s.dirty());
}

#[test]
fn paste_is_one_edit_with_the_files_line_ends() {
    let mut s = state("a\r\n‸");
    s.apply(Event::Paste("x\ny\rz".to_string()));
    assert_eq!(marked(&s), "a\r\nx\r\ny\r\nz‸");
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(marked(&s), "a\r\n‸");
}

#[test]
fn copy_and_cut_take_the_line_where_nothing_is_selected() {
    let mut s = state("a\nb‸\nc");
    assert_eq!(type_keys(&mut s, "<ctrl-c>"), [Effect::Copy("b\n".to_string())]);
    assert_eq!(type_keys(&mut s, "<ctrl-x>"), [Effect::Copy("b\n".to_string())]);
    assert_eq!(marked(&s), "a\n‸c");
    let mut s = state("a«b‸»c");
    assert_eq!(type_keys(&mut s, "<ctrl-x>"), [Effect::Copy("b".to_string())]);
    assert_eq!(marked(&s), "a‸c");
}

#[test]
fn mouse_places_the_cursor_and_selects() {
    let mut s = state("‸let total = 1;\nlet b = 2;\n");
    let mouse = |what, column, row| Event::Mouse { what, column, row, shift: false };
    let gutter = s.gutter_width() as u16;
    s.apply(mouse(Mouse::Click(1), gutter + 4, 2));
    assert_eq!(marked(&s), "let total = 1;\nlet ‸b = 2;\n");
    s.apply(mouse(Mouse::Drag, gutter + 6, 2));
    assert_eq!(marked(&s), "let total = 1;\nlet «b ‸»= 2;\n");
    s.apply(mouse(Mouse::Click(2), gutter + 5, 1));
    assert_eq!(marked(&s), "let «total‸» = 1;\nlet b = 2;\n");
}

#[test]
fn control_characters_are_replaced_on_screen() {
    let mut s = state("‸// \x1b]52;c;AAAA\x07 \u{202e}reversed\u{200b}\n");
    let screen = picture(&s);
    assert!(screen.contains("␛]52;c;AAAA␇ ‹202e›reversed‹200b›"), "{screen}");
    assert!(!screen.chars().any(|c| c.is_control() && c != '\n'));
    type_keys(&mut s, "<end>x");
    assert!(s.document.buffer.text().ends_with("\u{200b}x\n"));
}

#[test]
fn long_lines_scroll_sideways() {
    let line = "x".repeat(200);
    let mut s = state(&format!("‸{line}"));
    type_keys(&mut s, "<end>");
    assert!(s.screen.editor_left > 100);
    type_keys(&mut s, "<home>");
    assert_eq!(s.screen.editor_left, 0);
}

#[test]
fn nothing_is_hidden_where_there_is_room_for_it() {
    let mut s = state(&format!("{}‸", "let a = 1;\n".repeat(60)));
    let room = |s: &State| {
        let area = s.layout().content(Panel::EDITOR).expect("it shows");
        (usize::from(area.width) - s.gutter_width(), usize::from(area.height))
    };
    // A line that fits, with the cursor after its end, and one that does not.
    let (cells, _) = room(&s);
    type_keys(&mut s, &"x".repeat(cells - 1));
    assert_eq!(s.screen.editor_left, 0);
    type_keys(&mut s, "x");
    assert_eq!(s.screen.editor_left, 1);
    for wraps in [false, true] {
        s.apply(Event::Resize(80, 24));
        type_keys(&mut s, "<ctrl-end>");
        assert!(s.screen.editor_top > 30);
        s.apply(Event::Resize(160, 50));
        assert_eq!(s.screen.editor_left, 0);
        assert_eq!(s.screen.editor_top, 61 - room(&s).1, "wraps: {wraps}\n{}", picture(&s));
        s.apply(Event::Resize(160, 200));
        assert_eq!(s.screen.editor_top, 0);
        type_keys(&mut s, "<alt-z>");
    }
    // Nor are rows blank after the end of a text that has become shorter.
    s.apply(Event::Resize(80, 24));
    type_keys(&mut s, "<ctrl-end><up><up><up><up><up><up><up><up><up><ctrl-shift-end><backspace>");
    assert_eq!(s.screen.editor_top, 52 - room(&s).1);
}

fn burst(text: &str, is_continuation: bool) -> Event {
    Event::Burst { text: text.to_string(), is_continuation }
}

#[test]
fn burst_of_keys_is_inserted_without_automatic_indents() {
    let text = "fn f() -> int {\r    if true {\r        return 1;\r    }\r\treturn 2;\r}\r";
    let plain = text.replace('\r', "\n");
    let mut s = state("// before\n‸");
    s.apply(burst(&text[..30], false));
    s.apply(burst(&text[30..], true));
    assert_eq!(marked(&s), format!("// before\n{plain}‸"));
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(marked(&s), "// before\n‸", "its pieces are one step");
    s.apply(burst("one", false));
    s.apply(burst("two", false));
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(marked(&s), "// before\none‸", "two bursts are two");
    let mut s = state("a«b‸»c\r\n");
    s.apply(burst("x\ry", false));
    assert_eq!(marked(&s), "ax\r\ny‸c\r\n", "in place of the selection, with the file's line ends");
}

#[test]
fn burst_outside_the_editor_acts_as_single_keys() {
    let mut s = state("a\nb\n‸c");
    type_keys(&mut s, "<ctrl-g>");
    s.apply(burst("2\rxyz", false));
    assert_eq!(marked(&s), "a\nxyz‸b\nc", "a prompt obeys, and what is behind it is text");
    type_keys(&mut s, "<alt-7>");
    s.apply(burst("zz", false));
    assert_eq!(marked(&s), "a\nxyz‸b\nc");
}

/// 60 KB of keys at once.
#[test]
fn sixty_kilobytes_of_keys_are_a_few_edits() {
    let line = "    let total = total + weight * 2; // what is added\r";
    let text = line.repeat(60_000 / line.len() + 1);
    let mut s = super::engine::answered("fn f() -> int {\n    return 1;\n}\ntest f() == 1;\n‸");
    let keys: Vec<Event> = text.chars().map(|c| Event::Key(myriad::workbench::key::Key::typing(c))).collect();
    let begin = std::time::Instant::now();
    let mut is_continuation = false;
    let mut edits = 0;
    for chunk in keys.chunks(4096) {
        let (events, burst) = myriad::workbench::burst::merge_bursts(chunk.to_vec(), is_continuation);
        is_continuation = burst;
        for event in events {
            edits += 1;
            s.apply(event);
        }
    }
    let took = begin.elapsed();
    println!("{} bytes in {edits} edits, {took:?}", text.len());
    assert!(s.document.buffer.text().ends_with(&text.replace('\r', "\n")));
    // An edit costs time, a key does not.
    assert!(edits < 20, "{edits} edits");
}

/// One unit of columns: the position in the status bar leads back to the same place.
#[test]
fn places_are_counted_in_characters() {
    let text = "fn f(x: int) -> int {\n\t\treturn\tx + ‸y;\n}\n// 中文 abc\ntest f(1) == 2;\n";
    let mut state = state(text);
    let place = |state: &State| {
        let screen = picture(state);
        let last = screen.lines().last().unwrap_or_default().to_string();
        last.split_whitespace()
            .find(|word| word.contains(':') && word.starts_with(char::is_numeric))
            .map(String::from)
    };
    assert_eq!(place(&state).as_deref(), Some("2:14"));
    for at in ["2:14", "2:1", "4:6", "4:9", "1:22"] {
        type_keys(&mut state, &format!("<ctrl-g>{at}<enter>"));
        assert_eq!(place(&state).as_deref(), Some(at));
    }
}

#[test]
fn format_lays_out_the_text_as_one_step_and_keeps_the_cursor_at_its_token() {
    check("const A=1 ;\ntest ‸A==1;", "<alt-=>", "const A = 1;\ntest ‸A == 1;\n");
    check("const A=1 ;\ntest A‸==1;", "<alt-=>9", "const A = 1;\ntest A 9‸== 1;\n");
    check("const A=1 ;‸", "<alt-=><ctrl-u>", "const A=1 ;‸");
    check("const A=1‸ ", "<alt-=>", "const A=1‸ ");
}

#[test]
fn format_before_a_save_leaves_a_broken_text_alone() {
    for (text, saved) in [("const A=1 ;‸", "const A = 1;‸\n"), ("const A=1‸ ", "const A=1‸ ")] {
        let mut state = state(text);
        state.document.options.format_on_save = true;
        type_keys(&mut state, "<ctrl-s>");
        assert_eq!(marked(&state), saved);
    }
}

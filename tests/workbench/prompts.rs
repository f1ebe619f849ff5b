//! Search, go to line, help, and what Esc leaves.

use super::harness::{check, marked, picture, picture_at, state, type_keys};
use myriad::workbench::panels::Panel;

#[test]
fn search_goes_round() {
    check("‸one two one", "<ctrl-f>one", "«one‸» two one");
    check("‸one two one", "<ctrl-f>one<down>", "one two «one‸»");
    check("‸one two one", "<ctrl-f>one<down><down>", "«one‸» two one");
    check("‸one two one", "<ctrl-f>one<up>", "one two «one‸»");
    check("‸one two one", "<ctrl-f>one<enter><f3>x", "one two x‸");
    check("a ‸One one", "<ctrl-f>One<enter>", "a «One‸» one");
    check("‸one two", "<ctrl-f>two<esc>", "‸one two");
    check("‸one two", "<ctrl-f>zzz", "‸one two");
}

#[test]
fn go_to_line() {
    check("‸a\nbcd\ne", "<ctrl-g>2<enter>", "a\n‸bcd\ne");
    check("‸a\nbcd\ne", "<ctrl-g>2:3<enter>", "a\nbc‸d\ne");
    check("‸a\nbcd\ne", "<ctrl-g>99<enter>", "a\nbcd\n‸e");
    check("‸a\nb", "<ctrl-g>x<enter>", "‸a\nb");
}

#[test]
fn help_is_filtered_by_typing() {
    let mut s = state("‸");
    type_keys(&mut s, "<f1>undo");
    let screen = picture(&s);
    assert!(screen.contains("ctrl-u") && screen.contains("nothing to undo"), "{screen}");
    assert!(!screen.contains("ctrl-s"), "{screen}");
    type_keys(&mut s, "<esc>a");
    assert_eq!(marked(&s), "a‸");
}

#[test]
fn a_disabled_key_says_why() {
    let mut s = state("‸");
    type_keys(&mut s, "<ctrl-u>");
    assert!(picture(&s).contains("nothing to undo"));
}

#[test]
fn esc_leads_back_to_the_editor() {
    let mut s = state("‸");
    type_keys(&mut s, "<alt-7>");
    assert_eq!(s.focus, Panel::Mutants);
    type_keys(&mut s, "x");
    assert_eq!(marked(&s), "‸", "letters in a panel are not typed into the text");
    type_keys(&mut s, "<esc>");
    assert_eq!(s.focus, Panel::Editor);
    for panel in 0..10 {
        type_keys(&mut s, &format!("<alt-{panel}>"));
        assert_eq!(s.focus, Panel::ALL[(panel + 9) % 10]);
    }
}

#[test]
fn any_size_is_drawn() {
    let mut s = state("fn f() -> int {\n    return 1;‸\n}\n");
    for overlay in ["", "<f1>", "<esc><ctrl-f>ret", "<esc><ctrl-g>", "<esc><alt-s>", "<esc>x<ctrl-q>"] {
        type_keys(&mut s, overlay);
        for width in [1, 2, 5, 19, 20, 33, 59, 60, 80, 109, 110, 149, 150, 200] {
            for height in [1, 2, 4, 5, 6, 11, 12, 16, 24, 29, 30, 44, 60] {
                let screen = picture_at(&mut s, width, height);
                if width < 20 || height < 5 {
                    assert!("needs 20×5".starts_with(screen.lines().next().unwrap_or("")), "{screen}");
                }
            }
        }
    }
}

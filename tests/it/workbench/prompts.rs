//! Search, go to line, help, and leaving them with Esc.

use super::engine::answered;
use super::harness::{check, marked, picture, picture_at, state, type_keys, words};
use crate::common::extent::scaled;
use myriad::workbench::event::{Effect, Event};
use myriad::workbench::panels::Panel;

#[test]
fn search_wraps_around() {
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
fn go_to_line_moves_the_cursor() {
    check("‸a\nbcd\ne", "<ctrl-g>2<enter>", "a\n‸bcd\ne");
    check("‸a\nbcd\ne", "<ctrl-g>2:3<enter>", "a\nbc‸d\ne");
    check("‸a\nbcd\ne", "<ctrl-g>99<enter>", "a\nbcd\n‸e");
    check("‸a\nb", "<ctrl-g>x<enter>", "‸a\nb");
}

#[test]
fn keys_after_the_prefix_differ_in_their_words() {
    let mut s = state("‸");
    for (width, height) in [(80, 30), (120, 40)] {
        type_keys(&mut s, "<ctrl-t>");
        let screen = picture_at(&mut s, width, height);
        type_keys(&mut s, "<esc>");
        let column = usize::from(width) / (usize::from(width) / 26);
        let rows = screen.lines().skip_while(|line| !line.contains("then one of these keys")).skip(1);
        let rows: Vec<Vec<char>> = rows.map(|line| line.chars().collect()).collect();
        let entries = rows.iter().flat_map(|row| row.chunks(column)).map(|entry| entry.iter().collect());
        let words = |entry: String| entry.trim().split_once(' ').map(|(_, words)| words.trim().to_string());
        let words: Vec<String> = entries.filter_map(words).collect();
        // The words before the cut occur once.
        let begins = |own: &str| words.iter().filter(|other| other.starts_with(own)).count();
        let alike: Vec<&String> =
            words.iter().filter(|own| own.strip_suffix('…').is_some_and(|own| begins(own) > 1)).collect();
        assert!(words.len() > 30 && alike.is_empty(), "{alike:?}\n{screen}");
    }
}

#[test]
fn help_counts_its_entries_at_every_width() {
    let mut s = state("‸");
    type_keys(&mut s, "<f1>prove");
    let counted = [80, 160].map(|width| {
        let screen = picture_at(&mut s, width, 50);
        let (_, counted) = screen.rsplit_once(" of ").expect("a count");
        counted.split(' ').next().unwrap_or_default().to_string()
    });
    assert_eq!(counted[0], counted[1]);
    assert_ne!(counted[0], "0");
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
fn help_runs_the_chosen_command() {
    // By name, in whichever panel it is done.
    let mut s = state("‸a\nb");
    type_keys(&mut s, "<f1>delete the line<enter>");
    assert_eq!(marked(&s), "‸b");
    type_keys(&mut s, "<alt-7><f1>undo<enter>");
    assert_eq!(&**s.document.buffer.text(), "a\nb");
    assert_eq!(s.screen.focus, Panel::EDITOR);
    // A command that is not possible reports why.
    type_keys(&mut s, "<f1>previous match<enter>");
    assert!(picture(&s).contains("nothing searched for"), "{}", picture(&s));
    // The second row of the list; the selection stops at the end of the list.
    type_keys(&mut s, "<f1>delete the<down><up><down><down><enter>");
    assert_eq!(marked(&s), "‸b");
    // Without a match nothing happens.
    type_keys(&mut s, "<f1>zzz<enter>");
    assert!(picture(&s).contains("no key does that"), "{}", picture(&s));
    type_keys(&mut s, "<esc><f1>next panel<enter>");
    assert_eq!(s.screen.focus, Panel::TOKENS);
}

#[test]
fn help_selection_stays_visible() {
    let mut s = state("‸");
    for (width, height) in [(20, 5), (40, 12), (80, 24)] {
        picture_at(&mut s, width, height);
        type_keys(&mut s, "<f1>");
        for key in ["<down>", "<up>", "<pagedown>", "<pageup>"] {
            for _ in 0..scaled(100) {
                type_keys(&mut s, key);
                assert!(picture(&s).contains('▶'), "{key} at {width}×{height}:\n{}", picture(&s));
            }
        }
        for (width, height) in [(20, 5), (120, 40), (width, height)] {
            type_keys(&mut s, "<pagedown><pagedown>");
            assert!(picture_at(&mut s, width, height).contains('▶'), "resized to {width}×{height}");
        }
        type_keys(&mut s, &"<pageup>".repeat(10));
        assert!(picture(&s).contains("On screen"), "the heading comes back:\n{}", picture(&s));
        type_keys(&mut s, "<esc>");
    }
}

#[test]
fn help_text_is_complete_on_narrow_screens() {
    let mut s = state("‸");
    picture_at(&mut s, 40, 16);
    type_keys(&mut s, "<f1>hybrid");
    let words = words(&picture(&s));
    let said = "which path the hybrid compiler takes for the function under the cursor, and why";
    assert!(words.contains(said), "{}", picture(&s));
}

#[test]
fn long_messages_take_several_lines() {
    let mut s = state("‸a");
    let why = "sample.myr not saved: no permission to write there (alt-s saves under another name)";
    s.apply(Event::SaveFailed(why.to_string()));
    for width in [20, 40, 80] {
        let screen = picture_at(&mut s, width, 24);
        assert!(words(&screen).contains(why), "{screen}");
    }
    type_keys(&mut s, "<down>");
    assert!(!picture(&s).contains("alt-s"), "the next key takes it away");
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
    assert_eq!(s.screen.focus, Panel::MUTANTS);
    type_keys(&mut s, "x");
    assert_eq!(marked(&s), "‸", "letters in a panel are not typed into the text");
    type_keys(&mut s, "<esc>");
    assert_eq!(s.screen.focus, Panel::EDITOR);
    for panel in Panel::all().skip(1) {
        let key = panel.row().keys[0];
        type_keys(&mut s, &format!("<{key}>"));
        assert_eq!(s.screen.focus, panel);
        if let Some(digit) = key.strip_prefix("alt-").filter(|key| key.parse::<u8>().is_ok()) {
            type_keys(&mut s, &format!("<alt-2>{digit}"));
            assert_eq!(s.screen.focus, panel, "from another panel the digit does");
        }
    }
}

#[test]
fn screens_are_drawn_at_any_size() {
    let mut s = state("fn f() -> int {\n    return 1;‸\n}\n");
    for overlay in
        ["", "<f1>", "<esc><ctrl-f>ret", "<esc><ctrl-g>", "<esc><alt-s>", "<esc><ctrl-o>", "<esc>x<ctrl-q>"]
    {
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

/// Every screen, by the keys that lead there.
const SCREENS: [&str; 14] = [
    "",
    "<f1>",
    "<ctrl-f>ret",
    "<ctrl-g>",
    "<alt-s>",
    "<ctrl-o>",
    "<f4>",
    "<f4><f1>",
    "<alt-2>",
    "<alt-7>",
    "<alt-9>",
    "<alt-q>",
    "<alt-u>",
    "<f7>",
];

#[test]
fn ctrl_q_quits_from_every_screen() {
    for screen in SCREENS {
        let mut s = answered("fn f() -> int { return 1;‸ }\ntest f() == 1;\n");
        type_keys(&mut s, screen);
        assert!(type_keys(&mut s, "<ctrl-q>").contains(&Effect::Quit), "{screen}");
        let mut s = answered("fn f() -> int { return 1;‸ }\ntest f() == 1;\n");
        type_keys(&mut s, " ");
        type_keys(&mut s, screen);
        assert!(!type_keys(&mut s, "<ctrl-q>").contains(&Effect::Quit), "{screen}");
        assert!(picture(&s).contains("is not saved"), "{screen}: {}", picture(&s));
    }
}

#[test]
fn ctrl_c_copies_or_leaves_in_every_screen() {
    for screen in SCREENS {
        let mut s = answered("fn f() -> int { return 1;‸ }\ntest f() == 1;\n");
        type_keys(&mut s, screen);
        let covered = s.prompts.overlay.is_some() || s.race.shown().is_some();
        let (overlay, race) = (s.prompts.overlay.is_some(), s.race.shown().is_some());
        let effects = type_keys(&mut s, "<ctrl-c>");
        if covered {
            assert!((overlay && s.prompts.overlay.is_none()) || (race && s.race.shown().is_none()), "{screen}");
        } else {
            let copied = effects.iter().any(|effect| matches!(effect, Effect::Copy(_)));
            assert!(copied || picture(&s).contains("no row to copy"), "{screen}: {}", picture(&s));
        }
    }
}

#[test]
fn q_returns_from_a_panel_to_the_editor() {
    for panel in Panel::all().skip(1) {
        let mut s = answered("fn f() -> int { return 1;‸ }\ntest f() == 1;\n");
        type_keys(&mut s, &format!("<{}>", panel.row().keys[0]));
        if s.prompts.overlay.is_some() {
            continue;
        }
        assert_eq!(s.screen.focus, panel);
        let effects = type_keys(&mut s, "q");
        assert!(!effects.contains(&Effect::Quit) && s.screen.focus == Panel::EDITOR, "{panel:?}");
    }
}

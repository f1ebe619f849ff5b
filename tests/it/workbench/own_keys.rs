//! Keys of the configuration: they invoke their commands, and every list of keys names them.

use super::harness::{marked, picture, state, type_keys};
use myriad::workbench::config::parse;
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;

const FILE: &str = "[keys.anywhere]\nhelp = \"ctrl-b\"\nprefix = \"ctrl-e\"\nsave = [\"F2\", \"alt-Q\"]\nast = \"alt-Y\"\n\
                    previous_match = \"shift-f3\"\n[keys.editor]\nundo = \"alt-u\"\nline_end = \"end\"\njump_back = []\n\
                    [keys.panels]\npin = \"P\"\n";

fn own(marked: &str) -> State {
    let mut own = state(marked);
    let (_, keys, faults) = parse(FILE);
    assert_eq!(faults, []);
    own.keys = keys.map();
    own
}

#[test]
fn keys_of_the_configuration_invoke_their_commands() {
    let mut s = own("a‸");
    type_keys(&mut s, "b<alt-u>");
    assert_eq!(marked(&s), "a‸");
    // The default key does nothing any more, and the message names the key in use.
    type_keys(&mut s, "c<ctrl-u>");
    assert_eq!(marked(&s), "ac‸");
    assert!(picture(&s).contains("ctrl-u does nothing here; ctrl-b shows the keys"), "{}", picture(&s));
    type_keys(&mut s, "<alt-Y>");
    assert_eq!(s.screen.focus, Panel::AST);
    type_keys(&mut s, "<esc><ctrl-e>Y");
    assert_eq!(s.screen.focus, Panel::AST);
}

#[test]
fn lists_of_keys_show_those_of_the_configuration() {
    let mut s = own("‸");
    let screen = picture(&s);
    assert!(screen.contains("ctrl-e panels · F2 save"), "{screen}");
    assert!(screen.contains("ctrl-b keys"), "{screen}");
    type_keys(&mut s, "<ctrl-e>");
    let screen = picture(&s);
    assert!(screen.contains(" ctrl-e, then one of these keys; ctrl-e again"), "{screen}");
    assert!(screen.contains("Q      save the file") && screen.contains("Y      AST"), "{screen}");
    type_keys(&mut s, "<esc><ctrl-b>save the file");
    let screen = picture(&s);
    assert!(screen.contains("F2 alt-Q") && !screen.contains("ctrl-s"), "{screen}");
    // The key that opened the list closes it.
    type_keys(&mut s, "<ctrl-b>");
    assert!(s.prompts.overlay.is_none());
    type_keys(&mut s, "<ctrl-b>back to the place before");
    let screen = picture(&s);
    assert!(screen.contains("(no key)"), "{screen}");
}

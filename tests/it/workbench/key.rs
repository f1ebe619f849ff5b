//! Names of keys.

use myriad::workbench::key::Key;

#[test]
fn key_names_round_trip() {
    for name in ["ctrl-s", "alt-1", "shift-tab", "pageup", "?", "ctrl-alt-x", "-"] {
        assert_eq!(Key::parse(name).map(|k| k.to_string()).as_deref(), Some(name));
    }
    assert_eq!(Key::parse("f12").map(|k| k.to_string()).as_deref(), Some("F12"));
    assert_eq!(Key::parse("hyper-x"), None);
}

//! JSON documents.

use myriad::report::document::json;

#[test]
fn invisible_characters_are_escaped_without_loss() {
    let text = "a\u{1b}\u{9b}é\u{7f}\u{2028}\u{202e}\u{e0041}\u{e0100}\"\\\n漢b\u{feff}";
    let written = json(&[text]);
    let wanted = r#"["a\u001b\u009bé\u007f\u2028\u202e\udb40\udc41\udb40\udd00\"\\\n漢b\ufeff"]"#;
    assert_eq!(written, wanted);
    assert_eq!(serde_json::from_str::<Vec<String>>(&written).unwrap(), [text]);
    assert_eq!(json(&["plain"]), r#"["plain"]"#);
}

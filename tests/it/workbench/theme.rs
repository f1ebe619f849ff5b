//! Depths of colour.

use myriad::workbench::theme::Depth;

#[test]
fn colour_depth_follows_the_environment() {
    let depth = |pairs: &[(&str, &str)]| {
        Depth::detect(|name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string()))
    };
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), Depth::True);
    assert_eq!(depth(&[("TERM", "screen-256color")]), Depth::Indexed);
    assert_eq!(depth(&[("TERM", "xterm")]), Depth::Ansi16);
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]), Depth::Mono);
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("NO_COLOR", "")]), Depth::Indexed);
}

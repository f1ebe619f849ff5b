//! Pictures as SVG.

use myriad::workbench::demo::svg::picture;
use myriad::workbench::offscreen::Picture;

use super::recorded;

/// Returns the unescaped texts of elements with one name; panics on invalid XML.
pub(super) fn elements(svg: &str, wanted: &str) -> Vec<String> {
    let (mut open, mut found, mut rest): (Vec<&str>, Vec<String>, &str) = (Vec::new(), Vec::new(), svg);
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        assert!(!text.contains('>'), "a stray > in {text:?}");
        if open.last() == Some(&wanted) {
            found.push(unescaped(text));
        }
        let (inside, behind) = tag[1..].split_once('>').expect("a tag ends");
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "a tag that is not open is closed");
        } else {
            assert_eq!(inside.matches('"').count() % 2, 0, "quotes in {inside}");
            if !inside.ends_with('/') {
                open.push(inside.split(' ').next().expect("a name"));
            }
        }
        rest = behind;
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} are not closed");
    found
}

fn unescaped(text: &str) -> String {
    let plain = text.replace("&lt;", "<").replace("&gt;", ">");
    assert_eq!(plain.matches('&').count(), text.matches("&amp;").count(), "{text}");
    plain.replace("&amp;", "&")
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[track_caller]
fn check(shown: &Picture) -> String {
    let svg = picture(shown, "a < b & c");
    assert_eq!(elements(&svg, "title"), ["a < b & c"]);
    let said: String = elements(&svg, "text").concat();
    assert_eq!(letters(&said), letters(&shown.text()), "all that is on screen, in its order");
    svg
}

#[test]
fn svg_picture_contains_the_text_and_stays_small() {
    let recording = recorded("Set Width 120\nSet Height 40\nOpen samples/gcd.myr\nAlt+7\n");
    let svg = check(&recording.last);
    assert!(svg.len() < 60_000, "{} bytes", svg.len());
    assert!(!svg.contains("href") && !svg.contains("script"), "it needs nothing else");
}

#[test]
fn characters_invalid_in_xml_are_escaped() {
    let recording = recorded("Set Width 80\nSet Height 24\nType \"<a & b> ]]> \\u{0} ä中→\"\n");
    check(&recording.last);
    let mut odd = recording.last.clone();
    odd.cells[(3, 3)].set_symbol("\u{1b}");
    odd.cells[(4, 3)].set_symbol("\u{ffff}");
    let svg = picture(&odd, "\u{1b}");
    assert!(!svg.contains('\u{1b}') && !svg.contains('\u{ffff}'));
}

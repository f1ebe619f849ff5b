//! Depths of colour, palettes, and their contrast.

use myriad::workbench::theme::{Depth, Look, Palette, Theme};
use ratatui::style::{Color, Style};

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

/// Red, green and blue of a colour, with each of the usual palettes of 16 colours: xterm's and the VGA's.
fn colours(colour: Color) -> Vec<u32> {
    let named = |xterm, vga| vec![xterm, vga];
    match colour {
        Color::Rgb(red, green, blue) => vec![u32::from(red) << 16 | u32::from(green) << 8 | u32::from(blue)],
        Color::Indexed(n @ 16..=231) => {
            let level = |n: u8| [0, 95, 135, 175, 215, 255][usize::from(n % 6)];
            let n = n - 16;
            vec![level(n / 36) << 16 | level(n / 6) << 8 | level(n)]
        }
        Color::Indexed(n @ 232..) => vec![(8 + 10 * u32::from(n - 232)) * 0x010101],
        Color::Black => named(0x000000, 0x000000),
        Color::White => named(0xffffff, 0xffffff),
        Color::Gray => named(0xe5e5e5, 0xaaaaaa),
        Color::Red => named(0xcd0000, 0xaa0000),
        Color::Blue => named(0x0000ee, 0x0000aa),
        Color::Magenta => named(0xcd00cd, 0xaa00aa),
        Color::Cyan => named(0x00cdcd, 0x00aaaa),
        Color::LightRed => named(0xff0000, 0xff5555),
        Color::LightGreen => named(0x00ff00, 0x55ff55),
        Color::LightYellow => named(0xffff00, 0xffff55),
        Color::LightMagenta => named(0xff00ff, 0xff55ff),
        Color::LightCyan => named(0x00ffff, 0x55ffff),
        other => panic!("{other:?} has no known contrast"),
    }
}

/// The relative luminance of WCAG 2.
fn luminance(colour: u32) -> f64 {
    let part = |shift: u32| {
        let value = f64::from(colour >> shift & 0xff) / 255.0;
        if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
}

/// The contrast ratio of WCAG 2, from 1 to 21: the lowest over the palettes.
fn contrast(style: Style) -> f64 {
    let of = |colour: Option<Color>| {
        colours(colour.expect("a colour")).into_iter().map(luminance).collect::<Vec<_>>()
    };
    let (front, back) = (of(style.fg), of(style.bg));
    let pairs = (0..2).map(|palette| (front[palette % front.len()], back[palette % back.len()]));
    pairs.map(|(one, other)| (one.max(other) + 0.05) / (one.min(other) + 0.05)).fold(f64::MAX, f64::min)
}

const PALETTES: [Palette; 3] = [Palette::Dark, Palette::Light, Palette::Contrast];
const DEPTHS: [Depth; 3] = [Depth::Ansi16, Depth::Indexed, Depth::True];
/// Looks that are drawn over others.
const OVER: [Look; 6] =
    [Look::Selection, Look::Match, Look::CurrentLine, Look::Link, Look::Part, Look::SelectedRow];
const BARS: [Look; 5] = [Look::Tabs, Look::Tab, Look::TabFocus, Look::Status, Look::Prompt];

#[test]
fn every_style_has_enough_contrast_in_every_theme() {
    for theme in DEPTHS.iter().flat_map(|depth| PALETTES.map(|palette| Theme::new(*depth).with(palette))) {
        let check = |styles: &[Style], what: &str| {
            let style = styles.iter().fold(theme.ground(), |below, style| below.patch(*style));
            let found = contrast(style);
            assert!(found >= 4.5, "{what} has a contrast of {found:.2} in {theme:?}: {style:?}");
        };
        for look in Look::ALL {
            let style = theme.style(*look);
            check(&[style], &format!("{look:?}"));
            if BARS.contains(look) {
                continue;
            }
            for over in OVER {
                check(&[style, theme.style(over)], &format!("{look:?} below {over:?}"));
                check(&[theme.stale(), theme.style(over)], &format!("stale text below {over:?}"));
            }
            for bar in [Look::Tabs, Look::Status] {
                check(&[theme.style(bar), style], &format!("{look:?} on {bar:?}"));
            }
        }
    }
}

/// Without colours, each look that means something differs from plain text by its weight, or its text has a glyph.
#[test]
fn looks_over_content_are_visible_without_colour() {
    for depth in [Depth::Mono, Depth::Ansi16] {
        let theme = Theme::new(depth);
        for look in
            OVER.into_iter().chain([Look::Flawed, Look::Suspect, Look::Bracket, Look::Placeholder]).chain(BARS)
        {
            if look != Look::CurrentLine {
                let style = theme.style(look);
                assert!(!style.add_modifier.is_empty(), "{look:?} is invisible in {depth:?}");
            }
        }
    }
}

#[test]
fn palette_follows_the_background() {
    let detect = |value: &str| Palette::detect(|name| (name == "COLORFGBG").then(|| value.to_string()));
    assert_eq!(detect("0;15"), Some(Palette::Light));
    assert_eq!(detect("15;default;0"), Some(Palette::Dark));
    assert_eq!(detect("15;8"), Some(Palette::Dark));
    assert_eq!(detect("default;default"), None);
    assert_eq!(Palette::for_background((0xfd, 0xf6, 0xe3)), Palette::Light);
    assert_eq!(Palette::for_background((0x28, 0x2c, 0x34)), Palette::Dark);
}

//! Styles for each colour depth of a terminal, and three palettes: dark, light and high contrast. Without colour, weight and
//! glyphs carry the meaning.

use ratatui::style::{Color, Modifier, Style};

/// The number of colours that the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// `NO_COLOR`, or a terminal without colours.
    Mono,
    Ansi16,
    Indexed,
    True,
}

impl Depth {
    /// Detects the depth from `NO_COLOR`, `COLORTERM` and `TERM`.
    pub fn detect(var: impl Fn(&str) -> Option<String>) -> Depth {
        let term = var("TERM").unwrap_or_default();
        if var("NO_COLOR").is_some_and(|v| !v.is_empty()) || term == "dumb" || term.starts_with("vt") {
            return Depth::Mono;
        }
        let deep = |v: String| v == "truecolor" || v == "24bit";
        if var("COLORTERM").is_some_and(deep) || term.ends_with("-direct") {
            Depth::True
        } else if term.contains("256color") || term.contains("kitty") || term.contains("alacritty") {
            Depth::Indexed
        } else {
            Depth::Ansi16
        }
    }
}

macro_rules! looks {
    ($($(#[$about:meta])* $name:ident,)*) => {
        /// The role of a piece of the screen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Look {
            $($(#[$about])* $name,)*
        }

        impl Look {
            pub const ALL: &[Look] = &[$(Look::$name),*];
        }
    };
}

// First the colours of text, then what is drawn over other content, then bars and boxes.
looks! {
    Text,
    Dim,
    Keyword,
    Type,
    Number,
    Str,
    Comment,
    Function,
    Operator,
    Good,
    Bad,
    Warning,
    Heading,
    Added,
    Removed,
    Bar,
    /// Lines between areas, and guides in the tree.
    Rule,
    Placeholder,
    LineNumber,
    CurrentNumber,
    Selection,
    Match,
    CurrentLine,
    /// The element under the cursor.
    Link,
    /// The parts of the linked element.
    Part,
    Bracket,
    Flawed,
    Suspect,
    SelectedRow,
    Tabs,
    Tab,
    TabFocus,
    Status,
    Prompt,
}

/// A set of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    #[default]
    Dark,
    Light,
    /// The highest contrast, legible from the back row.
    Contrast,
}

impl Palette {
    /// The names of all choices; the first is the palette for the terminal's background.
    pub const CHOICES: [(&str, Option<Palette>); 4] = [
        ("auto", None),
        ("dark", Some(Palette::Dark)),
        ("light", Some(Palette::Light)),
        ("contrast", Some(Palette::Contrast)),
    ];

    /// Returns the palette for a background colour, by its luminance.
    pub fn for_background((red, green, blue): (u8, u8, u8)) -> Palette {
        let [red, green, blue] = [red, green, blue].map(u32::from);
        if red * 2126 + green * 7152 + blue * 722 > 128 * 10_000 { Palette::Light } else { Palette::Dark }
    }

    /// Returns the palette for the background that `COLORFGBG` states: its last number is the colour, 7 or 9 to 15 if it is
    /// light.
    pub fn detect(var: impl Fn(&str) -> Option<String>) -> Option<Palette> {
        let background: u8 = var("COLORFGBG")?.rsplit(';').next()?.parse().ok()?;
        match background {
            7 | 9..=15 => Some(Palette::Light),
            0..=15 => Some(Palette::Dark),
            _ => None,
        }
    }
}

/// The colours of the screen.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    depth: Depth,
    palette: Palette,
}

/// A colour of each palette: in 24 bits and of 256; for the first two also of 16.
struct Tint {
    dark: (u32, u8, Color),
    light: (u32, u8, Color),
    contrast: (u32, u8),
}

const fn tint(dark: (u32, u8, Color), light: (u32, u8, Color), contrast: (u32, u8)) -> Tint {
    Tint { dark, light, contrast }
}

// Each text has a contrast of at least 4.5 with each background; `tests/it/workbench/theme.rs` computes it. Of 16 colours,
// only those are used that are legible with the usual palettes.
const BACK: Tint = tint((0x1b1e28, 234, Color::Black), (0xfbfbfd, 231, Color::White), (0x000000, 16));
const FRONT: Tint = tint((0xdfe3ee, 254, Color::White), (0x1c2030, 235, Color::Black), (0xffffff, 231));
const GREY: Tint = tint((0xa6adc0, 249, Color::Gray), (0x535a6e, 59, Color::Black), (0xc6c6c6, 253));
const BLUE: Tint = tint((0x8fb4ff, 147, Color::LightCyan), (0x1e4fb3, 25, Color::Blue), (0x87d7ff, 117));
const CYAN: Tint = tint((0x7fdbca, 116, Color::Cyan), (0x005f5f, 23, Color::Blue), (0x5fffff, 87));
const GREEN: Tint = tint((0xa3d977, 150, Color::LightGreen), (0x2a5f0a, 22, Color::Blue), (0x87ff5f, 119));
const ORANGE: Tint = tint((0xf7b07c, 216, Color::LightYellow), (0x8a3c00, 88, Color::Red), (0xffaf5f, 221));
const YELLOW: Tint = tint((0xffd479, 222, Color::LightYellow), (0x6b4a00, 58, Color::Magenta), (0xffff00, 226));
const RED: Tint = tint((0xff9aa2, 217, Color::LightRed), (0xa3121f, 124, Color::Red), (0xff9f9f, 223));
const VIOLET: Tint =
    tint((0xd0aaf5, 183, Color::LightMagenta), (0x7027a3, 55, Color::Magenta), (0xffafff, 219));
const BAND: Tint = tint((0x262b3a, 236, Color::Reset), (0xe9ebf2, 254, Color::Reset), (0x262626, 235));
const LINE: Tint = tint((0x21252f, 235, Color::Reset), (0xf2f3f8, 255, Color::Reset), (0x1c1c1c, 234));
const SELECTION: Tint = tint((0x2b3c66, 18, Color::Reset), (0xcfdcf7, 189, Color::Reset), (0x003f5f, 18));
const LINK: Tint = tint((0x4a3c10, 53, Color::Reset), (0xf6e3a1, 229, Color::Reset), (0x3a3a00, 53));
const PART: Tint = tint((0x302d24, 237, Color::Reset), (0xf2efe2, 230, Color::Reset), (0x2a2a2a, 236));

const fn rgb(hex: u32) -> Color {
    Color::Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

impl Theme {
    pub fn new(depth: Depth) -> Theme {
        Theme { depth, palette: Palette::Dark }
    }
    /// Returns the theme without colours.
    pub fn plain() -> Theme {
        Theme::new(Depth::Mono)
    }
    pub fn with(self, palette: Palette) -> Theme {
        Theme { palette, ..self }
    }
    /// Returns the theme with the highest contrast of its depth.
    pub fn contrasting(self) -> Theme {
        self.with(Palette::Contrast)
    }
    /// Returns whether its colours depend on the palette.
    pub fn has_colours(&self) -> bool {
        self.depth != Depth::Mono
    }

    fn color(&self, tint: Tint) -> Color {
        let named = if self.palette == Palette::Light { tint.light } else { tint.dark };
        match self.depth {
            Depth::Mono => Color::Reset,
            Depth::Ansi16 => named.2,
            Depth::Indexed if self.palette == Palette::Contrast => Color::Indexed(tint.contrast.1),
            Depth::Indexed => Color::Indexed(named.1),
            Depth::True if self.palette == Palette::Contrast => rgb(tint.contrast.0),
            Depth::True => rgb(named.0),
        }
    }

    /// Returns the style that fills the screen before drawing. Without colours, the terminal's own background stays.
    pub fn ground(&self) -> Style {
        match self.depth {
            Depth::Mono => Style::reset(),
            _ => Style::reset().fg(self.color(FRONT)).bg(self.color(BACK)),
        }
    }

    pub fn style(&self, look: Look) -> Style {
        let style = Style::new();
        let fg = |tint| style.fg(self.color(tint));
        let few = matches!(self.depth, Depth::Mono | Depth::Ansi16);
        let mono = self.depth == Depth::Mono;
        let bg = |tint: Tint, otherwise: Modifier| {
            if few { style.add_modifier(otherwise) } else { style.bg(self.color(tint)) }
        };
        match look {
            Look::Text => fg(FRONT),
            Look::Dim | Look::Comment | Look::LineNumber if mono => style.add_modifier(Modifier::DIM),
            Look::Dim | Look::LineNumber => fg(GREY),
            Look::Comment => fg(GREY).add_modifier(Modifier::ITALIC),
            Look::CurrentNumber => fg(YELLOW).add_modifier(Modifier::BOLD),
            Look::Keyword => fg(VIOLET).add_modifier(if mono { Modifier::BOLD } else { Modifier::empty() }),
            Look::Type => fg(CYAN),
            Look::Number => fg(ORANGE),
            Look::Str => fg(GREEN),
            Look::Function => fg(BLUE),
            Look::Operator => fg(CYAN),
            Look::Good | Look::Added => fg(GREEN),
            Look::Bad | Look::Removed => fg(RED),
            Look::Warning => fg(YELLOW),
            Look::Heading => fg(BLUE).add_modifier(Modifier::BOLD),
            Look::Bar => fg(BLUE),
            Look::Rule => fg(GREY),
            Look::Placeholder => fg(RED).add_modifier(Modifier::REVERSED),
            Look::Selection => bg(SELECTION, Modifier::REVERSED),
            Look::Match => bg(SELECTION, Modifier::UNDERLINED),
            Look::CurrentLine => bg(LINE, Modifier::empty()),
            Look::Link => bg(LINK, Modifier::BOLD | Modifier::UNDERLINED),
            Look::Part => bg(PART, Modifier::UNDERLINED),
            Look::Bracket => fg(YELLOW).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            Look::Flawed if mono => style.add_modifier(Modifier::UNDERLINED),
            Look::Flawed => fg(RED).add_modifier(Modifier::UNDERLINED),
            Look::Suspect => style.add_modifier(Modifier::UNDERLINED),
            Look::SelectedRow => bg(SELECTION, Modifier::REVERSED),
            Look::Tabs if few => style.add_modifier(Modifier::UNDERLINED),
            Look::Tabs => style.fg(self.color(GREY)).bg(self.color(BAND)),
            Look::Tab if few => style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
            Look::Tab => style.fg(self.color(FRONT)).bg(self.color(BAND)).add_modifier(Modifier::BOLD),
            Look::TabFocus if few => style.add_modifier(Modifier::REVERSED | Modifier::BOLD),
            Look::TabFocus => style.fg(self.color(BACK)).bg(self.color(BLUE)).add_modifier(Modifier::BOLD),
            Look::Status | Look::Prompt if few => style.add_modifier(Modifier::REVERSED),
            Look::Status => style.fg(self.color(FRONT)).bg(self.color(BAND)),
            Look::Prompt => style.fg(self.color(BACK)).bg(self.color(YELLOW)),
        }
    }

    /// Returns the style of outdated content.
    pub fn stale(&self) -> Style {
        match self.depth {
            Depth::Mono => Style::new().add_modifier(Modifier::DIM),
            Depth::Ansi16 => Style::new().fg(self.color(GREY)).add_modifier(Modifier::ITALIC),
            _ => Style::new().fg(self.color(GREY)),
        }
    }
}

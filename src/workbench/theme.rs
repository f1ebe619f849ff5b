//! Styles for each colour depth of a terminal, with a high-contrast variant for presentations. Without
//! colour, weight and glyphs carry the meaning.

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

/// The role of a piece of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
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
    // Drawn over other content:
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
    // Bars and boxes:
    Tabs,
    Tab,
    TabFocus,
    Status,
    Prompt,
}

/// The colours: the everyday ones, or high contrast that is legible from the back row.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    depth: Depth,
    contrast: bool,
}

const fn rgb(hex: u32) -> Color {
    Color::Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// A colour in 24 bits, of 256 and of 16, then the first two for high contrast.
#[derive(Clone, Copy)]
struct Tint(u32, u8, Color, u32, u8);

const BACK: Tint = Tint(0x1b1e28, 234, Color::Reset, 0x000000, 16);
const FRONT: Tint = Tint(0xd5d9e6, 253, Color::Reset, 0xffffff, 231);
const GREY: Tint = Tint(0x868da3, 245, Color::DarkGray, 0xc6c6c6, 251);
const FAINT: Tint = Tint(0x3f465c, 239, Color::DarkGray, 0x9e9e9e, 247);
const BLUE: Tint = Tint(0x82aaff, 111, Color::Blue, 0x87d7ff, 117);
const CYAN: Tint = Tint(0x7fdbca, 116, Color::Cyan, 0x5fffff, 87);
const GREEN: Tint = Tint(0xa3d977, 150, Color::Green, 0x87ff5f, 119);
const ORANGE: Tint = Tint(0xf7a76c, 215, Color::Yellow, 0xffaf5f, 215);
const YELLOW: Tint = Tint(0xffd479, 222, Color::Yellow, 0xffff00, 226);
const RED: Tint = Tint(0xff7a85, 210, Color::Red, 0xff8787, 210);
const VIOLET: Tint = Tint(0xc79bf0, 177, Color::Magenta, 0xffafff, 219);
const BAND: Tint = Tint(0x262b3a, 236, Color::Reset, 0x262626, 235);
const LINE: Tint = Tint(0x21252f, 235, Color::Reset, 0x1c1c1c, 234);
const SELECTION: Tint = Tint(0x3d4f7c, 24, Color::Blue, 0x005f87, 24);
const LINK: Tint = Tint(0x5a4a1f, 58, Color::Reset, 0x4e4e00, 58);
const PART: Tint = Tint(0x302d24, 237, Color::Reset, 0x303030, 236);

impl Theme {
    pub fn new(depth: Depth) -> Theme {
        Theme { depth, contrast: false }
    }
    /// Returns the theme without colours.
    pub fn plain() -> Theme {
        Theme::new(Depth::Mono)
    }
    /// Returns the theme with the highest contrast of its depth.
    pub fn contrasting(self) -> Theme {
        Theme { contrast: true, ..self }
    }

    fn color(&self, tint: Tint) -> Color {
        match (self.depth, self.contrast) {
            (Depth::Mono, _) => Color::Reset,
            (Depth::Ansi16, true) if tint.2 == Color::DarkGray => Color::Gray,
            (Depth::Ansi16, _) => tint.2,
            (Depth::Indexed, false) => Color::Indexed(tint.1),
            (Depth::Indexed, true) => Color::Indexed(tint.4),
            (Depth::True, false) => rgb(tint.0),
            (Depth::True, true) => rgb(tint.3),
        }
    }

    /// Returns the style that fills the screen before drawing. With few colours, the terminal's own
    /// background stays.
    pub fn ground(&self) -> Style {
        match self.depth {
            Depth::Ansi16 if self.contrast => Style::reset().fg(Color::White).bg(Color::Black),
            Depth::Mono | Depth::Ansi16 => Style::reset(),
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
            Look::Rule => fg(FAINT),
            Look::Placeholder => fg(RED).add_modifier(Modifier::REVERSED),
            Look::Selection => bg(SELECTION, Modifier::REVERSED),
            Look::Match => bg(SELECTION, Modifier::UNDERLINED),
            Look::CurrentLine => bg(LINE, Modifier::empty()),
            Look::Link => bg(LINK, Modifier::BOLD | Modifier::UNDERLINED),
            Look::Part => bg(PART, Modifier::empty()),
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
            Depth::Mono | Depth::Ansi16 => Style::new().add_modifier(Modifier::DIM),
            _ => Style::new().fg(self.color(GREY)),
        }
    }
}

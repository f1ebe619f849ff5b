//! The table of tape commands, which `docs/demo.md` lists.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Set,
    Open,
    Type,
    Press,
    Paste,
    Burst,
    Mouse,
    Resize,
    Sleep,
    Wait,
    Hide,
    Show,
    Still,
}

impl Verb {
    /// Whether lines that begin with `|` may follow, as a text.
    pub fn takes_lines(self) -> bool {
        matches!(self, Verb::Open | Verb::Paste | Verb::Burst)
    }
}

pub struct CommandRow {
    pub verb: Verb,
    /// The word that it begins with; empty for keys, where the word is the key's name.
    pub word: &'static str,
    /// Its syntax.
    pub form: &'static str,
    /// Its description, for the documentation.
    pub does: &'static str,
}

pub const TABLE: &[CommandRow] = &[
    CommandRow {
        verb: Verb::Set,
        word: "Set",
        form: "Set NAME VALUE",
        does: "a setting, before all other commands: see below",
    },
    CommandRow {
        verb: Verb::Open,
        word: "Open",
        form: "Open FILE [LINE:COLUMN]",
        does: "opens a copy of a program: a file, a sample, or the program that follows it, a bar before each line",
    },
    CommandRow {
        verb: Verb::Type,
        word: "Type",
        form: "Type \"TEXT\"",
        does: "types a text key by key; `Type@20ms` at another speed. Quotes are `\"`, `'` or a backtick",
    },
    CommandRow {
        verb: Verb::Press,
        word: "",
        form: "KEY [TIMES]",
        does: "presses a key once or several times: `Enter`, `Down 3`, `Ctrl+U` or `ctrl-u`, `n`; `Down@100ms 3` at another speed",
    },
    CommandRow {
        verb: Verb::Paste,
        word: "Paste",
        form: "Paste \"TEXT\"",
        does: "pastes a text, or the lines that follow it, a bar before each",
    },
    CommandRow {
        verb: Verb::Burst,
        word: "Burst",
        form: "Burst \"TEXT\"",
        does: "sends keys faster than anyone types, as some terminals send pastes. `Burst@0` continues the burst before it",
    },
    CommandRow {
        verb: Verb::Mouse,
        word: "Mouse",
        form: "Mouse ACTION COLUMN ROW [shift]",
        does: "uses the mouse at a cell, counted from 1: `click`, `double-click`, `triple-click`, `drag`, `scroll-up`, `scroll-down`, `scroll-left` or `scroll-right`",
    },
    CommandRow {
        verb: Verb::Resize,
        word: "Resize",
        form: "Resize COLUMNS ROWS",
        does: "changes the size of the screen in a recording",
    },
    CommandRow { verb: Verb::Sleep, word: "Sleep", form: "Sleep TIME", does: "pauses: `500ms`, `2s`, `0.5`" },
    CommandRow {
        verb: Verb::Wait,
        word: "Wait",
        form: "Wait \"TEXT\"",
        does: "waits until a line of the screen contains this text; `Wait@30s` sets the time limit",
    },
    CommandRow {
        verb: Verb::Hide,
        word: "Hide",
        form: "Hide",
        does: "leaves the following commands out of a cast; in a terminal they run without pauses",
    },
    CommandRow { verb: Verb::Show, word: "Show", form: "Show", does: "ends `Hide`" },
    CommandRow {
        verb: Verb::Still,
        word: "Still",
        form: "Still NAME [\"CAPTION\"]",
        does: "draws the screen as it is now, for `--svg` and `--slides`",
    },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Width,
    Height,
    TypingSpeed,
    WaitTimeout,
    Figures,
    Clipboard,
    Presenter,
    Config,
    Race,
    Title,
}

pub struct SettingRow {
    pub setting: Setting,
    pub word: &'static str,
    pub form: &'static str,
    pub otherwise: &'static str,
    pub does: &'static str,
}

pub const SETTINGS: &[SettingRow] = &[
    SettingRow {
        setting: Setting::Width,
        word: "Width",
        form: "Set Width COLUMNS",
        otherwise: "120",
        does: "columns of a recording",
    },
    SettingRow {
        setting: Setting::Height,
        word: "Height",
        form: "Set Height ROWS",
        otherwise: "36",
        does: "rows of a recording",
    },
    SettingRow {
        setting: Setting::TypingSpeed,
        word: "TypingSpeed",
        form: "Set TypingSpeed TIME",
        otherwise: "50ms",
        does: "the pause after each key",
    },
    SettingRow {
        setting: Setting::WaitTimeout,
        word: "WaitTimeout",
        form: "Set WaitTimeout TIME",
        otherwise: "15s",
        does: "the time limit of `Wait`, and of a recorder that waits for the engine",
    },
    SettingRow {
        setting: Setting::Figures,
        word: "Figures",
        form: "Set Figures held",
        otherwise: "held",
        does: "`held`: a recording shows `–` for times, energies and adapters; `measured`: the measured values",
    },
    SettingRow {
        setting: Setting::Clipboard,
        word: "Clipboard",
        form: "Set Clipboard own",
        otherwise: "own",
        does: "`own`: a key that pastes takes the text that the tape has copied; `taped`: only `Paste` pastes",
    },
    SettingRow {
        setting: Setting::Presenter,
        word: "Presenter",
        form: "Set Presenter on",
        otherwise: "off",
        does: "`on` starts in presenter's mode",
    },
    SettingRow {
        setting: Setting::Config,
        word: "Config",
        form: "Set Config 'KEY = VALUE'",
        otherwise: "editor.key_set = 'standard'",
        does: "a key of `editor` or `keys`, `engine.opt`, `engine.budget`, `engine.group` or `screen.laboratory`, as `myriad config` lists them; a tape with one ignores your own configuration of these",
    },
    SettingRow {
        setting: Setting::Race,
        word: "Race",
        form: "Set Race FILE",
        otherwise: "a new race",
        does: "`F4` shows the race that `myriad race PROGRAM --format json` has written to this file, with its date",
    },
    SettingRow {
        setting: Setting::Title,
        word: "Title",
        form: "Set Title \"TEXT\"",
        otherwise: "the tape's name",
        does: "the title of a cast and of stills",
    },
];

/// Commands of other programs' tapes, with their replacements here.
pub const FOREIGN_COMMANDS: &[(&str, &str)] = &[
    ("Output", "the call says where a recording goes: `--cast OUT.cast`, `--svg OUT.svg`"),
    ("Screenshot", "`Still NAME` draws the screen, where the call has `--svg`"),
    ("Source", "`Open FILE` opens a program; a tape cannot play another tape"),
    ("Require", "a tape needs no other program"),
    ("Env", "a tape needs no other program"),
    ("Copy", "select, then press `Ctrl+C`"),
];

/// Returns both tables in Markdown.
pub fn markdown() -> String {
    let mut page = String::from("| command | does |\n|---|---|\n");
    for row in TABLE {
        page.push_str(&format!("| `{}` | {} |\n", row.form, row.does));
    }
    page.push_str("\n| setting | if not set | |\n|---|---|---|\n");
    for row in SETTINGS {
        page.push_str(&format!("| `{}` | {} | {} |\n", row.form, row.otherwise, row.does));
    }
    page
}

//! The one table of commands: what a tape may hold, what `docs/demo.md` lists.

/// What a command does, so far as it needs no words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Set,
    Open,
    Type,
    Press,
    Sleep,
    Wait,
    Hide,
    Show,
    Still,
}

/// A row of the table.
pub struct Row {
    pub verb: Verb,
    /// The word that it begins with; empty for keys, each of which is a word of its own.
    pub word: &'static str,
    /// How it is written.
    pub form: &'static str,
    /// What it does.
    pub does: &'static str,
}

pub const TABLE: &[Row] = &[
    Row {
        verb: Verb::Set,
        word: "Set",
        form: "Set NAME VALUE",
        does: "a setting, before all other commands: see below",
    },
    Row {
        verb: Verb::Open,
        word: "Open",
        form: "Open FILE",
        does: "puts a copy of a program on screen: of a file, beside the tape or from where the program is started, or of a sample",
    },
    Row {
        verb: Verb::Type,
        word: "Type",
        form: "Type \"TEXT\"",
        does: "types a text, a key after the other; `Type@20ms` at another speed. Quotes are `\"`, `'` or a backtick",
    },
    Row {
        verb: Verb::Press,
        word: "",
        form: "KEY [TIMES]",
        does: "presses a key, once or several times: `Enter`, `Down 3`, `Ctrl+U`, `Alt+7`, `F4`, `n`; `Down@100ms 3` at another speed. Keys are named as in [keys.md](keys.md), too: `alt-7`, `pageup`",
    },
    Row {
        verb: Verb::Sleep,
        word: "Sleep",
        form: "Sleep TIME",
        does: "does nothing for so long: `500ms`, `2s`, `0.5`",
    },
    Row {
        verb: Verb::Wait,
        word: "Wait",
        form: "Wait \"TEXT\"",
        does: "waits until a line of the screen has this text; `Wait@30s` so long at most",
    },
    Row {
        verb: Verb::Hide,
        word: "Hide",
        form: "Hide",
        does: "leaves what follows out of a cast; a terminal shows it at once, without pauses",
    },
    Row { verb: Verb::Show, word: "Show", form: "Show", does: "ends that" },
    Row {
        verb: Verb::Still,
        word: "Still",
        form: "Still NAME",
        does: "with `--svg OUT.svg`, draws the screen as it is now to `OUT-NAME.svg`",
    },
];

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Width,
    Height,
    TypingSpeed,
    WaitTimeout,
    Figures,
    Title,
}

/// A row of the table of settings.
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
        does: "the pause behind each key",
    },
    SettingRow {
        setting: Setting::WaitTimeout,
        word: "WaitTimeout",
        form: "Set WaitTimeout TIME",
        otherwise: "15s",
        does: "how long `Wait` waits at most, and a recorder for the engine",
    },
    SettingRow {
        setting: Setting::Figures,
        word: "Figures",
        form: "Set Figures held",
        otherwise: "held",
        does: "`held`: a recording has `–` for times, energies and adapters, so that two of them are the same; `measured`: what they are here",
    },
    SettingRow {
        setting: Setting::Title,
        word: "Title",
        form: "Set Title \"TEXT\"",
        otherwise: "the tape's name",
        does: "what a cast and stills are called",
    },
];

/// Commands of other programs' tapes, and what stands for them here.
pub const ELSEWHERE: &[(&str, &str)] = &[
    ("Output", "the call says where a recording goes: `--cast OUT.cast`, `--svg OUT.svg`"),
    ("Screenshot", "`Still NAME` draws the screen, where the call has `--svg`"),
    ("Source", "`Open FILE` opens a program; a tape does not play another one"),
    ("Require", "a tape needs no other program"),
    ("Env", "a tape needs no other program"),
    ("Copy", "select, then press `Ctrl+C`"),
    ("Paste", "press `Ctrl+V`"),
];

/// Both tables as tables of Markdown.
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

//! The panels by name, and what each is for.

/// Every panel. The number keys, for the first ten, and the tabs follow this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Panel {
    Editor,
    Tokens,
    Ast,
    Ir,
    Bytecode,
    Tests,
    Mutants,
    Problems,
    Latency,
    Energy,
    Neural,
    Router,
    Noise,
}

impl Panel {
    pub const COUNT: usize = 13;
    pub const ALL: [Panel; Panel::COUNT] = [
        Panel::Editor,
        Panel::Tokens,
        Panel::Ast,
        Panel::Ir,
        Panel::Bytecode,
        Panel::Tests,
        Panel::Mutants,
        Panel::Problems,
        Panel::Latency,
        Panel::Energy,
        Panel::Neural,
        Panel::Router,
        Panel::Noise,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Panel::Editor => "Editor",
            Panel::Tokens => "Tokens",
            Panel::Ast => "AST",
            Panel::Ir => "IR",
            Panel::Bytecode => "Bytecode",
            Panel::Tests => "Tests",
            Panel::Mutants => "Mutants",
            Panel::Problems => "Diagnostics",
            Panel::Latency => "Latency",
            Panel::Energy => "Energy",
            Panel::Neural => "Neural",
            Panel::Router => "Router",
            Panel::Noise => "Noise",
        }
    }

    /// The title where there is little room.
    pub fn short_title(self) -> &'static str {
        match self {
            Panel::Editor => "Edit",
            Panel::Tokens => "Tok",
            Panel::Ast => "AST",
            Panel::Ir => "IR",
            Panel::Bytecode => "BC",
            Panel::Tests => "Test",
            Panel::Mutants => "Mut",
            Panel::Problems => "Diag",
            Panel::Latency => "Lat",
            Panel::Energy => "En",
            Panel::Neural => "Net",
            Panel::Router => "Rt",
            Panel::Noise => "Nois",
        }
    }

    /// Whether it is a list whose rows can be selected and stand for places in the source.
    pub fn is_list(self) -> bool {
        !matches!(
            self,
            Panel::Editor | Panel::Latency | Panel::Energy | Panel::Neural | Panel::Router | Panel::Noise
        )
    }
}

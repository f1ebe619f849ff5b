//! Where a number comes from. Wherever the paper stands beside this program, each number says it.

use std::fmt;

/// How a number came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Read off a clock, a counter or a meter of this machine.
    Measured,
    /// Computed by a formula from other numbers; an estimate of energy from stated watts is one.
    Modelled,
    /// The paper's.
    Quoted,
}

impl Origin {
    pub const ALL: [Origin; 3] = [Origin::Measured, Origin::Modelled, Origin::Quoted];

    /// One word, for people and for documents.
    pub fn ident(self) -> &'static str {
        match self {
            Origin::Measured => "measured",
            Origin::Modelled => "modelled",
            Origin::Quoted => "quoted",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.ident())
    }
}

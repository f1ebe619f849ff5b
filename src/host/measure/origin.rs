//! The origin of a number. Wherever figures of the paper and of this program appear together, each has its
//! origin.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Read from a clock, a counter or a meter of this machine.
    Measured,
    /// Computed from other numbers by a formula. This includes energy estimated from stated watts.
    Modelled,
    /// Quoted from the paper.
    Quoted,
}

impl Origin {
    pub const ALL: [Origin; 3] = [Origin::Measured, Origin::Modelled, Origin::Quoted];

    /// Returns the name of the origin, for people and for documents.
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

//! Options of many subcommands; [`super::heeded`] says of which.

use clap::ValueEnum;

use super::values::one_of;
use crate::engine::choose::Preference;
use crate::lang::level::{AUTOMATIC, LevelChoice, OptLevel};
use crate::workbench::config::Config;
use crate::workbench::config::keys::CHOICES;

const SHARING: &str = "All devices and the CPU, sharing each batch";

/// The heading of [`Common`] in help.
const HEADING: &str = "Options of many commands";

/// Options of many subcommands.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Common {
    /// The engine that compiles and runs; `auto`, the default, uses hardware GPUs where they are faster
    #[arg(long, global = true, help_heading = HEADING, value_name = "ENGINE",
        value_parser = one_of(&CHOICES, &[("all", SHARING)]))]
    pub engine: Option<Preference>,
    /// Text for people, or one JSON document
    #[arg(long, global = true, help_heading = HEADING, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Add measured times
    #[arg(long, global = true, help_heading = HEADING)]
    pub timings: bool,
    /// Run every mutant on every input, even if its result is known; the verdicts are the same
    #[arg(long, global = true, help_heading = HEADING)]
    pub exact: bool,
    /// The level of optimization: 0 leaves the code as lowered, 1 takes the local passes, 2 also inlines calls and
    /// unrolls loops, 3 also uses what `myriad improve` has learned; auto is 1, but in the workbench 2 for long tests.
    /// Mutants are compiled at level 1 at most
    #[arg(long, global = true, help_heading = HEADING, value_name = "LEVEL", value_parser = opt_level)]
    pub opt: Option<LevelChoice>,
    /// The user's configuration; filled in before a command starts.
    #[arg(skip)]
    pub config: Config,
}

/// Reads the number of a level.
fn opt_level(text: &str) -> Result<LevelChoice, String> {
    if text == AUTOMATIC {
        return Ok(LevelChoice::Automatic);
    }
    let level = text.parse().ok().and_then(OptLevel::from_number).map(LevelChoice::Fixed);
    level.ok_or_else(|| format!("expected {AUTOMATIC} or a level from 0 to {}", OptLevel::ALL.len() - 1))
}

impl Common {
    /// Who chooses the level that programs are optimized to.
    pub fn level_choice(&self) -> LevelChoice {
        self.opt.unwrap_or_default()
    }

    /// The level that programs are optimized to, where none has run before.
    pub fn level(&self) -> OptLevel {
        self.level_choice().level()
    }

    /// Returns the options of a command whose programs are all variants or are compared with variants.
    pub fn of_variants(self) -> Common {
        Common { opt: Some(self.level().of_variants().into()), ..self }
    }

    /// Takes from the configuration the options that the call does not set.
    pub fn configured(self, config: Config) -> Common {
        let exact = self.exact || config.engine.exact;
        let opt = self.opt.or(Some(config.engine.opt));
        Common { engine: self.engine.or(Some(config.engine.choice)), exact, opt, config, ..self }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
}

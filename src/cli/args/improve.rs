//! Arguments of `improve`.

use std::ffi::OsString;

use super::values::seconds;

#[derive(Debug, clap::Args)]
pub struct ImproveArgs {
    /// Programs; `-` is standard input
    #[arg(required_unless_present_any = ["list", "export", "import", "off", "on", "forget"])]
    pub files: Vec<OsString>,
    /// Only the function with this name
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Time limit in seconds; functions that are done by then are kept. With --import, for all rules
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// First look for rules in the code of each file
    #[arg(long)]
    pub rules: bool,
    /// List the routines and rules that are known
    #[arg(long, help_heading = "Known rules", conflicts_with = "files")]
    pub list: bool,
    /// Print all rules, one a line
    #[arg(long, help_heading = "Known rules", conflicts_with_all = ["files", "list"])]
    pub export: bool,
    /// Prove the rules of this file, and keep those that are proved
    #[arg(long, help_heading = "Known rules", value_name = "FILE", conflicts_with_all = ["files", "list", "export"])]
    pub import: Option<OsString>,
    /// Switch off the rule with this name
    #[arg(long, help_heading = "Known rules", value_name = "RULE", conflicts_with_all = ["files", "list", "export", "import"])]
    pub off: Option<String>,
    /// Switch on the rule with this name
    #[arg(long, help_heading = "Known rules", value_name = "RULE", conflicts_with_all = ["files", "list", "export", "import", "off"])]
    pub on: Option<String>,
    /// Delete everything that was learned
    #[arg(long, help_heading = "Known rules", conflicts_with_all = ["files", "list", "export", "import", "off", "on"])]
    pub forget: bool,
}

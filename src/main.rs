//! The program's entrance: everything is in `myriad::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    myriad::cli::main()
}

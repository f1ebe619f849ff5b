//! The program's entrance: everything is in `myriad::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Where no display server answers, a Vulkan layer of Mesa's that sorts adapters writes complaints to standard error,
    // across the workbench's screen. The order of adapters is our own affair.
    if std::env::var_os("NODEVICE_SELECT").is_none() {
        // SAFETY: no other thread exists yet that could read the environment.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
    myriad::host::start::on_own_stack(myriad::cli::main)
}

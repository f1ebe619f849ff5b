//! The program's entry point. All logic is in `myriad::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // If no display server answers, Mesa's Vulkan layer that sorts devices writes warnings to standard error,
    // across the workbench's screen. Myriad chooses the device without that layer, so it is disabled.
    if std::env::var_os("NODEVICE_SELECT").is_none() {
        // SAFETY: no other thread exists yet that could read the environment.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
    myriad::host::start::on_own_stack(myriad::cli::main)
}

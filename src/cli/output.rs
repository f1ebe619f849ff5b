//! Writes results to standard output and complaints to standard error.
//!
//! A reader that goes away (`myriad … | head`) is no fault: what is left is not written, and the exit code stays what
//! the work made it.

use std::io::{self, IsTerminal, Write};

use super::exit::Failure;

/// Whether colours may go to `stream`: it is a terminal, and neither `NO_COLOR` nor a dumb terminal forbids them.
pub fn colours(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Prints to standard output. `false` where nobody reads it any more.
pub fn print(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::call(
            format!("cannot write to standard output: {error}"),
            "see that there is room where it leads to",
        )),
    }
}

/// Prints to standard error; nothing can be done where that fails.
pub fn print_error(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Says what is wrong and what to do about it.
pub fn complain(failure: &Failure) {
    let (red, cyan, off) =
        if colours(&io::stderr()) { ("\x1b[1;31m", "\x1b[1;36m", "\x1b[0m") } else { ("", "", "") };
    print_error(&format!(
        "{red}error{off}: {}\n{cyan}help{off}: {}\n",
        visible(&failure.message),
        visible(&failure.help)
    ));
}

/// Names from outside may hold control characters; a terminal is never to receive them.
pub fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

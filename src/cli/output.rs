//! Writes results to standard output and complaints to standard error.
//!
//! Everything that is printed passes here, and no character that a terminal would obey does: what comes from outside is made visible where it
//! is put into a text, and what was forgotten there is made visible here. Only sequences that set colours pass, and these only where colours
//! may be.
//!
//! A reader that goes away (`myriad … | head`) is no fault: what is left is not written, and the exit code stays what
//! the work made it.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::panic::PanicHookInfo;

use super::exit::Failure;
use crate::host::files;
use crate::report::visible::{visible, visible_lines, visible_styled};

/// Whether colours may go to `stream`: it is a terminal, and neither `NO_COLOR` nor a dumb terminal forbids them, or `CLICOLOR_FORCE`
/// wants them anywhere.
pub fn colours(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let forced = set("CLICOLOR_FORCE") && std::env::var_os("CLICOLOR_FORCE").is_none_or(|value| value != "0");
    let fit = || stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    !set("NO_COLOR") && (forced || fit())
}

/// What of a text goes to a stream.
fn harmless(text: &str, colours: bool) -> Cow<'_, str> {
    if colours { visible_styled(text) } else { visible_lines(text) }
}

/// Prints to standard output. `false` where nobody reads it any more.
pub fn print(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    let text = harmless(text, colours(&out));
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::call(
            format!("cannot write to standard output: {}", files::message(&error)),
            "see that there is room where it leads to",
        )),
    }
}

/// Prints to standard error; nothing can be done where that fails.
pub fn print_error(text: &str) {
    let mut out = io::stderr().lock();
    let text = harmless(text, colours(&out));
    let _ = out.write_all(text.as_bytes());
}

/// Prints to a terminal's standard error in the place of what stands there: of so many lines above, or of the line under way where they are none.
pub fn print_over(lines: usize, text: &str) {
    let back = match lines {
        0 => "\r\x1b[K".to_string(),
        n => format!("\r\x1b[{n}A\x1b[J"),
    };
    let _ = io::stderr().lock().write_all((back + &visible_lines(text)).as_bytes());
}

/// Says what is wrong, on one line, and what to do about it.
pub fn complain(failure: &Failure) {
    let (red, cyan, off) =
        if colours(&io::stderr()) { ("\x1b[1;31m", "\x1b[1;36m", "\x1b[0m") } else { ("", "", "") };
    print_error(&format!(
        "{red}error{off}: {}\n{cyan}help{off}: {}\n",
        visible(&failure.message),
        visible_lines(&failure.help)
    ));
}

/// Reports a panic, whose message may quote anything.
pub fn report_panic(info: &PanicHookInfo) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("without a name");
    let backtrace = std::backtrace::Backtrace::capture();
    let behind = match backtrace.status() {
        std::backtrace::BacktraceStatus::Captured => format!("{backtrace}\n"),
        _ => "RUST_BACKTRACE=1 shows where it came from\n".to_string(),
    };
    print_error(&format!("thread '{}' {}\n{behind}", visible(name), visible_lines(&info.to_string())));
}

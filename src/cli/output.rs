//! Writes results to standard output and messages to standard error.
//!
//! All output passes through this module, which escapes control characters that a terminal would interpret.
//! Text from outside is escaped where it is inserted; this module escapes what was missed. Only colour
//! sequences pass, and only where colours are allowed. Data, which another program reads, is escaped only on a
//! terminal.
//!
//! A closed pipe (`myriad … | head`) is not an error: the rest is not written, and the exit code remains that
//! of the work.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::panic::PanicHookInfo;

use super::args::Format;
use super::exit::{Exit, Failure};
use crate::host::files;
use crate::host::measure::numbers::plural;
use crate::report::document::{self, Object};
use crate::report::visible::{escape_hidden_lines, escape_hidden_styled, visible};

/// Returns whether `stream` may receive colours: it is a terminal, and neither `NO_COLOR` nor `TERM=dumb`
/// disables them; or `CLICOLOR_FORCE` enables them.
pub fn colours(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let forced = set("CLICOLOR_FORCE") && std::env::var_os("CLICOLOR_FORCE").is_none_or(|value| value != "0");
    let fit = || stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    !set("NO_COLOR") && (forced || fit())
}

/// Escapes a text for a stream.
fn harmless(text: &str, colours: bool) -> Cow<'_, str> {
    if colours { escape_hidden_styled(text) } else { escape_hidden_lines(text) }
}

/// Prints to standard output. Returns `false` if the pipe is closed.
pub fn print(text: &str) -> Result<bool, Failure> {
    let colours = colours(&io::stdout());
    write_all(&[text], |text| harmless(text, colours))
}

/// Prints data to standard output: every byte as it is, but on a terminal with placeholders. Returns `false` if the
/// pipe is closed.
pub fn print_data(text: &str) -> Result<bool, Failure> {
    print_pieces(&[text])
}

/// Prints the result of a call in its format: the text, or the document.
pub fn print_result(format: Format, text: &str, document: &Object) -> Result<Exit, Failure> {
    match format {
        Format::Text => print(text)?,
        Format::Json => print_data(&(document::json(document) + "\n"))?,
    };
    Ok(Exit::Good)
}

/// Like [`print_data`], for the pieces of a text, which are not joined in memory.
pub fn print_pieces(pieces: &[impl AsRef<str>]) -> Result<bool, Failure> {
    let is_shown = io::stdout().is_terminal();
    write_all(pieces, |piece| if is_shown { escape_hidden_lines(piece) } else { piece.into() })
}

fn write_all(pieces: &[impl AsRef<str>], escaped: impl Fn(&str) -> Cow<str>) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    let mut write = |piece: &str| out.write_all(escaped(piece).as_bytes());
    let written = pieces.iter().try_for_each(|piece| write(piece.as_ref()));
    match written.and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::call(
            format!("cannot write to standard output: {}", files::message(&error)),
            "check that there is space at its destination",
        )),
    }
}

/// Prints to standard error; errors are ignored.
pub fn print_error(text: &str) {
    let mut out = io::stderr().lock();
    let text = harmless(text, colours(&out));
    let _ = out.write_all(text.as_bytes());
}

/// Replaces output on a terminal's standard error: the last `lines` lines, or the current line if `lines` is 0.
pub fn print_over(lines: usize, text: &str) {
    let back = match lines {
        0 => "\r\x1b[K".to_string(),
        n => format!("\r\x1b[{n}A\x1b[J"),
    };
    let _ = io::stderr().lock().write_all((back + &escape_hidden_lines(text)).as_bytes());
}

/// Warns about candidates that pass@k leaves out.
pub fn report_left_out(count: u64) {
    if count > 0 {
        let (have, them) = if count == 1 { ("has", "it") } else { ("have", "them") };
        print_error(&format!(
            "warning: {} {have} no group, where others have one: pass@k leaves {them} out\n",
            plural(count, "candidate")
        ));
    }
}

/// Prints a failure and its advice, on one line each.
pub fn report_failure(failure: &Failure) {
    let (red, cyan, off) =
        if colours(&io::stderr()) { ("\x1b[1;31m", "\x1b[1;36m", "\x1b[0m") } else { ("", "", "") };
    print_error(&format!(
        "{red}error{off}: {}\n{cyan}help{off}: {}\n",
        visible(&failure.message),
        escape_hidden_lines(&failure.help)
    ));
}

/// Reports a panic; its message is escaped, since it may quote any text.
pub fn report_panic(info: &PanicHookInfo) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("without a name");
    let backtrace = std::backtrace::Backtrace::capture();
    let behind = match backtrace.status() {
        std::backtrace::BacktraceStatus::Captured => format!("{backtrace}\n"),
        _ => "RUST_BACKTRACE=1 shows where it came from\n".to_string(),
    };
    print_error(&format!("thread '{}' {}\n{behind}", visible(name), escape_hidden_lines(&info.to_string())));
}

//! Takes over and restores the terminal, and detects when it goes away.

use std::io::{self, Write, stdout};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::queue;
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Size;

use crate::report::visible::visible;
use crate::workbench::edge::backend::BoundedSize;
use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::writer::{EdgeWriter, OutputBuffer};

/// Whether the terminal is in use and has to be restored.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// The number of pieces of output that are not written yet.
static PENDING_WRITES: AtomicUsize = AtomicUsize::new(0);

/// How long restoring waits for the terminal to accept pending output.
const PATIENCE: Duration = Duration::from_secs(2);

pub struct Screen {
    pub terminal: Terminal<BoundedSize<CrosstermBackend<OutputBuffer>>>,
    /// The size that the terminal reported at the last frame.
    said: Size,
    gathered: OutputBuffer,
    writer: EdgeWriter,
}

impl Screen {
    /// Takes over the terminal. `idle` is called whenever the terminal has received everything drawn.
    pub fn enter(idle: impl Fn() + Send + 'static) -> io::Result<Screen> {
        let gathered = OutputBuffer::default();
        let writer = EdgeWriter::start(output()?, &PENDING_WRITES, idle)?;
        let terminal = Terminal::new(BoundedSize(CrosstermBackend::new(gathered.clone())))?;
        let mut screen = Screen { terminal, said: Size::ZERO, gathered, writer };
        screen.take()?;
        Ok(screen)
    }

    fn take(&mut self) -> io::Result<()> {
        // Before the first change, so that a panic in between restores the terminal.
        IN_USE.store(true, Ordering::SeqCst);
        muted_stderr::begin();
        // After a stop by another program, the shell has changed the modes, but crossterm still assumes raw
        // mode. It sets raw mode again only after disabling it.
        disable_raw_mode()?;
        enable_raw_mode()?;
        queue!(self.gathered, EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)?;
        self.send();
        Ok(())
    }

    /// Takes over the terminal again after the shell had it, with all modes; the next frame draws every cell.
    pub fn resume(&mut self) -> io::Result<()> {
        self.take()?;
        self.redraw()
    }

    /// Makes the next frame draw every cell. (`Terminal::clear` would query the cursor's position, and wait
    /// for the thread that reads the answers.)
    pub fn redraw(&mut self) -> io::Result<()> {
        let area = self.terminal.size()?.into();
        self.terminal.resize(area)?;
        self.send();
        Ok(())
    }

    /// Returns whether the terminal has received everything drawn, so that a new frame appears without delay.
    pub fn is_ready(&self) -> bool {
        self.writer.is_idle()
    }

    /// Draws a frame, as one synchronized update.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub fn draw(&mut self, frame: impl FnOnce(&mut ratatui::Frame)) -> io::Result<()> {
        if self.writer.is_gone() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        // So that the terminal never shows half of a frame.
        queue!(self.gathered, BeginSynchronizedUpdate)?;
        // A terminal may lose its contents at any change of size, even if the drawn part is the same.
        let said = self.terminal.backend().reported_size()?;
        if said != self.said {
            self.said = said;
            self.redraw()?;
        }
        self.terminal.draw(frame)?;
        queue!(self.gathered, EndSynchronizedUpdate)?;
        self.send();
        Ok(())
    }

    pub fn tell(&mut self, what: impl crossterm::Command) {
        if queue!(self.gathered, what).is_ok() {
            self.send();
        }
    }

    fn send(&self) {
        let bytes = self.gathered.take();
        // After a fault has restored the terminal, it belongs to the shell.
        if !bytes.is_empty() && IN_USE.load(Ordering::SeqCst) {
            self.writer.send(bytes);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// A query of the terminal's background colour. Terminals that do not know it send no reply.
pub struct AskForBackground;

impl crossterm::Command for AskForBackground {
    fn write_ansi(&self, f: &mut impl std::fmt::Write) -> std::fmt::Result {
        f.write_str("\x1b]11;?\x1b\\")
    }

    #[cfg(windows)]
    fn execute_winapi(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the terminal's output, without a lock that another thread might hold.
#[cfg(unix)]
fn output() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(stdout().as_fd().try_clone_to_owned()?.into())
}
#[cfg(not(unix))]
fn output() -> io::Result<io::Stdout> {
    Ok(stdout())
}

/// Restores the terminal. May be called at any time, from any thread, and repeatedly. Errors of a terminal
/// that is gone are ignored.
pub fn restore() {
    if !IN_USE.swap(false, Ordering::SeqCst) {
        return;
    }
    // Wait for pending output, which would otherwise appear over the shell's.
    let end = Instant::now() + PATIENCE;
    while PENDING_WRITES.load(Ordering::SeqCst) > 0 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
    if PENDING_WRITES.load(Ordering::SeqCst) > 0 {
        // The terminal accepts no output.
        return restore_modes();
    }
    let mut undo = Vec::new();
    let _ = queue!(
        undo,
        EndSynchronizedUpdate,
        DisableBracketedPaste,
        DisableMouseCapture,
        ResetColor,
        LeaveAlternateScreen,
        Show
    );
    if let Ok(mut out) = output() {
        let _ = out.write_all(&undo).and_then(|()| out.flush());
    }
    restore_modes();
}

/// Restores as much of the terminal as possible without writing to it, because a write may block forever.
pub fn restore_without_writing() {
    if IN_USE.swap(false, Ordering::SeqCst) {
        restore_modes();
    }
}

fn restore_modes() {
    let _ = disable_raw_mode();
    muted_stderr::end();
}

/// Redirects standard error to nowhere while the screen is in use, because graphics drivers write to it.
#[cfg(unix)]
mod muted_stderr {
    use std::fs::OpenOptions;
    use std::io::{IsTerminal, stderr};
    use std::os::fd::OwnedFd;
    use std::sync::{Mutex, PoisonError};

    /// The original standard error.
    static SAVED: Mutex<Option<OwnedFd>> = Mutex::new(None);

    pub fn begin() {
        let mut saved = SAVED.lock().unwrap_or_else(PoisonError::into_inner);
        if saved.is_some() || !stderr().is_terminal() {
            return;
        }
        let Ok(nowhere) = OpenOptions::new().write(true).open("/dev/null") else { return };
        let Ok(copy) = rustix::io::dup(stderr()) else { return };
        if rustix::stdio::dup2_stderr(&nowhere).is_ok() {
            *saved = Some(copy);
        }
    }

    pub fn end() {
        if let Some(copy) = SAVED.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = rustix::stdio::dup2_stderr(&copy);
        }
    }
}
#[cfg(not(unix))]
mod muted_stderr {
    pub fn begin() {}
    pub fn end() {}
}

/// Installs the panic hook. On a panic of this thread, unsaved text is written to disk, the terminal is
/// restored, and the panic is reported as before. A panic of another thread only calls `notice`, because the
/// screen is still in use.
pub fn install_panic_hook(journal: Arc<Journal>, notice: impl Fn(String) + Send + Sync + 'static) {
    // Only a panic of this thread ends the program; the screens of other threads are still drawn.
    let screen_thread = std::thread::current().id();
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info: &PanicHookInfo| {
        if std::thread::current().id() == screen_thread || !IN_USE.load(Ordering::SeqCst) {
            let kept = journal.flush();
            restore();
            previous(info);
            report_unsaved(&kept);
        } else {
            let place = info.location().map_or(String::new(), |l| format!(" at {}:{}", l.file(), l.line()));
            let text = info.payload_as_str().unwrap_or("no message");
            notice(format!("internal error{place}: {text}"));
        }
    }));
}

/// Reports on standard error what happened to unsaved texts.
pub fn report_unsaved(kept: &io::Result<Vec<std::path::PathBuf>>) {
    let texts: Vec<String> = match kept {
        Ok(paths) => {
            let kept = |path: &std::path::PathBuf| {
                format!(
                    "unsaved text is in {}; opening the file again brings it back, or offers it",
                    path.display()
                )
            };
            paths.iter().map(kept).collect()
        }
        Err(error) => vec![format!("unsaved text could not be kept: {error}")],
    };
    texts.iter().for_each(|text| report(text));
}

/// Reports something on standard error, once the terminal is restored.
pub fn report(text: &str) {
    let _ = writeln!(io::stderr(), "myriad: {}", visible(text));
}

/// Calls back once the terminal has gone away. Reading cannot detect that: a terminal that is gone is always
/// readable.
#[cfg(unix)]
pub fn watch_hangup(gone: impl FnOnce() + Send + 'static) {
    use rustix::event::{PollFd, PollFlags, poll};
    let watch = move || {
        loop {
            let out = stdout();
            let mut fds = [PollFd::new(&out, PollFlags::empty())];
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => continue,
                Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => break,
                _ => {
                    // Where terminals cannot be polled, query the size periodically.
                    if crossterm::terminal::size().is_err() {
                        break;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(500));
                }
            }
        }
        gone();
    };
    let _ = std::thread::Builder::new().name("hangup".into()).spawn(watch);
}
#[cfg(not(unix))]
pub fn watch_hangup(_: impl FnOnce() + Send + 'static) {}
